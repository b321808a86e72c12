"""Ways to break files, schemas, keys, contracts, references and partitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.counterexamples import good
from tests.counterexamples.breaking import (
    Case,
    Failure,
    add,
    both,
    drop,
    edited,
    find,
    put,
    rewritten,
)
from tests.counterexamples.good import A, B, Book, fact_id
from warehouse.candidate import partition_path

LAKE, TEMPLE, PARK, STREET = (A.poi(name) for name in ("lake", "temple", "park", "street"))
LAKE_ROW, PARK_ROW = {"poi_id": LAKE}, {"poi_id": PARK}
HOTEL, HOTEL_ROW = f"hotel_{A.slug}_1", {"hotel_id": f"hotel_{A.slug}_1"}
POIS, HOTELS = partition_path("pois", A.slug), partition_path("hotels", A.slug)
GENERIC = f"tprag-{A.slug}-3d"
TRAIN = good.connection_id(A, B)
UNKNOWN_POI = "poi_" + "0" * 16


def fails(*failures: Failure) -> frozenset[Failure]:
    """The failures that a case must raise, no more and no fewer."""
    return frozenset(failures)


def _manifest(**changes: Any) -> Any:
    """Files untouched, the manifest's entry of the table ``hotels`` edited."""

    def on_files(snapshot: Path) -> None:
        path = snapshot / "manifest.json"
        manifest = json.loads(path.read_text(encoding="utf-8"))
        manifest["tables"]["hotels"]["files"][0].update(changes)
        path.unlink()
        path.write_text(json.dumps(manifest), encoding="utf-8")

    return on_files


def _remove(path: str) -> Any:
    return lambda snapshot: (snapshot / path).unlink()


def _stray(snapshot: Path) -> None:
    (snapshot / "data" / "pois" / "notes.txt").write_text("left by hand", encoding="utf-8")


def _linked(snapshot: Path) -> None:
    folder = (snapshot / HOTELS).parent
    moved = snapshot / "elsewhere"
    folder.rename(moved)
    folder.symlink_to(moved)


def settings_with(**profile: Any) -> dict[str, Any]:
    return good.settings_of({**good.PROFILE, **profile})


def _move_to_other_city(book: Book) -> None:
    row = find(book, "city_stats")
    book["city_stats"][A.slug].remove(row)
    book["city_stats"][B.slug].append({**row, "metric": "count_b"})


def _reversed(rows: pa.Table) -> pa.Table:
    return rows.take(list(range(rows.num_rows))[::-1])


def _with_null(rows: pa.Table) -> pa.Table:
    loose = rows.cast(pa.schema([field.with_nullable(True) for field in rows.schema]))
    at = loose.schema.get_field_index("name_zh_origin")
    values = loose.column(at).to_pylist()
    values[0] = None
    return loose.set_column(at, loose.schema.field(at), pa.array(values, pa.string()))


_FIRST_POI = min(A.poi(name) for name in good.PLACES)
_LAST_POI = max(A.poi(name) for name in good.PLACES)

CASES = [
    # Files
    Case(
        "a byte flipped",
        None,
        fails(("files", "hotels", "file", HOTELS)),
        edited(HOTELS, lambda b: b[:60] + bytes([b[60] ^ 1]) + b[61:]),
    ),
    Case(
        "a file cut short",
        None,
        fails(("files", "pois", "file", POIS)),
        edited(POIS, lambda b: b[:-9]),
    ),
    Case(
        "a zip in place of Parquet",
        None,
        fails(("files", "pois", "file", POIS)),
        edited(POIS, lambda b: b"PK\x03\x04" + b[4:]),
    ),
    Case("a file lost", None, fails(("files", "hotels", "file", HOTELS)), _remove(HOTELS)),
    Case(
        "a file that nobody listed",
        None,
        fails(("files", "pois", "file", "data/pois/notes.txt")),
        _stray,
    ),
    Case(
        "a folder that is a link",
        None,
        fails(
            ("files", "hotels", "file", HOTELS),
            ("files", "hotels", "file", HOTELS.removesuffix("/part-0.parquet")),
        ),
        _linked,
    ),
    Case(
        "a checksum of another file",
        None,
        fails(("files", "hotels", "file", HOTELS)),
        _manifest(sha256="0" * 64),
    ),
    Case(
        "a count too high",
        None,
        fails(("row_counts", "hotels", "rows", HOTELS), ("row_counts", "hotels", "rows", "hotels")),
        _manifest(rows=3),
    ),
    # Schemas
    Case(
        "a column dropped",
        None,
        fails(("schema", "hotels", "feature", HOTELS)),
        rewritten("hotels", lambda t: t.drop_columns(["feature"])),
    ),
    Case(
        "a column added",
        None,
        fails(("schema", "hotels", "colour", HOTELS)),
        rewritten("hotels", lambda t: t.append_column("colour", pa.array([5] * t.num_rows))),
    ),
    Case(
        "a price as text",
        None,
        fails(("schema", "restaurants", "price_cents", partition_path("restaurants", A.slug))),
        rewritten(
            "restaurants",
            lambda t: t.set_column(
                t.schema.get_field_index("price_cents"),
                "price_cents",
                t["price_cents"].cast(pa.string()),
            ),
        ),
    ),
    Case(
        "a column of nulls without a type",
        None,
        fails(("schema", "hotels", "name_en", HOTELS)),
        rewritten(
            "hotels",
            lambda t: t.set_column(
                t.schema.get_field_index("name_en"), "name_en", pa.nulls(t.num_rows)
            ),
        ),
    ),
    Case(
        "columns in another order",
        None,
        fails(("schema", "hotels", "read_hash", HOTELS)),
        rewritten("hotels", lambda t: t.select(t.schema.names[::-1])),
    ),
    Case(
        "a value lost that must be known",
        None,
        fails(
            *(
                ("nullability", "pois", c, POIS)
                for c in (
                    "poi_id",
                    "city_id",
                    "name_zh_origin",
                    "name_en_origin",
                    "trend_types",
                    "geocode_status",
                    "poi_source",
                    "anchor",
                    "n_documents",
                    "n_mentions",
                    "evidence_id",
                )
            ),
            ("not_null", "pois", "name_zh_origin", _FIRST_POI),
        ),
        rewritten("pois", _with_null),
    ),
    # Keys
    Case(
        "rows out of order",
        None,
        fails(("key_order", "pois", "poi_id", _LAST_POI)),
        rewritten("pois", _reversed),
    ),
    Case(
        "a row twice",
        add("city_stats", {}),
        fails(("key_unique", "city_stats", "city_id", f"{A.city_id}/count_hotels/rows")),
    ),
    Case(
        "a fact twice",
        add("poi_facts", {"value": "Mon"}),
        fails(("key_unique", "poi_facts", "fact_id", fact_id(A, "temple", "closed_days"))),
    ),
    # Contracts
    Case(
        "a category of nobody's",
        put("pois", PARK_ROW, category="shopping"),
        fails(("codes", "pois", "category", PARK)),
    ),
    Case(
        "a trend that is none",
        put("pois", LAKE_ROW, trend_types=["city_landmark", "cool"]),
        fails(("codes", "pois", "trend_types", LAKE)),
    ),
    Case(
        "a tag written in Chinese",
        put("hotels", HOTEL_ROW, feature="泳池"),
        fails(("tags_known", "hotels", "feature", HOTEL)),
    ),
    Case(
        "a rating of ten",
        put("pois", LAKE_ROW, rating=9.6),
        fails(("limits", "pois", "rating", LAKE)),
    ),
    Case(
        "a price below zero",
        put("restaurants", {}, price_cents=-1),
        fails(("limits", "restaurants", "price_cents", f"rest_{A.slug}_1")),
    ),
    Case(
        "a departure after midnight's end",
        put("trains", {}, f"{A.slug}--{B.slug}", departure_min=1440, duration_min=40),
        fails(("limits", "trains", "departure_min", TRAIN)),
    ),
    Case(
        "a score that is no number",
        put("query_documents", {"purpose": "poi"}, score=float("nan")),
        fails(("finite", "query_documents", "score", f"{GENERIC}/poi/1")),
    ),
    Case(
        "an infinite statistic",
        put("city_stats", {}, metric="temperature", unit="degree", metric_value=float("inf")),
        fails(("finite", "city_stats", "metric_value", f"{A.city_id}/temperature/degree")),
    ),
    Case(
        "a hash that is none",
        put("evidence", {"source_line": 4}, quote_sha256="abc"),
        fails(
            ("patterns", "evidence", "quote_sha256", good.table_evidence(A, 4)),
            ("evidence_shape", "evidence", "quote_sha256", good.table_evidence(A, 4)),
        ),
    ),
    # References
    Case(
        "a mention of no place",
        put("poi_mentions", {"name": "柳岸"}, poi_id=UNKNOWN_POI),
        fails(
            ("references", "poi_mentions", "poi_id", f"{A.doc('route_zh')}/80/{A.city_id}"),
            ("trajectory_mentions", "trajectories", "edits", good.trajectory_id(A, "route_zh")),
            ("mention_counts", "pois", "n_mentions", PARK),
            ("mention_counts", "pois", "n_documents", PARK),
        ),
    ),
    Case(
        "a popular place that is gone",
        put("poi_popularity", {"rank": 2}, poi_id=UNKNOWN_POI),
        fails(("references", "poi_popularity", "poi_id", f"any:any/{UNKNOWN_POI}")),
    ),
    Case(
        "a plan for no query",
        put("witness_plans", {}, query_id="tprag-nowhere"),
        fails(("references", "witness_plans", "query_id", "tprag-nowhere/proof")),
    ),
    Case(
        "a sub-query without its query",
        add("sub_queries", {"purpose": "poi"}, query_id="gone"),
        fails(("references", "sub_queries", "query_id", "gone/poi/1")),
    ),
    Case(
        "a trajectory that is gone",
        put("query_trajectories", {"rank": 2}, trajectory_id="tr_gone", length_gap_days=None),
        fails(("references", "query_trajectories", "trajectory_id", f"{GENERIC}/2")),
    ),
    Case(
        "a tag in an unknown context",
        put("poi_tags", {}, context_id="season:winter"),
        fails(
            (
                "references",
                "poi_tags",
                "context_id",
                f"season:winter/{LAKE}/visited/{good.span_evidence(A, 'route_zh', 40, 3)}",
            )
        ),
    ),
    Case(
        "a candidate of the other city",
        put("query_pois", {"rank": 5}, poi_id=B.poi("hill")),
        fails(("same_city", "query_pois", "poi_id", f"{GENERIC}/{B.poi('hill')}")),
    ),
    Case(
        "a fact backed by the other city",
        put("poi_facts", {"value": "spring, autumn"}, evidence_id=good.table_evidence(B, 3)),
        fails(
            ("fact_ids", "poi_facts", "fact_id", fact_id(A, "park", "season")),
            ("same_city", "poi_facts", "evidence_id", fact_id(A, "park", "season")),
            ("table_rows", "poi_facts", "evidence_id", fact_id(A, "park", "season")),
            ("evidence_used", "evidence", "evidence_id", good.span_evidence(A, "route_en", 260, 5)),
        ),
    ),
    # Partitions and the manifest
    Case(
        "a row in the other city's partition",
        _move_to_other_city,
        fails(("partitions", "city_stats", "city_id", f"{A.city_id}/count_b/rows")),
    ),
    Case(
        "a train in the wrong pair",
        put("trains", {}, f"{A.slug}--{B.slug}", origin_city_id="gn900000007"),
        fails(("partitions", "trains", "origin_city_id", TRAIN)),
    ),
    Case(
        "a city that has no settings",
        None,
        fails(("cities_listed", "manifest", "settings", B.slug)),
        settings={"cities": {A.slug: {"profile": good.PROFILE}}},
    ),
    Case(
        "names known too seldom",
        None,
        fails(("known_share", "pois", "name_en", "all")),
        settings=settings_with(gates={"known_share": {"pois.name_en": 0.95}}),
    ),
    Case(
        "a floor for no field",
        None,
        fails(("known_share", "pois", "stars", "profile")),
        settings=settings_with(gates={"known_share": {"pois.stars": 0.1}}),
    ),
]

NEAR_MISSES = [
    Case("a rating of five", put("pois", LAKE_ROW, rating=5.0)),
    Case("no trend at all", put("pois", LAKE_ROW, trend_types=[])),
    Case("a meal for nothing", put("restaurants", {}, price_cents=0)),
    Case("a price that nobody knows", put("restaurants", {}, price_cents=None, currency=None)),
    Case(
        "a statistic below zero",
        put("city_stats", {}, metric="temperature", unit="degree", metric_value=-3.0),
    ),
    Case(
        "a place in no document", put("pois", {"poi_id": A.poi("hill")}, trend_types=["hidden_gem"])
    ),
    Case(
        "a floor that is just met",
        None,
        settings=settings_with(gates={"known_share": {"pois.name_en": 10 / 12}}),
    ),
    Case(
        "settings that gates do not read",
        None,
        settings=settings_with(documents={"per_inquiry": 9}),
    ),
    Case(
        "another city's flight",
        add(
            "flights",
            {},
            f"{A.slug}--faraway",
            flight_id=good.connection_id(A, B, "XX102"),
            flight_no="XX102",
            source_line=10,
        ),
    ),
    Case("a table's only row dropped", both(drop("city_stats", {}), drop("review_decisions", {}))),
    Case("a file written by another writer", None, on_files=rewritten("pois", lambda t: t)),
]
