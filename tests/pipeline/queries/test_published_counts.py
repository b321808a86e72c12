"""Counts of the audit over TravelEval's real files, against plain loops over the raw JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.queries.audit import audit_file

CITIES = {
    "beijing": "北京",
    "chengdu": "成都",
    "chongqing": "重庆",
    "guangzhou": "广州",
    "hangzhou": "杭州",
    "nanjing": "南京",
    "shanghai": "上海",
    "shenzhen": "深圳",
    "suzhou": "苏州",
    "wuhan": "武汉",
}
SIDES = ("preferences", "constraints")
CATEGORIES = ("transportation", "accommodations", "diet", "attractions", "rhythm")


def folder(shared: Path) -> Path:
    return shared / "data" / "traveleval" / "environment"


@pytest.fixture(scope="module")
def queries(shared: Path) -> list[dict[str, Any]]:
    found = []
    for file in sorted((folder(shared) / "data" / "queries").glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        found += data.get("queries", []) + [q for g in data.get("query_groups", []) for q in g]
    assert len(found) == 1150
    return found


@pytest.fixture(scope="module")
def counts(shared: Path) -> dict[str, list[str]]:
    where = folder(shared)
    found = audit_file(
        where / "data" / "queries", "traveleval", where / "database", "traveleval", "prompt"
    )
    assert found["queries"] == 1150
    return {rule: sorted(facts["ids"]) for rule, facts in found["rules"].items()}


def tags(query: dict[str, Any], category: str, side: str) -> list[str]:
    return (query[category] or {}).get(side) or []


def test_planes_to_cities_without_a_flight(
    shared: Path, queries: list[dict[str, Any]], counts: dict[str, list[str]]
) -> None:
    lines = folder(shared) / "database" / "intercity_transport" / "airplane.jsonl"
    flown = set()
    for line in lines.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        ends = [next(c for c in CITIES.values() if c in row[key]) for key in ("From", "To")]
        flown.add(tuple(ends))
    grounded = []
    for query in queries:
        pair = [CITIES.get(query[k].lower(), query[k]) for k in ("start_city", "target_city")]
        both = tuple(pair) in flown and tuple(reversed(pair)) in flown
        if tags(query, "transportation", "preferences") == ["飞机"] and not both:
            grounded.append(query["uid"])
    assert counts["journey"] == sorted(grounded)
    assert len(grounded) == 36


def test_budgets_that_no_daily_cost_gives(
    queries: list[dict[str, Any]], counts: dict[str, list[str]]
) -> None:
    """Every whole daily cost of every class is tried, by the rounding of the paper."""
    wrong, never = [], []
    for query in queries:
        budget, days, people = query["budget"], query["days"], query["people_number"]
        possible = set()
        for low, high, n in ((100, 500, 500), (500, 1000, 1200), (1000, 5000, 2000)):
            for m in range(low, high + 1):
                raw = (m * days + n) * people
                step = 500 if raw < 10_000 else 2_000
                possible.add((2 * raw + step) // (2 * step) * step)
        if budget not in possible:
            never.append(query["uid"])
        if budget % (500 if budget < 10_000 else 2_000):
            wrong.append(query["uid"])
    assert counts["budget_rounding"] == sorted(wrong)
    assert counts["budget_class"] == sorted(never)
    assert (len(wrong), len(never)) == (755, 814)


def test_parties_and_numbers_of_categories(
    queries: list[dict[str, Any]], counts: dict[str, list[str]]
) -> None:
    parties, numbers, refusals = [], [], []
    for query in queries:
        a, c, s = (query["people_composition"][k] for k in ("adults", "children", "seniors"))
        duo = a + c + s != 2 or a == 2 or (a == 1 and c + s == 1)
        if (
            a < 1
            or c > 3
            or s > 2
            or not 1 <= a + c + s <= 6
            or not duo
            or a + c + s != query["people_number"]
        ):
            parties.append(query["uid"])
        asked = sum(any(tags(query, c, side) for side in SIDES) for c in CATEGORIES)
        if asked not in {"easy": [0], "medium": [1, 2], "hard": [3, 4]}[query["tag"]]:
            numbers.append(query["uid"])
        refused = sum(len(tags(query, c, "constraints")) for c in CATEGORIES)
        if (refused > 0) != (query["tag"] == "hard"):
            refusals.append(query["uid"])
    assert counts["party"] == sorted(parties)
    assert counts["categories"] == sorted(numbers)
    assert counts["exclusions"] == sorted(refusals)
    assert (len(parties), len(numbers), len(refusals)) == (5, 436, 2)
