"""Find places of a city by name: as written first, then without case, accents and spaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import pyarrow as pa

from schemas.place_names import fold, fold_names
from warehouse.columns import PlaceTable
from warehouse.errors import nearest_words

#: A place: its table, and its row there.
Hit = tuple[str, int]
_NAMING = ("place_id", "name_zh", "name_en", "name")


class PlaceNames:
    """Ids, names and aliases of the places of a city's tables.

    An alias stands for its place only where no place has it as its name; a folded form only where
    no name is written as asked.
    """

    def __init__(self, tables: Mapping[str, PlaceTable], aliases: pa.Table):
        self._own = _own_names(tables)
        pairs = zip(*(aliases.column(c).to_pylist() for c in ("poi_id", "alias")), strict=True)
        self._aliases: dict[str, list[Hit]] = {}
        for poi, alias in pairs:
            if poi in self._own and alias not in self._own:
                self._aliases.setdefault(alias, []).extend(self._own[poi])

    @cached_property
    def _folded(self) -> tuple[dict[str, list[Hit]], ...]:
        return _by_fold(self._own), _by_fold(self._aliases)

    def hits(self, name: str, table: str | None = None) -> list[Hit]:
        """Places of a name, of one table if it is given; empty where there are none."""
        form = fold(name)
        asked = [(self._own, name), (self._aliases, name)]
        asked += [(index, form) for index in self._folded] if form else []
        found = (_of(index.get(called, ()), table) for index, called in asked)
        return next((hits for hits in found if hits), [])

    def near(self, name: str, table: str | None = None) -> tuple[str, ...]:
        """Names that come close to one that no place has, of one table if it is given."""
        return nearest_words(
            name,
            (
                n
                for index in (self._own, self._aliases)
                for n, hits in index.items()
                if _of(hits, table)
            ),
        )


def _own_names(tables: Mapping[str, PlaceTable]) -> dict[str, list[Hit]]:
    found: dict[str, list[Hit]] = {}
    for kind, held in tables.items():
        columns = [held.values(c) for c in _NAMING if c in held.fields]
        for cells in zip(range(len(held)), *columns, strict=True):
            for name in dict.fromkeys(filter(None, cells[1:])):
                found.setdefault(name, []).append((kind, cells[0]))
    return found


def _by_fold(index: Mapping[str, list[Hit]]) -> dict[str, list[Hit]]:
    found: dict[str, list[Hit]] = {}
    for form, hits in zip(fold_names(list(index)), index.values(), strict=True):
        if form:
            found.setdefault(form, []).extend(hit for hit in hits if hit not in found.get(form, ()))
    return found


def _of(hits: Iterable[Hit], table: str | None) -> list[Hit]:
    return [hit for hit in hits if table is None or hit[0] == table]
