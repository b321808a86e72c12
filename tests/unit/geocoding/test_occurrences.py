"""Words of a text that are another place's than their name was linked to."""

from __future__ import annotations

import pytest

from geocoding.names import NameReader
from geocoding.resolve import _is_loosely_said, is_another
from tests.support.geocoding.builders import CITY

READER = NameReader.of(CITY)


@pytest.mark.parametrize(
    ("written", "names", "another"),
    [
        ("听枫寺", ("听枫寺",), False),
        ("听枫", ("听枫寺",), False),
        ("听枫寺景区", ("听枫寺",), False),
        ("听枫寺大街", ("听枫寺",), True),
        ("听枫寺古镇", ("听枫寺",), False),
        ("幼年熊猫别墅", ("熊猫1号别墅",), True),
        ("湖滨步行街", ("湖滨路步行街",), False),
        ("听枫关长城博物馆", ("听枫关长城",), True),
        ("听枫寺博物馆", ("听枫寺",), False),
        (f"{CITY.name_zh}美术馆", (f"{CITY.name_zh}美术馆(江北馆)",), False),
        ("老听枫寺旅游区", ("听枫寺",), False),
        ("遗址公园", ("明城墙遗址公园",), True),
        ("Willow Square", ("听柳湿地公园",), True),
        ("Willow Park", ("听柳湿地公园",), False),
    ],
)
def test_an_occurrence_is_asked_by_itself(
    written: str, names: tuple[str, ...], another: bool
) -> None:
    assert is_another(READER.read(written), [READER.read(name) for name in names]) == another


@pytest.mark.parametrize(
    ("name", "other", "loosely"),
    [
        ("听枫汇", "听枫汇公园", True),
        ("听枫坞", "听枫坞大街", True),
        ("听枫", "听枫公园", False),
        ("听枫山", "听枫山森林公园", False),
        ("听枫岛", "听枫岛国家地质公园", True),
        ("听枫", "听枫寺", False),
        ("Willow River", "听柳公园", True),
    ],
)
def test_a_quarter_is_not_the_park_called_after_it(name: str, other: str, loosely: bool) -> None:
    assert _is_loosely_said(READER.read(name), READER.read(other)) == loosely
