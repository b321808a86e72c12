"""The command line ``tripbed``. Exit codes: 0 good, 1 a gate failed, 2 wrong input or settings."""

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
    sandbox,
    snapshots,
    sources,
    tables,
)
from flows.cli.app import main

__all__ = ["main"]
