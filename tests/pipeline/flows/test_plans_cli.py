"""``tripbed plans check`` and ``tripbed plans score`` on the bundled sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas.arrow import frame
from tests.support.flows import running
from validators.plans.visits import trajectory_scores
from warehouse.read import Snapshot


@pytest.fixture
def plan(built_sample: Path) -> dict[str, Any]:
    """A plan of the sample city with one sight, neither journey nor ways."""
    sight = Snapshot(built_sample).table("pois").drop_nulls("name_zh")["name_zh"][0]
    visit = {
        "type": "attraction", "start_time": "10:00", "end_time": "11:00", "position": sight,
        "price": 0, "cost": 0, "tickets": 1, "transports": [],
    }  # fmt: skip
    return {
        "people_number": 1, "start_city": "上海", "target_city": "杭州",
        "itinerary": [{"day": 1, "activities": [visit]}],
    }  # fmt: skip


def run(*words: object) -> running.Outcome:
    return running.run("plans", *words)


class TestCheck:
    def test_a_plan_that_fails_is_exit_code_1(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        (tmp_path / "p.json").write_text(json.dumps(plan), encoding="utf-8")
        found = run("check", built_sample, tmp_path / "p.json", "--json")
        report = json.loads(found.out)[0]
        failed = [v["constraint"] for v in report["environment"] if v["passed"] is False]
        assert (found.code, report["plan_id"], report["passed"]) == (1, "p", False)
        assert "intercity_present" in failed
        assert "attraction_exists" not in failed

    def test_a_malformed_plan_names_its_elements(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        del plan["people_number"]
        (tmp_path / "p.json").write_text(json.dumps(plan), encoding="utf-8")
        (tmp_path / "q.json").write_text("{", encoding="utf-8")
        found = run("check", built_sample, tmp_path)
        assert found.code == 1
        assert (
            "p: cannot be read as a plan (response_format)\n  people_number: is missing\n"
            in found.out
        )
        assert "\n  not JSON" in found.out
        assert "unknown" not in found.out, "what cannot be told is not listed one by one"
        assert found.last_line == "0 of 2 plans pass"

    def test_a_plan_of_stops_only_is_told_so(self, built_sample: Path, tmp_path: Path) -> None:
        stop = {"POI name": "x", "Start visit time": "9:99", "End visit time": ""}
        good = {"Day 1": [stop | {"Start visit time": "09:00"}]}
        (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, (good, {"Day 1": [stop]}))))
        found = run("check", built_sample, tmp_path / "p.jsonl")
        assert found.code == 1
        assert "well-formed, but TP-RAG's form has no fields for" in found.out
        assert "Day 1[0].Start visit time" in found.out

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["nowhere.json"], "this file or folder does not exist"),
            (["p.json", "--query", "q"], "has no query 'q'"),
        ],
    )
    def test_wrong_input_is_exit_code_2(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, words: list[str], message: str,
    ) -> None:  # fmt: skip
        monkeypatch.chdir(tmp_path)
        Path("p.json").write_text(json.dumps(plan), encoding="utf-8")
        found = run("check", built_sample, *words)
        assert found.code == 2
        assert message in found.err

    def test_a_city_that_the_snapshot_does_not_hold(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        """It is one plan's fault: the others are checked all the same."""
        lines = [json.dumps(plan | {"target_city": city}) for city in ("成都", "杭州")]
        (tmp_path / "p.jsonl").write_text("\n".join(lines), encoding="utf-8")
        found = run("check", built_sample, tmp_path / "p.jsonl")
        assert found.code == 1
        assert "target_city: '成都' is not in the snapshot" in found.out
        assert "p:2: does not pass\n  intercity_present fails" in found.out

    def test_a_query_that_is_not_judged_is_said(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        known = Snapshot(built_sample).table("queries")["query_id"][0]
        lines = [json.dumps({"query_id": q, "plan": plan}) for q in ("gone", known)]
        (tmp_path / "p.jsonl").write_text("\n".join(lines), encoding="utf-8")
        found = run("check", built_sample, tmp_path / "p.jsonl")
        assert "checked without a query: the snapshot has no query gone" in found.out
        assert f"checked without a query: {known} has no constraints" in found.out


class TestScore:
    def test_all_forms_in_one_file(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        sight = plan["itinerary"][0]["activities"][0]["position"]
        other = {"POI name": "nowhere", "Start visit time": "12:00", "End visit time": "13:00"}
        tprag = {"Day 1": [{"POI name": sight}, other]}
        lines = [json.dumps(plan), json.dumps({"plan_id": "t", "plan": tprag}), "{"]
        (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
        out = tmp_path / "scores.parquet"
        found = run("score", built_sample, tmp_path / "many.jsonl", "--out", out)
        rows = pl.read_parquet(out)
        assert found.code == 1
        assert rows["plan_id"].to_list() == ["many:1", "t", "many:3"]
        assert rows["n_visits"].to_list() == [1, 2, 0]
        assert rows["failure_rate"].to_list() == [0.0, 0.5, None]
        assert rows["problem"][2].startswith("not JSON")

    def test_trajectories_are_ranked_within_their_query(
        self, built_sample: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "routes.parquet"
        assert run("score", built_sample, "--trajectories", "--out", out).code == 0
        rows = pl.read_parquet(out)
        routes = Snapshot(built_sample).table("query_trajectories")
        assert rows.height == routes.height > 0
        for (_,), group in rows.group_by("query_id"):
            assert group["quality_rank"].sort().to_list() == list(range(1, group.height + 1))
        assert rows["failure_rate"].is_between(0, 1).all()
        assert (rows["failure_rate"] > 0).any(), "some places only their own document knows"
        assert rows.equals(Snapshot(built_sample).table("trajectory_scores")), (
            "as the build made it"
        )

    @pytest.mark.parametrize("words", [("score", "--trajectories"), ("solve",)])
    def test_a_folder_is_no_file_to_write(
        self, built_sample: Path, tmp_path: Path, words: tuple[str, ...]
    ) -> None:
        (tmp_path / "out.parquet").mkdir()
        found = run(*words, built_sample, "--out", tmp_path / "out.parquet")
        assert found.code == 2
        assert "is a folder" in found.err

    def test_neither_plans_nor_trajectories(self, built_sample: Path) -> None:
        assert run("score", built_sample).code == 2


def test_no_trajectories_are_no_rows() -> None:
    assert trajectory_scores(lambda name: frame(name, [])).height == 0


def test_a_reference_without_a_place_is_scored_last() -> None:
    """Rows in are rows out: what cannot be counted is unknown."""
    city = {"city_id": "gn1"}
    tables = {
        "query_trajectories": [
            {"query_id": "q", **city, "rank": n, "trajectory_id": t, "score": 1.0}
            for n, t in enumerate("ab", 1)
        ],
        "trajectories": [
            {
                "trajectory_id": t,
                **city,
                "doc_id": t,
                "n_trip_days": 1,
                "n_visits": len(visits),
                "noisy_visits": [],
                "edits": [],
                "clean_visits": [
                    {"day": 1, "order": n, "poi_id": p, "name": p} for n, p in enumerate(visits, 1)
                ],
            }
            for t, visits in (("a", ""), ("b", "xyx"))
        ],
    }
    scored = trajectory_scores(lambda name: frame(name, tables.get(name, []))).to_dicts()
    assert [(r["trajectory_id"], r["quality_rank"]) for r in scored] == [("a", 2), ("b", 1)]
    assert [r["repetition_rate"] for r in scored] == [None, 0.333333]
    assert [r["length_m"] for r in scored] == [None, None]


class TestScoreByPaper:
    def test_every_form_and_every_fault_has_a_row(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        sight = plan["itinerary"][0]["activities"][0]["position"]
        tailor = {
            "hotel": [],
            "transportation": [],
            "itinerary": {
                "Day 1": [{"action": "sightseeing", "location": sight, "time": "10:00-11:00"}]
            },
        }
        tprag = {"Day 1": [{"POI name": sight, "Start visit time": "25:61"}]}
        many = [json.dumps({"plan_id": f"p{n}", "plan": value}) for n, value in enumerate(
            (plan, tailor, tprag, plan | {"target_city": "成都"}, {"itinerary": []})
        )]  # fmt: skip
        (tmp_path / "mine.jsonl").write_text("\n".join([*many, "{"]), encoding="utf-8")
        out = tmp_path / "scores.parquet"
        found = run(
            "score",
            built_sample,
            tmp_path / "mine.jsonl",
            "--metrics",
            "all",
            "--out",
            out,
            "--json",
        )
        rows = pl.read_parquet(out)
        told = json.loads(found.out)
        assert found.code == 1
        assert (told["plans"], told["problems"], rows.height) == (6, 4, 6)
        assert rows["method"].unique().to_list() == ["mine"]
        assert rows["form"].to_list()[:3] == ["chinatravel", "triptailor", None]
        assert "25:61" in rows["problem"][2]
        assert "the plan's city is unclear (成都)" in rows["problem"][3]
        assert rows["chinatravel_delivered"].to_list() == [1.0, None, 0.0, 0.0, 0.0, 0.0]
        assert rows["traveleval_far"].to_list()[:3] == [0.0, 0.0, None]
        assert told["tables"]["chinatravel"]["DR"] == 0.2
        assert told["tables"]["tprag"]["plans"] == 2

    def test_triptailors_form_is_told_and_scored(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        sight = plan["itinerary"][0]["activities"][0]["position"]
        day = [{"action": "sightseeing", "location": sight, "time": "10:00-11:00", "price": 0}]
        told = {"hotel": [], "itinerary": {"Day 1": day}}
        (tmp_path / "p.json").write_text(json.dumps(told), encoding="utf-8")
        checked = run("check", built_sample, tmp_path / "p.json")
        assert "well-formed, but TripTailor's form has no fields for" in checked.out
        out = tmp_path / "scores.parquet"
        assert run("score", built_sample, tmp_path / "p.json", "--out", out).code == 0
        assert pl.read_parquet(out)["n_visits"].to_list() == [1]

    def test_tprag_alone_gives_what_score_gives(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        (tmp_path / "p.json").write_text(json.dumps(plan), encoding="utf-8")
        one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
        assert run("score", built_sample, tmp_path / "p.json", "--out", one).code == 0
        by_paper = run(
            "score", built_sample, tmp_path / "p.json", "--out", other, "--metrics", "tprag"
        )
        assert by_paper.code == 0
        assert "FR: 0.0000" in by_paper.out
        shared = [
            name for name in pl.read_parquet(one).columns if name in pl.read_parquet(other).columns
        ]
        assert len(shared) > 6
        assert pl.read_parquet(one).select(shared).equals(pl.read_parquet(other).select(shared))

    def test_methods_are_compared(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path
    ) -> None:
        for name in ("a", "b"):
            (tmp_path / f"{name}.json").write_text(json.dumps(plan), encoding="utf-8")
        out = tmp_path / "scores.parquet"
        found = run(
            "score",
            built_sample,
            tmp_path,
            "--metrics",
            "chinatravel,tprag",
            "--out",
            out,
            "--json",
        )
        told = json.loads(found.out)
        assert set(told["methods"]) == set(told["tprag_ranks"]) == {"a", "b"}
        assert told["tprag_ranks"]["a"] == told["tprag_ranks"]["b"], "equal plans share a rank"
        assert told["tprag_ranks"]["a"]["R_C"] == 1.0
        assert told["tprag_ranks"]["a"]["R_R"] is None, "relevance is judged by a model"

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["p.json", "--metrics", "tprag,mine"], "mine is not one of tprag"),
            (["p.json", "--metrics", " , "], "nothing is not one of"),
            (["--trajectories", "--metrics", "tprag"], "leave out --metrics"),
        ],
    )
    def test_wrong_words_are_exit_code_2(
        self, built_sample: Path, plan: dict[str, Any], tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch, words: list[str], message: str,
    ) -> None:  # fmt: skip
        monkeypatch.chdir(tmp_path)
        Path("p.json").write_text(json.dumps(plan), encoding="utf-8")
        found = run("score", built_sample, *words)
        assert found.code == 2
        assert message in found.err
