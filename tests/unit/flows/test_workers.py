"""How many processes a build uses, and in which order shards of it run."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from flows.errors import SettingsError, WorkerLost
from flows.pipeline import workers
from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.stages.base import Job
from flows.pipeline.workers import ALONE_SECONDS, ReadyExecutor, Shard, process_count

LONG = ALONE_SECONDS + 1
READING = {"read": 8, "mentions": 3}


@pytest.mark.parametrize(
    ("asked", "places", "left", "worked", "found"),
    [
        (None, 4, READING, 0.0, 1),  # it may be a small build
        (None, 4, READING, LONG, 4),
        (None, 16, READING, LONG, 8),  # no more than shards of a stage are left
        (None, 16, {"read": 0, "mentions": 3}, LONG, 3),
        (None, 16, {"tags": 1, "control": 1}, LONG, 1),  # one city: one after the other
        (None, 1, READING, LONG, 1),
        (None, 4, {}, LONG, 1),
        (2, 16, READING, 0.0, 2),  # who asks knows
        (4, 2, READING, 0.0, 4),
        (16, 4, READING, 0.0, 8),
        (1, 4, READING, LONG, 1),
    ],
)
def test_processes(
    asked: int | None, places: int, left: Mapping[str, int], worked: float, found: int
) -> None:
    assert process_count(asked, places, left, worked) == found


class _Recorder(ReadyExecutor):
    """Computes nothing: shards end when they are started, or in the order that a test says."""

    def __init__(self, asked: int | None = 2, at_once: int = 1) -> None:
        super().__init__(Workspace(Path("nowhere")), self._note, asked, at_once)
        self.here: list[str] = []
        self.apart: list[str] = []
        self.ended: list[str] = []
        self.processes: list[int] = []
        self.error: Exception | None = None

    def _note(self, ref: Ref) -> None:
        self.ended.append(f"{ref.stage} {ref.shard}")

    def _future(self, shard: Shard) -> Future[Ref]:
        future: Future[Ref] = Future()
        future.set_result(Ref(shard.stage, shard.job.shard, "key", "digest", "data"))
        return future

    def start_here(self, shard: Shard) -> Future[Ref]:
        self.here.append(f"{shard.stage} {shard.job.shard}")
        return self._future(shard)

    def start_apart(self, shard: Shard) -> Future[Ref]:
        self.apart.append(f"{shard.stage} {shard.job.shard}")
        if self.error is not None:
            future: Future[Ref] = Future()
            future.set_exception(self.error)
            return future
        return self._future(shard)

    def begin_workers(self, processes: int) -> None:
        self.processes.append(processes)

    def end_workers(self, *, at_once: bool) -> None:
        self.processes.append(-1 if at_once else 0)


def _job(shard: str, *sizes: int) -> Job:
    files = tuple(_File(size) for size in sizes)
    inputs: Any = None
    return Job(inputs, None, shard, {"files": files})


class _File:
    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes


@pytest.fixture(autouse=True)
def nothing_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "find_shard", lambda *_: None)
    monkeypatch.setattr(workers, "room", lambda: 2)


def test_a_shard_waits_for_those_before_it_and_the_longest_goes_first() -> None:
    executor = _Recorder()
    corpus = [
        executor.submit("corpus", _job(name, *sizes), {})
        for name, *sizes in (("00", 10), ("01", 50, 50), ("02", 20))
    ]
    end = executor.submit("copies", _job("all"), {"corpus": corpus})
    early = executor.submit("tables", _job("suzhou"), {})
    assert executor.result(end).stage == "copies"
    order = ["tables suzhou", "corpus 01", "corpus 02", "corpus 00", "copies all"]
    assert executor.apart == executor.ended == order
    assert executor.here == []
    assert [ref.stage for ref in executor.finish()] == [*["corpus"] * 3, "copies", "tables"]
    assert executor.result(early).shard == "suzhou"
    assert executor.processes == [2, 0], "workers end with the last shard"


def test_what_asks_the_web_stays_in_the_builds_own_process() -> None:
    executor = _Recorder()
    search = executor.submit("search", _job("all"), {})
    fetch = executor.submit("fetch", _job("all"), {"search": [search]})
    for name in ("00", "01"):
        executor.submit("corpus", _job(name), {"fetch": [fetch]})
    executor.finish()
    assert executor.here == ["search all", "fetch all"]
    assert executor.apart == ["corpus 00", "corpus 01"]


def test_a_build_that_chooses_works_alone_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = _Recorder(asked=None)
    monkeypatch.setattr("time.process_time", lambda: 1e6 + LONG * len(executor.here))
    executor._began = 1e6
    for name in ("beijing", "chengdu", "hangzhou", "suzhou"):
        executor.submit("tables", _job(name), {})
    executor.finish()
    assert executor.here == ["tables beijing"]
    assert executor.apart == ["tables chengdu", "tables hangzhou", "tables suzhou"]


def test_finished_shards_start_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Ref("tables", "x", "key", "digest", "data", reused=True)
    monkeypatch.setattr(workers, "find_shard", lambda *_: found)
    executor = _Recorder()
    for name in ("beijing", "hangzhou"):
        executor.submit("tables", _job(name), {})
    executor.finish()
    assert (executor.apart, executor.processes) == ([], [])


def test_a_lost_worker_is_told_with_what_to_do() -> None:
    executor = _Recorder()
    executor.error = BrokenProcessPool("gone")
    for name in ("beijing", "hangzhou", "suzhou"):
        executor.submit("tables", _job(name), {})
    with pytest.raises(WorkerLost, match=r"tables beijing, tables hangzhou.*--workers 1"):
        executor.finish()
    assert executor.processes == [2, -1], "what still runs is killed"


def test_an_exception_that_cannot_travel_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Odd(Exception):
        def __init__(self, one: str, two: str) -> None:
            super().__init__(one + two)

    raised: list[Exception] = [Odd("no ", "good"), SettingsError("change it")]

    def fail(*_: object) -> Ref:
        raise raised.pop(0)

    monkeypatch.setattr(workers, "run_shard", fail)
    with pytest.raises(RuntimeError, match="Odd: no good"):
        workers.work("tables", _job("x"), {}, Workspace(tmp_path))
    with pytest.raises(SettingsError, match="change it"):
        workers.work("tables", _job("x"), {}, Workspace(tmp_path))
