"""Gate that checks every figure on the dataset card by counting it again in the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property

import polars as pl

from schemas.cells import cell_text
from schemas.licences import NONE_STATED
from schemas.tables import SCHEMA_VERSION
from validators.gates.base import (
    Failure,
    Gate,
    GateContext,
    failures,
    list_counted_sources,
)
from warehouse.given import count_documents, read_given
from warehouse.manifest import Sources
from warehouse.statistics import markdown, statistics_of

CARD = "README.md"
_FIGURE = re.compile(r"\d[\d,]*")
#: Parts of a line that are not figures of the card: code, dates, and the number in the slug of a
#: city that shares its name with another.
_QUOTED = re.compile(r"`[^`]*`|\d{4}-\d{2}-\d{2}|\b[a-z]+(?:-[a-z]+)*-\d+\b")
#: The number of bars in a row of four cells, which compares a figure with that of a paper.
_STATISTIC = 5
_N = r"(\d[\d,]*)"


def card_figures(context: GateContext) -> pl.DataFrame:
    """Every figure on the dataset card agrees with the tables, and no figure is left unchecked."""
    told = context.manifest.sources
    is_older = context.manifest.schema_version != SCHEMA_VERSION
    if told is None or told.documents is None or is_older:
        return failures([])  # the card of an older version has fewer counts
    try:
        text = (context.path / CARD).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return failures(
            [("manifest", CARD, "card", None, f"the dataset card cannot be read: {error}"[:200])]
        )
    body = re.sub(r"\A---\n.*?\n---\n", "", text, count=1, flags=re.DOTALL)
    return failures(_wrong(_Counted(context), body))


class _Counted:
    """The figures on the card, counted again in the tables."""

    def __init__(self, context: GateContext) -> None:
        self.context = context
        given = read_given(context.path, any_version=True)
        self.given = count_documents(given)
        self.sources: Sources = list_counted_sources(context, given.get("documents"))

    @cached_property
    def statistics(self) -> frozenset[str]:
        """Return the rows, worded as on the card, that compare statistics with those in papers."""
        return frozenset(markdown(statistics_of(self.context.snapshot)).splitlines())

    def rows(self, table: str) -> int:
        """Return the number of rows in a table."""
        return self.context.table(table).height

    def cells(self) -> Iterator[tuple[str, int]]:
        """Yield the label and the count of each row in the card's tables."""
        yield from ((name, self.rows(name)) for name in self.context.definitions)
        for label, counts in self.sources.counts():
            yield from ((label.format(cell_text(name)), number) for name, number in counts.items())

    def sentences(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield patterns for sentences on the card, with the figures that they must contain."""
        tables = [self.rows(name) for name in self.context.definitions]
        given, held = self.given, self.sources
        statuses = (given.get(name, 0) for name in ("used", "waiting", "set_aside"))
        yield rf"{_N} rows? in {_N} tables?, built", (sum(tables), len(tables))
        yield rf"verdict of each of {_N} gates? asked", (self.rows("gates"),)
        yield rf"{_N} rows? set aside, with", (self.rows("quarantine"),)
        yield (
            rf"states one for {_N} documents? and {_N} rows? of sources",
            (
                held.documents_by_licence.get(NONE_STATED, 0),
                (held.rows_by_licence or {}).get(NONE_STATED, 0),
            ),
        )
        yield (
            rf"{_N} documents? given, {_N} used, {_N} waiting, {_N} set aside",
            (sum(given.values()), *statuses),
        )


@cache
def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _wrong(real: _Counted, body: str) -> Iterator[Failure]:
    cells, sentences = dict(real.cells()), list(real.sentences())
    version = f"Schema version {real.context.manifest.schema_version},"
    for line in body.replace(version, "", 1).splitlines():
        if line.startswith("- Failed "):
            continue  # the message of a gate, which is in the table ``gates``
        if line.count("|") == _STATISTIC:
            if line not in real.statistics:
                where = line.strip("| ").split(" | ")[0]
                yield _failure(
                    where,
                    line,
                    "this row of the card differs from the statistics computed from the tables",
                )
        elif line.startswith("|"):
            yield from _wrong_cell(cells, line)
        else:
            yield from _wrong_sentence(sentences, line)
    told = real.sources.newest_document
    if told and f"the newest dated document is of {told}" not in body:
        yield _failure("the newest dated document", None, f"its date is {told}")
    if real.rows("gates"):
        gates = real.context.table("gates").filter(~pl.col("passed"))["gate_id"]
        named = set(re.findall(r"^- Failed \w+ `([^`]*)`", body, re.MULTILINE))
        for gate in sorted({*gates} ^ named):
            yield _failure(
                gate, None, "the card must list a gate as failed if and only if the gate failed"
            )


def _wrong_cell(cells: dict[str, int], line: str) -> Iterator[Failure]:
    held = [cell.strip() for cell in line.strip("|").split("|")]
    if len(held) < 2 or not _FIGURE.fullmatch(held[1]):
        return
    label = re.sub(r"^(rows of `[^`]*`) \(.*\)$", r"\1", held[0])
    if label not in cells:
        yield _failure(
            label, held[1], "this row of the card does not match any count in the snapshot"
        )
    elif _number(held[1]) != cells[label]:
        yield _failure(label, held[1], f"the tables have {cells[label]:,}")


def _wrong_sentence(sentences: list[tuple[str, tuple[int, ...]]], line: str) -> Iterator[Failure]:
    left = _QUOTED.sub("", line)
    for pattern, expected in sentences:
        if (match := re.search(pattern, left)) is None:
            continue
        if tuple(map(_number, match.groups())) != expected:
            shown = " and ".join(f"{number:,}" for number in expected)
            yield _failure(line, match[0], f"the tables have {shown}")
        left = left[: match.start()] + left[match.end() :]
    for figure in _FIGURE.findall(left):
        yield _failure(line, figure, "no gate checks this figure")


def _failure(where: str, value: str | None, message: str) -> Failure:
    return ("manifest", CARD, where[:200], value, message)


GATES = (
    Gate(
        "card_figures",
        card_figures,
        "People read the card before they read the tables, and they trust its figures.",
        "Publish again; if the wording of the card has changed, adapt this gate.",
        "snapshot",
    ),
)
