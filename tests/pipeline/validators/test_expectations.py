"""Great Expectations runs the catalogue, and native expectations of its fields: one verdict."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.counterexamples import (
    broken_build,
    broken_derived,
    broken_places,
    broken_queries,
    broken_structure,
    good,
)
from tests.counterexamples.breaking import Case, put, write_case
from tests.counterexamples.good import A
from validators.expectations import ExpectationSummary, run_expectations
from validators.gates import CATALOGUE
from validators.validate import validate

Run = Callable[..., tuple[bool, ExpectationSummary]]
SHARED = ("codes", "limits", "patterns", "key_unique")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("great_expectations")
    path = tmp_path_factory.mktemp("good")
    good.write(path, good.book())
    return path


def catalogue_passes(snapshot: Path) -> bool:
    results = {result.gate_id: result.passed for result in validate(snapshot).results}
    return all(results[gate] for gate in SHARED)


def test_the_good_snapshot_passes_and_is_shown(base: Path, tmp_path: Path) -> None:
    summary = run_expectations(
        base, tmp_path / "quality", ("pois", "evidence", "poi_tags", "trains")
    )
    assert summary.passed
    assert summary.failed == ()
    assert summary.evaluated > 40
    assert list(tmp_path.rglob("index.html")) == [tmp_path / "quality" / "index.html"]
    stored = json.loads((tmp_path / "quality" / "summary.json").read_text())
    gates = {gate.id: True for gate in CATALOGUE}
    assert stored == {
        "passed": True, "evaluated": summary.evaluated, "failed": [], "gates": gates,
    }  # fmt: skip
    page = (tmp_path / "quality" / "expectations" / "catalogue.html").read_text(encoding="utf-8")
    assert all(f"{gate.id}: " in page for gate in CATALOGUE)
    assert catalogue_passes(base)


def _twice(book: good.Book) -> None:
    book["city_stats"][A.slug] *= 2


@pytest.mark.parametrize(
    ("table", "column", "expectation", "case"),
    [
        (
            "pois",
            "category",
            "expect_column_values_to_be_in_set",
            Case("codes", put("pois", {}, category="shopping")),
        ),
        (
            "pois",
            "trend_types",
            "expect_column_values_to_match_regex",
            Case("list", put("pois", {}, trend_types=["hidden_gem", "cool"])),
        ),
        (
            "pois",
            "rating",
            "expect_column_values_to_be_between",
            Case("limits", put("pois", {}, rating=5.1)),
        ),
        (
            "trains",
            "departure_min",
            "expect_column_values_to_be_between",
            Case("time", put("trains", {}, f"{A.slug}--{good.B.slug}", departure_min=-1)),
        ),
        (
            "documents",
            "doc_id",
            "expect_column_values_to_match_regex",
            Case("pattern", put("documents", {}, doc_id="d1")),
        ),
        (
            "city_stats",
            "city_id,metric,unit",
            "expect_compound_columns_to_be_unique",
            Case("key", _twice),
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, Case) else None,
)
def test_a_broken_one_fails_in_both(
    base: Path, tmp_path: Path, table: str, column: str, expectation: str, case: Case
) -> None:
    snapshot = write_case(case, base, tmp_path / "broken")
    summary = run_expectations(snapshot, tmp_path / "quality", (table,), catalogue=())
    assert summary.failed == ((table, column, expectation),)
    assert not summary.passed
    assert not catalogue_passes(snapshot)


#: One of each kind: files, schemas, rows of every theme, settings, warnings, an earlier snapshot.
BROKEN = {
    "a file lost", "a column added", "a rating of ten", "a mention of no place",
    "a place in another province", "a route that no map knows", "a family without a query",
    "surer than the comparison was", "twice as many rows",
}  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        case
        for module in (
            broken_structure,
            broken_places,
            broken_queries,
            broken_derived,
            broken_build,
        )
        for case in module.CASES
        if case.name in BROKEN
    ],
    ids=str,
)
def test_every_gate_has_the_same_verdict_in_both(base: Path, tmp_path: Path, case: Case) -> None:
    snapshot = write_case(case, base, tmp_path / "broken")
    before = (
        write_case(Case("before", case.before), base, tmp_path / "before") if case.before else None
    )
    summary = run_expectations(snapshot, tmp_path / "quality", (), before)
    verdict = validate(snapshot, before=before)
    assert summary.gates == {result.gate_id: result.passed for result in verdict.results}
    assert not all(summary.gates.values())
    shown = next((tmp_path / "quality" / "validations").rglob("snapshot-tables.html"))
    assert verdict.failures["message"][0][:20] in html.unescape(shown.read_text(encoding="utf-8"))
    assert summary.passed == verdict.passed
