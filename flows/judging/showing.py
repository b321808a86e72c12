"""Show a plan to a judge, with the plan's query, visits and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import polars as pl

from extractors.tasks.prompting import one_line
from flows.judging.tasks import MOST_TEXT, MOST_VISITS, JudgedVisit, ShownPlan
from flows.plans.material import Material
from schemas.money import unit
from schemas.plans import JOURNEYS
from schemas.trips import ATTRACTION, Event, Trip
from schemas.values import clock_text
from validators.metrics.guide import Guide
from validators.metrics.measure import PlanAnswer

#: Facts about when to visit a place, and the maximum number of facts that are shown.
_FACTS, _MOST_FACTS = ("opening_hours", "arrival_time", "duration_hours"), 6
_MOST_QUERY = 4_000


class Showing:
    """Converts a snapshot's plans into the form that is shown to a judge."""

    def __init__(self, material: Material):
        self._material = material

    def show(self, answer: PlanAnswer, query_id: str | None) -> ShownPlan:
        """Return a plan with its query and, if the query has one, its reference plan.

        If a plan has too many visits, the visits are left out and not judged. If the plan's text is
        too long, the text is left out and not judged. Raises PlanError if neither the plan nor the
        query names the city.
        """
        material = self._material
        guide = material.guide(material.find_city(query_id, answer.trip.target_city))
        query = material.query(query_id) if query_id is not None else {}
        reference = material.question(query_id).reference
        visits = tuple(self._visits(answer.trip, guide))
        return ShownPlan(
            city=guide.world.slug,
            query=str(query.get("text_zh") or query.get("text_en") or "")[:_MOST_QUERY],
            visits=visits if len(visits) <= MOST_VISITS else (),
            plan=plan_text(answer.trip, guide),
            reference=plan_text(reference.trip, guide) if reference else "",
        )

    def _visits(self, trip: Trip, guide: Guide) -> Iterator[JudgedVisit]:
        for event in trip.sights():
            place = guide.one(ATTRACTION, event.name)
            known = self._facts.get(place.place_id, "") if place else ""
            yield JudgedVisit(
                day=event.day, name=event.name[:200], times=_times(event), known=known
            )

    @cached_property
    def _facts(self) -> Mapping[str, str]:
        """The facts about when to visit each place, by the id of the place."""
        if "poi_facts" not in self._material.snapshot.tables():
            return {}
        facts = self._material.table("poi_facts").filter(pl.col("fact_field").is_in(_FACTS))
        told = pl.concat_str(
            pl.col("fact_field").str.replace_all("_", " "),
            pl.lit(" "),
            pl.col("value"),
            pl.lit(", "),
            "valid_when",
        )
        lines = (
            facts.with_columns(told=told.str.strip_suffix(", always"))
            .sort("poi_id", "fact_field", "fact_id")
            .group_by("poi_id", maintain_order=True)
            .agg(pl.col("told").unique(maintain_order=True).head(_MOST_FACTS))
        )
        return {poi_id: "; ".join(told) for poi_id, told in lines.iter_rows()}


def plan_text(trip: Trip, guide: Guide) -> str:
    """Return a plan as text with one event per line, or an empty string if the text is too long to
    show."""
    head = [
        f"{trip.people} people" if trip.people else "",
        f"hotel: {trip.hotel}" if trip.hotel else "",
    ]
    lines = [one_line(", ".join(filter(None, head)))]
    lines += [f"journey: {_line(event, guide)}" for event in trip.journeys]
    for day in trip.days:
        events = (event for event in day.events if event.kind not in JOURNEYS)
        lines += [f"day {day.number}:", *(_line(event, guide) for event in events)]
    text = "\n".join(filter(None, lines))
    return text if len(text) <= MOST_TEXT else ""


def _line(event: Event, guide: Guide) -> str:
    place = guide.of_event(event.kind, event.name)
    cost: Any = event.cost if event.cost is not None else event.price
    parts = (
        _times(event),
        event.kind,
        f"{event.origin} to" if event.origin else "",
        event.name,
        event.number,
        f"({', '.join(sorted(place.types))})" if place and place.types else "",
        f"{cost:g} {unit(guide.world.currency)}" if cost is not None else "",
    )
    return one_line(" ".join(part for part in parts if part))


def _times(event: Event) -> str:
    """Return an event's start and end times, or an empty string if the start is unknown."""
    if event.start_min is None:
        return ""
    end = f"-{clock_text(event.end_min)}" if event.end_min is not None else ""
    return f"{clock_text(event.start_min)}{end}"
