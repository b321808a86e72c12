"""``tripbed queries build`` and ``audit``: plan against result, same bytes, bad profiles stop."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from flows.errors import SettingsError
from flows.queries.audit import audit_file
from flows.queries.build import build_queries
from flows.settings.profile import line_of
from tests.support.queries.offers import OFFER

RUN = CliRunner()
PROFILE = """\
name: mine
families: [{family}]
queries:
  cities: [hangzhou, 北京, Chengdu]
  splits:
    test_cities: [chengdu]
  traveleval:
    easy: [1, 1, 1, 1, 1, 1]
    medium: [1, 1, 1, 1, 1, 1]
    hard: [1, 1, 1, 1, 1, 1]
    groups: [1, 0, 0, 0, 0, 1]
  chinatravel: {{easy: 9, medium: 9, preference: 3}}
  tripscore: {{queries: 20}}
  triptailor: {{queries: 20}}
"""
FAMILIES = ("tprag", "traveleval", "chinatravel", "tripscore", "triptailor")


def profile(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_build_meets_its_plan_twice_with_the_same_bytes(family: str, tmp_path: Path) -> None:
    name = profile(tmp_path, PROFILE.format(family=family))
    report = build_queries(name, tmp_path / "a", None, "tripbed")
    build_queries(name, tmp_path / "b", None, "tripbed")
    build_queries(name, tmp_path / "b", None, "tripbed")  # over its own result
    facts = report["families"][family]
    assert report["strata_met"]
    assert facts["kept"] == facts["planned"] > 0
    assert set(facts["violations"].values()) == {0}
    assert files(tmp_path / "a") == files(tmp_path / "b")
    audited = audit_file(tmp_path / "a", "tripbed", None, "tripbed", "prompt")
    assert (audited["queries"], audited["broken"]) == (facts["kept"], 0)


def test_the_published_layouts_are_audited_as_foreign_files(tmp_path: Path) -> None:
    build_queries(
        profile(tmp_path, PROFILE.format(family="traveleval")), tmp_path / "t", None, "tripbed"
    )
    found = audit_file(tmp_path / "t" / "traveleval", "traveleval", None, "traveleval", "prompt")
    broken = {
        rule: facts["violations"] for rule, facts in found["rules"].items() if facts["violations"]
    }
    assert set(broken) == {"days_table"}, "a small profile is not the published table"
    build_queries(
        profile(tmp_path, PROFILE.format(family="tprag")), tmp_path / "q", None, "tripbed"
    )
    lines = audit_file(tmp_path / "q" / "tprag.txt", "tprag", None, "tripbed", "prompt")
    assert (lines["queries"], lines["broken"]) == (264, 0)
    build_queries(
        profile(tmp_path, PROFILE.format(family="chinatravel")), tmp_path / "c", None, "tripbed"
    )
    china = audit_file(
        tmp_path / "c" / "chinatravel.json", "chinatravel", None, "tripbed", "prompt"
    )
    assert (china["queries"], china["broken"]) == (21, 0)


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (("[hangzhou, 北京, Chengdu]", "[hangzhou, Zzyzqxville]"), 4, "Zzyzqxville"),
        (("[hangzhou, 北京, Chengdu]", "[hangzhou, 杭州, chengdu]"), 4, "杭州 is listed twice"),
        (("[hangzhou, 北京, Chengdu]", "[chengdu]"), 4, "no destination can be reached"),
        (
            ("test_cities: [chengdu]", "test_cities: [paris]"),
            6,
            "not a destination in this profile",
        ),
        (
            ("test_cities: [chengdu]", "test_cities: [hangzhou, beijing, chengdu]"),
            6,
            "every destination is kept for testing",
        ),
        (("test_cities: [chengdu]", "train: 0.9\n    validation: 0.4"), 5, "add up to more than 1"),
        (("easy: [1, 1, 1, 1, 1, 1]", "easy: [1, 1]"), 8, "at least 6"),
        (("queries:\n", "queries:\n  ungrounded: never\n"), 4, "give --tables"),
        (("groups:", "gruops:"), 11, "did you mean groups"),
    ],
)
def test_bad_profiles_stop_before_anything_is_written(
    change: tuple[str, str], line: int, says: str, tmp_path: Path
) -> None:
    name = profile(tmp_path, PROFILE.format(family="traveleval").replace(*change))
    out = tmp_path / "out"
    with pytest.raises(SettingsError, match=rf"(?s)line {line}: .*{says}"):
        build_queries(name, out, None, "tripbed")
    assert not out.exists()


@pytest.mark.parametrize(
    ("family", "change", "says"),
    [
        (
            "chinatravel",
            ("preference: 3", "medium_constraints: [5, 2]"),
            "line 12: .*two numbers from 1 to",
        ),
        (
            "chinatravel",
            ("preference: 3", "infeasible_share: 0.5"),
            "line 12: .*no destination has prices",
        ),
        ("chinatravel", ("preference: 3", "days: [0]"), "line 12: .*greater than or equal to 1"),
        ("traveleval", ("easy: [1,", "easy: [-1,"), "line 8: .*greater than or equal to 0"),
        (
            "tprag",
            ("splits:", "constraint_kinds: [season, weather]\n  splits:"),
            "line 5: .*unknown kind of constraint: weather",
        ),
        (
            "tprag",
            ("splits:", "constraint_kinds: []\n  splits:"),
            "line 5: .*give at least one kind",
        ),
        (
            "tprag",
            ("splits:", "days: [3, 3]\n  splits:"),
            "line 5: .*a trip length is listed twice",
        ),
        ("tprag", ("splits:", "days: [99]\n  splits:"), "line 5: .*1 to 10"),
    ],
)
def test_contradictory_rules_of_other_families(
    family: str, change: tuple[str, str], says: str, tmp_path: Path
) -> None:
    name = profile(tmp_path, PROFILE.format(family=family).replace(*change))
    with pytest.raises(SettingsError, match=says):
        build_queries(name, tmp_path / "out", None, "tripbed")


def test_a_quota_that_cannot_be_met_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One city of one type, for one day: 3 budgets by the 7 likely pairs of pace and effort."""
    text = PROFILE.format(family="tripscore").replace("[hangzhou, 北京, Chengdu]", "[hangzhou]")
    text = text.replace("    test_cities: [chengdu]\n", "    train: 0.7\n")
    bare = replace(OFFER, types=("自然风光",))
    monkeypatch.setattr("flows.queries.build.offer_published", lambda _city, _others: bare)
    for quota in (21, 22):
        asked = text.replace(
            "tripscore: {queries: 20}", f"tripscore: {{queries: {quota}, durations: [1]}}"
        )
        name, out = profile(tmp_path, asked), tmp_path / f"out{quota}"
        if quota == 21:
            assert build_queries(name, out, None, "tripbed")["strata_met"]
            continue
        with pytest.raises(
            SettingsError, match=r"line 13: .*quota is too high: only 21 different queries"
        ):
            build_queries(name, out, None, "tripbed")
        assert not out.exists()


def test_an_empty_tag_set_names_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    poor = replace(OFFER, features=(), cuisines=(), types=())
    monkeypatch.setattr("flows.queries.build.offer_published", lambda _city, _others: poor)
    name = profile(tmp_path, PROFILE.format(family="traveleval"))
    with pytest.raises(SettingsError, match=r"line (9|10|11): .*has too few tags"):
        build_queries(name, tmp_path / "out", None, "tripbed")
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SettingsError, match="contains other files"):
        build_queries(
            profile(tmp_path, PROFILE.format(family="tprag")), tmp_path / "out", None, "tripbed"
        )
    assert (tmp_path / "out" / "thesis.txt").is_file()


def test_durations_of_a_csv_with_the_line_that_is_wrong(tmp_path: Path) -> None:
    text = PROFILE.format(family="tripscore").replace(
        "queries: 20", "queries: 20, destinations_csv: d.csv", 1
    )
    name = profile(tmp_path, text)
    (tmp_path / "d.csv").write_text("city,days,count\nTokyo,6,9\nTokyo,2,4\n", encoding="utf-8")
    build_queries(name, tmp_path / "a", None, "tripbed")
    rows: list[dict[str, Any]] = json.loads(
        (tmp_path / "a" / "tripscore.json").read_text(encoding="utf-8")
    )
    assert {row["days"] for row in rows if row["destinations"][0] == "tokyo"} == {6, 2}
    (tmp_path / "d.csv").write_text("city,days,count\nTokyo,six,9\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"d.csv, line 2"):
        build_queries(name, tmp_path / "b", None, "tripbed")


def test_commands(tmp_path: Path) -> None:
    name = profile(tmp_path, PROFILE.format(family="tprag"))
    built = RUN.invoke(
        app, ["queries", "build", "--profile", name, "--out", str(tmp_path / "q"), "--json"]
    )
    assert built.exit_code == 0
    assert json.loads(built.stdout)["strata_met"]
    lines = tmp_path / "bad.txt"
    lines.write_text("杭州春季三日游\n杭州春季三日游\n去玩\n", encoding="utf-8")
    audited = RUN.invoke(app, ["queries", "audit", str(lines), "--format", "tprag", "--json"])
    facts = json.loads(audited.stdout)
    assert audited.exit_code == 1
    assert facts["rules"]["duplicate"]["ids"] == ["bad.txt:2"]
    assert facts["rules"]["form"]["ids"] == ["bad.txt:3"]
    asked = tmp_path / "asked.csv"
    asked.write_text(
        "text\n想带父母去杭州西湖边慢慢走三天，预算五千，不爬山\n太短\n", encoding="utf-8"
    )
    taken = RUN.invoke(
        app, ["queries", "import", str(asked), "--out", str(tmp_path / "r.jsonl"), "--json"]
    )
    assert json.loads(taken.stdout)["rejected"] == [{"line": 3, "reason": "too_short"}]


def test_lines_of_settings() -> None:
    text = "a: 1\nb:\n  c: [x,\n    y]\n"
    assert [
        line_of(text, path) for path in (("a",), ("b", "c"), ("b", "c", 1), ("b", "z"), ("q",))
    ] == [1, 3, 4, 2, 1]


def test_the_published_lines_are_audited(shared: Path) -> None:
    found = audit_file(
        shared / "data" / "tprag_queries" / "query_benchmark_popular",
        "tprag",
        None,
        "tripbed",
        "prompt",
    )
    rules = {rule: facts["violations"] for rule, facts in found["rules"].items()}
    assert (found["queries"], rules) == (2640, {"form": 0, "city": 0, "duplicate": 0, "gap": 0})


def test_programs_that_have_no_counterpart_are_counted_by_query(tmp_path: Path) -> None:
    """Of four foreign queries two hold a program that is none or calls what nobody knows."""
    plan = {"start_city": "北京", "target_city": "杭州", "nature_language": "从北京去杭州玩两天"}
    programs: tuple[list[str], ...] = (
        ["days==2"],
        ["days==2", "secret(plan) == 1"],
        ["cost <= 900", "not a program ("],
        [],
    )
    queries = [{**plan, "uid": f"q{n}", "hard_logic_py": held} for n, held in enumerate(programs)]
    path = tmp_path / "foreign.json"
    path.write_text(json.dumps(queries, ensure_ascii=False), encoding="utf-8")
    found = audit_file(path, "chinatravel", None, "tripbed", "prompt")
    assert found["queries"] == 4
    assert found["rules"]["not_translated"] == {"violations": 2, "ids": ["q1", "q2"]}
