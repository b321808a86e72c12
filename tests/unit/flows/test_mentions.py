"""The slice of a city: what lies elsewhere is pending, what holds on a condition is set aside."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Inputs, Job
from flows.pipeline.stages.mentions import STAGE, with_role_here
from flows.settings.profile import Profile
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.cities import find_city
from schemas.tables import Table

HERE, THERE = find_city("hangzhou"), find_city("nanjing")
JOB = Job(Inputs((HERE,), Profile(name="small")), HERE, "hangzhou")
DOC = "d" + "1" * 20


def frame_of(table: Table, rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = polars_schema_of(table)
    blank = dict.fromkeys(schema)
    return pl.DataFrame([{**blank, **row} for row in rows], schema=schema, orient="row")


def named(n: int, start: int, **more: Any) -> dict[str, Any]:
    row = {
        "doc_id": DOC,
        "n": n,
        "name": f"第{n}园",
        "fullest": f"第{n}园",
        "lang": "zh",
        "start": start,
        "end": start + 3,
        "stands_in": "text",
        "what": "sight",
        "role": "visited",
        "confidence": 1.0,
    }
    return {**row, **more}


def stop(day: int, order: int, n: int, trip: int = 1) -> dict[str, Any]:
    return {
        "doc_id": DOC, "trip": trip, "day": day, "order": order, "n": n, "name": f"第{n}园",
        "lang": "zh", "start": 10 * n, "end": 10 * n + 3, "is_planned": False, "is_ordered": True,
    }  # fmt: skip


def fact(n: int, audience: str | None = None) -> dict[str, Any]:
    return {
        "doc_id": DOC, "n": n, "poi": f"第{n}园", "field": "ticket_price_cny", "value": "30",
        "valid_when": "always", "audience": audience, "start": 10 * n, "end": 10 * n + 3,
    }  # fmt: skip


@pytest.fixture
def frames() -> Frames:
    """Three sights and a shop here, one sight in another city, and one nowhere."""
    cities = {1: HERE, 2: HERE, 3: HERE, 4: THERE, 6: HERE}
    read = {
        "readings": frame_of(inner.READINGS, [{"doc_id": DOC, "kind": "diary", "reader": "rules"}]),
        "names": frame_of(
            inner.READ_NAMES,
            [named(n, 10 * n, what="shop" if n == 6 else "sight") for n in range(1, 7)],
        ),
        "stops": frame_of(
            inner.READ_STOPS,
            [
                stop(1, 1, 1),
                stop(1, 2, 4),
                stop(1, 3, 2),
                stop(1, 4, 6),
                stop(2, 1, 4),
                stop(1, 1, 3, trip=2),
            ],
        ),
        "facts": frame_of(inner.READ_FACTS, [fact(1), fact(2, "child"), fact(2, "child"), fact(4)]),
        "contexts": frame_of(
            inner.READ_CONTEXTS,
            [
                {
                    "doc_id": DOC,
                    "kind": "season",
                    "code": "summer",
                    "start": at,
                    "end": at + 1,
                    "weight": 1,
                }
                for at in (11, 95)
            ],
        ),
        "ungrounded": frame_of(
            inner.UNGROUNDED, [{"doc_id": DOC, "position": 0, "what": "塔", "message": "not there"}]
        ),
    }
    link = {
        "links": frame_of(
            inner.LINKS,
            [
                {"doc_id": DOC, "n": n, "outcome": "city" if n in cities else "unknown",
                 "city_of": cities[n].city_id if n in cities else None, "score": 0, "margin": 0,
                 "rivals": [], "link_why": "said"}
                for n in range(1, 7)
            ],
        ),
        "days": frame_of(
            inner.LINKED_DAYS,
            [{"doc_id": DOC, "trip": trip, "day": day, "city_of": city.city_id}
             for trip, day, city in ((1, 1, HERE), (1, 2, THERE), (2, 1, HERE))],
        ),
        "stated": frame_of(
            inner.STATED, [{"doc_id": DOC, "city_of": HERE.city_id, "n_blocks": 2}]
        ),
    }  # fmt: skip
    return STAGE.compute(JOB, {"read": [read], "link": [link]})


def test_names_of_the_city_are_its_mentions(frames: Frames) -> None:
    assert frames["mentions"]["n"].to_list() == [1, 2, 3]
    assert frames["about"].select("doc_id", "is_main").rows() == [(DOC, True)]


def test_stops_are_those_at_sights_of_the_days_here_of_every_trip(frames: Frames) -> None:
    stops = frames["visits"].select("trip", "day", "order", "n", "is_here").rows()
    longest = [(1, 1, 1, 1, True), (1, 1, 2, 4, False), (1, 1, 3, 2, True)]
    assert stops == [*longest, (2, 1, 1, 3, True)]


def test_a_mention_has_the_day_of_the_longest_trip(frames: Frames) -> None:
    assert frames["mentions"].select("n", "day").rows()[2] == (3, None)


def test_a_fact_on_a_condition_keeps_its_condition(frames: Frames) -> None:
    assert frames["facts"].select("n", "audience").rows() == [
        (1, None), (2, "child"), (2, "child"),
    ]  # fmt: skip


def test_a_context_within_a_name_is_none(frames: Frames) -> None:
    assert frames["contexts"]["start"].to_list() == [95]


def test_every_row_is_accounted_for(frames: Frames) -> None:
    counts = {
        (row["stage"], row["table"]): tuple(
            row[f"rows_{kind}"] for kind in ("in", "kept", "merged", "quarantined", "pending")
        )
        for row in frames["counts"].to_dicts()
    }
    assert counts == {
        ("mentions", "poi_mentions"): (6, 3, 0, 1, 2),
        ("mentions", "poi_facts"): (4, 3, 0, 0, 1),
        ("mentions", "trajectories"): (6, 4, 0, 0, 2),
        ("corpus", "documents"): (1, 1, 0, 0, 0),
    }


def roles_of(
    *names: dict[str, Any], stops: tuple[int, ...] = (), by_rules: tuple[str, ...] = ()
) -> list[str]:
    """The roles that occurrences of one place show; ``stops`` are the starts of those that are
    stops.
    """
    told = frame_of(inner.READ_NAMES, [named(1, 0) | one for one in names])
    spans = [stop(1, 1, 1) | {"start": at, "end": at + 3} for at in stops]
    rows = with_role_here(told, frame_of(inner.READ_STOPS, spans), by_rules)
    return rows.sort("start")["role_here"].to_list()


def at(start: int, stands_in: str = "text") -> dict[str, Any]:
    return {"start": start, "end": start + 3, "stands_in": stands_in}


@pytest.mark.parametrize(
    ("names", "stops", "roles"),
    [
        ((at(5), at(50), at(90)), (50,), ["mentioned", "visited", "mentioned"]),
        ((at(5), at(50), at(90)), (), ["visited", "mentioned", "mentioned"]),
        ((at(5, "heading"), at(50)), (), ["mentioned", "visited"]),
        ((at(5, "heading"), at(50, "title_line")), (), ["visited", "mentioned"]),
        ((at(5, "title_line"),), (), ["mentioned"]),
        ((at(5, "title_line"),), (5,), ["visited"]),
        ((at(5, "aside"), at(50)), (), ["mentioned", "visited"]),
        ((at(5, "name_part"),), (), ["mentioned"]),
    ],
)
def test_a_role_stands_where_the_text_shows_it(
    names: tuple[dict[str, Any], ...], stops: tuple[int, ...], roles: list[str]
) -> None:
    assert roles_of(*names, stops=stops) == roles


def test_rules_say_visited_of_stops_only() -> None:
    assert roles_of(at(5), at(50), by_rules=(DOC,)) == ["mentioned", "mentioned"]
    assert roles_of(at(5), at(50), stops=(50,), by_rules=(DOC,)) == ["mentioned", "visited"]
    advised = (at(5) | {"role": "recommended"}, at(50) | {"role": "recommended"})
    assert roles_of(*advised, by_rules=(DOC,)) == ["recommended", "mentioned"]
