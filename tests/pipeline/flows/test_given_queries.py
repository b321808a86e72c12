"""Queries of the user's own files go through a build: each row is answered, and the build says so."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tests.conftest import ROOT
from tests.support.flows.running import run

SAMPLE = ROOT / "sources" / "sample" / "hangzhou"
ROWS = (
    "杭州五一三日游",
    "我们两个大人和一个孩子，从上海去杭州玩3天，预算6000元，行程慢一点",
    "去火星玩三天",
    "从苏州去杭州玩2天，预算0元",
    "电话13812345678，想去杭州玩2天，节奏慢一点",
    "杭州五一三日游",
    "Lisbon in spring for 3 days",
)


def build(folder: Path, file: Path, *more: str) -> tuple[int, str]:
    told = run(
        "build", "--direct", "--workers", "1", "--city", "hangzhou", "--profile", "own-queries",
        "--tables", str(SAMPLE / "tables"), "--documents", str(SAMPLE / "documents"),
        "--queries", str(file), "--workspace", str(folder / "ws"),
        "--out", str(folder / "out"), *more,
    )  # fmt: skip
    return told.code, told.out + told.err


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("given")
    (folder / "mine.csv").write_text("text\n" + "\n".join(ROWS) + "\n", encoding="utf-8")
    code, said = build(folder, folder / "mine.csv")
    assert code == 0, said
    return folder / "out" / "latest", said


def test_each_row_is_kept_or_says_why_not(built: tuple[Path, str]) -> None:
    snapshot, said = built
    queries = pl.read_parquet(snapshot / "data" / "queries" / "**" / "*.parquet")
    assert sorted(queries["given_line"]) == [2, 3, 6]
    assert f"given queries: {len(ROWS)} rows, 3 kept, 0 pending, 4 quarantined" in " ".join(
        said.split()
    )
    shown = json.loads(run("inspect", str(snapshot), "--given-queries", "--json").out)
    assert "duplicate" in json.dumps(shown)
    assert "no_city" in json.dumps(shown)


def test_what_was_understood_stands_with_the_query_and_a_number_does_not(
    built: tuple[Path, str],
) -> None:
    queries = pl.read_parquet(built[0] / "data" / "queries" / "**" / "*.parquet")
    by_line = {row["given_line"]: row for row in queries.to_dicts()}
    assert (by_line[2]["family"], by_line[2]["understanding"]) == ("tprag", "whole")
    stated = json.loads(by_line[3]["structure"])
    assert (stated["days"], stated["people_number"], stated["start_city"]) == (3, 3, "shanghai")
    assert "13812345678" not in str(queries.to_dicts())
    assert queries["understanding"].is_in(["whole", "partly"]).all()


def test_a_file_of_an_unknown_form_is_refused_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("alpha,beta\n1,2\n", encoding="utf-8")
    code, said = build(tmp_path, tmp_path / "odd.csv")
    assert code == 2
    assert "odd.csv" in said
    assert not (tmp_path / "out").exists()
