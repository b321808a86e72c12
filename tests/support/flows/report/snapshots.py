"""Small snapshots for the report's tests, hostile texts among them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from queries.tprag import plan_queries
from schemas.arrow import frame
from schemas.cities import City, find_city
from schemas.hours import weekly_spans
from schemas.ids import doc_id, poi_id, quarantine_id, row_evidence_id, text_sha256
from schemas.tables import TABLES
from warehouse.given import make_frame
from warehouse.publish import publish
from warehouse.verdicts import GateResult

Rows = dict[str, list[dict[str, Any]]]

IMAGE = "<img src=x onerror=window.hacked=1>"
SCRIPT = "</script><script>window.hacked=2</script>"
BIDI = "abc\u202egnp.exe\u0007"
RUN = {
    "engine": "rules",
    "run_id": "r1",
    "tokens": 0,
    "cost_usd": 0.0,
    "stages": {
        "tables": {"seconds": 0.4, "shards": 1, "reused": 0, "peak_bytes": 1000},
        "pois": {"seconds": 1.6, "shards": 2, "reused": 1, "peak_bytes": 1000},
    },
    "seconds_to_publish": 2.5,
    "peak_bytes": 120_000_000,
}
PROFILE = {
    "name": "demo",
    "families": ["tprag"],
    "queries": {"days": [None, 3], "constraint_kinds": ["generic", "season"]},
    "gates": {"known_share": {"pois.name_en": 0.5}},
}


def verdict(gate_id: str, severity: str, passed: bool, message: str) -> GateResult:
    """A gate's verdict on places."""
    return GateResult(gate_id, "table", severity, passed, 0 if passed else 3, message, "pois")


def write(
    store: Path,
    tables: Mapping[str, Rows],
    gates: tuple[GateResult, ...] = (),
    run: Any = None,
    profile: Mapping[str, Any] = PROFILE,
) -> Path:
    """Publish tables by city slug and give the snapshot's path."""
    partitions = [
        (name, slug, frame(name, rows))
        for slug, of_city in tables.items()
        for name, rows in of_city.items()
        if TABLES[name].partition == "city"
    ]
    partitions += [
        (name, f"{slug}--elsewhere", frame(name, of_city[name]))
        for slug, of_city in tables.items()
        for name in ("trains", "flights")
        if name in of_city
    ]
    return publish(
        store,
        partitions,
        settings={"cities": {slug: {"profile": dict(profile)} for slug in tables}},
        ingredients={},
        run=RUN if run is None else run,
        keep_from=None,
        check=lambda candidate: gates,
        given=given(sorted(tables)),
    ).path


def given(slugs: list[str]) -> dict[str, pl.DataFrame]:
    """Three documents, one of each status, hostile texts among them, and a refused line."""
    common: dict[str, Any] = {"cities": [], "built_for": slugs}
    documents = [
        {**common, "path": f"pages/{IMAGE}.md", "status": "set_aside", "reason": "same_bytes",
         "why": f"same bytes as {SCRIPT}"},
        {**common, "path": "pages/used.md", "doc_id": doc_id(text_sha256("used")), "status": "used",
         "lang": "zh", "kind": "diary", "reader": "rules", "cities": slugs, "n_places": 4,
         "n_stops": 3, "n_facts": 2},
        {**common, "path": "pages/ja.md", "doc_id": doc_id(text_sha256("ja")), "status": "waiting",
         "reason": "no_city", "why": "of no city of this build", "lang": "ja"},
    ]  # fmt: skip
    problem = {"line": 3, "reader": "own", "what": BIDI, "why": "no document", "built_for": slugs}
    return {
        "documents": make_frame("documents", documents),
        "reading_problems": make_frame("reading_problems", [problem]),
    }


def city_rows(name: str) -> Rows:
    """A city with three places, a trajectory, a pending query and hostile texts."""
    city = find_city(name)
    key = city.city_id
    evidence = row_evidence_id(key, "gazetteer.csv", 2)
    document = doc_id(text_sha256(city.slug))
    copy = doc_id(text_sha256(f"{city.slug} copy"))
    lake, temple, hall = (poi_id(f"{city.slug}/{n}") for n in ("lake", "temple", "hall"))
    rows: Rows = {
        "cities": [city.row()],
        "documents": [
            _document(
                city, document, "blogs/route.md", f"Three days {SCRIPT}", licence_hint="CC BY 4.0"
            ),
            _document(city, copy, "blogs/copy.md", "Copy", near_duplicate_of=document),
        ],
        "evidence": [
            {
                "evidence_id": evidence,
                "city_id": key,
                "evidence_kind": "table",
                "source_file": "gazetteer.csv",
                "source_line": 2,
            }
        ],
        "pois": [
            _poi(
                city,
                lake,
                "镜湖",
                "Mirror Lake",
                0.00,
                "natural_landscape",
                evidence,
                n_documents=2,
            ),
            _poi(city, temple, IMAGE, SCRIPT, 0.02, "religious_spiritual", evidence, n_documents=1),
            _poi(city, hall, BIDI, None, None, None, evidence),
        ],
        "poi_aliases": [
            {
                "poi_id": lake,
                "city_id": key,
                "alias": "Looking-glass Lake",
                "lang": "en",
                "alias_source": "merge",
                "evidence_id": evidence,
            }
        ],
        "poi_hierarchy": [
            {
                "poi_id": temple,
                "city_id": key,
                "parent_poi_id": lake,
                "relation": "part_of",
                "reason": "table",
            }
        ],
        "poi_facts": [
            _fact(
                city,
                lake,
                "opening_hours",
                "Mo-Fr 08:00-18:00",
                evidence,
                hours_osm="Mo-Fr 08:00-18:00",
                hours_weekly=weekly_spans("Mo-Fr 08:00-18:00"),
            ),
            _fact(
                city,
                lake,
                "ticket_price",
                "30",
                evidence,
                price_cents=3000,
                source_date=dt.date(2025, 1, 1),
            ),
            _fact(
                city,
                lake,
                "ticket_price",
                "60",
                evidence,
                price_cents=6000,
                currency="CNY",
                source_date=dt.date(2026, 1, 1),
            ),
            _fact(city, temple, "ticket_price", "0", evidence, price_cents=0),
        ],
        "clusters": [
            {
                "city_id": key,
                "n_days_planned": days,
                "poi_id": poi,
                "cluster": 0,
                "epsilon_m": 900.0,
            }
            for days in range(2, 8)
            for poi in (lake, temple)
        ],
        "trajectories": [
            {
                "trajectory_id": f"tr_{city.slug}",
                "city_id": key,
                "doc_id": document,
                "n_trip_days": 2,
                "n_visits": 2,
                "noisy_visits": [],
                "edits": [
                    {
                        "day": 1,
                        "order": 1,
                        "op": "replace",
                        "name": "湖",
                        "poi_id": lake,
                        "reason": "standard name",
                    },
                    {
                        "day": 1,
                        "order": 2,
                        "op": "remove",
                        "name": "?",
                        "poi_id": None,
                        "reason": "unknown place",
                    },
                ],
                "clean_visits": [
                    {"day": 1, "order": 1, "poi_id": lake, "name": "镜湖"},
                    {"day": 2, "order": 1, "poi_id": temple, "name": "寺"},
                ],
            }
        ],
        "hotels": [
            {
                "hotel_id": f"h-{city.slug}",
                "city_id": key,
                "name_zh": "客栈",
                "lat": city.lat,
                "lon": city.lon,
                "datum_original": "wgs84",
                "is_simulated": False,
                "source_file": "hotels.csv",
                "source_line": 2,
                "rooms": [
                    {"room_type": "king", "price_cents": 40_000, "stock": 1},
                    {"room_type": "single", "price_cents": 20_000, "stock": 0},
                ],
            }
        ],
        "quarantine": [
            {
                "quarantine_id": quarantine_id(
                    key, "pois", "pois", str(n), "unknown_place", "", ""
                ),
                "city_id": key,
                "stage": "pois",
                "table": "pois",
                "row_id": str(n),
                "check": "unknown_place",
                "message": f"no place {IMAGE}",
                "payload": '{"name":"x"}',
            }
            for n in range(7)
        ],
        "stage_counts": [
            _counts(city, "queries", "queries", 10, 10),
            _counts(city, "pois", "pois", 12, 3, merged=2, quarantined=7),
        ],
        "queries": plan_queries(city, [None, 3], ["generic", "season"])
        .with_row_index("at")
        .to_dicts(),
    }
    for query in rows["queries"]:
        kept = query.pop("at") % 2 == 0
        query.update(
            status="kept" if kept else "pending_documents", n_trajectories=9 if kept else 0
        )
    reference = {
        "query_id": rows["queries"][0]["query_id"],
        "city_id": key,
        "trajectory_id": f"tr_{city.slug}",
    }
    rows["query_trajectories"] = [{**reference, "rank": 1, "score": 1.0}]
    rows["trajectory_scores"] = [
        {
            **reference,
            "quality_rank": 1,
            "length_m": 1234.5,
            "optimal_m": 1200.0,
            "optimum_proven": True,
        }
    ]
    return rows


def _document(city: City, key: str, path: str, title: str, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": key, "city_id": city.city_id, "path": path, "lang": "en", "title": title,
        "size_bytes": 100, "n_chars": 90, "document_kind": "route", **more,
    }  # fmt: skip


def _poi(
    city: City, key: str, zh: str | None, en: str | None, off: float | None, category: str | None,
    evidence: str, n_documents: int = 0,
) -> dict[str, Any]:  # fmt: skip
    return {
        "poi_id": key,
        "city_id": city.city_id,
        "name_zh": zh,
        "name_en": en,
        "name_zh_origin": "original" if zh else "unknown",
        "name_en_origin": "original" if en else "unknown",
        "category": category,
        "trend_types": [],
        "lat": None if off is None else city.lat + off,
        "lon": None if off is None else city.lon + off,
        "geocode_status": "unresolved" if off is None else "resolved",
        "coordinate_provider": None if off is None else "table",
        "datum_original": None if off is None else "wgs84",
        "poi_source": "table",
        "anchor": key,
        "n_documents": n_documents,
        "n_mentions": n_documents * 2,
        "evidence_id": evidence,
    }


def _fact(
    city: City, poi: str, field: str, value: str, evidence: str, **more: Any
) -> dict[str, Any]:
    return {
        "fact_id": f"f_{city.slug}_{poi}_{field}_{value}",
        "city_id": city.city_id,
        "poi_id": poi,
        "fact_field": field,
        "valid_when": "always",
        "value": value,
        "evidence_id": evidence,
        **more,
    }


def _counts(
    city: City,
    stage: str,
    table: str,
    rows_in: int,
    kept: int,
    merged: int = 0,
    quarantined: int = 0,
) -> dict[str, Any]:
    return {
        "city_id": city.city_id,
        "stage": stage,
        "table": table,
        "rows_in": rows_in,
        "rows_kept": kept,
        "rows_merged": merged,
        "rows_quarantined": quarantined,
        "rows_pending": 0,
    }
