"""Kill builds at random moments while they search a local web, fetch pages and read them.

    python -m benchmarks.web_kills [--kills 20] [--seed 1] [--write]

The local web, its search engine and a model that answers from careful readings run on loopback
(``tests/support/sources/web/own``). An undisturbed build provides the expected checksums, the build
time and the number of requests. Each later build starts in a new folder, is killed (SIGKILL) and is
then run again in the benchmark's own process. Three out of four kills happen at a random request (a
search, a page or a question to the model), and the fourth at a random second. The second run must
produce the same checksums, and must not repeat a request whose answer was committed. The second run
may repeat requests for searches and pages that were in flight when the build was killed, but at
most one request per host.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.llm_runs import ledger_sent
from benchmarks.report import count_of, table, write_section
from tests.support.flows.killing import Killed, asked_again, kill, start
from tests.support.flows.looking import Looking, looking
from tests.support.flows.running import checksums
from tests.support.sources.web.own.engine import said

_IN_FLIGHT = (
    "A resumed build repeats at most one page request per host, namely the request that was in"
    " flight when the build was killed.\n"
)


@dataclass(frozen=True)
class Whole:
    """The checksums, the time in seconds and the number of requests of an undisturbed build."""

    wanted: dict[str, str]
    seconds: float
    n_asked: int


def finish(city: Looking) -> float:
    """Run a build to its end and return how many seconds it took. Raises RuntimeError if the build
    fails.
    """
    city.forget()
    began = time.monotonic()
    if start(city).wait():
        raise RuntimeError("a build from the local web server failed")
    return time.monotonic() - began


def disturb(city: Looking, whole: Whole, draw: random.Random, *, by_time: bool) -> Killed:
    """Kill a build at a random moment; if the build ends too soon, draw a new moment."""
    while True:
        second, number = draw.uniform(0, whole.seconds), draw.randint(1, whole.n_asked)
        killed = kill(city, at_second=second) if by_time else kill(city, at_request=number)
        if killed is not None:
            return killed
        for name in ("a", "a-out"):
            shutil.rmtree(city.folder / name, ignore_errors=True)
        for file in city.folder.glob("ledger*"):
            file.unlink()


def row_of(city: Looking, killed: Killed, whole: Whole) -> tuple[list[object], bool]:
    """Run a killed build again; return its table row, and whether it passes all checks."""
    began = time.monotonic()
    told = city.build()
    seconds = time.monotonic() - began
    if told.code:
        raise RuntimeError(f"the resumed build failed: {told}")
    pages, paid = asked_again(killed, city.web, ledger_sent(city.ledger))
    is_same = checksums(city.snapshot()) == whole.wanted
    row: list[object] = [
        killed.during, f"{killed.seconds:.1f}", killed.n_asked, len(killed.committed),
        f"{seconds:.1f}", "same" if is_same else "other", pages, paid,
    ]  # fmt: skip
    return row, is_same and not paid and pages <= len(said()["hosts"])


def main() -> None:
    """Kill, resume and compare builds; the exit code is 1 if a build fails a check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    rows, held = [], []
    with (
        tempfile.TemporaryDirectory() as temporary,
        looking(Path(temporary) / "whole", by_model=True) as first,
    ):
        seconds = finish(first)
        whole = Whole(checksums(first.snapshot()), seconds, first.n_asked)
        for number in range(options.kills):
            city = first.elsewhere(Path(temporary) / str(number))
            killed = disturb(city, whole, draw, by_time=number % 4 == 3)
            row, holds = row_of(city, killed, whole)
            rows.append(row)
            held.append(holds)
            sys.stderr.write(f"{number + 1} of {options.kills}: {row}\n")
    header = [
        "killed during",
        "at second",
        "requests sent",
        "answers committed",
        "second run, s",
        "checksums",
        "interrupted requests for pages and searches that were repeated",
        "committed answers requested again",
    ]
    body = (
        f"An uninterrupted build sent {whole.n_asked} requests for search results, pages and model"
        f" answers in {seconds:.1f} s."
        f" {count_of(sum(held), len(held), 'resumed builds').capitalize()} produced the same"
        f" {len(whole.wanted)} checksums as the uninterrupted build, and never repeated a request"
        f" whose answer had been committed to the ledger.\n\n{table(header, rows)}\n{_IN_FLIGHT}"
    )
    sys.stdout.write(body)
    if options.write:
        command = f"python -m benchmarks.web_kills --kills {options.kills} --seed {options.seed}"
        write_section("Killed and resumed: a build from the web by a model", command, body)
    sys.exit(sum(held) != len(held))


if __name__ == "__main__":
    main()
