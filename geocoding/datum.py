"""Detects the coordinate system of a source from the places that it shares with a known source.

The three coordinate systems differ by 0.1 to 1.5 km, depending on the place. The right system is
the one in which shared places coincide: the median of all displacements is near zero. The median of
many pairs is reliable even if each pair is inexact (a hotel named after a sight may lie in any
direction from it). A source mixes systems if the close pairs fit two systems, or if the pairs that
do not fit one system coincide in another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geocoding.bulk.names import take_apart
from schemas.geo import Datum, distance_m, to_wgs84

DATUMS: tuple[Datum, ...] = get_args(Datum)
#: With fewer shared places there is no result.
FEWEST_PAIRS = 8
#: A pair votes for a system if its distance is at most this (metres) there and twice it elsewhere.
VOTE_M = 250.0
#: The share and number of votes for a second system that show a mixture.
MIXED_SHARE, MIXED_VOTES = 0.02, 5
#: Places with the same name that are farther apart (metres) are two places.
SHARED_WITHIN_M = 4_000.0

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DatumReport:
    """The result of comparing shared places.

    ``datum`` is None if the shared places do not show which system is used.

    ``offset_m`` is the length of the median displacement in each system, and ``error_m`` is the
    standard error for the best system. ``votes`` counts, for each system, the pairs that fit only
    that system.
    """

    datum: Datum | None
    n_pairs: int
    offset_m: dict[str, float]
    error_m: float
    votes: dict[str, int]
    is_mixture: bool

    @property
    def message(self) -> str:
        """Return a sentence that reports the coordinate system."""
        if self.n_pairs < FEWEST_PAIRS:
            return f"only {self.n_pairs} places occur in both lists, which is too few to decide"
        offsets = ", ".join(f"{metres:.0f} m in {name}" for name, metres in self.offset_m.items())
        votes = ", ".join(f"{n} for {name}" for name, n in self.votes.items())
        what = f"the source uses {self.datum}" if self.datum else "the coordinate system is unclear"
        mixed = "; the source mixes coordinate systems" if self.is_mixture else ""
        return (
            f"{what}{mixed}. The median displacement of the {self.n_pairs} places that occur in "
            f"both lists is {offsets} (± {self.error_m:.0f} m). Pairs that fit only one system: "
            f"{votes or 'none'}"
        )


def detect(
    known: Sequence[tuple[float, float]], unknown: Sequence[tuple[float, float]]
) -> DatumReport:
    """Return the coordinate system of the points in ``unknown`` by comparing them with ``known``.

    Both lists contain the same places in the same order, as latitude and longitude. ``known`` is in
    WGS 84.
    """
    if len(known) < FEWEST_PAIRS:
        return DatumReport(None, len(known), {}, float("nan"), {}, False)
    there = np.array(known, dtype=np.float64)
    away = {datum: _displacements(there, unknown, datum) for datum in DATUMS}
    first, offsets, error, is_clear = _middle(away)
    votes = _votes(away)
    loose = np.hypot(*away[first].T) > VOTE_M
    is_mixture = _has_second(votes)
    if is_clear and loose.sum() >= FEWEST_PAIRS:
        other, _, _, other_is_clear = _middle({d: vectors[loose] for d, vectors in away.items()})
        is_mixture |= other_is_clear and other != first
    return DatumReport(
        first if is_clear else None, len(known),
        {datum: round(offsets[datum], 1) for datum in DATUMS}, round(error, 1), votes, is_mixture,
    )  # fmt: skip


def _middle(away: dict[Datum, Array]) -> tuple[Datum, dict[Datum, float], float, bool]:
    """Return four values: the system with the shortest median displacement, the lengths of all
    median displacements, the error of the shortest, and whether the result is clear.

    The result is clear if the shortest displacement is shorter than the next shortest by at least
    four standard errors.
    """
    offsets = {d: float(np.hypot(*np.median(vectors, axis=0))) for d, vectors in away.items()}
    first, second = sorted(DATUMS, key=lambda datum: offsets[datum])[:2]
    error = _error_m(away[first])
    return first, offsets, error, offsets[first] + 4 * error < offsets[second]


def _has_second(votes: dict[str, int]) -> bool:
    """Check whether enough close pairs fit a second system; a few may fit the third by chance."""
    _, runner_up, last = sorted((votes.get(datum, 0) for datum in DATUMS), reverse=True)
    needed = max(MIXED_VOTES, MIXED_SHARE * sum(votes.values()))
    return runner_up >= needed and runner_up >= 3 * last


def _displacements(known: Array, unknown: Sequence[tuple[float, float]], datum: Datum) -> Array:
    """Return how many metres each place is displaced to the east and north if ``unknown`` is in
    this system.
    """
    read = np.array([to_wgs84(lat, lon, datum) for lat, lon in unknown], dtype=np.float64)
    north = (read[:, 0] - known[:, 0]) * 111_195.0
    east = (read[:, 1] - known[:, 1]) * 111_195.0 * np.cos(np.radians(known[:, 0]))
    return np.stack([east, north], axis=1)


def _error_m(vectors: Array) -> float:
    """Return the standard error of the median displacement in metres, based on the median
    deviation.
    """
    deviation = np.median(np.abs(vectors - np.median(vectors, axis=0)), axis=0)
    return float(np.hypot(*(1.4826 * 1.2533 * deviation / np.sqrt(len(vectors)))))


def _votes(away: dict[Datum, Array]) -> dict[str, int]:
    """Count the pairs that are close in one system and at least twice as far apart in every
    other one.
    """
    lengths = np.stack([np.hypot(*away[datum].T) for datum in DATUMS])
    order = np.argsort(lengths, axis=0)
    best = np.take_along_axis(lengths, order[:1], axis=0)[0]
    next_best = np.take_along_axis(lengths, order[1:2], axis=0)[0]
    decided = (best <= VOTE_M) & (next_best >= 2 * best)
    counts = Counter(DATUMS[int(at)] for at in order[0][decided])
    return dict(sorted(counts.items(), key=lambda vote: (-vote[1], vote[0])))


def match_places(known: pl.DataFrame, unknown: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of places in two lists (name, lat, lon) that are the same or share a location.

    Two rows form a pair if their names are equal, or if one place is named after the other. For
    example, a hotel may have the name of a sight or station in brackets. The result has the columns
    ``name``, ``known_name``, ``lat``, ``lon``, ``known_lat`` and ``known_lon``, each in the
    coordinate system of its list. Pairs of places are left out if different coordinate systems
    cannot explain the distance between them. Names shared by several places in one list are also
    left out.
    """
    one, two = _own(known), _own(unknown)
    once = pl.len().over("key") == 1
    met = pl.concat(
        [
            one.filter(once).join(two.filter(once), on="key", suffix="_b"),
            one.filter(once).join(_rename_by_brackets(two, one), on="key", suffix="_b"),
            _rename_by_brackets(one, two).join(two.filter(once), on="key", suffix="_b"),
        ]
    )
    away = distance_m(met["lat"], met["lon"], met["lat_b"], met["lon_b"])
    near = met.filter(pl.Series(away <= SHARED_WITHIN_M))
    return (
        near.select(
            name="name_b", known_name="name", lat="lat_b", lon="lon_b", known_lat="lat",
            known_lon="lon",
        )
        .unique(maintain_order=False)
        .sort("name", "known_name", "known_lat", "known_lon")
    )  # fmt: skip


def _own(places: pl.DataFrame) -> pl.DataFrame:
    """Return the places that have coordinates, with the main part of each name as the key."""
    located = places.select("name", "lat", "lon").drop_nulls()
    nowhere = pl.repeat(None, located.height, dtype=pl.String, eager=True)
    parts = take_apart(located["name"], nowhere).select(key="main", bracket="bracket")
    rows = pl.concat([located, parts], how="horizontal")
    return rows.filter(pl.col("key").str.len_chars() >= 2)


def _rename_by_brackets(rows: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Return the rows whose brackets contain names from the other list; these names become keys."""
    names = others.filter(pl.col("key").str.len_chars() >= 3)["key"].unique().sort().to_list()
    if not names:
        return rows.clear()
    found = pl.col("bracket").str.extract_many(names, leftmost=True)
    return rows.with_columns(key=found).explode("key", empty_as_null=True).drop_nulls("key")


def compare_lists(known: pl.DataFrame, known_datum: Datum, unknown: pl.DataFrame) -> DatumReport:
    """Return the coordinate system of a list, using the places that it shares with a list in a
    known system.
    """
    shared = match_places(known, unknown)
    rows: list[dict[str, Any]] = shared.to_dicts()
    return detect(
        [to_wgs84(row["known_lat"], row["known_lon"], known_datum) for row in rows],
        [(row["lat"], row["lon"]) for row in rows],
    )
