"""The builds that these tests look at."""

from __future__ import annotations

from tests.support.flows.builds import (
    built_sample,
    small,
    small_build,
    small_copy,
    without_data_docs,
    without_extras,
)

__all__ = [
    "built_sample",
    "small",
    "small_build",
    "small_copy",
    "without_data_docs",
    "without_extras",
]
