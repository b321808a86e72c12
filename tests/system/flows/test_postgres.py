"""Builds by a Prefect server whose database is PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support import servers
from tests.support.flows.builds import Built
from tests.support.flows.running import checksums

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        servers.postgres_programs() is None,
        reason="PostgreSQL is not installed: apt-get install postgresql",
    ),
]


def test_a_build_by_a_server_on_postgresql(small_build: Built, tmp_path: Path) -> None:
    with servers.postgres(tmp_path) as database, servers.prefect_server(tmp_path, database) as url:
        options = [*small_build.inputs.options(), "--workspace", str(tmp_path / "work")]
        done = subprocess.run(
            [sys.executable, "-m", "flows.cli", "build", *options, "--out", str(tmp_path / "out")],
            cwd=ROOT, env={**os.environ, "PREFECT_API_URL": url, "PREFECT_HOME": str(tmp_path)},
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        [told] = servers.asked("POST", f"{url}/flow_runs/filter", json={})
        artifacts = servers.asked("POST", f"{url}/artifacts/filter", json={})
    snapshot = Path(done.stdout.splitlines()[-1])
    assert checksums(snapshot) == checksums(small_build.path)
    assert (told["state"]["type"], told["state"]["message"]) == (
        "COMPLETED", f"snapshot {snapshot.name}",
    )  # fmt: skip
    assert {a["key"] for a in artifacts} >= {"summary", "gates", "costs"}
