"""Audit the rows of ``queries`` for any family, and the frozen contexts for tripscore queries.

The results list, for each rule, the ids of the rows that break the rule.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from queries.audit import chinatravel, preferences, tprag, traveleval
from queries.audit.cities import names_of
from queries.audit.traveleval import AuditContext, AuditedQuery
from schemas.cities import City

Row = Mapping[str, Any]
Broken = dict[str, list[str]]
#: Rules that check a text if they are not simply named after its column.
TEXT_RULES = {("tprag", "text_zh"): ("form", "city", "constraint", "days")}


def audit_rows(
    family: str,
    rows: Sequence[Row],
    cities: Sequence[City],
    *,
    days_table: Mapping[str, Sequence[int]] | None = None,
    journeys: Mapping[tuple[str, str], frozenset[str]] | None = None,
    sizes: tuple[int, int] = (2, 5),
) -> Broken:
    """Return, for each of a family's rules, the ids of the queries that break the rule.

    The list for a rule that no query breaks is empty. ``cities`` are all cities named in the rows.
    Raises KeyError if the family is unknown.
    """
    if family == "tprag":
        texts = {city.city_id: (city.name_zh or city.name_en, city.name_en) for city in cities}
        return tprag.audit(rows, texts)
    names = names_of(cities)
    plans = [(json.loads(row["structure"]), row) for row in rows]
    by_uid = {str(plan.get("uid")): str(row["query_id"]) for plan, row in plans}
    if family == "traveleval":
        items = [
            AuditedQuery(
                plan["uid"], plan, row["text_zh"], row["text_en"],
                plan["uid"].split("-")[0] if plan["uid"].startswith("G") else None, row["split"],
            )
            for plan, row in plans
        ]  # fmt: skip
        check = AuditContext(names, days_table=days_table, journeys=journeys, strict=True)
        broken = traveleval.audit_items(items, check)
    else:
        audited = [(plan, row["text_zh"], row["text_en"], row["split"]) for plan, row in plans]
        if family == "chinatravel":
            broken = chinatravel.audit_plans(audited, names, sizes)
        else:
            broken = preferences.audit_plans(family, audited, names)
    return {rule: [by_uid.get(uid, uid) for uid in ids] for rule, ids in broken.items()}


def broken_contexts(rows: Sequence[Row], contexts: Sequence[Row]) -> list[str]:
    """Return the ids of kept queries without a context, and the ids of contexts that are wrong.

    A context is correct if it belongs to exactly one kept query, matches its own hash, and lists
    the destinations of the query in order. Each destination must have attractions, and every
    attraction must have a type that the query asks for.
    """
    plans = {
        row["query_id"]: json.loads(row["structure"])
        for row in rows
        if row["family"] == "tripscore" and row["status"] == "kept"
    }
    seen: set[str] = set()
    broken: list[str] = []
    for row in contexts:
        query_id = str(row["query_id"])
        plan = plans.get(query_id)
        if (
            query_id in seen
            or plan is None
            or not _as_frozen(row)
            or not _fits(row["context"], plan)
        ):
            broken.append(query_id)
        seen.add(query_id)
    return [*broken, *sorted(plans.keys() - seen)]


def _as_frozen(row: Row) -> bool:
    text = json.dumps(row["context"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return bool(hashlib.sha256(text.encode()).hexdigest() == row["sha256"])


def _fits(context: Sequence[Row], plan: Row) -> bool:
    if [part["destination"] for part in context] != list(plan["destinations"]):
        return False
    asked = set(plan["attraction_types"])
    return all(
        bool(part["attractions"])
        and all(not asked or asked & set(place["tags"]) for place in part["attractions"])
        for part in context
    )
