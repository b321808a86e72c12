"""List the inputs that were set aside: document files, and table rows by file and line."""

from __future__ import annotations

import polars as pl

from flows.report.texts import clean
from schemas.nouns import count_noun
from warehouse.read import Snapshot

#: Lines that a command prints; the snapshot holds all.
_SHOWN = 8
#: Reasons that say what a document is about, and not that it cannot be used.
_READ = ("nothing_read", "language")


def set_aside_lines(snapshot: Snapshot, documents: pl.DataFrame) -> list[str]:
    """A line for each file and reason: its first document or row, and how many more there are."""
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
    """Rows that a reader of tables refused: they name their file and line."""
    aside = quarantine.drop_nulls("source_file").sort("source_file", "source_line", "check")
    lines = []
    for (file, _), rows in aside.group_by("source_file", "check", maintain_order=True):
        place = f"{clean(str(file), 200)}:{rows['source_line'][0]}"
        lines.append(f"{place}: {clean(rows['message'][0], 200)}{_more(rows.height)}")
    return lines


def _more(number: int) -> str:
    return f" (and {number - 1:,} more like it)" if number > 1 else ""
