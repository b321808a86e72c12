"""The formulation standard of seed queries: elements, words and patterns, found without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from flows.errors import SettingsError
from flows.queries.commands import standard_of
from queries.standard import induce
from queries.tprag import strata

SEEDS = [
    "苏州三日游", "苏州旅游", "杭州春天旅游", "杭州亲子旅游", "苏州亲子两日游", "杭州五一三日游",
    "杭州摄影旅游", "苏州摄影十二日游",
    "杭州5天亲子游", "随便走走", "苏州旅游",
]  # fmt: skip


def test_invented_seeds() -> None:
    """Counted by hand: ten different seeds, of which one has no city."""
    found = induce(SEEDS)
    assert found.unread == ("随便走走",)
    assert {name: dict(words) for name, words in found.elements().items()} == {
        "city": {"苏州": 4, "杭州": 5},
        "days": {"三": 2, "两": 1, "十二": 1, "5": 1},
        "season": {"春天": 1},
        "holiday": {"五一": 1},
        "traveller": {"亲子": 3},
        "other": {"摄影": 2},
        "tail": {"日游": 4, "旅游": 4, "天亲子游": 1},
    }
    assert found.facts()["patterns"] == {
        "{city}{other}{days}日游": 1,
        "{city}{other}旅游": 1,
        "{city}{season}旅游": 1,
        "{city}{traveller}{days}日游": 1,
        "{city}{traveller}旅游": 1,
        "{city}{holiday}{days}日游": 1,
        "{city}{days}日游": 1,
        "{city}{days}天{traveller}游": 1,
        "{city}旅游": 1,
    }
    required = {e["name"]: e["required"] for e in found.facts()["elements"]}
    assert [name for name, needed in required.items() if needed] == ["city", "tail"]


def test_what_a_plan_asks_for_and_no_seed_does() -> None:
    found = induce(SEEDS)
    cells = strata((None, 3), ("generic", "season", "traveller"))
    assert found.unmet(cells) == [
        f"{code}-{days}"
        for code in ("summer", "autumn", "winter", "senior", "single", "couple")
        for days in ("any", "3d")
    ]
    assert induce(["苏州旅游", "杭州旅游"]).unmet(strata((None, 3), ("generic",))) == ["generic-3d"]


def test_the_published_form_has_the_standard_of_the_plan() -> None:
    texts = [
        f"{city}{cell.term.zh if cell.term else ''}"
        + (f"{'零一二三四五'[cell.n_days]}日游" if cell.n_days else "旅游")
        for city in ("杭州", "苏州")
        for cell in strata()
    ]
    found = induce(texts)
    assert found.unmet(strata()) == []
    assert found.unread == ()
    assert "other" not in found.elements()
    assert {kind: len(words) for kind, words in found.elements().items()} == {
        "city": 2, "days": 3, "season": 4, "holiday": 6, "poi_category": 6, "traveller": 4,
        "compactness": 1, "tail": 2,
    }  # fmt: skip


def test_the_published_seeds(shared: Path) -> None:
    """Element by element the numbers of the published files: 30 cities, 88 queries each."""
    facts = standard_of(shared / "data" / "tprag_queries" / "query_benchmark_popular", "tprag-full")
    counts = {e["name"]: (e["seeds"], len(e["words"])) for e in facts["elements"]}
    assert counts == {
        "city": (2640, 30), "days": (1980, 3), "season": (480, 4), "holiday": (720, 6),
        "poi_category": (720, 6), "traveller": (480, 4), "compactness": (120, 1), "tail": (2640, 2),
    }  # fmt: skip
    assert (facts["unmet"], facts["unread"]) == ([], [])


def test_the_command(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(SEEDS), encoding="utf-8")
    out = tmp_path / "standard.json"
    done = CliRunner().invoke(app, ["queries", "standard", str(seeds), "--out", str(out), "--json"])
    assert done.exit_code == 0
    assert json.loads(out.read_text(encoding="utf-8")) == json.loads(done.stdout)
    plain = CliRunner().invoke(app, ["queries", "standard", str(seeds)])
    assert (
        "the profile tprag-full plans queries with these elements, but no seed query has them: "
        in plain.stdout
    )
    seeds.write_text("\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="contains no seed queries: give a text file"):
        standard_of(seeds, "tprag-full")
