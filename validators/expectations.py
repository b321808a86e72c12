"""Great Expectations: the catalogue and the row contracts of a snapshot as suites, with Data Docs.

This module and ``catalogue_suite`` alone touch the library, whose API moves; both are imported
when they are used. Every gate is an expectation of the suite ``catalogue``. Beside it the row
contracts of a few tables are native expectations, a suite a table, made from the same fields as
the gates ``codes``, ``limits``, ``patterns``, ``key_unique`` and, for keys, ``not_null``: they
show people what a table holds. Each of them costs some 20 ms.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from schemas.tables import TABLES, Table
from validators.catalogue_suite import Asking, run_catalogue
from validators.gates import CATALOGUE
from validators.gates.base import Gate, GateContext
from validators.validate import FIRST, GateResult, result_of


@dataclass(frozen=True)
class ExpectationSummary:
    """What the suites came to; ``failed`` names table, column and expectation.

    ``gates`` holds the verdict of every gate that was asked, ``results`` the same in words;
    ``passed`` is false where a native expectation or a gate of severity error failed.
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
    """Run the catalogue and a suite a table with rows; write Data Docs and ``summary.json``.

    ``before`` is the last good snapshot, with which the gates of drift compare. Where files or
    schemas are broken only the gates that look at them are asked, as in ``validate``.
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
    blocked = any(verdict.severity == "error" and not verdict.passed for verdict in verdicts)
    summary = ExpectationSummary(not failed and not blocked, evaluated, failed, gates, verdicts)
    told = {name: value for name, value in vars(summary).items() if name != "results"}
    (out / "summary.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return summary


def _ask(library: Any, asking: Asking) -> tuple[dict[str, bool], bool]:
    """Verdicts of the gates, and whether the rows could be read at all."""
    first = [asking.gates[name] for name in FIRST if name in asking.gates]
    for number, gate in enumerate(first, 1):
        if not asking.failures(gate.id).is_empty():
            return run_catalogue(library, asking, first[:number]), False
    rest = [gate for gate in asking.gates.values() if gate not in first]
    return run_catalogue(library, asking, [*first, *rest]), True


def _context(out: Path) -> Any:
    """A context that keeps nothing but its pages, and tells nobody."""
    warnings.filterwarnings("ignore", module="great_expectations")
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    # Great Expectations takes seconds to import.
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}  # type: ignore[assignment]  # their stub names the class, their code takes a dict
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
    """Outcomes of a table's suite as (column, expectation, success)."""
    # Great Expectations takes seconds to import.
    import great_expectations as gx

    source = context.data_sources.add_pandas(table.name)
    batch = source.add_dataframe_asset("rows").add_batch_definition_whole_dataframe("all")
    suite = context.suites.add(
        gx.ExpectationSuite(name=table.name, expectations=_expectations(table))
    )
    definition = context.validation_definitions.add(
        gx.ValidationDefinition(name=table.name, data=batch, suite=suite)
    )
    checkpoint = context.checkpoints.add(
        gx.Checkpoint(
            name=table.name,
            validation_definitions=[definition],
            result_format={
                "result_format": "SUMMARY",
                "unexpected_index_column_names": list(table.key),
                "partial_unexpected_count": 10,
            },
        )
    )
    frame = _pandas(rows)
    result = checkpoint.run(batch_parameters={"dataframe": frame})
    outcomes = next(iter(result.run_results.values())).results
    return [
        (
            str(o.expectation_config.kwargs.get("column", ",".join(table.key))),
            str(o.expectation_config.type),
            bool(o.success),
        )
        for o in outcomes
    ]


def _pandas(rows: pl.DataFrame) -> Any:
    """Columns as pandas. The library cannot hash lists: codes are joined, structs left out."""
    columns = []
    for name, kind in rows.schema.items():
        if kind == pl.List(pl.String):
            columns.append(pl.col(name).list.join("|"))
        elif not isinstance(kind, pl.List):
            columns.append(pl.col(name))
    return rows.select(columns).to_pandas()


def _expectations(table: Table) -> list[Any]:
    # Great Expectations takes seconds to import.
    import great_expectations.expectations as library

    gxe: Any = library
    found: list[Any] = [gxe.ExpectTableRowCountToBeBetween(min_value=1)]
    if len(table.key) == 1:
        found.append(gxe.ExpectColumnValuesToBeUnique(column=table.key[0]))
    else:
        found.append(gxe.ExpectCompoundColumnsToBeUnique(column_list=list(table.key)))
    for field in table.fields:
        name = field.name
        if name in table.key:
            found.append(gxe.ExpectColumnValuesToNotBeNull(column=name))
        if field.codes is not None and pa.types.is_list(field.type):
            code = "|".join(re.escape(code) for code in field.codes)
            found.append(
                gxe.ExpectColumnValuesToMatchRegex(
                    column=name, regex=rf"^((?:{code})(?:\|(?:{code}))*)?$"
                )
            )
        elif field.codes is not None:
            found.append(gxe.ExpectColumnValuesToBeInSet(column=name, value_set=list(field.codes)))
        if field.minimum is not None or field.maximum is not None:
            found.append(
                gxe.ExpectColumnValuesToBeBetween(
                    column=name, min_value=field.minimum, max_value=field.maximum
                )
            )
        if field.pattern is not None:
            found.append(gxe.ExpectColumnValuesToMatchRegex(column=name, regex=field.pattern))
    return found
