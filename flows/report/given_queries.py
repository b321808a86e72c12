"""What became of each row of the query files given, in words and numbers."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from flows.report.texts import clean
from schemas.nouns import count_noun
from warehouse.errors import WarehouseError
from warehouse.given import read_given
from warehouse.read import Snapshot

_STATUSES = ("kept", "pending", "quarantined")


def query_counts_of(account: pl.DataFrame) -> dict[str, Any]:
    """Rows by what became of them, and those that are no queries by reason; empty without any."""
    if account.is_empty():
        return {}
    counts = Counter(account["status"].to_list())
    if sum(counts[status] for status in _STATUSES) != account.height:
        raise RuntimeError("a row of the query files has no status")
    aside = account.filter(pl.col("status") == "quarantined")
    reasons = Counter(aside["reason"].to_list())
    return {
        "rows": account.height, **{status: counts[status] for status in _STATUSES},
        "masked": int(account["masked"].sum()),
        "reasons": dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    }  # fmt: skip


def query_lines(account: pl.DataFrame) -> list[str]:
    """The account in one line of words; none where no query file was given."""
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
    """Print what became of every row of the query files, those that are no queries first."""
    account = read_given(Snapshot(path).path).get("given_queries")
    if account is None:
        raise WarehouseError(
            f"{path} holds no account of queries that were given: it was built without --queries"
        )
    order = {status: number for number, status in enumerate(reversed(_STATUSES))}
    rows = sorted(account.to_dicts(), key=lambda row: order[row["status"]])
    if as_json:
        told = {"counts": query_counts_of(account), "queries": rows}
        sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
        return
    lines = [line.partition(";")[0] for line in query_lines(account)]
    for row in rows:
        why = "; ".join(filter(None, (row["reason"], clean(row["why"], 300))))
        where = f"{clean(row['given_file'], 200)}:{row['given_line']}"
        lines.append(f"  {row['status']:<11} {where} {row['query_id'] or ''} {why}".rstrip())
    sys.stdout.write("\n".join(lines) + "\n")
