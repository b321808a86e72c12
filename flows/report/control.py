"""Collect the report's data on gates, quarantine, merges, row counts and sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import polars as pl

from flows.report.texts import clean
from schemas.tables import TABLES
from schemas.taxonomy import STAGES
from warehouse.read import FROM_FILES, Snapshot

Tables = Mapping[str, pl.DataFrame]

#: The maximum numbers of examples for each reason for quarantine, and of merges of each kind.
EXAMPLES, MERGES = 5, 60


def collect(tables: Tables) -> dict[str, Any]:
    """Collect a city's quarantine, merges, row counts and sources."""
    return {
        "quarantine": _quarantine(tables["quarantine"]),
        "merges": _merges(tables),
        "stage_counts": _stage_counts(tables["stage_counts"]),
        "documents": _documents(tables["documents"]),
        "files": _files(tables),
        # [table, simulated rows, all rows]
        "simulated": [
            [table, int(tables[table]["is_simulated"].sum()), tables[table].height]
            for table in ("hotels", "restaurants", "trains", "flights")
        ],
        "providers": _providers(tables["pois"]),
    }


def gates(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """List the results of the gates, with failed gates first."""
    return [
        {**row, "gate_id": clean(row["gate_id"]), "message": clean(row["message"], 400)}
        for row in rows.sort("passed", "severity", "gate_id").to_dicts()
    ]


def tables(snapshot: Snapshot) -> list[list[Any]]:
    """List [table, rows, files] for every table, in the order of the schema."""
    held = snapshot.manifest.tables
    return [[name, held[name].rows, len(held[name].files)] for name in TABLES if name in held]


def _quarantine(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return one entry for each stage, table and check, with examples; the largest entries come
    first."""
    keys = ("stage", "table", "check")
    found = [
        {
            **dict(zip(keys, map(clean, group), strict=True)),
            "n": same.height,
            "examples": [_example(row) for row in same.head(EXAMPLES).to_dicts()],
        }
        for group, same in rows.sort("quarantine_id").group_by(keys, maintain_order=True)
    ]
    return sorted(found, key=lambda entry: (-entry["n"], *(entry[key] for key in keys)))


def _example(row: Mapping[str, Any]) -> list[str]:
    """Return the row's id, the message, the row as shortened JSON, and the line in the source."""
    source = f"{row['source_file']}:{row['source_line']}" if row["source_file"] else ""
    payload = "" if row["payload"] == "{}" else clean(row["payload"], 300)
    return [clean(row["row_id"], 80), clean(row["message"], 240), payload, clean(source)]


def _merges(tables: Tables) -> dict[str, Any]:
    """Return the names merged into each place, the superseded places, and the copied documents.

    Places with the most names come first.
    """
    names = {
        row["poi_id"]: [clean(row["name_zh"]), clean(row["name_en"])]
        for row in tables["pois"].to_dicts()
    }
    aliases = tables["poi_aliases"].filter(pl.col("alias_source") == "merge")
    merged = aliases.sort("poi_id", "alias").group_by("poi_id", maintain_order=True).agg("alias")
    gone = tables["pois"].filter(pl.col("superseded_by").is_not_null()).sort("poi_id")
    paths = dict(tables["documents"].select("doc_id", "path").iter_rows())
    copies = tables["documents"].filter(pl.col("near_duplicate_of").is_not_null()).sort("path")
    by_size = sorted(merged.iter_rows(), key=lambda item: (-len(item[1]), item[0]))
    return {
        "n_names": aliases.height,
        "names": [
            [names.get(poi_id, [poi_id, poi_id]), [clean(alias, 60) for alias in found]]
            for poi_id, found in by_size[:MERGES]
        ],
        "n_places": gone.height,
        "places": [
            [names[row["poi_id"]], names.get(row["superseded_by"], [row["superseded_by"]] * 2)]
            for row in gone.head(MERGES).to_dicts()
        ],
        "n_documents": copies.height,
        "documents": [
            [clean(row["path"]), clean(paths.get(row["near_duplicate_of"], ""))]
            for row in copies.head(MERGES).to_dicts()
        ],
    }


def _stage_counts(rows: pl.DataFrame) -> list[list[Any]]:
    """List [stage, table, in, kept, merged, quarantined, pending], in the order of the stages."""
    columns = ["rows_in", "rows_kept", "rows_merged", "rows_quarantined", "rows_pending"]
    counted = rows.sort("stage", "table").select("stage", "table", *columns).rows()
    return sorted((list(row) for row in counted), key=lambda row: STAGES.index(row[0]))


def _documents(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Describe the documents by host, or by their first folder if they have no address."""
    grouped: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows.to_dicts():
        grouped[_origin(row)].append(row)
    return [
        {
            "from": clean(origin),
            "n": len(documents),
            "lang": dict(sorted(Counter(row["lang"] for row in documents).items())),
            "kind": dict(sorted(Counter(row["document_kind"] for row in documents).items())),
            "chars": sum(row["n_chars"] for row in documents),
            "licences": sorted({clean(row["licence_hint"], 80) for row in documents} - {""})[:6],
            "without_licence": sum(row["licence_hint"] is None for row in documents),
        }
        for origin, documents in sorted(grouped.items())
    ]


def _origin(row: Mapping[str, Any]) -> str:
    host = urlsplit(row["url"]).hostname if row["url"] else None
    folder, slash, _ = row["path"].partition("/")
    return host or (folder + slash if slash else "./")


def _files(tables: Tables) -> list[list[Any]]:
    """List [file, table, rows] for every source file. Rows of evidence are counted under
    ``pois``."""
    found = Counter(
        (file, "pois" if table == "evidence" else table)
        for table in FROM_FILES
        for file in tables[table]["source_file"].drop_nulls().to_list()
    )
    return [[clean(file), table, n] for (file, table), n in sorted(found.items())]


def _providers(pois: pl.DataFrame) -> list[list[Any]]:
    """List [coordinate provider, original coordinate system, places], with most places first.

    Unknown providers and systems are None.
    """
    counts = (
        pois.group_by("coordinate_provider", "datum_original")
        .agg(n=pl.len())
        .sort("n", "coordinate_provider", "datum_original", descending=[True, False, False])
    )
    return [[clean(provider) or None, datum, n] for provider, datum, n in counts.iter_rows()]
