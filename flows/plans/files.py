"""Read plans from JSON, JSON lines and Parquet files, or from folders of such files.

An entry is either a plan, or ``{"plan": ..., "query_id": ..., "plan_id": ..., "method": ...}``. A
plan that cannot be read becomes a record with a problem, so that every plan is counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from schemas.plan_forms import DAY, Itinerary, read_tprag, read_traveleval
from schemas.plans import PlanError, read_plan
from schemas.trip_forms import form_of, read_trip, stops_of, trip_of_plan

SUFFIXES = (".json", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Record:
    """A plan in a file. ``problem`` explains why the plan could not be read as JSON."""

    plan_id: str
    value: Any
    query_id: str | None = None
    problem: str | None = None
    method: str | None = None  # what made the plan: the entry's ``method``, or the file's name

    @property
    def content(self) -> Any:
        """The plan's value. Raises PlanError if the plan could not be read as JSON."""
        if self.problem is not None:
            raise PlanError([self.problem])
        return self.value

    @property
    def form(self) -> str | None:
        """The benchmark in whose form the plan is written, or None if the form is ChinaTravel's or
        unknown.
        """
        if not isinstance(self.value, dict):
            return None
        if isinstance(self.value.get("itinerary"), dict):
            return "TripTailor" if form_of(self.value) == "triptailor" else "TravelEval"
        named = {"itinerary", "target_city", "start_city", "people_number"} & self.value.keys()
        return "TP-RAG" if not named and any(map(DAY.match, self.value)) else None

    def itinerary(self) -> tuple[Itinerary, str | None]:
        """Return the plan's stops, and its target city if the plan names one.

        Raises PlanError if the plan cannot be read.
        """
        value = self.content
        if not isinstance(value, dict):
            raise PlanError([f"the plan: must be an object, not {type(value).__name__}"])
        if self.form == "TripTailor":
            return stops_of(read_trip(value)), None
        if isinstance(value.get("itinerary"), dict):
            summary = value["itinerary"].get("summary")
            city = summary.get("destination") if isinstance(summary, dict) else None
            return read_traveleval(value), city if isinstance(city, str) else None
        if "itinerary" in value or "target_city" in value:
            plan = read_plan(value)
            return stops_of(trip_of_plan(plan)), plan.target_city
        return read_tprag(value), None


def writable(out: Path) -> None:
    """Create the folder for a file. Raises SettingsError if the file's path is a folder."""
    if out.is_dir():
        raise SettingsError(f"--out {out} is a folder: give the name of a file")
    out.parent.mkdir(parents=True, exist_ok=True)


def ready(out: Path) -> None:
    """Create the folder for a file of scores.

    Raises SettingsError if the file's path is a folder or does not end in .parquet, and OSError if
    the folder cannot be created.
    """
    if out.suffix != ".parquet":
        raise SettingsError(f"--out {out}: give a file name that ends in .parquet")
    writable(out)


def record_of(plan_id: str, value: Any) -> Record:
    """Return the record of an entry. An id in the entry replaces ``plan_id``."""
    if not isinstance(value, dict):
        return Record(plan_id, value)
    query_id = next((value[k] for k in ("query_id", "query_uid") if _text(value.get(k))), None)
    if _text(value.get("plan_id")):
        plan_id = value["plan_id"]
    inner = value["plan"] if isinstance(value.get("plan"), dict) else value
    method = value["method"] if _text(value.get("method")) else None
    return Record(plan_id, inner, query_id, None, method)


def read_records(paths: Sequence[Path]) -> list[Record]:
    """Read the plans in files and folders, in order. Repeated ids are made unique.

    Raises SettingsError if a path does not exist, has the wrong suffix or contains no plans.
    """
    found = [
        replace(record, method=record.method or file.stem)
        for path in paths
        for file in _files(path)
        for record in _records(file)
    ]
    if not found:
        raise SettingsError(
            f"no plan was found in {', '.join(map(str, paths)) or 'an empty list of files'}"
        )
    return list(_unique(found))


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
        if not files:
            raise SettingsError(
                f"{path}: this folder contains no file whose name ends in {', '.join(SUFFIXES)}"
            )
        return files
    if not path.is_file():
        raise SettingsError(f"{path}: this file or folder does not exist")
    if path.suffix not in SUFFIXES:
        raise SettingsError(f"{path}: the file name must end in one of: {', '.join(SUFFIXES)}")
    return [path]


def _records(file: Path) -> Iterator[Record]:
    if file.suffix == ".parquet":
        yield from _of_parquet(file)
        return
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        yield Record(file.stem, None, None, f"not UTF-8 at byte {error.start}")
        return
    if file.suffix == ".jsonl":
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield _parse_plan(f"{file.stem}:{number}", line)
        return
    whole = _parse_plan(file.stem, text)
    if isinstance(whole.value, list):
        for number, value in enumerate(whole.value, 1):
            yield record_of(f"{file.stem}:{number}", value)
    else:
        yield whole


def _of_parquet(file: Path) -> Iterator[Record]:
    try:
        rows = pl.read_parquet(file)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise SettingsError(f"{file}: not a Parquet file: {str(error)[:200]}") from None
    if rows.schema.get("plan") != pl.String:
        raise SettingsError(
            f"{file}: the file needs a text column 'plan' that contains each plan as JSON"
        )
    for number, row in enumerate(rows.to_dicts(), 1):
        if row["plan"] is None:
            continue  # a query without a solution has no plan
        told = _parse_plan(f"{file.stem}:{number}", row["plan"])
        query_id = row.get("query_id")
        plan_id = row.get("plan_id") or query_id or told.plan_id
        yield Record(str(plan_id), told.value, query_id or told.query_id, told.problem)


def _parse_plan(plan_id: str, text: str) -> Record:
    try:
        value = json.loads(text)
    except RecursionError:
        return Record(plan_id, None, None, "not JSON: nested too deeply")
    except ValueError as error:
        return Record(plan_id, None, None, f"not JSON: {str(error)[:200]}")
    return record_of(plan_id, value)


def _text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _unique(records: list[Record]) -> Iterator[Record]:
    seen: Counter[str] = Counter()
    for record in records:
        seen[record.plan_id] += 1
        count = seen[record.plan_id]
        yield record if count == 1 else replace(record, plan_id=f"{record.plan_id}#{count}")
