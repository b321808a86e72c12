from __future__ import annotations

import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from geocoding.discover import add_places, count_mentions, is_proper_name
from geocoding.names import NameReader
from geocoding.places import TablePlaces, places_from_tables
from schemas import ids
from schemas.arrow import to_arrow
from tests.support.geocoding.builders import CITY, attraction, attractions, found, founds

READER = NameReader.of(CITY)
EMPTY = places_from_tables(attractions(), CITY)
NAMES = [
    found(2, "松涛寺", start=40),
    found(1, "松涛寺景区", start=10),
    found(1, "云州松涛寺", start=90),
    found(1, "Wild Goose Garden", start=5),
    found(3, "老茶铺"),
    found(4, "青莲湖-望月亭"),
]


def by_name(places: TablePlaces) -> dict[str, str]:
    rows = places.pois.iter_rows(named=True)
    return {row["name_zh"] or row["name_en"]: row["poi_id"] for row in rows}


def test_every_name_is_a_place_and_spellings_share_one() -> None:
    places, of_name = add_places(EMPTY, founds(*NAMES), CITY)
    assert set(by_name(places)) == {"松涛寺", "Wild Goose Garden", "老茶铺", "青莲湖-望月亭"}
    assert set(of_name) == {row["name"] for row in NAMES}
    assert len({poi_id for name, poi_id in of_name.items() if "松涛寺" in name}) == 1
    for table, frame in (
        ("pois", places.pois),
        ("poi_aliases", places.aliases),
        ("evidence", places.evidence),
    ):
        to_arrow(table, frame)


@pytest.mark.parametrize("name", ["江北大酒店", "公园", "随便走走", "Hotel"])
def test_what_is_no_proper_name_of_a_sight(name: str) -> None:
    assert not is_proper_name(READER.read(name))


def test_spellings_are_aliases_and_evidence_is_the_first_span() -> None:
    places, _ = add_places(EMPTY, founds(*NAMES[:3]), CITY)
    (row,) = places.pois.iter_rows(named=True)
    assert set(places.aliases["alias"]) | {row["name_zh"]} == {"松涛寺", "松涛寺景区", "云州松涛寺"}
    assert row["evidence_id"] == ids.span_evidence_id(CITY.city_id, f"d{1:020x}", 10, 15)
    first = places.evidence.filter(pl.col("evidence_id") == row["evidence_id"]).row(0, named=True)
    assert first["quote_sha256"] == ids.text_sha256("松涛寺景区")
    assert first["quote"] is None
    assert (row["geocode_status"], row["lat"], row["poi_source"]) == (
        "unresolved",
        None,
        "document",
    )


def test_one_more_document_changes_no_id() -> None:
    before, _ = add_places(EMPTY, founds(*NAMES), CITY)
    more = [found(0, "松涛寺景区"), found(0, "松涛寺景区", start=30), found(0, "望海阁")]
    after, _ = add_places(EMPTY, founds(*NAMES, *more), CITY)
    assert set(before.pois["poi_id"]) < set(after.pois["poi_id"])
    assert after.pois.height == before.pois.height + 1
    kept = after.pois.filter(pl.col("poi_id").is_in(before.pois["poi_id"].to_list()))
    assert_frame_equal(kept.select("poi_id", "anchor"), before.pois.select("poi_id", "anchor"))


def test_order_of_names_does_not_matter() -> None:
    shuffled = random.Random(7).sample(NAMES, len(NAMES))
    one, two = (add_places(EMPTY, founds(*n), CITY) for n in (NAMES, shuffled))
    assert one[1] == two[1]
    for attribute in ("pois", "aliases", "evidence", "hierarchy"):
        assert_frame_equal(getattr(one[0], attribute), getattr(two[0], attribute))


def test_a_second_pass_adds_nothing_twice() -> None:
    once, _ = add_places(EMPTY, founds(*NAMES), CITY)
    twice, of_name = add_places(once, founds(*NAMES), CITY)
    assert_frame_equal(once.pois, twice.pois)
    assert_frame_equal(once.evidence, twice.evidence)
    assert set(of_name.values()) == set(once.pois["poi_id"])


def test_known_places_stay_and_hold_new_ones() -> None:
    known = places_from_tables(attractions(attraction(2, "青莲湖风景名胜区")), CITY)
    places, _ = add_places(known, founds(*NAMES), CITY)
    lookup = by_name(places)
    assert known.pois["poi_id"][0] in lookup.values()
    (link,) = places.hierarchy.iter_rows(named=True)
    assert (link["poi_id"], link["parent_poi_id"]) == (
        lookup["青莲湖-望月亭"],
        lookup["青莲湖风景名胜区"],
    )


def test_nothing_to_add() -> None:
    places, of_name = add_places(EMPTY, founds(), CITY)
    assert (places.pois.height, of_name) == (0, {})


def test_count_mentions() -> None:
    places, _ = add_places(EMPTY, founds(*NAMES), CITY)
    poi_id = by_name(places)["老茶铺"]
    mentions = pl.DataFrame(
        {"doc_id": ["a", "a", "b", "b"], "poi_id": [poi_id, poi_id, poi_id, None]},
        schema={"doc_id": pl.String, "poi_id": pl.String},
    )
    counted = count_mentions(places, mentions).pois
    to_arrow("pois", counted)
    row = counted.filter(pl.col("poi_id") == poi_id).row(0, named=True)
    assert (row["n_documents"], row["n_mentions"]) == (2, 3)
    assert counted["n_mentions"].sum() == 3
