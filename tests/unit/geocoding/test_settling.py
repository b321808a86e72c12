"""Names that several places bear: settled by kind and place, never by popularity alone."""

from __future__ import annotations

from typing import Any

import polars as pl

from geocoding.places import Places, places_from_tables
from geocoding.resolve import resolve_names
from tests.support.geocoding.builders import CITY, attraction, attractions, surface, surfaces

KM = 1_000.0


def tables(*namesakes: dict[str, Any]) -> Places:
    """Two clusters of sights 60 km apart, and the namesakes."""
    near = [attraction(10 + i, n, i * 300.0) for i, n in enumerate(("青莲阁", "竹篮巷", "松鹤馆"))]
    far = [
        attraction(20 + i, n, 60 * KM + i * 300.0)
        for i, n in enumerate(("白鹭洲", "丹枫渡", "金梭园"))
    ]
    return places_from_tables(attractions(*near, *far, *namesakes), CITY)


def resolved(places: Places, documents: list[list[str]], name: str) -> dict[str, Any]:
    rows = [
        {**surface(0, n), "doc_id": f"d{doc}", "start": at, "end": at + 1}
        for doc, names in enumerate(documents)
        for at, n in enumerate(names)
    ]
    found = resolve_names(surfaces(*rows), places, CITY)
    return found.filter(name=name).row(0, named=True)


def at_line(places: Places, name: str, north_km: float) -> str:
    rows = places.pois.filter(pl.col("name_zh") == name)
    wanted = (rows["lat"] - (30.0 + north_km * KM / 111_195)).abs().arg_min()
    assert wanted is not None
    return str(rows["poi_id"][wanted])


TWINS = (attraction(2, "双塔", 900.0), attraction(3, "双塔", 61 * KM, grade="AAAAA"))


def test_the_other_places_of_a_document_settle_a_name() -> None:
    places = tables(*TWINS)
    row = resolved(places, [["双塔", "青莲阁", "竹篮巷"]], "双塔")
    assert (row["resolution"], row["poi_id"]) == ("linked", at_line(places, "双塔", 0.9))
    assert row["why"].endswith("it lies among the other places of its documents")
    row = resolved(places, [["双塔", "白鹭洲", "金梭园"]], "双塔")
    assert row["poi_id"] == at_line(places, "双塔", 61)


def test_documents_that_disagree_settle_nothing() -> None:
    documents = [["双塔", "青莲阁", "竹篮巷"], ["双塔", "白鹭洲", "金梭园"]]
    row = resolved(tables(*TWINS), documents, "双塔")
    assert (row["resolution"], row["poi_id"]) == ("review", None)


def test_too_few_neighbours_or_all_as_far_settle_nothing() -> None:
    for names in (["双塔"], ["双塔", "青莲阁"], ["双塔", "青莲阁", "白鹭洲"]):
        assert resolved(tables(*TWINS), [names], "双塔")["poi_id"] is None
    close = (attraction(2, "双塔", 900.0), attraction(3, "双塔", 9 * KM))
    row = resolved(tables(*close), [["双塔", "白鹭洲", "金梭园"]], "双塔")
    assert row["poi_id"] is None, "50 and 60 km away: neither lies among them"


def test_a_namesake_without_coordinates_keeps_it_open() -> None:
    places = tables(*TWINS, attraction(4, "双塔", None))
    assert places.pois.filter(name_zh="双塔").height == 3
    assert resolved(places, [["双塔", "青莲阁", "竹篮巷"]], "双塔")["poi_id"] is None


def test_a_place_that_cannot_be_of_the_kind_is_out() -> None:
    lakes = (
        attraction(2, "青湖", 5 * KM, base_type="natural_scenery"),
        attraction(3, "青湖", 40 * KM, base_type="museum_memorial"),
    )
    places = tables(*lakes)
    row = resolved(places, [["青湖"]], "青湖")
    assert (row["resolution"], row["resolution_score"]) == ("linked", 0.82)
    assert row["poi_id"] == at_line(places, "青湖", 5)
    unknown = (lakes[0], attraction(3, "青湖", 40 * KM))
    assert resolved(tables(*unknown), [["青湖"]], "青湖")["poi_id"] is None


def test_popularity_orders_what_a_person_sees_and_decides_nothing() -> None:
    places = tables(*TWINS)
    row = resolved(places, [["双塔"]], "双塔")
    assert (row["resolution"], row["poi_id"]) == ("review", None)
    graded, other = at_line(places, "双塔", 61), at_line(places, "双塔", 0.9)
    assert row["why"] == f"2 places bear the name: 双塔 ({graded}), 双塔 ({other})"
