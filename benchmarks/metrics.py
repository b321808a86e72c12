"""Measure how fast the rule metrics are, and whether they agree with the papers' evaluators.

    python -m benchmarks.metrics SNAPSHOT [--plans 10000] [--most 8] [--kind balanced] [--write]
        [--traveleval DIR] [--chinatravel DIR] [--triptailor DIR]

The timed plans are the proofs in the snapshot, repeated with rotated sights until there are enough
of them. ``DIR`` is a copy of a paper's public repository. A paper's code and tripbed score the same
plans, both intact and spoilt. ``--most`` limits the number of plans per city, and ``--kind``
chooses the plans for TravelEval's code.

The exit code is 1 if a figure differs without a known cause, and 2 if a paper's code is missing.
The code of the papers needs pandas, geopy, portalocker, openpyxl, fuzzywuzzy and tqdm.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks import peer_rates, peer_traveleval, peer_triptailor, peer_world
from benchmarks.peer_traveleval import MetricAgreement
from benchmarks.peer_world import Missing
from benchmarks.report import count_of, table, write_section
from flows.plans import metrics
from schemas.fields import PLAN_KINDS
from validators.metrics.catalogue import PAPERS
from warehouse.export import export
from warehouse.read import Snapshot

_COMPARED = (
    "tripbed and {paper}'s evaluator score the same plans, some of which contain deliberate"
    " errors. For each metric, the table gives the number of plans for which the two programs"
    " compute the same value, and the number of plans for which their values differ."
)


def speed(snapshot: Path, plans: int) -> str:
    """Measure how many seconds it takes to read ``plans`` plans and score them with the metrics of
    all papers.
    """
    witnesses = (
        Snapshot(snapshot)
        .table("witness_plans")
        .filter(pl.col("plan_kind") == "proof")
        .drop_nulls("plan")
    )
    rows = witnesses.select("query_id", "plan").to_dicts()
    if not rows:
        raise SystemExit("the snapshot contains no proofs, so there are no plans to time")
    different: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plans.jsonl"
        with file.open("w", encoding="utf-8") as out:
            for n in range(plans):
                row = rows[n % len(rows)]
                plan = _rotate(json.loads(row["plan"]), n // len(rows))
                different.add(told := json.dumps({"query_id": row["query_id"], "plan": plan}))
                out.write(told + "\n")
        began, busy = time.perf_counter(), os.times()
        with contextlib.redirect_stdout(io.StringIO()):
            metrics.score(snapshot, [file], Path(folder) / "scores.parquet", None, PAPERS, True)
        seconds, after = time.perf_counter() - began, os.times()
    cpu = sum(after[:4]) - sum(busy[:4])
    figures = [
        [f"{plans:,}", f"{len(different):,}", f"{seconds:.1f}", f"{cpu:.1f}", os.cpu_count()]
    ]
    head = ("plans", "distinct plans", "seconds", "CPU seconds", "cores")
    return (
        table(head, figures)
        + "\nThe measured time covers reading the plans and computing the metrics from all papers."
        " After the run, the load average of the machine was"
        f" {os.getloadavg()[0]:.1f}.\n"
    )


def _rotate(plan: dict[str, Any], by: int) -> dict[str, Any]:
    """Make a different plan by rotating the names of the sights by ``by`` positions."""
    sights = [
        a for day in plan["itinerary"] for a in day["activities"] if a["type"] == "attraction"
    ]
    names = [sight["position"] for sight in sights]
    for at, sight in enumerate(sights):
        sight["position"] = names[(at + by) % len(names)]
    return plan


def scores_table(paper: str, scores: Mapping[str, MetricAgreement]) -> tuple[str, int]:
    """Return the tables of metrics and causes, and the number of unexplained differences."""
    rows = [[n, s.equal, s.stated.total(), s.wrong] for n, s in scores.items()]
    why = [[n, cause, times] for n, s in scores.items() for cause, times in s.stated.items()]
    for name, score in scores.items():
        if score.wrong:
            sys.stderr.write(f"{name}: {score.example}\n")
    body = f"{_COMPARED.format(paper=paper)}\n\n" + table(
        ("metric", "equal to 1e-6", "differ for a known reason", "differ otherwise"), rows
    )
    body += "\n" + table(("metric", "cause", "plans"), why) if why else ""
    return body, sum(score.wrong for score in scores.values())


def rates_table(snapshot: Path, source: Path, out: Path, most: int) -> str:
    """Return the tables that compare ChinaTravel's rates for intact and spoilt plans."""
    found, values = peer_rates.judge(snapshot, source, out, most)
    rows, told = [], []
    for name, judged in found.items():
        off = {
            rate: (ours, judged.theirs[rate])
            for rate, ours in judged.ours.items()
            if abs((ours or 0.0) - (judged.theirs[rate] or 0.0)) > 1e-6
        }
        rows.append([name, judged.plans, len(judged.ours) - len(off), len(off), len(judged.differ)])
        told += [[name, rate, f"{a or 0:.4f}", f"{b or 0:.4f}"] for rate, (a, b) in off.items()]
    equal = sum(not row[3] for row in rows)
    body = (
        "The set *whole* contains plans without errors. In every other set, all plans"
        f" contain the same deliberate error. For {count_of(equal, len(rows), 'sets')}, tripbed and"
        " ChinaTravel's evaluator compute equal rates."
        f"{' The second table lists the rates that differ.' if told else ''}\n\n"
    ) + table(
        ("plans", "number", "rates equal to 1e-6", "rates that differ", "plans that differ"), rows
    )
    if told:
        body += "\n" + table(("plans", "rate", "tripbed", "ChinaTravel's evaluator"), told)
    return (
        body
        + "\n"
        + table(
            ("value of a preference", "plans", "equal to 1e-6"),
            [[name, n, equal] for name, (n, equal) in values.items()],
        )
    )


def main() -> int:
    """Print the tables and, with ``--write``, write them to the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot", type=Path)
    parser.add_argument(
        "--plans", type=int, default=10_000, help="number of plans whose scoring is timed (0: none)"
    )
    parser.add_argument(
        "--most",
        type=int,
        default=8,
        help="maximum number of plans per city that the papers' code scores",
    )
    parser.add_argument(
        "--kind",
        choices=PLAN_KINDS,
        default="proof",
        help="kind of plans that TravelEval's code scores",
    )
    for peer in ("traveleval", "chinatravel", "triptailor"):
        parser.add_argument(f"--{peer}", type=Path, help="a copy of the paper's repository")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    parts: dict[str, tuple[str, str]] = {}
    wrong = 0
    snapshot = asked.snapshot.resolve()
    if asked.plans:
        parts["speed"] = (f" --plans {asked.plans}", speed(snapshot, asked.plans))
    try:
        if asked.traveleval:
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "export"
                export(snapshot, "traveleval", out, asked.kind)
                peer_traveleval.assemble(asked.traveleval.resolve(), out, Path(folder))
                body, bad = scores_table(
                    "TravelEval",
                    peer_traveleval.compare(snapshot, out, asked.most, asked.kind),
                )
            references = f" --kind {asked.kind}" if asked.kind != "proof" else ""
            parts["TravelEval's evaluator" + references.replace(" --kind", ",")] = (
                f" --plans 0 --most {asked.most}{references} --traveleval DIR",
                body,
            )
            wrong += bad
        if asked.triptailor:
            found = peer_triptailor.compare(snapshot, asked.triptailor.resolve(), asked.most)
            body, bad = scores_table("TripTailor", found)
            parts["TripTailor's evaluator"] = (
                f" --plans 0 --most {asked.most} --triptailor DIR",
                body,
            )
            wrong += bad
        if asked.chinatravel:
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "export"
                export(snapshot, "chinatravel", out)
                source = asked.chinatravel.resolve()
                peer_world.assemble(source, out, Path(folder))
                with contextlib.chdir(folder):
                    body = rates_table(snapshot, source, out, asked.most)
            parts["ChinaTravel's evaluator"] = (
                f" --plans 0 --most {asked.most} --chinatravel DIR",
                body,
            )
    except Missing as error:
        sys.stderr.write(f"skipped: {error}\n")
        return 2
    for name, (words, body) in parts.items():
        if asked.write:
            command = f"python -m benchmarks.metrics SNAPSHOT{words} --write"
            write_section(f"Rule metrics: {name}", command, body)
        print(f"{name}\n\n{body}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
