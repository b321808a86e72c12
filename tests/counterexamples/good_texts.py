"""The good snapshot: documents, mentions, trajectories, facts and their evidence."""

from __future__ import annotations

import datetime as dt

from schemas.hours import weekly_spans
from schemas.ids import (
    text_sha256,
)
from schemas.tables import TABLES
from tests.counterexamples.town import (
    CHILD_PRICE,
    FACTS,
    PLACES,
    STOPS,
    Row,
    Town,
    conditional_fact_id,
    fact_id,
    span_evidence,
    table_evidence,
    trajectory_id,
)

#: What a document says of the park, and where.
SAID, SAID_AT = "Willow Bank Park is a quiet park on the river with two old bridges.", 130


def documents(town: Town) -> dict[str, list[Row]]:
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


def mentions(town: Town) -> dict[str, list[Row]]:
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
        **_links(town, mentions),
        "trajectories": [_trajectory(town, doc) for doc in ("route_zh", "route_en")],
    }


def _links(town: Town, mentions: list[Row]) -> dict[str, list[Row]]:
    """Each mention as a name of its own: linked, or unlinked."""
    told = [
        {
            **{c: row[c] for c in ("city_id", "doc_id", "name", "poi_id", "resolution", "role")},
            "name_number": number, "rivals": [], "why": "the name is known",
        }
        for number, row in enumerate(mentions, 1)
    ]  # fmt: skip
    linked = [{**row, "link_score": 100, "margin": 100} for row in told if row["poi_id"]]
    apart = [{**row, "unlinked_as": "unresolved"} for row in told if not row["poi_id"]]
    return {
        table: [{c: v for c, v in row.items() if c in TABLES[table].column_names} for row in rows]
        for table, rows in (("links", linked), ("unlinked_names", apart))
    }


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


def facts(town: Town) -> dict[str, list[Row]]:
    dates = {"route_zh": dt.date(2024, 5, 2), "route_en": dt.date(2023, 10, 8), None: None}
    facts = []
    for place, field, when, value, doc, where in FACTS:
        row: Row = {
            "fact_id": fact_id(town, place, field),
            "city_id": town.city_id,
            "poi_id": town.poi(place),
            "fact_field": field,
            "valid_when": when,
            "value": value,
            "source_date": dates[doc],
            "evidence_id": span_evidence(town, doc, where, 5)
            if doc
            else table_evidence(town, where),
        }
        if field == "opening_hours":
            row |= {"hours_osm": value, "hours_weekly": weekly_spans(value)}
        if field == "ticket_price":
            row |= {"price_cents": 4050, "currency": "CNY"}
        if field == "duration_hours":
            low, high = (90, 180) if "-" in value else (120, 120)
            row |= {"duration_min_min": low, "duration_max_min": high}
        facts.append(row)
    place, field, when, value, doc, where = CHILD_PRICE
    childs = {
        "fact_id": conditional_fact_id(town), "city_id": town.city_id, "poi_id": town.poi(place),
        "fact_field": field, "audience": "child", "valid_when": when, "value": value,
        "price_cents": 1200, "currency": "CNY", "source_date": dates[doc],
        "evidence_id": span_evidence(town, doc, where, 5),
    }  # fmt: skip
    kinds = (("season", "autumn", "秋季", "autumn"), ("any", "any", "不限", "any"))
    return {
        "poi_facts": facts,
        "conditional_facts": [childs],
        "contexts": [
            {
                "context_id": f"{kind}:{code}",
                "city_id": town.city_id,
                "context_kind": kind,
                "context_code": code,
                "name_zh": zh,
                "name_en": en,
            }
            for kind, code, zh, en in kinds
        ],
        "poi_tags": [
            {
                "poi_id": town.poi("lake"),
                "city_id": town.city_id,
                "context_id": "season:autumn",
                "tag": "visited",
                "source_date": dates["route_zh"],
                "evidence_id": span_evidence(town, "route_zh", 40, 3),
            }
        ],
        "context_tags": [
            {
                "poi_id": town.poi("park"),
                "city_id": town.city_id,
                "context_id": "any:any",
                "duration_min_min": 120,
                "duration_max_min": 120,
                "duration_evidence_id": span_evidence(town, "route_en", 280, 5),
                "description": SAID,
                "tagged_by": "rules",
                "description_evidence_id": span_evidence(town, "route_en", SAID_AT, len(SAID)),
            }
        ],
        "poi_popularity": [
            {
                "context_id": context,
                "city_id": town.city_id,
                "poi_id": town.poi(name),
                "rank": rank,
                "score": score,
                "source_date": dt.date(2023, 10, 8) if name == "museum" else dt.date(2024, 5, 2),
            }
            # Positions in the two routes: lake 1 and 2, temple 2, park 3 and 3, museum 1.
            for context, ranked in (
                ("any:any", (("lake", 1.5), ("museum", 1.0), ("park", 0.666667), ("temple", 0.5))),
                (
                    "season:autumn",
                    (("lake", 1.5), ("museum", 1.0), ("park", 0.666667), ("temple", 0.5)),
                ),
            )
            for rank, (name, score) in enumerate(ranked, 1)
        ],
    }


def evidence(town: Town) -> list[Row]:
    spans = {(doc, start, len(name)): name for doc, start, _, name, _, _ in STOPS}
    spans |= {(doc, start, 5): f"f{start}" for _, _, _, _, doc, start in FACTS if doc}
    spans[("route_en", SAID_AT, len(SAID))] = SAID
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
