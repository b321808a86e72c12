"""Makes the rows of the table ``queries`` and assigns them to splits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from queries.drawing import shuffle
from queries.settings import PlanningError, SplitSettings
from schemas.cities import City
from schemas.ids import canonical_json

Row = dict[str, Any]
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


def hold_out_cities(cities: Iterable[City], settings: SplitSettings) -> list[str]:
    """Ids of the cities that only the test split may hold.

    Raises PlanError where one of them is no destination, or where none is left for training.
    """
    known = list(cities)
    ids = []
    for number, name in enumerate(settings.test_cities):
        found = [c.city_id for c in known if name in (c.slug, c.name_zh, c.name_en)]
        if not found:
            raise PlanningError(
                ("queries", "splits", "test_cities", str(number)),
                f"{name} is held out but is not a destination of this profile",
            )
        ids += found
    if known and len(set(ids)) == len(known) and settings.train + settings.validation > 0:
        raise PlanningError(
            ("queries", "splits", "test_cities"),
            "every destination is held out: nothing is left for training",
        )
    return ids


def assign_splits(
    rows: Sequence[Row],
    unit_of: Callable[[Row], tuple[str, ...]],
    settings: SplitSettings,
    test_city_ids: Iterable[str] = (),
) -> None:
    """Give each row a split, in place. Rows of one unit (a group, near-duplicates) stay together.

    Units fill train, then validation, then test in the order of their hash, so that the shares
    are met as closely as whole units allow. Held-out destinations go to test.
    """
    held_out = frozenset(test_city_ids)
    units: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        units.setdefault(unit_of(row), []).append(row)
    free = []
    for unit in sorted(units):
        if any(row["city_id"] in held_out for row in units[unit]):
            _mark(units[unit], "test")
        else:
            free.append(unit)
    total = sum(len(units[unit]) for unit in free)
    seen = 0
    for unit in shuffle(free, "split", str(total)):
        middle = (seen + len(units[unit]) / 2) / total
        seen += len(units[unit])
        late = middle >= settings.train + settings.validation
        _mark(
            units[unit], "test" if late else "validation" if middle >= settings.train else "train"
        )


def _mark(rows: Iterable[Row], split: str) -> None:
    for row in rows:
        row["split"] = split
