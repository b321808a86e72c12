"""What a query asks for, as far as it decides which places are its candidates."""

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

#: A season, festival, kind of traveller, pace or category: its kind and code.
Wish = tuple[str, str]
_TYPES = {name: term.code for term in (*BASE_TYPES, *TREND_TYPES) for name in (term.zh, term.code)}
_TIGHT = ("compactness", "special_forces")
_LIGHT = ("effort", "light")
_GENTLE = (_LIGHT, ("traveller", "parent_child"), ("traveller", "senior"))


@dataclass(frozen=True)
class QueryDemand:
    """What a query asks for. Types are codes of both layers, names are as the query has them."""

    n_days: int | None
    contexts: tuple[Wish, ...] = ()
    category: str | None = None
    wished: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    names_excluded: frozenset[str] = frozenset()
    #: What it wants to be near.
    beside: frozenset[str] = frozenset()
    #: Months of its dates, or of its festival.
    months: tuple[int, ...] = ()
    #: Whether nobody is to go far: with children, with the old, or at a slow pace.
    is_gentle: bool = False

    @property
    def is_tight(self) -> bool:
        """Whether the pace leaves no time."""
        return _TIGHT in self.contexts

    @property
    def asks(self) -> bool:
        """Whether it asks for more than a city."""
        return bool(self.contexts or self.category or self.wished or self.named or self.beside)

    @property
    def fitting_share(self) -> int:
        """Which share of its candidates is to answer it, in hundredths."""
        is_of_kind = self.category or self.wished or self.named or self.beside
        return OF_KIND_SHARE if is_of_kind else SUITING_SHARE

    def size(self, least: int, most: int) -> int:
        """How many candidates it has, where there are so many: more for a longer trip."""
        return max(least, min(PER_DAY * (self.n_days or USUAL_DAYS), most))


def read_asked(query: Mapping[str, Any]) -> QueryDemand:
    """What a row of ``queries`` asks for, of whatever family;
    what cannot be read asks for nothing.
    """
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
    wished, excluded, named, names_excluded = _sights(plan)
    return QueryDemand(
        query["n_days"],
        tuple(dict.fromkeys(contexts)),
        wished=_codes(wished),
        excluded=frozenset(_codes(excluded)),
        named=frozenset(named),
        names_excluded=frozenset(names_excluded),
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
    """Kinds of travellers that a party shows: children and the old; one alone, or a pair, may be
    anyone.
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
    """Months of the first and last day of its dates, ``2026-10-30 to 2026-11-02``."""
    days = re.findall(r"\d{4}-(\d{2})-\d{2}", str(plan.get("dates") or ""))
    return tuple(dict.fromkeys(int(month) for month in days))


def _beside(plan: Mapping[str, Any]) -> frozenset[str]:
    """What an objective wants to be near to."""
    goals = plan.get("objectives") or []
    return frozenset(goal["value"] for goal in goals if goal["name"] == "near" and goal["value"])


def _sights(plan: Mapping[str, Any]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Types wished for and excluded, names asked for and excluded."""
    sights = plan.get("attractions") or {}
    wished = [*(sights.get("preferences") or [])]
    wished += plan.get("attraction_types") or []
    wished += plan.get("interests") or []
    excluded = [*(sights.get("constraints") or [])]
    named: list[str] = []
    names_excluded: list[str] = []
    for constraint in plan.get("constraints") or []:
        unwanted = constraint["mode"] == "none"
        if constraint["kind"] == "attraction_type":
            (excluded if unwanted else wished).extend(constraint["values"])
        elif constraint["kind"] == "attraction_name":
            (names_excluded if unwanted else named).extend(constraint["values"])
    return wished, excluded, named, names_excluded


def _codes(names: Iterable[str]) -> tuple[str, ...]:
    """Codes of types by their Chinese names; a name of no list is nothing that a place can have."""
    return tuple(dict.fromkeys(_TYPES[name] for name in names if name in _TYPES))
