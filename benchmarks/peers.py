"""Exports read by the peers' own code: every call on every row, and every plan by their evaluator.

    python -m benchmarks.peers SNAPSHOT --chinatravel DIR [--every 20] [--only plans]
        [--plans balanced] [--write]

``DIR`` is a copy of ChinaTravel's public repository (its folder ``chinatravel``, without its data).
The snapshot is exported to a temporary folder, their code is copied beside it and run on it: each
``select``, opening, dish and intercity call on every row; ``nearby`` of every n-th place and
``goto`` between every n-th pair; then schema, environment and logical constraints of all exported
plans: proofs, or reference plans of a kind. An answer is equal if it is what the snapshot says;
those that differ by a rule of the layout are counted by that rule. Exit code 1 where any other
differs, 2 where their code is not there. Their code needs pandas, geopy and tqdm.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import peer_calls as calls
from benchmarks.peer_plans import Marks, evaluate
from benchmarks.peer_world import Missing, Tally, World, assemble, load
from benchmarks.report import table, write_section
from schemas.fields import PLAN_KINDS
from warehouse.export import export


def run_calls(world: World, every: int) -> tuple[str, int]:
    """The table of calls, and how many answers are wrong."""
    asked: tuple[tuple[str, Callable[[], Tally]], ...] = (
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
    body = table(("call", "asked", "equal", "by a rule of the layout", "wrong"), rows)
    body += "\n" + table(("call", "rule", "answers"), reasons) if reasons else ""
    longest = calls.longest_ride(world)
    ride = f"ChinaTravel's rules allow metro rides of at most {longest:.0f} km."
    return f"{body}\n{ride}\n", wrong


def plans_table(marks: Marks) -> str:
    """What their evaluator says of the witness plans."""
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
    for name, counts in (("reason for leaving it out", marks.left_out), ("broken", marks.broken)):
        if counts:
            told += "\n" + table((name, "times"), [[what, n] for what, n in counts.most_common()])
    return told


def main() -> int:
    """Print the tables, or write them to the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot", type=Path)
    parser.add_argument(
        "--chinatravel", type=Path, required=True, help="a copy of their repository"
    )
    parser.add_argument(
        "--every", type=int, default=20, help="every n-th place for nearby and goto"
    )
    parser.add_argument("--only", choices=("calls", "plans"), help="one half of it")
    parser.add_argument("--plans", choices=PLAN_KINDS, default="proof", help="kind of plan")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "export"
        try:
            export(asked.snapshot, "chinatravel", out, asked.plans)
            assemble(asked.chinatravel, out, Path(folder))
            world = load(asked.snapshot, out)
            body, wrong = ("", 0) if asked.only == "plans" else run_calls(world, asked.every)
            marks = Marks() if asked.only == "calls" else evaluate(asked.chinatravel, out)
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
