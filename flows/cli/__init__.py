"""The command line ``tripbed``. Exit codes: 0 success, 1 a gate failed, 2 bad input or settings."""

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
