"""Ways to break the scores of reference trajectories."""

from __future__ import annotations

from tests.counterexamples.breaking import Case, Change, add, both, drop, find, put
from tests.counterexamples.broken_queries import AUTUMN, EN_TRIP, TRIP
from tests.counterexamples.broken_structure import GENERIC, fails
from tests.counterexamples.good import A, Book

_TABLE = "trajectory_scores"
_BEST, _OTHER = f"{GENERIC}/{EN_TRIP}", f"{GENERIC}/{TRIP}"
_ROW = {"query_id": GENERIC, "trajectory_id": TRIP}


def _moved(column: str, by: float) -> Change:
    """A figure of one row, off by a little."""

    def change(book: Book) -> None:
        find(book, _TABLE, A.slug, **_ROW)[column] += by

    return change


def _fails(*places: tuple[str, str]) -> frozenset[tuple[str, str, str, str]]:
    return fails(*((_TABLE, _TABLE, column, row) for column, row in places))


CASES = [
    Case("a reference that nobody scored", drop(_TABLE, _ROW), _fails(("trajectory_id", _OTHER))),
    Case(
        "scores of a route that no query has",
        add(_TABLE, _ROW, query_id=AUTUMN, quality_rank=1),
        _fails(("trajectory_id", f"{AUTUMN}/{TRIP}")),
    ),
    Case(
        "the worse one first",
        both(
            put(_TABLE, _ROW, quality_rank=1),
            put(_TABLE, {**_ROW, "trajectory_id": EN_TRIP}, quality_rank=2),
        ),
        _fails(("quality_rank", _BEST), ("quality_rank", _OTHER)),
    ),
    Case(
        "more popular than its places",
        put(_TABLE, _ROW, poi_popularity=0.7),
        _fails(("poi_popularity", _OTHER)),
    ),
    Case(
        "a detour of nothing",
        put(_TABLE, _ROW, distance_margin_ratio=None),
        _fails(("distance_margin_ratio", _OTHER)),
    ),
    Case("a way half a metre longer", _moved("length_m", 0.5), _fails(("length_m", _OTHER))),
    Case(
        "an optimum half a metre shorter", _moved("optimal_m", -0.5), _fails(("optimal_m", _OTHER))
    ),
    Case(
        "an optimum called unproven",
        put(_TABLE, _ROW, optimum_proven=False),
        _fails(("optimum_proven", _OTHER)),
    ),
    Case(
        "a failure among candidates",
        put(_TABLE, _ROW, failure_rate=1 / 3),
        _fails(("failure_rate", _OTHER)),
    ),
    Case(
        "a repeat that is none",
        put(_TABLE, _ROW, repetition_rate=1 / 3),
        _fails(("repetition_rate", _OTHER)),
    ),
]
NEAR_MISSES = [Case("a way rounded otherwise", _moved("length_m", 0.1))]
