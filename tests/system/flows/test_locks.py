"""Locks of cities and logs of runs, when other processes hold them or are gone."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from flows.errors import WorkspaceError
from flows.pipeline.folders import cities_locked
from flows.pipeline.log import RunLog, read_runs
from flows.serving.status import run_facts
from tests.conftest import ROOT


def test_a_run_whose_process_is_gone_was_killed(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    log = RunLog(tmp_path, "r1")
    log.write("run.start", cities=["a"], pid=child.pid, host=os.uname().nodename)
    assert run_facts(read_runs(tmp_path)[0])["state"] == "killed"
    log.write("run.failed", reason="the disk is full")
    assert run_facts(read_runs(tmp_path)[0])["note"] == "the disk is full"


class TestLocks:
    def _holder(self, folder: Path, city: str) -> subprocess.Popen[str]:
        script = (
            "import sys, time; from pathlib import Path; from flows.pipeline.folders import"
            f" cities_locked\nwith cities_locked(Path({str(folder)!r}), [{city!r}], 'wait',"
            " print):\n    print('held', flush=True); time.sleep(60)\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        return child

    def test_a_busy_city_is_refused_or_waited_for(self, tmp_path: Path) -> None:
        child = self._holder(tmp_path, "suzhou")
        try:
            refuse = cities_locked(tmp_path, ["suzhou"], "refuse", print)
            with pytest.raises(WorkspaceError, match="another build is working on suzhou"), refuse:
                pass
            with cities_locked(tmp_path, ["wuxi"], "refuse", print):
                pass  # another city is free
            waited: list[str] = []
            threading.Timer(0.3, child.kill).start()  # a lock dies with its holder
            with cities_locked(tmp_path, ["suzhou"], "wait", waited.append):
                assert waited == ["suzhou"]
        finally:
            child.kill()
            child.wait()
