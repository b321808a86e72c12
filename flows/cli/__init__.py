"""The command line ``tripbed``.

A command exits with code 0 on success, 1 if a check failed, and 2 if its input or settings are
wrong.
"""

from flows.cli import (  # noqa: F401 - each registers its commands
    bench,
    build,
    cities,
    documents,
    export,
    models,
    operations,
    places,
    plans,
    quality,
    queries,
    snapshots,
    sources,
)
from flows.cli.app import main

__all__ = ["main"]
