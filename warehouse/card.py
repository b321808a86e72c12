"""README.md of a snapshot: a dataset card that ``datasets`` loads; its numbers are the manifest's."""

from __future__ import annotations

from schemas.tables import TABLES
from warehouse.manifest import Manifest

_BODY = """# Travel-planning sandbox: {cities}

Schema version {version}, {rows:,} rows in {tables} tables, built by tripbed.

| table | rows | what it holds |
|---|---:|---|
{lines}

## Use

For building and judging travel planners: queries with candidate places and reference
trajectories, and the tables that a planner books from. `datasets.load_dataset(PATH, "pois")`
reads a table; every table with rows is a configuration. Units, codes and sources of the fields stand in
the metadata of the Parquet files.

## How it was made and checked

Rows were read from documents and tables by the engine `{engines}`. Each row of a document
carries evidence: a document's hash and a span. Broken or unsupported rows stand in
`quarantine` with the reason, and `stage_counts` accounts for all. The table `gates` holds the
verdict of every gate that was asked before publishing.

## Limits

Prices, hours and timetables are as old as their sources. Unknown is null, never a guess. Shares
of unknown values and of quarantined rows stand in `report.html`.

## Personal data

Phone numbers, e-mail addresses, identity numbers and handles are masked before a document is
read, and no document's text is part of the snapshot.

## Licence

Facts were taken from the sources that `evidence` and the `source_file` columns name; their
terms apply. The snapshot's own texts (queries) are free to use.
"""


def dataset_card(manifest: Manifest) -> str:
    """The card as Markdown with YAML front matter, one configuration a table."""
    configs = "\n".join(
        f"- config_name: {name}\n  data_files: data/{name}/{_glob(name)}"
        for name in TABLES
        if name in manifest.tables and manifest.tables[name].rows
    )
    default = "\n  default: true"
    configs = configs.replace(
        "data_files: data/queries/*/*.parquet", f"data_files: data/queries/*/*.parquet{default}"
    )
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
    )
    return front + body


def _glob(table: str) -> str:
    return "*.parquet" if TABLES[table].partition == "none" else "*/*.parquet"
