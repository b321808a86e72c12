"""Gates on trajectories, which must be valid, and on the edits that clean noisy trajectories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from schemas.ids import text_sha256
from validators.gates.base import Failure, Gate, GateContext, failing, gathered, together

Row = dict[str, Any]


def _fault(row: Row, column: str, value: str | None, message: str) -> Failure:
    """Return a failure that concerns a trajectory."""
    return "trajectories", column, row["trajectory_id"], value, message


@gathered
def days(context: GateContext) -> Iterator[Failure]:
    """A trajectory has enough days and stops, and no empty day between its first and last day."""
    demands = {row["city_id"]: row for row in context.demands.to_dicts()}
    for row in context.table("trajectories").to_dicts():
        wanted = demands.get(row["city_id"], {})
        found = sorted({visit["day"] for visit in row["clean_visits"]})
        least = wanted.get("minimum_days", 2)
        if len(found) < least:
            yield _fault(
                row, "clean_visits", str(len(found)), f"the profile requires at least {least} days"
            )
        least = wanted.get("minimum_visits", 1)
        if (stops := len(row["clean_visits"])) < least:
            yield _fault(
                row, "clean_visits", str(stops), f"the profile requires at least {least} stops"
            )
        if found and found != list(range(found[0], found[-1] + 1)):
            yield _fault(
                row,
                "clean_visits",
                str(found),
                "there are no stops on a day between the first and the last day",
            )


@gathered
def order(context: GateContext) -> Iterator[Failure]:
    """Visits are sorted by day, and numbered from 1 within each day."""
    for row in context.table("trajectories").to_dicts():
        for column in ("noisy_visits", "clean_visits"):
            last_day, last_order = -1, 0
            for visit in row[column]:
                expected = last_order + 1 if visit["day"] == last_day else 1
                if visit["day"] < last_day or visit["order"] != expected:
                    where = f"day {visit['day']}, order {visit['order']}"
                    yield _fault(
                        row,
                        column,
                        where,
                        f"the position of this stop within its day should be {expected}",
                    )
                    break
                last_day, last_order = visit["day"], visit["order"]


def replay(noisy: list[Row], edits: list[Row]) -> list[tuple[int, int, str]] | str:
    """Apply the edits to the noisy visits, and return the clean visits or an error message."""
    by_place = {(edit["day"], edit["order"]): edit for edit in edits}
    if len(by_place) != len(edits) or len(edits) != len(noisy):
        return (
            f"there are {len(edits)} edits for {len(noisy)} visits, but each visit must have "
            "exactly one edit"
        )
    clean: list[tuple[int, int, str]] = []
    for visit in noisy:
        edit = by_place.get((visit["day"], visit["order"]))
        if edit is None or edit["name"] != visit["name"]:
            return f"there is no edit for {visit['name']!r} on day {visit['day']}"
        if edit["op"] == "replace":
            today = sum(1 for day, _, _ in clean if day == visit["day"])
            clean.append((visit["day"], today + 1, edit["poi_id"]))
        elif edit["op"] != "remove":
            return f"there is no kind of edit called {edit['op']!r}"
    return clean


@gathered
def edits(context: GateContext) -> Iterator[Failure]:
    """The recorded edits turn the noisy trajectory into the clean one."""
    for row in context.table("trajectories").to_dicts():
        made = replay(row["noisy_visits"], row["edits"])
        if isinstance(made, str):
            yield _fault(row, "edits", None, made)
        elif made != [(v["day"], v["order"], v["poi_id"]) for v in row["clean_visits"]]:
            yield _fault(
                row,
                "clean_visits",
                str(made)[:200],
                "applying the edits yields a different trajectory",
            )


def counts(context: GateContext) -> pl.DataFrame:
    """The counts of days and stops are correct."""
    rows = context.table("trajectories").with_columns(
        visits=pl.col("clean_visits").list.len().cast(pl.Int64),
        days=pl.col("clean_visits")
        .list.eval(pl.element().struct.field("day"))
        .list.n_unique()
        .cast(pl.Int64),
    )
    return together(
        failing(
            "trajectories",
            rows,
            pl.col(column) != pl.col(real),
            column,
            pl.format("there are {}", real),
        )
        for column, real in (("n_visits", "visits"), ("n_trip_days", "days"))
    )


@gathered
def places(context: GateContext) -> Iterator[Failure]:
    """Each clean stop is a place in the city, with the place's standard name."""
    known = {row["poi_id"]: row for row in context.table("pois").to_dicts()}
    for row in context.table("trajectories").to_dicts():
        for visit in row["clean_visits"]:
            place = known.get(visit["poi_id"])
            if place is None or place["city_id"] != row["city_id"]:
                yield _fault(row, "clean_visits", visit["poi_id"], "this place is not in the city")
            elif visit["name"] != (place["name_zh"] or place["name_en"]):
                yield _fault(
                    row, "clean_visits", visit["name"], "this is not the place's standard name"
                )


@gathered
def evidence(context: GateContext) -> Iterator[Failure]:
    """Each noisy stop, and each remark on a stop, is found in the trajectory's document."""
    known = {row["evidence_id"]: row for row in context.table("evidence").to_dicts()}
    for row in context.table("trajectories").to_dicts():
        for visit in row["noisy_visits"]:
            proof = known.get(visit["evidence_id"])
            if proof is None or proof["doc_id"] != row["doc_id"]:
                yield _fault(
                    row,
                    "noisy_visits",
                    visit["name"],
                    "this stop has no evidence in the trajectory's document",
                )
            elif proof["quote_sha256"] != text_sha256(visit["name"]):
                yield _fault(
                    row, "noisy_visits", visit["name"], "the evidence quotes a different text"
                )
            remark = visit.get("remark_evidence_id")
            if remark and known.get(remark, {}).get("doc_id") != row["doc_id"]:
                yield _fault(
                    row,
                    "noisy_visits",
                    visit["name"],
                    "the remark is not in the trajectory's document",
                )


@gathered
def mentions(context: GateContext) -> Iterator[Failure]:
    """If a text numbers the days, a noisy stop has the same day and order as its mention. An edit
    may replace the stop only with the place to which the mention refers.

    Two stops may share a mention if a journey returns to a place that the text names only once. A
    shared mention has the day and order of one of the stops that share it.
    """
    known = {row["evidence_id"]: row for row in context.table("poi_mentions").to_dicts()}
    for row in context.table("trajectories").to_dicts():
        told = {(v["evidence_id"], v["day"], v["order"]) for v in row["noisy_visits"]}
        chosen = {(e["day"], e["order"]): e["poi_id"] for e in row["edits"] if e["op"] == "replace"}
        for visit in row["noisy_visits"]:
            mention = known.get(visit["evidence_id"])
            if mention is None or mention["doc_id"] != row["doc_id"]:
                continue  # reported by the gate ``trajectory_evidence``
            where = (visit["day"], visit["order"])
            at = (visit["evidence_id"], mention["day"], mention["order"])
            if at[1:] != (None, None) and at not in told:
                yield _fault(
                    row,
                    "noisy_visits",
                    visit["name"],
                    "the mention has a different day or a different position within the day",
                )
            elif where in chosen and chosen[where] != mention["poi_id"]:
                yield _fault(
                    row, "edits", visit["name"], "the mention was resolved to a different place"
                )


@gathered
def located(context: GateContext) -> Iterator[Failure]:
    """At least half of the stops are places with known coordinates."""
    known = set(context.table("pois").filter(pl.col("lat").is_not_null())["poi_id"].to_list())
    for row in context.table("trajectories").to_dicts():
        there = sum(visit["poi_id"] in known for visit in row["clean_visits"])
        if 2 * there < len(row["clean_visits"]):
            yield _fault(
                row,
                "clean_visits",
                f"{there} of {len(row['clean_visits'])}",
                "too few stops have known coordinates",
            )


GATES = (
    Gate(
        "trajectory_days",
        days,
        "A route that is too short or skips a day cannot serve as a reference.",
        "Quarantine the trajectory.",
    ),
    Gate(
        "trajectory_order",
        order,
        "The order of the stops in a trajectory must be clear.",
        "Number the stops of each day from 1.",
    ),
    Gate(
        "trajectory_edits",
        edits,
        "The clean version must differ from the noisy version only by the recorded edits.",
        "Record the edit, or undo it.",
    ),
    Gate("trajectory_counts", counts, "Published counts must be correct.", "Count again."),
    Gate(
        "trajectory_places",
        places,
        "Clean stops must be known places.",
        "Remove the stop, and record an edit for it.",
    ),
    Gate(
        "trajectory_located",
        located,
        "If the coordinates of most places on a route are unknown, the route may be in another "
        "city.",
        "Check which city the document is about.",
        severity="warning",
    ),
    Gate(
        "trajectory_mentions",
        mentions,
        "Each stop on a route must match a mention in the document.",
        "Rebuild the trajectory from its mentions.",
    ),
    Gate(
        "trajectory_evidence",
        evidence,
        "If the document does not name a stop, the stop was invented.",
        "Read the document again.",
    ),
)
