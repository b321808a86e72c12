"""Shards in storage that machines share: the same bytes as locally, complete or absent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from flows.errors import WorkspaceError
from flows.pipeline.storage import SharedWorkspace
from tests.support.addresses import s3
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import build_options, checksums, run

__all__ = ["s3"]

pytest.importorskip("fsspec", reason="the extra cluster is not installed")


def test_a_build_on_an_object_store_has_the_same_bytes(
    s3: str,
    small_build: Built,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    without_extras: None,
) -> None:
    monkeypatch.setenv("TRIPBED_STORAGE", f"{s3}/one")
    options = [*small_build.inputs.options(), *build_options(tmp_path / "a", tmp_path / "out")]
    outcome = run("build", *options)
    assert outcome.code == 0, outcome.err
    assert checksums(Path(outcome.last_line)) == checksums(small_build.path)
    assert not (tmp_path / "a" / "shards").exists()
    # Another machine: another local folder, the same storage.
    other = [*small_build.inputs.options(), *build_options(tmp_path / "b", tmp_path / "out")]
    lines = run("build", *other, "--explain").out.splitlines()
    assert lines[-1].startswith("0 of ")


def _space(tmp_path: Path) -> SharedWorkspace:
    return SharedWorkspace(tmp_path / "local", f"file://{tmp_path / 'shared'}")


def test_a_shard_is_there_when_its_meta_is(tmp_path: Path) -> None:
    space = _space(tmp_path)
    space.prepare()
    rows = {"pois": pl.DataFrame({"poi_id": ["a", "b"]})}
    ref = space.save("places", "suzhou", "k1", rows, {"task": "places v1"})
    found = space.find("places", "suzhou", "k1")
    assert found is not None
    assert (found.digest, dict(found.rows), found.reused) == (ref.digest, {"pois": 2}, True)
    assert space.load(found)["pois"].equals(rows["pois"])
    assert space.last_ingredients("places", "suzhou") == {"task": "places v1"}
    (tmp_path / "shared/shards/places/suzhou/k1/meta.json").unlink()
    assert space.find("places", "suzhou", "k1") is None
    assert space.last_ingredients("places", "hangzhou") is None


def test_storage_of_another_schema_version(tmp_path: Path) -> None:
    space = _space(tmp_path)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "workspace.json").write_text('{"schema_version": "0.0"}')
    with pytest.raises(WorkspaceError, match=r"schema version 0\.0"):
        space.prepare()


@pytest.mark.parametrize("address", ["nowhere", "nosuch://bucket/x"])
def test_an_address_that_cannot_be_used(
    address: str, small: running.Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIPBED_STORAGE", address)
    outcome = run("build", *small.options(), *build_options(tmp_path / "w", tmp_path / "o"))
    assert outcome.code == 2
    assert address in outcome.err.replace(os.linesep, "")


def test_the_flow_can_be_sent_to_workers() -> None:
    """What a cluster's worker is sent: the flow and its task, by what they name."""
    cloudpickle = pytest.importorskip("cloudpickle")
    script = (
        "import cloudpickle, flows.pipeline.flow as b\n"
        "cloudpickle.loads(cloudpickle.dumps((b.build, b.compute_shard)))\n"
    )
    assert cloudpickle is not None
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
