"""OpenStreetMap from a server that speaks as Overpass does, and from an extract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import osmium
import pytest

from schemas.cities import find_city
from sources.open.errors import OpenDataError
from sources.tables.registry import read_tables
from tests.support.sources.open import made
from tests.support.sources.open.servers import Asked, breaks_off, overpass, says
from tests.system.sources.open.conftest import Run

REGION = [(made.LON - 1, made.LAT - 1), (made.LON + 1, made.LAT - 1),
          (made.LON + 1, made.LAT + 1), (made.LON - 1, made.LAT - 1)]  # fmt: skip
ELEMENTS = [
    made.node(1, "Museu da Pedra", tourism="museum", opening_hours="Tu-Su 10:00-18:00",
              wikidata="Q42", fee="no"),
    made.way(2, "Hotel do Sol", made.LAT + 0.01, tourism="hotel", stars="4"),
    made.node(3, "Tasca Verde", made.LAT - 0.01, amenity="restaurant", cuisine="portuguese"),
    made.node(4, "متحف", made.LAT - 0.02, tourism="museum"),
    made.node(5, "Outside the corner", made.LAT + 0.045, made.LON + 0.045, tourism="museum"),
    {**made.way(6, "Nowhere", tourism="museum"), "center": None},
    made.relation(10, "Évora", 7, made.RING),
    made.relation(11, "Évora", 6, REGION),
    made.relation(12, "Portugal", 2, REGION),
]  # fmt: skip
BBOX = "-7.95,38.51,-7.85,38.61"


@pytest.fixture
def server() -> Iterator[Asked]:
    with overpass(ELEMENTS) as running:
        yield running


def test_places_within_the_relation_with_hours_and_origin(
    run: Run, server: Asked, tmp_path: Path
) -> None:
    found = run("osm", overpass_url=server.url).cities["evora"]
    assert found["area"]["boundary"]["id"] == "osm:relation/10"
    (account,) = found["providers"]
    assert (account["rows"], account["kept"], account["set_aside"]) == (6, 4, 1)
    assert account["left_out"] == {"outside the city": 1}
    assert account["sources"][0]["date"] == "2026-10-01"
    imported = read_tables(tmp_path / "tables", "tripbed", find_city("Évora"))
    museum = imported.attractions.filter(wikidata="Q42").row(0, named=True)
    assert (museum["hours_osm"], museum["price_cents"]) == ("Tu-Su 10:00-18:00", 0)
    assert museum["source_id"] == "osm:node/1"
    assert imported.hotels["stars"].to_list() == [4]
    assert set(imported.row_sources["licence"]) == {"ODbL-1.0"}
    asked = len(server.requests)
    run("osm", "again", overpass_url=server.url, offline=True)
    assert len(server.requests) == asked
    assert (tmp_path / "again/gazetteer.csv").read_bytes() == (
        tmp_path / "tables/gazetteer.csv"
    ).read_bytes()


def test_a_server_that_gives_up_is_asked_for_smaller_boxes(run: Run) -> None:
    with overpass(ELEMENTS, at_most=3) as server:
        found = run("osm", overpass_url=server.url, bbox=BBOX)
        one = found.cities["evora"]["providers"][0]["sources"][0]
        # The whole box, and its halves: in each lie at most three.
        assert one["requests"] == 3
    assert found.cities["evora"]["providers"][0]["rows"] == 5


def test_busy_half_and_slow_answers(run: Run, server: Asked) -> None:
    run("osm", overpass_url=server.url)
    boundary = len(server.requests)
    half = b'{"elements": [{"type": "node"'
    server.faults += [says(200), says(429, retry_after="0"), breaks_off(half), says(504), says(504)]
    # The boundary is kept: with a box, the first question is for places.
    found = run("osm", "again", overpass_url=server.url, bbox=BBOX)
    account = found.cities["evora"]["providers"][0]
    assert (account["kept"], account["set_aside"]) == (4, 1)
    # An empty answer, then a busy and a half one, then two that took too long: three cuts in all.
    assert len(server.requests) - boundary > 5
    server.faults += [says(200, b"[]")]
    with pytest.raises(OpenDataError, match="not answer like an Overpass server"):
        run("osm", "list", overpass_url=server.url, bbox="-7.95,38.5,-7.85,38.6")
    server.faults += [says(400)]
    with pytest.raises(OpenDataError, match="refuses"):
        run("osm", "bad", overpass_url=server.url, bbox="-7.95,38.5,-7.85,38.6")


def test_a_server_that_always_gives_up_is_an_error_in_the_end(run: Run, tmp_path: Path) -> None:
    with (
        overpass(ELEMENTS, at_most=0) as server,
        pytest.raises(OpenDataError, match="stopped processing"),
    ):
        run("osm", overpass_url=server.url, bbox="-7.915,38.555,-7.895,38.575")
    assert not (tmp_path / "tables").exists()
    assert not list((tmp_path / "archive" / "open" / "osm").glob("*"))


def test_both_providers_are_merged_to_one_row_a_place(
    run: Run, server: Asked, release: Asked, tmp_path: Path
) -> None:
    found = run("osm,overture", overpass_url=server.url, overture_url=release.url)
    city = found.cities["evora"]
    assert city["tables"]["hotels"] == {"rows": 2, "merged": 1, "places": 1}
    rows = read_tables(tmp_path / "tables", "tripbed", find_city("Évora"))
    (hotel,) = rows.hotels.to_dicts()
    assert (hotel["name_en"], hotel["stars"]) == ("Hotel do Sol", 4)
    said = rows.row_sources.filter(table="hotels").row(0, named=True)
    assert said["source_name"] == "OpenStreetMap; Overture Maps: made up"
    assert said["licence"] == "CDLA-Permissive-2.0 AND ODbL-1.0"
    assert str(said["source_date"]) == "2026-09-03"


def extract(path: Path) -> None:
    """An extract with a node, a closed way and the city's relation."""
    names = osmium.osm.mutable
    with osmium.SimpleWriter(str(path)) as writer:
        corners = [(made.LON + x, made.LAT + y) for x, y in ((0, 0), (0.002, 0), (0.002, 0.002))]
        writer.add_node(
            names.Node(
                id=1,
                location=(made.LON, made.LAT),
                tags={"name": "Museu da Pedra", "tourism": "museum"},
            )
        )
        for number, place in enumerate([*corners, *made.RING[:-1]], 10):
            writer.add_node(names.Node(id=number, location=place))
        writer.add_way(names.Way(id=2, nodes=[10, 11, 12, 10],
                                 tags={"name": "Hotel do Sol", "tourism": "hotel"}))  # fmt: skip
        writer.add_way(names.Way(id=3, nodes=[13, 14, 15, 16, 17, 13]))
        writer.add_relation(
            names.Relation(
                id=10,
                members=[("w", 3, "outer")],
                tags={
                    "name": "Évora",
                    "type": "boundary",
                    "boundary": "administrative",
                    "admin_level": "7",
                },
            )
        )


def test_an_extract_gives_places_and_the_boundary(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "evora.osm.pbf"
    extract(path)
    found = run(f"osm={path}", offline=True).cities["evora"]
    assert found["area"]["boundary"]["id"] == "osm:relation/10"
    assert found["tables"]["attractions"]["places"] == 1
    hotel = read_tables(tmp_path / "tables", "tripbed", find_city("Évora")).hotels
    middle = pytest.approx((made.LAT + 0.001, made.LON + 0.001), abs=1e-6)
    assert hotel.select("lat", "lon").row(0) == middle


def test_an_extract_that_is_none(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.osm.pbf"
    path.write_bytes(b"no extract at all")
    with pytest.raises(OpenDataError, match="check that the file is complete"):
        run(f"osm={path}", bbox=BBOX)
    with pytest.raises(OpenDataError, match="not an OpenStreetMap extract"):
        run(f"osm={tmp_path / 'missing.osm.pbf'}", bbox=BBOX)


def test_kept_features_are_tables_by_themselves(run: Run, server: Asked, tmp_path: Path) -> None:
    run("osm", overpass_url=server.url)
    (kept,) = (tmp_path / "archive" / "open" / "osm").glob("*.geojsonl")
    assert json.loads(kept.read_text("utf-8").splitlines()[0])["id"] == "node/1"
    imported = read_tables(kept.parent, "osm", find_city("Évora"))
    assert imported.restaurants["name_en"].to_list() == ["Tasca Verde"]
