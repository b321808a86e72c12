"""The leaderboard's page in a browser, with every figure of every paper, at two widths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.flows.report.browser import CHROMIUM, Browser
from tests.support.flows.running import run


@pytest.fixture(scope="module")
def board(built_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs."""
    folder = tmp_path_factory.mktemp("board")
    for name in ("one", "another run of the same queries"):
        done = run(
            "bench",
            "run",
            built_sample,
            "--planner",
            "nearest",
            "--out",
            folder / name,
            "--limit",
            "3",
        )
        assert done.code == 0, done.err
    page = folder / "board.html"
    run("bench", "report", folder / "one", folder / name, "--metrics", "all", "--out", page)
    return page


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [1400, 390])
def test_all_figures_at_a_width(browser: Browser, board: Path, width: int) -> None:
    browser.open(board, width=width)
    assert browser.run("document.documentElement.scrollWidth") <= width
    papers = browser.run(
        "[...document.querySelectorAll('#all .paper')].map(row => row.textContent)"
    )
    assert papers == [
        "Checks",
        "TP-RAG",
        "TravelEval",
        "TripTailor",
    ], "places alone were asked for"
    # The name of a figure stays in sight however far its table is moved.
    left = (
        "Math.round(document.querySelector('#all tbody:nth-of-type(2)"
        " th[scope=row]').getBoundingClientRect().left)"
    )
    before = browser.run(left)
    browser.run("document.querySelector('#all .scroll').scrollLeft = 10_000")
    browser.settle()
    assert browser.run(left) == before
    assert browser.problems == []
    assert [url for url in browser.requests if not url.startswith("file:")] == []
