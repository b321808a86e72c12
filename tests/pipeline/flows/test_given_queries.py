"""Query files enter a build: every row is answered by itself,
and its query is one of the city's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.errors import SettingsError
from flows.pipeline.request import make_inputs
from flows.pipeline.run import BuildResult, build_directly
from flows.pipeline.shards import Workspace
from flows.pipeline.stages.base import Inputs
from flows.queries.build import build_queries
from flows.queries.given import read_given
from flows.report.given import query_counts_of, query_lines
from schemas.cities import find_city
from validators.plans.request import request_of
from warehouse.given import read_given as read_accounts

pytestmark = pytest.mark.usefixtures("without_data_docs")

ROWS = [
    ("带爸妈去杭州玩三天，不想太累，看古迹", "kept"),
    ("我叫张三，电话13800001234，想去杭州三天看园林", "kept"),
    ("当前位置上海。我两个人想去杭州玩2天，预算3500元，坐高铁去，想吃本帮菜，想尝试当地菜", "kept"),
    ("当前位置上海。我两个人想去杭州玩2天，预算0元", "budget"),
    ("", "empty"),
    ("想去东京玩3天", "city_not_built"),
    ("杭州春季三日游", "pending"),
    ("杭州春季三日游", "duplicate"),
    ("去火星玩两天", "no_city"),
    ("从上海到杭州玩两天，两个人，想吃火锅，不吃火锅", "contradiction"),
    ("Хочу поехать в Ханчжоу", "language"),
    ("Plan a 2-day trip to Hangzhou, I love museums", "kept"),
]
PROFILE = """\
name: given
families: [tprag]
documents: {allow_empty: true}
queries: {days: [3], constraint_kinds: [generic, season]}
trajectories: {per_query: 1}
candidates: {per_query: 5}
"""


def write_rows(folder: Path) -> Path:
    file = folder / "mine.csv"
    lines = [f'"{text}",{number}' for number, (text, _) in enumerate(ROWS)]
    file.write_text("\n".join(["text,stars", *lines]) + "\n", "utf-8")
    return file


def build(sample: Path, folder: Path, *files: Path, profile: str = PROFILE) -> BuildResult:
    settings = folder / "profile.yaml"
    settings.write_text(profile, "utf-8")
    inputs: Inputs = make_inputs(
        ["hangzhou"], [], sample / "tables", profile=str(settings), queries=files
    )
    return build_directly(inputs, Workspace(folder / "work"), folder / "out")


def queries_of(result: BuildResult) -> pl.DataFrame:
    return pl.read_parquet(result.published.path / "data" / "queries" / "**" / "*.parquet")


@pytest.fixture(scope="module")
def result(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> BuildResult:
    folder = tmp_path_factory.mktemp("given")
    return build(sample, folder, write_rows(folder))


def test_every_row_is_answered_by_itself(result: BuildResult) -> None:
    rows = result.queries.sort("given_line").to_dicts()
    answers = [row["reason"] if row["status"] == "quarantined" else row["status"] for row in rows]
    assert answers == [answer for _, answer in ROWS]
    counts = query_counts_of(result.queries)
    assert counts["rows"] == len(ROWS) == counts["kept"] + counts["pending"] + counts["quarantined"]
    assert rows[1]["masked"] == 2
    assert all(row["why"] for row in rows if row["status"] != "kept")
    assert "not read: stars" in rows[0]["why"]


def test_the_account_stands_beside_the_snapshot(result: BuildResult) -> None:
    held = read_accounts(result.published.path)["given_queries"]
    assert held.equals(result.queries)
    assert query_lines(held)[0].startswith(
        "given queries: 12 rows, 4 kept, 1 pending, 7 quarantined"
    )


def test_the_queries_stand_among_the_planned_ones(result: BuildResult) -> None:
    rows = queries_of(result)
    given = rows.filter(pl.col("given_file").is_not_null())
    assert given.height == 5
    assert sorted(given["family"]) == [
        "chinatravel",
        "tprag",
        "tripscore",
        "tripscore",
        "tripscore",
    ]
    spring = rows.filter(pl.col("query_id") == "tprag-hangzhou-spring-3d").to_dicts()
    assert [row["given_line"] for row in spring] == [8], "the given one stands for the planned one"
    assert not given.filter(pl.col("text_zh").str.contains("13800001234")).height
    partly = given.filter(pl.col("understanding") == "partly")
    assert partly["not_understood"].to_list() == [["想尝试当地菜"]]
    assert set(given["split"]) <= {"train", "validation", "test"}


def test_rows_that_are_no_queries_are_counted_in_the_city(result: BuildResult) -> None:
    counts = pl.read_parquet(result.published.path / "data" / "stage_counts" / "**" / "*.parquet")
    row = counts.filter((pl.col("stage") == "queries") & (pl.col("table") == "queries")).to_dicts()[
        0
    ]
    assert row["rows_quarantined"] == 3, "a budget, a contradiction and a duplicate are of the city"
    assert row["rows_merged"] == 1
    assert row["rows_in"] == row["rows_kept"] + row["rows_merged"] + row["rows_quarantined"]


def test_a_trip_with_constraints_is_a_request_that_can_be_solved(result: BuildResult) -> None:
    row = queries_of(result).filter(pl.col("family") == "chinatravel").to_dicts()[0]
    request = request_of(row)
    assert request is not None
    assert [one.kind for one in request.hard] == ["budget", "transport", "cuisine"]
    plans = pl.read_parquet(result.published.path / "data" / "witness_plans" / "**" / "*.parquet")
    assert plans["query_id"].to_list() == [row["query_id"]]


def test_equal_files_give_equal_bytes(sample: Path, tmp_path: Path, result: BuildResult) -> None:
    again = build(sample, tmp_path, write_rows(tmp_path))
    assert again.published.path.name == result.published.path.name


def test_ours_come_back_with_their_ids_and_splits(sample: Path, tmp_path: Path) -> None:
    profile = tmp_path / "ours.yaml"
    profile.write_text(
        "name: ours\nfamilies: [traveleval, tprag]\nqueries: {cities: [hangzhou, shanghai], days:"
        " [3], constraint_kinds: [generic],\n  traveleval: {easy: [1, 1, 0, 0, 0, 0], medium: [1,"
        " 0, 0, 0, 0, 0], hard: [1, 0, 0, 0, 0, 0],\n    groups: [1, 0, 0, 0, 0, 0]}}\n",
        "utf-8",
    )
    build_queries(str(profile), tmp_path / "queries", None, "tripbed")
    lines = (tmp_path / "queries" / "queries.jsonl").read_text("utf-8").splitlines()
    mine = {
        row["query_id"]: row["split"]
        for row in map(json.loads, lines)
        if row["city_id"] == "gn1808926"
    }
    made = build(
        sample,
        tmp_path,
        tmp_path / "queries",
        profile="name: own\nfamilies: []\ndocuments: {allow_empty: true}\n",
    )
    rows = queries_of(made)
    assert dict(rows.select("query_id", "split").iter_rows()) == mine
    assert set(rows["understanding"]) == {"whole"}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "a.csv",
            b"name,stars\nx,1\n",
            "the column that contains the queries must be named 'text'",
        ),
        ("a.json", b'{"queries": [', "cannot be read as JSON"),
        ("a.json", b'[{"who": 1}]', "contains no queries"),
        ("a.txt", b"", "is empty"),
        ("a.txt", "杭州旅游".encode("gb18030"), r"is not UTF-8 text \(byte 0\): save it as UTF-8"),
        ("a.parquet", b"PAR1", "cannot be read as Parquet"),
    ],
)
def test_a_file_of_no_form_says_what_is_understood(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=said):
        read_given([file], [find_city("hangzhou")])


def test_a_file_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    texts: dict[str, Any] = {
        "lines.csv.bak": "杭州旅游\n杭州春季旅游\n",
        "rows": "query\tid\n杭州旅游\t1\n",
        "objects.txt": '{"query": "杭州旅游"}\n{"query": "杭州春季旅游"}\n',
        "list.data": (
            '[{"nature_language": "杭州旅游", "start_city": "上海", "target_city": "杭州"}]'
        ),
    }
    found = {}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
        rows = read_given([tmp_path / name], [find_city("hangzhou")]).by_city["gn1808926"]
        found[name] = [row.form for row in rows]
    assert found == {
        "lines.csv.bak": ["text", "text"], "rows": ["text"], "objects.txt": ["text", "text"],
        "list.data": ["chinatravel"],
    }  # fmt: skip
