"""A small snapshot to review: every kind of row, hostile names among them, and its documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flows.review.desk.queue import QueueRow
from flows.review.forms import decision_row
from schemas.cities import find_city
from schemas.ids import poi_id
from tests.support.flows.report.snapshots import city_rows, write

CITY = find_city("hangzhou")
LAKE, TEMPLE, HALL = (poi_id(f"hangzhou/{name}") for name in ("lake", "temple", "hall"))
DOC = "d" + "1" * 20
_PLAN = {
    "itinerary": [
        {
            "day": 1,
            "activities": [
                {"start_time": "09:00", "position": "镜湖"},
                {"start_time": "12:00", "start": "A", "end": "B"},
            ],
        }
    ]
}


def reviewed_snapshot(store: Path) -> Path:
    """A snapshot of one city with links, unlinked names, tags, candidates and plans."""
    rows = city_rows("hangzhou")
    evidence = rows["evidence"][0]["evidence_id"]
    query = rows["queries"][0]["query_id"]
    of_doc = {"city_id": CITY.city_id, "doc_id": DOC}
    linked = {**of_doc, "resolution": "linked", "link_score": 100, "margin": 100, "why": "told"}
    rows["documents"].append({**rows["documents"][0], "doc_id": DOC, "path": "lake.md"})
    rows["links"] = [
        {**linked, "name_number": 1, "name": "镜湖", "poi_id": LAKE, "rivals": []},
        {
            **linked,
            "name_number": 2,
            "name": "湖",
            "poi_id": LAKE,
            "rivals": [TEMPLE],
            "margin": 3,
            "link_score": 90,
        },
        {
            **linked,
            "name_number": 3,
            "name": "寺",
            "poi_id": TEMPLE,
            "rivals": [LAKE],
            "margin": 40,
        },
        {
            **linked,
            "name_number": 4,
            "name": "堂",
            "poi_id": HALL,
            "rivals": [],
            "resolution": "new",
            "margin": None,
            "link_score": None,
        },
    ]
    rows["unlinked_names"] = [
        {
            **of_doc,
            "name_number": 5,
            "name": "镜湖边",
            "role": "visited",
            "unlinked_as": "review",
            "rivals": [LAKE],
            "why": "two fit",
        },
        {
            **of_doc,
            "name_number": 6,
            "name": "外滩",
            "role": "mentioned",
            "unlinked_as": "unresolved",
            "rivals": [],
            "why": "told",
        },
    ]
    tag = {"city_id": CITY.city_id, "poi_id": LAKE, "context_id": "season:spring", "tag": "visited"}
    rows["poi_tags"] = [{**tag, "evidence_id": evidence}]
    candidate = {"query_id": query, "city_id": CITY.city_id, "candidate_source": "document"}
    rows["query_pois"] = [
        {**candidate, "poi_id": LAKE, "rank": 1, "score": 3.0},
        {**candidate, "poi_id": TEMPLE, "rank": 2, "score": 1.0},
    ]
    plan = {
        "city_id": CITY.city_id,
        "plan_kind": "proof",
        "solvability": "solved",
        "plan": json.dumps(_PLAN),
        "wishes_met": True,
    }
    rows["witness_plans"] = [
        {**plan, "query_id": query},
        {
            "query_id": rows["queries"][1]["query_id"],
            "city_id": CITY.city_id,
            "plan_kind": "proof",
            "solvability": "infeasible",
            "obstacle": "budget",
            "reason": "too dear",
        },
    ]
    return write(store, {"hangzhou": rows})


def decided(
    item: QueueRow, reader: str, decision: str, day: Any, instead: str = ""
) -> dict[str, Any]:
    """A decision on a row of a queue."""
    return decision_row(item.about, reader, decision, "", day, instead)
