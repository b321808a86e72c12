"""A good snapshot of two invented cities, by hand: every table has rows, every gate passes."""

from __future__ import annotations

import copy
import datetime as dt
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import h3

from schemas.arrow import frame
from schemas.geo import distance_m
from schemas.hours import weekly_spans
from schemas.ids import (
    canonical_json,
    digest,
    doc_id,
    poi_id,
    quarantine_id,
    row_evidence_id,
    span_evidence_id,
    text_sha256,
)
from schemas.parameters import density_baseline, queue_parameters
from schemas.tables import SCHEMA_VERSION, TABLES
from warehouse.manifest import FILE_NAME, FileEntry, Manifest
from warehouse.write import table_entries, write_partition

Row = dict[str, Any]
#: Rows of a table by partition: a city's slug, a pair of slugs, or None.
Book = dict[str, dict[str | None, list[Row]]]

PROFILE: Row = {
    "name": "small",
    "families": ["tprag", "traveleval"],
    "trajectories": {"per_query": 2, "minimum_days": 2, "minimum_visits": 3},
    "candidates": {"per_query": 4},
    "gates": {"quarantine_share": 0.3, "known_share": {"pois.name_en": 0.5}},
}


@dataclass(frozen=True)
class Town:
    """An invented city; its places lie around the centre."""

    number: int
    slug: str
    zh: str
    en: str
    lat: float
    lon: float

    @property
    def city_id(self) -> str:
        """Id of the city, of a number that GeoNames does not use."""
        return f"gn{self.number}"

    def doc(self, name: str) -> str:
        """Id of one of the city's documents."""
        return doc_id(text_sha256(f"{self.slug}/{name}"))

    def poi(self, name: str) -> str:
        """Id of one of the city's places."""
        return poi_id(f"{self.slug}/{name}")

    def station(self, name: str) -> str:
        """Id of a metro station."""
        return f"{self.city_id}:{name}"


A = Town(900000001, "bihe", "碧河", "Bihe", 30.20, 120.10)
B = Town(900000002, "songlin", "松林", "Songlin", 31.10, 121.00)

#: Name: Chinese, English, north and east of the centre in degrees, category, type.
PLACES: dict[str, tuple[str, str | None, float | None, float | None, str | None, str | None]] = {
    "lake": ("月影湖", "Moonshade Lake", 0.010, 0.010, "natural_landscape", "natural_scenery"),
    "temple": ("古松寺", "Old Pine Temple", 0.020, 0.000, "religious_spiritual", "historic_site"),
    "hall": ("古松寺钟楼", "Bell Tower", 0.0202, 0.0003, "historical_cultural", "historic_site"),
    "park": ("柳岸公园", "Willow Bank Park", 0.000, 0.020, "leisure_recreation", "park"),
    "museum": ("水运博物馆", "Canal Museum", 0.005, 0.004, "historical_cultural", "museum_memorial"),
    "pier": ("渔火码头", "Lantern Pier", 0.100, 0.100, "leisure_recreation", "park"),
    "dike": ("长风堤", "Longwind Dike", 0.101, 0.100, "leisure_recreation", "park"),
    "mill": ("老水磨坊", "Old Water Mill", 0.100, 0.101, "historical_cultural", "historic_site"),
    "reeds": ("芦苇荡", "Reed Marsh", 0.101, 0.101, "natural_landscape", "natural_scenery"),
    "hill": ("望潮山", "Tidewatch Hill", -0.100, 0.000, "natural_landscape", "natural_scenery"),
    "street": ("竹巷", None, None, None, None, None),
    "old_lake": ("月影湖景区", "Moonshade Lake Area", None, None, None, None),
}  # fmt: skip
#: Mentions in the two routes: document, start, place, surface name, role, day, order.
STOPS = (
    ("route_zh", 40, "lake", "月影湖", 1, 1), ("route_zh", 60, "temple", "古松寺", 1, 2),
    ("route_zh", 80, "park", "柳岸", 2, 1), ("route_zh", 100, None, "无名小店", 2, 2),
    ("route_en", 30, "museum", "Canal Museum", 1, 1), ("route_en", 70, "lake", "Moonshade Lake", 1, 2),
    ("route_en", 120, "park", "Willow Bank Park", 2, 1),
)  # fmt: skip
CANDIDATES = ("lake", "park", "temple", "museum", "street")


def book() -> Book:
    """Rows of the good snapshot, fresh: the caller may change them."""
    return copy.deepcopy(_book())


def unchanged() -> Book:
    """The same rows, to be read only."""
    return _book()


@cache
def _book() -> Book:
    made: Book = {name: {} for name in TABLES}
    for town, other in ((A, B), (B, A)):
        for name, rows in _town(town, other).items():
            made[name][town.slug] = rows
        made["trains"][f"{town.slug}--{other.slug}"] = [_train(town, other)]
    made["flights"][f"{A.slug}--{B.slug}"] = [_flight(A, B)]
    # Rows of a city outside the snapshot, as a table of connections has them.
    made["flights"][f"{A.slug}--faraway"] = [
        {**_flight(A, B), "destination_city_id": "gn900000003", "flight_id": "flight_far"}
    ]
    made["queue_parameters"][None] = queue_parameters().to_dicts()
    made["density_baseline"][None] = density_baseline().to_dicts()
    made["gates"][None] = [
        {
            "gate_id": "files", "level": "snapshot", "severity": "error", "passed": True,
            "n_failed": 0, "message": "passed",
        }
    ]  # fmt: skip
    return made


def write(path: Path, rows: Book, settings: Row | None = None) -> Manifest:
    """Write a snapshot of these rows with a true manifest; gates are not asked."""
    files: dict[str, list[FileEntry]] = {
        name: [write_partition(path, name, value, frame(name, part)) for value, part in parts.items()]
        for name, parts in rows.items()
    }  # fmt: skip
    return seal(path, files, settings)


def seal(path: Path, files: dict[str, list[FileEntry]], settings: Row | None = None) -> Manifest:
    """Write the manifest of files that lie there."""
    slugs = (A.slug, B.slug)
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        cities=slugs,
        settings=settings or {"cities": {slug: {"profile": PROFILE} for slug in slugs}},
        ingredients={f"control/{slug}": text_sha256(slug) for slug in slugs},
        tables=table_entries(files),
    )
    (path / FILE_NAME).write_text(manifest.text(), encoding="utf-8")
    return manifest


def _town(town: Town, other: Town) -> dict[str, list[Row]]:
    made = {
        "cities": [_city(town)],
        **_documents(town),
        **_places(town),
        **_mentions(town),
        **_facts(town),
        **_queries(town, other),
        **_tables(town),
        **_space(town),
        **_decisions(town),
    }
    made["evidence"] = _evidence(town)
    made["quarantine"] = [_quarantined(town)]
    made["stage_counts"] = _counts(town, made)
    return made


def _city(town: Town) -> Row:
    return {
        "city_id": town.city_id, "slug": town.slug, "name_zh": town.zh, "name_en": town.en,
        "country_code": "CN", "admin1_code": "02", "time_zone": "Asia/Shanghai",
        "lat": town.lat, "lon": town.lon, "h3_cell": h3.latlng_to_cell(town.lat, town.lon, 8),
        "population": 800_000,
    }  # fmt: skip


def _documents(town: Town) -> dict[str, list[Row]]:
    rows = [
        ("route_zh", "zh", None, None, dt.date(2024, 5, 2)),
        ("route_en", "en", None, "CC BY 4.0", dt.date(2023, 10, 8)),
        ("copy", "zh", "route_zh", None, None),
    ]
    return {
        "documents": [
            {
                "doc_id": town.doc(name), "city_id": town.city_id, "path": f"notes/{name}.md",
                "lang": lang, "title": f"{town.en} {name}", "published_on": date,
                "size_bytes": 4000, "n_chars": 1000, "document_kind": "route",
                "near_duplicate_of": town.doc(original) if original else None, "licence_hint": hint,
            }
            for name, lang, original, hint, date in rows
        ]
    }  # fmt: skip


def _places(town: Town) -> dict[str, list[Row]]:
    made = [_poi(town, name) for name in PLACES]
    by_name = dict(zip(PLACES, made, strict=True))
    by_name["old_lake"]["superseded_by"] = town.poi("lake")
    by_name["old_lake"].update(geocode_status="unresolved")
    for name, n_documents in (("lake", 2), ("temple", 1), ("park", 2), ("museum", 1)):
        by_name[name].update(n_documents=n_documents, n_mentions=n_documents)
    return {
        "pois": made,
        "poi_aliases": [
            {
                "poi_id": town.poi("park"), "city_id": town.city_id, "alias": "柳岸", "lang": "zh",
                "alias_source": "document", "evidence_id": span_evidence(town, "route_zh", 80, 2),
            },
            {
                "poi_id": town.poi("lake"), "city_id": town.city_id, "alias": "镜湖", "lang": "zh",
                "alias_source": "table", "evidence_id": table_evidence(town, 2),
            },
        ],
        "poi_hierarchy": [
            {
                "poi_id": town.poi("hall"), "city_id": town.city_id,
                "parent_poi_id": town.poi("temple"), "relation": "part_of", "reason": "name",
            }
        ],
    }  # fmt: skip


def _poi(town: Town, name: str) -> Row:
    zh, en, north, east, category, base_type = PLACES[name]
    located = north is not None and east is not None
    lat = None if north is None else town.lat + north
    lon = None if east is None else town.lon + east
    return {
        "poi_id": town.poi(name), "city_id": town.city_id, "name_zh": zh, "name_en": en,
        "name_zh_origin": "original", "name_en_origin": "translated" if en else "unknown",
        "category": category, "base_type": base_type,
        "trend_types": ["city_landmark", "hidden_gem"] if name == "lake" else [],
        "lat": lat, "lon": lon, "geocode_status": "resolved" if located else "unresolved",
        "coordinate_provider": "table" if located else None,
        "datum_original": "gcj02" if located else None,
        "h3_cell": h3.latlng_to_cell(lat, lon, 8) if located else None,
        "rating": 4.5 if located else None, "poi_source": "table", "anchor": f"{town.slug}/{name}",
        "n_documents": 0, "n_mentions": 0,
        "evidence_id": table_evidence(town, 2 + list(PLACES).index(name)),
    }  # fmt: skip


def table_evidence(town: Town, line: int) -> str:
    """Evidence of a line of the table of places."""
    return row_evidence_id(town.city_id, "places.csv", line)


def span_evidence(town: Town, doc: str, start: int, length: int) -> str:
    """Evidence of a span of a document."""
    return span_evidence_id(town.city_id, town.doc(doc), start, start + length)


def _mentions(town: Town) -> dict[str, list[Row]]:
    mentions = [
        {
            "mention_id": f"m_{town.doc(doc)}_{start}", "city_id": town.city_id,
            "doc_id": town.doc(doc), "start": start, "end": start + len(name), "name": name,
            "role": "visited", "day": day, "order": order,
            "poi_id": town.poi(place) if place else None,
            "resolution": "linked" if place else "unresolved",
            "resolution_score": 1.0 if place else 0.2,
            "evidence_id": span_evidence(town, doc, start, len(name)),
        }
        for doc, start, place, name, day, order in STOPS
    ]  # fmt: skip
    return {
        "poi_mentions": mentions,
        "trajectories": [_trajectory(town, doc) for doc in ("route_zh", "route_en")],
    }


def trajectory_id(town: Town, doc: str) -> str:
    """Id of the trajectory of a document."""
    return f"tr_{town.slug}_{doc}"


def _trajectory(town: Town, doc: str) -> Row:
    noisy: list[Row] = []
    clean: list[Row] = []
    edits: list[Row] = []
    for of_doc, start, place, name, day, order in STOPS:
        if of_doc != doc:
            continue
        where = {"day": day, "order": order}
        noisy.append(
            {**where, "name": name, "evidence_id": span_evidence(town, doc, start, len(name))}
        )
        if place is None:
            edits.append({**where, "op": "remove", "name": name, "reason": "unknown place"})
            continue
        poi = town.poi(place)
        edits.append({**where, "op": "replace", "name": name, "poi_id": poi, "reason": "named so"})
        clean.append({**where, "poi_id": poi, "name": PLACES[place][0]})
    return {
        "trajectory_id": trajectory_id(town, doc), "city_id": town.city_id,
        "doc_id": town.doc(doc), "n_trip_days": 2, "n_visits": len(clean),
        "noisy_visits": noisy, "clean_visits": clean, "edits": edits,
    }  # fmt: skip


#: Facts: place, field, validity, value, document and offset (None: a table's line).
FACTS = (
    ("lake", "opening_hours", "always", "08:00-17:30", None, 2),
    ("lake", "ticket_price_cny", "always", "40.5", None, 2),
    ("lake", "duration_hours", "always", "1.5-3", None, 2),
    ("temple", "opening_hours", "Nov-Mar", "Tu-Su 09:00-16:00", "route_zh", 200),
    ("temple", "last_admission", "Nov-Mar", "15:30", "route_zh", 220),
    ("temple", "closed_days", "always", "Mon", "route_zh", 240),
    ("park", "season", "always", "spring, autumn", "route_en", 260),
    ("park", "duration_hours", "always", "2", "route_en", 280),
)


def fact_id(town: Town, place: str, field: str) -> str:
    """Id of a fact of the good snapshot."""
    when, value, doc, where = next(fact[2:] for fact in FACTS if fact[:2] == (place, field))
    proof = span_evidence(town, doc, where, 5) if doc else table_evidence(town, where)
    return f"fact_{digest(town.poi(place), field, when, value, proof)}"


def _facts(town: Town) -> dict[str, list[Row]]:
    dates = {"route_zh": dt.date(2024, 5, 2), "route_en": dt.date(2023, 10, 8), None: None}
    facts = []
    for place, field, when, value, doc, where in FACTS:
        row: Row = {
            "fact_id": fact_id(town, place, field), "city_id": town.city_id,
            "poi_id": town.poi(place), "fact_field": field, "valid_when": when, "value": value,
            "source_date": dates[doc],
            "evidence_id": span_evidence(town, doc, where, 5) if doc else table_evidence(town, where),
        }  # fmt: skip
        if field == "opening_hours":
            row |= {"hours_osm": value, "hours_weekly": weekly_spans(value)}
        if field == "ticket_price_cny":
            row |= {"price_cents": 4050}
        if field == "duration_hours":
            low, high = (90, 180) if "-" in value else (120, 120)
            row |= {"duration_min_min": low, "duration_max_min": high}
        facts.append(row)
    kinds = (("season", "autumn", "秋季", "autumn"), ("any", "any", "不限", "any"))
    return {
        "poi_facts": facts,
        "contexts": [
            {
                "context_id": f"{kind}:{code}", "city_id": town.city_id, "context_kind": kind,
                "context_code": code, "name_zh": zh, "name_en": en,
            }
            for kind, code, zh, en in kinds
        ],
        "poi_tags": [
            {
                "poi_id": town.poi("lake"), "city_id": town.city_id, "context_id": "season:autumn",
                "tag": "visited", "source_date": dates["route_zh"],
                "evidence_id": span_evidence(town, "route_zh", 40, 3),
            }
        ],
        "poi_popularity": [
            {
                "context_id": "any:any", "city_id": town.city_id, "poi_id": town.poi(name),
                "rank": rank, "score": 3.0 - rank,
            }
            for rank, name in enumerate(("lake", "park", "temple"), 1)
        ],
    }  # fmt: skip


def _evidence(town: Town) -> list[Row]:
    spans = {(doc, start, len(name)): name for doc, start, _, name, _, _ in STOPS}
    spans |= {(doc, start, 5): f"f{start}" for _, _, _, _, doc, start in FACTS if doc}
    rows = [
        {
            "evidence_id": span_evidence(town, doc, start, length), "city_id": town.city_id,
            "evidence_kind": "document", "doc_id": town.doc(doc), "start": start,
            "end": start + length, "quote_sha256": text_sha256(quote),
            # Only one of the documents names a licence.
            "quote": quote if doc == "route_en" and start == 30 else None,
        }
        for (doc, start, length), quote in spans.items()
    ]  # fmt: skip
    rows += [
        {
            "evidence_id": table_evidence(town, 2 + number), "city_id": town.city_id,
            "evidence_kind": "table", "source_file": "places.csv", "source_line": 2 + number,
        }
        for number in range(len(PLACES))
    ]  # fmt: skip
    return rows


def _queries(town: Town, other: Town) -> dict[str, list[Row]]:
    generic, any_days, autumn = (f"tprag-{town.slug}-{s}" for s in ("3d", "any", "autumn-2d"))
    asked = f"traveleval-{town.slug}-easy-2d-01"
    queries = [
        _query(town, generic, "generic", None, 3, f"{town.zh}三日游", f"3-day trip in {town.en}"),
        _query(town, any_days, "generic", None, None, f"{town.zh}旅游", f"trip in {town.en}"),
        _query(town, autumn, "season", "autumn", 2, f"{town.zh}秋季两日游", f"2-day trip in {town.en} in autumn"),
        _query(town, asked, "difficulty", "easy", 2, f"从{other.zh}去{town.zh}玩2天", f"From {other.en} to {town.en}, 2 days"),
    ]  # fmt: skip
    queries[2] |= {"status": "pending_documents", "reason": "found 0 of 2 trajectories"}
    queries[2]["split"] = "validation"
    queries[3] |= {"family": "traveleval", "structure": canonical_json({"days": 2, "tag": "easy"})}
    for row in queries[:2]:
        row |= {"n_trajectories": 2, "n_candidates": len(CANDIDATES)}
    sub_queries = [
        {
            "query_id": query, "city_id": town.city_id, "purpose": purpose, "rank": rank,
            "sub_query_id": f"sq_{digest(purpose, text)}", "text": text, "lang": "zh",
        }
        for query in (generic, any_days)
        for purpose, rank, text in (("poi", 1, "景点"), ("route", 1, "路线"), ("route", 2, "行程"))
    ]  # fmt: skip
    found = [("poi", 1, "route_zh"), ("route", 1, "route_zh"), ("route", 2, "route_en")]
    return {
        "queries": queries,
        "sub_queries": sub_queries,
        "query_documents": [
            {
                "query_id": query, "city_id": town.city_id, "purpose": purpose, "rank": rank,
                "doc_id": town.doc(doc), "score": 9.0 - rank,
            }
            for query in (generic, any_days)
            for purpose, rank, doc in found
        ],
        "query_pois": [
            {
                "query_id": query, "city_id": town.city_id, "poi_id": town.poi(name), "rank": rank,
                "candidate_source": "trajectory", "score": 6.0 - rank,
            }
            for query in (generic, any_days)
            for rank, name in enumerate(CANDIDATES, 1)
        ],
        "query_trajectories": [
            {
                "query_id": query, "city_id": town.city_id, "rank": rank,
                "trajectory_id": trajectory_id(town, doc), "score": 3.0 - rank,
                "length_gap_days": 1 if query == generic else None,
            }
            for query in (generic, any_days)
            for rank, doc in enumerate(("route_zh", "route_en"), 1)
        ],
        "witness_plans": [
            {
                "query_id": asked, "city_id": town.city_id, "solvability": "solved", "plan": "{}",
            }
        ],
        "review_decisions": [
            {
                "decision_id": f"r_{town.slug}", "city_id": town.city_id, "table": "pois",
                "row_id": town.poi("lake"), "reviewer": "one",
                "decision": "accept", "reason": "looked at the map",
                "decided_on": dt.date(2025, 3, 1), "fact_hash": "0" * 16,
            }
        ],
    }  # fmt: skip


def _query(
    town: Town, query_id: str, kind: str, code: str | None, n_days: int | None, zh: str, en: str
) -> Row:
    plan = {"city": town.city_id, "constraint": code, "constraint_kind": kind, "days": n_days}
    return {
        "query_id": query_id, "city_id": town.city_id, "family": "tprag", "constraint_kind": kind,
        "constraint_code": code, "n_days": n_days, "text_zh": zh, "text_en": en,
        "structure": canonical_json(plan), "stratum": f"{kind}/{code or kind}-{f'{n_days}d' if n_days else 'any'}", "split": "train",
        "status": "kept", "n_trajectories": 0, "n_candidates": 0,
    }  # fmt: skip


def _tables(town: Town) -> dict[str, list[Row]]:
    origin = {"is_simulated": False, "source_file": "t.csv", "source_line": 2}
    where = {"city_id": town.city_id, "datum_original": "wgs84"}
    rooms = [
        {"room_type": "single", "price_cents": 19_900, "stock": 4},
        {"room_type": "king", "price_cents": None, "stock": 0},
    ]
    stations = [("北门", 0.00), ("中街", 0.01), ("南湖", 0.02)]
    return {
        "hotels": [
            {
                "hotel_id": f"hotel_{town.slug}_{n}", "name_zh": f"{town.zh}客舍{n}", "name_en": None,
                "feature": "pool" if n == 1 else None, "lat": town.lat + n / 100, "lon": town.lon,
                "h3_cell": h3.latlng_to_cell(town.lat + n / 100, town.lon, 8),
                "rooms": rooms if n == 1 else [], **where, **origin,
            }
            for n in (1, 2)
        ],
        "restaurants": [
            {
                "restaurant_id": f"rest_{town.slug}_{n}", "name_zh": f"{town.zh}面馆{n}",
                "cuisine": "snacks", "lat": town.lat, "lon": town.lon + n / 100,
                "h3_cell": h3.latlng_to_cell(town.lat, town.lon + n / 100, 8),
                "price_cents": 3500, "hours_osm": "10:00-02:00",
                "hours_weekly": weekly_spans("10:00-02:00"), "dishes": ["汤面"], **where, **origin,
            }
            for n in (1, 2)
        ],
        "metro_stations": [
            {
                "station_id": town.station(name), "line": "1号线", "sequence": n, "name": name,
                "lat": town.lat + north, "lon": town.lon, **where,
                "source_file": "metro.json", "source_line": n,
            }
            for n, (name, north) in enumerate(stations, 1)
        ],
        "metro_edges": [
            {
                "city_id": town.city_id, "line": "1号线", "from_id": town.station(a),
                "to_id": town.station(b), "distance_m": _metres(town, here, there),
            }
            for (a, here), (b, there) in pairwise(stations)
        ],
        "hubs": [
            {
                "name": f"{town.zh}站", "lat": town.lat + 0.03, "lon": town.lon, **where,
                "source_file": "hubs.json", "source_line": 1,
            }
        ],
        "row_sources": [
            {
                "city_id": town.city_id, "table": "hotels", "source_file": "t.csv",
                "source_line": 2, "source_name": "invented", "licence": "CC0-1.0",
            }
        ],
        "city_stats": [
            {
                "city_id": town.city_id, "metric": "count_hotels", "metric_value": 2.0,
                "unit": "rows", "n_rows": 2,
            }
        ],
    }  # fmt: skip


def _metres(town: Town, here: float, there: float) -> float:
    return float(distance_m(town.lat + here, town.lon, town.lat + there, town.lon))


def _train(town: Town, other: Town) -> Row:
    return {
        "train_id": f"train_{town.slug}", "origin_city_id": town.city_id,
        "destination_city_id": other.city_id, "train_no": "G123", "train_type": "G",
        "origin_station": f"{town.zh}站", "destination_station": f"{other.zh}站",
        "departure_min": 23 * 60 + 30, "arrival_min": 40, "arrival_day_offset": 1,
        "duration_min": 70, "price_cents": 8_800, "is_simulated": False,
        "source_file": "trains.csv", "source_line": 2,
    }  # fmt: skip


def _flight(town: Town, other: Town) -> Row:
    row = _train(town, other)
    del row["train_id"], row["train_no"], row["train_type"]
    return {**row, "flight_id": f"flight_{town.slug}", "flight_no": "XX101"}


def _space(town: Town) -> dict[str, list[Row]]:
    located = [name for name, place in PLACES.items() if place[2] is not None]
    spots = {name: (town.lat + PLACES[name][2], town.lon + PLACES[name][3]) for name in located}  # type: ignore[operator]
    return {
        "distances": [
            {
                "city_id": town.city_id, "from_id": town.poi(a), "to_id": town.poi(b),
                "distance_method": "straight",
                "distance_m": round(float(distance_m(*spots[a], *spots[b])), 1),
            }
            for a in located
            for b in located
            if a != b
        ],
        "clusters": [
            {
                "city_id": town.city_id, "n_days_planned": n_days, "poi_id": town.poi(name),
                "cluster": (0, 0, 0, 0, 0, 1, 1, 1, 1, -1)[number], "epsilon_m": 2000.0,
            }
            for n_days in range(2, 8)
            for number, name in enumerate(located)
        ],
    }  # fmt: skip


def _decisions(town: Town) -> dict[str, list[Row]]:
    """Where values come from, what was compared, what was found, and what lies where."""
    here = {"city_id": town.city_id}
    return {
        "poi_origins": [
            {
                **here, "poi_id": town.poi(name), "poi_field": "name_zh",
                "evidence_id": table_evidence(town, 2 + number),
            }
            for number, name in enumerate(PLACES)
        ],
        "place_decisions": [
            {
                **here, "comparison_id": f"cmp_{town.slug}", "poi_id": town.poi("lake"),
                "other_poi_id": town.poi("temple"), "name_a": "月影湖", "name_b": "古松寺",
                "distance_m": 1500.0, "verdict": "different", "score": 0.85,
                "outcome": "kept_apart", "reason": "different names",
                "evidence_id": table_evidence(town, 2),
                "other_evidence_id": table_evidence(town, 3),
            }
        ],
        "stay_clusters": [
            {
                **here, "n_days_planned": n_days, "table": "hotels",
                "row_id": f"hotel_{town.slug}_1", "cluster": -1, "distance_m": 1400.0,
            }
            for n_days in range(2, 8)
        ],
        "nearest_stations": [
            {
                **here, "table": "hotels", "row_id": f"hotel_{town.slug}_1",
                "station_id": town.station("中街"), "distance_m": 0.0,
            }
        ],
        "findings": [
            {
                **here, "table": "hotels", "finding": "hotel_repeated", "n_rows": 0,
                "message": "rows that repeat a hotel; merged",
            }
        ],
    }  # fmt: skip


def _quarantined(town: Town) -> Row:
    return {
        "quarantine_id": quarantine_id(town.city_id, "tables", "hotels", "hotels.csv:9", "limits"),
        "city_id": town.city_id, "stage": "tables", "table": "hotels", "row_id": "hotels.csv:9",
        "check": "limits", "message": "latitude 123 is above 90", "payload": "{}",
        "source_file": "hotels.csv", "source_line": 9,
    }  # fmt: skip


def _counts(town: Town, made: dict[str, list[Row]]) -> list[Row]:
    zero = {"rows_merged": 0, "rows_quarantined": 0, "rows_pending": 0}
    rows = [
        {
            "city_id": town.city_id, "stage": "control", "table": name, "rows_in": len(part),
            "rows_kept": len(part), **zero,
        }
        for name, part in made.items()
        if name not in ("quarantine", "stage_counts")
    ]  # fmt: skip
    rows.append(
        {
            "city_id": town.city_id, "stage": "tables", "table": "hotels", "rows_in": 40,
            "rows_kept": 2, "rows_merged": 37, "rows_quarantined": 1, "rows_pending": 0,
        }
    )  # fmt: skip
    return rows
