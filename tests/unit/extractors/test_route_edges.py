"""Routes from hand-made lines, days and places: each rule on its own."""

from __future__ import annotations

from typing import Any

import pytest

from extractors.rules.common.days import Days, Mark
from extractors.rules.common.grouping import Sight
from extractors.rules.common.lines import Hit, Line
from extractors.rules.route import build_route
from schemas.documents import BlockKind
from schemas.reading import DocumentKind, Role


def line(index: int, text: str, kind: BlockKind = "paragraph") -> Line:
    return Line(index, index * 100, text, kind, 0, False)


def place(
    name: str,
    *at: tuple[Line, str],
    standard: str | None = None,
    parent: str | None = None,
    role: Role = "visited",
) -> Sight:
    """A place with its hits: the line that names it, and the rule that found it."""
    number = at[0][0].start + at[0][0].text.index(name)  # told apart by where each first stands
    found = Sight(number=number, key=name, standard=standard, parent=parent, role=role)
    for where, source in at:
        start = where.start + where.text.index(name)
        found.hits.append(Hit(start, start + len(name), name, source, where.index))
    return found


def days_of(lines: list[Line], *marks: tuple[int, int], listed: bool = False) -> Days:
    """Days from (line, day); without marks nothing is said of days."""
    at = dict(marks)
    of_line: list[int | None] = []
    for one in lines:
        of_line.append(at.get(one.index, of_line[-1] if of_line else None))
    return Days(tuple(Mark(i, d, 0, listed) for i, d in marks), tuple(of_line), None, None)


def stops(
    places: list[Sight], lines: list[Line], days: Days, *, kind: DocumentKind = "diary",
    lang: str = "zh",
) -> list[tuple[int, int, str]] | str:  # fmt: skip
    """(day, order, name) of the visits, or why there are none."""
    route, why = build_route(places, lines, days, kind, lang)
    if route is None:
        return why
    assert why == ""
    return [(visit.day, visit.order, visit.name) for visit in route.visits]


HEAD = line(0, "第一天", "heading")


def told(text: str, name: str, *, kind: BlockKind = "paragraph", lang: str = "zh",
         standard: str | None = "某名", source: str = "gazetteer") -> bool:  # fmt: skip
    """Whether a known place in one sentence of a day is a stop."""
    lines = [HEAD, line(1, text, kind)]
    found = place(name, (lines[1], source), standard=standard)
    return stops([found], lines, days_of(lines, (0, 1)), lang=lang) == [(1, 1, name)]


class TestOneDayWithoutMarks:
    def lines(self, *texts: str) -> list[Line]:
        return [line(i, text) for i, text in enumerate(texts)]

    def read(self, *texts: str, **options: Any) -> list[tuple[int, int, str]] | str:
        lines = self.lines(*texts)
        names = ("松风寺", "青石镇")
        places = [place(n, (x, "verb")) for n in names for x in lines if n in x.text]
        return stops(places, lines, days_of(lines), **options)

    def test_a_told_day_is_day_one(self) -> None:
        assert self.read("我们去了松风寺", "然后去了青石镇") == [
            (1, 1, "松风寺"), (1, 2, "青石镇"),
        ]  # fmt: skip

    def test_without_a_word_of_order_it_is_none(self) -> None:
        assert (
            self.read("我们去了松风寺", "去了青石镇")
            == "the text gives neither days nor an order of visits"
        )

    def test_a_guide_tells_no_day(self) -> None:
        lines = ("我们去了松风寺", "然后去了青石镇")
        assert (
            self.read(*lines, kind="guide") == "the text gives neither days nor an order of visits"
        )

    def test_english_needs_no_word_of_order(self) -> None:
        lines = self.lines("We visited Fern Hall")
        one = place("Fern Hall", (lines[0], "lead"))
        assert stops([one], lines, days_of(lines), lang="en") == [(1, 1, "Fern Hall")]

    def test_one_stop_alone_is_no_route_but_with_a_day_it_is(self) -> None:
        assert self.read("然后我们去了松风寺") == "no stops"
        assert told("我们去了松风寺", "松风寺")

    def test_words_of_order_do_not_run_over_lines(self) -> None:
        assert (
            self.read("去了松风寺然", "后去了青石镇")
            == "the text gives neither days nor an order of visits"
        )

    def test_a_long_text_is_more_than_a_day(self) -> None:
        lines = ("然后去了松风寺", "去了青石镇", "字" * 7985)
        assert sum(map(len, lines)) + 2 == 8000 - 1
        assert len(self.read(*lines)) == 2
        assert (
            self.read(*lines, "字")
            == "the text does not mark days, and is too long for a single day"
        )


def test_day_one_twice_anew_is_several_routes() -> None:
    lines = [line(i, f"松风寺{i}") for i in range(5)]
    found = [place("松风寺", *((x, "lead") for x in lines))]
    once = days_of(lines, (0, 1), (1, 2), (2, 1), (3, 2))
    assert stops(found, lines, once) == [(1, 1, "松风寺"), (2, 1, "松风寺")]
    twice = days_of(lines, (0, 1), (1, 2), (2, 1), (3, 2), (4, 1))
    assert stops(found, lines, twice) == "the text offers several routes to choose from"


class TestKnownPlacesInATale:
    def test_a_known_place_is_a_stop_without_a_verb_an_unknown_one_is_not(self) -> None:
        assert told("松风寺很安静", "松风寺")
        assert not told("松风寺很安静", "松风寺", standard=None)

    def test_what_is_seen_or_described_is_none(self) -> None:
        assert not told("远处松风寺很安静", "松风寺")
        assert not told("松风寺始建于古时", "松风寺")
        assert not told("有人说起过的那一座松风寺很安静", "松风寺")

    def test_a_quote_is_none_even_with_a_verb(self) -> None:
        assert not told("我们去了松风寺", "松风寺", kind="quote")

    def test_a_line_of_meals_is_none_unless_it_offers_a_visit(self) -> None:
        assert not told("午餐：去了松风寺", "松风寺", source="verb")
        assert told("午餐：可以去了松风寺", "松风寺", source="verb")

    def test_what_is_rejected_or_aside_is_none(self) -> None:
        assert not told("不推荐松风寺", "松风寺", source="echo")
        assert told("Fern Hall was calm", "Fern Hall", lang="en")
        assert not told("Fern Hall was calm", "Fern Hall", lang="en", source="logistics")

    def test_a_heading_names_its_stop_whatever_the_words(self) -> None:
        assert told("远处松风寺", "松风寺", standard=None, source="heading")


class TestPartsAndAreas:
    def read(self, *items: tuple[str, str | None, str | None, str]) -> list[str]:
        """Names of the stops of one day from (name, standard, parent, source)."""
        lines = [HEAD, *(line(i, f"我们去了{item[0]}") for i, item in enumerate(items, 1))]
        places = [
            place(name, (lines[i], source), standard=standard, parent=parent)
            for i, (name, standard, parent, source) in enumerate(items, 1)
        ]
        route = stops(places, lines, days_of(lines, (0, 1)))
        assert isinstance(route, list)
        return [name for _day, _order, name in route]

    def test_scenes_stand_for_the_open_area_around_them(self) -> None:
        area, scene = ("镜水湖", "镜水湖", None, "verb"), ("长堤", "长堤", "镜水湖", "verb")
        assert self.read(area, scene) == ["长堤"]
        assert self.read(area) == ["镜水湖"]

    def test_a_gated_sight_stands_for_its_parts(self) -> None:
        sight, part = ("松风寺", "松风寺", None, "verb"), ("藏经院", "藏经院", "松风寺", "verb")
        assert self.read(sight, part) == ["松风寺"]
        assert self.read(part) == ["藏经院"]

    def test_a_hall_is_a_stop_where_a_list_names_it_or_nothing_else_is_there(self) -> None:
        sight = ("松风寺", None, None, "verb")
        assert self.read(sight, ("听雨亭", None, None, "verb")) == ["松风寺"]
        assert self.read(sight, ("听雨亭", None, None, "heading")) == ["松风寺", "听雨亭"]
        assert self.read(sight, ("听雨亭", "听雨亭", None, "verb")) == ["松风寺", "听雨亭"]
        assert self.read(("听雨亭", None, None, "verb")) == ["听雨亭"]


class TestChains:
    def read(self, *items: tuple[str, str], listed: bool = False) -> list[str]:
        """Names of the stops of day 1, each on its line; day 2 has one told stop."""
        lines = [HEAD, *(line(i, f"我们去了{name}") for i, (name, _) in enumerate(items, 1))]
        end = line(len(lines), "我们去了竹影园")
        lines.append(end)
        places = [place(name, (lines[i], source)) for i, (name, source) in enumerate(items, 1)]
        places.append(place("竹影园", (end, "verb")))
        marks = [(0, 1), (end.index, 2)]
        if listed:
            marks[1:1] = [(i, 1) for i in range(1, end.index)]
        route = stops(places, lines, days_of(lines, *marks, listed=listed))
        assert isinstance(route, list)
        assert route[-1] == (2, 1, "竹影园"), "a chain of day 1 says nothing of day 2"
        return [name for day, _order, name in route if day == 1]

    def test_a_chain_of_two_has_the_stops_of_its_day(self) -> None:
        chain = [("松风寺", "chain"), ("青石镇", "chain")]
        assert self.read(*chain, ("长堤园", "verb")) == ["松风寺", "青石镇"]

    def test_a_chain_of_one_has_not(self) -> None:
        assert self.read(("松风寺", "chain"), ("长堤园", "verb")) == ["松风寺", "长堤园"]

    def test_a_list_of_days_is_no_chain(self) -> None:
        chain = [("松风寺", "chain"), ("青石镇", "chain"), ("长堤园", "verb")]
        assert self.read(*chain, listed=True) == ["松风寺", "青石镇", "长堤园"]


def test_what_lies_outside_of_days_or_is_only_mentioned_is_no_stop() -> None:
    lines = [line(0, "我们去了青石镇"), line(1, "第一天", "heading"), line(2, "我们去了松风寺")]
    days = days_of(lines, (1, 1))
    places = [
        place("青石镇", (lines[0], "lead")),
        place("松风寺", (lines[2], "lead")),
    ]
    assert stops(places, lines, days) == [(1, 1, "松风寺")]
    places[1].role = "mentioned"
    assert stops(places, lines, days) == "no stops"


@pytest.mark.parametrize("role", ["visited", "recommended"])
def test_a_stop_told_twice_on_a_day_stands_once(role: Role) -> None:
    lines = [HEAD, line(1, "去了松风寺"), line(2, "去了青石镇"), line(3, "去了松风寺")]
    places = [
        place("松风寺", (lines[1], "verb"), (lines[3], "verb"), role=role),
        place("青石镇", (lines[2], "verb"), role=role),
    ]
    assert stops(places, lines, days_of(lines, (0, 1))) == [(1, 1, "松风寺"), (1, 2, "青石镇")]
