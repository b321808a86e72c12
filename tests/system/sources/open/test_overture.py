"""Overture's places and divisions from a server that lists and gives parts as its bucket does."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from schemas.cities import find_city
from sources.open.errors import OpenDataError
from sources.tables.registry import read_tables
from tests.support.sources.open import made
from tests.support.sources.open.servers import Asked, bucket, says
from tests.system.sources.open.conftest import PLACES, Run


def test_places_within_the_boundary_merged_with_their_origin(
    run: Run, release: Asked, tmp_path: Path
) -> None:
    found = run("overture", overture_url=release.url).cities["evora"]
    (account,) = found["providers"]
    assert found["area"]["boundary"]["id"] == "overture:division-Évora-locality"
    # The place far away is in another row group, which is not fetched, or is not in the box.
    assert (account["rows"], account["kept"], account["set_aside"]) == (9, 6, 1)
    assert account["left_out"] == {"of category dentist": 1, "outside the city": 1}
    assert found["tables"]["attractions"] == {"rows": 3, "merged": 1, "places": 2}
    assert account["sources"][0]["release"] == made.RELEASE
    imported = read_tables(tmp_path / "tables", "tripbed", find_city("Évora"))
    assert sorted(imported.attractions["name_en"]) == ["Museu da Pedra", "New words"]
    assert imported.attractions["coordinate_provider"].to_list() == ["overture"] * 2
    assert imported.hotels["name_en"].to_list() == ["Hotel do Sol"]
    assert imported.hubs["name"].to_list() == ["Estação Velha"]
    said = imported.row_sources.select("source_name", "licence", "source_date").unique()
    assert [tuple(map(str, row)) for row in said.rows()] == [
        ("Overture Maps: made up", "CDLA-Permissive-2.0", "2026-09-03")
    ]
    aside = pl.read_csv(tmp_path / "tables" / "set_aside.csv")
    assert aside.select("id", "check").rows() == [("overture:id-Fechado", "closed_for_good")]
    shape = json.loads((tmp_path / "tables" / "boundary-evora.geojson").read_text("utf-8"))
    assert shape["features"][0]["geometry"]["type"] == "Polygon"


def test_what_was_fetched_gives_the_same_bytes_without_a_network(
    run: Run, release: Asked, tmp_path: Path
) -> None:
    run("overture", overture_url=release.url)
    asked = len(release.requests)
    run("overture", "again", overture_url=release.url, offline=True)
    run("overture", "kept", overture_url=release.url)
    assert len(release.requests) == asked
    for name in ("again", "kept"):
        pairs = [
            (path.read_bytes(), (tmp_path / name / path.name).read_bytes())
            for path in sorted((tmp_path / "tables").iterdir())
        ]
        assert len(pairs) == 8
        assert all(one == two for one, two in pairs)
    run("overture", "new", overture_url=release.url, refresh=True)
    assert len(release.requests) > asked


def test_only_row_groups_that_meet_the_box_are_fetched(run: Run, tmp_path: Path) -> None:
    away = [
        made.place(hashlib.sha256(f"{n}".encode()).hexdigest(), "museum", 60 + n / 10_000, 10.0)
        for n in range(8_000)
    ]
    here = [made.place(f"Here {n}", "museum", made.LAT, made.LON + n / 1000) for n in range(4)]
    made.write_release(tmp_path / "bucket", [*here, *away], [], group_rows=500)
    size = sum(path.stat().st_size for path in (tmp_path / "bucket").rglob("type=place/*"))
    with bucket(tmp_path / "bucket") as server:
        found = run("overture", overture_url=server.url, bbox="-7.95,38.5,-7.8,38.6")
        assert found.cities["evora"]["tables"]["attractions"]["places"] == 4
        assert server.n_bytes < size / 2


def test_a_box_across_the_antimeridian(run: Run, tmp_path: Path) -> None:
    places = [made.place("West of it", "museum", -16.8, 179.98),
              made.place("East of it", "museum", -16.8, -179.98),
              made.place("Beyond", "museum", -16.8, 0.0)]  # fmt: skip
    made.write_release(tmp_path / "bucket", places, [], group_rows=1)
    with bucket(tmp_path / "bucket") as server:
        found = run("overture", overture_url=server.url, city="Labasa",
                    bbox="179.9,-17,-179.9,-16.5")  # fmt: skip
    assert found.cities["labasa"]["tables"]["attractions"]["places"] == 2


def test_a_busy_server_is_asked_again_and_a_refusing_one_is_not(run: Run, release: Asked) -> None:
    release.faults += [says(503, retry_after="0"), says(429, retry_after="0")]
    assert run("overture", overture_url=release.url).cities["evora"]["tables"]["hotels"]["places"]
    release.faults.append(says(403))
    before = len(release.requests)
    with pytest.raises(OpenDataError, match="refuses"):
        run("overture", overture_url=release.url, refresh=True)
    assert len(release.requests) == before + 1


def test_what_is_wrong_is_said_with_what_to_do(run: Run, release: Asked, tmp_path: Path) -> None:
    def complaint(sources: str = "overture", **given: object) -> str:
        with pytest.raises(ValueError) as error:  # noqa: PT011 - their words are looked at
            run(sources, **{"overture_url": release.url, **given})
        return str(error.value)

    assert "no stored answer" in complaint(offline=True)
    assert "can't be reached" in complaint(overture_url="http://127.0.0.1:9")
    assert "no provider is called 'bing'" in complaint("overture,bing")
    assert "--bbox=" in complaint(city="Lisbon")
    assert "TRIPBED_OVERTURE_RELEASE" in complaint(overture_release="2020-01-01.0", refresh=True)
    assert "four numbers W,S,E,N" in complaint(bbox="38,-7,39")
    assert "west, south, east, north" in complaint(bbox="38,99,39,100")
    assert "at most 4" in complaint(bbox="-20,30,20,40")
    assert not (tmp_path / "tables").exists()
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "mine.txt").touch()
    assert "contains other files" in complaint()
    assert (tmp_path / "tables" / "mine.txt").exists()


def test_a_file_that_is_cut_and_one_of_another_form(run: Run, tmp_path: Path) -> None:
    made.write_release(tmp_path / "bucket", PLACES, [made.division("Évora", made.boundary())])
    path = next((tmp_path / "bucket").rglob("part-00001*"))
    whole = path.read_bytes()
    with bucket(tmp_path / "bucket") as server:
        path.write_bytes(whole[:-100])
        with pytest.raises(OpenDataError, match="not a Parquet file"):
            run("overture", overture_url=server.url)
        path.write_bytes(whole)
        names = [name for name in made.PLACES.names if name != "bbox"]
        made.write_release(tmp_path / "bucket", [{k: p[k] for k in names} for p in PLACES],
                           [], schema=pa.schema([made.PLACES.field(n) for n in names]))  # fmt: skip
        with pytest.raises(OpenDataError, match="no column 'bbox'"):
            run("overture", overture_url=server.url, refresh=True, bbox="-7.95,38.5,-7.8,38.6")
    assert not (tmp_path / "tables").exists()
