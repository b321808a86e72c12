"""Decisions made at the desk through whole rebuilds:
they are applied, and survive new documents.
"""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from flows.review import forms
from flows.review.desk.desk import ReviewAnswer, ReviewDesk
from flows.review.desk.queue import QueueRow, queue
from flows.review.store import DECISIONS_FILE, list_decisions
from tests.support.flows import running
from tests.support.flows.builds import Built
from validators.validate import validate
from warehouse.publish import latest_snapshot
from warehouse.read import Snapshot

pytestmark = pytest.mark.usefixtures("without_extras")


class Store:
    """A store that is built into again and again, and desks at its latest snapshot."""

    def __init__(self, out: Path, options: list[str], workspace: Path):
        self.out, self._options, self._workspace = out, options, workspace

    def build(self) -> Snapshot:
        done = running.run(
            "build", *self._options, *running.build_options(self._workspace, self.out)
        )
        assert done.code == 0, done.err[-3000:]
        snapshot = self.latest()
        assert validate(snapshot.path).passed
        return snapshot

    def latest(self) -> Snapshot:
        latest = latest_snapshot(self.out)
        assert latest is not None
        return Snapshot(latest)

    def decide(self, kind: str, number: int, answer: ReviewAnswer, reader: str = "one") -> None:
        items = queue(self.latest(), kind, None, None)
        ReviewDesk(items, self.out, None).decide(reader, number, answer, None)


@pytest.fixture
def small_store(small_copy: Built) -> Store:
    return Store(small_copy.out, small_copy.inputs.options(), small_copy.workspace)


def number_of(snapshot: Snapshot, kind: str, table: str, **said: object) -> int:
    found = [
        n for n, item in enumerate(queue(snapshot, kind, None, None))
        if item.table == table and all(item.row[column] == value for column, value in said.items())
    ]  # fmt: skip
    return found[0]


def poi(snapshot: Snapshot, name: str) -> str:
    return str(snapshot.table("pois").filter(name_zh=name)["poi_id"].item())


def stops(snapshot: Snapshot) -> set[str]:
    trips = snapshot.table("trajectories")["clean_visits"].to_list()
    return {stop["name"] for trip in trips for stop in trip}


def test_a_link_is_what_its_reader_said(small_store: Store) -> None:
    before = small_store.latest()
    tower, museum = poi(before, "云岩塔"), poi(before, "湖东博物馆")
    linked = {"poi_id": tower, "name": "云岩塔"}
    small_store.decide(
        "links", number_of(before, "links", "links", **linked), ReviewAnswer("same_as", museum)
    )
    elsewhere = number_of(before, "links", "links", name="听枫书院")
    small_store.decide("links", elsewhere, ReviewAnswer("not_here"))
    after = small_store.build()
    row = after.table("links").filter(name="云岩塔").row(0, named=True)
    assert (row["poi_id"], row["margin"]) == (museum, 100)
    assert row["why"].startswith("as reviewed, rejected by reviewers: same as poi_")
    assert after.table("links").filter(name="听枫书院").is_empty()
    gone = after.table("unlinked_names").filter(name="听枫书院").row(0, named=True)
    assert (gone["unlinked_as"], gone["why"]) == ("unknown", "rejected by reviewers: not here")
    # The other document's name of the tower is another row, and stays.
    assert tower in after.table("links")["poi_id"].to_list()
    assert len(list_decisions(small_store.out, None)) == 2


def test_names_of_a_place_follow_it(small_store: Store) -> None:
    before = small_store.latest()
    wharf, academy = poi(before, "柳浜码头"), poi(before, "听枫书院")
    named = before.table("poi_mentions").filter(poi_id=wharf).height
    small_store.decide(
        "places",
        number_of(before, "places", "pois", poi_id=wharf),
        ReviewAnswer("same_as", academy),
    )
    after = small_store.build()
    assert wharf not in after.table("pois")["poi_id"].to_list()
    mentioned = after.table("poi_mentions").filter(poi_id=academy)
    assert named > 0
    assert mentioned.height == before.table("poi_mentions").filter(poi_id=academy).height + named
    assert "柳浜码头" not in stops(after)
    assert after.table("links").filter(name="柳浜码头")["poi_id"].to_list() == [academy]


def test_spreadsheets_and_the_page_share_one_file(small_store: Store, tmp_path: Path) -> None:
    snapshot = small_store.latest()
    target = tmp_path / "tasks.csv"
    asked = ("review", "export", snapshot.path, "--to", target, "--sample", 500)
    assert running.run(*asked).code == 0
    with target.open(encoding="utf-8-sig", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["table"] == "poi_facts"]
    filled = {"reviewer": "two", "decision": "reject", "decided_on": "2026-03-01"}
    forms.write_csv([{**row, **filled} for row in rows], target)
    running.run("review", "import", target, "--out", small_store.out)
    items = queue(snapshot, "facts", None, None)
    desk = ReviewDesk(items, small_store.out, None)
    assert desk.marks("two") == "w" * len(items)
    for number in range(len(items)):
        desk.decide("one", number, ReviewAnswer("wrong" if number else "right"), None)
    (agreed,) = desk.agreement("one")
    assert agreed["share"] == (len(items) - 1) / len(items)
    said = running.run("review", "import", target, "--out", small_store.out).out
    assert f"one/two: kappa {round(agreed['kappa'], 3)} over {len(items)} rows" in said
    # What was decided on the page is not asked again in a spreadsheet.
    assert running.run(*asked).code == 0
    with target.open(encoding="utf-8-sig", newline="") as handle:
        assert not [row for row in csv.DictReader(handle) if row["table"] == "poi_facts"]


def test_decisions_survive_changed_documents(
    built_sample: Path, sample: Path, tmp_path: Path
) -> None:
    folder = built_sample.parents[1]
    for name in ("out", "work"):
        shutil.copytree(folder / name, tmp_path / name, symlinks=True)
    documents = Path(shutil.copytree(sample / "documents", tmp_path / "documents"))
    store = Store(
        tmp_path / "out",
        [
            "--city",
            "hangzhou",
            "--documents",
            str(documents),
            "--tables",
            str(sample / "tables"),
            "--profile",
            "demo",
        ],
        tmp_path / "work",
    )
    items = queue(store.latest(), "links", 60, None)
    desk = ReviewDesk(items, store.out, None)
    for number in range(len(items)):
        desk.decide("one", number, ReviewAnswer("wrong" if number % 10 == 0 else "right"), None)
    kept = (store.out / DECISIONS_FILE).read_bytes()

    pages = sorted(documents.rglob("*.md"))
    changed = [page for page in pages if page.name.startswith(("0", "1"))]
    for page in changed:
        page.write_text(page.read_text("utf-8") + "\n\n写于杭州。\n", encoding="utf-8")
    (documents / "new.md").write_text(running.PAGES["spring.md"].replace("苏州", "杭州"), "utf-8")
    after = store.build()

    assert (store.out / DECISIONS_FILE).read_bytes() == kept, "a build changes no decision"
    same = set(after.table("documents")["doc_id"].to_list())
    held = [n for n, item in enumerate(items) if item.row["doc_id"] in same]
    assert 0 < len(held) < len(items)
    rows = queue(after, "links", None, None)
    again = {item.row_id: n for n, item in enumerate(rows)}
    marks = ReviewDesk(rows, store.out, None).marks("one")
    for number in held:
        _holds(items[number], number, again, marks, rows)


def _holds(
    item: QueueRow, number: int, again: dict[str, int], marks: str, rows: list[QueueRow]
) -> None:
    """A row that was right is still decided; a link that was wrong is another row."""
    now = rows[again[item.row_id]]
    if number % 10:
        assert marks[again[item.row_id]] == "r"
    elif item.table == "links":
        assert (now.table, now.row.get("poi_id")) != ("links", item.row["poi_id"])
