"""Runs the stage ``trajectories``, which turns routes in documents into sequences of places.

Noisy trajectories are routes as documents describe them. A clean trajectory is a noisy trajectory
to which recorded edits have been applied. The edits replace names in the text with the places'
standard names. The edits also remove stops whose place is unknown or is the same as the place of
the previous stop. If the edits leave no valid trajectory, the route is quarantined with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from types import MappingProxyType

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Row,
    Stage,
    Upstream,
    document_evidence,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.names import find_unplaced
from flows.pipeline.stages.reviewed import REFUSED
from flows.review.apply import explain_rejection
from flows.settings.profile import TrajectorySettings
from schemas.arrow import frame
from schemas.cities import City
from schemas.ids import digest, span_evidence_id
from schemas.rows import QuarantineRow

#: The reason for removing a stop that is not known to lie in the city.
ELSEWHERE = "not in the city"


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return noisy and clean trajectories from a city's documents, at most one of each per trip."""
    city, settings = job.own_city, job.inputs.profile.trajectories
    feedback = only(upstream, "feedback")
    places, refused = _place_names(feedback), _list_refused(feedback)
    visits = pl.concat([frames["visits"] for frames in upstream["mentions"]]).sort(
        "doc_id", "trip", "day", "order"
    )
    aside = find_unplaced(feedback)
    told = [
        {**row, "n": 0} if (row["doc_id"], row["start"]) in aside else row
        for row in visits.to_dicts()
    ]
    kept: list[Row] = []
    rejected: list[QuarantineRow] = []
    used: list[Row] = []
    for doc_id, group in groupby(told, key=lambda row: row["doc_id"]):
        longer: list[Row] = []
        for stops in _longest_first(group):
            trajectory = clean_trajectory(city, doc_id, stops, places, refused)
            if longer:
                trajectory["trajectory_id"] = trajectory_id(city, doc_id, _stops_of(trajectory))
            fault = find_fault(trajectory, settings) or find_repetition(trajectory, longer)
            longer.append(trajectory)
            if fault is None:
                kept.append(trajectory)
                used += stops
            else:
                rejected.append(_set_aside(city, trajectory, fault))
    counted = stage_count(
        city, "trajectories", "trajectories", rows_in=len(kept) + len(rejected),
        kept=len(kept), quarantined=len(rejected),
    )  # fmt: skip
    return {
        "trajectories": frame("trajectories", kept),
        "evidence": frame("evidence", _evidence(city, used)),
        "quarantine": frame("quarantine", rejected),
        "stage_counts": frame("stage_counts", [counted]),
    }


def _set_aside(city: City, trajectory: Row, fault: tuple[str, str]) -> QuarantineRow:
    return quarantine_row(
        city, "trajectories", "trajectories", trajectory["trajectory_id"], *fault,
        {
            "doc_id": trajectory["doc_id"], "stops": _stops_of(trajectory),
            "edits": trajectory["edits"],
        },
    )  # fmt: skip


def trajectory_id(city: City, doc_id: str, stops: Iterable[str] = ()) -> str:
    """Return the id for a document's trajectory in a city.

    Leave out ``stops`` for the longest trip; for any other trip, ``stops`` contains the evidence
    ids of its stops, so that each trip has a different id.
    """
    return f"tr_{digest(city.city_id, doc_id, *stops)}"


def _stops_of(trajectory: Row) -> list[str]:
    return [visit["evidence_id"] for visit in trajectory["noisy_visits"]]


def _longest_first(visits: Iterable[Row]) -> list[list[Row]]:
    """Return the stops of each trip of a document, longest trip first; trips of equal length keep
    their order.
    """
    trips = [list(stops) for _, stops in groupby(visits, key=lambda row: row["trip"])]
    return sorted(trips, key=lambda stops: -len(stops))


def clean_trajectory(
    city: City,
    doc_id: str,
    visits: list[Row],
    places: Mapping[tuple[str, int], tuple[str, str]],
    refused: Mapping[str, str] = MappingProxyType({}),
) -> Row:
    """Return a row for ``trajectories`` from one document's visits, ordered by day and position.

    ``places`` maps the number of each name in a document to the place's poi_id and standard name. A
    name that is not in ``places`` is unknown, and its stop is removed. Stops outside the city are
    removed as well. Stops whose evidence or name is in ``refused`` are removed for the reason in
    ``refused``.
    """
    noisy: list[Row] = []
    clean: list[Row] = []
    edits: list[Row] = []
    for day, group in groupby(visits, key=lambda row: row["day"]):
        stops: list[Row] = []
        for order, visit in enumerate(group, 1):
            name = visit["name"]
            evidence = span_evidence_id(city.city_id, doc_id, visit["start"], visit["end"])
            remark = _remark(city, doc_id, visit)
            noisy.append(
                {
                    "day": day, "order": order, "name": name, "evidence_id": evidence,
                    "remark_evidence_id": remark["evidence_id"] if remark else None,
                }
            )  # fmt: skip
            edit = {"day": day, "order": order, "name": name}
            poi_id, standard = places.get((doc_id, visit["n"]), (None, None))
            if (why := refused.get(evidence, refused.get(name))) is not None:
                edits.append({**edit, "op": "remove", "reason": explain_rejection(why)})
            elif not visit["is_here"]:
                edits.append({**edit, "op": "remove", "reason": ELSEWHERE})
            elif poi_id is None:
                edits.append({**edit, "op": "remove", "reason": "unknown place"})
            elif stops and stops[-1]["poi_id"] == poi_id:
                edits.append(
                    {**edit, "op": "remove", "poi_id": poi_id, "reason": "repeats the stop before"}
                )
            else:
                reason = "standard name" if standard != name else "place identified"
                edits.append({**edit, "op": "replace", "poi_id": poi_id, "reason": reason})
                stops.append(
                    {"day": day, "order": len(stops) + 1, "poi_id": poi_id, "name": standard}
                )
        clean += stops
    return {
        "trajectory_id": trajectory_id(city, doc_id),
        "city_id": city.city_id,
        "doc_id": doc_id,
        "n_trip_days": max(len({stop["day"] for stop in clean}), 1),
        "n_visits": len(clean),
        "noisy_visits": noisy,
        "clean_visits": clean,
        "edits": edits,
    }


def find_fault(trajectory: Row, settings: TrajectorySettings) -> tuple[str, str] | None:
    """Return (check, message) for a trajectory that is not valid, or None for a valid one."""
    days = sorted({stop["day"] for stop in trajectory["clean_visits"]})
    if len(days) < settings.minimum_days:
        return "too_few_days", f"{len(days)} days with a known stop, {settings.minimum_days} needed"
    if trajectory["n_visits"] < settings.minimum_visits:
        return (
            "too_few_visits",
            f"{trajectory['n_visits']} known stops, {settings.minimum_visits} needed",
        )
    told = len(trajectory["noisy_visits"])
    away = sum(edit["reason"] == ELSEWHERE for edit in trajectory["edits"])
    if told - away < settings.minimum_located_share * told:
        return "not_in_city", f"{away} of {told} stops are not known to lie in the city"
    missing = sorted(set(range(days[0], days[-1] + 1)) - set(days))
    if missing:
        return "empty_day", f"no known stop on day {missing[0]}"
    return None


def find_repetition(trajectory: Row, longer: Iterable[Row]) -> tuple[str, str] | None:
    """Return (check, message) for a trip that adds nothing new, or None.

    A trip adds nothing new if all its places are also in a longer trip of the document. For
    example, one trip may be the plan and the other the diary of the same journey.
    """
    places = {stop["poi_id"] for stop in trajectory["clean_visits"]}
    for other in longer:
        if places <= {stop["poi_id"] for stop in other["clean_visits"]}:
            return "repeats_another", f"all its places are in {other['trajectory_id']}"
    return None


def _place_names(feedback: Frames) -> dict[tuple[str, int], tuple[str, str]]:
    """Map the document and the number of each resolved name to the place's poi_id and standard
    name.
    """
    pois = {row["poi_id"]: row["name_zh"] or row["name_en"] for row in feedback["pois"].to_dicts()}
    return {
        (row["doc_id"], row["n"]): (row["poi_id"], pois[row["poi_id"]])
        for row in feedback["resolutions"].to_dicts()
        if row["poi_id"] in pois
    }


def _list_refused(feedback: Frames) -> dict[str, str]:
    """Map names of rejected places, and evidence for rejected mentions, to the reason for the
    rejection."""
    return dict(
        feedback.get("refused", pl.DataFrame(schema=REFUSED))
        .select(pl.coalesce("evidence_id", "name"), "reason")
        .iter_rows()
    )


def _evidence(city: City, visits: list[Row]) -> list[Row]:
    """Return evidence for the stops in kept trajectories and for remarks about these stops."""
    stops = (
        document_evidence(city, visit["doc_id"], visit["start"], visit["end"], visit["name"])
        for visit in visits
    )
    rows = {row["evidence_id"]: row for row in stops}
    remarks = (_remark(city, visit["doc_id"], visit) for visit in visits)
    told = {row["evidence_id"]: row for row in remarks if row}
    own = [row for _, row in sorted(rows.items())]
    return [*own, *(row for key, row in sorted(told.items()) if key not in rows)]


def _remark(city: City, doc_id: str, visit: Row) -> Row | None:
    """Return the evidence for the remark about a stop, or None if the reader found no remark."""
    remark, start = visit.get("remark"), visit.get("remark_start")
    if remark is None or start is None:
        return None
    return document_evidence(city, doc_id, start, start + len(remark), remark)


STAGE = Stage(
    "trajectories",
    6,
    compute,
    tables("trajectories", "evidence", "quarantine", "stage_counts"),
    settings=lambda job: {"trajectories": job.inputs.profile.trajectories.model_dump()},
)
