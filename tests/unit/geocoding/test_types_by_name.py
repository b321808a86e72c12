"""The type that a name alone tells, and names that tell none."""

from __future__ import annotations

import pytest

from geocoding.records import type_of_name
from schemas.taxonomy import BASE_TYPES, codes


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("云水博物馆", "museum_memorial"),
        ("云水博物馆(东馆)", "museum_memorial"),
        ("柳岸公园", "park"),
        ("古松寺", "historic_site"),
        ("沈先生故居", "historic_site"),
        ("碧河美术馆", "art_gallery"),
        ("碧河大学", "university_campus"),
        ("碧河动物园", "amusement_sports"),
        ("水巷步行街", "commercial_district"),
        ("Old Pine Temple", "historic_site"),
        ("Willow Bank Park", "park"),
        ("Canal Museum", "museum_memorial"),
        # No certain type.
        ("未来主题公园", None),
        ("古城遗址公园", None),
        ("Dragon Theme Park", None),
        ("松林花园", None),
        ("望潮山", None),
        ("月影湖", None),
        ("电视塔", None),
        ("古镇", None),
        ("公园", None),
        ("博物馆", None),
        ("Museum", None),
        ("长风堤", None),
        ("", None),
    ],
)
def test_the_end_of_a_name_tells_its_type(name: str, code: str | None) -> None:
    assert type_of_name(name) == code
    assert code is None or code in codes(BASE_TYPES)
