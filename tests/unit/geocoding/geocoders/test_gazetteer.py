"""The offline geocoder over every layout."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import polars as pl
import pytest

from geocoding.geocoders import GeocoderQuestion, PlacePoint
from geocoding.geocoders.gazetteer import GazetteerGeocoder
from geocoding.geocoders.layouts import LayoutError, read_layout
from schemas.geo import distance_m, wgs84_to_gcj02
from tests.support.geocoding.builders import CITY

CSV = """name,aliases,lat,lon,city
灵峰寺,Lingfeng Temple|灵峰禅寺,30.01,110.02,云州
青莲湖风景名胜区,,30.10,110.10,云州市
归云塔,,30.02,110.03,云州
归云塔,,30.40,110.50,云州
竹篮巷,,34.0,108.0,远州
无处,,,,云州
"""


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def gazetteer(tmp_path: Path) -> GazetteerGeocoder:
    return GazetteerGeocoder.of(written(tmp_path / "g.csv", CSV))


@pytest.mark.parametrize(
    ("name", "outcome", "found"),
    [
        ("灵峰寺", "found", "灵峰寺"),
        ("靈峰寺", "found", "灵峰寺"),
        ("云州灵峰寺", "found", "灵峰寺"),
        ("Lingfeng Temple", "found", "Lingfeng Temple"),
        ("Lingfengsi", "found", "灵峰寺"),
        ("青莲湖", "found", "青莲湖风景名胜区"),
        ("归云塔", "ambiguous", None),
        ("竹篮巷", "nothing", None),
        ("灵峰塔", "nothing", None),
        ("湖", "nothing", None),
    ],
)
def test_search(gazetteer: GazetteerGeocoder, name: str, outcome: str, found: str | None) -> None:
    reply = gazetteer.search(GeocoderQuestion(name, CITY))
    assert reply.outcome == outcome
    assert (reply.best.name if reply.best else None) == found


def test_rows_without_a_place_are_counted(gazetteer: GazetteerGeocoder) -> None:
    assert gazetteer.skipped == 1
    assert gazetteer.places.height == 5


def test_a_name_of_another_city_only_without_the_limit(gazetteer: GazetteerGeocoder) -> None:
    assert gazetteer.search(GeocoderQuestion("竹篮巷", CITY, city_only=False)).outcome == "found"
    assert gazetteer.search(GeocoderQuestion("竹篮巷")).outcome == "found"


def test_reverse_orders_by_distance(gazetteer: GazetteerGeocoder) -> None:
    reply = gazetteer.reverse(PlacePoint(30.0101, 110.02))
    assert [answer.name for answer in reply.answers] == ["灵峰寺"]
    assert gazetteer.reverse(PlacePoint(31.0, 111.0)).outcome == "nothing"


def test_datum_is_converted(tmp_path: Path) -> None:
    lat, lon = wgs84_to_gcj02(30.01, 110.02)
    path = written(tmp_path / "g.csv", f"name,lat,lng\n灵峰寺,{lat},{lon}\n")
    best = GazetteerGeocoder.of(path, datum="gcj02").search(GeocoderQuestion("灵峰寺", CITY)).best
    assert best is not None
    assert float(distance_m(best.lat, best.lon, 30.01, 110.02)) < 1.0
    assert best.datum_original == "gcj02"


def test_swapped_coordinates_of_a_file(tmp_path: Path) -> None:
    path = written(tmp_path / "g.csv", "name,lat,lng\n灵峰寺,110.02,30.01\n")
    best = GazetteerGeocoder.of(path).search(GeocoderQuestion("灵峰寺", CITY)).best
    assert best is not None
    assert best.lat == pytest.approx(30.01)
    assert best.note is not None


def test_geonames_dump(tmp_path: Path) -> None:
    cells = ["123", "Lingfeng Si", "Lingfeng Si", "Lingfeng Temple,灵峰寺", "30.01", "110.02",
             "S", "MNMT", "CN", *[""] * 8, "Asia/Shanghai", "2020-01-01"]  # fmt: skip
    path = written(tmp_path / "CN.txt", "\t".join(cells) + "\n")
    best = GazetteerGeocoder.of(path).search(GeocoderQuestion("灵峰寺", CITY)).best
    assert best is not None
    assert (best.provider_id, best.category) == ("123", "MNMT")


def test_overture_parquet(tmp_path: Path) -> None:
    rows = {
        "id": ["08f"],
        "geometry": [struct.pack("<BIdd", 1, 1, 110.02, 30.01)],
        "names": [{"primary": "灵峰寺", "common": [{"key": "en", "value": "Lingfeng Temple"}]}],
        "categories": [{"primary": "buddhist_temple", "alternate": None}],
        "addresses": [[{"freeform": "灵峰路1号", "locality": "云州"}]],
    }
    path = tmp_path / "places.parquet"
    pl.DataFrame(rows).write_parquet(path)
    best = GazetteerGeocoder.of(path).search(GeocoderQuestion("Lingfeng Temple", CITY)).best
    assert best is not None
    assert (best.lat, best.lon, best.category) == (30.01, 110.02, "buddhist_temple")


def test_overture_box_and_geojson(tmp_path: Path) -> None:
    box = {"xmin": 110.01, "xmax": 110.03, "ymin": 30.0, "ymax": 30.02}
    path = tmp_path / "places.parquet"
    pl.DataFrame({"id": ["1"], "names": [{"primary": "灵峰寺"}], "bbox": [box]}).write_parquet(path)
    assert read_layout(path)[0].select("lat", "lon").row(0) == pytest.approx((30.01, 110.02))
    feature = {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [110.02, 30.01]},
        "properties": {"name": "灵峰寺", "name:en": "Lingfeng Temple", "Latitude": 110.02},
    }
    other = {"type": "Feature", "geometry": None, "properties": {"name": "归云塔"}}
    text = json.dumps({"type": "FeatureCollection", "features": [feature, other]})
    places, skipped = read_layout(written(tmp_path / "g.geojson", text))
    assert places.select("name", "lat", "lon").row(0) == ("灵峰寺", 30.01, 110.02)
    assert skipped == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [("a.csv", "title,lat\nx,1\n", "longitude"), ("b.geojson", "[", "cannot be read"),
     ("c.csv", "name,lat,lon\n", "no rows")],
)  # fmt: skip
def test_what_is_no_gazetteer(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        read_layout(written(tmp_path / name, text))
