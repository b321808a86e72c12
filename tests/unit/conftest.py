"""Unit tests start no process and open no server: here they fail when they do."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from schemas.geonames import TIERS, _file

_REFUSED = frozenset({
    "subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.system", "socket.bind",
})  # fmt: skip
_FOLDER = Path(__file__).parent
_running: list[str] = []


def _refuse(event: str, _arguments: object) -> None:
    if event in _REFUSED and _running:
        raise AssertionError(
            f"{_running[-1]} is a unit test and calls {event}: it belongs to system"
        )


sys.addaudithook(_refuse)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Watch a unit test with its fixtures; the hook is called for tests of every folder."""
    if _FOLDER not in item.path.parents:
        return (yield)
    _running.append(item.nodeid)
    try:
        return (yield)
    finally:
        _running.pop()


@pytest.fixture(autouse=True)
def _each_test_looks_up_few_cities() -> None:
    """Forget looked-up names: after twenty, a process indexes every place, which takes seconds."""
    for tier in TIERS:
        _file(tier)._sought.clear()
