"""README.md of a snapshot: a dataset card that ``datasets`` loads; its numbers are the manifest's."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.tables import TABLES
from warehouse.manifest import Manifest
from warehouse.splits import CONFIGURATION, split_path

_BODY = """# Travel-planning sandbox: {cities}

Schema version {version}, {rows:,} rows in {tables} tables, built by tripbed.

| table | rows | what it holds |
|---|---:|---|
{lines}

## Use

For building and judging travel planners: queries with candidate places and reference
trajectories, and the tables that a planner books from. `datasets.load_dataset(PATH, "pois")`
reads a table; every table with rows is a configuration, and `queries_by_split` has the splits. Units, codes and sources of the fields stand in
the metadata of the Parquet files.

## How it was made and checked

Rows were read from documents and tables by the engine `{engines}`. Each row of a document
carries evidence: a document's hash and a span. Broken or unsupported rows stand in
`quarantine` with the reason, and `stage_counts` accounts for all. The table `gates` holds the
verdict of each of the {gates:,} gates that were asked before publishing; one failed gate of
severity error would have kept the snapshot back. `croissant.json` describes every file, table and
field; `geo/places.parquet` holds the places as GeoParquet.

## Sources

{sources}

## Intended use and limits

For research on planning and for testing planners. Not for booking: prices, hours and timetables
are as old as their sources{newest}. Unknown is null, never a guess; {quarantined:,} rows were set
aside. Places that nobody writes about are missing, so popularity is that of the documents' authors.
Shares of unknown values and of quarantined rows stand in `report.html`.

## Personal data

Phone numbers, e-mail addresses, identity numbers and handles are masked before a document is
read, and no document's text is part of the snapshot; a gate looks for what is left.

## Licence

Facts were taken from the sources above; their terms apply. The snapshot's own texts (queries) are
free to use.
"""


def dataset_card(manifest: Manifest, splits: Sequence[str] = ()) -> str:
    """The card as Markdown with YAML front matter: a configuration a table, queries by split."""
    configs = "\n".join(
        f"- config_name: {name}\n  data_files: data/{name}/{_glob(name)}"
        for name in TABLES
        if name in manifest.tables and manifest.tables[name].rows
    )
    default = "\n  default: true"
    configs = configs.replace(
        "data_files: data/queries/*/*.parquet", f"data_files: data/queries/*/*.parquet{default}"
    )
    if splits:
        files = "".join(f"\n  - split: {s}\n    path: {split_path(s)}" for s in splits)
        configs += f"\n- config_name: {CONFIGURATION}\n  data_files:{files}"
    engines = sorted({str(c.get("engine")) for c in manifest.settings.get("cities", {}).values()})
    lines = "\n".join(
        f"| {name} | {manifest.tables[name].rows:,} | {TABLES[name].description} |"
        for name in TABLES
        if name in manifest.tables
    )
    front = (
        "---\nlanguage:\n- zh\n- en\nlicense: other\npretty_name: Travel-planning sandbox\n"
        f"tags:\n- travel\n- planning\nconfigs:\n{configs}\n---\n\n"
    )
    body = _BODY.format(
        cities=", ".join(manifest.cities),
        version=manifest.schema_version,
        rows=sum(table.rows for table in manifest.tables.values()),
        tables=len(manifest.tables),
        lines=lines,
        engines=", ".join(engines) or "rules",
        gates=_rows(manifest, "gates"),
        quarantined=_rows(manifest, "quarantine"),
        sources=_sources(manifest),
        newest=_newest(manifest),
    )
    return front + body


def _glob(table: str) -> str:
    return "*.parquet" if TABLES[table].partition == "none" else "*/*.parquet"


def _rows(manifest: Manifest, table: str) -> int:
    return manifest.tables[table].rows if table in manifest.tables else 0


def _newest(manifest: Manifest) -> str:
    found = manifest.sources.newest_document if manifest.sources else None
    return f" (the newest dated document is of {found})" if found else ""


def _sources(manifest: Manifest) -> str:
    """Documents by stated licence and language, and source rows by file, as a table."""
    counted = manifest.sources
    if counted is None:
        return "Not counted."
    lines = [
        *(f"| documents, licence: {k} | {n:,} |" for k, n in counted.documents_by_licence.items()),
        *(
            f"| documents, language: {k} | {n:,} |"
            for k, n in counted.documents_by_language.items()
        ),
        *(f"| rows of `{k}` | {n:,} |" for k, n in counted.rows_by_file.items()),
    ]
    return "\n".join(["| source | number |", "|---|---:|", *lines])
