"""``tripbed explain``, ``geocode``, ``dedupe`` and ``datum`` as a user runs them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from tests.support.flows.builds import Built
from tests.support.flows.running import GAZETTEER, run
from warehouse.read import Snapshot


def test_explain_shows_origins_comparisons_and_mentions(small_build: Built) -> None:
    snapshot = Snapshot(small_build.path)
    poi = snapshot.table("pois").filter(pl.col("name_zh") == "双桥古街").to_dicts()[0]
    shown = run("explain", poi["poi_id"], "--snapshot", small_build.path)
    assert shown.code == 0
    assert poi["anchor"] in shown.out
    assert "coordinates: " in shown.out
    assert "mentions:" in shown.out
    facts = json.loads(run("explain", poi["poi_id"], "--snapshot", small_build.path, "--json").out)
    compared = snapshot.table("place_decisions").filter(
        (pl.col("poi_id") == poi["poi_id"]) | (pl.col("other_poi_id") == poi["poi_id"])
    )
    assert len(facts["comparisons"]) == compared.height
    assert {o["field"] for o in facts["origins"]} >= {"name_zh", "coordinates"}
    assert sum(m["n_mentions"] for m in facts["mentions"]) == poi["n_mentions"] > 0


def test_explain_a_name_shows_its_links_and_what_else_fits(small_build: Built) -> None:
    snapshot = Snapshot(small_build.path)
    shown = run("explain", "双桥古街", "--snapshot", small_build.path)
    assert shown.code == 0
    assert " linked to this place:" in shown.out
    assert "score 100, margin 100; the name is known" in shown.out
    facts = json.loads(run("explain", "双桥古街", "--snapshot", small_build.path, "--json").out)
    assert facts["unlinked"] == []
    (place,) = facts["places"]
    linked = snapshot.table("links").filter(poi_id=place["poi"]["poi_id"])
    assert len(place["links"]) == linked.height > 0


def test_explain_an_unknown_name(small_build: Built) -> None:
    outcome = run("explain", "无人听说的塔", "--snapshot", small_build.path)
    assert outcome.code == 2
    assert "no place, row, stop or document with the name or id '无人听说的塔'" in outcome.err


def test_a_misspelt_name_or_id_gets_near_ones(small_build: Built) -> None:
    outcome = run("explain", "双桥古待", "--snapshot", small_build.path)
    assert outcome.code == 2
    assert "Did you mean: 双桥古街" in outcome.err
    fact = Snapshot(small_build.path).table("poi_facts")["fact_id"][0]
    outcome = run("explain", f"{fact}x", "--snapshot", small_build.path)
    assert outcome.code == 2
    assert f"Did you mean: {fact}" in outcome.err


def test_explain_leads_from_any_row_to_its_source(small_build: Built) -> None:
    snapshot = Snapshot(small_build.path)
    paths = dict(snapshot.table("documents").select("doc_id", "path").iter_rows())
    evidence = snapshot.table("evidence").rows_by_key("evidence_id", named=True, unique=True)
    names = dict(
        snapshot.table("pois").select("poi_id", pl.coalesce("name_zh", "name_en")).iter_rows()
    )

    def source(evidence_id: str) -> str:
        row = evidence[evidence_id]
        if row["evidence_kind"] == "table":
            return f"{row['source_file']}:{row['source_line']}"
        return f"{paths[row['doc_id']]} [{row['start']}:{row['end']}]"

    def told(asked: str, *words: str) -> None:
        shown = run("explain", asked, "--snapshot", small_build.path)
        assert shown.code == 0, shown.err
        for word in words:
            assert word in shown.out, (asked, word, shown.out)

    fact = snapshot.table("poi_facts").row(0, named=True)
    told(fact["fact_id"], fact["fact_field"], names[fact["poi_id"]], source(fact["evidence_id"]))
    mention = (
        snapshot.table("poi_mentions").filter(pl.col("poi_id").is_not_null()).row(0, named=True)
    )
    told(
        mention["mention_id"],
        paths[mention["doc_id"]],
        f"linked to {names[mention['poi_id']]}",
        "linked because",
    )
    query = snapshot.table("queries").row(0, named=True)
    told(query["query_id"], query["text_en"], f"status {query['status']}")
    journey = snapshot.table("trajectories").row(0, named=True)
    told(journey["trajectory_id"], paths[journey["doc_id"]], journey["noisy_visits"][0]["name"])
    told(paths[journey["doc_id"]], journey["trajectory_id"])
    told(source(fact["evidence_id"]).split(" ")[0])


def test_explain_an_unknown_id(small_build: Built) -> None:
    outcome = run("explain", "poi_0000000000000000", "--snapshot", small_build.path)
    assert outcome.code == 2
    assert "no place poi_0000000000000000. Did you mean: poi_" in outcome.err


def test_every_place_has_origins_and_every_finding_a_message(small_build: Built) -> None:
    snapshot = Snapshot(small_build.path)
    origins = snapshot.table("poi_origins")
    assert set(snapshot.table("pois")["poi_id"]) == set(origins["poi_id"])
    findings = snapshot.table("findings")
    assert {"hotel_repeated", "sub_attraction", "in_another_city"} <= set(findings["finding"])
    assert (findings["message"].str.len_chars() > 10).all()


@pytest.fixture
def gazetteer(tmp_path: Path) -> Path:
    path = tmp_path / "gazetteer.csv"
    path.write_text(GAZETTEER, encoding="utf-8")
    return path


def test_geocode_by_a_gazetteer(tmp_path: Path, gazetteer: Path) -> None:
    names, out = tmp_path / "names.csv", tmp_path / "out.csv"
    names.write_text(
        "name,city,lat,lon\n青石园,苏州,,\nCloudrock"
        " Pagoda,suzhou,,\n无名亭,苏州,,\n,,31.3170,120.6350\n",
        encoding="utf-8",
    )
    arguments = ("geocode", "--names", names, "--out", out, "--gazetteer", gazetteer,
                 "--cache", tmp_path / "cache.sqlite", "--json")  # fmt: skip
    assert json.loads(run(*arguments).out)["found"] == 3
    rows = list(csv.DictReader(out.open(encoding="utf-8")))
    assert [row["outcome"] for row in rows] == ["found", "found", "nothing", "found"]
    assert (rows[0]["found_lat"], rows[0]["provider"]) == ("31.324", "gazetteer")
    assert rows[3]["found_name"] == "双桥古街"
    first = out.read_bytes()
    run(*arguments)
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--geocoder", "gazetteer"), "--gazetteer FILE"),
        (("--geocoder", "amap"), "TRIPBED_AMAP_KEY"),
        (("--geocoder", "nominatim"), "TRIPBED_CONTACT"),
        (("--geocoder", "other"), "choose one of"),
        (("--datum", "utm"), "coordinate system"),
    ],
)
def test_geocode_says_what_is_missing(
    tmp_path: Path, options: tuple[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("TRIPBED_AMAP_KEY", "TRIPBED_CONTACT"):
        monkeypatch.delenv(variable, raising=False)
    names = tmp_path / "names.csv"
    names.write_text("name,city\n青石园,苏州\n", encoding="utf-8")
    outcome = run("geocode", "--names", names, "--out", tmp_path / "o.csv", *options)
    assert outcome.code == 2
    assert message in outcome.err.replace("\n", " ")


def test_dedupe_a_file(tmp_path: Path) -> None:
    file = tmp_path / "places.csv"
    file.write_text(
        "id,name,lat,lon\n1,灵峰寺(东院),30.0,110.0\n2,灵峰寺（东院）,30.0001,110.0\n3,竹篮巷,30.1,110.0\n",
        encoding="utf-8",
    )
    found = json.loads(run("dedupe", "--places", file, "--out", tmp_path / "o", "--json").out)
    assert (found["rows"], found["places"], found["merged"]) == (3, 2, 1)
    assert pl.read_parquet(tmp_path / "o" / "members.parquet")["place"].to_list() == [0, 0, 2]


def test_datum_of_too_few_places(tmp_path: Path, gazetteer: Path) -> None:
    outcome = run("datum", "--file", gazetteer, "--known", gazetteer, "--known-datum", "gcj02")
    assert outcome.code == 0
    assert "too few" in outcome.out


def test_the_quality_report_counts_the_findings(small_build: Built) -> None:
    page = (small_build.path / "quality" / "findings.md").read_text(encoding="utf-8")
    rows = Snapshot(small_build.path).table("findings")
    assert "## suzhou" in page
    for row in rows.to_dicts():
        assert f"| {row['table']} | {row['finding']} | {row['n_rows']:,} |" in page


def test_explain_from_a_workspace_tells_the_same(small_build: Built) -> None:
    poi = Snapshot(small_build.path).table("pois").row(0, named=True)
    options = ("explain", poi["poi_id"], "--json")
    of_snapshot = json.loads(run(*options, "--snapshot", small_build.path).out)
    of_workspace = json.loads(run(*options, "--workspace", small_build.workspace).out)
    assert of_workspace == of_snapshot


def test_explain_wants_one_place_to_look(small_build: Built, tmp_path: Path) -> None:
    assert run("explain", "poi_1").code == 2
    both = ("--snapshot", small_build.path, "--workspace", small_build.workspace)
    assert run("explain", "poi_1", *both).code == 2
    outcome = run("explain", "poi_1", "--workspace", tmp_path)
    assert outcome.code == 2
    assert "build first" in outcome.err
