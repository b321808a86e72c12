"""A small city fetched from both providers and built, by the commands that a user gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.support.flows.running import PROFILE, run
from tests.support.sources.open import made
from tests.support.sources.open.servers import Asked, overpass
from tests.system.sources.open.test_osm import ELEMENTS
from warehouse.read import Snapshot

CITY = ["--city", "Évora", "--from", "osm,overture"]


PAGE = (
    "# Two days in Évora in spring\n\n## Day 1\n\nWe visited Museu da Pedra in the morning and then"
    " walked to Museu Azul.\n\n## Day 2\n\nWe visited Museu Verde, then Museu Branco, and ended the"
    " day at Museu Preto.\n"
)


@pytest.fixture
def servers(release: Asked, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    with overpass([*ELEMENTS, *MORE]) as server:
        monkeypatch.setenv("TRIPBED_OVERTURE_URL", release.url)
        monkeypatch.setenv("TRIPBED_OVERPASS_URL", server.url)
        monkeypatch.setenv("TRIPBED_DELAY_S", "0")
        yield server


#: Enough for plans of a day or two.
MORE = [
    *(made.node(100 + n, f"Museu {word}", made.LAT + n / 1000, made.LON - n / 1000,
                tourism="museum", opening_hours="09:00-18:00", fee="no")
      for n, word in enumerate(("Branco", "Verde", "Azul", "Preto", "Cinza", "Roxo", "Novo"))),
    *(made.node(200 + n, f"Restaurante {word}", made.LAT - n / 1000, made.LON - n / 1000,
                amenity="restaurant", cuisine="portuguese")
      for n, word in enumerate(("Lua", "Mar", "Rio", "Serra", "Vale", "Monte"))),
    *(made.node(300 + n, f"Pensão {word}", made.LAT - n / 1000, made.LON + n / 1000,
                tourism="hotel", stars="3")
      for n, word in enumerate(("Alta", "Baixa", "Velha"))),
]  # fmt: skip


@pytest.mark.usefixtures("servers")
def test_a_build_from_open_data_publishes_and_again_without_a_network(
    tmp_path: Path, servers: Asked
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "spring.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "tiny.yaml").write_text(PROFILE, encoding="utf-8")
    places = ["--workspace", tmp_path / "work", "--out", tmp_path / "out", "--direct",
              "--profile", tmp_path / "tiny.yaml", "--documents", tmp_path / "pages",
              "--workers", "1"]  # fmt: skip
    first = run("build", *CITY, *places, "--json")
    assert first.code == 0, first.err + first.out
    snapshot = Snapshot(Path(json.loads(first.out)["snapshot"]))
    pois = snapshot.table("pois")
    assert {"Museu da Pedra", "Museu Azul"} <= set(pois["name_en"])
    assert "Outside the corner" not in set(pois["name_en"])
    said = snapshot.table("row_sources")
    both = said.filter(pl.col("source_name").str.contains("OpenStreetMap; Overture"))
    assert both["licence"].unique().to_list() == ["CDLA-Permissive-2.0 AND ODbL-1.0"]
    asked = len(servers.requests)
    second = run("build", *CITY, *places, "--json", "--offline")
    assert second.code == 0, second.err
    assert len(servers.requests) == asked
    stages = json.loads(second.out)["stages"]
    assert all(stage["reused"] == stage["shards"] for stage in stages.values())


@pytest.mark.usefixtures("servers")
def test_fetch_says_what_came_and_where_it_is(tmp_path: Path) -> None:
    out = tmp_path / "tables"
    archive = ["--archive", tmp_path / "archive"]
    outcome = run("sources", "fetch", *CITY, "--out", out, *archive)
    assert (outcome.code, outcome.last_line) == (0, str(out))
    assert "1 of category dentist" in outcome.err
    told = json.loads(run("sources", "fetch", *CITY, "--out", out, *archive, "--json").out)
    assert told["cities"]["evora"]["tables"]["hotels"]["merged"] == 1
    assert "source: OpenStreetMap; Overture Maps" in (out / "sources.yaml").read_text("utf-8")


@pytest.mark.usefixtures("servers")
def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    place = ["--workspace", tmp_path / "work", "--out", tmp_path / "out"]
    for options, words in (
        (["--from", "overture", "--tables", tmp_path], "leave out --tables"),
        (["--from", "overture,bing"], "no provider is called 'bing'"),
        (["--from", "osm=none.pbf"], "not an OpenStreetMap extract"),
        (["--from", "overture", "--offline"], "no stored answer"),
        (["--from", "overture", "--offline", "--refresh"], "forbids its use: give only one"),
        (["--bbox", "1,2,3,4"], "choose a provider of open data with --from"),
    ):
        outcome = run("build", "--city", "Évora", *options, *place, "--direct")
        assert (outcome.code, words in outcome.err) == (2, True), outcome.err
    assert not (tmp_path / "out").exists()
