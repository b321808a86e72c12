"""The catalogue of gates as one suite of Great Expectations, which runs and shows it.

Each gate is compiled to an expectation with the gate's words, severity and check: the library
asks the check, and what it says is the verdict. So the catalogue stays data, and ``tripbed
validate``, which asks the same checks without that import, cannot say otherwise. Imported when
it is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import polars as pl

from validators.gates.base import Gate, GateContext
from validators.validate import ask_gate

#: Failures that a page quotes.
_QUOTED = 5


class Asking:
    """Gates asked of one snapshot, each once."""

    def __init__(self, context: GateContext, gates: Sequence[Gate]):
        self.context = context
        self.gates = {gate.id: gate for gate in gates}
        self._found: dict[str, pl.DataFrame] = {}

    def failures(self, gate_id: str) -> pl.DataFrame:
        """What a gate objects to."""
        if gate_id not in self._found:
            self._found[gate_id] = ask_gate(self.context, self.gates[gate_id])
        return self._found[gate_id]


#: What is asked at the moment: an expectation holds plain values only, so it finds its gate here.
_ASKED: dict[str, Asking] = {}


def compile_suite(gates: Sequence[Gate], key: str) -> list[Any]:
    """One expectation a gate, in the catalogue's order."""
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
    """Gate to verdict, as Great Expectations gives them; ``library`` is its data context."""
    # Great Expectations takes seconds to import.
    import great_expectations as gx

    key = str(asking.context.path)
    _ASKED[key] = asking
    try:
        source = library.data_sources.add_pandas("snapshot")
        batch = source.add_dataframe_asset("tables").add_batch_definition_whole_dataframe("all")
        suite = library.suites.add(
            gx.ExpectationSuite(name="catalogue", expectations=compile_suite(gates, key))
        )
        definition = library.validation_definitions.add(
            gx.ValidationDefinition(name="catalogue", data=batch, suite=suite)
        )
        checkpoint = library.checkpoints.add(
            gx.Checkpoint(name="catalogue", validation_definitions=[definition])
        )
        result = checkpoint.run(batch_parameters={"dataframe": _listing(asking.context)})
    finally:
        del _ASKED[key]
    outcomes = next(iter(result.run_results.values())).results
    return {str(o.expectation_config.kwargs["gate_id"]): bool(o.success) for o in outcomes}


def _listing(context: GateContext) -> Any:
    """The batch that the suite is about: tables and their rows, as the manifest lists them."""
    tables = context.manifest.tables
    return pl.DataFrame(
        {"table": list(tables), "rows": [t.rows for t in tables.values()]}
    ).to_pandas()


def _sentence(gate: Gate) -> str:
    return re.sub(r"\s+", " ", (gate.check.__doc__ or gate.why).split("\n\n")[0]).strip()


def _tell_failures(bad: pl.DataFrame) -> str:
    """How many failures, and the first of them, as a page shows it."""
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
    """The expectation that asks a gate; the library registers it under its name."""
    # Great Expectations takes seconds to import.
    from great_expectations.expectations.expectation import BatchExpectation

    class ExpectGateToPass(BatchExpectation):
        """Expect a gate of the catalogue to pass."""

        gate_id: str
        asked: str
        metric_dependencies = ()
        success_keys = ("gate_id", "asked")
        args_keys = ("gate_id",)

        def _validate(self, *_: Any, **__: Any) -> dict[str, Any]:
            bad = _ASKED[self.asked].failures(self.gate_id)
            return {"success": bad.is_empty(), "result": {"observed_value": _tell_failures(bad)}}

    return ExpectGateToPass
