from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

from geocoding.datum import compare_lists, detect, match_places
from geocoding.geocoders.layouts import read_layout
from schemas.geo import Datum, from_wgs84, to_wgs84

METRE = 1 / 111_195


def _as(lat: float, lon: float, datum: Datum) -> tuple[float, float]:
    if datum == "wgs84":
        return lat, lon
    return from_wgs84(lat, lon, datum)


def _places(count: int, spread_m: float, seed: int = 1) -> list[list[tuple[float, float]]]:
    """Known places, and the same ones seen so many metres off in any direction."""
    rng = random.Random(seed)
    known = [(30 + rng.random(), 110 + rng.random()) for _ in range(count)]
    off = [
        (a + rng.gauss(0, spread_m) * METRE, b + rng.gauss(0, spread_m) * METRE) for a, b in known
    ]
    return [known, off]


@pytest.mark.parametrize("datum", ["wgs84", "gcj02", "bd09"])
@pytest.mark.parametrize(("count", "spread_m"), [(20, 30.0), (400, 700.0)])
def test_detects(datum: Datum, count: int, spread_m: float) -> None:
    known, off = _places(count, spread_m)
    found = detect(known, [_as(*point, datum) for point in off])
    assert found.datum == datum
    assert not found.is_mixture


def test_too_loose_or_too_few_is_not_told() -> None:
    known, off = _places(12, 2_000.0)
    assert detect(known, [_as(*point, "gcj02") for point in off]).datum is None
    known, off = _places(5, 10.0)
    assert detect(known, off).datum is None


def test_a_mixture_is_reported() -> None:
    known, off = _places(60, 40.0)
    mixed = [_as(*p, "gcj02" if at % 5 else "bd09") for at, p in enumerate(off)]
    found = detect(known, mixed)
    assert (found.datum, found.is_mixture) == ("gcj02", True)
    assert "mixes coordinate systems" in found.message


def test_hotels_named_after_sights_are_shared_places() -> None:
    sights = pl.DataFrame(
        {"name": ["灵峰寺", "归云塔", "归云塔"], "lat": [30.0, 30.2, 30.4], "lon": [110.0] * 3}
    )
    hotels = pl.DataFrame(
        {"name": ["云来酒店(灵峰寺地铁站店)", "云来酒店(归云塔店)", "灵峰寺"],
         "lat": [30.001, 30.2, 31.0], "lon": [110.0] * 3}
    )  # fmt: skip
    shared = match_places(sights, hotels)
    assert shared.select("known_name", "name").rows() == [("灵峰寺", "云来酒店(灵峰寺地铁站店)")]


CITIES = ("beijing", "chengdu", "chongqing", "nanjing", "suzhou", "wuhan")


@pytest.mark.slow
def test_the_real_tables_mix_two_systems_without_saying_so(shared: Path) -> None:
    """Hotels named after sights, and restaurants in hotels, give the systems away."""
    folder = shared / "data" / "traveleval" / "environment" / "database"
    pairs: dict[str, list[pl.DataFrame]] = {"attractions": [], "poi": []}
    for city in CITIES:
        hotels = read_layout(folder / "accommodations" / city / "accommodations.csv")[0]
        for table, name in (("attractions", "attractions.csv"), ("poi", "poi.json")):
            other = read_layout(folder / table / city / name)[0]
            pairs[table].append(match_places(hotels, other))
    found = {}
    for table, parts in pairs.items():
        rows = pl.concat(parts).to_dicts()
        known = [to_wgs84(r["known_lat"], r["known_lon"], "gcj02") for r in rows]
        found[table] = detect(known, [(r["lat"], r["lon"]) for r in rows])
    assert (found["attractions"].datum, found["attractions"].is_mixture) == ("bd09", False)
    assert (found["poi"].datum, found["poi"].is_mixture) == ("gcj02", True)
    assert found["attractions"].offset_m["bd09"] < 100
    assert found["attractions"].offset_m["gcj02"] > 700


def test_compare_lists() -> None:
    known, off = _places(30, 20.0)
    names = [f"灵峰寺{n}号院" for n in range(30)]
    one = pl.DataFrame({"name": names, "lat": [p[0] for p in known], "lon": [p[1] for p in known]})
    points = [_as(*p, "bd09") for p in off]
    two = pl.DataFrame(
        {"name": names, "lat": [p[0] for p in points], "lon": [p[1] for p in points]}
    )
    assert compare_lists(one, "wgs84", two).datum == "bd09"
