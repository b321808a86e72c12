"""Places anywhere on the globe lie where they lay after every export,
or the account says why not.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas.arrow import frame
from schemas.cities import City, find_city
from schemas.geo import distance_m, from_wgs84
from schemas.mainland import in_mainland
from schemas.tables import SCHEMA_VERSION, TABLES
from schemas.word_lists import Lists
from sources.tables.registry import read_tables
from tests.support.flows.running import run
from warehouse.candidate import table_entries, write_partition
from warehouse.errors import WarehouseError
from warehouse.export import REPORT, export
from warehouse.manifest import FILE_NAME, Manifest

Point = tuple[float, float]
HANGZHOU, HONG_KONG, KYOTO = find_city("hangzhou"), find_city("hong kong"), find_city("kyoto")
#: Places of a border town may lie on either side of it.
ALONG_BORDER = 200


def _on_the_globe(count: int, seed: int = 7) -> list[Point]:
    rng = random.Random(seed)
    return [
        (math.degrees(math.asin(rng.uniform(-1, 1))), rng.uniform(-180, 180)) for _ in range(count)
    ]


def _along_the_border(count: int, seed: int = 8) -> list[Point]:
    """Points within some 2 km of the border, on both sides of it."""
    rng = random.Random(seed)
    rings = (text.split() for _, text in Lists("schemas").table("mainland_china"))
    vertices = {tuple(int(n) / 10_000 for n in end.split(",")) for ring in rings for end in ring}
    ends = rng.sample(sorted(vertices), count)
    return [(lat + rng.uniform(-0.02, 0.02), lon + rng.uniform(-0.02, 0.02)) for lat, lon in ends]


def _hotel(number: int, point: Point, city_id: str) -> dict[str, Any]:
    return {
        "hotel_id": f"hotel_{number:016x}",
        "city_id": city_id,
        "name_zh": f"酒店{number}",
        "lat": point[0],
        "lon": point[1],
        "currency": "CNY",
        "is_simulated": False,
        "rooms": [{"room_type": "king", "price_cents": 10_000, "stock": 1}],
        "datum_original": "wgs84",
        "source_file": "made.csv",
        "source_line": number,
    }


@pytest.fixture(scope="module")
def points() -> dict[str, dict[str, Point]]:
    globe, near = _on_the_globe(10_000), _along_the_border(ALONG_BORDER)
    assert 0.2 < sum(in_mainland(*p) for p in near) / len(near) < 0.8
    return {
        slug: {f"酒店{n}": point for n, point in enumerate([*globe, *near], 1)}
        for slug in (HANGZHOU.slug, HONG_KONG.slug)
    }


def _snapshot(path: Path, points: dict[str, dict[str, Point]], *cities: City) -> Path:
    files: dict[str, list[Any]] = {name: [] for name in TABLES}
    for city in cities:
        hotels = [_hotel(n, p, city.city_id) for n, p in enumerate(points[city.slug].values(), 1)]
        rows = {"cities": [city.row()], "hotels": hotels}
        for name, table in TABLES.items():
            if table.partition == "city":
                made = frame(name, rows.get(name, []))
                files[name].append(write_partition(path, name, city.slug, made))
    for name, table in TABLES.items():
        if table.partition != "city":
            part = "hangzhou--shanghai" if table.partition == "pair" else None
            files[name].append(write_partition(path, name, part, frame(name, [])))
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        cities=tuple(c.slug for c in cities),
        tables=table_entries(files),
        settings={},
        ingredients={},
    )
    (path / FILE_NAME).write_text(manifest.text(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def snapshot(points: dict[str, dict[str, Point]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _snapshot(tmp_path_factory.mktemp("globe"), points, HANGZHOU, HONG_KONG)


def _far(rows: pl.DataFrame, points: dict[str, Point]) -> set[str]:
    """Names of the rows that lie more than a metre from where they were."""
    assert rows.height == len(points)
    there = [points[name] for name in rows["name_zh"]]
    away = distance_m(rows["lat"], rows["lon"], [p[0] for p in there], [p[1] for p in there])
    return set(rows.filter(pl.Series(away > 1))["name_zh"])


@pytest.mark.parametrize("layout", ["traveleval", "csv"])
def test_every_place_comes_back_or_is_listed(
    layout: str, snapshot: Path, points: dict[str, dict[str, Point]], tmp_path: Path
) -> None:
    export(snapshot, layout, tmp_path / "out")
    account = json.loads((tmp_path / "out" / REPORT).read_text(encoding="utf-8"))
    read_as = "tripbed" if layout == "csv" else layout
    for city in (HANGZHOU, HONG_KONG):
        rows = read_tables(tmp_path / "out", read_as, city).hotels
        listed = {
            entry["name"]
            for entry in account["changed"]
            if entry["city"] == city.slug and entry["field"] == "coordinates"
        }
        assert _far(rows, points[city.slug]) == listed
        assert len(listed) <= (0 if layout == "csv" else ALONG_BORDER / 4)


def test_layouts_in_wgs_84_keep_every_digit_that_matters(
    snapshot: Path, points: dict[str, dict[str, Point]], tmp_path: Path
) -> None:
    export(snapshot, "chinatravel", tmp_path / "chinatravel")
    file = tmp_path / "chinatravel" / "accommodations" / "hangzhou" / "accommodations.csv"
    rows = pl.read_csv(file).rename({"name": "name_zh"})
    assert not _far(rows, points[HANGZHOU.slug])
    export(snapshot, "geoparquet", tmp_path / "geoparquet")
    held = pl.concat(pl.read_parquet(f) for f in (tmp_path / "geoparquet").rglob("*hotel*.parquet"))
    for city in (HANGZHOU, HONG_KONG):
        mine = held.filter(pl.col("city_id") == city.city_id)
        assert not _far(mine, points[city.slug])


@pytest.mark.parametrize(
    "point",
    [(KYOTO.lat, KYOTO.lon), (22.2819, 114.1582), (22.1987, 113.5439), (25.0330, 121.5654),
     (24.4360, 118.3180), (37.5665, 126.9780), (21.0285, 105.8542), (43.1155, 131.8855)],
)  # fmt: skip
def test_nothing_moves_outside_mainland_china(point: Point) -> None:
    assert from_wgs84(*point, "gcj02") == from_wgs84(*point, "bd09") == point


def test_a_city_that_the_layout_cannot_hold_is_left_out_and_said(
    snapshot: Path, points: dict[str, dict[str, Point]], tmp_path: Path
) -> None:
    account = export(snapshot, "chinatravel", tmp_path / "out")
    assert set(account.cities_left_out) == {HONG_KONG.slug}
    counts = account.facts()["counts"][HONG_KONG.slug]["hotels"]
    assert counts == {"rows": len(points[HONG_KONG.slug]), "written": 0, "left_out": counts["rows"]}
    told = run("export", snapshot, "--format", "chinatravel", "--out", tmp_path / "again")
    assert told.code == 1
    assert f"{HONG_KONG.slug} was left out completely: the layout has only ten cities" in told.out


def test_a_layout_that_can_hold_no_city_writes_nothing(tmp_path: Path) -> None:
    only = _snapshot(tmp_path / "made", {"kyoto": {"Inn": (KYOTO.lat, KYOTO.lon)}}, KYOTO)
    with pytest.raises(
        WarehouseError, match=r"nothing to write: kyoto: the layout has only ten cities"
    ):
        export(only, "chinatravel", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not export(only, "traveleval", tmp_path / "other").cities_left_out
