"""Write lines that say which documents and table rows were set aside, corrected or doubted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from flows.report.texts import clean
from schemas.nouns import count_noun
from validators.drift.sources import FILE, LINE, Source, is_mended, read_sources, some
from warehouse.read import Snapshot

#: The maximum number of lines that a command prints.
_SHOWN = 8
#: Reasons that do not mean that the document's file is broken.
_READ = ("nothing_read", "language")


def set_aside_lines(snapshot: Snapshot, documents: pl.DataFrame) -> list[str]:
    """Write a line for each file and reason, with the first row and the number of other rows."""
    found = [*_documents(documents), *_rows(snapshot.table("quarantine"))]
    lines = [f"set aside: {line}" for line in found[:_SHOWN]]
    if len(found) > _SHOWN:
        more = count_noun(len(found) - _SHOWN, "further reason")
        lines.append(f"set aside for {more}: the table quarantine and `tripbed inspect` list all")
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
    """Write a line for each file and check, about rows that were set aside when it was read."""
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
    """The counts of a source table over all cities."""

    files: set[str] = field(default_factory=set)
    read: int = 0
    aside: Counter[str] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    doubted: Counter[str] = field(default_factory=Counter)
    example: str = ""


def source_lines(snapshot: Path) -> list[str]:
    """Write a line for each source table in which a row was set aside, corrected or doubted.

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
    """Write counts by kind, with the largest counts first."""
    ordered = sorted(
        ((n, kind) for kind, n in kinds.items() if n), key=lambda item: (-item[0], item[1])
    )
    shown = [f"{n} {kind}" for n, kind in ordered[:_KINDS]]
    rest = sum(n for n, _ in ordered[_KINDS:])
    return ", ".join([*shown, f"{rest} others"] if rest else shown)
