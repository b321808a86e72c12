"""Report what happened to each of the user's documents and to each row in the query files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from flows.console import print_json
from flows.report.texts import clean
from schemas.documents import LANGUAGE_NAMES
from schemas.nouns import count_noun
from warehouse.errors import WarehouseError
from warehouse.given import NO_CITY, read_given
from warehouse.read import Snapshot

#: The maximum number of rows that the page shows; unused documents come first.
SHOWN = 500
_STATUSES = ("set_aside", "waiting", "used")
Row = dict[str, Any]


def counts_of(documents: pl.DataFrame) -> dict[str, Any]:
    """Count the documents by status; for waiting documents and those set aside, also count the
    reasons."""
    statuses = Counter(documents["status"].to_list())
    reasons = {
        status: _most_first(map(_group, documents.filter(pl.col("status") == status).to_dicts()))
        for status in ("waiting", "set_aside")
    }
    return {
        "given": documents.height,
        **{status: statuses[status] for status in ("used", "waiting", "set_aside")},
        "reasons": reasons,
    }


def _most_first(reasons: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(reasons).items(), key=lambda item: (-item[1], item[0])))


def _group(row: Row) -> str:
    """Return a few words on why a document is not used; documents are grouped by these words."""
    if row["reason"] == "language":
        return f"in {LANGUAGE_NAMES[row['lang']]}"
    words = {
        "no_city": str(NO_CITY["why"]),
        "unanswered": "without a usable answer from the model",
        "nothing_read": "in which nothing was found",
        "empty": "without text",
    }
    return words.get(row["reason"], str(row["reason"]).replace("_", " "))


def documents_line(documents: pl.DataFrame) -> str:
    """Format the counts of documents as one line of text."""
    counts = counts_of(documents)
    parts = [f"{counts['given']} given", f"{counts['used']} used"]
    for status, reasons in counts["reasons"].items():
        said = list(reasons) if len(reasons) == 1 else [f"{n} {why}" for why, n in reasons.items()]
        told = f" ({', '.join(said)})" if said else ""
        parts.append(f"{counts[status]} {status.replace('_', ' ')}{told}")
    return f"documents: {', '.join(parts)}"


def order_documents(documents: pl.DataFrame) -> list[Row]:
    """Return the documents as rows, with unused documents first."""
    return sorted(documents.to_dicts(), key=lambda row: _STATUSES.index(row["status"]))


def problem_line(row: Row) -> str:
    """Format a refused part of a reading as one line of text."""
    where = row["path"] or (f"line {row['line']}" if row["line"] else "the readings file")
    return f"{clean(where, 200)}: {clean(row['what'], 200)}: {clean(row['why'], 300)}"


def collect(snapshot: Path) -> dict[str, Any] | None:
    """Collect the page's data about documents.

    Returns None if the snapshot has no table of documents, as is the case in older versions.
    """
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


_QUERY_STATUSES = ("kept", "pending", "quarantined")


def query_counts_of(account: pl.DataFrame) -> dict[str, Any]:
    """Count the rows in query files by status. Quarantined rows are also counted by reason.

    The result is empty if there are no rows.
    """
    if account.is_empty():
        return {}
    counts = Counter(account["status"].to_list())
    if sum(counts[status] for status in _QUERY_STATUSES) != account.height:
        raise RuntimeError("a row in the query files has no status")
    reasons = account.filter(pl.col("status") == "quarantined")["reason"].to_list()
    return {
        "rows": account.height, **{status: counts[status] for status in _QUERY_STATUSES},
        "masked": int(account["masked"].sum()),
        "reasons": _most_first(reasons),
    }  # fmt: skip


def query_lines(account: pl.DataFrame) -> list[str]:
    """Format the counts of rows in query files as one line; return an empty list if there are
    none."""
    counts = query_counts_of(account)
    if not counts:
        return []
    told = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in counts["reasons"].items())
    return [
        f"given queries: {count_noun(counts['rows'], 'row')}, {counts['kept']} kept,"
        f" {counts['pending']} pending, {counts['quarantined']}"
        f" quarantined{f' ({told})' if told else ''}; `tripbed inspect --given-queries` lists them"
    ]


def inspect_given_queries(path: Path, as_json: bool) -> None:
    """Print what happened to every row in the query files, with quarantined rows first.

    Raises WarehouseError if the snapshot was built without query files.
    """
    account = read_given(Snapshot(path).path).get("given_queries")
    if account is None:
        raise WarehouseError(f"{path} has no record of query files: it was built without --queries")
    order = {status: number for number, status in enumerate(reversed(_QUERY_STATUSES))}
    rows = sorted(account.to_dicts(), key=lambda row: order[row["status"]])
    if as_json:
        print_json({"counts": query_counts_of(account), "queries": rows})
        return
    lines = [line.partition(";")[0] for line in query_lines(account)]
    for row in rows:
        why = "; ".join(filter(None, (row["reason"], clean(row["why"], 300))))
        where = f"{clean(row['given_file'], 200)}:{row['given_line']}"
        lines.append(f"  {row['status']:<11} {where} {row['query_id'] or ''} {why}".rstrip())
    print("\n".join(lines))
