"""Prints the results of a build: tables, queries and gates, and then the snapshot's path."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from flows.console import print_json
from flows.pipeline.given import GivenDocuments, is_unanswered
from flows.pipeline.run import BuildResult
from flows.report.contents import STEPS, poi_counts, query_counts
from flows.report.findings import set_aside_lines, source_lines
from flows.report.given import counts_of, documents_line, problem_line, query_counts_of, query_lines
from schemas.nouns import count_noun
from storage.places import show_path
from warehouse.read import Snapshot
from warehouse.verdicts import GateResult

#: The number of problems of a readings file that are shown; the snapshot contains all.
_SHOWN = 5
#: Words for the number of a query's trajectories, by the least number that they stand for.
_STEP_WORDS = {8: "8 or more", 4: "4 to 7", 1: "1 to 3", 0: "none"}
#: Gates that reject a change of a source until it is accepted.
_ASKED = ("places_asked_about", "places_not_asked_about")
REFUSING = ("source_change_refused", "source_values_refused")


def print_summary(result: BuildResult, seconds: float, *, as_json: bool) -> None:
    """Print tables, queries and gates, and then the snapshot's path on its own line."""
    published = result.published
    snapshot = Snapshot(published.path)
    facts = {
        "snapshot": show_path(published.path),
        "passed": published.passed,
        "seconds": round(seconds, 2),
        "rows": {name: info.rows for name, info in snapshot.manifest.tables.items()},
        "queries": query_counts(snapshot),
        "pois": poi_counts(snapshot),
        "gates_failed": [gate.gate_id for gate in published.gates if not gate.passed],
        "stages": result.costs["stages"],
        "tasks": result.costs["tasks"],
        "documents": counts_of(result.given.documents),
        "given_queries": query_counts_of(result.queries),
        "readings": _readings(result.given),
        "waiting_searches": result.costs.get("waiting_searches", 0),
        **{name: result.costs[name] for name in _ASKED if name in result.costs},
    }
    if as_json:
        print_json(facts)
        return
    out = Console(file=sys.stdout, highlight=False)
    out.print(_rows_table(facts["rows"]))
    _print_lines(out, _count_lines(facts))
    if facts["tasks"]:
        out.print(_models_table(facts["tasks"]))
    lines = chain(
        query_lines(result.queries),
        _documents_told(result.given),
        source_lines(published.path),
        _search_lines(facts),
        set_aside_lines(snapshot, result.given.documents),
        _gate_lines(published.gates),
    )
    _print_lines(out, lines)
    verdict = "published" if published.passed else "rejected: no snapshot was published"
    out.print(f"{count_noun(len(published.gates), 'gate')}, {verdict}, {seconds:.1f} s")
    out.print(show_path(published.path), soft_wrap=True)


def _print_lines(out: Console, lines: Iterable[str]) -> None:
    for line in lines:
        out.print(line, soft_wrap=True, markup=False)


def _count_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Describe the queries and places for every city."""
    for slug, counts in facts["queries"].items():
        steps = ", ".join(f"{counts[f'with_{step}']} have {_STEP_WORDS[step]}" for step in STEPS)
        yield (
            f"{slug}: {count_noun(counts['planned'], 'query')} planned, {counts['kept']} kept, "
            f"{counts['pending']} pending; trajectories: {steps}"
        )
    for slug, counts in facts["pois"].items():
        yield (
            f"{slug}: {count_noun(counts['places'], 'place')}, {counts['in_documents']} named in"
            f" documents ({counts['documents_only']} of them not in any table),"
            f" {count_noun(counts['trajectories'], 'trajectory')} from documents"
        )


def _search_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Report places whose missing facts were not looked up, and searches without a new answer."""
    if facts.get("places_not_asked_about"):
        yield (
            "the build searched for the missing hours, prices or descriptions of"
            f" {count_noun(facts['places_asked_about'], 'place')}, but not for those of"
            f" {facts['places_not_asked_about']} others: to cover more places, raise"
            " `documents.inquiries_per_query` in the profile"
        )
    if facts["waiting_searches"]:
        yield (
            f"warning: {count_noun(facts['waiting_searches'], 'search')} got no new answer;"
            " earlier answers were used instead, and the next build repeats these searches"
        )


def _gate_lines(gates: Sequence[GateResult]) -> Iterator[str]:
    """List the failed gates, errors first, and explain what to do if a source has degraded."""
    failed = [gate for gate in gates if not gate.passed]
    for gate in sorted(failed, key=lambda gate: gate.severity != "error"):
        yield f"gate {gate.gate_id} failed ({gate.severity}): {gate.message}"
    if any(gate.gate_id in REFUSING for gate in failed):
        yield (
            "a source has degraded, so the last good snapshot remains the latest; if the change is"
            " intended, build again with --accept-drift TABLE.CHECK --because TEXT (the gates'"
            " messages give TABLE.CHECK in brackets)"
        )


def _readings(given: GivenDocuments) -> dict[str, Any]:
    """Report refused parts of readings, and documents that have no usable answer from the model."""
    return {
        "refused": given.problems.filter(~is_unanswered()).height,
        "unanswered": given.problems.filter(is_unanswered())["doc_id"].n_unique(),
        "failed_answers": given.failed_answers,
        "newly_failed": given.newly_failed,
    }


def _documents_told(given: GivenDocuments) -> list[str]:
    """Report what happened to the documents, the user's readings and the model's answers."""
    if not given.documents.height:
        return []
    told = _readings(given)
    lines = [f"{documents_line(given.documents)}; `tripbed inspect --documents` lists them"]
    if told["unanswered"]:
        lines.append(
            f"warning: {told['unanswered']} of {count_noun(given.documents.height, 'document')}"
            " could not be read completely, because the model gave no usable answer. The ledger"
            f" contains {told['failed_answers']} failed answers, {told['newly_failed']} of them"
            " from this run. `tripbed ledger list --status failed` shows these answers. After"
            " `tripbed ledger prune --status failed --yes`, the next build sends the requests again"
        )
    own = given.problems.filter(pl.col("reader") == "own")
    if own.height:
        lines.append(
            f"warning: {count_noun(own.height, 'piece or line', 'pieces or lines')} of the readings"
            f" file {'was' if own.height == 1 else 'were'} not used, for example:"
        )
        lines += [f"  {problem_line(row)}" for row in own.head(_SHOWN).to_dicts()]
    return lines


def _models_table(tasks: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Table:
    """Show, for each task, the estimated and actual use of the model, including repair requests."""
    table = Table("task", "requests", "tokens in", "out", "USD", title="Model: estimated / used")
    for column in table.columns[1:]:
        column.justify = "right"
    names = ("requests", "tokens_in", "tokens_out", "micro_usd")
    sides = ("expected", "spent")
    every = {side: {n: sum(t[side][n] for t in tasks.values()) for n in names} for side in sides}
    for task, told in {**tasks, "all": every}.items():
        *numbers, money = [[told[side][name] for side in sides] for name in names]
        cells = [" / ".join(f"{n:,}" for n in both) for both in numbers]
        table.add_row(task, *cells, " / ".join(f"{micro / 1e6:.4f}" for micro in money))
    return table


def _rows_table(rows: Mapping[str, int]) -> Table:
    table = Table("table", "rows", title="Snapshot")
    table.columns[1].justify = "right"
    for name, count in rows.items():
        if count:
            table.add_row(name, f"{count:,}")
    return table
