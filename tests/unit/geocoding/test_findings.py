"""Findings on rows made wrong on purpose, and stable ids when a document is added."""

from __future__ import annotations

import polars as pl

from geocoding.discover import add_places
from geocoding.findings import alike, elsewhere
from geocoding.places import places_from_tables
from schemas.cities import find_city
from tests.support.geocoding.builders import CITY, attraction, attractions, found, founds

SUZHOU = find_city("suzhou")


def hotels(*rows: tuple[str, float, float]) -> pl.DataFrame:
    return pl.DataFrame(
        [{"name_zh": n, "name_en": None, "lat": lat, "lon": lon} for n, lat, lon in rows],
        schema={"name_zh": pl.String, "name_en": pl.String, "lat": pl.Float64, "lon": pl.Float64},
    )


def test_rows_in_another_city_are_found_and_far_sights_are_not() -> None:
    wuhan = find_city("wuhan")
    rows = hotels(
        ("湖滨店", SUZHOU.lat, SUZHOU.lon),
        ("远店", wuhan.lat + 0.05, wuhan.lon),
        ("外国店", 48.85, 2.35),
        ("郊外店", SUZHOU.lat + 0.9, SUZHOU.lon + 0.9),
    )
    assert elsewhere(rows, SUZHOU)["name_zh"].to_list() == ["远店", "外国店"]


def test_alike_hotels_are_offered_for_review() -> None:
    rows = hotels(("云来酒店(湖滨店)", 30.0, 110.0), ("云來酒店（湖滨店）", 30.0005, 110.0),
                  ("竹影客栈", 30.0, 110.0))  # fmt: skip
    assert alike(rows).select("first", "second").rows() == [(0, 1)]
    assert alike(rows.head(1)).is_empty()


def test_a_further_document_changes_no_id_that_it_does_not_touch() -> None:
    table = attractions(attraction(1, "灵峰寺", 0.0), attraction(2, "青莲湖", 3_000.0))
    places = places_from_tables(table, CITY)

    def grown(*names: tuple[str, str]) -> dict[str, str]:
        rows = [
            {**found(1, name, start=10 * at), "doc_id": doc} for at, (doc, name) in enumerate(names)
        ]
        new, _ = add_places(places, founds(*rows), CITY)
        return dict(zip(new.pois["name_zh"], new.pois["poi_id"], strict=True))

    one = grown(("d1", "望月楼"), ("d1", "归云塔"))
    two = grown(("d0", "云州望月楼"), ("d1", "望月楼"), ("d1", "归云塔"), ("d2", "听雨书院"))
    untouched = {name: poi_id for name, poi_id in one.items() if name != "望月楼"}
    assert {"灵峰寺", "青莲湖", "归云塔"} <= untouched.keys()
    assert untouched.items() <= two.items()
    assert one["望月楼"] in two.values()
    assert len(two) == len(one) + 1
