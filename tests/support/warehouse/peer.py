"""A reader of the ChinaTravel layout, written from the documented behaviour of its tools.

It shares nothing with ours: pandas reads the CSV files as they lie, hotels lose rows with an empty
cell, times are split at the colon, names are looked up in ``poi.json``, distances are geodesics.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd

CITIES = {
    "beijing": "北京",
    "shanghai": "上海",
    "nanjing": "南京",
    "suzhou": "苏州",
    "hangzhou": "杭州",
    "shenzhen": "深圳",
    "chengdu": "成都",
    "wuhan": "武汉",
    "guangzhou": "广州",
    "chongqing": "重庆",
}


class Environment:
    """All ten cities, loaded at once."""

    def __init__(self, folder: Path):
        self.tables: dict[tuple[str, str], pd.DataFrame] = {}
        self.points: dict[str, dict[str, tuple[float, float]]] = {}
        for slug in CITIES:
            at = folder / "attractions" / slug / "attractions.csv"
            self.tables["attractions", slug] = pd.read_csv(at)
            hotels = pd.read_csv(folder / "accommodations" / slug / "accommodations.csv")
            self.tables["hotels", slug] = hotels.dropna()
            eat = folder / "restaurants" / slug / f"restaurants_{slug}.csv"
            self.tables["restaurants", slug] = pd.read_csv(eat)
            for kind in ("attractions", "restaurants"):  # their loaders look at the first row
                assert [type(self.tables[kind, slug][key][0]) for key in self.tables[kind, slug]]
            self.tables["hotels", slug].iloc[0]
            entries = json.loads((folder / "poi" / slug / "poi.json").read_text(encoding="utf-8"))
            self.points[slug] = {entry["name"]: tuple(entry["position"]) for entry in entries}
        self.flights = pd.read_json(
            folder / "intercity_transport" / "airplane.jsonl", lines=True, keep_default_dates=False
        )
        self.trains = {
            (a, b): pd.read_json(folder / "intercity_transport" / "train" / f"from_{a}_to_{b}.json")
            for a in CITIES.values()
            for b in CITIES.values()
            if a != b
        }
        metro = json.loads((folder / "transportation" / "subways.json").read_text(encoding="utf-8"))
        self.stations = {slug: _stations(metro[slug]) for slug in CITIES}

    def select(self, kind: str, slug: str, key: str, test: Any) -> pd.DataFrame:
        table = self.tables[kind, slug]
        return table[[bool(test(value)) for value in table[key]]]

    def is_open(self, kind: str, slug: str, row_id: int, time: str) -> bool:
        table = self.tables[kind, slug]
        row = table.loc[table["id"] == row_id]
        opens, closes = _hour(row["opentime"].values[0]), _hour(row["endtime"].values[0])
        now = _hour(time)
        return opens <= now <= closes if opens < closes else opens <= now or now <= closes

    def nearby(self, kind: str, slug: str, name: str, km: float) -> pd.DataFrame:
        here = self.points[slug][name]
        table = self.tables[kind, slug].copy()
        table["distance"] = [
            geodesic_km(here, there) for there in zip(table["lat"], table["lon"], strict=True)
        ]
        return table[table["distance"] <= km].sort_values(by=["distance"])

    def intercity(self, start: str, end: str, kind: str, earliest: str) -> pd.DataFrame:
        if kind == "airplane":
            rows = self.flights[
                self.flights["From"].str.contains(start) & self.flights["To"].str.contains(end)
            ]
        else:
            rows = self.trains[start, end]
            if len(rows) == 0:
                return rows
        rows = rows.sort_values(by="BeginTime").reset_index(drop=True)
        return rows[[_hour(time) >= _hour(earliest) for time in rows["BeginTime"]]]

    def goto(self, slug: str, start: str, end: str, depart: str, mode: str) -> list[dict[str, Any]]:
        a, b = self.points[slug][start], self.points[slug][end]
        if mode in ("walk", "taxi"):
            km = geodesic_km(a, b)
            cost = 0.0 if mode == "walk" else _taxi(km)
            arrive = _later(depart, km / (5.0 if mode == "walk" else 40.0))
            return [
                {
                    "start": start,
                    "end": end,
                    "mode": mode,
                    "end_time": arrive,
                    "cost": cost,
                    "distance": km,
                }
            ]
        first, last = _nearest(a, self.stations[slug]), _nearest(b, self.stations[slug])
        if first is None or last is None or first[0] == last[0]:
            return []
        ride = geodesic_km(first[0][1], last[0][1])
        names = [f"{station[0][0]}-地铁站" for station in (first, last)]
        board = _later(depart, first[1] / 5)
        leave = _later(board, ride / 30)
        return [
            {
                "start": start,
                "end": names[0],
                "mode": "walk",
                "end_time": board,
                "cost": 0,
                "distance": first[1],
            },
            {
                "start": names[0],
                "end": names[1],
                "mode": "metro",
                "end_time": leave,
                "cost": _fare(ride),
                "distance": ride,
            },
            {
                "start": names[1],
                "end": end,
                "mode": "walk",
                "end_time": _later(leave, last[1] / 5),
                "cost": 0,
                "distance": last[1],
            },
        ]


Named = tuple[str, tuple[float, float]]


def _stations(lines: list[dict[str, Any]]) -> list[Named]:
    found = []
    for line in lines:
        for station in line["stations"]:
            lon, lat = map(float, station["position"].split(","))
            found.append((station["name"], (lat, lon)))
    return found


def _nearest(point: tuple[float, float], stations: list[Named]) -> tuple[Named, float] | None:
    ranked = [(geodesic_km(point, station[1]), station) for station in stations]
    if not ranked:
        return None
    km, station = min(ranked, key=lambda entry: entry[0])
    return station, km


def _hour(text: str) -> float:
    hours, minutes = text.split(":")[:2]
    return float(hours) + float(minutes) / 60


def _later(time: str, hours: float) -> str:
    now = int(time.split(":", maxsplit=1)[0]) * 60 + int(time.split(":")[1]) + int(hours * 60)
    return f"{now // 60:02d}:{now % 60:02d}"


def _taxi(km: float) -> float:
    if km <= 1.8:
        return 11.0
    return 11.0 + (min(km, 10.0) - 1.8) * 3.5 + max(km - 10.0, 0.0) * 4.5


def _fare(km: float) -> float:
    for limit, fare in ((4, 2), (9, 3), (14, 4), (21, 5), (28, 6), (37, 7), (48, 8), (61, 9)):
        if km <= limit:
            return fare
    return 9 + (km - 61 + 14) // 15


def geodesic_km(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Geodesic on WGS 84 by Vincenty's inverse formula, kilometres."""
    axis, flat = 6_378_137.0, 1 / 298.257223563
    polar = axis * (1 - flat)
    u1 = math.atan((1 - flat) * math.tan(math.radians(a[0])))
    u2 = math.atan((1 - flat) * math.tan(math.radians(b[0])))
    step = lam = math.radians(b[1] - a[1])
    for _ in range(100):
        across = math.cos(u2) * math.sin(lam)
        along = math.cos(u1) * math.sin(u2) - math.sin(u1) * math.cos(u2) * math.cos(lam)
        sine = math.hypot(across, along)
        if sine == 0:
            return 0.0
        cosine = math.sin(u1) * math.sin(u2) + math.cos(u1) * math.cos(u2) * math.cos(lam)
        angle = math.atan2(sine, cosine)
        alpha = math.cos(u1) * math.cos(u2) * math.sin(lam) / sine
        square = 1 - alpha**2
        middle = cosine - 2 * math.sin(u1) * math.sin(u2) / square if square else 0.0
        c = flat / 16 * square * (4 + flat * (4 - 3 * square))
        inner = middle + c * cosine * (2 * middle**2 - 1)
        new = step + (1 - c) * flat * alpha * (angle + c * sine * inner)
        if abs(new - lam) < 1e-13:
            break
        lam = new
    u = square * (axis**2 - polar**2) / polar**2
    big = 1 + u / 16384 * (4096 + u * (u * (320 - 175 * u) - 768))
    small = u / 1024 * (256 + u * (u * (74 - 47 * u) - 128))
    rest = (
        small
        / 4
        * (
            cosine * (2 * middle**2 - 1)
            - small / 6 * middle * (4 * sine**2 - 3) * (4 * middle**2 - 3)
        )
    )
    return polar * big * (angle - small * sine * (middle + rest)) / 1000
