"""Decisions of reviewers through whole rebuilds: they hold until what they rest on changes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from flows import reviewing
from tests.flows import running
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
            "build", *self.inputs.options(), *running.build_options(self.folder / "work", self.store)
        )  # fmt: skip
        assert done.code == 0, done.err
        latest = latest_snapshot(self.store)
        assert latest is not None
        assert validate(latest).passed
        return Snapshot(latest)

    def tasks(self) -> list[dict[str, str]]:
        target = self.folder / "tasks.csv"
        done = running.run("review", "export", self.store / "latest", "--to", target, "--sample", 500)  # fmt: skip
        assert done.code == 0, done.err
        with target.open(encoding="utf-8-sig", newline="") as handle:
            return list(csv.DictReader(handle))

    def decide(self, rows: list[dict[str, str]], **cells: str) -> str:
        filled = {"reviewer": "one", "decision": "reject", "decided_on": "2026-03-01", **cells}
        reviewing.write_csv([{**row, **filled} for row in rows], self.folder / "decided.csv")
        done = running.run("review", "import", self.folder / "decided.csv", "--out", self.store)
        assert done.code == 0, done.err
        return done.out


def _prices(snapshot: Snapshot) -> set[str]:
    rows = snapshot.table("poi_facts").filter(fact_field="ticket_price_cny", price_cents=7000)
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
    assert f"recorded only, to mend in its source: poi_mentions {mention['row_id']}" in said

    second = city.build()
    assert second.path != first.path
    assert not _prices(second) & told
    aside = second.table("quarantine").filter(check="review")
    assert set(aside["row_id"].to_list()) == told
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
    new = fourth.table("poi_facts").filter(fact_field="ticket_price_cny", price_cents=7500)
    assert new.height == 1
    asked = {row["row_id"] for row in city.tasks()}
    assert set(new["fact_id"].to_list()) <= asked
    left = set(fourth.table("review_decisions")["row_id"].to_list())
    assert left < {*told, mention["row_id"]}


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
