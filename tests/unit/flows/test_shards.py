"""The workspace: complete or absent, keyed by ingredients."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from flows.errors import WorkspaceError
from flows.pipeline.graph import ingredients
from flows.pipeline.shards import Workspace, shard_key
from flows.pipeline.stages.base import Inputs, Job, Stage
from flows.settings.profile import Profile

JOB = Job(Inputs((), Profile(name="any")), None, "a")
ROWS = {"numbers": pl.DataFrame({"n": [1, 2, 3]})}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    space = Workspace(tmp_path / "work")
    space.prepare()
    return space


def test_a_saved_shard_is_found_and_loaded(workspace: Workspace) -> None:
    assert workspace.find("s", "a", "k") is None
    saved = workspace.save("s", "a", "k", ROWS, {"x": "1"})
    found = workspace.find("s", "a", "k")
    assert found is not None
    assert found.reused
    assert (found.digest, found.rows) == (saved.digest, {"numbers": 3})
    assert workspace.load(found)["numbers"].equals(ROWS["numbers"])


def test_a_frame_is_kept_in_memory_within_limits(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = workspace.save("s", "a", "k", ROWS, {})
    assert workspace.load(small)["numbers"] is workspace.load(small)["numbers"]
    changed = workspace.save("s", "a", "k", {"numbers": pl.DataFrame({"n": [4]})}, {})
    assert workspace.load(changed)["numbers"]["n"].to_list() == [4], "not what was there before"
    monkeypatch.setattr("flows.pipeline.shards._KEPT_BYTES", 10)
    narrow = Workspace(workspace.root)
    assert narrow.load(changed)["numbers"] is narrow.load(changed)["numbers"], "8 bytes"
    large = narrow.save("s", "b", "k", ROWS, {})
    assert narrow.load(large)["numbers"] is not narrow.load(large)["numbers"], "24 bytes"


def test_a_workspace_is_sent_without_its_frames(workspace: Workspace) -> None:
    ref = workspace.save("s", "a", "k", ROWS, {})
    before = pickle.dumps(workspace)
    workspace.load(ref)
    assert pickle.dumps(workspace) == before
    assert pickle.loads(before).load(ref)["numbers"].equals(ROWS["numbers"])


def test_equal_rows_have_equal_digests_whatever_the_key(workspace: Workspace) -> None:
    one = workspace.save("s", "a", "k1", ROWS, {})
    two = workspace.save("s", "b", "k2", {"numbers": pl.DataFrame({"n": [1, 2, 3]})}, {})
    other = workspace.save("s", "c", "k3", {"numbers": pl.DataFrame({"n": [1, 2, 4]})}, {})
    assert one.digest == two.digest != other.digest


def test_accounts_change_a_result_and_not_its_data(workspace: Workspace) -> None:
    """A stage that reads no accounts neither gets them nor runs again for them."""
    counted = [pl.DataFrame({"rows_in": [n]}) for n in (3, 4)]
    one, two = (
        workspace.save("s", "a", f"k{n}", {**ROWS, "stage_counts": rows}, {})
        for n, rows in enumerate(counted)
    )
    assert one.digest != two.digest
    assert one.data_digest == two.data_digest
    assert set(workspace.load(two)) == {"numbers", "stage_counts"}
    assert set(workspace.load(two, accounts=False)) == {"numbers"}
    reads = Stage("next", 1, lambda job, upstream: {}, {})
    for stage, same in ((reads, True), (replace(reads, accounts=True), False)):
        keys = [ingredients(stage, JOB, {"s": [ref]})["s/a"] for ref in (one, two)]
        assert (keys[0] == keys[1]) is same


def test_what_an_older_version_left_is_absent(workspace: Workspace) -> None:
    ref = workspace.save("s", "a", "k", ROWS, {})
    meta = workspace.root / "shards" / "s" / "a" / "k" / "meta.json"
    old = {
        name: value for name, value in json.loads(meta.read_text()).items() if name != "data_digest"
    }
    meta.write_text(json.dumps(old))
    assert ref.data_digest
    assert workspace.find("s", "a", "k") is None


def test_a_half_written_shard_is_absent(workspace: Workspace) -> None:
    place = workspace.root / "shards" / "s" / "a" / "k"
    place.mkdir(parents=True)
    (place / "numbers.parquet").write_bytes(b"PAR1")
    assert workspace.find("s", "a", "k") is None
    (place / "meta.json").write_text('{"digest": ')
    assert workspace.find("s", "a", "k") is None
    assert workspace.save("s", "a", "k", ROWS, {}).rows == {"numbers": 3}


def test_nothing_stays_aside_when_writing_fails(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(OSError, match="No space"):
        workspace.save("s", "a", "k", ROWS, {})
    assert list((workspace.root / "shards" / "s" / "a").iterdir()) == []


def test_keys_follow_every_ingredient() -> None:
    base = {"task": "s v1", "settings": "{}"}
    assert shard_key(base) == shard_key(dict(reversed(base.items())))
    assert (
        len({shard_key(base), shard_key({**base, "task": "s v2"}), shard_key({**base, "a": ""})})
        == 3
    )


def test_a_workspace_of_another_schema_version_is_refused(workspace: Workspace) -> None:
    marker = workspace.root / "workspace.json"
    marker.write_text(json.dumps({"layout": 1, "schema_version": "0.1"}))
    with pytest.raises(WorkspaceError, match=r"schema version 0.1.*--workspace"):
        workspace.prepare()


def test_an_unwritable_workspace_says_what_to_do(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(WorkspaceError, match="--workspace"):
        Workspace(blocked / "work").prepare()


def test_the_last_ingredients_are_remembered(workspace: Workspace) -> None:
    assert workspace.last_ingredients("s", "a") is None
    workspace.save("s", "a", "k", ROWS, {"x": "1"})
    assert workspace.last_ingredients("s", "a") == {"x": "1"}
