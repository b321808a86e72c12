"""Compares a snapshot with the figures that five papers give for their own data sets.

``lists/paper_statistics.tsv`` contains the papers' figures and where they are printed. This module
computes the papers' figures for the snapshot. Only kept queries count. A figure that the snapshot
does not contain is unknown (None), not zero.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.word_lists import Lists
from warehouse.read import Snapshot

_LISTS = Lists("warehouse")
#: The papers, in the order in which they are shown.
PAPERS = ("tprag", "traveleval", "chinatravel", "tripscore", "triptailor")
_COUNTED = ("hotels", "restaurants", "trains", "flights")
_QUERY = ("query_id", "city_id", "family", "constraint_kind", "constraint_code", "n_days",
    "structure", "stratum", "split")  # fmt: skip

Number = int | float | None


@dataclass(frozen=True)
class Statistic:
    """A figure in a paper, where it is printed, and the same figure for this snapshot."""

    paper: str
    key: str
    where: str
    label: str
    published: float
    here: Number


def statistics_of(snapshot: Snapshot, papers: Sequence[str] = PAPERS) -> tuple[Statistic, ...]:
    """Return the statistics of the papers, in the order of the list.

    Raises KeyError if a paper is unknown.
    """
    held = _Held(snapshot)
    made = {paper: _MAKERS[paper](held) for paper in papers}
    return tuple(
        Statistic(paper, key, where, label, float(figure), made[paper].get(key))
        for paper, key, where, figure, label in _LISTS.table("paper_statistics")
        if paper in made
    )


class _Held:
    """Reads the tables of a snapshot to count their rows."""

    def __init__(self, snapshot: Snapshot):
        self.snapshot = snapshot
        rows = snapshot.table("queries").filter(pl.col("status") == "kept")
        given = (
            pl.col("given_file").is_not_null() if "given_file" in rows.columns else pl.lit(False)
        )
        self.queries = rows.select(*_QUERY, given=given)
        #: Number of cities in the snapshot.
        self.cities = len(snapshot.manifest.cities)

    def of(self, family: str) -> pl.DataFrame:
        """Return the kept queries of a family."""
        return self.queries.filter(pl.col("family") == family)

    def of_queries(self, table: str, queries: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of a table that belong to certain queries."""
        return self.snapshot.table(table).join(
            queries.select("query_id"), on="query_id", how="semi"
        )

    def places(self) -> dict[str, Number]:
        """Count the rows in each table of places; the count is None for a table without rows."""
        pois = self.snapshot.table("pois").filter(pl.col("poi_source") == "table").height
        found = {name: self.snapshot.table(name).height for name in _COUNTED}
        return {name: number or None for name, number in {"attractions": pois, **found}.items()}


def _plan(text: str) -> Mapping[str, Any]:
    """Read a query's structure, or return {} if it is not a JSON object (in which case a gate
    fails).
    """
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _mean(rows: int, queries: int) -> Number:
    return round(rows / queries, 2) if queries else None


def _tprag(held: _Held) -> dict[str, Number]:
    queries = held.of("tprag")
    kinds = dict(queries["constraint_kind"].value_counts().iter_rows())
    pois = held.of_queries("query_pois", queries)
    routes = held.of_queries("query_trajectories", queries).height
    names = ("generic", "season", "holiday", "poi_category", "traveller", "compactness")
    return {
        "cities": held.cities, "queries": queries.height,
        **{name: kinds.get(name, 0) for name in names},
        "personal": queries.height - kinds.get("generic", 0),
        "candidates": pois.height, "candidates_a_query": _mean(pois.height, queries.height),
        "places": pois["poi_id"].n_unique(), "trajectories": routes,
        "trajectories_a_query": _mean(routes, queries.height),
    }  # fmt: skip


def _traveleval(held: _Held) -> dict[str, Number]:
    queries = held.of("traveleval")
    found: dict[str, Number] = {"queries": queries.height, **held.places()}
    uids = [str(_plan(text).get("uid", "")) for text in queries["structure"].to_list()]
    tags = [
        "progressive" if uid.startswith("G") else str(code)
        for uid, code in zip(uids, queries["constraint_code"].to_list(), strict=True)
    ]
    for tag in ("easy", "medium", "hard", "progressive"):
        days = [d for d, t in zip(queries["n_days"].to_list(), tags, strict=True) if t == tag]
        found[tag] = len(days)
        found |= {f"{tag}_{n}": days.count(n) for n in range(2, 8)}
    return found


def _chinatravel(held: _Held) -> dict[str, Number]:
    queries = held.of("chinatravel")
    planned = queries.filter(~pl.col("given"))
    levels = dict(planned["constraint_code"].value_counts().iter_rows())
    return {
        "cities": held.cities, **held.places(), "easy": levels.get("easy", 0),
        "medium": levels.get("medium", 0), "human": queries.height - planned.height,
    }  # fmt: skip


def _tripscore(held: _Held) -> dict[str, Number]:
    """Count as TripScore does. Hotel counts are unknown, as queries have no candidate hotels."""
    queries = held.of("tripscore")
    found: dict[str, Number] = _entities("all", held, queries)
    for split in ("train", "validation", "test"):
        for name, given in (("synthetic", False), ("real", True)):
            part = queries.filter((pl.col("split") == split) & (pl.col("given") == given))
            found |= _entities(f"{split}_{name}", held, part)
    return found


def _entities(name: str, held: _Held, queries: pl.DataFrame) -> dict[str, Number]:
    cities = {
        c for text in queries["structure"].to_list() for c in _plan(text).get("destinations", ())
    }
    pois = held.of_queries("query_pois", queries)
    return {
        f"{name}_queries": queries.height, f"{name}_cities": len(cities), f"{name}_hotels": None,
        f"{name}_attractions": pois["poi_id"].n_unique(),
    }  # fmt: skip


def _triptailor(held: _Held) -> dict[str, Number]:
    splits = dict(held.of("triptailor")["split"].value_counts().iter_rows())
    return {
        "cities": held.cities, **held.places(), "train": splits.get("train", 0),
        "test": splits.get("test", 0),
    }  # fmt: skip


_MAKERS: Mapping[str, Any] = {
    "tprag": _tprag, "traveleval": _traveleval, "chinatravel": _chinatravel,
    "tripscore": _tripscore, "triptailor": _triptailor,
}  # fmt: skip


def show_number(number: Number) -> str:
    """Format a number with thousands separators; show an unknown number as a dash."""
    if number is None:
        return "–"
    return f"{number:,.2f}".rstrip("0").rstrip(".") if isinstance(number, float) else f"{number:,}"


def markdown(found: Sequence[Statistic]) -> str:
    """Return a Markdown table for each paper."""
    parts = []
    for paper in PAPERS:
        lines = [
            f"| {row.label} | {row.where} | {show_number(row.published)} |"
            f" {show_number(row.here)} |"
            for row in found
            if row.paper == paper
        ]
        head = [f"| {paper} | where | paper | here |", "|---|---|---:|---:|"]
        parts += ["\n".join([*head, *lines])] if lines else []
    return "\n\n".join(parts)
