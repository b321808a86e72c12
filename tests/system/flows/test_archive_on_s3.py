"""An archive on an object store:
a machine that is lost in the middle of fetching loses no visit.
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from storage.remote import Remote
from tests.support.addresses import other_scratch, s3, scratch
from tests.support.flows.killing import start
from tests.support.flows.looking import looking
from tests.support.flows.running import checksums
from tests.support.sources.web.own.engine import said

__all__ = ["s3", "scratch"]


def _visits(archive: str) -> int:
    return sum(key.startswith("tripbed-") for key in Remote(archive).stamps())


def test_another_machine_goes_on_where_one_was_killed(
    s3: str, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_extras: None
) -> None:
    archive = f"{s3}/archive"
    with looking(tmp_path / "city") as city:
        build = start(city, "--archive", archive)
        deadline = time.monotonic() + 300
        while _visits(archive) < 10 and build.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        build.send_signal(signal.SIGKILL)
        assert build.wait() == -signal.SIGKILL
        before = Counter(city.web.answered)
        assert 10 <= _visits(archive) < 50

        other_scratch(tmp_path / "other", monkeypatch)
        told = city.build("--archive", archive, name="b")
        assert told.code == 0, told
        again = [
            key for key in (Counter(city.web.answered) & before)
            if key[1] != "/robots.txt" and key[2] == 200
        ]  # fmt: skip
        assert len(again) <= len(said()["hosts"]), "only what was in flight is asked again"

        other_scratch(tmp_path / "third", monkeypatch)
        away = city.build("--archive", archive, "--offline", name="c")
        assert away.code == 0, away
        assert city.web.answered == []
        assert checksums(city.snapshot("c")) == checksums(city.snapshot("b"))
