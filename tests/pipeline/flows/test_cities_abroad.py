"""Cities abroad are at home: their profiles, festivals, languages, money, and public holidays."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from flows.pipeline.request import make_inputs
from flows.pipeline.run import BuildResult, build_directly
from flows.pipeline.shards import Workspace
from flows.report.render import collect
from tests.support.flows.abroad import LISBON, NEW_YORK, Abroad
from warehouse.export import export
from warehouse.read import Snapshot
from warehouse.sandbox import Sandbox

pytestmark = pytest.mark.usefixtures("without_data_docs")

_HAN = r"\p{Han}"
_CHINESE_FESTIVALS = {"spring_festival", "qingming", "dragon_boat", "mid_autumn", "national_day"}


def _built(town: Abroad, profile: str, folder: Path) -> BuildResult:
    tables, pages = town.write(folder)
    inputs = make_inputs([town.city], [pages], tables, profile=profile)
    return build_directly(inputs, Workspace(folder / "work"), folder / "out")


@pytest.fixture(scope="module")
def lisbon(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    result = _built(LISBON, "full", tmp_path_factory.mktemp("lisbon"))
    assert result.published.passed, [g for g in result.published.gates if not g.passed]
    return Snapshot(result.published.path)


def _queries(snapshot: Snapshot, family: str) -> list[dict[str, object]]:
    return snapshot.table("queries").filter(pl.col("family") == family).to_dicts()


def test_budgets_and_plans_are_in_the_citys_money(lisbon: Snapshot) -> None:
    asked = _queries(lisbon, "traveleval")
    assert len(asked) >= 20
    for row in asked:
        structure = json.loads(str(row["structure"]))
        assert structure["currency"] == "EUR"
        assert f"{structure['budget']} EUR" in str(row["text_en"])
        assert f"{structure['budget']} EUR" in str(row["text_zh"])
        assert "元" not in str(row["text_zh"])
    plans = lisbon.table("witness_plans")
    assert plans.height == len(asked)
    solved = plans.filter(pl.col("solvability") == "solved")
    assert solved.height >= plans.height / 2
    told = plans.filter(pl.col("solvability") != "solved")["reason"]
    assert told.null_count() == 0
    assert not told.str.contains("yuan, ").any()


def test_queries_are_of_the_festivals_that_the_city_keeps(lisbon: Snapshot) -> None:
    asked = {
        r["constraint_code"] for r in _queries(lisbon, "tprag") if r["constraint_kind"] == "holiday"
    }
    assert "carnival" in asked
    assert not asked & _CHINESE_FESTIVALS
    contexts = set(lisbon.table("contexts")["context_code"])
    assert "carnival" in contexts
    assert not contexts & _CHINESE_FESTIVALS


def test_searches_are_in_the_language_of_the_documents(lisbon: Snapshot) -> None:
    rows = lisbon.table("sub_queries")
    assert rows.height > 400
    assert set(rows["lang"]) == {"en"}
    assert not rows["text"].str.contains(_HAN).any()


def test_the_report_counts_the_prices_of_the_city(lisbon: Snapshot) -> None:
    (city,) = collect(lisbon.path)["cities"]
    assert city["currency"] == "EUR"
    assert sum(city["histograms"]["poi_price"]) == len(LISBON.sights)
    assert sum(city["histograms"]["hotel_price"]) == len(LISBON.hotels)
    assert sum(city["histograms"]["restaurant_price"]) == len(LISBON.meals)
    filled = [n for n in city["histograms"]["hotel_price"] if n]
    assert len(filled) > 1, "bars are as far apart as prices are in euros"


@pytest.mark.parametrize(
    ("place", "date", "is_open"),
    [
        ("Jeronimos Monastery", "2026-12-25", None),  # nobody says what it does on holidays
        ("Jeronimos Monastery", "2026-12-24", True),
        ("Belem Tower", "2026-12-25", False),  # PH off
        ("Sao Jorge Castle", "2026-12-25", False),  # Dec 25 off
        ("Sao Jorge Castle", "2026-12-08", None),  # another public holiday
        ("National Tile Museum", "2026-12-25", None),
        ("National Tile Museum", "2027-10-05", None),
        ("National Tile Museum", "2026-06-01", False),  # a Monday
        ("Estrela Garden", "2026-12-25", True),  # 24/7
    ],
)
def test_public_holidays_of_the_country_close_doors(
    lisbon: Snapshot, place: str, date: str, is_open: bool | None
) -> None:
    assert Sandbox(lisbon.path).is_open("lisbon", place, date, "11:00") is is_open


def test_an_export_in_yuan_leaves_budgets_of_other_money_out(
    lisbon: Snapshot, tmp_path: Path
) -> None:
    account = export(lisbon.path, "traveleval", tmp_path / "out")
    out = [e for e in account.left_out if e.table == "queries"]
    assert len(out) == len(_queries(lisbon, "traveleval"))
    assert {e.reason for e in out} == {
        "the budget is in EUR, but all amounts in the layout must be in yuan"
    }


def test_without_trains_the_city_is_published_and_says_what_is_missing(tmp_path: Path) -> None:
    result = _built(NEW_YORK, "tables", tmp_path)
    assert result.published.passed
    rows = Snapshot(result.published.path).table("queries")
    assert set(rows["family"]) == {"tripscore"}
    assert set(rows["status"]) == {"kept"}
    (gate,) = [g for g in result.published.gates if not g.passed]
    assert (gate.gate_id, gate.severity) == ("pending_cities", "warning")
    assert (
        "new-york-city/traveleval: no trains or flights connect the city with another city"
        in gate.message
    )
