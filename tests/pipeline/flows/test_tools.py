"""The tools on the bundled sample:
answered in data and words, bounded, and wrong calls in words.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest

from flows.agents import calls, page
from flows.agents.calls import MOST_CALLS, CallDesk, CallLog
from flows.agents.registry import TOOLS, Tool, ToolAnswer
from warehouse.sandbox import Sandbox


@pytest.fixture(scope="module")
def desk(built_sample: Path) -> CallDesk:
    return CallDesk(Sandbox(built_sample), CallLog(None))


def said(desk: CallDesk, name: str, /, **arguments: Any) -> str:
    found = desk.answer(name, arguments, "me")
    json.dumps(found.data)
    return f"{found.status} {found.text}"


def data(desk: CallDesk, name: str, /, **arguments: Any) -> dict[str, Any]:
    found = desk.answer(name, arguments, "me")
    assert found.ok, found.text
    return found.data


class TestAnswers:
    @pytest.mark.parametrize("name", list(TOOLS))
    def test_each_example_is_answered(self, desk: CallDesk, name: str) -> None:
        example = page._example(TOOLS[name].example, desk.box)
        answer = said(desk, name, **example)
        # The sample has neither a metro nor rooms of every hotel: that is said, not failed at.
        assert answer.startswith("200 "), answer

    def test_the_text_tells_what_the_data_does(self, desk: CallDesk) -> None:
        found = desk.answer(
            "nearby", {"city": "杭州", "table": "hotels", "where": "西湖", "k": 2}, "me"
        )
        assert [row["place_id"] in found.text for row in found.data["rows"]] == [True, True]
        near = [n.place.place_id for n in desk.box.nearby("hangzhou", "hotels", "西湖", k=2)]
        assert [row["place_id"] for row in found.data["rows"]] == near

    def test_pages_come_to_all_rows(self, desk: CallDesk) -> None:
        first = data(desk, "select", city="杭州", table="attractions", rows=50)
        pages = [
            data(desk, "select", city="杭州", table="attractions", rows=50, page=number)
            for number in range(1, first["pages"] + 1)
        ]
        ids = [row["place_id"] for one in pages for row in one["rows"]]
        assert ids == [place.place_id for place in desk.box.select("hangzhou", "attractions")]
        assert "there is no page 99; the last page is" in said(
            desk, "select", city="杭州", table="attractions", page=99
        )

    @pytest.mark.parametrize(
        "city", ["杭州", "杭州市", "Hangzhou", "HANGZHOU", "Hángzhōu", "gn1808926", "Hangchow"]
    )
    def test_a_city_by_any_of_its_names(self, desk: CallDesk, city: str) -> None:
        assert data(desk, "types", city=city)["counts"]

    def test_names_without_case_and_accents_in_the_language_asked_for(self, desk: CallDesk) -> None:
        sight = next(
            p
            for p in desk.box.select("hangzhou", "attractions")
            if p.name_en and p.name_zh and " " in p.name_en
        )
        assert sight.name_en is not None
        for name in (
            sight.name_en.upper(),
            sight.name_en.lower().replace(" ", "  "),
            sight.name_zh,
        ):
            found = data(desk, "find", city="hangzhou", name=name, lang="en")
            assert (found["place_id"], found["name"]) == (sight.place_id, sight.name_en)
        assert data(desk, "find", city="hangzhou", name=sight.place_id)["name"] == sight.name_zh

    def test_queries_facts_popularity(self, desk: CallDesk) -> None:
        first = data(desk, "queries", split="test", rows=1)["rows"][0]
        assert data(desk, "query", query_id=first["query_id"]) == first
        best = data(desk, "popular", city="杭州", rows=1)["rows"][0]
        assert best["rank"] == 1
        told = data(desk, "facts", city="杭州", where=best["place_id"])["rows"]
        assert {fact["place_id"] for fact in told} <= {best["place_id"]}


class TestChinaTravel:
    def test_calls_pages_and_results(self, desk: CallDesk) -> None:
        first = said(
            desk, "chinatravel", command="attractions_select('杭州', 'name', lambda x: True)"
        )
        assert "Page/Total: 1/" in first
        assert "Page/Total: 2/" in said(desk, "chinatravel", command="next_page()")
        assert said(desk, "chinatravel", command="Results[-2]") == first
        assert "西湖" in said(
            desk, "chinatravel", command="attractions_nearby('杭州', '西湖', 3, 1)"
        )

    def test_who_asks_while_the_tables_are_made_is_told(
        self, built_sample: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(calls, "_MAKING_S", 0.01)
        fresh = CallDesk(Sandbox(built_sample), CallLog(None))
        with fresh._making:
            assert "try again in a few seconds" in said(fresh, "chinatravel", command="next_page()")
            assert said(fresh, "cities").startswith("200"), "other tools do not wait"

    @pytest.mark.parametrize(
        ("command", "told"),
        [
            ("attraction_select('杭州')", "attractions_select"),
            ("attractions_keys('北平')", "no city named '北平'"),
            ("attractions_nearby('杭州', '不存在', 5, 2)", "No such point in the city"),
            ("attractions_select('杭州', 'kind', lambda x: True)", "Key not found."),
            ("attractions_select('杭州', 'type')", "the filter is missing"),
            ("goto('杭州', '西湖', '西湖', '25:61', 'taxi')", "not a clock time"),
            ("__import__('os').getcwd()", "commands are not run as Python"),
        ],
    )
    def test_a_wrong_call_is_told(self, desk: CallDesk, command: str, told: str) -> None:
        assert told in said(desk, "chinatravel", command=command)


class TestBadInput:
    @pytest.mark.parametrize(
        ("name", "arguments", "told"),
        [
            ("neerby", {}, "Choose from: nearby"),
            ("nearby", {"city": "杭州"}, "table: is missing; where: is missing. An example"),
            ("nearby", {"city": "杭州", "table": "sights", "where": "x"}, "one of 'attractions'"),
            (
                "nearby",
                {"city": "杭州", "table": "hotels", "where": "西湖泊"},
                "Did you mean: 西湖",
            ),
            (
                "nearby",
                {"city": "杭州", "table": "hotels", "where": "99,999"},
                "not a point on the globe",
            ),
            (
                "nearby",
                {"city": "杭州", "table": "hotels", "where": "西湖", "rows": 10_000},
                "rows: ",
            ),
            ("nearby", {"city": "杭州", "table": "hotels", "where": "西湖", "code": "1"}, "code: "),
            ("find", {"city": "Atlantis", "name": "x"}, "it has hangzhou"),
            ("find", {"city": "x" * 5_000, "name": "x"}, "city: "),
            (
                "is_open",
                {"city": "杭州", "where": "西湖", "date": "2026-13-01", "time": "10:00"},
                "YYYY-MM-DD",
            ),
            (
                "is_open",
                {"city": "杭州", "where": "西湖", "date": "2026-10-01", "time": "25:61"},
                "HH:MM",
            ),
            (
                "select",
                {"city": "杭州", "table": "hotels", "field": "pric_cents", "value": 1},
                "price_cents",
            ),
            (
                "select",
                {"city": "杭州", "table": "hotels", "field": "name", "op": "<", "value": 5},
                "cannot be compared",
            ),
            (
                "select",
                {"city": "杭州", "table": "hotels", "field": "name", "op": "in", "value": "x"},
                "a list",
            ),
            ("distance_matrix", {"city": "杭州", "places": ["西湖"] * 31}, "places: "),
            (
                "query",
                {"query_id": "tprag-hangzhou-generic-3"},
                "Did you mean: tprag-hangzhou-generic-3d",
            ),
            ("queries", {"split": "tst"}, "Did you mean: test"),
            ("popular", {"city": "杭州", "context": "season:sumer"}, "season:summer"),
        ],
    )
    def test_it_is_told_what_to_do(
        self, desk: CallDesk, name: str, arguments: dict[str, Any], told: str
    ) -> None:
        answer = said(desk, name, **arguments)
        assert not answer.startswith(("200", "500"))
        assert told in answer

    def test_no_path_of_the_disk_is_told(
        self, desk: CallDesk, built_sample: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_given: Any, **_named: Any) -> Any:
            raise OSError(5, "broken", str(built_sample))

        monkeypatch.setattr(desk.box, "city_stats", broken)
        answer = said(desk, "city_stats", city="杭州")
        assert answer.startswith("500 city_stats failed with an internal error")
        assert str(built_sample) not in answer


class TestBounds:
    @pytest.fixture
    def slow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def sleeps(_session: Any) -> ToolAnswer:
            import time

            time.sleep(0.5)
            return ToolAnswer("late", {})

        arguments = TOOLS["cities"].arguments
        monkeypatch.setitem(TOOLS, "slow", Tool("slow", "sleeps", arguments, sleeps, {}, 0.05))

    def test_a_call_that_takes_too_long_is_answered_all_the_same(
        self, built_sample: Path, tmp_path: Path, slow: None
    ) -> None:
        desk = CallDesk(Sandbox(built_sample), CallLog(tmp_path / "calls.jsonl"))
        found = anyio.run(desk.call, "slow", {}, "me", "test")
        assert (found.status, "more than 0.05 s" in found.text) == (504, True)

    def test_a_flood_is_answered_in_words_and_logged(
        self, built_sample: Path, tmp_path: Path, slow: None
    ) -> None:
        log = tmp_path / "calls.jsonl"
        desk = CallDesk(Sandbox(built_sample), CallLog(log))
        statuses: list[int] = []

        async def one() -> None:
            statuses.append((await desk.call("slow", {}, "flood", "test")).status)

        async def flood() -> None:
            async with anyio.create_task_group() as group:
                for _ in range(MOST_CALLS + 10):
                    group.start_soon(one)

        anyio.run(flood)
        assert statuses.count(429) == 10
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        assert len(lines) == MOST_CALLS + 10
        assert {line["client"] for line in lines} == {"flood"}
        assert sum("wait until one ends" in line.get("said", "") for line in lines) == 10

    def test_long_arguments_are_cut_in_the_log(self, built_sample: Path, tmp_path: Path) -> None:
        log = tmp_path / "calls.jsonl"
        desk = CallDesk(Sandbox(built_sample), CallLog(log))
        anyio.run(desk.call, "find" * 100, {"city": "x" * 10_000}, "me", "test")
        (line,) = log.read_text(encoding="utf-8").splitlines()
        assert len(line) < 3_000


def test_a_snapshot_that_goes_away_is_still_served(built_sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(built_sample, copy)
    desk = CallDesk(Sandbox(copy), CallLog(None))
    shutil.rmtree(copy)
    for name, tool in TOOLS.items():
        answer = said(desk, name, **page._example(tool.example, desk.box))
        assert answer.startswith("200"), f"{name}: {answer}"
