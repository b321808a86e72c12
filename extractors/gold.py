"""A reading in the form of hand-labelled documents, so that both can be compared."""

from __future__ import annotations

from typing import Any

from extractors.rules.common.forms import same_name
from extractors.text import fold
from schemas.documents import Document
from schemas.reading import Fact, Reading

#: Field names of the labelled documents where they differ from ours.
_FIELD_NAMES = {"duration_hours": "visit_duration_hours"}
#: The labelled documents state prices in yuan only.
_UNLABELLED = frozenset({"ticket_price"})
_ROLES = ("visited", "recommended", "rejected", "mentioned")


def to_gold(reading: Reading, document: Document) -> dict[str, Any]:
    """One labelled-document object: POIs merged by name, visits by day, facts with evidence.

    ``standard`` is the gazetteer's name, else the name as it first stands in the text.
    """
    groups = _groups(reading)
    standards = {
        fold(form): row["standard"] for row in groups for form in (row["name"], *row["also"])
    }
    text = document.text
    return {
        "doc": document.path,
        "lang": document.lang,
        "kind": reading.kind,
        "cities": list(reading.cities),
        "days_stated": reading.days_stated,
        "pois": groups,
        "trajectory": _trajectory(reading, standards),
        "facts": [
            {
                "poi": standards.get(fold(fact.poi), fact.poi),
                "field": _FIELD_NAMES.get(fact.field, fact.field),
                "value": _value(fact),
                "evidence": text[fact.span.start : fact.span.end],
            }
            for fact in reading.facts
            if fact.field not in _UNLABELLED
        ],
        "decoys": list(reading.decoys),
    }


def _value(fact: Fact) -> str:
    when = None if fact.valid_when == "always" else fact.valid_when
    others = f"with {', '.join(fact.with_pois)}" if fact.with_pois else None
    limits = ", ".join(filter(None, (fact.audience, when, fact.condition, others)))
    return f"{fact.value} ({limits})" if limits else fact.value


def _groups(reading: Reading) -> list[dict[str, Any]]:
    """One row a POI in the order of first occurrence."""
    rows: dict[str, dict[str, Any]] = {}
    for mention in sorted(reading.mentions, key=lambda m: (m.span.start, m.span.end)):
        key = fold(mention.standard) if mention.standard else _key(mention.name, rows)
        row = rows.setdefault(
            key,
            {"name": mention.name, "standard": mention.standard or mention.name, "also": [],
             "role": mention.role, "parent": mention.parent},
        )  # fmt: skip
        if mention.name != row["name"] and mention.name not in row["also"]:
            row["also"].append(mention.name)
        row["role"] = min(row["role"], mention.role, key=_ROLES.index)
    return list(rows.values())


def _key(name: str, rows: dict[str, dict[str, Any]]) -> str:
    """Key of the row that holds this name or another form of it, else the folded name."""
    for key, row in rows.items():
        if any(same_name(form, name) for form in (row["name"], *row["also"])):
            return key
    return fold(name)


def _trajectory(reading: Reading, standards: dict[str, str]) -> list[dict[str, Any]] | None:
    if reading.route is None:
        return None
    days: dict[int, list[str]] = {}
    for visit in sorted(reading.route.visits, key=lambda v: (v.day, v.order)):
        name = visit.standard or standards.get(fold(visit.name), visit.name)
        days.setdefault(visit.day, []).append(name)
    return [{"day": day, "visits": visits} for day, visits in days.items()]
