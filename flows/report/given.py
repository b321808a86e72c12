"""What became of each document given, in words and for the page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from flows.report.texts import clean
from schemas.documents import LANGUAGE_NAMES
from warehouse.given import NO_CITY, read_given

#: Rows that the page shows at most, those that are not used first.
SHOWN = 500
_STATUSES = ("set_aside", "waiting", "used")
Row = dict[str, Any]


def counts_of(documents: pl.DataFrame) -> dict[str, Any]:
    """Documents given, used, waiting and set aside, and the two latter by reason."""
    statuses = Counter(documents["status"].to_list())
    reasons: dict[str, dict[str, int]] = {}
    for status in ("waiting", "set_aside"):
        rows = documents.filter(pl.col("status") == status)
        counted = Counter(map(_group, rows.to_dicts()))
        reasons[status] = dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
    return {
        "given": documents.height,
        **{status: statuses[status] for status in ("used", "waiting", "set_aside")},
        "reasons": reasons,
    }


def _group(row: Row) -> str:
    """A reason in a few words, the same for all documents that have it."""
    if row["reason"] == "language":
        return f"in {LANGUAGE_NAMES[row['lang']]}"
    words = {
        "no_city": str(NO_CITY["why"]),
        "unanswered": "without a usable answer from the model",
        "nothing_read": "in which nothing was read",
        "empty": "without text",
    }
    return words.get(row["reason"], str(row["reason"]).replace("_", " "))


def documents_line(documents: pl.DataFrame) -> str:
    """The documents in one line."""
    counts = counts_of(documents)
    parts = [f"{counts['given']} given", f"{counts['used']} used"]
    for status, reasons in counts["reasons"].items():
        said = list(reasons) if len(reasons) == 1 else [f"{n} {why}" for why, n in reasons.items()]
        told = f" ({', '.join(said)})" if said else ""
        parts.append(f"{counts[status]} {status.replace('_', ' ')}{told}")
    return f"documents: {', '.join(parts)}"


def order_documents(documents: pl.DataFrame) -> list[Row]:
    """The documents, those that are not used first."""
    rows = documents.to_dicts()
    return sorted(rows, key=lambda row: _STATUSES.index(row["status"]))


def problem_line(row: Row) -> str:
    """What of a reading was refused, in one line."""
    where = row["path"] or (f"line {row['line']}" if row["line"] else "the readings file")
    return f"{clean(where, 200)}: {clean(row['what'], 200)}: {clean(row['why'], 300)}"


def collect(snapshot: Path) -> dict[str, Any] | None:
    """What the page shows; None for a snapshot without documents, or of an older version."""
    frames = read_given(snapshot, any_version=True)
    if "documents" not in frames:
        return None
    documents, problems = frames["documents"], frames["reading_problems"]
    counts = counts_of(documents)
    return {
        "counts": [counts[status] for status in ("given", *_STATUSES)],
        "rows": [
            [
                clean(row["path"]), row["status"], clean(row["why"], 240), row["cities"],
                row["lang"], row["kind"], row["reader"], row["n_places"], row["n_stops"],
                row["n_facts"],
            ]
            for row in order_documents(documents)[:SHOWN]
        ],
        "n_problems": problems.height,
    }  # fmt: skip
