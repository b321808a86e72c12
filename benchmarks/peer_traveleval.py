"""TravelEval's own metrics, run on an export of ours beside ours.

Their package is copied beside the export into a temporary folder. Where theirs asks a map service for
a driving distance it gets our straight line, so nothing leaves the machine. An answer differs *by a
rule* if the rule, computed from our own reading, gives theirs; any other difference is wrong.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import math
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.peer_world import Missing
from benchmarks.spoilt_plans import spoilt
from schemas.cities import find_city
from schemas.plan_forms import write_traveleval
from schemas.plans import read_plan
from schemas.trip_forms import read_trip
from schemas.word_lists import Lists
from validators.metrics.case import Case, Value, asked_of
from validators.metrics.catalogue import of_paper
from validators.metrics.guide import Guide, read_guide
from validators.metrics.traveleval_facts import hotel_preference
from validators.plans.world import ROOM_BEDS
from warehouse.read import Snapshot

#: Where theirs stand: by our label their dimension and their name.
WHERE = {
    label: (dimension, name)
    for label, dimension, name in Lists("benchmarks").table("traveleval_names")
}
_GRADES = {
    "Golden Week": "S:golden_week", "Weekend": "B:weekend", "Peak Season": "A:special_peak",
    "Vacation": "C:winter_summer", "Weekday": "D:weekday",
}  # fmt: skip
#: Dates of queries that have none.
_DAYS = tuple(f"2026-04-{day}" for day in range(10, 20))
_CLASSES = {
    "accuracy": "AccuracyMetrics", "constraint": "ConstraintMetrics", "time": "TimeMetrics",
    "space": "SpaceMetrics", "economy": "EconomyMetrics", "utility": "UtilityMetrics",
}  # fmt: skip


@dataclass
class Score:
    """How often a metric is equal, differs by a rule, or is wrong."""

    equal: int = 0
    stated: Counter[str] = field(default_factory=Counter)
    wrong: int = 0
    example: str = ""


def assemble(source: Path, export: Path, into: Path) -> None:
    """Copy their code to a folder, with the export as its database. Raises Missing."""
    if not (source / "core" / "metrics" / "accuracy.py").is_file():
        raise Missing(f"{source} is no copy of TravelEval's repository: it lacks core/metrics")
    skip = shutil.ignore_patterns("geo_cache*", "travel_time_cache*", "__pycache__")
    shutil.copytree(source / "core", into / "core", ignore=skip)
    (into / "environment").mkdir()
    (into / "environment" / "database").symlink_to(export.resolve())
    sys.path.insert(0, str(into))
    # Their writer of plans, which no metric uses, needs a client of models.
    for name in ("agent", "agent.schemas", "agent.schemas.travel_plan"):
        sys.modules.setdefault(name, ModuleType(name))
    sys.modules["agent.schemas.travel_plan"].FinalTravelPlan = dict  # type: ignore[attr-defined]


class Theirs:
    """Their evaluator on one city."""

    def __init__(self, guide: Guide, export: Path, city: str):
        try:
            config = importlib.import_module("core.utils.config").ConfigManager()
            modules = {n: importlib.import_module(f"core.metrics.{n}") for n in _CLASSES}
        except ModuleNotFoundError as error:
            raise Missing(f"their code needs the package {error.name}: install it first") from None
        config.set("apis", {**config.get_apis_config(), "gaode_api_key": "none"})
        self.extractor = importlib.import_module("core.utils.plan_extractors").PlanExtractor
        self.metrics = {n: getattr(modules[n], kind)(config) for n, kind in _CLASSES.items()}
        with contextlib.redirect_stdout(io.StringIO()):
            self.sandbox = importlib.import_module("core.utils.data_loader").DataLoader().load_sandbox_data(city)  # fmt: skip
        poi = json.loads((export / "poi" / guide.world.slug / "poi.json").read_text("utf-8"))
        self.names = {tuple(place["position"]): place["name"] for place in poi}
        module = importlib.import_module("core.utils.geo_calculator")

        def kilometres(_: Any, start: Any, end: Any, mode: str) -> float:
            ends = [self.names[tuple(start)], self.names[tuple(end)]]
            return float(guide.metres(ends)[0, 1]) / 1000

        module.GeoCalculator._call_gaode_api_with_cache = kilometres

    def grade(self, date: Any) -> str:
        """Their reading of what kind of day a date is, as a key of our queue model."""
        return _GRADES[self.extractor._get_date_type(f"{date} to {date}", 1)]

    def evaluate(self, query: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
        """Their figures by our labels; a dimension that fails gives its error as text."""
        inner, get = plan["itinerary"], self.extractor
        found: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()):
            extracted = {
                "daily_attractions": get._extract_daily_attractions(inner),
                "attraction_sequence": get._extract_attraction_sequence(inner),
                "daily_schedules": get._extract_daily_schedules(inner),
                "plan_summary": get._extract_plan_summary(inner),
            }
            given = {"original_plan": inner, "extracted_data": extracted}
            for dimension, metric in self.metrics.items():
                try:
                    figures = metric.calculate_all(query, given, self.sandbox)
                except Exception as error:
                    figures = f"{type(error).__name__}: {error}"
                for label, (where, name) in WHERE.items():
                    if where == dimension:
                        found[label] = _dig(figures, name)
        return found


def _dig(figures: Any, name: str) -> Any:
    for part in name.split("."):
        if not isinstance(figures, dict):
            return figures
        figures = figures.get(part)
    return figures


def _personnel(case: Case) -> Value:
    """Theirs: tickets of journeys by two, beds, and tickets and seats where a plan has both.

    The beds' number stays in the sum of the tickets.
    """
    n = case.asked.people or 0
    trip = case.trip
    beds = sum(r.quantity * ROOM_BEDS.get(r.kind or "", 0) for r in trip.rooms)
    off = abs(sum(e.tickets or 0 for e in trip.journeys) / 2 - n) + abs(beds - n)
    tickets = [e.tickets for d in trip.days for e in d.activities if e.tickets]
    ways = [e.way for e in trip.events() if e.way and e.way.cars]
    seats = [(w.seats if w.seats is not None else 4.0) * (w.cars or 0) for w in ways]
    if tickets and seats:
        off += (beds + sum(abs(t - n) for t in tickets)) / len(tickets)
        off += sum(abs(s - n) for s in seats) / len(seats)
    return min(1.0, off / n)


def _budget(case: Case) -> Value:
    claims = case.trip.claims
    if claims is None or not claims.within_budget:
        return 0.0
    return float(not claims.budget or (case.total_cost or 0) <= claims.budget)


def _cuisines(case: Case) -> Value:
    """Theirs: what is excluded counts only where nothing is wanted."""
    wish = case.asked.wish("diet")
    eaten = [case.guide.one("restaurant", e.name) for d in case.trip.days for e in d.activities if e.kind in ("breakfast", "lunch", "dinner")]  # fmt: skip
    types = {kind for place in eaten if place for kind in place.types}
    if wish.wanted:
        return float(set(wish.wanted) <= types)
    return float(types.isdisjoint(wish.excluded))


def _vehicles(case: Case) -> Value:
    """Theirs: what is excluded counts for the last journey only."""
    wish = case.asked.wish("transportation")
    words = [e.vehicle for e in case.trip.journeys]
    if wish.wanted and not all(word in wish.wanted for word in words):
        return 0.0
    return float(bool(words) and words[-1] not in wish.excluded)


def _ratios_added(case: Case) -> Value:
    """Theirs: the ratios of the visits are added, not their hours."""
    total = sum(case.ratios[v.place.name] for v in case.visits)
    hours = _hours_stated(case)
    return total / hours if hours else None


def _hours_stated(case: Case) -> Value:
    """Theirs: hours of the trip by the days that the plan states."""
    claims = case.trip.claims
    if case.hours is None or claims is None or claims.days is None:
        return case.hours
    return case.hours + 24 * (claims.days - len(case.trip.days))


def _nights_stated(case: Case) -> Value:
    """Theirs: a night less than the days that the plan states; a hotel that is unknown has no feature."""
    claims = case.trip.claims
    if claims is None or claims.days is None or case.trip.nights != claims.days - 1:
        return 0.0
    return hotel_preference(replace(case, asked=replace(case.asked, days=claims.days), _memo={}))


def _all_hours(case: Case) -> Value:
    """Theirs: the whole visit counts, and an unknown attraction as one of 3 points."""
    worth = 0.0
    for event in case.trip.sights():
        place = case.guide.one("attraction", event.name)
        rating = case.guide.ratings.get(place.place_id) if place else 3.0
        if rating is None:
            return None
        worth += rating * (event.minutes or 0) / 60
    hours = _hours_stated(case)
    return worth / hours if hours else None


def _days_stated(case: Case) -> Value:
    return float(case.trip.claims is not None and case.trip.claims.days == case.asked.days)


def _excluded_halved(case: Case, divisor: Callable[[Case], Value]) -> Value:
    """Theirs: a type that is excluded only lowers the match where another type is wanted."""
    wish, total = case.asked.wish("attractions"), 0.0
    for event in case.trip.sights():
        place = case.guide.one("attraction", event.name)
        if place is None:
            continue
        rating = case.guide.ratings.get(place.place_id)
        if rating is None:
            return None
        wanted, excluded = (len(place.types & set(tags)) for tags in (wish.wanted, wish.excluded))
        match = 1.0 + wanted
        if excluded:
            match = (1 + wanted) / (1 + excluded) if wanted else 0.0
        total += rating * match
    by = divisor(case)
    return total / by if by else None


#: Why theirs differs, and what gives theirs from our reading of the plan.
RULES: Mapping[str, tuple[str, Callable[[Case], Value]]] = {
    "FRTC": ("theirs looks for names under a key that it does not fill: always 0", lambda _: 0.0),
    "PD": ("theirs adds journeys' tickets and carries the beds into the tickets", _personnel),
    "BCS": ("theirs believes the plan's own budget and what it says of it", _budget),
    "TCS": ("theirs reads the days that the plan states", _days_stated),
    "PAS-A": ("theirs reads the days that the plan states", _nights_stated),
    "PAS-C": ("theirs heeds exclusions only where nothing is wanted", _cuisines),
    "PAS-T": ("theirs heeds exclusions for the last journey only", _vehicles),
    "OTU": ("theirs adds ratios, not hours", _ratios_added),
    "AQE": ("theirs takes no queue off, unknown attractions have 3 points", _all_hours),
    "BE": (
        "theirs lets a wanted type outweigh an excluded one",
        lambda c: _excluded_halved(c, lambda case: (case.total_cost or 0) / 1000),
    ),
    "Profit": (
        "theirs lets a wanted type outweigh an excluded one",
        lambda c: _excluded_halved(c, lambda case: float(len(case.trip.sights()))),
    ),
}
#: What theirs says where there is nothing to count and ours says nothing.
_NOTHING = {"FAR": (0.0, 1.0), "VROH": (0.0,), "TTCS": (1.0,), "STR": (0.0,), "EDI": (0.0,), "Profit": (0.0,), "CSM-P90": (0.0,), "CSM-P95": (0.0,), "BE": (0.0,)}  # fmt: skip


def compare(snapshot: Path, export: Path, most: int) -> dict[str, Score]:
    """Scores by metric, of all plans of the export and their spoilt copies, ``most`` plans at most."""
    held = Snapshot(snapshot)
    scores = {label: Score() for label in WHERE}
    metrics = {metric.label: metric for metric in of_paper("traveleval")}
    for city in held.table("cities").sort("slug").to_dicts():
        guide = read_guide(held, city["city_id"])
        theirs = Theirs(guide, export, city["name_zh"])
        guide = replace(guide, grade=theirs.grade)
        for query, plan in list(_plans(held, city["city_id"]))[:most]:
            for name, changed in spoilt(plan):
                case = Case(read_trip(changed), guide, asked_of(query))
                figures = theirs.evaluate(query, changed)
                for label, score in scores.items():
                    where = f"{query['uid']}, {name}"
                    _note(label, metrics[label].count(case), figures[label], case, score, where)
    return scores


def _note(label: str, ours: Value, theirs: Any, case: Case, score: Score, where: str) -> None:
    if _same(ours, theirs):
        score.equal += 1
    elif isinstance(theirs, str) or theirs is None:
        score.stated[f"theirs fails: {str(theirs).split(':')[0]}"] += 1
    elif ours is None and theirs in _NOTHING.get(label, ()):
        score.stated[f"nothing to count: theirs is {theirs:g}, ours null"] += 1
    elif label in RULES and _same(RULES[label][1](case), theirs):
        score.stated[RULES[label][0]] += 1
    else:
        score.wrong += 1
        score.example = score.example or f"{where}: ours {ours}, theirs {theirs}"


def _same(ours: Value, theirs: Any) -> bool:
    if isinstance(theirs, str) or theirs is None:
        return False
    if ours is None:
        return math.isnan(theirs)
    return bool(abs(ours - theirs) <= 1e-6 * max(1.0, abs(ours)))


def _plans(held: Snapshot, city_id: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Queries and witness plans of a city in their form, their own family first.

    Cities have Chinese names; queries without dates and budget get some.
    """
    witnesses = dict(held.table("witness_plans").drop_nulls("plan").select("query_id", "plan").iter_rows())  # fmt: skip
    rows = held.table("queries").to_dicts()
    for row in sorted(rows, key=lambda r: (r["family"] != "traveleval", r["query_id"])):
        if row["city_id"] != city_id or row["query_id"] not in witnesses:
            continue
        structure = json.loads(row["structure"])
        plan = read_plan(json.loads(witnesses[row["query_id"]]))
        budget = asked_of(structure).budget or 1e6
        query = {
            "dates": f"{_DAYS[0]} to {_DAYS[-1]}", **structure, "uid": row["query_id"], "budget": budget
        }  # fmt: skip
        told = write_traveleval(plan, query["uid"], list(_DAYS[: len(plan.itinerary)]), budget)
        summary = told["itinerary"]["summary"]
        for end, city in (("departure", "start_city"), ("destination", "target_city")):
            summary[end] = find_city(structure[city]).name_zh
        yield query, told
