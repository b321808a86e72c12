"""The boundary of every stage: bad rows are set aside and counted, whatever the stage."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.pipeline.graph import AGAIN, GRAPH, NODES, run_shard
from flows.pipeline.shards import ACCOUNTS, Frames, Workspace
from flows.pipeline.stages.base import Inputs, Job, Stage
from flows.pipeline.stages.boundary import REPORTING, ContractError, check_frames
from flows.settings.profile import load_profile
from schemas.arrow import frame, polars_schema_of
from schemas.cities import find_city
from schemas.contracts import CHECKS, split
from schemas.fields import (
    BOOL,
    CITY_ID,
    DATE,
    DOC_ID,
    EVIDENCE_ID,
    INT,
    POI_ID,
    REAL,
    SLUG,
    TEXT,
    Field,
)
from schemas.tables import Table
from tests.support.flows.builds import Built

CITY = find_city("suzhou")


def _handed_on(built: Built, stage: str) -> list[Frames]:
    """The frames of every shard of a stage, as they lie in the workspace of the small city."""
    shards = sorted((built.workspace / "shards" / stage).glob("*/*/meta.json"))
    return [
        {path.stem: pl.read_parquet(path) for path in sorted(meta.parent.glob("*.parquet"))}
        for meta in shards
    ]


#: A value of each form, by a number of one digit.
FORMS = {
    CITY_ID: "gn{}",
    DOC_ID: "d" + "0" * 19 + "{}",
    POI_ID: "poi_" + "0" * 15 + "{}",
    EVIDENCE_ID: "ev_" + "0" * 19 + "{}",
    SLUG: "town-{}",
    r"^[A-Z]{2}$": "CN",
    r"^[A-Z]{3}$": "CNY",
    r"^[0-9a-f]{15}$": "0" * 14 + "{}",
    r"^Q[1-9][0-9]*$": "Q1{}",
    r"^share_[0-9a-f]{16}$": "share_" + "0" * 15 + "{}",
    r"^[0-9a-f]{16}$": "0" * 15 + "{}",
    r"^[0-9a-f]{64}$": "0" * 63 + "{}",
}


def _good_value(field: Field, number: int) -> Any:
    """A value that the field's contract allows."""
    if field.type not in (TEXT, INT, REAL, BOOL, DATE):
        return []
    if field.codes is not None:
        return field.codes[0]
    if field.pattern is not None:
        return FORMS[field.pattern].format(number)
    if field.type == TEXT:
        return f"text {number}"
    if field.type == DATE:
        return date(2026, 1, 1 + number)
    return field.type.to_pandas_dtype()((field.minimum or 0) + number)


def _good_rows(table: Table) -> pl.DataFrame:
    """Two rows that keep the contract."""
    rows = [{f.name: _good_value(f, number) for f in table.fields} for number in (1, 2)]
    made = pl.DataFrame(rows, schema=polars_schema_of(table), orient="row")
    assert split(table, made)[1].is_empty()
    return made


def _breakable(table: Table) -> list[Field]:
    return [
        field
        for field in table.fields
        if field.minimum is not None or field.pattern is not None or field.codes is not None
    ]


def _broken_value(field: Field, types: pl.Schema) -> Any:
    if field.minimum is not None:
        return field.minimum - 7
    return ["nonsense"] if isinstance(types[field.name], pl.List) else "not of its kind!"


def _break(table: Table, rows: pl.DataFrame, seed: str) -> pl.DataFrame:
    """The frame with one value of one row outside its limits, drawn by the seed."""
    drawn = random.Random(seed)
    field, at = drawn.choice(_breakable(table)), drawn.randrange(rows.height)
    types = polars_schema_of(table)
    values = rows[field.name].to_list()
    values[at] = _broken_value(field, types)
    return rows.with_columns(pl.Series(field.name, values, dtype=types[field.name]))


def _targets() -> list[tuple[str, str]]:
    """Every frame of every stage whose rows have limits; reports are asked for apart.

    Stages that look a second time are those that looked first, and hand on the same frames.
    """
    return [
        (node.stage.name, name)
        for node in GRAPH
        for name, output in node.stage.outputs.items()
        if name not in REPORTING
        and _breakable(output.table)
        and not node.stage.name.startswith(AGAIN)
    ]


def _job(stage: str) -> Job:
    city = None if stage == "corpus" else CITY
    return Job(Inputs((CITY,), load_profile("folder")), city, "shard", {})


def test_every_stage_has_a_contract_for_every_frame(small_build: Built) -> None:
    for name, node in NODES.items():
        assert node.stage.outputs, f"{name} has no contract"
        for frames in _handed_on(small_build, name):
            assert set(frames) <= set(node.stage.outputs)
            assert check_frames(node.stage, _job(name), frames).keys() == frames.keys()


def test_a_stage_without_contracts_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="outputs"):
        Stage("new", 1, lambda job, upstream: {})  # type: ignore[call-arg]  # what the test is about


def test_a_frame_without_contract_is_refused(tmp_path: Path) -> None:
    stage = Stage("queries", 1, lambda job, upstream: {"extra": pl.DataFrame({"a": [1]})}, {})
    with pytest.raises(ContractError, match="queries returned frames that have no contract: extra"):
        run_shard(Workspace(tmp_path), stage, _job("queries"), {})


@pytest.mark.parametrize(("stage", "name"), _targets())
def test_a_bad_row_is_set_aside(stage: str, name: str, small_build: Built, tmp_path: Path) -> None:
    of = NODES[stage].stage
    table = of.outputs[name].table
    shards = _handed_on(small_build, stage)
    frames = next((f for f in shards if name in f and f[name].height), None)
    if frames is None:  # the small city has no such rows
        frames = {**shards[0], name: _good_rows(table)}
    broken = _break(table, frames[name], f"{stage}/{name}")
    assert split(table, broken)[1].height >= 1
    emits = replace(
        of, compute=lambda job, upstream: {**frames, name: broken}, ingredients=lambda job: {}
    )
    workspace = Workspace(tmp_path)
    after = workspace.load(run_shard(workspace, emits, _job(stage), {}))
    lost = broken.height - after[name].height
    assert lost >= 1
    assert split(table, after[name])[1].is_empty()
    if stage == "corpus":
        return
    where = of.outputs[name].account or (stage, name)
    aside = after["quarantine"].filter(
        (pl.col("stage") == where[0])
        & (pl.col("table") == where[1])
        & pl.col("check").is_in(list(CHECKS))
    )
    assert aside.height == lost
    assert after["quarantine"]["quarantine_id"].is_unique().all()
    counts = after.get("counts", after.get("stage_counts"))
    assert counts is not None
    mine = counts.filter((pl.col("stage") == where[0]) & (pl.col("table") == where[1])).to_dicts()
    assert len(mine) == 1
    out = ("rows_kept", "rows_merged", "rows_quarantined", "rows_pending")
    assert mine[0]["rows_in"] == sum(mine[0][column] for column in out)
    assert mine[0]["rows_quarantined"] >= lost


def test_rows_that_name_a_bad_row_go_with_it(small_build: Built) -> None:
    (frames,) = _handed_on(small_build, "feedback")
    poi = frames["poi_mentions"].drop_nulls("poi_id")["poi_id"][0]
    pois = frames["pois"].with_columns(
        lat=pl.when(pl.col("poi_id") == poi).then(pl.lit(95.0)).otherwise("lat")
    )
    after = check_frames(NODES["feedback"].stage, _job("feedback"), {**frames, "pois": pois})
    for name in ("pois", "poi_mentions", "poi_facts", "poi_origins", "resolutions"):
        assert poi in frames[name]["poi_id"].to_list()
        assert poi not in after[name]["poi_id"].to_list()
    checks = dict(after["quarantine"].group_by("table").agg(pl.col("check").unique()).iter_rows())
    assert checks["pois"] == ["maximum"]
    assert checks["poi_mentions"] == checks["resolutions"] == ["reference"]


def test_a_document_with_a_bad_block_is_a_file_that_was_not_read(small_build: Built) -> None:
    frames = next(f for f in _handed_on(small_build, "corpus") if f["blocks"].height)
    doc_id, path = frames["meta"].select("doc_id", "path").row(0)
    blocks = frames["blocks"].with_columns(
        start=pl.when((pl.col("doc_id") == doc_id) & (pl.col("position") == 1))
        .then(-1)
        .otherwise("start")
    )
    after = check_frames(NODES["corpus"].stage, _job("corpus"), {**frames, "blocks": blocks})
    assert doc_id not in after["blocks"]["doc_id"].to_list() + after["meta"]["doc_id"].to_list()
    assert after["rejected"].filter(path=path)["check"].to_list() == ["minimum"]
    assert (
        after["meta"].height + after["rejected"].height
        == frames["meta"].height + frames["rejected"].height
    )


def test_a_document_with_a_bad_name_is_one_that_nobody_read(small_build: Built) -> None:
    frames = next(f for f in _handed_on(small_build, "read") if f["names"].height)
    doc_id = frames["names"]["doc_id"][0]
    names = frames["names"].with_columns(
        role=pl.when(pl.col("doc_id") == doc_id).then(pl.lit("seen")).otherwise("role")
    )
    job = replace(_job("read"), city=None)
    after = check_frames(NODES["read"].stage, job, {**frames, "names": names})
    told = after.pop("unread").to_dicts()
    assert [(row["doc_id"], row["check"]) for row in told] == [(doc_id, "codes")]
    assert not [name for name, rows in after.items() if doc_id in rows["doc_id"].to_list()]
    assert after["readings"].height == frames["readings"].height - 1


def test_a_bad_report_is_a_fault_of_the_program() -> None:
    counts = frame(
        "stage_counts",
        [{"city_id": CITY.city_id, "stage": "queries", "table": "queries", "rows_in": -1,
          "rows_kept": -1, "rows_merged": 0, "rows_quarantined": 0, "rows_pending": 0}],
    )  # fmt: skip
    assert "stage_counts" in ACCOUNTS
    with pytest.raises(ContractError, match="reporting frame stage_counts breaks"):
        check_frames(NODES["queries"].stage, _job("queries"), {"stage_counts": counts})


def test_a_frame_of_another_form_is_a_fault_of_the_program() -> None:
    queries = frame("queries", []).drop("split")
    with pytest.raises(ContractError, match="stage queries, frame queries"):
        check_frames(NODES["queries"].stage, _job("queries"), {"queries": queries})
