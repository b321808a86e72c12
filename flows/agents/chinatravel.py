"""Answers calls to ChinaTravel's environment with a snapshot's data in ChinaTravel's columns.

This module reads the tables of the export ``chinatravel`` in the same way as ChinaTravel's loaders
do. The tables are created on the first call. Answers have the format of ChinaTravel's
``EnvOutput``: ten rows per page.
"""

from __future__ import annotations

import json
import tempfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from flows.agents.chinatravel_commands import ToolCall, read_command
from schemas.geo import geodesic_m
from schemas.values import clock_minutes, clock_text
from warehouse.errors import SandboxError, nearest_words
from warehouse.export import chinatravel as layout
from warehouse.export.account import ExportAccount
from warehouse.read import Snapshot
from warehouse.sandbox import Sandbox
from warehouse.ways import Mode

if TYPE_CHECKING:
    from pandas import DataFrame

_PAGE = 10
RESULTS_KEPT = 20
#: ChinaTravel's tables, with the file of each in the export and the default radius of ``nearby`` in
#: kilometres.
_KINDS = {
    "attractions": ("attractions/{0}/attractions.csv", 2.0),
    "accommodations": ("accommodations/{0}/accommodations.csv", 5.0),
    "restaurants": ("restaurants/{0}/restaurants_{0}.csv", 2.0),
}


@dataclass
class Result:
    """The result of a call; a data frame is shown page by page."""

    success: bool
    data: Any
    page: int = 0

    def show(self) -> Any:
        """Return the current page of a data frame; return any other value in full."""
        if not _is_frame(self.data):
            return self.data
        return self.data.iloc[self.page * _PAGE : (self.page + 1) * _PAGE]

    def __str__(self) -> str:
        if not _is_frame(self.data):
            return str(self.data)
        part = self.show()
        if len(part) == 0:
            return "No data."
        rows = "".join(f"{part.iloc[n].values}\n" for n in range(len(part)))
        pages = -(-len(self.data) // _PAGE)
        return f"{part.columns.values}\n{rows}Page/Total: {self.page + 1}/{pages}"


class Results:
    """A client's latest results. The number -1 refers to the latest result, -2 to the one before
    it, and so on.
    """

    def __init__(self) -> None:
        self._kept: deque[Result] = deque(maxlen=RESULTS_KEPT)
        self._made = 0

    def add(self, result: Result) -> None:
        """Store a result, and drop the oldest result if there are too many."""
        self._kept.append(result)
        self._made += 1

    def at(self, number: int) -> Result:
        """Return the result with the given number.

        Raises SandboxError if no result has this number, or if the result has been dropped.
        """
        place = number if number < 0 else number - self._made
        if not -len(self._kept) <= place < 0:
            raise SandboxError(
                f"there is no such result: {self._made} calls were made, and only the last"
                f" {len(self._kept)} results are kept. Results[-1] is the latest result"
            )
        return self._kept[place]


def _is_frame(value: Any) -> bool:
    return hasattr(value, "iloc")


class ChinaTravelEnvironment:
    """ChinaTravel's tables for a snapshot; several threads can share them."""

    def __init__(self, box: Sandbox, snapshot: Snapshot):
        self._box = box
        self._slugs = {zh: slug for slug, zh in layout.CITIES if slug in box.cities}
        self._frames: dict[tuple[str, str], DataFrame] = {}
        self._positions: dict[str, dict[str, tuple[float, float]]] = {}
        self._journeys: dict[str, Any] = {}
        with tempfile.TemporaryDirectory(prefix="tripbed-layout-") as folder:
            layout.write(
                snapshot, Path(folder), ExportAccount("chinatravel", snapshot.path.name), "proof"
            )
            self._read(Path(folder))
        self._calls = self._name_calls()

    def _read(self, folder: Path) -> None:
        import pandas as pd  # imported only when ChinaTravel's tables are needed

        for slug, zh in layout.CITIES:
            for kind, (file, _) in _KINDS.items():
                frame = pd.read_csv(folder / file.format(slug))
                self._frames[zh, kind] = frame.dropna() if kind == "accommodations" else frame
            entries = json.loads((folder / "poi" / slug / "poi.json").read_text(encoding="utf-8"))
            self._positions[zh] = {entry["name"]: tuple(entry["position"]) for entry in entries}
        base = folder / "intercity_transport"
        self._journeys["airplane"] = pd.read_json(
            base / "airplane.jsonl", lines=True, keep_default_dates=False
        )
        for a, b in permutations(self._slugs, 2):
            self._journeys[f"{a}-{b}"] = pd.read_json(base / "train" / f"from_{a}_to_{b}.json")

    def _name_calls(self) -> dict[str, Callable[..., Any]]:
        calls: dict[str, Callable[..., Any]] = {
            "attractions_types": partial(self._unique, "attractions", "type"),
            "restaurants_cuisine": partial(self._unique, "restaurants", "cuisine"),
            "restaurants_with_recommended_food": self._with_dish,
            "goto": self._goto, "intercity_transport_select": self._intercity,
            "poi_lat_lon_search": self._position,
        }  # fmt: skip
        for kind in _KINDS:
            calls[f"{kind}_keys"] = partial(self._keys, kind)
            calls[f"{kind}_select"] = partial(self._select, kind)
            calls[f"{kind}_nearby"] = partial(self._nearby, kind)
            if kind != "accommodations":
                calls[f"{kind}_id_is_open"] = partial(self._is_open, kind)
        return dict(sorted(calls.items()))

    def answer(self, text: str, results: Results) -> Result:
        """Answer a command, and add the answer to the earlier results.

        A bad command never raises an error.
        """
        found = self._answer(text, results)
        results.add(found)
        return found

    def memory(self) -> Results:
        """Return an empty memory for a new client's calls."""
        return Results()

    def _answer(self, text: str, results: Results) -> Result:
        try:
            command = read_command(text)
            if command.name == "next_page" or command.result is not None:
                return _turn_page(command, results)
            if command.name not in self._calls:
                near = nearest_words(command.name, self._calls) or tuple(self._calls)
                raise SandboxError(f"there is no call named {command.name!r}", near)
            found = self._calls[command.name](*command.arguments, **dict(command.named))
            return Result(True, found)
        except (SandboxError, KeyError, IndexError, TypeError, ValueError) as error:
            why = str(error.args[0]) if error.args else type(error).__name__
            return Result(False, f"Invalid command.\n{why}")

    def _frame(self, kind: str, city: str) -> DataFrame:
        if (city, kind) not in self._frames:
            cities = tuple(self._slugs)
            raise SandboxError(
                f"there is no city named {city!r}", nearest_words(str(city), cities) or cities
            )
        return self._frames[city, kind]

    def _keys(self, kind: str, city: str) -> list[tuple[str, type]]:
        frame = self._frame(kind, city)
        return [(str(key), type(frame.iloc[0][key])) for key in frame.keys()]  # noqa: SIM118 - pandas

    def _select(self, kind: str, city: str, key: str, func: Any = None) -> Any:
        frame = self._frame(kind, city)
        if key not in frame.keys():  # noqa: SIM118 - pandas
            return "Key not found."
        if not callable(func):
            raise SandboxError(
                "the filter is missing: give a filter such as lambda x: x == 'a value'"
            )
        return frame[[func(cell) for cell in frame[key]]]

    def _unique(self, kind: str, key: str, city: str) -> Any:
        return self._frame(kind, city)[key].unique()

    def _with_dish(self, city: str, food: str) -> Any:
        frame = self._frame("restaurants", city)
        return frame[frame["recommendedfood"].str.contains(food, regex=False)]

    def _position(self, city: str, name: str) -> Any:
        city = next((zh for slug, zh in layout.CITIES if slug == city), city)
        found = self._positions[city].get(name)
        return found or f"No such point in the city. Check the point name: {name}."

    def _is_open(self, kind: str, city: str, id: int, time: str) -> bool:
        rows = self._frame(kind, city)
        row = rows.loc[rows["id"] == id]
        opens, closes = (clock_minutes(row[key].to_numpy()[0]) for key in ("opentime", "endtime"))
        now = clock_minutes(time)
        return opens <= now <= closes if opens < closes else opens <= now or now <= closes

    def _nearby(
        self, kind: str, city: str, point: str, topk: int | None = None, dist: float | None = None
    ) -> Any:
        here = self._position(city, point)
        if isinstance(here, str):
            return here
        frame = self._frame(kind, city).copy()
        ends = zip(frame["lat"], frame["lon"], strict=True)
        frame["distance"] = [geodesic_m(here[0], here[1], lat, lon) / 1000 for lat, lon in ends]
        near = frame.sort_values(by=["distance"])
        near = near[near["distance"] <= (_KINDS[kind][1] if dist is None else dist)]
        return near if topk is None else near.head(topk)

    def _goto(self, city: str, start: str, end: str, start_time: str, transport_type: str) -> Any:
        if transport_type not in ("walk", "metro", "taxi"):
            return "only support transport_type in ['walk','metro','taxi']"
        here, there = (self._position(city, name) for name in (start, end))
        for place in (here, there):
            if isinstance(place, str):
                raise SandboxError(place.removesuffix("."))
        slug = self._slugs.get(city) or self._box.city(city)
        mode = cast("Mode", transport_type)
        legs = self._box.goto(slug, here, there, start_time, mode)
        if legs is None:
            return "No solution"
        names = [start, *(leg.start for leg in legs[1:]), end]
        return [
            {
                "start": names[n],
                "end": names[n + 1],
                "mode": leg.mode,
                "start_time": start_time if n == 0 else clock_text(leg.start_min),
                "end_time": clock_text(leg.end_min),
                "cost": _cost(leg, alone=len(legs) == 1),
                "distance": leg.distance_m / 1000
                if transport_type == "walk"
                else round(leg.distance_m / 1000, 2),
            }
            for n, leg in enumerate(legs)
        ]

    def _intercity(
        self,
        start_city: str,
        end_city: str,
        intercity_type: str,
        earliest_leave_time: str = "00:00",
    ) -> Any:
        if intercity_type not in ("train", "airplane"):
            return "only support intercity_type in ['train','airplane']"
        if intercity_type == "train":
            rows = self._journeys.get(f"{start_city}-{end_city}")
        else:
            rows = self._journeys["airplane"]
            if len(rows):
                there = rows["From"].str.contains(start_city, regex=False)
                rows = rows[there & rows["To"].str.contains(end_city, regex=False)]
        if rows is None or len(rows) == 0:
            return "No data."
        rows = rows.sort_values(by="BeginTime").reset_index(drop=True)
        earliest = clock_minutes(earliest_leave_time)
        return rows[[clock_minutes(time) >= earliest for time in rows["BeginTime"]]]


def _cost(leg: Any, *, alone: bool) -> float | int:
    """Return the fare as ChinaTravel does: 0.0 if the whole route is on foot, 0 if the walk is only
    one of its legs."""
    if leg.mode == "walk":
        return 0.0 if alone else 0
    yuan = (leg.price_cents or 0) / 100
    return int(yuan) if leg.mode == "metro" else yuan


def _turn_page(command: ToolCall, results: Results) -> Result:
    """Return an earlier result, or the next page of that result."""
    before = results.at(-1 if command.result is None else command.result)
    if command.name == "Results":
        return before
    if not _is_frame(before.data):
        return Result(True, "next_page() works only on tables: this result has one page")
    return Result(True, before.data, min(before.page + 1, -(-len(before.data) // _PAGE)))
