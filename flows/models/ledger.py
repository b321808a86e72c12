"""The commands ``tripbed ledger``, which show and remove recorded requests to models."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from extractors.llm.ledger import Ledger, LedgerEntry
from flows.console import print_json, write_json_lines
from flows.errors import SettingsError
from schemas.nouns import count_noun

_TOKENS = ("tokens_in", "tokens_out")


def open_ledger(place: str) -> Ledger:
    """Open the ledger at a path or address.

    Raises SettingsError if the ledger does not exist or cannot be opened.
    """

    if "://" not in place and not Path(place).is_file():
        raise SettingsError(f"there is no ledger at {place}: choose one with --ledger")
    try:
        return Ledger(place)
    except (sa.exc.SQLAlchemyError, ValueError, ImportError) as error:
        kind = type(error).__name__
        raise SettingsError(f"the ledger cannot be opened ({kind}): check --ledger") from None


def _row(entry: LedgerEntry) -> dict[str, Any]:
    return {name: value for name, value in asdict(entry).items() if name != "raw"}


def list_entries(
    place: str, task: str | None, model: str | None, status: str | None, limit: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Print at most ``limit`` recorded requests, without their answers."""
    rows = [_row(entry) for entry in islice(open_ledger(place).entries(task, model, status), limit)]
    if as_json:
        print_json(rows)
        return
    table = Table("key", "task", "model", "sample", "status", "reason", "in", "out", "ms")
    for row in rows:
        tokens = ("?" if row[name] is None else str(row[name]) for name in _TOKENS)
        table.add_row(
            row["key"][:12], f"{row['task']} {row['task_version']}", row["model"],
            str(row["sample"]), row["status"], row["reason"], *tokens, str(row["latency_ms"]),
        )  # fmt: skip
    Console().print(table)


def summary(place: str, as_json: bool) -> None:
    """Print totals by task and model, and the numbers of repeated and unanswered requests."""
    held = open_ledger(place)
    totals, (repeated, unanswered) = held.summary(), held.count_lost()
    if as_json:
        print_json({
            "totals": [asdict(total) for total in totals], "repeated": repeated,
            "sent_without_answer": unanswered,
        })  # fmt: skip
        return
    table = Table("task", "model", "requests", "failed", "tokens in", "cached", "out", "USD")
    for total in totals:
        table.add_row(
            total.task, total.model, str(total.requests), str(total.failed), str(total.tokens_in),
            str(total.tokens_cached), str(total.tokens_out), f"{total.cost_micro_usd / 1e6:.4f}",
        )  # fmt: skip
    Console().print(table)
    print(
        f"{count_noun(repeated, 'request')} sent again because the answer was lost; "
        f"{count_noun(unanswered, 'request')} without an answer"
    )


def export(
    place: str, out: Path, task: str | None, model: str | None, status: str | None,
    with_answers: bool,
) -> None:  # fmt: skip
    """Write recorded requests to a file, with one JSON object per line."""
    entries = open_ledger(place).entries(task, model, status)
    count = write_json_lines(map(asdict if with_answers else _row, entries), out)
    print(f"{count_noun(count, 'request')}\n{out}")


def prune(
    place: str, task: str | None, model: str | None, status: str | None,
    below_version: int | None, yes: bool, as_json: bool,
) -> None:  # fmt: skip
    """Remove recorded requests if ``yes`` is set; otherwise, only count them."""
    try:
        count = open_ledger(place).prune(task, model, status, below_version, dry=not yes)
    except ValueError as error:
        raise SettingsError(f"{error} (--task, --model, --status, --below-version)") from None
    what = "removed" if yes else "would be removed; add --yes to remove the requests"
    if as_json:
        print_json({"requests": count, "removed": yes})
    else:
        print(f"{count_noun(count, 'request')} {what}")
