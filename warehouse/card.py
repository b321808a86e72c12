"""Writes a snapshot's README.md: a dataset card with counts, which ``datasets`` can load.

The gate ``card_figures`` checks every figure on the card. If you add a sentence with a figure here,
add the figure to the gate too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from schemas.cells import cell_text
from schemas.licences import NONE_STATED
from schemas.nouns import count_noun
from schemas.tables import TABLES
from warehouse.beside import CONFIGURATION, split_path
from warehouse.manifest import Manifest, Sources

CARD = "README.md"
#: Severity, name and message of a gate that failed.
Failed = tuple[str, str, str]

_BODY = """# Travel-planning sandbox: {cities}

Schema version {version}, {rows} in {tables}, built by tripbed.

| table | rows | content |
|---|---:|---|
{lines}

## Use

The snapshot is for building and testing travel planners. It contains queries with candidate places
and reference trajectories, and the tables from which a planner can book.
`datasets.load_dataset(PATH, "pois")` reads a table. Every table with rows is a configuration, and
`queries_by_split` contains the splits. The metadata of the Parquet files gives the unit, codes and
source of each field.

## How it was made and checked

Rows were read from documents and tables by the engine `{engines}`. Each row from a document has
evidence: the hash of the document and a span. Broken or unsupported rows are in `quarantine` with
the reason, and `stage_counts` counts all rows. The table `gates` contains the
verdict of each of {gates} asked before publishing. If a gate of severity
error had failed, the snapshot would not have been published. `croissant.json` describes every file,
table and field, and `geo/places.parquet` contains the places as GeoParquet.

## Sources

{sources}

## What is missing

{missing}

## Intended use and limits

The snapshot is for research on planning and for testing planners. It is not for booking: prices,
hours and timetables are as old as their sources{newest}. Unknown values are null and never guessed.
Places that no document names are missing, and popularity reflects what the authors wrote about.
`report.html` gives the shares of unknown values and of quarantined rows.

## Personal data

Phone numbers, e-mail addresses, identity numbers, handles, and the names of authors that a document
states are masked before it is read. A gate checks whether any personal data remain. The names of
other people in a text may remain if the text does not say who they are.

## Licence

Facts were taken from the sources above, and the terms of these sources apply. From the texts of
documents, the snapshot contains only names, titles and, in `context_tags`, passages of at most
fifty words, each with its document. If the document states no licence, the passages are quotations.

The texts of planned queries were written for the snapshot and are
free to use.
For queries with a `given_file`, the terms of the author of this file apply.

## Comparison with the papers

The tables show figures that five papers give for their own data sets. A dash (–) means that the
snapshot does not have the figure.

{statistics}
"""


def dataset_card(
    manifest: Manifest,
    splits: Sequence[str] = (),
    given: Mapping[str, int] | None = None,
    failed: Sequence[Failed] = (),
    statistics: str = "",
) -> str:
    """Return the card as Markdown; its YAML front matter lists the configurations.

    ``given`` counts the documents by status, and ``failed`` lists the failed gates of severity
    warning. ``statistics`` contains the tables that compare the snapshot with the papers.
    """
    engines = sorted({str(c.get("engine")) for c in manifest.settings.get("cities", {}).values()})
    lines = "\n".join(
        f"| {name} | {manifest.tables[name].rows:,} | {TABLES[name].description} |"
        for name in TABLES
        if name in manifest.tables
    )
    newest = manifest.sources.newest_document if manifest.sources else None
    body = _BODY.format(
        cities=", ".join(manifest.cities),
        version=manifest.schema_version,
        rows=count_noun(sum(table.rows for table in manifest.tables.values()), "row"),
        tables=count_noun(len(manifest.tables), "table"),
        lines=lines,
        engines=", ".join(engines) or "rules",
        gates=count_noun(_rows(manifest, "gates"), "gate"),
        sources=_sources(manifest.sources),
        missing="\n".join(f"- {line}" for line in _missing(manifest, given or {}, failed)),
        newest=f" (the newest dated document is of {newest})" if newest else "",
        statistics=statistics or "Not counted.",
    )
    return f"{_front(manifest, splits)}{body}"


def _front(manifest: Manifest, splits: Sequence[str]) -> str:
    configs = "\n".join(
        f"- config_name: {name}\n  data_files: data/{name}/"
        f"{'' if table.partition == 'none' else '*/'}*.parquet"
        for name, table in TABLES.items()
        if name in manifest.tables and manifest.tables[name].rows
    )
    queries = "data_files: data/queries/*/*.parquet"
    configs = configs.replace(queries, f"{queries}\n  default: true")
    if splits:
        files = "".join(f"\n  - split: {s}\n    path: {split_path(s)}" for s in splits)
        configs += f"\n- config_name: {CONFIGURATION}\n  data_files:{files}"
    return (
        f"---\nlanguage:\n- zh\n- en\nlicense: {_licence_id(manifest.sources)}\n"
        "pretty_name: Travel-planning sandbox\n"
        f"tags:\n- travel\n- planning\nconfigs:\n{configs}\n---\n\n"
    )


def _licence_id(sources: Sources | None) -> str:
    """Return the licence for the front matter: ``unknown`` if none, ``other`` if several."""
    stated = sources.stated_licences if sources else ()
    nothing_else = sources is not None and NONE_STATED not in {
        *sources.documents_by_licence, *(sources.rows_by_licence or {}),
    }  # fmt: skip
    if not stated:
        return "unknown"
    if len(stated) == 1 and nothing_else and re.fullmatch(r"[A-Za-z0-9.-]+", stated[0]):
        return stated[0].lower()
    return "other"


def _rows(manifest: Manifest, table: str) -> int:
    return manifest.tables[table].rows if table in manifest.tables else 0


def _sources(told: Sources | None) -> str:
    """Count documents by licence and language, and source rows by file and licence."""
    if told is None:
        return "Not counted."
    said = {file: f" ({cell_text(text)})" for file, text in (told.stated_by_file or {}).items()}
    lines = [
        f"| {label.format(cell_text(name))}"
        f"{said.get(name, '') if counts is told.rows_by_file else ''} | {number:,} |"
        for label, counts in told.counts()
        for name, number in counts.items()
    ]
    return "\n".join(["| source | number |", "|---|---:|", *lines])


def _missing(manifest: Manifest, given: Mapping[str, int], failed: Sequence[Failed]) -> list[str]:
    """List the missing data that a user might look for, one item per line."""
    told = manifest.sources or Sources()
    documents = told.documents_by_licence.get(NONE_STATED, 0)
    rows = (told.rows_by_licence or {}).get(NONE_STATED, 0)
    lines = []
    if documents or rows:
        lines.append(
            f"Licence: nobody states one for {count_noun(documents, 'document')} and"
            f" {count_noun(rows, 'row')} of sources. Ask for permission before you pass on data "
            "from them."
        )
    if given:
        lines.append(
            f"Documents: {count_noun(sum(given.values()), 'document')} given,"
            f" {given.get('used', 0):,} used, {given.get('waiting', 0):,} waiting,"
            f" {given.get('set_aside', 0):,} set aside; `quality/documents.parquet` gives the"
            " reasons."
        )
    lines.append(
        f"Rows: {count_noun(_rows(manifest, 'quarantine'), 'row')} set aside, with a reason for"
        " each."
    )
    empty = [name for name in TABLES if name in manifest.tables and not manifest.tables[name].rows]
    if without := [name for name in empty if name != "gates"]:
        lines.append(f"Tables without rows: {', '.join(f'`{name}`' for name in without)}.")
    lines += [
        f"Failed {severity} `{gate}`: {cell_text(message)}" for severity, gate, message in failed
    ]
    return lines
