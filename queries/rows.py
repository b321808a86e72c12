"""Makes the rows of the table ``queries`` and assigns them to splits."""

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
#: What queries share that may resemble each other.
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
    """One planned query; its split is set by ``assign_splits``."""
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


#: Draws after which a plan is held to be larger than what can be asked.
_DRAWS = 400


class Distinct:
    """Queries that were drawn so far: no two may be alike in text or in structure."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._count = 0

    def draw(
        self, make: Callable[[str], Sequence[Row]], prefix: str, path: tuple[str, ...]
    ) -> list[Row]:
        """Rows that are like no other, drawn again with another seed until they are.

        Ids of rows that were drawn again are those of the first draw. Raises PlanError, which
        names the quota, when every draw repeats.
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
            f"the quota is too high: only {self._count} different queries exist; ask for fewer",
        )


def _keys(row: Row) -> tuple[str, str, str]:
    """Both texts without marks, and the structure without its id."""
    texts = [
        _MARKS.sub("", row[column] or row["text_zh"]).lower() for column in ("text_zh", "text_en")
    ]
    # Without an English text the Chinese one stands for both.
    texts[1] += "" if row["text_en"] else " "
    return texts[0], texts[1], _UID.sub("", row["structure"])


def pair_of_cities(row: Row) -> tuple[str, ...]:
    """Queries between the same two cities may resemble each other: they share a split."""
    structure = json.loads(row["structure"])
    return (structure["start_city"], structure["target_city"])


def assign_splits(
    rows: Sequence[Row],
    unit_of: Callable[[Row], tuple[str, ...]],
    settings: SplitSettings,
    cities: Sequence[City],
) -> None:
    """Give each row a split, in place. Rows of one unit (a group, near-duplicates) stay together.

    ``cities`` are the destinations; held-out ones go to test. Raises PlanError where one of them is
    no destination, or where none is left for training.
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
    """The split of each unit, by how much it holds.

    Units fill train, then validation, then test in the order of their hash, so that the shares
    are met as closely as whole units allow.
    """
    total = sum(sizes.values())
    found: dict[Unit, str] = {}
    seen = 0
    for unit in shuffle(sorted(sizes), seed, str(total)):
        found[unit] = settings.split_at((seen + sizes[unit] / 2) / total)
        seen += sizes[unit]
    return found


def _hold_out(cities: Sequence[City], settings: SplitSettings) -> set[str]:
    """Ids of the cities that only the test split may hold."""
    path = ("queries", "splits", "test_cities")
    ids: set[str] = set()
    for number, name in enumerate(settings.test_cities):
        found = {c.city_id for c in cities if name in (c.slug, c.name_zh, c.name_en)}
        if not found:
            raise PlanningError(
                (*path, str(number)),
                f"{name} is held out but is not a destination of this profile",
            )
        ids |= found
    if cities and len(ids) == len(cities) and settings.train + settings.validation > 0:
        raise PlanningError(path, "every destination is held out: nothing is left for training")
    return ids
