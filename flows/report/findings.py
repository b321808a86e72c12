"""Write pages about the findings in the source tables.

``quality/findings.md`` contains the counts for all cities, and ``quality/source_rows/CITY.md`` the
rows of one city.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

import polars as pl

from flows.report.texts import clean
from schemas.nouns import count_noun
from warehouse.read import Snapshot

_HEAD = """\
# Findings in the source tables

There is one line per table and kind of finding. A count of 0 means that no row has this finding.
The table `findings` contains the same counts, and `source_rows/CITY.md` lists the rows.
"""
_ROWS_HEAD = """\
# Source rows of {slug} that were corrected, doubted or set aside

| source | action | finding | message |
| --- | --- | --- | --- |
"""
_DONE = {"fix": "corrected", "mark": "doubted", "quarantine": "set aside"}
#: The maximum number of rows on a page.
_MOST_ROWS = 5_000


def write_findings(candidate: Path) -> Path:
    """Write ``quality/findings.md`` into a snapshot's folder, and return its path."""
    snapshot = Snapshot(candidate)
    rows, cities = snapshot.table("findings"), snapshot.table("cities")
    names = dict(zip(cities["city_id"], cities["slug"], strict=True))
    parts = [_HEAD]
    for slug, city_id in sorted((slug, city_id) for city_id, slug in names.items()):
        lines = [
            f"| {row['table']} | {row['finding']} | {row['n_rows']:,} | {_cell(row['message'])} |"
            for row in rows.filter(pl.col("city_id") == city_id)
            .sort("table", "finding")
            .iter_rows(named=True)
        ]
        head = ["| table | finding | rows | what was done |", "| --- | --- | ---: | --- |"]
        parts.append("\n".join([f"## {slug}\n", *head, *lines]) + "\n")
    path = candidate / "quality" / "findings.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


def write_source_rows(
    candidate: Path,
    rows: Mapping[str, pl.DataFrame],
    before: Path | None = None,
    kept: Collection[str] = (),
) -> None:
    """Write a page for each city about its source rows that were corrected, doubted or set aside.

    Args:
        candidate: The folder of the new snapshot.
        rows: The findings of the import (``schemas.frames.SOURCE_FINDINGS``), by the city's slug.
        before: The folder of an earlier snapshot, from which pages are copied.
        kept: The slugs of the cities whose pages are copied.
    """
    folder = candidate / "quality" / "source_rows"
    folder.mkdir(parents=True, exist_ok=True)
    for slug, found in rows.items():
        lines = [
            f"| {_cell(_where(row))} | {_DONE[row['severity']]} | {row['kind']} |"
            f" {_cell(row['message'])} |"
            for row in found.sort("table", "source_file", "source_line", "kind", nulls_last=True)
            .head(_MOST_ROWS)
            .iter_rows(named=True)
        ]
        if found.height > _MOST_ROWS:
            lines.append(f"\n{count_noun(found.height - _MOST_ROWS, 'more row')} not listed.")
        page = "\n".join([_ROWS_HEAD.format(slug=slug).rstrip(), *lines]) + "\n"
        (folder / f"{slug}.md").write_text(page, encoding="utf-8")
    for slug in kept:
        page_before = before / "quality" / "source_rows" / f"{slug}.md" if before else None
        if page_before is not None and page_before.is_file():
            shutil.copyfile(page_before, folder / f"{slug}.md")


def _where(row: Mapping[str, object]) -> str:
    """Return the file and line of a finding, or its table if it is not about one row."""
    if row["source_file"] is None:
        return str(row["table"])
    return str(row["source_file"]) + (
        "" if row["source_line"] is None else f":{row['source_line']}"
    )


def _cell(text: str) -> str:
    return clean(text, 200).replace("|", "/")
