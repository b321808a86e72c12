"""Selects the queries for a run, and defines a planner's input and output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from flows.errors import SettingsError
from schemas.ids import digest
from validators.plans.request import FAMILIES
from warehouse.read import Snapshot

#: The name of a split that contains all queries.
EVERY = "all"


@dataclass(frozen=True)
class BenchQuestion:
    """One query in the form that a planner receives; ``row`` is the query's row in the snapshot."""

    query_id: str
    city: str
    city_id: str
    family: str
    split: str
    days: int
    row: dict[str, Any]

    @property
    def wants_whole_plan(self) -> bool:
        """Check whether a plan must contain journeys, rooms and transport, and not only places."""
        return self.family in FAMILIES

    def describe(self) -> dict[str, Any]:
        """Return, as plain values, the description of the query that a planner receives."""
        structure = self.row["structure"]
        return {
            "query_id": self.query_id, "city": self.city, "family": self.family, "days": self.days,
            "text_zh": self.row["text_zh"], "text_en": self.row["text_en"],
            "structure": json.loads(structure) if isinstance(structure, str) else structure,
            "form": "chinatravel" if self.wants_whole_plan else "tprag",
        }  # fmt: skip


def questions(
    path: Path, split: str, families: Sequence[str] = (), limit: int | None = None
) -> list[BenchQuestion]:
    """List the kept queries in a split, sorted by id; the same limit always selects the same random
    sample.

    Queries without a number of days are left out, because plans for them cannot be scored. Raises
    SettingsError if the snapshot lacks the split or family, or if no query is left.
    """
    held = Snapshot(path)
    slugs = dict(held.table("cities").select("city_id", "slug").iter_rows())
    rows = held.table("queries").sort("query_id").to_dicts()
    _check_known("split", split, {row["split"] for row in rows} | {EVERY}, path)
    for family in families:
        _check_known("family", family, {row["family"] for row in rows}, path)
    found = [
        BenchQuestion(
            row["query_id"], slugs[row["city_id"]], row["city_id"], row["family"], row["split"],
            row["n_days"], row,
        )
        for row in rows
        if split in (EVERY, row["split"]) and (not families or row["family"] in families)
        and row["status"] == "kept" and row["n_days"]
    ]  # fmt: skip
    if not found:
        raise SettingsError(
            f"{path.name}: no usable query in the split {split} has a known number of days: "
            "choose a different split with --queries"
        )
    if limit is not None:
        found = sorted(
            sorted(found, key=lambda q: digest(q.query_id))[:limit], key=lambda q: q.query_id
        )
    return found


def _check_known(what: str, name: str, names: set[str], path: Path) -> None:
    if name not in names:
        raise SettingsError(
            f"{path.name} has no {what} {name!r}: choose one of {', '.join(sorted(names))}"
        )


#: The most bytes of an answer.
MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class Planned:
    """A planner's result: a plan or a description of the problem, and the number of tool calls."""

    plan: Any = None
    problem: str | None = None
    calls: int = 0


class Planner(Protocol):
    """A planner; ``identity`` names everything that its plans depend on, except secrets."""

    identity: str
    workers: int

    def plan(self, question: BenchQuestion) -> Planned:
        """Return a plan for a query; a problem that concerns only this query is returned, not
        raised.
        """


def read_answer(text: str) -> Planned:
    """Read a plan as JSON from a program's output, either from all of it or from its last line."""
    for part in (text, *text.strip().splitlines()[-1:]):
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and set(value) <= {"plan", "problem"} and value:
            return Planned(value.get("plan"), _problem(value))
        return Planned(value)
    said = text.strip()[:100]
    return Planned(problem=f"the answer is not JSON: {said!r}" if said else "the answer is empty")


def _problem(value: dict[str, Any]) -> str | None:
    if value.get("plan") is not None:
        return None
    return str(value.get("problem") or "no plan was given")[:500]
