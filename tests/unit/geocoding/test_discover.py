from __future__ import annotations

import random

import polars as pl
from polars.testing import assert_frame_equal

from geocoding.discover import add_places, count_mentions
from geocoding.places import Places, places_from_tables
from schemas import ids
from schemas.arrow import to_arrow
from tests.support.geocoding.builders import CITY, attraction, attractions, surface, surfaces

EMPTY = places_from_tables(attractions(), CITY)
NAMES = [
    surface(2, "松涛寺", start=40),
    surface(1, "松涛寺景区", start=10),
    surface(1, "云州松涛寺", start=90),
    surface(1, "Wild Goose Garden", lang="en", start=5),
    surface(3, "老茶铺", visit=True),
    surface(3, "江北大酒店", visit=True),
    surface(3, "公园"),
    surface(3, "随便走走"),
    surface(4, "青莲湖-望月亭"),
]


def by_name(places: Places) -> dict[str, str]:
    rows = places.pois.iter_rows(named=True)
    return {row["name_zh"] or row["name_en"]: row["poi_id"] for row in rows}


def test_names_that_look_like_sights_become_places() -> None:
    places, resolution = add_places(EMPTY, surfaces(*NAMES), CITY, visits_only=False)
    assert set(by_name(places)) == {"松涛寺", "Wild Goose Garden", "老茶铺", "青莲湖-望月亭"}
    found = dict(zip(resolution["name"], resolution["resolution"], strict=True))
    assert {n for n, r in found.items() if r == "unresolved"} == {"江北大酒店", "公园", "随便走走"}
    assert resolution.filter(pl.col("name").str.contains("松涛寺"))["poi_id"].n_unique() == 1
    assert len(found) == len({row["name"] for row in NAMES})
    for table, frame in (
        ("pois", places.pois),
        ("poi_aliases", places.aliases),
        ("evidence", places.evidence),
    ):
        to_arrow(table, frame)


def test_spellings_are_aliases_and_evidence_is_the_first_span() -> None:
    places, _ = add_places(EMPTY, surfaces(*NAMES[:3]), CITY, visits_only=False)
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
    before, _ = add_places(EMPTY, surfaces(*NAMES), CITY, visits_only=False)
    more = [surface(0, "松涛寺景区"), surface(0, "松涛寺景区", start=30), surface(0, "望海阁")]
    after, _ = add_places(EMPTY, surfaces(*NAMES, *more), CITY, visits_only=False)
    assert set(before.pois["poi_id"]) < set(after.pois["poi_id"])
    assert after.pois.height == before.pois.height + 1
    kept = after.pois.filter(pl.col("poi_id").is_in(before.pois["poi_id"].to_list()))
    assert_frame_equal(kept.select("poi_id", "anchor"), before.pois.select("poi_id", "anchor"))


def test_order_of_names_does_not_matter() -> None:
    shuffled = random.Random(7).sample(NAMES, len(NAMES))
    one, two = (add_places(EMPTY, surfaces(*n), CITY, visits_only=False) for n in (NAMES, shuffled))
    assert_frame_equal(one[1], two[1])
    for attribute in ("pois", "aliases", "evidence", "hierarchy"):
        assert_frame_equal(getattr(one[0], attribute), getattr(two[0], attribute))


def test_visits_only_and_minimum_documents() -> None:
    visits, _ = add_places(EMPTY, surfaces(*NAMES), CITY, visits_only=True)
    assert set(by_name(visits)) == {"老茶铺"}
    often, _ = add_places(EMPTY, surfaces(*NAMES), CITY, visits_only=False, minimum_documents=2)
    assert len(by_name(often)) == 1


def test_a_second_pass_adds_nothing_twice() -> None:
    once, _ = add_places(EMPTY, surfaces(*NAMES), CITY, visits_only=False)
    twice, resolution = add_places(once, surfaces(*NAMES), CITY, visits_only=False)
    assert_frame_equal(once.pois, twice.pois)
    assert_frame_equal(once.evidence, twice.evidence)
    assert resolution["poi_id"].drop_nulls().is_in(once.pois["poi_id"].to_list()).all()


def test_known_places_stay_and_hold_new_ones() -> None:
    known = places_from_tables(attractions(attraction(2, "青莲湖风景名胜区")), CITY)
    places, _ = add_places(known, surfaces(*NAMES), CITY, visits_only=False)
    lookup = by_name(places)
    assert known.pois["poi_id"][0] in lookup.values()
    (link,) = places.hierarchy.iter_rows(named=True)
    assert (link["poi_id"], link["parent_poi_id"]) == (
        lookup["青莲湖-望月亭"],
        lookup["青莲湖风景名胜区"],
    )


def test_nothing_to_add() -> None:
    places, resolution = add_places(EMPTY, surfaces(), CITY, visits_only=False)
    assert (places.pois.height, resolution.height) == (0, 0)


def test_count_mentions() -> None:
    places, _ = add_places(EMPTY, surfaces(*NAMES), CITY, visits_only=False)
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
