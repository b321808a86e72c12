"""Compare TravelEval's own metrics on a tripbed export with tripbed's metrics.

TravelEval's package is copied to a temporary folder beside the export. TravelEval's code asks a map
service for driving distances; here, the code gets tripbed's straight-line distances instead, so it
sends no requests to other machines. A difference has a known cause if a known rule, applied to
tripbed's reading of the plan, gives TravelEval's figure. Any other difference counts as wrong.
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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.peer_world import Missing
from benchmarks.spoilt_plans import spoilt
from benchmarks.traveleval_rules import RULES
from schemas.cities import find_city
from schemas.plan_forms import write_traveleval
from schemas.plans import read_plan
from schemas.trip_forms import read_trip
from schemas.word_lists import Lists
from validators.metrics.case import Case, Value, read_asked
from validators.metrics.catalogue import of_paper
from validators.metrics.guide import Guide, read_guide
from warehouse.export.gather import plans_of_kind
from warehouse.read import Snapshot

#: TravelEval's dimension and name of each metric, by tripbed's label.
WHERE = {
    label: (dimension, name)
    for label, dimension, name in Lists("benchmarks").table("traveleval_names")
}
_GRADES = {
    "Golden Week": "S:golden_week", "Weekend": "B:weekend", "Peak Season": "A:special_peak",
    "Vacation": "C:winter_summer", "Weekday": "D:weekday",
}  # fmt: skip
#: Dates for queries without dates.
_DAYS = tuple(f"2026-04-{day}" for day in range(10, 20))
_CLASSES = {
    "accuracy": "AccuracyMetrics", "constraint": "ConstraintMetrics", "time": "TimeMetrics",
    "space": "SpaceMetrics", "economy": "EconomyMetrics", "utility": "UtilityMetrics",
}  # fmt: skip


@dataclass
class MetricAgreement:
    """Counts of how often a metric is equal, differs with a known cause, or is wrong."""

    equal: int = 0
    stated: Counter[str] = field(default_factory=Counter)
    wrong: int = 0
    example: str = ""


def assemble(source: Path, export: Path, into: Path) -> None:
    """Copy TravelEval's code to a folder, with the export as its database.

    Raises Missing if ``source`` does not contain TravelEval's code.
    """
    if not (source / "core" / "metrics" / "accuracy.py").is_file():
        raise Missing(f"{source} is not a copy of TravelEval's repository: it has no core/metrics")
    skip = shutil.ignore_patterns("geo_cache*", "travel_time_cache*", "__pycache__")
    shutil.copytree(source / "core", into / "core", ignore=skip)
    (into / "environment").mkdir()
    (into / "environment" / "database").symlink_to(export.resolve())
    sys.path.insert(0, str(into))
    # TravelEval's code for writing plans needs a client for models, but no metric uses it.
    for name in ("agent", "agent.schemas", "agent.schemas.travel_plan"):
        sys.modules.setdefault(name, ModuleType(name))
    sys.modules["agent.schemas.travel_plan"].FinalTravelPlan = dict  # type: ignore[attr-defined]  # a module made here


class Theirs:
    """TravelEval's evaluator for one city."""

    def __init__(self, guide: Guide, export: Path, city: str):
        try:
            config = importlib.import_module("core.utils.config").ConfigManager()
            modules = {n: importlib.import_module(f"core.metrics.{n}") for n in _CLASSES}
        except ModuleNotFoundError as error:
            raise Missing(
                f"TravelEval's code needs the package {error.name}: install it first"
            ) from None
        config.set("apis", {**config.get_apis_config(), "gaode_api_key": "none"})
        self.extractor = importlib.import_module("core.utils.plan_extractors").PlanExtractor
        self.metrics = {n: getattr(modules[n], kind)(config) for n, kind in _CLASSES.items()}
        with contextlib.redirect_stdout(io.StringIO()):
            self.sandbox = (
                importlib.import_module("core.utils.data_loader")
                .DataLoader()
                .load_sandbox_data(city)
            )
        poi = json.loads((export / "poi" / guide.world.slug / "poi.json").read_text("utf-8"))
        self.names = {tuple(place["position"]): place["name"] for place in poi}
        module = importlib.import_module("core.utils.geo_calculator")

        def kilometres(_: Any, start: Any, end: Any, mode: str) -> float:
            ends = [self.names[tuple(start)], self.names[tuple(end)]]
            return float(guide.metres(ends)[0, 1]) / 1000

        module.GeoCalculator._call_gaode_api_with_cache = kilometres

    def grade(self, date: Any) -> str:
        """Return the key in tripbed's queue model for the kind of day that TravelEval assigns to a
        date.
        """
        return _GRADES[self.extractor._get_date_type(f"{date} to {date}", 1)]

    def evaluate(self, query: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
        """Return TravelEval's figures under tripbed's labels, or the error if a metric fails."""
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


#: TravelEval's figures if there is nothing to count and tripbed's figure is null.
_NOTHING = {
    "FAR": (0.0, 1.0),
    "VROH": (0.0,),
    "TTCS": (1.0,),
    "STR": (0.0,),
    "EDI": (0.0,),
    "Profit": (0.0,),
    "CSM-P90": (0.0,),
    "CSM-P95": (0.0,),
    "BE": (0.0,),
}


def compare(snapshot: Path, export: Path, most: int, kind: str) -> dict[str, MetricAgreement]:
    """Compute each metric for at most ``most`` plans per city, and for spoilt copies of these
    plans.
    """
    held = Snapshot(snapshot)
    scores = {label: MetricAgreement() for label in WHERE}
    metrics = {metric.label: metric for metric in of_paper("traveleval")}
    for city in held.table("cities").sort("slug").to_dicts():
        guide = read_guide(held, city["city_id"])
        theirs = Theirs(guide, export, city["name_zh"])
        guide = replace(guide, grade=theirs.grade)
        for query, plan in list(_plans(held, city["city_id"], kind))[:most]:
            for name, changed in spoilt(plan):
                case = Case(read_trip(changed), guide, read_asked(query))
                figures = theirs.evaluate(query, changed)
                for label, score in scores.items():
                    where = f"{query['uid']}, {name}"
                    _note(label, metrics[label].count(case), figures[label], case, score, where)
    return scores


def _note(
    label: str, ours: Value, theirs: Any, case: Case, score: MetricAgreement, where: str
) -> None:
    if _same(ours, theirs):
        score.equal += 1
    elif isinstance(theirs, str) or theirs is None:
        score.stated[f"the evaluator fails: {str(theirs).split(':')[0]}"] += 1
    elif ours is None and theirs in _NOTHING.get(label, ()):
        why = f"if there is nothing to count, the evaluator gives {theirs:g}, and tripbed null"
        score.stated[why] += 1
    elif label in RULES and _same(RULES[label][1](case), theirs):
        score.stated[RULES[label][0]] += 1
    else:
        score.wrong += 1
        score.example = score.example or f"{where}: tripbed {ours}, TravelEval {theirs}"


def _same(ours: Value, theirs: Any) -> bool:
    if isinstance(theirs, str) or theirs is None:
        return False
    if ours is None:
        return math.isnan(theirs)
    return bool(abs(ours - theirs) <= 1e-6 * max(1.0, abs(ours)))


def _plans(
    held: Snapshot, city_id: str, kind: str
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield a city's queries and plans in TravelEval's form, TravelEval's own family first.

    Cities have Chinese names. A query that lacks dates or a budget gets default ones.
    """
    witnesses = plans_of_kind(held, kind)
    rows = held.table("queries").to_dicts()
    for row in sorted(rows, key=lambda r: (r["family"] != "traveleval", r["query_id"])):
        if row["city_id"] != city_id or row["query_id"] not in witnesses:
            continue
        structure = json.loads(row["structure"])
        plan = read_plan(json.loads(witnesses[row["query_id"]]))
        budget = read_asked(structure).budget or 1e6
        query = {
            "dates": f"{_DAYS[0]} to {_DAYS[-1]}",
            **structure,
            "uid": row["query_id"],
            "budget": budget,
        }
        told = write_traveleval(plan, query["uid"], list(_DAYS[: len(plan.itinerary)]), budget)
        summary = told["itinerary"]["summary"]
        for end, city in (("departure", "start_city"), ("destination", "target_city")):
            summary[end] = find_city(structure[city]).name_zh
        yield query, told
