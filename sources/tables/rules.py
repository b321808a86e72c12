"""Every kind of finding about a source: how grave it is, what is done, and by which rule.

``Intake.note`` refuses a kind that is not recorded here, so no finding is without a rule.
docs/findings.md is derived from it: ``python -m sources.tables.rules``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning", "notice"]
Action = Literal["fix", "mark", "quarantine"]
TARGET = Path("docs/findings.md")


@dataclass(frozen=True)
class Rule:
    """One kind of finding. ``when`` says when it is found, ``done`` what becomes of the row."""

    kind: str
    severity: Severity
    action: Action
    when: str
    done: str


def _rules(action: Action, severity: Severity, *entries: tuple[str, str, str]) -> list[Rule]:
    return [Rule(kind, severity, action, when, done) for kind, when, done in entries]


_ASIDE = "the row is set aside, with its cells"
_KEPT = "kept as it is"
_MERGED = "merged into the first row; a different price is reported"

_ALL = [
    *_rules(
        "quarantine",
        "error",
        (
            "shape",
            "a row has another number of cells than the header, an open quote, or no known keys",
            _ASIDE,
        ),
        ("empty", "a required field is empty", _ASIDE),
        ("number", "a number cannot be read, or is above 1,000,000,000", _ASIDE),
        ("price", "a price is negative or not an amount of money", _ASIDE),
        (
            "coordinates",
            (
                "there is only one coordinate, or they are not numbers, off the globe, "
                "(0, 0), or missing although the table needs a location"
            ),
            _ASIDE,
        ),
        (
            "duration",
            (
                "a duration is negative, empty, longer than a week, or differs from the clock"
                " times by more than an hour"
            ),
            _ASIDE,
        ),
        ("time", "a clock time cannot be read", _ASIDE),
        ("same_city", "a connection begins and ends in the same city", _ASIDE),
        ("unknown_city", "no city has the name, or a station's city is unknown", _ASIDE),
        (
            "fast_train_over_a_day",
            "a train of class G, D or C travels for more than 24 hours",
            _ASIDE,
        ),
        ("stock", "the number of free rooms is negative or a fraction", _ASIDE),
        (
            "id_repeated",
            "an earlier row of the file has the same id, which should be stable",
            _ASIDE,
        ),
        ("room_type", "the room type is not in the taxonomy", _ASIDE),
        ("hub_of_another_city", "a station or airport lies more than 300 km from the city", _ASIDE),
    ),
    *_rules(
        "quarantine",
        "warning",
        ("closed_for_good", "the source says that a place is closed for good", _ASIDE),
    ),
    *_rules(
        "mark",
        "error",
        (
            "in_another_city",
            (
                "a place lies in a large city of another province and not near its own city, or"
                " more than 500 km away"
            ),
            _KEPT,
        ),
        (
            "datum_other",
            (
                "the places that two tables share match in another coordinate system "
                "than the assumed one"
            ),
            _KEPT,
        ),
        (
            "visit_longer_than_hours",
            "a place is open for less than its shortest recommended visit",
            _KEPT,
        ),
    ),
    *_rules(
        "mark",
        "warning",
        (
            "row_number_repeated",
            "an earlier row has the same row number in its column id",
            f"{_KEPT}; ids do not depend on it",
        ),
        (
            "datum_mixed",
            ("some of the places that two tables share match in a second coordinate system"),
            _KEPT,
        ),
        ("coordinates_missing", "both coordinates are empty", "kept without a location"),
        (
            "far_from_city",
            "a place lies more than 100 km from the centre of its city",
            f"{_KEPT}: normal in large municipalities",
        ),
        ("duration_missing", "no duration is stated", "computed from the clock times"),
        (
            "duration_clock",
            "stated and clock duration differ by 3 to 60 minutes",
            "the clock times are used",
        ),
        (
            "train_other_times",
            "the same train number also runs between the same stations at other times",
            _KEPT,
        ),
        (
            "flight_other_times",
            "the same flight number also runs between the same airports at other times",
            _KEPT,
        ),
        ("hours_unreadable", "opening hours cannot be read", "hours unknown"),
        ("hours_empty", "a place opens and closes at the same time", "hours unknown"),
        ("hours_filler", "0:00-24:00 at a place with a gate", "taken for filler: hours unknown"),
        (
            "hours_from_midnight",
            "a place opens at 0:00",
            "hours unknown if the place has a gate, otherwise kept",
        ),
        (
            "price_filler",
            "price 0 for something that is never free: a room, a meal, a seat, a ticketed place",
            "taken for filler: price unknown",
        ),
        (
            "currency_unknown",
            (
                "the currency is not certain: an unknown code, a sign that several share, a cell"
                " that contradicts its column, a connection between countries"
            ),
            "price unknown",
        ),
        (
            "currency_differs",
            "rows of one hotel have prices in different currencies",
            "the first row's currency is used; the other price becomes unknown",
        ),
        ("price_zero_doubtful", "price 0 at a classical garden", _KEPT),
        ("visit_minimum_zero", "the shortest visit is 0", "minimum unknown"),
        ("visit_maximum_zero", "the longest visit is 0", "maximum unknown"),
        (
            "visit_maximum_missing",
            "a shortest visit is stated without a longest",
            "both unknown; the finding keeps the stated value",
        ),
        ("visit_order", "the shortest visit is longer than the longest", "both unknown"),
        ("rating_range", "a rating is not within 0 to 5", "rating unknown"),
        ("stars_range", "the stars of a hotel are not within 1 to 5", "stars unknown"),
        ("grade_unknown", "a grade is not one of A to AAAAA (1A to 5A)", "grade unknown"),
        ("stock_range", "a room type has more free rooms than the layout's rule gives it", _KEPT),
        ("type_missing", "an attraction has no type", "type unknown"),
        ("type_unknown", "a tag is not in the taxonomy", "left out"),
        ("base_type_missing", "none of the tags is a base type", "base type unknown"),
        ("base_type_several", "several tags are base types", "the first is used"),
        ("feature_unknown", "a hotel feature is not in the taxonomy", "feature unknown"),
        ("cuisine_unknown", "a cuisine is not in either list", "cuisine unknown"),
        ("category_unknown", "a category is not in the taxonomy", "category unknown"),
        ("room_type_unknown", "a room type is not in the taxonomy", "see room_type"),
        ("parent_unknown", "no row has the id of the containing place", "parent unknown"),
        (
            "hotel_differs",
            "rows of one hotel differ in name, place or feature",
            "the first row is used",
        ),
        ("room_repeated", "a room type is repeated in one hotel", "the first row is used"),
        (
            "code_share",
            "a flight has the airports and times of another flight number",
            "kept; all numbers of the flight are in one code-share group",
        ),
        (
            "station_namesake",
            "a station has the same name as another more than 2 km away",
            "kept as a separate station",
        ),
        (
            "edge_bridges_gap",
            "a metro station in the middle of a line was set aside",
            "its neighbours are joined",
        ),
        (
            "possible_ring",
            "the two ends of a long line are as close as neighbours",
            "kept open, without an edge between them",
        ),
        (
            "hub_without_coordinates",
            "a connection's station or airport has no coordinates in the source",
            _KEPT,
        ),
        (
            "confidence_low",
            "the source's own confidence in a place is below the adapter's minimum",
            _KEPT,
        ),
    ),
    *_rules(
        "mark",
        "notice",
        (
            "file_missing",
            "the source has no such file, or the file has nothing about the city",
            "the table is empty",
        ),
        (
            "not_ours",
            "a feature is not an attraction, hotel or restaurant of the city",
            "not read; the finding counts them by kind",
        ),
    ),
    *_rules(
        "fix",
        "notice",
        (
            "coordinates_swapped",
            "latitude and longitude are swapped: only the other way round lies near the city",
            "swapped back",
        ),
        ("type_brackets", "a list of tags is not in braces", "read anyway"),
        ("type_blank", "a list of tags has an empty entry", "left out"),
        ("types_run_together", "two tags are written together without a separator", "read as two"),
        ("type_repeated", "a tag is repeated", "read once"),
        ("feature_spaces", "spaces around a hotel feature", "left out"),
        ("cuisine_spaces", "spaces around a cuisine", "left out"),
        ("category_spaces", "spaces around a category", "left out"),
        ("room_type_spaces", "spaces around a room type", "left out"),
        (
            "cuisine_mapped",
            "a cuisine of TripTailor's list with no equivalent in TravelEval's",
            "mapped to the nearest; the finding keeps the original",
        ),
        ("line_repeated", "a metro line appears again with another route", "read as a branch"),
    ),
    *_rules(
        "fix",
        "warning",
        (
            "attraction_repeated",
            "a row has the name and location of an earlier attraction",
            _MERGED,
        ),
        ("hotel_repeated", "a row has the name and location of an earlier hotel", _MERGED),
        (
            "restaurant_repeated",
            "a row has the name and location of an earlier restaurant",
            _MERGED,
        ),
        (
            "train_repeated",
            "a row has the number, stations and times of an earlier train",
            "merged; the lowest price is kept",
        ),
        (
            "flight_repeated",
            "a row has the number, airports and times of an earlier flight",
            "merged; the lowest price is kept",
        ),
        ("station_repeated", "a station is repeated on its line", _MERGED),
        (
            "fare_repeated",
            "a fare with the same line, zones, price and changes is repeated",
            _MERGED,
        ),
        ("hub_repeated", "a station or airport is repeated", _MERGED),
    ),
]

RULES: dict[str, Rule] = {rule.kind: rule for rule in _ALL}
if len(RULES) != len(_ALL):
    raise RuntimeError("two findings have the same kind")

_HEAD = """# Findings about sources

`tripbed tables audit` lists the problems of a source row by row. A build counts the same findings
in its table `findings`. There are three severities:

- *error*: something contradicts itself or cannot be used.
- *warning*: something is doubtful, or was dropped as filler.
- *notice*: something was fixed without loss, or is for information only.

Each finding has an action: the row is fixed, marked, or set aside (quarantine).
This page is generated by `python -m sources.tables.rules`, and a test fails if it is out of date.

| kind | severity | action | found when | what is done |
|---|---|---|---|---|
"""


def page() -> str:
    """The page as Markdown."""
    order = {"error": 0, "warning": 1, "notice": 2}
    rows = sorted(_ALL, key=lambda rule: (order[rule.severity], rule.action, rule.kind))
    lines = (f"| `{r.kind}` | {r.severity} | {r.action} | {r.when} | {r.done} |\n" for r in rows)
    return _HEAD + "".join(lines)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
