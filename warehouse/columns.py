"""Holds a city's places in memory as Arrow columns with indexes, and finds places by name.

Each index is built only when it is needed. The code uses only numpy and Arrow, on one thread and
without locks. Two threads that work at the same time get equal results, and a process can be forked
at any time.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.geo import arc_m, chord_m, ellipsoid_xyz
from schemas.place_names import fold, fold_names
from warehouse.errors import SandboxError, nearest_words
from warehouse.records import Near, Place, Point

T = TypeVar("T")
OPS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
#: A spatial tree is made only for more places than this. For fewer places, computing all distances
#: takes 0.05 ms (measured).
TREE_FROM = 1_000
#: Endings of column names that contain numbers.
_NUMBER_ENDINGS = ("_cents", "_min", "_row")
_OTHER_OPS = ("in", "contains", "known", "unknown")


class Rows(Sequence[T], Generic[T]):
    """A sequence of answers, each of which is computed only when it is accessed."""

    __slots__ = ("_build", "_numbers")

    def __init__(self, numbers: Sequence[int] | NDArray[np.int64], build: Callable[[int], T]):
        self._numbers, self._build = numbers, build

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Rows[T]: ...
    def __getitem__(self, at: int | slice) -> T | Rows[T]:
        if isinstance(at, slice):
            return Rows(self._numbers[at], self._build)
        return self._build(int(self._numbers[at]))

    def __iter__(self) -> Iterator[T]:
        return (self._build(int(number)) for number in self._numbers)

    def __repr__(self) -> str:
        shown = ", ".join(repr(one) for one in self[:3])
        return f"<{len(self)} rows: {shown}{', ...' if len(self) > 3 else ''}>"

    def __reduce__(self) -> Any:
        return list, (list(self),)


class PlaceTable:
    """The places of one city in one table. ``build`` makes a record from a row.

    ``derived`` contains additional columns as lists. The lists are converted to Arrow only when
    needed, because the conversion makes pyarrow import pandas.
    """

    def __init__(
        self,
        held: pa.Table,
        derived: Mapping[str, Sequence[Any]],
        build: Callable[[Mapping[str, Any]], Place],
    ):
        self._held, self._derived, self._build = held, derived, build
        self._cells = {name: held.column(name).combine_chunks() for name in held.column_names}
        self._records: dict[int, Place] = {}
        self._values: dict[str, Any] = {}
        self._index: dict[str, dict[Any, NDArray[np.int64]]] = {}

    def __len__(self) -> int:
        return int(self._held.num_rows)

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return (*self._held.column_names, *self._derived)

    def arrow(self) -> pa.Table:
        """Return all columns as an Arrow table."""
        table = self._held
        for name, values in self._derived.items():
            table = table.append_column(name, pa.array(values))
        return table

    def record(self, number: int) -> Place:
        """Return the record of a row; each record is made only once."""
        if number not in self._records:
            row = {name: column[number].as_py() for name, column in self._cells.items()}
            row |= {name: values[number] for name, values in self._derived.items()}
            self._records[number] = self._build(row)
        return self._records[number]

    def rows(self, numbers: NDArray[np.int64]) -> Rows[Place]:
        """Return the records of the rows with these numbers."""
        return Rows(numbers, self.record)

    def values(self, field: str) -> Any:
        """Return a column: numbers as an array, with NaN for unknown values, and anything else as a
        list.

        Raises SandboxError if the table does not have the field.
        """
        if field not in self._values:
            if field not in self.fields:
                raise SandboxError(
                    f"there is no field called {field!r}", nearest_words(field, self.fields)
                )
            column = self._column(field)
            is_number = self._is_number(field)
            self._values[field] = np.array(column, np.float64) if is_number else column
        return self._values[field]

    def _column(self, field: str) -> list[Any]:
        if field in self._derived:
            return list(self._derived[field])
        return list(self._held.column(field).to_pylist())

    def _is_number(self, field: str) -> bool:
        """Check whether a column contains numbers.

        For a derived column, the answer depends on the column's name, because all of its values may
        be null.
        """
        if field in self._derived:
            return field.endswith(_NUMBER_ENDINGS)
        kind = self._held.schema.field(field).type
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))

    def index(self, field: str) -> dict[Any, NDArray[np.int64]]:
        """Return the row numbers for each value of a column, or for each element of its lists."""
        if field not in self._index:
            found: dict[Any, list[int]] = defaultdict(list)
            for number, value in enumerate(self.values(field)):
                for one in value if isinstance(value, list) else (value,):
                    if one is not None:
                        found[one].append(number)
            self._index[field] = {key: np.array(numbers) for key, numbers in found.items()}
        return self._index[field]

    def where(self, field: str, op: str, value: Any) -> NDArray[np.int64]:
        """Return the numbers of the rows for which a comparison is known to be true."""
        values = self.values(field)
        if op in ("known", "unknown"):
            if isinstance(values, np.ndarray):
                known = ~np.isnan(values)
            else:
                known = np.array([v is not None and v != [] for v in values], dtype=bool)
            return np.flatnonzero(known if op == "known" else ~known)
        if isinstance(values, np.ndarray):
            return self._compare(values, field, op, value)
        holds_lists = any(isinstance(value, list) for value in values[:1])
        if op in ("==", "in") or (op == "contains" and holds_lists):
            wanted = value if op == "in" else (value,)
            index = self.index(field)
            parts = [index[one] for one in dict.fromkeys(wanted) if one in index]
            if len(parts) == 1:
                return parts[0]
            return np.unique(np.concatenate(parts)) if parts else np.array([], dtype=np.int64)
        test = self._test(op, value)
        return np.array([n for n, v in enumerate(values) if v is not None and test(v)], np.int64)

    def _compare(self, values: Any, field: str, op: str, value: Any) -> NDArray[np.int64]:
        if op == "in":
            return np.flatnonzero(np.isin(values, [float(one) for one in value]))
        if op not in OPS:
            raise SandboxError(
                f"the operator {op!r} cannot be used with {field}, which is a number", tuple(OPS)
            )
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SandboxError(f"{field} is a number, so it cannot be compared with {value!r}", ())
        found = OPS[op](values, value)
        return np.flatnonzero(found & ~np.isnan(values) if op == "!=" else found)

    @staticmethod
    def _test(op: str, value: Any) -> Callable[[Any], bool]:
        if op == "contains":
            return lambda held: value in held
        if op not in OPS:
            raise SandboxError(f"there is no operator called {op!r}", (*OPS, *_OTHER_OPS))
        compare = OPS[op]
        return lambda held: bool(compare(held, value))

    @cached_property
    def _spatial(self) -> tuple[Any, NDArray[np.int64], NDArray[np.float64]]:
        """Return a search tree of the located places (or None if they are few), their row numbers
        and their coordinates.
        """
        lat, lon = self.values("lat"), self.values("lon")
        numbers = np.flatnonzero(~(np.isnan(lat) | np.isnan(lon)))
        points = ellipsoid_xyz(lat[numbers], lon[numbers]).reshape(-1, 3)
        if len(points) <= TREE_FROM:
            return None, numbers, points
        # SciPy takes half a second to import.
        from scipy.spatial import cKDTree

        return cKDTree(points), numbers, points

    def near(self, point: Point, k: int | None, radius_m: float | None) -> Rows[Near]:
        """Find the places around a point, nearest first; ties are in the order of the table."""
        tree, numbers, points = self._spatial
        here = ellipsoid_xyz(*point)
        chord = np.inf if radius_m is None else chord_m(radius_m) * (1 + 1e-12)
        if tree is None:
            away = points - here
            chords = np.sqrt(np.einsum("ij,ij->i", away, away))
            at = np.flatnonzero(chords <= chord)
            chords = chords[at]
        elif k is not None:
            chords, at = tree.query(here, k=min(k, len(numbers)), distance_upper_bound=chord)
            chords, at = np.atleast_1d(chords), np.atleast_1d(at)
            chords, at = chords[np.isfinite(chords)], at[np.isfinite(chords)]
        else:
            at = np.array(tree.query_ball_point(here, chord), dtype=np.int64)
            chords = np.linalg.norm(points[at] - here, axis=1)
        order = np.lexsort((at, chords))[:k]
        metres, rows = arc_m(chords[order]), numbers[at[order]]
        return Rows(range(len(rows)), lambda n: Near(self.record(int(rows[n])), float(metres[n])))


#: A place, given by its table and its row number.
Hit = tuple[str, int]
_NAMING = ("place_id", "name_zh", "name_en", "name")


class PlaceNames:
    """Finds the places in a city by id, name or alias.

    An alias counts only if no place has the alias as its name. A simplified form counts only if no
    name is spelt exactly as in the text.
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
        """Find the places with this name in the given table or, by default, in all tables."""
        form = fold(name)
        asked = [(self._own, name), (self._aliases, name)]
        asked += [(index, form) for index in self._folded] if form else []
        found = (_of(index.get(called, ()), table) for index, called in asked)
        return next((hits for hits in found if hits), [])

    def near(self, name: str, table: str | None = None) -> tuple[str, ...]:
        """Find names that resemble an unknown name in the given table or, by default, in all
        tables.
        """
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
