"""Names that several places of a city bear:
settled by kind and place, never by popularity alone.
"""

from __future__ import annotations

from typing import Any

from geocoding.linking.told import Link
from schemas.geo import distance_m
from tests.support.geocoding.builders import attraction
from tests.support.geocoding.linking import HANGZHOU, index_of, linked, told

KM = 1_000.0
NEAR, FAR = ("青莲阁", "竹篮巷", "松鹤馆"), ("白鹭洲", "丹枫渡", "金梭园")


def link_of(name: str, beside: tuple[str, ...], *namesakes: dict[str, Any]) -> tuple[Link, float]:
    """The link of a name in a text beside others, and how far north its place lies (metres)."""
    near = [attraction(10 + i, n, i * 300.0) for i, n in enumerate(NEAR)]
    far = [attraction(20 + i, n, 60 * KM + i * 300.0) for i, n in enumerate(FAR)]
    index = index_of({HANGZHOU: (*near, *far, *namesakes)})
    document = told(["杭州", "、".join((name, *beside))], [name, *beside])
    link = linked(document, index)[1][0]
    lat, lon = index.cities[HANGZHOU.city_id].opened.points.get(link.poi_id or "", (0.0, 0.0))
    return link, float(distance_m(30.0, 110.0, lat, lon))


TWINS = (attraction(2, "双塔", 900.0), attraction(3, "双塔", 61 * KM, grade="AAAAA"))


def test_the_other_places_of_the_document_settle_a_name() -> None:
    link, north = link_of("双塔", NEAR[:2], *TWINS)
    assert (link.outcome, round(north)) == ("linked", 900)
    assert link.why.endswith("it lies among the other places of the document")
    assert round(link_of("双塔", FAR[:2], *TWINS)[1]) == 61_000


def test_a_walk_from_another_stop_of_the_day_settles_a_name() -> None:
    twins = (attraction(2, "双塔", 900.0), attraction(3, "双塔", 5 * KM))
    names = ["双塔", NEAR[0]]
    index = index_of({HANGZHOU: (attraction(10, NEAR[0], 0.0), *twins)})
    text = ["杭州", "、".join(names)]
    assert linked(told(text, names), index)[1][0].outcome == "review"
    (link, _) = linked(told(text, names, days=[(None, [1, 2])]), index)[1]
    assert link.why.endswith("it lies beside another stop of its day")
    assert round(index.cities[HANGZHOU.city_id].opened.points[link.poi_id or ""][0], 1) == 30.0


def test_too_few_neighbours_or_all_as_far_settle_nothing() -> None:
    for beside in ((), NEAR[:1], (NEAR[0], FAR[0])):
        assert link_of("双塔", beside, *TWINS)[0].outcome == "review"
    close = (attraction(2, "双塔", 900.0), attraction(3, "双塔", 9 * KM))
    assert link_of("双塔", FAR[:2], *close)[0].outcome == "review"


def test_a_namesake_without_coordinates_keeps_it_open() -> None:
    link, _ = link_of("双塔", NEAR[:2], *TWINS, attraction(4, "双塔", None))
    assert (link.outcome, len(link.rivals)) == ("review", 3)


def test_a_place_that_cannot_be_of_the_kind_is_out() -> None:
    lake = attraction(2, "青湖", 5 * KM, base_type="natural_scenery")
    museum = attraction(3, "青湖", 40 * KM, base_type="museum_memorial")
    link, north = link_of("青湖", (), lake, museum)
    assert (link.outcome, link.score, round(north / KM)) == ("linked", 82, 5)
    assert link_of("青湖", (), lake, attraction(3, "青湖", 40 * KM))[0].outcome == "review"
