"""Make the rows for the table ``queries``, and assign them to splits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from queries.drawing import shuffle
from queries.settings import PlanningError, SplitSettings
from schemas.cities import City
from schemas.ids import canonical_json

Row = dict[str, Any]
#: The key of a unit: queries that may resemble each other and therefore share a split.
Unit = TypeVar("Unit", str, tuple[str, ...])
_MARKS = re.compile(r"\W+")
_UID = re.compile(r'"uid":"[^"]*"')


def query_row(
    query_id: str,
    city: City,
    family: str,
    kind: str,
    code: str | None,
    n_days: int | None,
    texts: tuple[str, str | None],
    structure: dict[str, Any],
    stratum: str,
    status: str,
    reason: str | None = None,
) -> Row:
    """Return the row for a planned query; ``assign_splits`` sets the row's split later."""
    return {
        "query_id": query_id,
        "city_id": city.city_id,
        "family": family,
        "constraint_kind": kind,
        "constraint_code": code,
        "n_days": n_days,
        "text_zh": texts[0],
        "text_en": texts[1],
        "structure": canonical_json(structure),
        "stratum": stratum,
        "split": "train",
        "status": status,
        "reason": reason,
        "n_trajectories": 0,
        "n_candidates": 0,
    }


#: Number of draws after which it is assumed that no further different query exists.
_DRAWS = 400


class Distinct:
    """The queries drawn so far, no two of which have the same text or structure."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._count = 0

    def draw(
        self, make: Callable[[str], Sequence[Row]], prefix: str, path: tuple[str, ...]
    ) -> list[Row]:
        """Draw rows, each time with a different seed, until all of them differ from the earlier
        rows.

        The rows always get the ids of the first draw. Raises PlanningError, which names the quota,
        if every draw repeats an earlier row.
        """
        for draw in range(_DRAWS):
            seed = prefix if draw == 0 else f"{prefix}{draw}~"
            rows = list(make(seed))
            keys = [key for row in rows for key in _keys(row)]
            if len(set(keys)) == len(keys) and self._seen.isdisjoint(keys):
                self._seen.update(keys)
                self._count += len(rows)
                for row in rows:
                    row["query_id"] = prefix + row["query_id"].removeprefix(seed)
                return rows
        raise PlanningError(
            path,
            f"the quota is too high: only {self._count} different queries exist; lower the quota",
        )


def _keys(row: Row) -> tuple[str, str, str]:
    """Return both texts without punctuation, and the structure without the query's id."""
    texts = [
        _MARKS.sub("", row[column] or row["text_zh"]).lower() for column in ("text_zh", "text_en")
    ]
    # If there is no English text, the Chinese one is used for both.
    texts[1] += "" if row["text_en"] else " "
    return texts[0], texts[1], _UID.sub("", row["structure"])


def pair_of_cities(row: Row) -> tuple[str, ...]:
    """Return the start and destination; similar queries with the same pair of cities should
    share a split.
    """
    structure = json.loads(row["structure"])
    return (structure["start_city"], structure["target_city"])


def assign_splits(
    rows: Sequence[Row],
    unit_of: Callable[[Row], tuple[str, ...]],
    settings: SplitSettings,
    cities: Sequence[City],
) -> None:
    """Set the split of each row in place; all rows of a unit get the same split.

    ``cities`` are the destinations. Destinations that the settings reserve for testing are assigned
    to the test split. Raises PlanningError if a reserved city is not a destination, or if no city
    remains for training.
    """
    held_out = _hold_out(cities, settings)
    units: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        units.setdefault(unit_of(row), []).append(row)
    free = {
        unit: len(members)
        for unit, members in units.items()
        if held_out.isdisjoint(row["city_id"] for row in members)
    }
    splits = fill_splits(free, settings, "split")
    for unit, members in units.items():
        for row in members:
            row["split"] = splits.get(unit, "test")


def fill_splits(sizes: Mapping[Unit, int], settings: SplitSettings, seed: str) -> dict[Unit, str]:
    """Return each unit's split; ``sizes`` gives the number of rows in each unit.

    The units are sorted by hash. The units fill first the train split, then the validation split,
    then the test split. The resulting shares are as close as possible to those in the settings.
    """
    total = sum(sizes.values())
    found: dict[Unit, str] = {}
    seen = 0
    for unit in shuffle(sorted(sizes), seed, str(total)):
        found[unit] = settings.split_at((seen + sizes[unit] / 2) / total)
        seen += sizes[unit]
    return found


def _hold_out(cities: Sequence[City], settings: SplitSettings) -> set[str]:
    """Return the ids of the cities that only the test split may contain."""
    path = ("queries", "splits", "test_cities")
    ids: set[str] = set()
    for number, name in enumerate(settings.test_cities):
        found = {c.city_id for c in cities if name in (c.slug, c.name_zh, c.name_en)}
        if not found:
            raise PlanningError(
                (*path, str(number)),
                f"{name} is not a destination in this profile, so its queries cannot be kept for"
                " testing: correct the name",
            )
        ids |= found
    if cities and len(ids) == len(cities) and settings.train + settings.validation > 0:
        raise PlanningError(
            path, "every destination is kept for testing: leave at least one for training"
        )
    return ids
