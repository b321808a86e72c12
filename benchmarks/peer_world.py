"""Run ChinaTravel's own environment on a tripbed export.

ChinaTravel's package is copied to a temporary folder beside the export (only code is copied), so
that its loaders find the exported files where they look for ChinaTravel's own. tripbed does not
contain any of ChinaTravel's code.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from warehouse.sandbox import Sandbox

NEEDED = tuple(
    f"chinatravel/environment/tools/{name}/apis.py"
    for name in (
        "accommodations",
        "attractions",
        "restaurants",
        "poi",
        "transportation",
        "intercity_transport",
    )
)
TABLES = ("attractions", "restaurants", "hotels")


class Missing(RuntimeError):
    """Raised if something that a paper's code needs is missing; the message says what to do."""


@dataclass
class CallTally:
    """How often the answers to one call agree with the snapshot's, with examples of errors."""

    asked: int = 0
    stated: Counter[str] = field(default_factory=Counter)
    wrong: int = 0
    examples: list[str] = field(default_factory=list)

    def note(self, equal: bool, example: Any, stated: str | None = None) -> None:
        """Count one answer."""
        self.asked += 1
        if equal:
            return
        if stated is not None:
            self.stated[stated] += 1
            return
        self.wrong += 1
        if len(self.examples) < 5:
            self.examples.append(str(example))

    @property
    def equal(self) -> int:
        """Number of answers that are equal to the snapshot's answers."""
        return self.asked - self.wrong - self.stated.total()


@dataclass(frozen=True)
class PeerWorld:
    """Both sides of a comparison; ``places`` contains tripbed's places by city, table and name."""

    box: Sandbox
    tools: dict[str, Any]
    cities: dict[str, str]
    places: dict[tuple[str, str], dict[str, Any]]


def assemble(source: Path, export: Path, into: Path) -> None:
    """Copy ChinaTravel's code to a folder, with the export as its database.

    Raises Missing if ``source`` does not contain ChinaTravel's code.
    """
    lacking = [name for name in NEEDED if not (source / name).is_file()]
    if lacking:
        raise Missing(f"{source} is not a copy of ChinaTravel's repository: it has no {lacking[0]}")
    shutil.copytree(
        source / "chinatravel",
        into / "chinatravel",
        ignore=lambda at, names: [
            n for n in names if n.startswith("database") or n == "__pycache__"
        ],
    )
    (into / "chinatravel" / "environment" / "database").symlink_to(export.resolve())
    sys.path.insert(0, str(into))


def load(snapshot: Path, export: Path) -> PeerWorld:
    """Load ChinaTravel's tools with the assembled export, and the sandbox with the snapshot."""
    try:
        tools = importlib.import_module("chinatravel.environment.tools")
    except ModuleNotFoundError as error:
        raise Missing(
            f"ChinaTravel's code needs the package {error.name}: install it first"
        ) from None
    made = {
        name: getattr(tools, name)()
        for name in (
            "Accommodations",
            "Attractions",
            "Restaurants",
            "Poi",
            "Transportation",
            "IntercityTransport",
        )
    }
    _remember_stations()
    box = Sandbox(snapshot)
    named = _names(export)
    slugs = {zh: slug for slug in box.cities if (zh := _chinese(box, slug)) in made["Poi"].data}
    places = {
        (zh, table): {
            named.get((slug, table, p.place_id), p.name): p for p in box.select(slug, table)
        }
        for zh, slug in slugs.items()
        for table in TABLES
    }
    return PeerWorld(box, made, slugs, places)


def _remember_stations() -> None:
    """Cache ChinaTravel's slow search for the nearest station."""
    module = importlib.import_module("chinatravel.environment.tools.transportation.apis")
    theirs = module.find_nearest_station
    held: dict[tuple[Any, int], Any] = {}

    def nearest(location: Any, stations: Any) -> Any:
        key = (location, id(stations))
        if key not in held:
            held[key] = theirs(location, stations)
        return held[key]

    module.find_nearest_station = nearest  # type: ignore[attr-defined]  # a module of theirs, found at run time


def _names(export: Path) -> dict[tuple[str, str, str], str]:
    """Return the names that the export changed, by city, table and tripbed's id."""
    told = json.loads((export / "export.json").read_text(encoding="utf-8"))["changed"]
    return {
        (e["city"], e["table"], e["row_id"]): e["reason"].split(": ", 1)[1]
        for e in told
        if e["field"] == "name"
    }


def _chinese(box: Sandbox, slug: str) -> str:
    return _all_names(box)[slug]


@cache
def _all_names(box: Sandbox) -> dict[str, str]:
    rows = box._snapshot.arrow("cities").to_pylist()
    return {row["slug"]: row["name_zh"] or row["name_en"] for row in rows}
