"""Audit of the traveleval family: its rules (TravelEval, appendix C) and its texts.

Reads structures and texts on its own and imports no writer.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from schemas.taxonomy import BASE_TYPES, CUISINES, HOTEL_FEATURES, TREND_TYPES

Plan = Mapping[str, Any]

CATEGORIES = ("transportation", "accommodations", "diet", "attractions", "rhythm")
_TAGS = {
    "transportation": {"飞机", "高铁", "自驾", "骑行"},
    "accommodations": {term.zh for term in HOTEL_FEATURES},
    "diet": {term.zh for term in CUISINES},
    "attractions": {term.zh for term in (*BASE_TYPES, *TREND_TYPES)},
    "rhythm": {"慢游", "特种兵式"},
}
_CLASSES = ((100, 500, 500), (500, 1000, 1200), (1000, 5000, 2000))
_DAYS = re.compile(r"(\d+)(?:天|日游)|(\d+) days")
_BUDGET = re.compile(r"(?:预算|控制在)(\d+)元|(\d+) RMB")
_PARTY = {
    "adults": re.compile(r"(\d+)(?:位成人| adults?)"),
    "children": re.compile(r"(\d+)(?:位儿童| child(?:ren)?)"),
    "seniors": re.compile(r"(\d+)(?:位老人| seniors?)"),
}
_DATE = re.compile(r"(\d{4})(?:年|-)(\d{1,2})(?:月|-)(\d{1,2})")


def _active(plan: Plan) -> list[str]:
    return [c for c in CATEGORIES if plan[c].get("preferences") or plan[c].get("constraints")]


def _party_fits(plan: Plan) -> bool:
    party = plan["people_composition"]
    known = set(party) == {"adults", "children", "seniors"}
    sizes = (
        known
        and party["adults"] >= 1
        and 0 <= party["children"] <= 3
        and 0 <= party["seniors"] <= 2
    )
    return bool(
        sizes and sum(party.values()) == plan["people_number"] and 1 <= plan["people_number"] <= 6
    )


def _budget_possible(plan: Plan) -> bool:
    """Some class and daily cost round to this budget."""
    budget, people, days = plan["budget"], plan["people_number"], plan["days"]
    step = 500 if budget < 10_000 else 2_000
    if budget % step:
        return False
    reach = ((m[0] * days + m[2]) * people - step for m in _CLASSES)
    top = ((m[1] * days + m[2]) * people + step for m in _CLASSES)
    return any(low <= budget <= high for low, high in zip(reach, top, strict=True))


def _dates_match(plan: Plan) -> bool:
    try:
        first, last = (dt.date.fromisoformat(part) for part in plan["dates"].split(" to "))
    except ValueError:
        return False
    return bool((last - first).days + 1 == plan["days"])


def _counts_match(plan: Plan) -> bool:
    bounds = {"easy": (0, 0), "medium": (1, 2), "hard": (3, 4)}[plan["tag"]]
    return bounds[0] <= len(_active(plan)) <= bounds[1]


def _exclusions_match(plan: Plan) -> bool:
    excluded = sum(len(plan[c].get("constraints", ())) for c in CATEGORIES)
    return excluded >= 1 if plan["tag"] == "hard" else excluded == 0


def _tags_known(plan: Plan) -> bool:
    return all(
        set(plan[c].get(side, ())) <= _TAGS[c]
        for c in CATEGORIES
        for side in ("preferences", "constraints")
    )


def _no_contradiction(plan: Plan) -> bool:
    return all(
        not set(plan[c].get("preferences", ())) & set(plan[c].get("constraints", ()))
        for c in CATEGORIES
    )


def _fits_party(plan: Plan) -> bool:
    party, rhythm = plan["people_composition"], plan["rhythm"].get("preferences", ())
    return "特种兵式" not in rhythm or not (party.get("seniors") or party.get("children"))


RULES: dict[str, Callable[[Plan], bool]] = {
    "cities_differ": lambda plan: plan["start_city"] != plan["target_city"],
    "party": _party_fits,
    "budget": _budget_possible,
    "dates": _dates_match,
    "days": lambda plan: 2 <= plan["days"] <= 7,
    "categories": _counts_match,
    "exclusions": _exclusions_match,
    "tags": _tags_known,
    "contradiction": _no_contradiction,
    "rhythm_fits_party": _fits_party,
}


def read_text(text: str) -> dict[str, Any]:
    """Days, budget, party and dates that a reader recovers from a request in either language."""
    days, budget = _DAYS.search(text), _BUDGET.search(text)
    party = {
        kind: int(m[1]) if (m := pattern.search(text)) else 0 for kind, pattern in _PARTY.items()
    }
    if "一个人" in text:
        party["adults"] = 1
    dates = [dt.date(*map(int, match)) for match in _DATE.findall(text)]
    return {
        "days": int(next(filter(None, days.groups()))) if days else None,
        "budget": int(next(filter(None, budget.groups()))) if budget else None,
        "people_composition": party,
        "dates": f"{dates[0]} to {dates[1]}" if len(dates) == 2 else None,
    }


def audit(
    queries: Iterable[Mapping[str, Any]], city_names: Mapping[str, str]
) -> dict[str, list[str]]:
    """Ids that break each rule of the family, or whose texts do not say what the plan says.

    ``city_names`` maps the destination's city id to its Chinese name.
    """
    broken: dict[str, list[str]] = {
        rule: [] for rule in (*RULES, "text_zh", "text_en", "duplicate")
    }
    seen: set[str] = set()
    for row in sorted(queries, key=lambda row: str(row["query_id"])):
        plan = json.loads(row["structure"])
        query_id = row["query_id"]
        for rule, keeps in RULES.items():
            if not keeps(plan):
                broken[rule].append(query_id)
        for column in ("text_zh", "text_en"):
            if any(plan[key] != value for key, value in read_text(row[column]).items()):
                broken[column].append(query_id)
        if city_names.get(row["city_id"], "") not in row["text_zh"]:
            broken["text_zh"].append(query_id)
        if row["text_zh"] in seen:
            broken["duplicate"].append(query_id)
        seen.add(row["text_zh"])
    return broken
