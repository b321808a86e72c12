"""Frozen contexts of tripscore queries:
recalled from tables, counted, audited, dropped when empty.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.errors import SettingsError
from flows.pipeline.stages import candidates, retrieve
from flows.pipeline.stages.base import Inputs, Job, Upstream
from flows.pipeline.stages.queries import compute_sub_queries
from flows.queries.audit import audit_file
from flows.queries.build import _recall, build_queries
from flows.settings.profile import load_profile
from queries.families import plan_family
from queries.recall import MOST_ROWS, recall
from queries.settings import TripScoreSettings
from schemas.arrow import frame
from schemas.cities import find_city
from schemas.ids import canonical_json
from schemas.places import ATTRACTIONS
from tests.conftest import SAMPLE
from tests.support.queries.offers import PLACES
from tests.unit.queries.test_families import ASKED

TABLES = SAMPLE / "tables"
PROFILE = """\
name: mine
families: [tripscore]
queries:
  cities: [hangzhou, paris]
  tripscore: {queries: 60, several_share: 0.2}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("recall")
    (folder / "mine.yaml").write_text(PROFILE, encoding="utf-8")
    tables = folder / "tables"
    tables.mkdir()
    for file in TABLES.glob("*.csv"):
        head, *rest = file.read_text(encoding="utf-8").splitlines()
        named = [f"{head},city", *(f"{line},杭州" for line in rest)]
        (tables / file.name).write_text("\n".join(named) + "\n", encoding="utf-8")
    report = build_queries(str(folder / "mine.yaml"), folder / "out", tables, "tripbed")
    return folder / "out", report


def test_tables_that_name_no_city_serve_one_city_only(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(PROFILE, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"line 4: .*do not say which city each row"):
        build_queries(str(tmp_path / "mine.yaml"), tmp_path / "out", TABLES, "tripbed")
    assert not (tmp_path / "out").exists()


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def test_every_query_of_a_city_with_tables_has_its_context(
    built: tuple[Path, dict[str, Any]],
) -> None:
    folder, report = built
    contexts = {row["query_id"]: row for row in lines(folder, "contexts.jsonl")}
    facts = report["families"]["tripscore"]
    kept = [row for row in lines(folder, "queries.jsonl") if row["status"] == "kept"]
    assert {row["query_id"] for row in kept} == set(contexts)
    assert facts["recall"] == {
        "frozen": len(kept),
        "dropped_empty": 0,
        "without_tables": 60 - len(kept),
    }
    assert facts["status"] == {"kept": len(kept), "ungrounded": 60 - len(kept)}
    assert 20 <= len(kept) < 60
    for row in kept:
        (part,) = contexts[row["query_id"]]["context"]
        asked = set(row["structure"]["attraction_types"])
        assert all(asked & set(place["tags"]) for place in part["attractions"])
        ratings = [place["rating"] for place in part["attractions"] if place["rating"] is not None]
        assert ratings == sorted(ratings, reverse=True)
        assert all(len(part[name]) <= most for name, most in MOST_ROWS.items())
        text = canonical_json(contexts[row["query_id"]]["context"])
        assert hashlib.sha256(text.encode()).hexdigest() == contexts[row["query_id"]]["sha256"]


def change(folder: Path, tmp_path: Path, edit: Any) -> list[str]:
    """What the audit says of a copy whose contexts are edited."""
    rows = lines(folder, "contexts.jsonl")
    edit(rows)
    (tmp_path / "queries.jsonl").write_bytes((folder / "queries.jsonl").read_bytes())
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "contexts.jsonl").write_text(text, encoding="utf-8")
    found = audit_file(tmp_path, "tripbed", None, "tripbed", "prompt")
    ids: list[str] = found["rules"]["tripscore.context"]["ids"]
    return ids


def refrozen(row: dict[str, Any]) -> None:
    row["sha256"] = hashlib.sha256(canonical_json(row["context"]).encode()).hexdigest()


@pytest.mark.slow
def test_contexts_are_audited(built: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, _ = built
    first = lines(folder, "contexts.jsonl")[0]["query_id"]
    assert change(folder, tmp_path, lambda rows: None) == []
    assert change(folder, tmp_path, lambda rows: rows.pop(0)) == [first]
    assert change(folder, tmp_path, lambda rows: rows.insert(1, rows[0])) == [first]

    def reprice(rows: list[dict[str, Any]]) -> None:
        rows[0]["context"][0]["attractions"][0]["price_cents"] = 1

    def forget(rows: list[dict[str, Any]]) -> None:
        rows[0]["context"][0]["attractions"] = []
        refrozen(rows[0])

    def move(rows: list[dict[str, Any]]) -> None:
        rows[0]["context"][0]["destination"] = "paris"
        refrozen(rows[0])

    def stray(rows: list[dict[str, Any]]) -> None:
        rows[0]["context"][0]["attractions"][-1]["tags"] = ["月球"]
        refrozen(rows[0])

    for edit in (reprice, forget, move, stray):
        assert change(folder, tmp_path, edit) == [first], edit.__name__


def attractions(*types: str) -> dict[str, pl.DataFrame]:
    rows = [{"name_zh": f"名{n}", "base_type": t, "trend_types": ["hidden_gem"], "rating": n / 2,
             "source_file": "a.csv", "source_line": n} for n, t in enumerate(types)]  # fmt: skip
    empty = {name: frame(name, []) for name in ("hotels", "restaurants")}
    return {"attractions": pl.DataFrame(rows, schema=ATTRACTIONS), **empty}


def test_an_empty_recall_is_dropped_and_counted() -> None:
    held = {
        "hangzhou": attractions("park", "garden"),
        "wuhan": attractions("park"),
        "suzhou": attractions(),
    }
    asked = [
        (["hangzhou"], ["园林"]),
        (["wuhan", "hangzhou"], ["园林"]),
        (["suzhou"], []),
        (["paris"], ["公园"]),
        (["wuhan"], ["公园", "园林"]),
    ]
    rows = [
        {"query_id": str(n), "structure": json.dumps({"destinations": d, "attraction_types": t})}
        for n, (d, t) in enumerate(asked)
    ]
    contexts, counts = _recall(rows, held)
    assert counts == {"frozen": 2, "dropped_empty": 2, "without_tables": 1}
    assert [row["query_id"] for row in rows] == ["0", "3", "4"]
    assert [row["query_id"] for row in contexts] == ["0", "4"]
    assert [place["name_zh"] for place in contexts[0]["context"][0]["attractions"]] == ["名1"]


def test_the_destinations_keep_their_order() -> None:
    held = {"hangzhou": attractions("park"), "wuhan": attractions("garden", "park")}
    plan = {"destinations": ["wuhan", "hangzhou"], "attraction_types": ["小众秘境"]}
    found = recall(plan, held)
    assert found is None or [part["destination"] for part in found] == ["wuhan", "hangzhou"]
    bare = recall({**plan, "attraction_types": []}, held)
    assert bare is not None
    assert [len(part["attractions"]) for part in bare] == [2, 1]
    assert bare[0]["attractions"][0]["name_zh"] == "名1", "best rated first"


#: Two queries to one city.
ONE = ASKED.model_copy(update={"tripscore": TripScoreSettings(queries=2, several_share=0)})


def test_a_build_recalls_documents_and_places_and_drops_the_rest() -> None:
    """Two queries: with a place of the city's tables both are kept, without anything both go."""
    city = find_city("hangzhou")
    queries = frame("queries", plan_family("tripscore", PLACES[:1], ONE, "tripscore-"))
    job = Job(Inputs((city,), load_profile("tripscore")), city, "hangzhou")
    text = frame("documents", [])
    empty: Upstream = {
        "queries": [{"queries": queries}],
        "documents": [
            {
                "documents": text,
                "texts": pl.DataFrame(schema={"doc_id": pl.String, "text": pl.String}),
            }
        ],
        "mentions": [
            {
                "contexts": pl.DataFrame(
                    schema={
                        "doc_id": pl.String,
                        "kind": pl.String,
                        "code": pl.String,
                        "weight": pl.Int64,
                    }
                )
            }
        ],
        "feedback": [
            {
                name: frame(name, [])
                for name in ("pois", "poi_mentions", "poi_hierarchy", "evidence")
            }
        ],
        "trajectories": [{"trajectories": frame("trajectories", [])}],
        "tags": [{name: frame(name, []) for name in ("poi_facts", "poi_tags")}],
    }
    asked = compute_sub_queries(job, empty)
    searched = retrieve.compute(job, {**empty, "sub_queries": [asked]})
    assert set(searched["sub_queries"]["query_id"]) == set(queries["query_id"])
    found = candidates.compute(job, {**empty, "retrieve": [searched]})
    assert found["queries"].height == 0
    assert found["quarantine"]["check"].to_list() == ["empty_recall"] * 2
    counts = found["stage_counts"].to_dicts()[0]
    assert (counts["rows_in"], counts["rows_kept"], counts["rows_quarantined"]) == (2, 0, 2)

    types = json.loads(queries["structure"][0])["attraction_types"]
    place = {
        "city_id": city.city_id,
        "poi_source": "table",
        "trend_types": [],
        "n_documents": 0,
        "lat": city.lat,
        "lon": city.lon,
    }
    rows = [
        {**place, "poi_id": "poi_a", "base_type": "library", "rating": 5.0},
        {
            **place,
            "poi_id": "poi_b",
            "base_type": code_of(types[0]),
            "rating": 4.3,
            "lat": (city.lat or 0) + 0.03,
        },
    ]
    full = {**empty["feedback"][0], "pois": pl.DataFrame(rows, schema=frame("pois", []).schema)}
    found = candidates.compute(job, {**empty, "feedback": [full], "retrieve": [searched]})
    assert found["queries"]["n_candidates"].to_list() == [2, 2]
    mine = found["query_pois"].filter(pl.col("query_id") == queries["query_id"][0]).sort("rank")
    assert mine["poi_id"].to_list() == ["poi_b", "poi_a"], "the type that is asked for comes first"


def code_of(tag: str) -> str:
    from schemas.taxonomy import BASE_TYPES, TREND_TYPES

    return next(term.code for term in (*BASE_TYPES, *TREND_TYPES) if term.zh == tag)
