"""A scripted endpoint and an engine for it."""

from __future__ import annotations

from tests.support.extractors.llm.fixtures import (
    _no_outer_endpoint,
    endpoint,
    engine_of,
    ledger,
    postgres,
    postgres_server,
    waits,
)

__all__ = [
    "_no_outer_endpoint",
    "endpoint",
    "engine_of",
    "ledger",
    "postgres",
    "postgres_server",
    "waits",
]
