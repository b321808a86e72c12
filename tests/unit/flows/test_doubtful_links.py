"""Links for review: a model chooses among the places offered, and nothing else comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from extractors.tasks.name_reviews import DoubtfulNames, LinkReview
from flows.pipeline.doubtful import decide_links, doubtful_names
from geocoding.linking.decide import link_document
from schemas.tasks import Grounded, Unanswered
from tests.support.geocoding.linking import HANGZHOU, index_of, told

EAST, WEST = "青石美术馆(东湖馆)", "青石美术馆(西溪馆)"
INDEX = index_of({HANGZHOU: (EAST, WEST, "竹篮巷")})
PAGE = told(["杭州一日", "先去青石美术馆看展，再逛竹篮巷"], ["青石美术馆", "竹篮巷"])
LINKED = link_document(PAGE, INDEX)


class Model:
    """A model with one answer."""

    name = "openai"

    def __init__(self, place: str | None) -> None:
        self.place = place

    def run(self, task: Any, item: Any) -> Grounded[Any]:
        if self.place == "silent":
            raise Unanswered("no answer")
        raw = {"links": [{"number": 1, "place": self.place}]}
        return LinkReview().check(item, LinkReview().parse(raw, item))


def asked() -> list[tuple[str, DoubtfulNames]]:
    return [(PAGE.doc_id, item) for item in doubtful_names(PAGE, LINKED, INDEX)]


def test_a_name_for_review_is_asked_about_with_its_words_and_places() -> None:
    ((_, item),) = asked()
    (name,) = item.names
    assert (name.name, name.around) == ("青石美术馆", PAGE.blocks[1].text)
    assert {place.name for place in name.places} == {EAST, WEST}
    shown = LinkReview().prompt(item)[-1]["content"]
    assert "竹篮巷" in shown, "the words around the name"
    assert "a) 青石美术馆" in shown


def test_the_place_that_the_model_chooses_is_linked_with_the_reason() -> None:
    found = decide_links(Model("b"), asked(), {PAGE.doc_id: LINKED}, INDEX)[PAGE.doc_id]
    link = found.links[1]
    ((_, item),) = asked()
    assert (link.outcome, link.poi_id) == ("linked", item.names[0].places[1].poi_id)
    assert link.city_id == HANGZHOU.city_id
    assert link.why.endswith("chosen by the model")
    assert found.links[2] == LINKED.links[2], "a sure link is not asked about"


@pytest.mark.parametrize("place", [None, "d", "silent"])
def test_what_the_model_does_not_choose_stays_for_people(place: str | None) -> None:
    found = decide_links(Model(place), asked(), {PAGE.doc_id: LINKED}, INDEX)[PAGE.doc_id]
    assert (found.links[1].outcome, found.links[1].poi_id) == ("review", None)
    assert ("says the model" in found.links[1].why) == (place is None)
    assert (found.links[1].score == 0) == (place is None)
