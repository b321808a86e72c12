"""Read the parts of a query that affect the choice of candidates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.ranking import (
    FESTIVAL_MONTHS,
    OF_KIND_SHARE,
    PER_DAY,
    SUITING_SHARE,
    USUAL_DAYS,
)
from schemas.taxonomy import BASE_TYPES, CONSTRAINTS, TREND_TYPES, codes

#: The kind and code of a season, festival, type of traveller, pace or category.
Wish = tuple[str, str]
_TYPES = {name: term.code for term in (*BASE_TYPES, *TREND_TYPES) for name in (term.zh, term.code)}
_TIGHT = ("compactness", "special_forces")
_LIGHT = ("effort", "light")
_GENTLE = (_LIGHT, ("traveller", "parent_child"), ("traveller", "senior"))


@dataclass(frozen=True)
class QueryDemand:
    """What a query demands.

    The types can be base types or trending types, given by their codes. The names are spelt as in
    the query.
    """

    n_days: int | None
    contexts: tuple[Wish, ...] = ()
    category: str | None = None
    wished: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    names_excluded: frozenset[str] = frozenset()
    #: The places that the query wants to be near.
    beside: frozenset[str] = frozenset()
    #: The months of the query's dates or of its festival.
    months: tuple[int, ...] = ()
    #: Whether the trip must avoid long ways: with children or old people, or at a slow pace.
    is_gentle: bool = False

    @property
    def seasons(self) -> tuple[str, ...]:
        """The seasons that the query asks for."""
        return tuple(code for kind, code in self.contexts if kind == "season")

    @property
    def is_tight(self) -> bool:
        """Whether the pace is so tight that no spare time remains."""
        return _TIGHT in self.contexts

    @property
    def asks(self) -> bool:
        """Whether the query asks for anything besides a city."""
        return bool(self.contexts or self.category or self.wished or self.named or self.beside)

    @property
    def fitting_share(self) -> int:
        """The share of candidates that should match the query, in per cent."""
        is_of_kind = self.category or self.wished or self.named or self.beside
        return OF_KIND_SHARE if is_of_kind else SUITING_SHARE

    def size(self, least: int, most: int) -> int:
        """Return the usual number of candidates, which depends on the length of the trip."""
        return max(least, min(PER_DAY * (self.n_days or USUAL_DAYS), most))


def read_asked(query: Mapping[str, Any]) -> QueryDemand:
    """Return what a query of any family asks for; parts that cannot be read are ignored."""
    kind, code = query["constraint_kind"], query["constraint_code"]
    plan = _plan(query["structure"])
    if kind == "poi_category":
        return QueryDemand(query["n_days"], category=code)
    contexts = [(kind, code)] if code in codes(CONSTRAINTS.get(kind, ())) else []
    contexts += _party(plan)
    if _is_tight(plan):
        contexts.append(_TIGHT)
    if plan.get("physical_effort") == "light":
        contexts.append(_LIGHT)
    sights = plan.get("attractions") or {}
    wished = [
        *(sights.get("preferences") or []),
        *(plan.get("attraction_types") or []),
        *(plan.get("interests") or []),
        *_values(plan, "attraction_type", unwanted=False),
    ]
    excluded = [
        *(sights.get("constraints") or []),
        *_values(plan, "attraction_type", unwanted=True),
    ]
    return QueryDemand(
        query["n_days"],
        tuple(dict.fromkeys(contexts)),
        wished=_codes(wished),
        excluded=frozenset(_codes(excluded)),
        named=frozenset(_values(plan, "attraction_name", unwanted=False)),
        names_excluded=frozenset(_values(plan, "attraction_name", unwanted=True)),
        beside=_beside(plan),
        months=FESTIVAL_MONTHS.get(code or "") or _months(plan),
        is_gentle=_is_slow(plan) or any(context in _GENTLE for context in contexts),
    )


def _plan(structure: str) -> Mapping[str, Any]:
    try:
        plan = json.loads(structure)
    except json.JSONDecodeError:
        return {}
    return plan if isinstance(plan, dict) else {}


def _party(plan: Mapping[str, Any]) -> list[Wish]:
    """Return the special kinds of travellers in a party: children and old people.

    The number of adults does not determine the kind of traveller.
    """
    party = plan.get("people_composition") or {}
    shown = (("children", "parent_child"), ("seniors", "senior"))
    return [("traveller", code) for who, code in shown if party.get(who)]


def _is_tight(plan: Mapping[str, Any]) -> bool:
    rhythm = (plan.get("rhythm") or {}).get("preferences") or []
    return (
        "特种兵式" in rhythm or plan.get("pacing") == "compact" or plan.get("intensity") == "packed"
    )


def _is_slow(plan: Mapping[str, Any]) -> bool:
    rhythm = (plan.get("rhythm") or {}).get("preferences") or []
    return "慢游" in rhythm or "relaxed" in (plan.get("pacing"), plan.get("intensity"))


def _months(plan: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the months of the first and the last day in a range like ``2026-10-30 to
    2026-11-02``.
    """
    days = re.findall(r"\d{4}-(\d{2})-\d{2}", str(plan.get("dates") or ""))
    return tuple(dict.fromkeys(int(month) for month in days))


def _beside(plan: Mapping[str, Any]) -> frozenset[str]:
    """Return the places that the trip should stay near according to the query's objectives."""
    goals = plan.get("objectives") or []
    return frozenset(goal["value"] for goal in goals if goal["name"] == "near" and goal["value"])


def _values(plan: Mapping[str, Any], kind: str, *, unwanted: bool) -> list[str]:
    """Return the values of a kind that the constraints require or, if ``unwanted``, forbid."""
    return [
        value
        for constraint in plan.get("constraints") or []
        if constraint["kind"] == kind and (constraint["mode"] == "none") == unwanted
        for value in constraint["values"]
    ]


def _codes(names: Iterable[str]) -> tuple[str, ...]:
    """Return the codes for types with these Chinese names; unknown names are ignored."""
    return tuple(dict.fromkeys(_TYPES[name] for name in names if name in _TYPES))
