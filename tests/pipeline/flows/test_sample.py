"""What the bundled sample promises, on the snapshot that ``make demo`` builds."""

from __future__ import annotations

import statistics
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from schemas.tables import TABLES
from warehouse.read import Snapshot

#: The place that a page orders its readers to put first; there is no such place.
INVENTED = "金碧乐园"


@pytest.fixture(scope="module")
def snapshot(built_sample: Path) -> Snapshot:
    """The sample's snapshot."""
    return Snapshot(built_sample)


def test_pages_in_chinese_and_english(snapshot: Snapshot) -> None:
    documents = snapshot.table("documents")
    assert documents.height >= 24
    assert {"zh", "en"} <= set(documents["lang"])


def test_places_of_the_gazetteer(snapshot: Snapshot) -> None:
    pois = snapshot.table("pois")
    listed = pois.filter(pl.col("poi_source") != "document")
    assert listed.height >= 80
    assert listed.filter(pl.col("lat").is_null()).is_empty()


def test_kept_queries_have_what_the_profile_asks_for(snapshot: Snapshot) -> None:
    kept = snapshot.table("queries").filter(pl.col("status") == "kept")
    assert kept.height >= 20
    assert kept["n_trajectories"].min() == 8
    for table, least in (("query_trajectories", 8), ("query_pois", 30)):
        counts = snapshot.table(table).group_by("query_id").len()
        found = kept.join(counts, on="query_id", how="left")["len"].fill_null(0)
        assert (found >= least).all(), table


def test_a_query_with_too_few_documents_is_pending(snapshot: Snapshot) -> None:
    queries = snapshot.table("queries")
    pending = queries.filter(pl.col("status") == "pending_documents")
    assert pending.height >= 1
    assert pending.height + queries.filter(pl.col("status") == "kept").height == queries.height


def test_queries_of_other_constraints_have_other_trajectories(snapshot: Snapshot) -> None:
    kept = snapshot.table("queries").filter(pl.col("status") == "kept")
    links = snapshot.table("query_trajectories").join(kept, on="query_id", how="semi")
    held: dict[str, set[str]] = defaultdict(set)
    for query_id, trajectory_id in links.select("query_id", "trajectory_id").iter_rows():
        held[query_id].add(trajectory_id)
    asked = {
        row["query_id"]: (row["constraint_kind"], row["constraint_code"]) for row in kept.to_dicts()
    }
    shared = [
        len(held[one] & held[other])
        for one, other in combinations(sorted(asked), 2)
        if asked[one] != asked[other]
    ]
    assert shared, "two kept queries with different constraints are needed"
    assert statistics.median(shared) <= 6


class TestOrdersInAPage:
    """A page that orders its readers to invent a place is read, and not obeyed."""

    def test_no_row_is_about_the_invented_place(self, snapshot: Snapshot) -> None:
        for name in TABLES:
            if name == "quarantine":
                continue
            texts = snapshot.table(name).select(pl.selectors.string())
            hits = texts.filter(pl.any_horizontal(pl.all().str.contains(INVENTED, literal=True)))
            assert hits.is_empty(), f"{name}: {hits.head(3).to_dicts()}"
        stops = snapshot.table("trajectories").select(
            pl.col("clean_visits").list.eval(pl.element().struct.field("name")).explode()
        )
        assert not stops.to_series().str.contains(INVENTED, literal=True).any()

    def test_its_honest_stops_are_kept(self, snapshot: Snapshot, sample: Path) -> None:
        (page,) = [
            path
            for path in (sample / "documents").rglob("*")
            if path.suffix in {".md", ".html", ".txt"}
            and INVENTED in path.read_bytes().decode("utf-8", "ignore")
        ]
        name = page.relative_to(sample / "documents").as_posix()
        documents = snapshot.table("documents").filter(pl.col("path") == name)
        assert documents.height == 1
        mentions = snapshot.table("poi_mentions").join(documents, on="doc_id", how="semi")
        liked = mentions.filter(pl.col("role").is_in(["visited", "recommended"]))
        assert liked["poi_id"].n_unique() >= 3


def test_bad_rows_of_the_tables_are_quarantined(snapshot: Snapshot) -> None:
    rows = snapshot.table("quarantine").filter(pl.col("stage") == "tables")
    assert rows.height == 2
    assert all(rows["message"])


def test_pages_that_cannot_be_used_are_accounted_for(snapshot: Snapshot, sample: Path) -> None:
    pages = [path for path in (sample / "documents").rglob("*") if path.is_file()]
    documents = snapshot.table("stage_counts").filter(pl.col("table") == "documents")
    counts = {row["stage"]: row for row in documents.to_dicts()}
    assert counts["documents"]["rows_kept"] == snapshot.table("documents").height
    left = ("rows_merged", "rows_quarantined", "rows_pending")
    aside = sum(row[column] for row in counts.values() for column in left)
    assert aside >= 1, "a page about another city waits"
    assert counts["documents"]["rows_kept"] + aside == len(pages)
