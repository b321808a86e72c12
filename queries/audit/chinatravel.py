"""Audit chinatravel queries: their structures, expressions and texts, independently of the
planner.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from queries.audit.reading import CityNames, number, read_request
from queries.audit.repeats import Repeats, find_leaks
from queries.audit.tags import clauses, refuses, tags_of
from queries.audit.traveleval import PROMPT_TAGS
from queries.audit.trials import JOURNEYS, MODES, ROOM_TYPES, agrees
from schemas.expressions import ExpressionError, parse_constraint, parse_objective

Plan = Mapping[str, Any]
Constraint = tuple[str, str, frozenset[str], int | None]

RULES = (
    "fields", "cities_differ", "party", "count", "repeated_kind", "tags", "expression",
    "expression_agrees", "objective", "contradiction", "duplicate_uid", "duplicate_text",
    "duplicate_structure", "text_zh", "text_en", "split_leak",
)  # fmt: skip
_FIELDS = (
    "uid",
    "tag",
    "start_city",
    "target_city",
    "days",
    "people_number",
    "constraints",
    "objectives",
)
_NAMES = re.compile(r"[「“](.+?)[」”]")
_ANY = re.compile(r"任选|或|就行|就可以|any one of|\beither\b")
_CLOCK = re.compile(r"(\d{1,2})[:：](\d{2})")
_COUNT = r"(\d+|[一两二三四五六]|one|two|three|four|five|six)"
_ROOMS = re.compile(
    rf"{_COUNT}\s*(?:间|×\s*)?\s*(单人间|大床房|双床房|家庭房|(?:single|king|twin|double-bed"
    rf"|family) room)"
)
_ROOM = {
    "single room": "单人间",
    "king room": "大床房",
    "twin room": "双床房",
    "double-bed room": "双床房",
    "family room": "家庭房",
}
_MONEY = re.compile(
    r"(?:rmb|cny|[¥￥])\s*(\d+)|(\d+)\s*(?:元|块|人民币|rmb|cny|yuan)|(?:预算|花费)[^\d]{0,8}(\d+)"
)
_LEAD = re.compile(r"(\b(?:in|inside|within|around) the city),", re.IGNORECASE)
_IN_CITY = re.compile(r"市内|城里|(?:in|inside|within|around) the city")
_MODES = (
    ("地铁", re.compile(r"地铁|metro|subway")), ("打车", re.compile(r"打车|出租车|taxi|\bcab")),
    ("步行", re.compile(r"步行|走路|on foot|walk")),
)  # fmt: skip
_KIND_OF_NAME = (
    ("restaurant_name", re.compile(r"餐厅|餐馆|吃|饭|restaurant|\bmeals?\b|\beat")),
    ("hotel_name", re.compile(r"酒店|住|hotel|\bstay|\bbook")),
    ("attraction_name", re.compile(r"")),
)  # fmt: skip
_KIND_OF_TAG = {
    "accommodations": "hotel_feature", "diet": "cuisine", "attractions": "attraction_type",
    "transportation": "transport",
}  # fmt: skip
_GOALS = (
    (
        "restaurant_time",
        re.compile(
            r"去餐厅.*越[少短]|way to restaurants as short|journeys? to (?:the )?restaurants"
            r"|getting to the restaurants"
        ),
    ),
    ("near", re.compile(r"离「」.*越近|靠近「」|(?:close|near) to 「」 as possible")),
    (
        "attractions",
        re.compile(r"景点.*越多越好|多看几个景点|as many attractions|the more attractions"),
    ),
    (
        "transport_time",
        re.compile(
            r"路上.*时间越少|少花时间在路上|little time on the way|getting around as short"
            r"|time as possible getting around"
        ),
    ),
    (
        "food_share",
        re.compile(
            r"花在吃上|吃的占比越大|share on food|go(?:es)? on food|share for food"
            r"|money as possible (?:on|towards) food"
        ),
    ),
    (
        "hotel_cost",
        re.compile(
            r"住宿越便宜|住宿花费尽量低|cheap a place to sleep|cheaper the accommodation"
            r"|cost of accommodation as low"
        ),
    ),
)
_THREE, _TWO = ("all", "any", "none"), ("all", "none")
#: The modes of each kind of constraint, and the values of kinds with a published set of values.
_MODES_OF = {
    "transport": ("all",), "attraction_type": _THREE, "attraction_name": _THREE, "cuisine": _THREE,
    "restaurant_name": _THREE, "hotel_feature": _TWO, "hotel_name": _TWO, "rooms": ("all",),
    "budget": ("all",), "city_transport": _TWO, "time": ("back", "there"),
}  # fmt: skip
_VALUES = {
    "transport": JOURNEYS, "rooms": ROOM_TYPES, "city_transport": MODES,
    "attraction_type": PROMPT_TAGS["attractions"], "cuisine": PROMPT_TAGS["diet"],
    "hotel_feature": PROMPT_TAGS["accommodations"],
}  # fmt: skip
#: The results are cached because many queries have the same expressions.
_constraint = lru_cache(maxsize=10_000)(parse_constraint)
_objective = lru_cache(maxsize=1_000)(parse_objective)


def read_goals(text: str) -> set[tuple[str, str | None]]:
    """Return the objectives in a text, each with the place that it refers to, if any."""
    found: set[tuple[str, str | None]] = set()
    for clause in _parts(text):
        for name, pattern in _GOALS:
            if pattern.search(_NAMES.sub("「」", clause).lower()):
                place = _NAMES.search(clause)
                found.add((name, place[1] if place else None))
                break
    return found


def _parts(text: str) -> Iterable[str]:
    """Split a text into clauses, but not at a comma that follows a phrase like "within the
    city".
    """
    return clauses(_LEAD.sub(r"\1 ", text))


def read_constraints(text: str) -> set[Constraint]:
    """Return the constraints in a text as (kind, mode, values, amount).

    An amount is a sum in yuan, a time in minutes after midnight, or a number of rooms.
    """
    # The colon in a clock time must not end a clause.
    made = map(_read_clause, _parts(_CLOCK.sub(r"\1时\2分", text)))
    return {constraint for constraint in made if constraint is not None}


def _read_clause(clause: str) -> Constraint | None:
    names = frozenset(part for name in _NAMES.findall(clause) for part in name.split("、"))
    clause = _NAMES.sub("「」", clause).lower()
    if any(pattern.search(clause) for _, pattern in _GOALS):
        return None
    mode = "none" if refuses(clause) else "any" if _ANY.search(clause) else "all"
    if names:
        kind = next(kind for kind, pattern in _KIND_OF_NAME if pattern.search(clause))
        return (kind, mode, names, None)
    rooms = _ROOMS.search(clause)
    if rooms:
        return ("rooms", "all", frozenset({_ROOM.get(rooms[2], rooms[2])}), number(rooms[1]))
    clock = re.search(r"(\d{1,2})时(\d{2})分", clause)
    if clock:
        side = "back" if re.search(r"到家|\bhome\b", clause) else "there"
        return ("time", side, frozenset(), int(clock[1]) * 60 + int(clock[2]))
    money = _MONEY.search(clause)
    if money:
        return ("budget", "all", frozenset(), int(money[1] or money[2] or money[3]))
    modes = [value for value, pattern in _MODES if pattern.search(clause)]
    if modes and _IN_CITY.search(clause):
        # Walking is always possible; it is a wish only if no vehicle is named.
        return ("city_transport", "none" if mode == "none" else "all", frozenset(modes[:1]), None)
    tags = tags_of(clause)
    if not tags:
        return None
    return (_KIND_OF_TAG.get(tags[0][0], "rhythm"), mode, frozenset(tag for _, tag in tags), None)


def state_constraints(plan: Plan, names: Mapping[str, str] | None = None) -> set[Constraint]:
    """Return the constraints in a query in the form that ``read_constraints`` returns.

    ``names`` maps the names of places in the query to the names that the text uses.
    """
    said = names or {}
    return {
        (c["kind"], c["mode"], frozenset(said.get(v, v) for v in c["values"]), c["amount"])
        for c in plan["constraints"]
    }


def _find_breaks(plan: Plan, sizes: tuple[int, int]) -> Iterable[str]:
    if plan["start_city"] == plan["target_city"]:
        yield "cities_differ"
    party = plan.get("people_composition") or {}
    if party and (sum(party.values()) != plan["people_number"] or party.get("adults", 0) < 1):
        yield "party"
    low, high = (1, 1) if plan["tag"] == "easy" else sizes
    if not low <= len(plan["constraints"]) <= high:
        yield "count"
    kinds = [c["kind"] for c in plan["constraints"]]
    if len(set(kinds)) < len(kinds):
        yield "repeated_kind"
    wished = {v for c in plan["constraints"] if c["mode"] == "all" for v in c["values"]}
    refused = {v for c in plan["constraints"] if c["mode"] == "none" for v in c["values"]}
    if wished & refused:
        yield "contradiction"
    yield from _broken_expressions(plan)


def _broken_expressions(plan: Plan) -> Iterable[str]:
    for constraint in plan["constraints"]:
        try:
            expression = _constraint(constraint["expression"])
        except ExpressionError:
            yield "expression"
            continue
        if not _is_known(constraint):
            yield "tags"
        elif not agrees(constraint, expression):
            yield "expression_agrees"
    for goal in plan["objectives"]:
        try:
            _objective(goal["expression"])
        except ExpressionError:
            yield "objective"
        if goal["direction"] not in ("min", "max"):
            yield "objective"


def _name_places(plan: Plan) -> set[str]:
    """Return the names of places in a query."""
    of = [v for c in plan["constraints"] if c["kind"].endswith("_name") for v in c["values"]]
    return {*of, *(goal["value"] for goal in plan["objectives"] if goal["value"])}


def _is_known(constraint: Mapping[str, Any]) -> bool:
    """Check whether the family defines the kind, mode and values of a constraint."""
    kind, values = constraint["kind"], constraint["values"]
    if constraint["mode"] not in _MODES_OF.get(kind, ()):
        return False
    if kind in ("budget", "time"):
        return not values and type(constraint["amount"]) is int
    known = _VALUES.get(kind)
    return bool(values) and (known is None or set(values) <= known)


def says(text: str, plan: Plan, cities: CityNames, names: Mapping[str, str] | None = None) -> bool:
    """Check whether a text mentions everything that its query asks for.

    ``names`` maps the names of places in the query to the names that the text uses.
    """
    # Lists of tags are read in lower case, and so are the names in them.
    said = {name: other.lower() for name, other in (names or {}).items()}
    text = text.lower() if said else text
    # Names of places may contain any word, so they are removed before the trip is read.
    read = read_request(_NAMES.sub("「」", text), cities)
    ends = [cities.keys.get(str(plan[key]).lower()) for key in ("start_city", "target_city")]
    goals = {(goal["name"], said.get(goal["value"], goal["value"])) for goal in plan["objectives"]}
    return (
        read.days == plan["days"]
        and read.people == plan["people_number"]
        and [read.start, *read.targets[:1]] == ends
        and read_constraints(text) == state_constraints(plan, said)
        and read_goals(text) == goals
    )


def audit_plans(
    rows: Sequence[tuple[Plan, str, str | None, str | None]],
    cities: CityNames,
    sizes: tuple[int, int] = (2, 5),
) -> dict[str, list[str]]:
    """Return, for each rule, the ids of the queries that break the rule.

    ``rows`` are tuples of structure, Chinese text, English text and split.
    """
    broken: dict[str, list[str]] = {rule: [] for rule in RULES}
    seen = Repeats()
    units: list[tuple[str, Hashable, str | None]] = []
    for plan, zh, en, split in rows:
        uid = str(plan.get("uid"))
        if any(key not in plan for key in _FIELDS):
            broken["fields"].append(uid)
            continue
        for rule in (*sorted(set(_find_breaks(plan, sizes))), *seen.of(plan, zh)):
            broken[rule].append(uid)
        if not says(zh, plan, cities):
            broken["text_zh"].append(uid)
        names = plan.get("names_en", {})
        # A query may lack an English text only if a place has no English name.
        told = says(en, plan, cities, names) if en else not _name_places(plan) <= names.keys()
        if not told:
            broken["text_en"].append(uid)
        units.append((uid, (plan["start_city"], plan["target_city"]), split))
    broken["split_leak"] = find_leaks(units)
    return broken


class Foreign(Protocol):
    """A query imported from another source."""

    @property
    def uid(self) -> str: ...
    @property
    def plan(self) -> Plan: ...


def audit_imported(queries: Iterable[Foreign], cities: CityNames) -> list[str]:
    """Return the ids of queries whose Chinese text contradicts the number of days, the number of
    people or the cities.

    A text does not have to mention every field, because people often leave details out.
    """
    broken = []
    for query in queries:
        plan = query.plan
        read = read_request(str(plan.get("nature_language", "")), cities)
        keys = cities.keys
        told = (
            (read.days, plan.get("days")),
            (read.people, plan.get("people_number")),
            (read.start, keys.get(str(plan.get("start_city", "")).lower())),
            (
                read.targets[0] if read.targets else None,
                keys.get(str(plan.get("target_city", "")).lower()),
            ),
        )
        if any(said is not None and field is not None and said != field for said, field in told):
            broken.append(query.uid)
    return broken
