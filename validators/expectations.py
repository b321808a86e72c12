"""Run the catalogue and the row contracts on a snapshot in Great Expectations, with Data Docs.

Only this module uses the library Great Expectations, whose API changes often. The library is
imported only when it is needed. Each gate becomes an expectation in the suite ``catalogue``, with
the gate's texts, severity and check. The library runs the check, and the result of the check is the
verdict. ``tripbed validate`` runs the same checks without the library, so the two always agree.

In addition, the row contracts of some tables are run as native expectations, with one suite per
table. The native expectations use the same fields as the gates ``codes``, ``limits``, ``patterns``,
``key_unique`` and, for key columns, ``not_null``. The native expectations show people what a table
contains. Each native expectation costs about 20 ms.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from schemas.tables import TABLES, Table
from validators.gates import CATALOGUE
from validators.gates.base import Gate, GateContext
from validators.validate import FIRST, ask_gate, result_of
from warehouse.verdicts import GateResult, no_error

#: The number of failures that a page quotes.
_QUOTED = 5


class Asking:
    """The gates for one snapshot, each of which runs only once."""

    def __init__(self, context: GateContext, gates: Sequence[Gate]):
        self.context = context
        self.gates = {gate.id: gate for gate in gates}
        self._found: dict[str, pl.DataFrame] = {}

    def failures(self, gate_id: str) -> pl.DataFrame:
        """Return the failures of a gate."""
        if gate_id not in self._found:
            self._found[gate_id] = ask_gate(self.context, self.gates[gate_id])
        return self._found[gate_id]


#: The gates that are running: an expectation contains only plain values, so it finds its gate here.
_ASKED: dict[str, Asking] = {}


def compile_suite(gates: Sequence[Gate], key: str) -> list[Any]:
    """Return one expectation per gate, in the order of the catalogue."""
    kind = _expectation_class()
    return [
        kind(
            gate_id=gate.id,
            asked=key,
            severity="critical" if gate.severity == "error" else "warning",
            description=f"{gate.id}: {_sentence(gate)}",
            notes=f"{gate.why} To mend: {gate.mend}",
        )
        for gate in gates
    ]


def run_catalogue(library: Any, asking: Asking, gates: Sequence[Gate]) -> dict[str, bool]:
    """Return the verdict on each gate from Great Expectations; ``library`` is the data context.

    The suite's batch lists the tables with their numbers of rows, as in the manifest.
    """
    key, held = str(asking.context.path), asking.context.manifest.tables
    listing = pl.DataFrame({"table": list(held), "rows": [t.rows for t in held.values()]})
    _ASKED[key] = asking
    try:
        suite = compile_suite(gates, key)
        outcomes = _run_suite(library, "catalogue", suite, ("snapshot", "tables"), listing)
    finally:
        del _ASKED[key]
    return {str(o.expectation_config.kwargs["gate_id"]): bool(o.success) for o in outcomes}


def _run_suite(
    library: Any, name: str, suite: list[Any], data: tuple[str, str], rows: pl.DataFrame, **how: Any
) -> list[Any]:
    """Return the outcomes of expectations on rows; ``data`` names the data source and its asset."""
    # Great Expectations takes seconds to import.
    import great_expectations as gx

    batch = (
        library.data_sources.add_pandas(data[0])
        .add_dataframe_asset(data[1])
        .add_batch_definition_whole_dataframe("all")
    )
    held = library.suites.add(gx.ExpectationSuite(name=name, expectations=suite))
    definition = library.validation_definitions.add(
        gx.ValidationDefinition(name=name, data=batch, suite=held)
    )
    # A checkpoint would check and save all of this again, which takes a sixth of the time.
    result = definition.run(batch_parameters={"dataframe": rows.to_pandas()}, **how)
    found: list[Any] = result.results
    return found


def _sentence(gate: Gate) -> str:
    return re.sub(r"\s+", " ", (gate.check.__doc__ or gate.why).split("\n\n")[0]).strip()


def _tell_failures(bad: pl.DataFrame) -> str:
    """Return the number of failures and the first failures, as a page shows them."""
    if bad.is_empty():
        return "no failure"
    shown = bad.head(_QUOTED).select(
        pl.format(
            "{}.{} row {}: {}",
            *(pl.col(c).fill_null("?") for c in ("table", "column", "row", "message")),
        )
    )
    return f"{bad.height} failures: " + "; ".join(shown.to_series().to_list())


@cache
def _expectation_class() -> Any:
    """Return the expectation that runs a gate, registered under the gate's name."""
    # Great Expectations takes seconds to import.
    from great_expectations.expectations.expectation import BatchExpectation

    class ExpectGateToPass(BatchExpectation):
        """Expect that a gate in the catalogue passes."""

        gate_id: str
        asked: str
        metric_dependencies = ()
        success_keys = ("gate_id", "asked")
        args_keys = ("gate_id",)

        def _validate(self, *_: Any, **__: Any) -> dict[str, Any]:
            bad = _ASKED[self.asked].failures(self.gate_id)
            return {"success": bad.is_empty(), "result": {"observed_value": _tell_failures(bad)}}

    return ExpectGateToPass


@dataclass(frozen=True)
class ExpectationSummary:
    """The results of the suites; ``failed`` lists each failure's table, column and expectation.

    ``gates`` contains the verdict of each gate that was run, and ``results`` contains the same
    verdicts with messages. ``passed`` is false if a native expectation or a gate of severity error
    failed.
    """

    passed: bool
    evaluated: int
    failed: tuple[tuple[str, str, str], ...]
    gates: dict[str, bool]
    results: tuple[GateResult, ...]


def run_expectations(
    snapshot: Path,
    out: Path,
    tables: Sequence[str] | None = None,
    before: Path | None = None,
    catalogue: Sequence[Gate] = CATALOGUE,
) -> ExpectationSummary:
    """Run the catalogue and one suite per table with rows, and write Data Docs and
    ``summary.json``.

    ``before`` is the last good snapshot, with which the drift gates compare this one. If any file
    or schema is broken, only the gates on files and schemas are run, as in ``validate``.
    """
    held = GateContext(snapshot, before)
    context = _context(out)
    asking = Asking(held, catalogue)
    gates, readable = _ask(context, asking)
    wanted = tables if tables is not None else held.snapshot.tables()
    names = [n for n in wanted if n != "gates" and held.manifest.tables[n].rows] if readable else []
    results = {name: _run(context, TABLES[name], held.table(name)) for name in names}
    context.build_data_docs()
    failed = tuple(
        (name, column, expectation)
        for name, outcomes in results.items()
        for column, expectation, success in outcomes
        if not success
    )
    evaluated = len(gates) + sum(len(outcomes) for outcomes in results.values())
    verdicts = tuple(result_of(asking.gates[name], asking.failures(name)) for name in gates)
    passed = not failed and no_error(verdicts)
    summary = ExpectationSummary(passed, evaluated, failed, gates, verdicts)
    told = {name: value for name, value in vars(summary).items() if name != "results"}
    (out / "summary.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return summary


def _ask(library: Any, asking: Asking) -> tuple[dict[str, bool], bool]:
    """Return the verdicts of the gates, and whether the rows could be read."""
    first = [asking.gates[name] for name in FIRST if name in asking.gates]
    for number, gate in enumerate(first, 1):
        if not asking.failures(gate.id).is_empty():
            return run_catalogue(library, asking, first[:number]), False
    rest = [gate for gate in asking.gates.values() if gate not in first]
    return run_catalogue(library, asking, [*first, *rest]), True


def _context(out: Path) -> Any:
    """Return a data context that stores only its pages and shows no progress."""
    warnings.filterwarnings("ignore", module="great_expectations")
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    # Great Expectations takes seconds to import.
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}  # type: ignore[assignment]  # the stub requires the class, but the code accepts a dict
    for site in list(context.get_site_names()):
        context.delete_data_docs_site(site)
    out.mkdir(parents=True, exist_ok=True)
    backend = {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(out.resolve())}
    context.add_data_docs_site(
        "quality",
        {
            "class_name": "SiteBuilder",
            "store_backend": backend,
            "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
        },
    )
    return context


def _run(context: Any, table: Table, rows: pl.DataFrame) -> list[tuple[str, str, bool]]:
    """Return the outcomes of a table's suite as (column, expectation, success)."""
    how = {
        "result_format": "SUMMARY",
        "unexpected_index_column_names": list(table.key),
        "partial_unexpected_count": 10,
    }
    outcomes = _run_suite(
        context, table.name, list(_expectations(table)), (table.name, "rows"), _flat(rows),
        result_format=how,
    )  # fmt: skip
    return [
        (
            str(o.expectation_config.kwargs.get("column", ",".join(table.key))),
            str(o.expectation_config.type),
            bool(o.success),
        )
        for o in outcomes
    ]


def _flat(rows: pl.DataFrame) -> pl.DataFrame:
    """Convert columns to a form that the library can hash: join lists of codes, drop structs."""
    texts = [name for name, kind in rows.schema.items() if kind == pl.List(pl.String)]
    joined = rows.with_columns(pl.col(texts).list.join("|")) if texts else rows
    return joined.select(pl.exclude([c for c in joined.columns if joined[c].dtype == pl.List]))


def _expectations(table: Table) -> Iterator[Any]:
    # Great Expectations takes seconds to import.
    import great_expectations.expectations as library

    gxe: Any = library
    yield gxe.ExpectTableRowCountToBeBetween(min_value=1)
    if len(table.key) == 1:
        yield gxe.ExpectColumnValuesToBeUnique(column=table.key[0])
    else:
        yield gxe.ExpectCompoundColumnsToBeUnique(column_list=list(table.key))
    for field in table.fields:
        name = field.name
        if name in table.key:
            yield gxe.ExpectColumnValuesToNotBeNull(column=name)
        if field.codes is not None and pa.types.is_list(field.type):
            code = "|".join(re.escape(code) for code in field.codes)
            codes = rf"^((?:{code})(?:\|(?:{code}))*)?$"
            yield gxe.ExpectColumnValuesToMatchRegex(column=name, regex=codes)
        elif field.codes is not None:
            yield gxe.ExpectColumnValuesToBeInSet(column=name, value_set=list(field.codes))
        if field.minimum is not None or field.maximum is not None:
            yield gxe.ExpectColumnValuesToBeBetween(
                column=name, min_value=field.minimum, max_value=field.maximum
            )
        if field.pattern is not None:
            yield gxe.ExpectColumnValuesToMatchRegex(column=name, regex=field.pattern)
