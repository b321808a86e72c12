"""Write pages and lines of text about source rows that were corrected, doubted or set aside.

``quality/findings.md`` contains the counts for all cities, and ``quality/source_rows/CITY.md``
lists the rows of one city.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from flows.report.texts import clean
from schemas.nouns import count_noun
from validators.drift.sources import FILE, LINE, Source, is_mended, read_sources, some
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

    ``candidate`` is the folder of the new snapshot. ``rows`` contains the findings of the import
    (``schemas.frames.SOURCE_FINDINGS``) for each city's slug. ``before`` is the folder of an
    earlier snapshot; the pages of the cities in ``kept`` (slugs) are copied from there.
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
    """Return the file and line of a finding, or its table if the finding is not about a single
    row."""
    if row["source_file"] is None:
        return str(row["table"])
    return str(row["source_file"]) + (
        "" if row["source_line"] is None else f":{row['source_line']}"
    )


def _cell(text: str) -> str:
    return clean(text, 200).replace("|", "/")


#: The maximum number of lines that a command prints.
_SHOWN = 8
#: Reasons that do not mean that the document's file is broken.
_READ = ("nothing_read", "language")


def set_aside_lines(snapshot: Snapshot, documents: pl.DataFrame) -> list[str]:
    """Return a line for each file and reason, with the first row and the number of other rows."""
    found = [*_documents(documents), *_rows(snapshot.table("quarantine"))]
    lines = [f"set aside: {line}" for line in found[:_SHOWN]]
    if len(found) > _SHOWN:
        more = count_noun(len(found) - _SHOWN, "further reason")
        lines.append(
            f"{more} not shown; the table quarantine and `tripbed inspect` list everything that was"
            " set aside"
        )
    return lines


def _documents(documents: pl.DataFrame) -> list[str]:
    aside = documents.filter(
        (pl.col("status") == "set_aside") & pl.col("reason").is_in(_READ).not_()
    )
    return [
        f"{clean(rows['path'][0], 200)}: {clean(rows['why'][0], 200)}{_more(rows.height)}"
        for _, rows in aside.group_by("reason", maintain_order=True)
    ]


def _rows(quarantine: pl.DataFrame) -> list[str]:
    """For each file and check, return a line about the rows that were set aside while the file was
    read."""
    aside = quarantine.drop_nulls("source_file").sort("source_file", "source_line", "check")
    return [
        f"{clean(str(file), 200)}:{rows['source_line'][0]}:"
        f" {clean(rows['message'][0], 200)}{_more(rows.height)}"
        for (file, _), rows in aside.group_by("source_file", "check", maintain_order=True)
    ]


def _more(number: int) -> str:
    return f" (and {number - 1:,} more like it)" if number > 1 else ""


#: The maximum number of kinds of findings that a line names; the others are counted.
_KINDS = 3


@dataclass
class _MendedTable:
    """The counts for a source table, over all cities."""

    files: set[str] = field(default_factory=set)
    read: int = 0
    aside: Counter[str] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    doubted: Counter[str] = field(default_factory=Counter)
    example: str = ""


def source_lines(snapshot: Path) -> list[str]:
    """Return a line for each source table that contains rows that were set aside, corrected or
    doubted.

    Documents are not included; ``flows.report.given`` reports them.
    """
    held = Snapshot(snapshot)
    said: dict[str, _MendedTable] = {}
    for city_id in held.table("cities")["city_id"].sort().to_list():
        for table, source in read_sources(held.table, city_id).items():
            if table != "documents":
                _add(said.setdefault(table, _MendedTable()), source)
    return [line for table, told in said.items() for line in _source_line(table, told)]


def _add(told: _MendedTable, source: Source) -> None:
    told.files.update(source.files)
    told.read += source.read
    for kind, (count, words) in source.findings.items():
        if is_mended(kind, words):
            told.mended[kind] += count
        elif words.startswith("mark"):
            told.doubted[kind] += count
    if source.broken is None or source.broken.is_empty():
        return
    told.aside.update(source.broken["check"].to_list())
    if not told.example:
        row = source.broken.sort(FILE, LINE).row(0, named=True)
        told.example = f", such as {row[FILE]}:{row[LINE]} ({row['message']})"


def _source_line(table: str, told: _MendedTable) -> Iterator[str]:
    parts = [
        f"{sum(kinds.values())} {words} ({_kinds(kinds)}){more}"
        for kinds, words, more in (
            (told.aside, "set aside", told.example),
            (told.mended, "corrected or merged", ""),
            (told.doubted, "doubted", ""),
        )
        if sum(kinds.values())
    ]
    if parts:
        yield (
            f"{table} ({some(sorted(told.files))}), {count_noun(told.read, 'row')}:"
            f" {'; '.join(parts)}"
        )


def _kinds(kinds: Mapping[str, int]) -> str:
    """Format counts by kind, with the largest counts first."""
    ordered = sorted(
        ((n, kind) for kind, n in kinds.items() if n), key=lambda item: (-item[0], item[1])
    )
    shown = [f"{n} {kind}" for n, kind in ordered[:_KINDS]]
    rest = sum(n for n, _ in ordered[_KINDS:])
    return ", ".join([*shown, f"{rest} others"] if rest else shown)
