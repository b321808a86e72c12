"""Overture Maps and OpenStreetMap: invented places in the shapes of the two."""

from __future__ import annotations

import datetime as dt
import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.cities import City
from sources.tables.imported import Imported
from sources.tables.intake import TableError
from sources.tables.osm import centre
from sources.tables.registry import available_cities, read_tables
from tests.unit.sources.tables.conftest import count, kinds

HERE = (30.25, 120.16)
NAMES = pa.struct(
    [
        ("primary", pa.string()),
        ("common", pa.map_(pa.string(), pa.string())),
        ("rules", pa.list_(pa.struct([("variant", pa.string()), ("value", pa.string())]))),
    ]
)
SOURCES = pa.list_(
    pa.struct(
        [
            ("property", pa.string()), ("dataset", pa.string()), ("license", pa.string()),
            ("record_id", pa.string()), ("update_time", pa.string()),
        ]
    )
)  # fmt: skip
SCHEMA = pa.schema(
    [
        ("id", pa.string()), ("geometry", pa.binary()), ("names", NAMES),
        ("categories", pa.struct([("primary", pa.string()), ("alternate", pa.list_(pa.string()))])),
        ("confidence", pa.float64()), ("sources", SOURCES), ("operating_status", pa.string()),
    ]
)  # fmt: skip


def point(lat: float, lon: float) -> bytes:
    return struct.pack("<BI2d", 1, 1, lon, lat)


def place(name: str, category: str | None, **changed: Any) -> dict[str, Any]:
    source = {"property": "", "dataset": "made up", "license": "CDLA-Permissive-2.0",
              "update_time": "2025-03-04T00:00:00.000Z"}  # fmt: skip
    return {
        "id": f"id-{name}", "geometry": point(*HERE),
        "names": {"primary": name, "common": [("en", f"{name} in English")], "rules": []},
        "categories": {"primary": category, "alternate": None}, "confidence": 0.9,
        "sources": [source], "operating_status": "open", **changed,
    }  # fmt: skip


def overture(
    folder: Path, city: City, *places: dict[str, Any], file: str = "a.parquet"
) -> Imported:
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(places), SCHEMA), path)
    return read_tables(folder, "overture", city)


def test_overture_places_by_table(tmp_path: Path, hangzhou: City) -> None:
    imported = overture(
        tmp_path, hangzhou, place("青石博物馆", "museum"), place("柳岸酒店", "hotel"),
        place("三味馆", "sichuan_restaurant"), place("云寺", "buddhist_temple"),
        place("一号牙科", "dentist"), place("城站", "train_station"),
    )  # fmt: skip
    museum = imported.attractions.filter(name_zh="青石博物馆").row(0, named=True)
    assert (museum["base_type"], museum["name_en"]) == ("museum_memorial", "青石博物馆 in English")
    assert (museum["lat"], museum["lon"]) == HERE
    assert museum["source_id"] == "overture:id-青石博物馆"
    temple = imported.attractions.filter(name_zh="云寺").row(0, named=True)
    assert (temple["base_type"], temple["category"]) == (None, "religious_spiritual")
    assert imported.restaurants["cuisine"].to_list() == ["sichuan"]
    assert imported.hotels["rooms"].to_list() == [[]]
    assert imported.hubs["name"].to_list() == ["城站"]
    said = imported.row_sources.row(0, named=True)
    assert said["source_name"] == "Overture Maps: made up"
    assert (said["licence"], said["source_date"]) == ("CDLA-Permissive-2.0", dt.date(2025, 3, 4))
    (left,) = imported.findings.filter(kind="not_ours")["message"]
    assert left == "1 of category dentist"


def test_overture_confidence_status_and_broken_points(tmp_path: Path, hangzhou: City) -> None:
    imported = overture(
        tmp_path,
        hangzhou,
        place("一馆", "museum", confidence=0.49),
        place("二馆", "museum", confidence=0.5),
        place("三馆", "museum", operating_status="permanently_closed"),
        place("四馆", "museum", geometry=b"\x01\x02"),
        place("", "museum", names={"primary": " ", "common": [], "rules": []}),
        place("六馆", "museum", geometry=point(40.0, 116.0)),
    )
    assert sorted(imported.attractions["name_zh"]) == ["一馆", "二馆"]
    found = imported.findings.select("kind", "source_line").rows()
    assert ("confidence_low", 1) in found
    assert ("confidence_low", 2) not in found
    assert {("closed_for_good", 3), ("shape", 4)} <= set(found)
    assert count(imported, "attractions") == (5, 2, 0, 3)
    (left,) = imported.findings.filter(kind="not_ours")["message"]
    assert left == "1 far from the city"


def test_overture_files_of_other_shapes(tmp_path: Path, hangzhou: City) -> None:
    path = tmp_path / "a.parquet"

    def complaint() -> str:
        with pytest.raises(TableError) as error:
            read_tables(tmp_path, "overture", hangzhou)
        return str(error.value)

    assert "no .parquet" in complaint()
    pq.write_table(pa.table({"id": ["a"], "names": ["b"]}), path)
    assert "a.parquet: column names has the type string, but the type must be struct" in complaint()
    pq.write_table(pa.Table.from_pylist([place("一", "park")], SCHEMA).drop(["categories"]), path)
    assert "column categories is missing" in complaint()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "not a Parquet file" in complaint()


def feature(tags: dict[str, str], geometry: Any = None, **more: Any) -> dict[str, Any]:
    geometry = geometry or {"type": "Point", "coordinates": [HERE[1], HERE[0]]}
    return {"type": "Feature", "properties": tags, "geometry": geometry, **more}


def osm(folder: Path, city: City, *features: Any, file: str = "a.geojson") -> Imported:
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    if file.endswith("l"):
        text = "\n".join(json.dumps(f) if not isinstance(f, str) else f for f in features)
    else:
        text = json.dumps({"type": "FeatureCollection", "features": features})
    path.write_text(text, encoding="utf-8")
    return read_tables(folder, "osm", city)


def test_osm_tags(tmp_path: Path, hangzhou: City) -> None:
    imported = osm(
        tmp_path,
        hangzhou,
        feature(
            {
                "@id": "node/1",
                "tourism": "museum",
                "name": "青石博物馆",
                "name:en": "Bluestone",
                "opening_hours": "Tu-Su 09:00-17:00",
                "charge": "30 CNY",
                "wikidata": "Q42",
                "alt_name": "青石馆;石馆",
                "@timestamp": "2024-05-06T07:08:09Z",
            }
        ),
        feature({"@id": "node/2", "tourism": "hotel", "name": "柳岸酒店", "stars": "4.5"}),
        feature(
            {
                "@id": "node/3",
                "amenity": "restaurant",
                "name": "三味",
                "cuisine": "chinese;sichuan",
                "opening_hours": "whenever",
            }
        ),
        feature(
            {
                "@id": "node/4",
                "amenity": "place_of_worship",
                "tourism": "attraction",
                "name": "云寺",
            }
        ),
        feature({"@id": "node/5", "railway": "station", "station": "subway", "name": "一号站"}),
        feature({"@id": "node/6", "railway": "station", "name": "城站"}),
        feature({"@id": "node/7", "leisure": "park"}),
        feature({"highway": "residential"}),
    )
    museum = imported.attractions.filter(name_zh="青石博物馆").row(0, named=True)
    expected = {
        "source_id": "osm:node/1", "name_en": "Bluestone", "aliases": ["青石馆", "石馆"],
        "base_type": "museum_memorial", "hours_osm": "Tu-Su 09:00-17:00", "price_cents": 3000,
        "wikidata": "Q42", "coordinate_provider": "openstreetmap",
    }  # fmt: skip
    assert {key: museum[key] for key in expected} == expected
    assert imported.attractions.filter(name_zh="云寺")["category"].to_list() == [
        "religious_spiritual"
    ]
    assert imported.hotels["stars"].to_list() == [4]
    assert imported.restaurants["cuisine"].to_list() == ["sichuan"]
    assert ("mark", "hours_unreadable") in kinds(imported, "restaurants")
    assert imported.hubs["name"].to_list() == ["城站"]
    said = imported.row_sources.filter(table="pois", source_line=1).row(0, named=True)
    assert (said["source_name"], said["licence"]) == ("OpenStreetMap", "ODbL-1.0")
    assert said["source_date"] == dt.date(2024, 5, 6)
    (left,) = imported.findings.filter(kind="not_ours")["message"]
    assert left == "2 without a tag for a place; 1 of attractions without a name"


@pytest.mark.parametrize(
    ("fee", "price"),
    [({"fee": "no"}, (0, "CNY")), ({"charge": "¥15"}, (1500, "CNY")), ({"charge": "15"}, None),
     ({"fee": "yes"}, None), ({"charge": "10-20 CNY"}, None), ({"charge": "15 USD"}, (1500, "USD")),
     ({"charge": "12,50 EUR"}, (1250, "EUR")), ({"charge": "$15"}, None)],
)  # fmt: skip
def test_osm_prices(
    tmp_path: Path, hangzhou: City, fee: dict[str, str], price: tuple[int, str] | None
) -> None:
    imported = osm(tmp_path, hangzhou, feature({"leisure": "park", "name": "园", **fee}))
    told = imported.attractions.select("price_cents", "currency").row(0)
    assert told == (price or (None, None))


def test_osm_areas_and_lines() -> None:
    square = [[0, 0], [4, 0], [4, 2], [0, 2], [0, 0]]
    small = [[10, 10], [11, 10], [11, 11], [10, 10]]
    assert centre({"type": "Polygon", "coordinates": [square]}) == pytest.approx((1, 2))
    many = {"type": "MultiPolygon", "coordinates": [[small], [square]]}
    assert centre(many) == pytest.approx((1, 2))
    assert centre({"type": "LineString", "coordinates": [[0, 0], [3, 1], [4, 4]]}) == (1, 3)
    flat = [[0, 0], [2, 0], [0, 0]]
    assert centre({"type": "Polygon", "coordinates": [flat]}) == pytest.approx((0, 2 / 3))
    for broken in (None, {"type": "Point"}, {"type": "Point", "coordinates": []}, {"type": "Tree"}):
        assert centre(broken) is None


def test_osm_lines_cities_and_broken_features(tmp_path: Path, hangzhou: City) -> None:
    park = feature({"leisure": "park", "name": "青石园"})
    far = feature({"leisure": "park", "name": "远园"}, {"type": "Point", "coordinates": [116, 40]})
    imported = osm(tmp_path, hangzhou, park, '{"cut', far, file="hangzhou/a.geojsonl")
    assert imported.attractions["name_zh"].to_list() == ["青石园", "远园"]
    assert ("mark", "far_from_city") in kinds(imported, "attractions")
    assert imported.quarantine.select("source_file", "source_line", "check").rows() == [
        ("hangzhou/a.geojsonl", 2, "shape")
    ]
    assert available_cities(tmp_path, "osm") == ["hangzhou"]
    (tmp_path / "b.geojson").write_text("[]", encoding="utf-8")
    with pytest.raises(TableError, match="must contain a GeoJSON FeatureCollection"):
        read_tables(tmp_path, "osm", hangzhou)
    (tmp_path / "b.geojson").write_text('{"features": [\n{"type"', encoding="utf-8")
    with pytest.raises(TableError, match=r"b.geojson:2:8: not JSON"):
        read_tables(tmp_path, "osm", hangzhou)
