"""Each way to break a snapshot raises the failures that it names, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas.cities import GazetteerCity
from schemas.tables import Table
from tests.counterexamples import (
    broken_build,
    broken_derived,
    broken_money,
    broken_places,
    broken_plans,
    broken_queries,
    broken_scores,
    broken_structure,
    good,
    near_misses,
)
from tests.counterexamples.breaking import Case, write_case
from tests.counterexamples.following import FOLLOWS
from tests.counterexamples.town import A, B
from validators.gates import CATALOGUE, places
from validators.gates.base import Gate, GateContext
from validators.validate import Verdict, judge, validate
from warehouse.manifest import FileEntry, Manifest

MODULES = (
    broken_structure,
    broken_places,
    broken_queries,
    broken_plans,
    broken_build,
    broken_derived,
    broken_scores,
    broken_money,
)
CASES = [case for module in MODULES for case in module.CASES]
NEAR_MISSES = [
    case
    for module in (
        broken_structure,
        broken_places,
        broken_queries,
        broken_plans,
        broken_build,
        broken_scores,
        broken_money,
        near_misses,
    )
    for case in module.NEAR_MISSES
]


#: The ids of all cities.
ALL = frozenset((A.city_id, B.city_id))


@pytest.fixture(scope="module", autouse=True)
def _towns_in_the_gazetteer() -> Iterator[None]:
    """The gazetteer holds the first invented city; the second one is unknown to it."""
    held = {A.city_id: GazetteerCity(frozenset({A.zh, A.en}), "CN", A.lat, A.lon)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "gazetteer_entries", lambda city_ids: held)
        yield


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The good snapshot."""
    path = tmp_path_factory.mktemp("good")
    good.write(path, good.book())
    return path


class Watched(GateContext):
    """A context that notes which tables a gate reads, and may know tables already.

    It notes ``before`` for a gate that looks at the last good snapshot, or at whether there is one.
    """

    def __init__(self, path: Path, known: Watched | None = None, before: Path | None = None):
        self.read: set[str] = set()
        super().__init__(path, before)
        self.read.clear()
        if known is None:
            return
        same = set(known.manifest.tables.values())
        for name, entry in self.manifest.tables.items():
            if entry in same:
                self._tables[name] = known.table(name)
                self._parts.update((e.path, known.part(name, e)) for e in entry.files)
                # Unchanged files have the footers that they had.
                for file in entry.files:
                    self.snapshot._footers[file.path] = known.snapshot.footer(file)

    def __getattribute__(self, name: str) -> Any:
        if name == "before":
            self.read.add(name)
        return super().__getattribute__(name)

    def part(self, table: str, entry: FileEntry) -> pl.DataFrame:
        self.read.add(table)
        return super().part(table, entry)

    def table(self, name: str) -> pl.DataFrame:
        self.read.add(name)
        return super().table(name)

    @property
    def manifest(self) -> Manifest:
        self.read.add("manifest")
        return super().manifest


@dataclass(frozen=True)
class Known:
    """The good snapshot, and what each gate reads of it."""

    context: Watched
    reads: dict[str, frozenset[str]]

    @property
    def path(self) -> Path:
        return self.context.path


@pytest.fixture(scope="session")
def known(base: Path) -> Known:
    reads = {}
    for gate in CATALOGUE:
        context = Watched(base)
        assert gate.check(context).is_empty(), gate.id
        reads[gate.id] = frozenset(context.read)
    return Known(Watched(base), reads)


def verdict_on(case: Case, known: Known, tmp_path: Path) -> Verdict:
    """The verdict on a case. A gate that reads nothing of what was changed says what it said."""
    path = write_case(case, known.path, tmp_path / "broken")
    earlier = None
    if case.before is not None:
        earlier = write_case(Case("before", case.before), known.path, tmp_path / "before")
    if case.on_files is not None or case.settings is not None:
        return validate(path, before=earlier)
    context = Watched(path, known.context, earlier)
    held = known.context.manifest.tables
    changed = {name for name, entry in context.manifest.tables.items() if entry != held[name]}
    if not changed and earlier is None:
        return validate(path)
    read = changed | {"before"} if earlier is not None else changed
    asked = [gate for gate in CATALOGUE if known.reads[gate.id] & read or gate.id in ON_FILES]
    cities = only_cities(context, changed_cities(context, known))
    return judge(context, [narrow(gate, changed, cities) for gate in asked])


#: Gates that look at files, past the tables. The bytes are those that the case itself wrote.
ON_FILES = ("schema", "row_counts", "nullability")
#: Gates that go from table to table, and look at its rows and those that they refer to.
TABLE_BY_TABLE = (
    "key_unique", "not_null", "codes", "limits", "finite", "patterns", "references", "same_city",
    "partitions",
)  # fmt: skip


#: Gates that go from city to city, and take tens of milliseconds for each.
CITY_BY_CITY = ("source_values", "source_values_refused", "candidates", "trajectory_scores")


class Focused(dict[str, Table]):
    """The definitions of all tables; a loop sees those that changed, or refer to one that did."""

    def __init__(self, definitions: Mapping[str, Table], changed: set[str]):
        super().__init__(definitions)
        self.changed = changed

    def items(self) -> Any:
        for name, table in super().items():
            if {name, *(to.partition(".")[0] for to in table.references.values())} & self.changed:
                yield name, table


def changed_cities(context: Watched, known: Known) -> frozenset[str]:
    """The ids of cities whose own rows changed; of all, where rows changed that are nobody's."""
    mine, held = (
        {file for entry in c.manifest.tables.values() for file in entry.files}
        for c in (context, known.context)
    )
    cities = {city.slug: city.city_id for city in (A, B)}
    values = {Path(file.path).parent.name.partition("=")[2] for file in mine ^ held}
    return frozenset(cities[v] for v in values if v in cities) if values <= {*cities} else ALL


def only_cities(context: GateContext, city_ids: frozenset[str]) -> GateContext:
    """A context whose tables have the rows of these cities, and those that are nobody's."""
    if city_ids == ALL:
        return context
    focused = copy(context)

    @cache
    def table(name: str) -> pl.DataFrame:
        rows = context.table(name)
        return rows.filter(pl.col("city_id").is_in(city_ids)) if "city_id" in rows.columns else rows

    vars(focused)["table"] = table
    return focused


def narrow(gate: Gate, changed: set[str], cities: GateContext) -> Gate:
    """A gate that goes from table to table, or from city to city, looks only at those where
    something can be wrong.
    """
    if gate.id in CITY_BY_CITY:
        return replace(gate, check=lambda _: gate.check(cities))
    if gate.id not in TABLE_BY_TABLE:
        return gate

    def check(context: GateContext) -> pl.DataFrame:
        focused = copy(context)
        focused.definitions = Focused(context.definitions, changed)
        return gate.check(focused)

    return replace(gate, check=check)


@pytest.mark.parametrize("case", [*CASES[::40], *[c for c in CASES if c.before][::10]], ids=str)
def test_gates_left_out_have_nothing_to_say(case: Case, known: Known, tmp_path: Path) -> None:
    quick = verdict_on(case, known, tmp_path / "quick")
    earlier = None
    if case.before is not None:
        earlier = write_case(Case("before", case.before), known.path, tmp_path / "before")
    full = validate(write_case(case, known.path, tmp_path / "full"), before=earlier)
    assert found(quick) == found(full)


def found(verdict: Verdict) -> set[tuple[str, ...]]:
    return set(verdict.failures.select("gate_id", "table", "column", "row").iter_rows())


def test_the_good_snapshot_passes(base: Path) -> None:
    verdict = validate(base)
    assert found(verdict) == set()
    assert len(verdict.results) == len(CATALOGUE)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_counterexample_raises_its_failures(case: Case, known: Known, tmp_path: Path) -> None:
    verdict = verdict_on(case, known, tmp_path)
    follows = {failure for failure in found(verdict) if failure[0] in FOLLOWS.get(case.name, ())}
    assert found(verdict) - (follows - case.fails) == case.fails
    assert {gate for gate, *_ in follows} == set(FOLLOWS.get(case.name, ()))
    severity = {gate.id: gate.severity for gate in CATALOGUE}
    blocked = any(severity[gate] == "error" for gate, *_ in case.fails | follows)
    assert verdict.passed is not blocked
    failed = {result.gate_id for result in verdict.results if not result.passed}
    assert failed == {gate for gate, *_ in case.fails | follows}


@pytest.mark.parametrize("case", NEAR_MISSES, ids=str)
def test_a_near_miss_passes(case: Case, known: Known, tmp_path: Path) -> None:
    assert found(verdict_on(case, known, tmp_path)) == set()


def test_every_gate_has_a_counterexample() -> None:
    assert {gate for case in CASES for gate, *_ in case.fails} == {gate.id for gate in CATALOGUE}


def test_each_case_breaks_something_and_has_a_name_of_its_own() -> None:
    assert all(case.fails for case in CASES)
    assert not any(case.fails for case in NEAR_MISSES)
    names = [case.name for case in (*CASES, *NEAR_MISSES)]
    assert len(names) == len(set(names))


def test_every_gate_has_a_near_miss_that_it_looks_at(known: Known, tmp_path: Path) -> None:
    """The case changes what the gate reads: files, settings, or one of its tables."""
    cases = {case.name: case for case in NEAR_MISSES}
    assert set(near_misses.NEAR) == {gate.id for gate in CATALOGUE}
    before, now = good.unchanged(), {name: good.book() for name in {*near_misses.NEAR.values()}}
    for name, book in now.items():
        change = cases[name].change
        if change is not None:
            change(book)
    for gate, name in near_misses.NEAR.items():
        case = cases[name]
        if case.on_files is not None or case.settings is not None or case.before is not None:
            continue
        changed = {table for table in before if now[name][table] != before[table]}
        assert changed, name
        assert known.reads[gate] & changed or gate in (*ON_FILES, "files"), (
            f"{gate} does not look at {name!r}"
        )
