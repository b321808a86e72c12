"""Define all kinds of findings about sources, their severity, and what happens to the rows.

``Intake.note`` raises an error for a kind of finding that is not defined here. ``python -m
sources.tables.rules`` writes docs/findings.md from this module.
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
    """A kind of finding: ``when`` is its condition, and ``done`` describes what tripbed does
    about it.
    """

    kind: str
    severity: Severity
    action: Action
    when: str
    done: str


def _rules(action: Action, severity: Severity, *entries: tuple[str, str, str]) -> list[Rule]:
    return [Rule(kind, severity, action, when, done) for kind, when, done in entries]


_ASIDE = "the row is set aside; the quarantine records its cells"
_KEPT = "the row is kept as it is"
_MERGED = (
    "the row is merged into the earlier row; the finding records whether the two prices differ"
)

_ALL = [
    *_rules(
        "quarantine",
        "error",
        (
            "shape",
            (
                "a row has more or fewer cells than the header, contains an unclosed quotation "
                "mark, or lacks a required key"
            ),
            _ASIDE,
        ),
        ("empty", "a required field is empty", _ASIDE),
        ("number", "a number cannot be read or is above 1,000,000,000", _ASIDE),
        ("price", "a price is negative or not an amount of money", _ASIDE),
        (
            "coordinates",
            (
                "a coordinate is not a number, one of the two coordinates is missing, the point is"
                " (0, 0) or not on the globe, or the table needs a location but the row has none"
            ),
            _ASIDE,
        ),
        (
            "duration",
            (
                "a duration is negative, zero or longer than a week, or it differs by more than "
                "an hour from the duration computed from the clock times"
            ),
            _ASIDE,
        ),
        ("time", "a clock time cannot be read", _ASIDE),
        ("same_city", "a connection begins and ends in the same city", _ASIDE),
        (
            "unknown_city",
            "tripbed does not know the city named in a row, or the city where a station is located",
            _ASIDE,
        ),
        (
            "fast_train_over_a_day",
            "a train of class G, D or C travels for more than 24 hours",
            _ASIDE,
        ),
        ("stock", "the number of free rooms is negative or not a whole number", _ASIDE),
        (
            "id_repeated",
            (
                "an earlier row of the file has the same id, although ids should be unique "
                "and stable"
            ),
            _ASIDE,
        ),
        ("room_type", "the room type is not in the taxonomy", _ASIDE),
        ("hub_of_another_city", "a station or airport lies more than 300 km from the city", _ASIDE),
    ),
    *_rules(
        "quarantine",
        "warning",
        ("closed_for_good", "the source marks a place as permanently closed", _ASIDE),
    ),
    *_rules(
        "mark",
        "error",
        (
            "in_another_city",
            (
                "a place lies more than 500 km from its city, or it lies more than 80 km from its"
                " city and in a large city of a different province"
            ),
            _KEPT,
        ),
        (
            "datum_other",
            (
                "the locations of places that occur in two tables match only if one of the tables"
                " uses a different coordinate system from the one that tripbed assumed"
            ),
            _KEPT,
        ),
        (
            "visit_longer_than_hours",
            "the minimum duration of a visit is longer than the daily opening period",
            _KEPT,
        ),
    ),
    *_rules(
        "mark",
        "warning",
        (
            "row_number_repeated",
            "an earlier row has the same number in the column `id`",
            "the row is kept as it is, because tripbed does not derive ids from this number",
        ),
        (
            "datum_mixed",
            "a comparison with other tables shows that a table mixes coordinate systems",
            _KEPT,
        ),
        (
            "coordinates_missing",
            "both coordinates of a place are empty",
            "the place is kept without a location",
        ),
        (
            "far_from_city",
            "a place lies more than 100 km from the centre of its city",
            "the row is kept as it is, because some municipalities are that large",
        ),
        (
            "duration_missing",
            "no duration is given",
            "the duration is computed from the clock times",
        ),
        (
            "duration_clock",
            (
                "the given duration differs by 3 to 60 minutes from the duration computed "
                "from the clock times"
            ),
            "the clock times are used",
        ),
        (
            "train_other_times",
            "another train with the same number runs between the same stations at different times",
            _KEPT,
        ),
        (
            "flight_other_times",
            "another flight with the same number connects the same airports at different times",
            _KEPT,
        ),
        (
            "hours_unreadable",
            "opening hours cannot be read",
            "the opening hours are set to unknown",
        ),
        (
            "hours_empty",
            "a place opens and closes at the same time of day",
            "the opening hours are set to unknown",
        ),
        (
            "hours_filler",
            "the opening hours of a place with an entrance gate are given as 0:00-24:00",
            "the value is treated as a placeholder, so the opening hours are set to unknown",
        ),
        (
            "hours_from_midnight",
            "a place opens at 0:00",
            (
                "the opening hours are set to unknown if the place has an entrance gate; otherwise,"
                " they are kept"
            ),
        ),
        (
            "price_filler",
            (
                "the price is 0 for something that is never free (a room, a meal, a seat or a "
                "place with tickets)"
            ),
            "the value is treated as a placeholder, so the price is set to unknown",
        ),
        (
            "currency_unknown",
            (
                "the currency of a price is uncertain, because the currency code is unknown,"
                " several currencies use the same sign, the price and the currency column disagree,"
                " or the connection crosses a border"
            ),
            "the price is set to unknown",
        ),
        (
            "currency_differs",
            "rows of the same hotel have prices in different currencies",
            "the first row's currency is used; prices in other currencies are set to unknown",
        ),
        ("price_zero_doubtful", "the price of a classical garden is 0", _KEPT),
        (
            "visit_minimum_zero",
            "the minimum duration of a visit is 0",
            "the minimum duration is set to unknown",
        ),
        (
            "visit_maximum_zero",
            "the maximum duration of a visit is 0",
            "the maximum duration is set to unknown",
        ),
        (
            "visit_maximum_missing",
            "a minimum duration of a visit is given without a maximum",
            "both durations are set to unknown; the finding records the given minimum",
        ),
        (
            "visit_order",
            "the minimum duration of a visit is longer than the maximum",
            "both durations are set to unknown",
        ),
        ("rating_range", "a rating is not between 0 and 5", "the rating is set to unknown"),
        (
            "stars_range",
            "the star rating of a hotel is not between 1 and 5",
            "the star rating is set to unknown",
        ),
        (
            "grade_unknown",
            "the grade of an attraction is not between A (1A) and AAAAA (5A)",
            "the grade is set to unknown",
        ),
        (
            "stock_range",
            "a room type has more free rooms than the table layout allows",
            _KEPT,
        ),
        ("type_missing", "no type is given for an attraction", "the type is set to unknown"),
        ("type_unknown", "a type tag is not in the taxonomy", "the tag is left out"),
        (
            "base_type_missing",
            "none of an attraction's tags is a base type",
            "the base type is set to unknown",
        ),
        (
            "base_type_several",
            "several of an attraction's tags are base types",
            "the first base type is used",
        ),
        (
            "feature_unknown",
            "a hotel feature is not in the taxonomy",
            "the feature is set to unknown",
        ),
        (
            "cuisine_unknown",
            "a cuisine is in neither TravelEval's nor TripTailor's list",
            "the cuisine is set to unknown",
        ),
        ("category_unknown", "a category is not in the taxonomy", "the category is set to unknown"),
        ("room_type_unknown", "a room type is not in the taxonomy", "see `room_type`"),
        (
            "parent_unknown",
            "no row has the id that is given as the parent of a place",
            "the parent is set to unknown",
        ),
        (
            "hotel_differs",
            "rows of the same hotel differ in name, location or feature",
            "the first row is used",
        ),
        (
            "room_repeated",
            "a hotel lists the same room type more than once",
            "the first row is used",
        ),
        (
            "code_share",
            "a flight has the same airports and times as a flight with a different number",
            "the row is kept; all numbers of the flight form one code-share group",
        ),
        (
            "station_namesake",
            "a station has the same name as another station more than 2 km away",
            "the row is kept as a separate station",
        ),
        (
            "edge_bridges_gap",
            "a metro station in the middle of a line was set aside",
            "the stations before and after the missing station are connected directly",
        ),
        (
            "possible_ring",
            "the two ends of a long metro line are as close together as neighbouring stations",
            "the two ends of the line are not joined into a loop",
        ),
        (
            "hub_without_coordinates",
            "the source has no coordinates for the station or airport of a connection",
            _KEPT,
        ),
        (
            "confidence_low",
            "the confidence that the source states for a place is below the adapter's minimum",
            _KEPT,
        ),
    ),
    *_rules(
        "mark",
        "notice",
        (
            "file_missing",
            "a file is missing from the source, or it contains nothing about the city",
            "the table is empty",
        ),
        (
            "not_ours",
            "a map feature is not an attraction, hotel or restaurant in the city",
            "the feature is skipped; the finding counts such features by kind",
        ),
    ),
    *_rules(
        "fix",
        "notice",
        (
            "coordinates_swapped",
            (
                "latitude and longitude seem to be swapped, because the place is near the city "
                "only if they are exchanged"
            ),
            "latitude and longitude are swapped back",
        ),
        ("type_brackets", "a list of tags is not enclosed in braces", "the list is read anyway"),
        ("type_blank", "a list of tags contains an empty entry", "the entry is left out"),
        (
            "types_run_together",
            "two tags are written without a separator between them",
            "the text is read as two tags",
        ),
        ("type_repeated", "a tag is repeated in a list of tags", "the tag is kept only once"),
        ("feature_spaces", "there are spaces around a hotel feature", "the spaces are removed"),
        ("cuisine_spaces", "there are spaces around a cuisine", "the spaces are removed"),
        ("category_spaces", "there are spaces around a category", "the spaces are removed"),
        ("room_type_spaces", "there are spaces around a room type", "the spaces are removed"),
        (
            "cuisine_mapped",
            "a cuisine from TripTailor's list has no equivalent in TravelEval's list",
            "the most similar cuisine is used; the finding records the original cuisine",
        ),
        (
            "line_repeated",
            "a metro line occurs a second time with a different route",
            "the second route is read as a branch of the line",
        ),
    ),
    *_rules(
        "fix",
        "warning",
        (
            "attraction_repeated",
            "a row has the same name and location as an earlier attraction",
            _MERGED,
        ),
        ("hotel_repeated", "a row has the same name and location as an earlier hotel", _MERGED),
        (
            "restaurant_repeated",
            "a row has the same name and location as an earlier restaurant",
            _MERGED,
        ),
        (
            "train_repeated",
            "a row has the same number, stations and times as an earlier train",
            "the rows are merged; the lowest price is kept",
        ),
        (
            "flight_repeated",
            "a row has the same number, airports and times as an earlier flight",
            "the rows are merged; the lowest price is kept",
        ),
        ("station_repeated", "a station occurs more than once on its line", _MERGED),
        (
            "fare_repeated",
            "a fare has the same line, zones, price and number of changes as an earlier fare",
            _MERGED,
        ),
        ("hub_repeated", "a station or airport occurs more than once", _MERGED),
    ),
]

RULES: dict[str, Rule] = {rule.kind: rule for rule in _ALL}
if len(RULES) != len(_ALL):
    raise RuntimeError("two findings have the same kind")

_HEAD = """# Findings about sources

`tripbed tables audit` lists the problems in a source, row by row. A build counts the same findings
in its table `findings`. There are three severities:

- *error*: something contradicts itself or cannot be used.
- *warning*: something is doubtful, or was dropped because it is only a placeholder.
- *notice*: something was fixed without any loss, or is reported for information only.

Each kind of finding has an action: the row is fixed (`fix`), marked (`mark`), or set aside
(`quarantine`).
This page is generated by `python -m sources.tables.rules`, and a test fails if it is out of date.

| kind | severity | action | when it is found | what is done |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the text of docs/findings.md in Markdown."""
    order = {"error": 0, "warning": 1, "notice": 2}
    rows = sorted(_ALL, key=lambda rule: (order[rule.severity], rule.action, rule.kind))
    lines = (f"| `{r.kind}` | {r.severity} | {r.action} | {r.when} | {r.done} |\n" for r in rows)
    return _HEAD + "".join(lines)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
