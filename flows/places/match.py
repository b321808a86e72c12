"""``tripbed match``: label pairs of place names as same, different or parent-of."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from flows.csv_files import read_csv
from flows.errors import SettingsError
from flows.places.doubtful_pairs import DecidedPair, PairHelp, decide_pairs
from geocoding.match import match_pairs, points_of
from schemas.nouns import count_noun

COLUMNS = ("city", "name_a", "name_b", "lat_a", "lon_a", "lat_b", "lon_b")
ADDED = ("label", "score", "why", "decided_by")
_NO_HELP = PairHelp()
#: A line on stderr after so many pairs.
_TOLD_EVERY = 20_000

Row = dict[str, str]


def match(pairs: Path, out: Path, alone: bool, as_json: bool, helped: PairHelp = _NO_HELP) -> None:
    """Label a CSV of pairs and write it with label, score, why and who decided.

    Raises SettingsError for a file that cannot be read or written, lacks a column, or has a
    line without a name or with an invalid coordinate; EngineStopped where a model stops for all.
    """
    columns, rows = read_csv(pairs)
    missing = [column for column in COLUMNS if column not in columns]
    if missing:
        raise SettingsError(
            f"{pairs} lacks the column {missing[0]}: it needs {', '.join(COLUMNS)} (coordinates may"
            f" be left empty); it has {', '.join(columns)}"
        )
    _check(pairs, rows)
    turned = sum(point.turned for row in rows for point in points_of(row) if point)
    if turned:
        sys.stderr.write(f"{turned} points had latitude and longitude the wrong way round\n")
    labels = match_pairs(_report_rows(rows), alone=alone)
    decided, figures = decide_pairs(rows, labels, helped)
    _write(out, [name for name in columns if name not in ADDED], rows, decided)
    counts = dict(sorted(Counter(pair["label"] for pair in decided).items()))
    figures = {} if helped == _NO_HELP else {**figures, **_spent(helped)}
    if as_json:
        sys.stdout.write(json.dumps({"pairs": len(rows), **counts, **figures}) + "\n")
    else:
        told = ", ".join(f"{n} {k}" for k, n in counts.items())
        sys.stdout.write(f"{len(rows)} pairs: {told or 'none'}\n")
        if figures:
            sys.stdout.write(_in_words(figures, len(rows)))
        sys.stdout.write(f"{out}\n")


def _spent(helped: PairHelp) -> dict[str, float]:
    """Tokens and US dollars of an engine that counts them."""
    spent = getattr(helped.engine, "spent", None)
    return {} if spent is None else {"tokens": spent[0], "usd": spent[1] / 1e6}


def _in_words(figures: Mapping[str, Any], pairs: int) -> str:
    """What was asked, in lines."""
    lines = [f"{figures['doubtful']} doubtful ({figures['doubtful'] / max(1, pairs):.0%})"]
    if "asked" in figures:
        lines[0] += (
            f"; {figures['asked']} asked in {count_noun(figures['requests'], 'request')},"
            f" {figures['unanswered']} without an answer"
        )
    if figures["answers_not_needed"]:
        unused = count_noun(figures["answers_not_needed"], "answer")
        lines.append(f"{unused} not needed: the rules are sure of these pairs")
    lines.append("decided by " + ", ".join(f"{k}: {n}" for k, n in figures["decided_by"].items()))
    if "tokens" in figures:
        lines.append(f"{figures['tokens']:,} tokens, {figures['usd']:.4f} USD")
    return "\n".join(lines) + "\n"


def _check(pairs: Path, rows: Sequence[Row]) -> None:
    """Raise SettingsError for the first line that cannot be compared, with how many there are."""
    wrong = [(line, what) for line, row in enumerate(rows, 2) for what in _problems(row)]
    if wrong:
        (line, what), lines = wrong[0], len({line for line, _ in wrong})
        more = f"; {lines - 1} other lines are wrong, too" if lines > 1 else ""
        raise SettingsError(f"{pairs}, line {line}: {what}{more}")


def _problems(row: Row) -> Iterator[str]:
    if None in row.values() or None in row:
        yield "the number of cells differs from the header"
        return
    for column in ("name_a", "name_b"):
        if not row[column].strip():
            yield f"{column} is empty: a pair needs two names"
    try:
        points_of(row)
    except ValueError as error:
        yield str(error)


def _report_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, with a line on stderr now and then."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % _TOLD_EVERY == 0:
            sys.stderr.write(f"{number} of {len(rows)} pairs\n")


def _write(out: Path, kept: list[str], rows: Sequence[Row], decided: Sequence[DecidedPair]) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, [*kept, *ADDED], lineterminator="\n")
            writer.writeheader()
            for row, pair in zip(rows, decided, strict=True):
                writer.writerow({**{name: row[name] for name in kept}, **pair})
    except OSError as error:
        raise SettingsError(f"{out} cannot be written: {error.strerror}") from None
