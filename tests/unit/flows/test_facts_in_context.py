"""Facts by context: always holding ones in any, the others where every day lies in their time."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from flows.pipeline.stages.facts_in_context import Stated, facts_by_context
from flows.pipeline.stages.tellings import ANY
from queries.contexts import contexts_of
from schemas.cities import find_city

CITY = find_city("hangzhou")
Row = dict[str, Any]


def fact(field: str, value: str, when: str = "always", **more: Any) -> Row:
    return {
        "fact_id": f"f_{field}_{value}_{when}", "poi_id": "p", "fact_field": field, "value": value,
        "valid_when": when, "source_date": None, "evidence_id": "table", **more,
    }  # fmt: skip


def found(
    *facts: Row, text: str = "", quote: str = "", names: str = ""
) -> dict[str, dict[str, str]]:
    """Values by context and kind; ``quote`` is where facts of the document stand, ``names`` of the
    place.
    """
    at = text.find(quote)
    spans = {"doc": {"doc_id": "d", "start": at, "end": at + len(quote)}}
    at = text.find(names)
    named = {"d": [{"start": at, "end": at + len(names), "poi_id": "p"}]} if names else {}
    wanted = frozenset(
        (context, "p")
        for context in (ANY, "season:summer", "season:winter", "holiday:national_day")
    )
    rows = facts_by_context(facts, Stated(spans, {"d": text}, named), CITY, wanted)
    return {
        context: {kind: row["arrive"] or row["value"] for kind, row in kinds.items()}
        for (context, _), kinds in rows.items()
    }  # fmt: skip


@pytest.mark.parametrize(
    ("when", "contexts"),
    [
        ("May-Oct", ("season:summer", "holiday:labor_day", "holiday:dragon_boat",
                     "holiday:mid_autumn", "holiday:national_day")),
        ("Nov-Apr", ("season:winter", "holiday:spring_festival", "holiday:qingming")),
        ("summer", ("season:summer",)),
        ("Jun, Jul, Aug", ("season:summer",)),
        ("Oct", ("holiday:national_day",)),
        ("Jun-Jul", ()),
        ("Tue-Sun", ()),
        ("weekend", ()),
        ("Jan-Dec", ("season:autumn", "season:spring", "season:summer", "season:winter",
                     "holiday:spring_festival", "holiday:qingming", "holiday:labor_day",
                     "holiday:dragon_boat", "holiday:mid_autumn", "holiday:national_day")),
    ],
)  # fmt: skip
def test_contexts_within_a_validity(when: str, contexts: tuple[str, ...]) -> None:
    assert contexts_of(when, CITY) == contexts


def test_the_seasons_of_the_south_and_of_the_equator() -> None:
    assert contexts_of("Dec, Jan, Feb", find_city("sydney"))[0] == "season:summer"
    assert "season:summer" not in contexts_of("Jan-Dec", find_city("singapore"))


def test_always_is_any_and_a_season_is_itself() -> None:
    rows = found(
        fact("opening_hours", "08:00-17:00"), fact("opening_hours", "08:00-20:00", "May-Oct")
    )
    assert rows == {
        ANY: {"opening_hours": "08:00-17:00"},
        "season:summer": {"opening_hours": "08:00-20:00"},
        "holiday:national_day": {"opening_hours": "08:00-20:00"},
    }  # fmt: skip


def test_of_two_the_newer_holds_and_undated_gives_way() -> None:
    old, new = dt.date(2020, 1, 1), dt.date(2023, 1, 1)
    rows = [
        fact("duration_hours", "3", source_date=new), fact("duration_hours", "1"),
        fact("duration_hours", "2", source_date=old),
    ]  # fmt: skip
    assert found(*rows) == {ANY: {"duration_hours": "3"}}


def test_other_facts_and_other_places_make_no_tag() -> None:
    assert found(fact("ticket_price", "20"), fact("duration_hours", "2", poi_id="q")) == {}


class TestHoursOfTexts:
    def of(self, text: str, *others: Row) -> dict[str, dict[str, str]]:
        own = fact("opening_hours", "09:00-17:00", evidence_id="doc")
        return found(own, *others, text=text, quote="9:00-17:00")

    def test_hours_beside_days_off_are_left_out(self) -> None:
        assert self.of("开放时间 9:00-17:00") == {ANY: {"opening_hours": "09:00-17:00"}}
        assert self.of("开放时间 9:00-17:00 周一休") == {}
        assert self.of("Open 9:00-17:00, closed on Mondays.") == {}
        assert self.of("开放时间：日场9:00-17:00，夜场18:00-22:00") == {}

    def test_hours_against_those_of_a_season_are_left_out(self) -> None:
        rows = self.of(
            "开放时间 9:00-17:00",
            fact("opening_hours", "08:00-20:00", "May-Oct", evidence_id="doc"),
        )
        assert ANY not in rows
        assert rows["season:summer"] == {"opening_hours": "08:00-20:00"}


class TestStays:
    def of(self, text: str) -> dict[str, dict[str, str]]:
        return found(
            fact("duration_hours", "2", evidence_id="doc"), text=text, quote="2小时", names="青鹭寺"
        )

    def test_a_time_beside_the_place_or_of_it_alone(self) -> None:
        assert self.of("青鹭寺(2小时) → 钟楼(1小时)") == {ANY: {"duration_hours": "2"}}
        assert self.of("青鹭寺游玩时间：2小时") == {ANY: {"duration_hours": "2"}}

    def test_a_time_that_a_visit_stays_below(self) -> None:
        assert self.of("青鹭寺游玩时间不到2小时") == {}


class TestArrival:
    @pytest.mark.parametrize(
        ("text", "quote", "value", "arrive"),
        [
            ("建议7:30前到达青鹭寺", "7:30", "07:30", "before 07:30"),
            ("青鹭寺适合早上去", "早上", "early morning", "early morning"),
            ("Arrive at 青鹭寺 before 8:00.", "8:00", "08:00", "before 08:00"),
        ],
    )
    def test_advice_of_the_place(self, text: str, quote: str, value: str, arrive: str) -> None:
        row = fact("arrival_time", value, evidence_id="doc")
        assert found(row, text=text, quote=quote, names="青鹭寺") == {ANY: {"arrival_time": arrive}}

    def test_a_heading_of_the_best_time(self) -> None:
        row = fact("arrival_time", "19:00-21:00", evidence_id="doc")
        text = "Best time: 19:00-21:00."
        assert found(row, text=text, quote="19:00-21:00") == {ANY: {"arrival_time": "19:00-21:00"}}

    @pytest.mark.parametrize(
        "text", ["我们8:00到了青鹭寺", "排队排到8:00青鹭寺才开门", "建议8:00前到达餐厅"]
    )
    def test_what_is_none(self, text: str) -> None:
        row = fact("arrival_time", "08:00", evidence_id="doc")
        names = "青鹭寺" if "青鹭寺" in text else ""
        assert found(row, text=text, quote="8:00", names=names) == {}
