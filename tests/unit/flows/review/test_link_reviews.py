"""Links that reviewers rejected are decided otherwise, as long as they claim what was rejected."""

from __future__ import annotations

import polars as pl
import pytest

from flows.pipeline.stages.names import list_links, list_unlinked
from flows.review.apply import Rejection, group_rejections, with_reviews
from flows.review.forms import ELSEWHERE
from geocoding.linking.told import Link, Linked
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.cities import find_city
from schemas.review import fact_hash, row_id

CITY = find_city("hangzhou")
DOC, TOWER, PARK = "d" + "1" * 20, "poi_" + "a" * 16, "poi_" + "b" * 16
CITY_OF = {TOWER: CITY.city_id, PARK: CITY.city_id}
NAMES = {1: ("青莲塔", "visited"), 2: ("望湖园", "recommended"), 3: ("听雨楼", "visited")}
LINKED = Linked(
    {
        1: Link("linked", CITY.city_id, TOWER, 90, 20, "alike", (PARK,)),
        2: Link("review", CITY.city_id, None, 70, 100, "a person should look", (PARK,)),
        3: Link("review", CITY.city_id, None, 70, 0, "two fit", (PARK, TOWER)),
    },
    {},
)


def published() -> dict[int, tuple[str, dict[str, object]]]:
    """Table and row of each name as a build publishes them."""
    rows = [
        {
            "doc_id": DOC, "n": n, "name": name, "fullest": name, "role": role,
            "poi_id": LINKED.links[n].poi_id, "resolution": LINKED.links[n].outcome,
            "resolution_score": 0.9, "score": LINKED.links[n].score,
            "margin": LINKED.links[n].margin, "rivals": list(LINKED.links[n].rivals), "why": "told",
        }
        for n, (name, role) in NAMES.items()
    ]  # fmt: skip
    schema = polars_schema_of(inner.RESOLUTION)
    told = pl.DataFrame(rows, schema=schema, orient="row")
    nothing = pl.DataFrame(schema=polars_schema_of(inner.UNPLACED))
    tables = {
        "links": list_links(CITY, told), "unlinked_names": list_unlinked(CITY, told, nothing),
    }  # fmt: skip
    return {
        row["name_number"]: (table, row) for table, of in tables.items() for row in of.to_dicts()
    }


def rejected(n: int, instead: str = "") -> Rejection:
    table, row = published()[n]
    return Rejection(
        CITY.city_id, table, row_id(table, row), fact_hash(row), "not this one", instead
    )


@pytest.mark.parametrize(
    ("n", "outcome", "poi_id"), [(1, "city", None), (2, "linked", PARK), (3, "review", None)]
)
def test_a_rejected_row_is_decided_otherwise(n: int, outcome: str, poi_id: str | None) -> None:
    asked = group_rejections([rejected(n)], [DOC])
    found = with_reviews(LINKED, NAMES, asked[DOC], CITY_OF.get).links
    assert (found[n].outcome, found[n].poi_id) == (outcome, poi_id)
    assert {m: link for m, link in found.items() if m != n} == {
        m: link for m, link in LINKED.links.items() if m != n
    }


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_row_is_linked_as_reviewers_said(n: int) -> None:
    found = with_reviews(LINKED, NAMES, [rejected(n, PARK)], CITY_OF.get).links[n]
    assert (found.outcome, found.city_id, found.poi_id) == ("linked", CITY.city_id, PARK)
    gone = with_reviews(LINKED, NAMES, [rejected(n, "poi_" + "c" * 16)], CITY_OF.get)
    assert gone == with_reviews(LINKED, NAMES, [rejected(n)], CITY_OF.get), "no table holds it"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_name_that_lies_elsewhere_is_of_no_known_city(n: int) -> None:
    found = with_reviews(LINKED, NAMES, [rejected(n, ELSEWHERE)], CITY_OF.get).links[n]
    assert (found.outcome, found.city_id, found.poi_id) == ("unknown", None, None)


def test_a_row_that_claims_something_else_stands() -> None:
    other = Linked({1: Link("linked", CITY.city_id, PARK, 90, 20, "alike", (TOWER,))}, {})
    assert with_reviews(other, NAMES, [rejected(1)], CITY_OF.get) == other


def test_another_score_is_no_other_claim() -> None:
    surer = Linked({1: Link("linked", CITY.city_id, TOWER, 99, 40, "better", (PARK,))}, {})
    assert with_reviews(surer, NAMES, [rejected(1)], CITY_OF.get).links[1].outcome == "city"


def test_reviews_are_asked_for_by_document() -> None:
    assert group_rejections([rejected(1)], ["d" + "2" * 20]) == {}
    mention = Rejection(CITY.city_id, "poi_mentions", f"{DOC}/4/{CITY.city_id}", "h", "")
    assert group_rejections([mention, rejected(2)], [DOC]) == {DOC: [rejected(2)]}
