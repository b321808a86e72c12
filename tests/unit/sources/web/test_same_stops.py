"""Copies by their stops."""

from __future__ import annotations

import random

from sources.web.near_duplicates import AGREEMENT, MINIMUM_STOPS, agreement, same_journeys

TEN = tuple("abcdefghij")


def test_one_of_ten_stops_may_differ() -> None:
    nine = (*TEN[:4], "x", *TEN[5:])
    assert same_journeys({"long": TEN, "short": nine}) == {"short": "long"}
    assert same_journeys({"long": TEN, "short": (*nine[:7], "y", *nine[8:])}) == {}


def test_order_counts() -> None:
    assert same_journeys({"there": TEN, "back": TEN[::-1]}) == {}


def test_four_stops_are_no_journey() -> None:
    assert same_journeys({"one": TEN[:4], "two": TEN[:4]}) == {}
    assert same_journeys({"one": TEN[:5], "two": TEN[:5]}) == {"two": "one"}


def test_a_part_is_no_copy() -> None:
    assert same_journeys({"whole": TEN, "part": TEN[:6]}) == {}


def test_the_first_is_the_original_and_no_original_is_a_copy() -> None:
    found = same_journeys({"c": TEN, "a": TEN, "b": TEN})
    assert found == {"a": "c", "b": "c"}


def test_proposals_miss_no_pair() -> None:
    """Against every pair compared: random journeys, and copies of them with a stop changed."""
    draw = random.Random(7)
    stops: dict[str, tuple[str, ...]] = {}
    for number in range(60):
        changed = [f"p{draw.randrange(40)}" for _ in range(draw.randrange(3, 30))]
        stops[f"d{number}"] = tuple(changed)
        for _ in range(draw.randrange(4)):
            changed[draw.randrange(len(changed))] = f"p{draw.randrange(40)}"
        stops[f"e{number}"] = tuple(changed)
    found = same_journeys(stops)
    assert len(found) >= 20
    order = list(stops)
    for doc_id, own in stops.items():
        earlier = [
            other for other in order[: order.index(doc_id)]
            if other not in found and min(len(own), len(stops[other])) >= MINIMUM_STOPS
            and agreement(own, stops[other]) >= AGREEMENT
        ]  # fmt: skip
        assert (doc_id in found) == bool(earlier)
        if earlier:
            best = max(agreement(own, stops[other]) for other in earlier)
            assert agreement(own, stops[found[doc_id]]) == best
