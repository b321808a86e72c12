"""The page ``quality/findings.md``: what was found in the source tables, counted by city."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from flows.report.texts import clean
from warehouse.read import Snapshot

_HEAD = """\
# Findings in the source tables

One line a table and finding; 0 means that it was looked for and is not there. The same rows
stand in the table `findings`.
"""


def write_findings(candidate: Path) -> Path:
    """Write the page beside the other quality reports; gives its path."""
    snapshot = Snapshot(candidate)
    rows, cities = snapshot.table("findings"), snapshot.table("cities")
    names = dict(zip(cities["city_id"], cities["slug"], strict=True))
    parts = [_HEAD]
    for slug, city_id in sorted((slug, city_id) for city_id, slug in names.items()):
        here = rows.filter(pl.col("city_id") == city_id).sort("table", "finding")
        lines = [
            f"| {row['table']} | {row['finding']} | {row['n_rows']:,} | {_cell(row['message'])} |"
            for row in here.iter_rows(named=True)
        ]
        head = ["| table | finding | rows | what was done |", "| --- | --- | ---: | --- |"]
        parts.append("\n".join([f"## {slug}\n", *head, *lines]) + "\n")
    path = candidate / "quality" / "findings.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


def _cell(text: str) -> str:
    return clean(text, 200).replace("|", "/")
