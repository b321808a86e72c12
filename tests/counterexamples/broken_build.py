"""Ways to break what is computed again, what a build promises as a whole, and ways to drift."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from schemas.ids import digest
from tests.counterexamples import good
from tests.counterexamples.breaking import Case, Change, OnFiles, add, both, every, find, put
from tests.counterexamples.broken_structure import LAKE, fails, settings_with
from tests.counterexamples.good import A, Book, fact_id, table_evidence
from tests.counterexamples.good_tables import set_aside_id
from warehouse.card import dataset_card
from warehouse.manifest import read_manifest
from warehouse.read import Snapshot, count_sources

GENERIC = f"tprag-{A.slug}-3d"
FIRST_STAY = fact_id(A, "lake", "duration_hours")


def _one_restaurant_of_another_system(book: Book) -> None:
    """Two rows of one file in WGS 84, one in another system."""
    third = {
        **find(book, "restaurants"),
        "restaurant_id": "rest_third",
        "datum_original": "bd09",
        "source_line": 77,
    }
    add("restaurants", {}, **third)(book)


def _dated(years: int, rows: int) -> Change:
    """So many more documents, each a year older than the one before, down to ``years``."""

    def change(book: Book) -> None:
        first = find(book, "documents")
        for number in range(rows):
            date = first["published_on"].replace(year=first["published_on"].year - years)
            made = {"doc_id": f"d{number:020x}", "path": f"old/{number}.md", "published_on": date}
            add("documents", {}, **made)(book)

    return change


def _stays(different: int) -> Change:
    """Stays of 24 places, of so many values."""

    def change(book: Book) -> None:
        for number in range(24):
            hours = 2 + number % different
            # Twenty-four statements a place would be the same place: each names its own.
            place = book["pois"][A.slug][number % 10]["poi_id"]
            value, when = str(hours), f"always {number}"
            proof = book["pois"][A.slug][number % 10]["evidence_id"]
            made = digest(place, "duration_hours", when, value, proof)
            add(
                "poi_facts", {"fact_id": FIRST_STAY}, fact_id=f"fact_{made}", poi_id=place,
                valid_when=when, value=value, evidence_id=proof,
                duration_min_min=hours * 60, duration_max_min=hours * 60,
            )(book)  # fmt: skip

    return change


def _reviews(agreeing: int, differing: int) -> Change:
    """Decisions of two reviewers on the same rows; half are accepted."""

    def change(book: Book) -> None:
        for number in range(agreeing + differing):
            one = "accept" if number % 2 else "reject"
            other = one if number < agreeing else ("reject" if one == "accept" else "accept")
            for reviewer, decision in (("one", one), ("two", other)):
                add(
                    "review_decisions", {}, decision_id=f"r_{reviewer}_{number}",
                    row_id=f"row_{number}", reviewer=reviewer, decision=decision,
                )(book)  # fmt: skip

    return change


def _objecting(book: Book) -> None:
    """Both accept all rows but one, which one of them rejects: a kappa of 0."""
    for number in range(12):
        for reviewer in ("one", "two"):
            decision = "reject" if (reviewer, number) == ("two", 0) else "accept"
            add(
                "review_decisions", {}, decision_id=f"r_{reviewer}_{number}",
                row_id=f"row_{number}", reviewer=reviewer, decision=decision,
            )(book)  # fmt: skip


def _cost(text: str) -> OnFiles:
    def on_files(snapshot: Path) -> None:
        (snapshot / "run.json").write_text(text, encoding="utf-8")

    return on_files


def _sources(**told: Any) -> OnFiles:
    """The manifest counts its sources, and of one kind otherwise than they are."""

    def on_files(snapshot: Path) -> None:
        path = snapshot / "manifest.json"
        manifest = json.loads(path.read_text(encoding="utf-8"))
        real = count_sources(Snapshot(snapshot).table).model_dump()
        path.unlink()
        path.write_text(json.dumps({**manifest, "sources": real}), encoding="utf-8")
        card = dataset_card(read_manifest(snapshot))
        (snapshot / "README.md").write_text(card, encoding="utf-8")
        path.write_text(json.dumps({**manifest, "sources": {**real, **told}}), encoding="utf-8")

    return on_files


def _card(before: str, after: str) -> OnFiles:
    """The card says something else than the tables."""

    def on_files(snapshot: Path) -> None:
        _sources()(snapshot)
        card = snapshot / "README.md"
        text, made = re.subn(before, after, card.read_text(encoding="utf-8"), count=1)
        assert made
        card.write_text(text, encoding="utf-8")

    return on_files


def _half_of(table: str) -> Change:
    def change(book: Book) -> None:
        book[table][A.slug] = book[table][A.slug][::2]

    return change


def _labelled(poi: str, n_days: int, label: int) -> Change:
    return put("clusters", {"poi_id": poi, "n_days_planned": n_days}, cluster=label)


def _budget(limit: float) -> dict[str, Any]:
    return settings_with(gates={"quarantine_share": 0.3, "budget_usd": limit})


HILL, PIER = A.poi("hill"), A.poi("pier")
ONE_CENT = json.dumps({"cost_usd": 0.01})


def _spread(column: str, value: float, rows: int) -> Change:
    """So many of the places that tables gave have another value."""

    def change(book: Book) -> None:
        places = [row for row in book["pois"][A.slug] if row["poi_source"] == "table"]
        for row in places[:rows]:
            row[column] = value

    return change


def _moved(metres_north: float) -> Change:
    """Every place lies so far from where it was."""
    return every("pois", lambda row: {"lat": row["lat"] and row["lat"] + metres_north / 111_195})


def _disbelieved(ratings: int) -> Change:
    """Of the 40 rows of hotels so many had a rating that is none."""
    return add(
        "findings", {}, table="hotels", finding="rating_range", n_rows=ratings,
        message="mark, such as: rating 60 is not between 0 and 5; the rating is unknown",
    )  # fmt: skip


OTHER_READERS = good.settings_of(good.PROFILE, {**good.READERS, "hotels": "tables 2"})
CASES = [
    Case(
        "a licence that no document states",
        None,
        fails(("sources_counted", "manifest", "sources", "documents_by_licence")),
        on_files=_sources(documents_by_licence={"CC0": 6}),
    ),
    Case(
        "a card that counts a document for each city",
        None,
        fails(("card_figures", "manifest", "README.md", "distinct documents")),
        on_files=_card(r"(distinct documents) \| \d+", r"\1 | 999"),
    ),
    Case(
        "a card with another figure beside a paper's",
        None,
        fails(("card_figures", "manifest", "README.md", "queries")),
        on_files=_card(r"Not counted\.", "| queries | table 3 | 2,348 | 7,000 |"),
    ),
    Case(
        "a card with a figure that nobody counts",
        None,
        fails(("card_figures", "manifest", "README.md", "free to use, by 12.")),
        on_files=_card(r"free to use\.", "free to use, by 12."),
    ),
    # Computed again
    Case(
        "a queue of another length",
        put("queue_parameters", {"key": "garden"}, None, metric_value=30.0),
        fails(("parameters", "queue_parameters", "metric_value", "base_min/garden")),
    ),
    Case(
        "a pace in another unit",
        put("density_baseline", {"parameter": "mean", "key": "slow"}, None, unit="day"),
        fails(("parameters", "density_baseline", "metric_value", "mean/slow")),
    ),
    Case(
        "more hotels counted than there are",
        put("city_stats", {}, metric_value=3.0, n_rows=3),
        fails(
            ("city_stats", "city_stats", "metric_value", f"{A.city_id}/count_hotels/rows"),
            ("city_stats", "city_stats", "n_rows", f"{A.city_id}/count_hotels/rows"),
        ),
    ),
    Case(
        "a meal price of no meal",
        add("city_stats", {}, metric="meal_price_p50", metric_value=3600.0, unit="cent of CNY"),
        fails(
            ("city_stats", "city_stats", "metric_value", f"{A.city_id}/meal_price_p50/cent of CNY")
        ),
    ),
    Case(
        "a fare below every train's",
        add(
            "city_stats",
            {},
            metric="train_price_min",
            metric_value=1.0,
            unit="cent of CNY",
            n_rows=4,
        ),
        fails(
            ("city_stats", "city_stats", "metric_value", f"{A.city_id}/train_price_min/cent of CNY")
        ),
    ),
    Case(
        "a far place in a cluster",
        _labelled(HILL, 4, 1),
        fails(("cluster_links", "clusters", "cluster", f"{A.city_id}/4/{HILL}")),
    ),
    Case(
        "noise amid its neighbours",
        _labelled(PIER, 5, -1),
        fails(
            ("cluster_links", "clusters", "cluster", f"{A.city_id}/5/{PIER}"),
            *(
                ("cluster_links", "clusters", "cluster", f"{A.city_id}/5/{A.poi(name)}")
                for name in ("dike", "mill", "reeds")
                if A.poi(name) < PIER
            ),
        ),
    ),
    Case(
        "an alias of another place's row",
        put("poi_aliases", {"alias": "镜湖"}, evidence_id=table_evidence(A, 4)),
        fails(("table_rows", "poi_aliases", "evidence_id", f"{LAKE}/镜湖")),
    ),
    Case(
        "a document twice in a list",
        add("query_documents", {"query_id": GENERIC, "purpose": "route", "rank": 2}, rank=3),
        fails(
            *(
                ("found_once", "query_documents", "doc_id", f"{GENERIC}/route/{rank}")
                for rank in (2, 3)
            )
        ),
    ),
    Case(
        "a set-aside row under another id",
        put("quarantine", {}, quarantine_id=set_aside_id(A, "hotels.csv:8")),
        fails(("quarantine_ids", "quarantine", "quarantine_id", set_aside_id(A, "hotels.csv:8"))),
    ),
    Case(
        "a Chinese alias called English",
        put("poi_aliases", {"alias": "镜湖"}, lang="en"),
        fails(("languages", "poi_aliases", "lang", f"{LAKE}/镜湖")),
    ),
    # The build as a whole
    Case(
        "a stratum of other days",
        put("queries", {"query_id": GENERIC}, stratum="generic/generic-4d"),
        fails(("strata", "queries", "stratum", GENERIC)),
    ),
    Case(
        "a length of trip that nobody planned",
        None,
        fails(
            *(
                ("strata", "queries", "stratum", f"{town}/{stratum}")
                for town in ("bihe", "songlin")
                for stratum in ("season/autumn", "generic/None")
            )
        ),
        settings=settings_with(queries={"days": [None, 3, 2]}),
    ),
    Case(
        "one stay for all",
        _stays(1),
        fails(("filler", "poi_facts", "value", f"{A.city_id}/duration_hours")),
    ),
    Case(
        "one row of another system",
        _one_restaurant_of_another_system,
        fails(("datum_mixture", "restaurants", "datum_original", "rest_third")),
    ),
    Case(
        "documents of another decade",
        _dated(12, 12),
        fails(("document_age", "documents", "published_on", A.city_id)),
    ),
    Case(
        "above the budget",
        None,
        fails(("budget", "run", "cost_usd", "run.json")),
        on_files=_cost('{"cost_usd": 0.02}'),
        settings=_budget(0.01),
    ),
    Case(
        "a cost that nobody knows",
        None,
        fails(("budget", "run", "cost_usd", "run.json")),
        on_files=_cost("{"),
        settings=_budget(0.01),
    ),
    Case(
        "reviewers who guess",
        _reviews(6, 6),
        fails(("reviewer_agreement", "review_decisions", "decision", "one/two")),
    ),
    # Drift: the snapshot before is another one
    Case(
        "a table that is empty now",
        lambda book: book["poi_hierarchy"][A.slug].clear(),
        fails(
            ("drift_emptied", "poi_hierarchy", "rows", A.slug),
            ("published_rows", "stage_counts", "rows_kept", f"{A.city_id}/control/poi_hierarchy"),
        ),
        before=lambda book: None,
    ),
    Case(
        "twice as many rows",
        None,
        fails(("drift_rows", "distances", "rows", A.slug)),
        before=_half_of("distances"),
    ),
    Case(
        "values that nobody knows now",
        None,
        fails(("drift_known", "evidence", "quote", A.slug)),
        before=every("evidence", lambda row: {"quote": "x"}),
    ),
    Case(
        "ratings that jumped",
        None,
        fails(("source_change", "attractions", "rating", f"{A.slug}/jumps")),
        before=_spread("rating", 1.0, 2),
    ),
    Case(
        "places that moved",
        None,
        fails(("source_change_refused", "attractions", "lat", f"{A.slug}/place")),
        before=_moved(900),
    ),
    Case(
        "ratings of which a third is not believed",
        _disbelieved(16),
        fails(("source_values", "hotels", "rating", f"{A.slug}/doubted")),
    ),
    Case(
        "ratings that nobody believes",
        _disbelieved(40),
        fails(("source_values_refused", "hotels", "rating", f"{A.slug}/doubted")),
    ),
    Case(
        "another reader of hotels",
        None,
        fails(*(("source_baseline", "hotels", "readers", town) for town in ("bihe", "songlin"))),
        before=lambda book: None,
        settings=OTHER_READERS,
    ),
    Case(
        "distances of another order",
        None,
        fails(("drift_shares", "distances", "distance_m", A.slug)),
        before=every("distances", lambda row: {"distance_m": row["distance_m"] * 10}),
    ),
]


NEAR_MISSES = [
    Case("an alias in both scripts", put("poi_aliases", {"alias": "镜湖"}, alias="镜湖 Lake")),
    Case("sources counted as they are", None, on_files=_sources()),
    Case("a card in other words", None, on_files=_card(r"free to use\.", "free for everybody.")),
    Case(
        "a metric that no table gives",
        add("city_stats", {}, metric="ticket_price_p50", metric_value=12.5, unit="cent of CNY"),
    ),
    Case(
        "a meal price between two",
        add(
            "city_stats",
            {},
            metric="meal_price_p50",
            metric_value=3500.0,
            unit="cent of CNY",
            n_rows=2,
        ),
    ),
    Case(
        "a document for two purposes",
        put("query_documents", {"query_id": GENERIC, "purpose": "poi"}, doc_id=A.doc("route_en")),
    ),
    Case(
        "a row set aside twice",
        both(
            add("quarantine", {}, quarantine_id=set_aside_id(A, check="limits:1")),
            put(
                "stage_counts",
                {"stage": "tables", "table": "hotels"},
                rows_quarantined=2,
                rows_merged=36,
            ),
        ),
    ),
    Case("stays of three lengths", _stays(3)),
    Case(
        "the other half of another system",
        put(
            "restaurants",
            {"restaurant_id": f"rest_{A.slug}_2"},
            datum_original="gcj02",
            source_file="other.csv",
        ),
    ),
    Case("documents of a few years", _dated(9, 12)),
    Case("all of the budget", None, on_files=_cost(ONE_CENT), settings=_budget(0.01)),
    Case("reviewers who mostly agree", _reviews(11, 1)),
    Case("reviewers of whom one objects once", _objecting),
    Case("a few decisions to the contrary", _reviews(0, 4)),
    Case("the same as before", None, before=lambda book: None),
    Case("a rating that jumped", None, before=put("pois", {"poi_id": A.poi("pier")}, rating=1.0)),
    Case("places that moved across the street", None, before=_moved(40)),
    Case("a few ratings that are not believed", _disbelieved(6)),
    Case("a few rows more", None, before=lambda book: book["distances"][A.slug].pop()),
    Case(
        "a table that was empty before",
        None,
        before=lambda book: book["poi_hierarchy"][A.slug].clear(),
    ),
]
