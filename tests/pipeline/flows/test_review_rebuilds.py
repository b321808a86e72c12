"""Decisions of reviewers through whole rebuilds: they hold until what they rest on changes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from flows.review import forms
from schemas.review import row_id
from schemas.tables import TABLES
from tests.support.flows import running
from validators.validate import validate
from warehouse.publish import latest_snapshot
from warehouse.read import Snapshot

pytestmark = pytest.mark.usefixtures("without_extras")


class City:
    """The small city, built again and again into one store."""

    def __init__(self, inputs: running.Inputs, folder: Path):
        self.inputs, self.folder, self.store = inputs, folder, folder / "out"

    def build(self) -> Snapshot:
        done = running.run(
            "build",
            *self.inputs.options(),
            *running.build_options(self.folder / "work", self.store),
        )
        assert done.code == 0, done.out[-3000:]
        latest = latest_snapshot(self.store)
        assert latest is not None
        assert validate(latest).passed
        return Snapshot(latest)

    def tasks(self) -> list[dict[str, str]]:
        target = self.folder / "tasks.csv"
        done = running.run(
            "review", "export", self.store / "latest", "--to", target, "--sample", 500
        )
        assert done.code == 0, done.out[-3000:]
        with target.open(encoding="utf-8-sig", newline="") as handle:
            return list(csv.DictReader(handle))

    def decide(self, rows: list[dict[str, str]], **cells: str) -> str:
        filled = {"reviewer": "one", "decision": "reject", "decided_on": "2026-03-01", **cells}
        forms.write_csv([{**row, **filled} for row in rows], self.folder / "decided.csv")
        done = running.run("review", "import", self.folder / "decided.csv", "--out", self.store)
        assert done.code == 0, done.out[-3000:]
        return done.out


def _prices(snapshot: Snapshot) -> set[str]:
    rows = snapshot.table("poi_facts").filter(fact_field="ticket_price", price_cents=7000)
    return set(rows["fact_id"].to_list())


def test_decisions_hold_through_rebuilds_until_their_fact_changes(
    small: running.Inputs, tmp_path: Path
) -> None:
    city = City(small, tmp_path)
    first = city.build()
    told = _prices(first)
    assert told
    tasks = city.tasks()
    rejected = [row for row in tasks if row["row_id"] in told]
    assert {row["row_id"] for row in rejected} == told
    mention = next(row for row in tasks if row["table"] == "poi_mentions")
    said = city.decide([*rejected, mention])
    assert "fix the row in its source" not in said

    second = city.build()
    assert second.path != first.path
    assert not _prices(second) & told
    aside = second.table("quarantine").filter(check="review")
    assert set(aside["row_id"].to_list()) == {*told, mention["row_id"]}
    assert mention["row_id"] not in _ids(second, "poi_mentions")
    held = second.table("review_decisions")
    assert set(held["row_id"].to_list()) == {*told, mention["row_id"]}
    # What is decided is not asked again.
    assert not {row["row_id"] for row in city.tasks()} & {*told, mention["row_id"]}

    # Another document changes much, but nothing that the decisions rest on.
    extra = running.PAGES["spring.md"].replace("春天", "夏天").replace("青石园,门票70元", "青石园")
    (small.documents / "summer.md").write_text(extra, encoding="utf-8")
    third = city.build()
    assert third.table("documents").height == second.table("documents").height + 1
    assert not _prices(third) & told

    # The source says another price now: the old decision is about a row that is no more.
    gazetteer = small.tables / "gazetteer.csv"
    gazetteer.write_text(
        running.GAZETTEER.replace("120.6250,70", "120.6250,75"), encoding="utf-8"
    )  # fmt: skip
    fourth = city.build()
    new = fourth.table("poi_facts").filter(fact_field="ticket_price", price_cents=7500)
    assert new.height == 1
    asked = {row["row_id"] for row in city.tasks()}
    assert set(new["fact_id"].to_list()) <= asked
    left = set(fourth.table("review_decisions")["row_id"].to_list())
    assert left < {*told, mention["row_id"]}


def _ids(snapshot: Snapshot, table: str) -> set[str]:
    return {row_id(table, row) for row in snapshot.table(table).to_dicts()}


def _academy(snapshot: Snapshot) -> str:
    """The place that one route names on its second day, between two others."""
    return str(snapshot.table("pois").filter(name_zh="听枫书院")["poi_id"].item())


def _second_day(snapshot: Snapshot, visits: str) -> list[str]:
    trips = snapshot.table("trajectories").sort("n_visits")[visits].to_list()
    return [stop["name"] for stop in trips[-1] if stop["day"] == 2]


def test_a_rejected_place_leaves_with_all_that_stands_on_it(
    small: running.Inputs, tmp_path: Path
) -> None:
    city = City(small, tmp_path)
    first = city.build()
    academy = _academy(first)
    assert _second_day(first, "clean_visits") == ["湖东博物馆", "听枫书院", "柳浜码头"]
    city.decide([t for t in city.tasks() if t["row_id"] == academy], reason="closed for good")

    second = city.build()
    for table in TABLES.values():
        columns = {"poi_id", "from_id", "to_id", "parent_poi_id"} & {*table.column_names}
        for column in columns:
            assert academy not in second.table(table.name)[column].to_list(), table.name
    # The route still says what the document says; its clean form says why a stop is gone.
    assert _second_day(second, "noisy_visits") == ["湖东博物馆", "听枫书院", "柳浜码头"]
    assert _second_day(second, "clean_visits") == ["湖东博物馆", "柳浜码头"]
    edits = [edit for row in second.table("trajectories")["edits"].to_list() for edit in row]
    (gone,) = [edit for edit in edits if edit["name"] == "听枫书院"]
    assert (gone["op"], gone["reason"]) == ("remove", "rejected by reviewers: closed for good")
    aside = second.table("quarantine").filter(check="review")
    said = dict(aside.select("table", "message").iter_rows())
    assert said["pois"] == "rejected by reviewers: closed for good"
    assert said["poi_facts"] == "its place was rejected by reviewers: closed for good"
    lost = second.table("poi_mentions").filter(name="听枫书院")
    assert lost["resolution"].to_list() == ["unresolved"]
    assert _ids(first, "pois") - _ids(second, "pois") == {academy}
    # The decision stays with the snapshot, and nobody is asked again.
    assert second.table("review_decisions")["row_id"].to_list() == [academy]
    assert academy not in {task["row_id"] for task in city.tasks()}

    # The source says something else of the place now: it is back, and asked about.
    gazetteer = small.tables / "gazetteer.csv"
    gazetteer.write_text(running.GAZETTEER.replace("31.3100", "31.3110"), encoding="utf-8")
    third = city.build()
    assert _academy(third) == academy
    assert third.table("review_decisions").is_empty()
    assert academy in {task["row_id"] for task in city.tasks()}
    assert _second_day(third, "clean_visits") == ["湖东博物馆", "听枫书院", "柳浜码头"]


def test_a_rejected_mention_leaves_its_route(small: running.Inputs, tmp_path: Path) -> None:
    city = City(small, tmp_path)
    first = city.build()
    mention = first.table("poi_mentions").filter(name="听枫书院")
    where = row_id("poi_mentions", mention.row(0, named=True))
    city.decide([t for t in city.tasks() if t["row_id"] == where], reason="a shop of that name")
    second = city.build()
    assert _academy(second) == _academy(first), "the place itself stays"
    assert where not in _ids(second, "poi_mentions")
    assert _second_day(second, "noisy_visits") == ["湖东博物馆", "听枫书院", "柳浜码头"]
    assert _second_day(second, "clean_visits") == ["湖东博物馆", "柳浜码头"]
    counts = second.table("pois").filter(name_zh="听枫书院")
    assert (counts["n_mentions"].item(), counts["n_documents"].item()) == (0, 0)
    aside = second.table("quarantine").filter(check="review")
    assert aside.select("table", "row_id", "message").rows() == [
        ("poi_mentions", where, "rejected by reviewers: a shop of that name")
    ]


def test_two_reviewers_are_compared_and_a_tie_changes_nothing(
    small: running.Inputs, tmp_path: Path
) -> None:
    city = City(small, tmp_path)
    told = _prices(city.build())
    rows = [row for row in city.tasks() if row["row_id"] in told]
    city.decide(rows)
    said = city.decide(rows, reviewer="two", decision="accept")
    assert f"one/two: kappa 0.0 over {len(rows)} rows" in said
    snapshot = city.build()
    assert _prices(snapshot) == told
    assert snapshot.table("review_decisions").height == 2 * len(rows)
