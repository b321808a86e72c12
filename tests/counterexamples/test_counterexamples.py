"""Each way to break a snapshot raises the failures that it names, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.counterexamples import broken_places, broken_queries, broken_structure, good
from tests.counterexamples.breaking import Case, write_case
from validators.gates import CATALOGUE
from validators.validate import Verdict, validate

MODULES = (broken_structure, broken_places, broken_queries)
CASES = [case for module in MODULES for case in module.CASES]
NEAR_MISSES = [case for module in MODULES for case in module.NEAR_MISSES]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The good snapshot."""
    path = tmp_path_factory.mktemp("good")
    good.write(path, good.book())
    return path


def verdict_on(case: Case, base: Path, tmp_path: Path) -> Verdict:
    return validate(write_case(case, base, tmp_path / "broken"))


def found(verdict: Verdict) -> set[tuple[str, ...]]:
    return set(verdict.failures.select("gate_id", "table", "column", "row").iter_rows())


def test_the_good_snapshot_passes(base: Path) -> None:
    verdict = validate(base)
    assert found(verdict) == set()
    assert len(verdict.results) == len(CATALOGUE)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_counterexample_raises_its_failures(case: Case, base: Path, tmp_path: Path) -> None:
    verdict = verdict_on(case, base, tmp_path)
    assert found(verdict) == case.fails
    severity = {gate.id: gate.severity for gate in CATALOGUE}
    blocked = any(severity[gate] == "error" for gate, *_ in case.fails)
    assert verdict.passed is not blocked
    failed = {result.gate_id for result in verdict.results if not result.passed}
    assert failed == {gate for gate, *_ in case.fails}


@pytest.mark.parametrize("case", NEAR_MISSES, ids=str)
def test_a_near_miss_passes(case: Case, base: Path, tmp_path: Path) -> None:
    assert found(verdict_on(case, base, tmp_path)) == set()


def test_every_gate_has_a_counterexample() -> None:
    assert {gate for case in CASES for gate, *_ in case.fails} == {gate.id for gate in CATALOGUE}


def test_each_case_breaks_something_and_has_a_name_of_its_own() -> None:
    assert all(case.fails for case in CASES)
    assert not any(case.fails for case in NEAR_MISSES)
    names = [case.name for case in (*CASES, *NEAR_MISSES)]
    assert len(names) == len(set(names))
