"""Names become places where something vouches for them, and nothing else does."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from geocoding.corroborate import CANDIDATES, certain_names, with_forms_of_others
from schemas.cities import find_city

CITY = find_city("hangzhou")
STOPS = {"doc_id": pl.String, "trip": pl.Int64, "day": pl.Int64, "order": pl.Int64, "n": pl.Int64}


def name(n: int, text: str, poi_id: str | None = None, **more: Any) -> dict[str, Any]:
    row = {
        "doc_id": "d1",
        "n": n,
        "name": text,
        "role": "visited",
        "poi_id": poi_id,
        "outcome": "linked" if poi_id else "city",
        "rivals": 0,
        "parent_n": None,
        "section": None,
        "kind": "diary",
        "site": "one",
        "reader": "rules",
        "is_told": False,
    }
    return {**row, **more}


def certain(names: list[dict[str, Any]], *stops: tuple[str, int, int]) -> dict[str, str]:
    """Name to reason; stops are (document, day, number)."""
    rows = [(doc, 1, day, at, n) for at, (doc, day, n) in enumerate(stops)]
    found = certain_names(
        pl.DataFrame(names, schema=CANDIDATES, orient="row"),
        pl.DataFrame(rows, schema=STOPS, orient="row"),
        CITY,
    )
    return dict(found.select("name", "why").iter_rows())


KNOWN = [name(1, "灵隐寺", "poi_1"), name(2, "六和塔", "poi_2")]
DAY = (("d1", 1, 1), ("d1", 1, 2), ("d1", 1, 3))


def test_two_known_stops_of_a_day_vouch_for_the_third() -> None:
    names = [*KNOWN, name(3, "拥翠山庄")]
    assert certain(names, *DAY) == {"拥翠山庄": "a stop among known places"}
    assert certain(names, *DAY[1:]) == {}
    assert certain(names, ("d1", 1, 1), ("d1", 1, 2), ("d1", 2, 3)) == {}


def test_a_stop_that_the_text_puts_here_is_of_a_journey_of_known_places() -> None:
    stops, told = (*DAY[:2], ("d1", 2, 3)), name(3, "拥翠山庄", reader="own", is_told=True)
    why = "put here by the text, in a journey of known places"
    assert certain([*KNOWN, told], *stops) == {"拥翠山庄": why}
    assert certain([*KNOWN, {**told, "is_told": False}], *stops) == {}
    assert certain([*KNOWN, {**told, "reader": "rules"}], *stops) == {}
    assert certain([KNOWN[0], told], *stops[::2]) == {}, "one known place is no journey"


@pytest.mark.parametrize(
    "text", ["花园", "小小园", "平海路", "一趟西山岛", "江边大酒店", "学校食堂旧址"]
)
def test_what_is_no_name_of_a_sight_is_not_vouched_for(text: str) -> None:
    assert certain([*KNOWN, name(3, text)], *DAY) == {}


@pytest.mark.parametrize(
    "change",
    [{"role": "mentioned"}, {"role": "rejected"}, {"kind": "list"}, {"outcome": "unknown"},
     {"outcome": "review"}, {"rivals": 1}],
)  # fmt: skip
def test_nor_is_one_that_nobody_goes_to_or_that_may_be_elsewhere(change: dict[str, Any]) -> None:
    assert certain([*KNOWN, name(3, "拥翠山庄", **change)], *DAY) == {}


def test_a_known_container_vouches_for_its_part() -> None:
    part = name(3, "拥翠山庄", parent_n=1)
    assert certain([*KNOWN, part]) == {"拥翠山庄": "it lies in a known place"}
    assert certain([*KNOWN, {**part, "doc_id": "d2"}]) == {}


def test_documents_of_two_sites_vouch_for_what_is_built() -> None:
    def told(text: str, site: str) -> list[dict[str, Any]]:
        return [*KNOWN, name(3, text), name(1, text, doc_id="d2", site=site)]

    assert certain(told("拥翠山庄", "two")) == {"拥翠山庄": "several documents put it here"}
    assert certain(told("拥翠山庄", "one")) == {}, "two pages of one site are one voice"
    assert certain(told("莲花峰", "two")) == {}, "a mountain may be a day away"


def test_without_a_table_of_the_city_the_stops_of_a_day_vouch_for_each_other() -> None:
    names = [name(1, "拥翠山庄"), name(2, "敬修堂"), name(3, "定慧寺巷")]
    assert set(certain(names, *DAY)) == {"拥翠山庄", "敬修堂", "定慧寺巷"}
    assert certain(names[:1], DAY[0]) == {}


def test_nothing_is_made_of_nothing() -> None:
    assert certain([]) == {}


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [("云上书咖", True), ("云大", False), ("水上花园", False), ("平海路", False), ("公园", False)],
)
def test_what_people_read_as_a_sight_needs_no_ending_of_one(text: str, is_taken: bool) -> None:
    by_people = [*KNOWN, name(3, text, reader="own")]
    assert (text in certain(by_people, *DAY)) == is_taken
    assert certain([*KNOWN, name(3, text)], *DAY) == {}
    assert certain(by_people) == {}, "something must vouch for it all the same"


def test_a_cut_of_a_longer_name_is_none() -> None:
    names = [*KNOWN, name(3, "拥翠亭"), name(4, "山中拥翠亭")]
    assert set(certain(names, *DAY, ("d1", 1, 4))) == {"山中拥翠亭"}


def test_known_stops_before_and_after_vouch_for_a_stop() -> None:
    names = [*KNOWN, name(3, "拥翠山庄")]
    between = (("d1", 1, 1), ("d1", 2, 3), ("d1", 3, 2))
    assert certain(names, *between) == {"拥翠山庄": "a stop between known places"}
    assert certain(names, *between[:2]) == {}
    again = (("d1", 1, 1), ("d1", 2, 3), ("d1", 3, 1))
    assert certain(names, *again) == {}, "one place alone is no journey in the city"


def test_a_section_vouches_for_what_people_read() -> None:
    known = [one | {"section": 40} for one in KNOWN]
    mine = name(3, "拥翠山庄", section=40, reader="own")
    assert certain([*known, mine]) == {"拥翠山庄": "its section has known places"}
    assert certain([*known, mine | {"section": 80}]) == {}
    assert certain([*known, mine | {"reader": "rules"}]) == {}
    assert certain([known[0], KNOWN[1], mine]) == {}, "one known place in the section"
    assert certain([*KNOWN, mine | {"section": None}]) == {}, "before the first heading"


def test_a_model_is_believed_at_a_stop_and_not_beside_the_journey() -> None:
    cafe = name(3, "云上书咖", reader="openai")
    assert certain([*KNOWN, cafe], *DAY) == {"云上书咖": "a stop among known places"}
    inside = cafe | {"parent_n": 1}
    assert certain([*KNOWN, inside]) == {}, "recommended inside a known place, at no stop"
    section = [one | {"section": 40} for one in (*KNOWN, cafe)]
    assert certain(section) == {}


def test_what_lies_in_a_known_place_vouches_as_known_stops_do() -> None:
    hall = name(3, "敬修堂", parent_n=1)
    island = name(4, "青螺岛")
    stops = (("d1", 1, 2), ("d1", 1, 3), ("d1", 1, 4))
    found = certain([*KNOWN, hall, island], *stops)
    assert found == {"敬修堂": "a stop among known places", "青螺岛": "a stop among known places"}
    alone = certain([*KNOWN, {**hall, "parent_n": None}, island], *stops)
    assert alone == {}, "one known stop"


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [("南寺塔", True), ("湘绣博物馆", True), ("大型喷泉", False), ("鲜花广场", False)],
)
def test_words_of_a_dictionary_name_a_place_where_one_is_a_name_or_runs_into_its_kind(
    text: str, is_taken: bool
) -> None:
    assert (text in certain([*KNOWN, name(3, text)], *DAY)) == is_taken


def linked(name: str, poi_id: str | None, *rivals: str) -> dict[str, Any]:
    return {
        "fullest": name, "link_poi_id": poi_id, "outcome": "linked" if poi_id else "review",
        "score": 90 if poi_id else 75, "rivals": list(rivals), "link_why": "a short form",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ([linked("河坊", "poi_1"), linked("河坊", None)], "poi_1"),
        ([linked("河坊", "poi_1"), linked("河坊", None, "poi_1", "poi_2")], None),
        ([linked("河坊", "poi_1"), linked("河坊", "poi_2"), linked("河坊", None)], None),
        ([linked("清河坊", "poi_1"), linked("河坊", None)], None),
        ([linked("河坊", "poi_1"), {**linked("河坊", None), "score": 0}], None),
    ],
)
def test_a_doubtful_name_means_what_other_documents_mean_by_it(
    rows: list[dict[str, Any]], place: str | None
) -> None:
    schema = {
        "fullest": pl.String, "link_poi_id": pl.String, "outcome": pl.String, "score": pl.Int64,
        "rivals": pl.List(pl.String), "link_why": pl.String,
    }  # fmt: skip
    last = with_forms_of_others(pl.DataFrame(rows, schema=schema)).row(-1, named=True)
    assert last["link_poi_id"] == place
    assert (last["outcome"] == "linked") == (place is not None)
