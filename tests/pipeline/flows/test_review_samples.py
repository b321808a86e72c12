"""Samples drawn from a built city: in words, with passages, the same each time, nothing told."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.review.samples.claims import read_claims
from flows.review.samples.draw import Planter
from flows.review.samples.files import COLUMNS, key_of, read_reading
from flows.review.samples.passages import ClaimPassages, DocumentTexts
from flows.review.samples.sentences import SnapshotPlaces, say
from tests.support.flows.running import Outcome, run
from warehouse.read import Snapshot

Draw = Callable[..., Outcome]
TABLES = (
    "poi_mentions",
    "poi_facts",
    "poi_tags",
    "poi_popularity",
    "poi_hierarchy",
    "poi_aliases",
    "pois",
    "trajectories",
)
FROM_DOCUMENTS = frozenset(TABLES) - {"poi_hierarchy", "poi_aliases"}


@pytest.fixture
def draw(built_sample: Path, sample: Path) -> Draw:
    """Draws 12 rows of a table from the sample city."""

    def drawn(table: str, out: Path, *options: object) -> Outcome:
        where = options or ("--documents", sample / "documents")
        return run(
            "review", "sample", built_sample, "--table", table, "--n", 12, "--out", out, *where
        )

    return drawn


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_planted(row: dict[str, Any]) -> bool:
    return bool(key_of(row["sample"], row["number"], True) == row["key"])


@pytest.mark.parametrize("table", TABLES)
def test_rows_are_told_in_words_and_some_are_wrong(
    draw: Draw, built_sample: Path, tmp_path: Path, table: str
) -> None:
    done = draw(table, tmp_path / "a.jsonl")
    assert done.code == 0, done.err
    rows = rows_of(tmp_path / "a.jsonl")
    planted = [row for row in rows if is_planted(row)]
    snapshot = Snapshot(built_sample)
    places, claims = SnapshotPlaces(snapshot), read_claims(snapshot, table)
    true = {claim.row_id: say(claim, places) for claim in claims}
    assert len(planted) == 3
    assert len(rows) - 3 == min(12, len(claims))
    filled = tmp_path / "filled.jsonl"
    filled.write_text("".join(json.dumps({**r, "verdict": "unsure"}) + "\n" for r in rows), "utf-8")
    judged_rows = read_reading(filled).rows
    drawn = {row.row_id for row in judged_rows if not row.planted}
    if len(claims) > 100:
        assert not drawn & {row.row_id for row in judged_rows if row.planted}
    for judged, row in zip(judged_rows, rows, strict=True):
        assert judged.planted == is_planted(row)
        assert (row["claim"] == true[judged.row_id]) != judged.planted
        assert "poi_" not in row["claim"] + row["place"]
    if table in FROM_DOCUMENTS:
        assert all(row["passage"].count(">>") and row["document"] for row in rows)


def test_one_snapshot_gives_one_file(draw: Draw, sample: Path, tmp_path: Path) -> None:
    draw("poi_facts", tmp_path / "a.csv")
    draw("poi_facts", tmp_path / "b.csv")
    first = (tmp_path / "a.csv").read_bytes()
    assert (tmp_path / "b.csv").read_bytes() == first
    draw("poi_facts", tmp_path / "c.csv", "--seed", "x", "--documents", sample / "documents")
    assert (tmp_path / "c.csv").read_bytes() != first
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert (len(rows), tuple(rows[0])) == (15, COLUMNS)


def test_a_workspace_has_the_same_passages(built_sample: Path, draw: Draw, tmp_path: Path) -> None:
    workspace = built_sample.parents[1] / "work"
    draw("trajectories", tmp_path / "a.jsonl")
    draw("trajectories", tmp_path / "b.jsonl", "--workspace", workspace)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize("table", ["poi_mentions", "poi_facts", "poi_tags", "trajectories"])
def test_what_is_planted_stands_in_no_passage(built_sample: Path, sample: Path, table: str) -> None:
    snapshot = Snapshot(built_sample)
    places, passages = (
        SnapshotPlaces(snapshot),
        ClaimPassages(snapshot, DocumentTexts([sample / "documents"], None)),
    )
    claims = read_claims(snapshot, table)
    ids = snapshot.table("pois")["poi_id"].to_list()
    told = {poi: places.describe(poi) for poi in ids}
    planted = list(Planter(claims, places, passages, "x").plant(claims[:40]))
    assert len(planted) > 20
    of_row = {claim.row_id: claim for claim in claims}
    for wrong in planted:
        true = of_row[wrong.row_id]
        (part,) = (part for part in true.said if true.said[part] != wrong.said[part])
        if part == "poi_id":
            now = wrong.said["poi_id"]
            assert places.are_apart(true.said["poi_id"], now)
            assert places.name(now).split(" / ")[0] not in passages.of(wrong)[0]
        elif part == "value" and true.said["fact_field"] == "duration_hours":
            one, other = ({*map(float, c.said["value"].split("-"))} for c in (true, wrong))
            assert max(one) < min(other) or max(other) < min(one)
        else:
            assert part in ("value", "context_id", "day")
    assert {poi: places.describe(poi) for poi in ids} == told, "planting must leave no trace"


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ("queries", (), "no sample can be drawn from 'queries': choose one of"),
        ("poi_facts", ("--seed", "x"), "cannot be shown without the documents: use --documents"),
        ("poi_facts", ("--workspace", "nowhere"), "nowhere contains no documents"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(
    draw: Draw, tmp_path: Path, table: str, options: tuple[str, ...], message: str
) -> None:
    done = draw(table, tmp_path / "a.csv", *options)
    assert done.code == 2
    assert message in done.err


def test_documents_that_are_gone_or_others_are_said(draw: Draw, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "other.md").write_text("# Another\n\nText.\n", encoding="utf-8")
    done = draw("poi_facts", tmp_path / "a.csv", "--documents", folder)
    assert (done.code, "cannot be found: use --documents" in done.err) == (2, True)
    done = draw("poi_facts", tmp_path / "a.txt")
    assert (done.code, "the name of a sample file must end in .csv or .jsonl" in done.err) == (
        2,
        True,
    )
