"""Collect the data for the report's map: places with their facts, trajectories and other layers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from flows.report.texts import clean
from schemas.taxonomy import FACT_FIELDS

Tables = Mapping[str, pl.DataFrame]
Row = dict[str, Any]

#: The maximum numbers of aliases, facts and tags that are shown for one place.
ALIASES, FACTS, TAGS = 10, 16, 8
#: Five decimals of a degree are about a metre.
_DECIMALS = 5

_POI_COLUMNS = (
    "poi_id", "name_zh", "name_en", "name_zh_origin", "name_en_origin", "category", "base_type",
    "trend_types", "rating", "coordinate_provider", "datum_original", "poi_source",
    "n_documents", "n_mentions",
)  # fmt: skip


def collect(tables: Tables) -> dict[str, Any]:
    """Collect a city's places, trajectories, hotels, restaurants and metro lines."""
    rows = tables["pois"].sort("poi_id").to_dicts()
    position = {row["poi_id"]: at for at, row in enumerate(rows)}
    return {
        "pois": list(_pois(rows, position, tables)),
        "trajectories": list(_trajectories(tables, position)),
        "hotels": _points(tables["hotels"], "hotel_id", "feature", _cheapest_room),
        "restaurants": _points(
            tables["restaurants"], "restaurant_id", "cuisine", lambda row: row["price_cents"]
        ),
        "metro": _metro(tables["metro_stations"]),
    }


def _pois(rows: list[Row], position: dict[str, int], tables: Tables) -> Iterator[Row]:
    aliases = _aliases(tables["poi_aliases"])
    facts = _facts(tables["poi_facts"])
    tags = _tags(tables["poi_tags"])
    parents = _parents(tables["poi_hierarchy"], position)
    clusters = _clusters(tables["clusters"])
    origin = _origins(tables)
    for row in rows:
        poi_id = row["poi_id"]
        poi = {column: row[column] for column in _POI_COLUMNS}
        poi.update(
            name_zh=clean(row["name_zh"]),
            name_en=clean(row["name_en"]),
            at=_at(row),
            superseded_by=position.get(row["superseded_by"]),
            parents=parents.get(poi_id),
            aliases=aliases.get(poi_id, [])[:ALIASES],
            facts=facts.get(poi_id, [])[:FACTS],
            tags=tags.get(poi_id, [])[:TAGS],
            clusters=clusters.get(poi_id),
            origin=origin.get(row["evidence_id"]),
        )
        yield {key: value for key, value in poi.items() if value not in (None, "", [])}


def _at(row: Row) -> list[float] | None:
    if row["lat"] is None or row["lon"] is None:
        return None
    return [round(row["lat"], _DECIMALS), round(row["lon"], _DECIMALS)]


def _aliases(rows: pl.DataFrame) -> dict[str, list[str]]:
    found = rows.sort("poi_id", "alias").group_by("poi_id", maintain_order=True).agg("alias")
    return {poi_id: [clean(alias, 60) for alias in names] for poi_id, names in found.iter_rows()}


def _facts(rows: pl.DataFrame) -> dict[str, list[list[Any]]]:
    """List [field, validity, value, statements, latest date] for each place.

    For each field, the value with the most statements comes first. Prices include the currency.
    """
    money = (
        pl.when(pl.col("currency").is_null()).then(pl.lit("")).otherwise(" " + pl.col("currency"))
    )
    grouped = (
        rows.with_columns(value=pl.col("value") + money)
        .group_by("poi_id", "fact_field", "valid_when", "value")
        .agg(n=pl.len(), latest=pl.col("source_date").max())
        .sort("poi_id", "n", "valid_when", "value", descending=[False, True, False, False])
    )
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for poi_id, field, when, value, n, latest in grouped.iter_rows():
        date = latest.isoformat() if latest else None
        found[poi_id].append([field, clean(when, 40), clean(value, 80), n, date])
    for facts in found.values():
        facts.sort(key=lambda fact: FACT_FIELDS.index(fact[0]))
    return found


def _tags(rows: pl.DataFrame) -> dict[str, list[list[Any]]]:
    """List [context, number of tags] for each place, with the most frequent context first."""
    grouped = (
        rows.group_by("poi_id", "context_id")
        .agg(n=pl.len())
        .sort("poi_id", "n", "context_id", descending=[False, True, False])
    )
    found = grouped.group_by("poi_id", maintain_order=True).agg("context_id", "n")
    return {
        poi_id: [list(tag) for tag in zip(contexts, counts, strict=True)]
        for poi_id, contexts, counts in found.iter_rows()
    }


def _parents(rows: pl.DataFrame, position: dict[str, int]) -> dict[str, list[int]]:
    ordered = rows.sort("poi_id", "parent_poi_id").group_by("poi_id").agg("parent_poi_id")
    return {
        poi_id: [position[parent] for parent in parents if parent in position]
        for poi_id, parents in ordered.iter_rows()
    }


def _clusters(rows: pl.DataFrame) -> dict[str, list[int]]:
    """List each place's clusters for trips of 2 to 7 days; -1 means that there is no cluster."""
    found: dict[str, list[int]] = defaultdict(lambda: [-1] * 6)
    for poi_id, n_days, cluster in rows.select("poi_id", "n_days_planned", "cluster").iter_rows():
        found[poi_id][n_days - 2] = cluster
    return found


def _origins(tables: Tables) -> dict[str, str]:
    """Map the id of each evidence row that supports a place to the source of the evidence.

    The source is a file and line of a table, or the path of a document.
    """
    paths = dict(tables["documents"].select("doc_id", "path").iter_rows())
    used = tables["evidence"].join(
        tables["pois"].select("evidence_id").unique(), on="evidence_id", how="semi"
    )
    return {
        row["evidence_id"]: clean(
            f"{row['source_file']}:{row['source_line']}"
            if row["evidence_kind"] == "table"
            else paths.get(row["doc_id"])
        )
        for row in used.to_dicts()
    }


def _trajectories(tables: Tables, position: dict[str, int]) -> Iterator[Row]:
    """Describe each trajectory: its title, days, queries, edits and stops as [day, place].

    ``best`` is the number of queries for which this trajectory ranks first. ``way`` contains, in
    metres, the length of the trajectory's route and of the shortest route through its stops.
    """
    documents = {row["doc_id"]: row for row in tables["documents"].to_dicts()}
    used = Counter(tables["query_trajectories"]["trajectory_id"].to_list())
    scores = tables["trajectory_scores"]
    best = Counter(scores.filter(pl.col("quality_rank") == 1)["trajectory_id"].to_list())
    ways = {
        t: way for t, *way in scores.select("trajectory_id", "length_m", "optimal_m").iter_rows()
    }
    for row in tables["trajectories"].sort("trajectory_id").to_dicts():
        document = documents.get(row["doc_id"], {})
        edits = Counter(edit["op"] for edit in row["edits"])
        yield {
            "id": row["trajectory_id"],
            "title": clean(document.get("title")) or clean(document.get("path")),
            "path": clean(document.get("path")),
            "days": row["n_trip_days"],
            "queries": used[row["trajectory_id"]],
            "best": best[row["trajectory_id"]],
            "way": [m and round(m) for m in ways.get(row["trajectory_id"], (None, None))],
            "edits": [edits["replace"], edits["remove"]],
            "stops": [
                [visit["day"], position[visit["poi_id"]]]
                for visit in row["clean_visits"]
                if visit["poi_id"] in position
            ],
        }


def _cheapest_room(row: Row) -> int | None:
    prices = [room["price_cents"] for room in row["rooms"] if room["price_cents"] is not None]
    return min(prices, default=None)


def _points(rows: pl.DataFrame, key: str, kind: str, price: Any) -> list[list[Any]]:
    """List [lat, lon, Chinese name, English name, kind, cents, currency] for each row that has
    coordinates."""
    return [
        [
            *at,
            clean(row["name_zh"], 60),
            clean(row["name_en"], 60),
            row[kind],
            price(row),
            row["currency"],
        ]
        for row in rows.sort(key).to_dicts()
        if (at := _at(row)) is not None
    ]


def _metro(stations: pl.DataFrame) -> list[list[Any]]:
    """List the name and the stations of each metro line; a station is [lat, lon, name]."""
    lines: dict[str, list[list[Any]]] = defaultdict(list)
    for row in stations.sort("line", "sequence").to_dicts():
        at = _at(row)
        assert at is not None
        lines[row["line"]].append([*at, clean(row["name"], 40)])
    return [[clean(line, 40), stops] for line, stops in sorted(lines.items())]
