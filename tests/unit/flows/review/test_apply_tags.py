"""A rejected fact takes its value out of the tags in context that rest on it."""

from __future__ import annotations

from typing import Any

from flows.review.apply import _without_facts
from schemas.arrow import frame

FACT = {"poi_id": "poi_1", "evidence_id": "ev_hours"}


def tag(**values: Any) -> dict[str, Any]:
    own = {"poi_id": "poi_1", "city_id": "gn1", "context_id": "any:any", "tagged_by": "rules"}
    return {
        **own,
        "hours_osm": "24/7",
        "hours_weekly": [],
        "hours_evidence_id": "ev_hours",
        **values,
    }


def test_the_value_goes_and_the_rest_stays() -> None:
    described = tag(description="A quiet park.", description_evidence_id="ev_said")
    kept, empty = _without_facts(frame("context_tags", [described]), [FACT])
    assert empty == []
    (row,) = kept.to_dicts()
    assert (row["hours_osm"], row["hours_weekly"], row["hours_evidence_id"]) == (None, None, None)
    assert (row["description"], row["description_evidence_id"]) == ("A quiet park.", "ev_said")


def test_a_tag_that_was_nothing_else_is_set_aside_whole() -> None:
    kept, empty = _without_facts(frame("context_tags", [tag()]), [FACT])
    assert (kept.height, [row["hours_osm"] for row in empty]) == (0, ["24/7"])


def test_other_places_and_other_evidence_keep_theirs() -> None:
    rows = [tag(poi_id="poi_2"), tag(context_id="season:winter", hours_evidence_id="ev_other")]
    kept, empty = _without_facts(frame("context_tags", rows), [FACT])
    assert (kept["hours_osm"].to_list(), empty) == (["24/7", "24/7"], [])
