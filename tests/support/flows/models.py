"""A model server that counts, and what a run is told of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.llm_server import ServerState, serve

KEY = "sk-not-to-be-told-5f0c"
#: A phrase of the small city's first page that no name in a table repeats.
PHRASE = "三月花开得正好"


@pytest.fixture
def server() -> Iterator[tuple[str, ServerState]]:
    """Address of a model server that answers with what the rules read, and what it saw."""
    running_server, state = serve(0.0)
    yield f"http://127.0.0.1:{running_server.server_address[1]}/v1", state
    running_server.shutdown()
    running_server.server_close()


@pytest.fixture
def model(server: tuple[str, ServerState]) -> str:
    """Its address."""
    return server[0]


def environment(model: str, folder: Path) -> dict[str, str]:
    """What a command is told of the server; its ledger lies in the folder."""
    return {
        **os.environ, "OPENAI_BASE_URL": model, "OPENAI_MODEL": "counting", "OPENAI_API_KEY": KEY,
        "TRIPBED_LEDGER": str(folder / "ledger.sqlite"), "TRIPBED_LLM_CONCURRENCY": "1",
    }  # fmt: skip
