"""What tables can meet: tags by rows and season, marks for tags that no table shows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from queries import tprag
from queries.families import plan_family
from queries.grounding import Destination, offer_of, offer_published
from queries.settings import (
    ChinaTravelSettings,
    QuerySettings,
    TravelEvalSettings,
    TripScoreSettings,
    TripTailorSettings,
)
from queries.traveleval import plan
from schemas.arrow import frame
from schemas.places import ATTRACTIONS
from tests.support.queries.offers import CITIES, CITY, OFFER


def tables(hours: list[str | None]) -> dict[str, pl.DataFrame]:
    """Three parks with their hours, three gardens that say nothing."""
    rows: list[dict[str, Any]] = [
        {
            "name_zh": f"名{n}",
            "base_type": "park",
            "category": "natural_landscape",
            "hours_osm": text,
        }
        for n, text in enumerate(hours)
    ]
    rows += [{"name_zh": f"园{n}", "base_type": "garden", "hours_osm": None} for n in range(3)]
    empty = {name: frame(name, []) for name in ("hotels", "restaurants", "trains", "flights")}
    return {"attractions": pl.DataFrame(rows, schema=ATTRACTIONS), **empty}


@pytest.mark.parametrize(
    ("hours", "open_in"),
    [
        (["Apr-Oct 08:00-17:00"] * 3, {"spring", "summer", "autumn"}),
        (["Apr-Oct 08:00-17:00"] * 2 + ["08:00-17:00"], {"spring", "summer", "autumn"}),
        (["Dec-Feb 09:00-16:00"] * 3, {"winter"}),
        (["Dec-Feb 09:00-16:00"] * 3 + ["Jun-Aug 08:00-17:00"] * 3, {"winter", "summer"}),
        (["08:00-17:00", "24/7", None], {"spring", "summer", "autumn", "winter"}),
        (["Apr-Oct nonsense"] * 3, {"spring", "summer", "autumn", "winter"}),
        (["08:00-17:00"] * 2, set()),
    ],
)
def test_types_that_are_open_in_a_season(hours: list[str | None], open_in: set[str]) -> None:
    """A type counts with three rows that are open; hours that nobody knows close nothing."""
    offer = offer_of(CITY, tables(hours))
    assert {
        s for s in ("spring", "summer", "autumn", "winter") if "公园" in offer.types_in(s)
    } == open_in
    assert "园林" in offer.types_in("winter")
    assert offer.categories == (("natural_landscape",) if len(hours) >= 3 else ())


def test_wishes_are_open_on_the_dates() -> None:
    """Parks are open from April to October only: nobody is sent to one in winter."""
    offer = replace(OFFER, by_season={"winter": ("历史古迹", "亲子友好")})
    settings = TravelEvalSettings(easy=(0,) * 6, medium=(40,) * 6, hard=(40,) * 6, groups=(9,) * 6)
    seen = set()
    for row in plan([Destination(CITY, offer)], settings):
        structure = json.loads(row["structure"])
        season = "winter" if int(structure["dates"][5:7]) in (12, 1, 2) else "another"
        seen |= {(season, tag) for tag in structure["attractions"].get("preferences", ())}
    assert ("another", "公园") in seen
    assert {tag for season, tag in seen if season == "winter"} == {"历史古迹", "亲子友好"}


#: Settings of a small profile.
ASKED = QuerySettings(
    days=(3,),
    constraint_kinds=("season", "poi_category"),
    year=None,
    traveleval=TravelEvalSettings(easy=(1,) * 6, medium=(9,) * 6, hard=(9,) * 6, groups=(1,) * 6),
    chinatravel=ChinaTravelSettings(easy=60, medium=60, preference=10),
    tripscore=TripScoreSettings(queries=80),
    triptailor=TripTailorSettings(queries=2000),
)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["traveleval", "chinatravel", "tripscore", "triptailor"])
def test_only_tags_without_a_table_are_marked(family: str) -> None:
    held = {*OFFER.features, *OFFER.cuisines, *OFFER.types}
    always = Destination(CITY, offer_published(CITY, CITIES), shown=OFFER)
    bare = Destination(CITY, offer_published(CITY, CITIES), grounded=False)
    for place in (always, bare):
        statuses = set()
        for row in plan_family(family, [place], ASKED, f"{family}-"):
            structure = json.loads(row["structure"])
            marked = set(structure.get("ungrounded", ()))
            asked = {tag for tag in published_tags() if f'"{tag}"' in row["structure"]}
            if place is bare:
                assert marked >= asked
            else:
                assert not marked & held
                assert marked >= asked - held
            statuses.add((row["status"], bool(marked)))
        assert ("kept", True) not in statuses
        assert (("kept", False) in statuses) == (place is always)
        assert ("ungrounded", True) in statuses
    assert {r["status"] for r in plan_family(family, [Destination(CITY, OFFER)], ASKED, "x-")} == {
        "kept"
    }


def published_tags() -> set[str]:
    offer = offer_published(CITY, CITIES)
    rooms = {"单人间", "大床房", "双床房", "家庭房"}
    # A cuisine of the published lists may be written alike in two families.
    return {*offer.features, *offer.types} - rooms - {"自然风光"}


def test_a_category_or_season_that_no_table_shows_is_marked() -> None:
    rows = tprag.plan_queries(CITY, (3,), ("season", "poi_category")).to_dicts()
    offer = offer_of(CITY, tables(["Apr-Oct 08:00-17:00"] * 3))
    poor = replace(offer, by_season={"winter": ()})
    marked = {
        row["constraint_code"]
        for row in tprag.mark_unmet(rows, poor)
        if "ungrounded" in json.loads(row["structure"])
    }
    assert marked == {
        "winter", "historical_cultural", "leisure_recreation", "art_technology", "city_sightseeing",
        "religious_spiritual",
    }  # fmt: skip
    fresh = tprag.plan_queries(CITY, (3,), ("season", "poi_category")).to_dicts()
    assert "ungrounded" not in str(tprag.mark_unmet(fresh, None))
