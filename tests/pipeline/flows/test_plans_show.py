"""``tripbed plans show``: a page or JSON of one plan, and clear words where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.errors import SettingsError
from flows.plans.show import show
from tests.counterexamples import good
from tests.counterexamples.broken_queries import ASKED


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("show")
    good.write(path, good.book())
    return path


def test_a_page_holds_map_days_costs_and_verdicts(
    snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "plan.html"
    assert show(snapshot, ASKED, "proof", out, False) == 0
    assert capsys.readouterr().out.strip() == str(out)
    page = out.read_text("utf-8")
    parts = ("<svg", "Day 1", "Costs", "constraints and wishes are met")
    assert all(part in page for part in parts)
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_json_tells_costs_that_sum_up(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(snapshot, ASKED, None, None, True) == 0
    told = json.loads(capsys.readouterr().out)
    assert sum(told["costs"].values()) == told["total_cents"] > 0
    assert [day["title"].split(",")[0] for day in told["days"]] == ["Day 1", "Day 2"]


def test_neither_a_query_nor_a_file(snapshot: Path) -> None:
    with pytest.raises(SettingsError, match="is neither a query"):
        show(snapshot, "nothing", None, None, False)
