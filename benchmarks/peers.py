"""Run ChinaTravel's own code on an export: its calls on every row, its evaluator on every plan.

    python -m benchmarks.peers SNAPSHOT --chinatravel DIR [--every 20] [--only plans]
        [--plans balanced] [--write]

``DIR`` is a copy of ChinaTravel's public repository (its folder ``chinatravel``, without data). The
run exports the snapshot to a temporary folder, and runs a copy of ChinaTravel's code on the export.
The benchmark makes calls about columns, opening hours, dishes, trains and flights for every row.
The benchmark calls ``nearby`` for every n-th place, and ``goto`` for every n-th pair of places.
ChinaTravel's evaluator then checks the schema, environment and logic of all exported plans. The
plans are proofs or, with ``--plans``, reference plans of the given kind.

An answer counts as equal if the snapshot gives the same answer. If an answer differs because of a
rule of the layout, the tables count the answer under that rule. The exit code is 1 if an answer
differs for any other reason, and 2 if ChinaTravel's code is missing. ChinaTravel's code needs
pandas, geopy and tqdm.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import peer_calls as calls
from benchmarks.peer_plans import PlanCounts, evaluate
from benchmarks.peer_world import CallTally, Missing, PeerWorld, assemble, load
from benchmarks.report import table, write_section
from schemas.fields import PLAN_KINDS
from warehouse.export import export

_HEAD = ("call", "calls", "equal", "different because of one of ChinaTravel's rules", "wrong")


_CALLS = (
    "ChinaTravel's own code reads an export of the snapshot. The benchmark compares the results of"
    " ChinaTravel's code with tripbed's own results."
)


def run_calls(world: PeerWorld, every: int) -> tuple[str, int]:
    """Make all calls; return the tables and the number of wrong answers."""
    asked: tuple[tuple[str, Callable[[], CallTally]], ...] = (
        ("names and positions", lambda: calls.names(world)),
        ("select", lambda: calls.select(world, every)),
        ("types, cuisines, dishes", lambda: calls.words(world)),
        ("is open", lambda: calls.opening(world)),
        ("nearby", lambda: calls.nearby(world, every)),
        ("goto", lambda: calls.goto(world, every)),
        ("trains and flights", lambda: calls.intercity(world)),
    )
    rows, reasons, wrong = [], [], 0
    for name, ask in asked:
        began = time.perf_counter()
        tally = ask()
        sys.stderr.write(f"{name}: {tally.asked:,}, {time.perf_counter() - began:.0f} s\n")
        for example in tally.examples:
            sys.stderr.write(f"  differs: {example[:400]}\n")
        rows.append(
            [name, f"{tally.asked:,}", f"{tally.equal:,}", f"{tally.stated.total():,}", tally.wrong]
        )
        reasons += [[name, why, f"{n:,}"] for why, n in sorted(tally.stated.items())]
        wrong += tally.wrong
    body = table(_HEAD, rows)
    body += "\n" + table(("call", "rule", "different answers"), reasons) if reasons else ""
    longest = calls.longest_ride(world)
    ride = (
        "Under ChinaTravel's rules, the longest metro ride in the snapshot's cities is"
        f" {longest:.0f} km."
    )
    return f"{_CALLS}\n\n{body}\n{ride}\n", wrong


def plans_table(marks: PlanCounts) -> str:
    """Return the tables with the results of ChinaTravel's evaluator."""
    schema = "not there" if marks.schema is None else f"{marks.schema:,}"
    rows = [
        [
            f"{marks.queries:,}",
            f"{marks.plans:,}",
            schema,
            f"{marks.environment:,}",
            f"{marks.logic:,}",
            f"{marks.programs:,}",
            f"{marks.everything:,}",
        ]
    ]
    head = ("queries", "plans", "schema", "environment", "logic", "programs run", "all")
    told = table(head, rows)
    for name, counts in (("reason for the omission", marks.left_out), ("broken", marks.broken)):
        if counts:
            told += "\n" + table((name, "times"), [[what, n] for what, n in counts.most_common()])
    return told


def main() -> int:
    """Print the tables and, with ``--write``, write them to the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot", type=Path)
    parser.add_argument(
        "--chinatravel", type=Path, required=True, help="a copy of ChinaTravel's repository"
    )
    parser.add_argument(
        "--every", type=int, default=20, help="call `nearby` and `goto` for every n-th place"
    )
    parser.add_argument("--only", choices=("calls", "plans"), help="check only these")
    parser.add_argument("--plans", choices=PLAN_KINDS, default="proof", help="kind of plans")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "export"
        try:
            export(asked.snapshot, "chinatravel", out, asked.plans)
            assemble(asked.chinatravel, out, Path(folder))
            world = load(asked.snapshot, out)
            body, wrong = ("", 0) if asked.only == "plans" else run_calls(world, asked.every)
            marks = PlanCounts() if asked.only == "calls" else evaluate(asked.chinatravel, out)
        except Missing as error:
            sys.stderr.write(f"skipped: {error}\n")
            return 2
    for what, example in marks.examples.items():
        sys.stderr.write(f"{what}: {example[:600]}\n")
    body += "\n" + plans_table(marks) if marks.plans else ""
    if asked.write:
        half = f" --only {asked.only}" if asked.only else ""
        half += f" --plans {asked.plans}" if asked.plans != "proof" else ""
        command = (
            f"python -m benchmarks.peers SNAPSHOT --chinatravel DIR --every {asked.every}{half}"
            " --write"
        )
        write_section(
            "Exports read by the peers'"
            f" code{half.replace(' --only', ':').replace(' --plans', ',')}",
            command,
            body,
        )
    print(body)
    return 1 if wrong or marks.everything < marks.plans else 0


if __name__ == "__main__":
    raise SystemExit(main())
