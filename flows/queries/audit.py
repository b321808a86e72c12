"""The command ``tripbed queries audit``, which counts how often queries in a file break each rule.

The file has tripbed's own format or that of another benchmark.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from flows.errors import SettingsError
from flows.queries.files import read_contexts, read_json_files, read_lines, read_rows
from queries.audit import chinatravel as chinatravel_audit
from queries.audit import tprag as tprag_audit
from queries.audit.cities import cities_named, names_of
from queries.audit.rows import audit_rows, broken_contexts
from queries.audit.traveleval import (
    DAYS_TABLE,
    PROMPT_TAGS,
    REPO_TAGS,
    AuditContext,
    AuditedQuery,
    audit_items,
)
from queries.chinatravel_import import import_query
from queries.grounding import offer_of
from schemas.cities import City, find_city
from sources.tables.registry import read_tables

Broken = dict[str, list[str]]
FORMATS = ("traveleval", "tprag", "chinatravel", "tripbed")


def audit_file(
    path: Path, layout: str, tables: Path | None, tables_format: str, tagset: str
) -> dict[str, Any]:
    """Check the queries in a file, and return the violations of each rule with the queries' ids.

    Raises SettingsError if the file does not exist or does not have the given layout.
    """
    if not path.exists():
        raise SettingsError(f"{path}: no such file or folder")
    if layout not in FORMATS:
        raise SettingsError(f"unknown format {layout!r}: choose one of {', '.join(FORMATS)}")
    if tagset not in ("prompt", "repo"):
        raise SettingsError(f"unknown tag set {tagset!r}: choose prompt or repo")
    if layout == "tprag":
        lines = read_lines(path)
        count, broken = (
            len(lines),
            tprag_audit.audit_lines(lines, lambda name: bool(cities_named([name]))),
        )
    elif layout == "traveleval":
        items = [item for data in read_json_files(path) for item in _items(path, data)]
        count, broken = len(items), _audit_traveleval(items, tables, tables_format, tagset)
    elif layout == "chinatravel":
        count, broken = _audit_chinatravel(path)
    else:
        rows = read_rows(path)
        count, broken = len(rows), _audit_ours(rows)
        contexts = read_contexts(path) if path.is_dir() else []
        if contexts:
            broken["tripscore.context"] = broken_contexts(rows, contexts)
    rules = {rule: {"violations": len(ids), "ids": ids} for rule, ids in broken.items()}
    return {
        "file": path.name,
        "format": layout,
        "queries": count,
        "broken": len({query_id for ids in broken.values() for query_id in ids}),
        "rules": rules,
    }


def _items(path: Path, data: Any) -> Iterator[AuditedQuery]:
    """Read the queries in a TravelEval file: either a list, or an object with ``queries`` and
    ``query_groups``."""
    held = data if isinstance(data, Mapping) else {"queries": data}
    alone, groups = held.get("queries", []), held.get("query_groups", [])
    if not isinstance(alone, list) or not isinstance(groups, list) or not (alone or groups):
        raise SettingsError(
            f"{path} is not in TravelEval's layout: it has no list of queries under the key"
            " `queries` or `query_groups`"
        )
    yield from (_item(plan, None) for plan in alone)
    for number, group in enumerate(groups, 1):
        name = str(group[0].get("uid", "")).split("-")[0] or f"group {number}"
        yield from (_item(plan, name) for plan in group)


def _item(plan: Mapping[str, Any], group: str | None) -> AuditedQuery:
    texts = (plan.get("nature_language") or "", plan.get("nature_language_en") or "")
    return AuditedQuery(str(plan.get("uid")), plan, *texts, group)


def _audit_traveleval(
    items: list[AuditedQuery], tables: Path | None, layout: str, tagset: str
) -> Broken:
    named = [str(item.plan.get(k, "")) for item in items for k in ("start_city", "target_city")]
    cities = cities_named(named)
    check = AuditContext(
        names_of(cities),
        REPO_TAGS if tagset == "repo" else PROMPT_TAGS,
        DAYS_TABLE,
        journeys_of(cities, tables, layout) if tables else None,
    )
    return audit_items(items, check)


def journeys_of(
    cities: list[City], tables: Path, layout: str
) -> dict[tuple[str, str], frozenset[str]]:
    """Return the means of transport between two cities, by origin and destination.

    A means of transport is included if, according to the destination's tables, a traveller can use
    it in both directions.
    """
    found = {}
    for city in cities:
        imported = read_tables(tables, layout, city)
        names = ("attractions", "hotels", "restaurants", "trains", "flights")
        for origin in offer_of(city, {name: getattr(imported, name) for name in names}).origins:
            ways = (("高铁", origin.by_train), ("飞机", origin.by_flight), ("any", True))
            found[origin.city.slug, city.slug] = frozenset(tag for tag, ok in ways if ok)
    return found


def _audit_chinatravel(path: Path) -> tuple[int, Broken]:
    """Check queries in ChinaTravel's layout, after turning published programs into expressions."""
    plans = [
        plan
        for data in read_json_files(path)
        for plan in (data if isinstance(data, list) else [data])
    ]
    if not all(isinstance(plan, Mapping) and "start_city" in plan for plan in plans):
        raise SettingsError(
            f"{path} is not in ChinaTravel's layout: each query needs the key start_city"
        )
    cities = cities_named(str(p.get(k, "")) for p in plans for k in ("start_city", "target_city"))
    ours = [p for p in plans if "constraints" in p]
    rows = [(p, p.get("nature_language", ""), p.get("nature_language_en", ""), None) for p in ours]
    broken = chinatravel_audit.audit_plans(rows, names_of(cities))
    foreign = [import_query(plan) for plan in plans if "constraints" not in plan]
    broken["not_translated"] = [query.uid for query in foreign if query.untranslated]
    broken["text_zh"] += chinatravel_audit.audit_imported(foreign, names_of(cities))
    return len(plans), broken


def _audit_ours(rows: list[dict[str, Any]]) -> Broken:
    """Check rows from tripbed. Each family has its own rules, which are named ``family.rule``."""
    broken: Broken = {}
    for family in sorted({row["family"] for row in rows}):
        part = [row for row in rows if row["family"] == family]
        plans = [json.loads(row["structure"]) for row in part]
        named = {p[k] for p in plans for k in ("start_city", "target_city") if k in p}
        named |= {name for p in plans for name in p.get("destinations", ())}
        cities = {c.city_id: c for c in cities_named(named)}
        cities |= {row["city_id"]: find_city(row["city_id"]) for row in part}
        for rule, ids in audit_rows(family, part, list(cities.values())).items():
            broken[f"{family}.{rule}"] = ids
    return broken
