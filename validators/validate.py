"""Run the catalogue of gates on a snapshot, without using Prefect or Great Expectations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa

from schemas.tables import TABLES
from validators.gates import CATALOGUE
from validators.gates.base import FAILURES, Gate, GateContext, NotAskedError, failures
from warehouse.errors import SnapshotError
from warehouse.verdicts import GateResult, no_error

#: Gates that run first, one by one; if one fails, later results could not be trusted.
FIRST = ("files", "schema", "row_counts")
#: Exceptions that malformed data may raise in a check.
_UNREADABLE = (
    SnapshotError, pl.exceptions.PolarsError, pl.exceptions.PanicException, pa.ArrowException,
    ValueError, TypeError, KeyError,
)  # fmt: skip


@dataclass(frozen=True)
class NotAsked:
    """A gate that was not run, with the reason; it neither passed nor failed."""

    gate_id: str
    severity: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    """The verdicts of all gates, and all failures, each with its gate, table, column, row, value
    and message.

    ``not_asked`` lists the gates that require data that an older schema version lacks.
    """

    results: tuple[GateResult, ...]
    failures: pl.DataFrame
    not_asked: tuple[NotAsked, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no gate of severity error failed."""
        return no_error(self.results)


def validate(
    path: Path, catalogue: Sequence[Gate] = CATALOGUE, before: Path | None = None
) -> Verdict:
    """Run the gates on a snapshot; the drift gates compare it with ``before``.

    A snapshot with an older, known schema version is checked against the tables of that version.
    Raises SnapshotError if the folder is not a snapshot.
    """
    return judge(GateContext(path, before), catalogue)


def judge(context: GateContext, catalogue: Sequence[Gate] = CATALOGUE) -> Verdict:
    """Run the gates on the snapshot in a context, beginning with the gates on files and schemas."""
    results: list[GateResult] = []
    skipped: list[NotAsked] = []
    columns = ["gate_id", "severity", *FAILURES]
    found = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String))]
    first = [gate for name in FIRST for gate in catalogue if gate.id == name]
    for gate in (*first, *(gate for gate in catalogue if gate.id not in FIRST)):
        if not no_error(result for result in results if result.gate_id in FIRST):
            break
        try:
            bad = ask_gate(context, gate)
        except NotAskedError as error:
            skipped.append(NotAsked(gate.id, gate.severity, str(error)))
            continue
        results.append(result_of(gate, bad))
        tagged = bad.with_columns(gate_id=pl.lit(gate.id), severity=pl.lit(gate.severity))
        found.append(tagged.select(columns))
    return Verdict(tuple(results), pl.concat(found), tuple(skipped))


def ask_gate(context: GateContext, gate: Gate) -> pl.DataFrame:
    """Return the failures of a gate.

    If a gate cannot read its tables, the function reports a failure with a message.

    Raises NotAskedError if the gate requires data that an older schema version lacks.
    """
    try:
        return gate.check(context)
    except _UNREADABLE as error:
        # The first name that the message of polars quotes is the missing column.
        quoted = re.search(r'"([^"]+)"', str(error))
        is_column = isinstance(error, pl.exceptions.ColumnNotFoundError)
        if is_column and quoted and quoted[1] in context.lacking:
            raise context.lacks(f"column {quoted[1]}") from None
        return failures(
            [("snapshot", "gate", gate.id, None, f"cannot be checked: {str(error)[:300]}")]
        )


def result_of(gate: Gate, bad: pl.DataFrame) -> GateResult:
    """Return a gate's verdict, with the number of failures and a text about the first ones."""
    if bad.is_empty():
        return GateResult(gate.id, gate.level, gate.severity, True, 0, "passed")
    tables = bad["table"].unique().sort().to_list()
    shown = bad.head(gate.quoted).select(
        pl.format("{}.{} row {}: {}", "table", "column", pl.col("row").fill_null("?"), "message")
    )
    message = "; ".join(shown.to_series().to_list())
    table = tables[0] if len(tables) == 1 and tables[0] in TABLES else None
    return GateResult(gate.id, gate.level, gate.severity, False, bad.height, message, table)
