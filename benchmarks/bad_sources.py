"""Build the sample with bad sources and with healthy changes, and count the refused builds.

    python -m benchmarks.bad_sources [--cases own,other] [--healthy 60] [--seed 1] [--write]

The first build of the sample publishes the good snapshot. For each bad source, the run then spoils
a copy of the inputs, and builds this copy into a copy of the store. A bad source counts as named if
a warning or an error in the terminal names the file and the fault, and gives an example or a figure
(``benchmarks.bad_naming``). A bad source counts as refused if the exit code is not 0 and ``latest``
still points to the good snapshot.

The healthy rebuilds change the inputs in a normal way: each table gets 5 % new rows, prices change
by up to 10 %, and pages are added. No healthy rebuild may be refused.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

import typer

from benchmarks.bad_naming import Signs, find_naming
from benchmarks.bad_source import BadSource, Row, read_rows, write_rows
from benchmarks.end_to_end import SAMPLE
from benchmarks.report import count_of, table, write_section
from flows.cli.app import app
from flows.errors import explain_error

_NEW_ROWS, _PRICE_CHANGE, _MOST_PAGES = 0.05, 0.1, 6


@dataclass(frozen=True)
class Run:
    """One build: its exit code, terminal output, duration and the target of ``latest``."""

    code: int
    shown: str
    seconds: float
    latest: str


@dataclass(frozen=True)
class BadSourceOutcome:
    """The result of a build with a bad source; ``said`` is the message that names the fault."""

    case: BadSource
    code: int
    refused: bool
    said: str | None

    @property
    def holds(self) -> bool:
        """Check whether the fault was named and, where required, the build was refused."""
        return self.said is not None and (self.refused or not self.case.refused)


def build(inputs: Path, workspace: Path, store: Path) -> Run:
    """Build a folder of inputs in this process, with the same code as the command line."""
    argv = [
        "build", "--city", "hangzhou", "--profile", "demo", "--direct",
        "--documents", str(inputs / "documents"), "--tables", str(inputs / "tables"),
        "--workspace", str(workspace), "--out", str(store),
    ]  # fmt: skip
    shown = io.StringIO()
    started = time.perf_counter()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        code = _code(argv, shown)
    latest = os.readlink(store / "latest") if (store / "latest").is_symlink() else ""
    return Run(code, shown.getvalue(), time.perf_counter() - started, latest)


def _code(argv: list[str], shown: io.StringIO) -> int:
    """Run a command and return its exit code; print errors as the command line does."""
    try:
        ended = typer.main.get_command(app).main(argv, prog_name="tripbed", standalone_mode=False)
    except SystemExit as error:
        return int(error.code or 0)
    except Exception as error:
        message = explain_error(error)
        if message is None:
            raise
        shown.write(f"error: {message}\n")
        return 2
    return int(ended or 0)


class GoodBuild:
    """The sample and its good build; the benchmark changes only copies of them."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.inputs, self.workspace, self.store = (folder / n for n in ("in", "work", "out"))
        self.changed = folder / "changed-in"
        for name in ("documents", "tables"):
            shutil.copytree(SAMPLE / name, self.inputs / name)
        self.good = build(self.inputs, self.workspace, self.store)
        if self.good.code:
            raise RuntimeError(
                "the build of the good sample did not publish a snapshot:"
                f" {self.good.shown[-2000:]}"
            )

    def play(self, change: Callable[[Path], None]) -> Run:
        """Change a copy of the inputs, and build it into a copy of the store with the good
        snapshot.
        """
        inputs, store = self.changed, self.folder / "changed-out"
        for place in (inputs, store):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.inputs, inputs)
        shutil.copytree(self.store, store, symlinks=True, copy_function=os.link)
        change(inputs)
        return build(inputs, self.workspace, store)


def play_bad(ground: GoodBuild, case: BadSource, seed: int) -> BadSourceOutcome:
    """Build with one bad source, and look for the warning or error that names it."""
    run = ground.play(lambda inputs: case.spoil(inputs, random.Random(f"{seed}/{case.name}")))
    signs = Signs(ground.inputs, ground.changed, case.source, ground.good.shown)
    said = find_naming(run.shown, ground.good.shown, case, signs)
    refused = run.code != 0 and run.latest == ground.good.latest
    return BadSourceOutcome(case, run.code, refused, said)


def change_healthily(inputs: Path, draw: random.Random) -> None:
    """Change the inputs as they would change in a month: add rows and pages, and change prices."""
    names = [row["name_zh"] for row in read_rows(inputs / "tables" / "gazetteer.csv")[1]]
    for path in sorted((inputs / "tables").glob("*.csv")):
        header, rows = read_rows(path)
        rows = [_change_price(row, draw) for row in rows]
        count = max(1, round(_NEW_ROWS * len(rows)))
        rows += [_new_row(row, n, draw) for n, row in enumerate(draw.sample(rows, count))]
        write_rows(path, header, rows)
    for number in range(draw.randint(1, _MOST_PAGES)):
        page = inputs / "documents" / "blogs" / f"new-{number}.md"
        page.write_text(_page(names, draw), encoding="utf-8")


def _change_price(row: Row, draw: random.Random) -> Row:
    if not row.get("price_cny"):
        return row
    factor = 1 + draw.uniform(-_PRICE_CHANGE, _PRICE_CHANGE)
    return {**row, "price_cny": f"{float(row['price_cny']) * factor:.0f}"}


def _new_row(row: Row, number: int, draw: random.Random) -> Row:
    """Copy a row with a new id, a new name and different coordinates."""
    new = (
        f"{draw.choice('甲乙丙丁戊己庚辛')}{draw.choice('春夏秋冬东南西北')}{draw.randint(10, 99)}"
    )
    names = {
        "id": f"new-{number}",
        "name_zh": f"{new}{row.get('name_zh', '')[-2:]}",
        "name_en": f"New No {new}",
    }
    made = {**row, **{name: text for name, text in names.items() if row.get(name)}}
    for name in ("train_id", "flight_id"):
        if row.get(name):
            made[name] = f"{row[name][:2]}{draw.randint(1000, 9999)}"
    for axis in ("lat", "lon"):
        if row.get(axis):
            made[axis] = f"{float(row[axis]) + draw.uniform(-0.01, 0.01):.5f}"
    return made


def _page(names: list[str], draw: random.Random) -> str:
    """Write a page about a two-day trip to the city, with visits to places from the table."""
    stops = draw.sample(names, 8)
    days = [
        f"第{day}天先去{a}，上午人不多；接着走到{b}，中午在附近吃饭。下午去{c}，傍晚到{d}看日落。"
        for day, (a, b, c, d) in zip("一二", (stops[:4], stops[4:]), strict=True)
    ]
    return f"# 杭州两日游，第{draw.randint(100, 999)}篇\n\n" + "\n\n".join(days) + "\n"


def load_cases(modules: str) -> list[BadSource]:
    """Load the cases from the modules ``benchmarks.bad_sources_NAME``; commas separate the NAMEs.

    ``NAME:LIST`` loads the list LIST of the module instead of ``CASES``.
    """
    found: list[BadSource] = []
    for name in modules.split(","):
        module, _, listed = name.strip().partition(":")
        found += getattr(import_module(f"benchmarks.bad_sources_{module}"), listed or "CASES")
    return found


def main() -> None:
    """Build with every case and print the results; the exit code is 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--cases",
        default="own",
        help="case modules, each with an optional list after a colon: own,other,exports:LEFT",
    )
    parser.add_argument("--only", default="", help="use only cases whose name contains this text")
    parser.add_argument("--healthy", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="show the output of each build")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    cases = (
        [c for c in load_cases(arguments.cases) if arguments.only in c.name]
        if arguments.cases
        else []
    )
    with tempfile.TemporaryDirectory() as temporary:
        ground = GoodBuild(Path(temporary))
        outcomes = []
        for case in cases:
            outcome = play_bad(ground, case, arguments.seed)
            outcomes.append(outcome)
            sys.stderr.write(
                f"{'ok ' if outcome.holds else 'NOT'} {case.name}: {outcome.code} {outcome.said}\n"
            )
        healthy = []
        for number in range(arguments.healthy):
            draw = random.Random(f"{arguments.seed}/healthy/{number}")
            run = ground.play(partial(change_healthily, draw=draw))
            healthy.append(run)
            sys.stderr.write(f"healthy {number}: {run.code} in {run.seconds:.1f} s\n")
            if run.code or arguments.show:
                sys.stderr.write(run.shown)
    body = _write_outcomes(outcomes, healthy)
    sys.stdout.write(body)
    if arguments.write:
        command = (
            f"python -m benchmarks.bad_sources --cases {arguments.cases} "
            f"--healthy {arguments.healthy} --seed {arguments.seed}"
        )
        write_section("Sources gone bad", command, body)
    sys.exit(any(not o.holds for o in outcomes) or any(run.code for run in healthy))


def _write_outcomes(outcomes: list[BadSourceOutcome], healthy: list[Run]) -> str:
    rows = [
        (o.case.name, o.case.source, "refused" if o.refused else "published",
         "not named" if o.said is None else o.said.strip()[:160].replace("|", "/"))
        for o in outcomes
    ]  # fmt: skip
    named = sum(o.said is not None for o in outcomes)
    gross = [o for o in outcomes if o.case.refused]
    kept = count_of(sum(run.code == 0 for run in healthy), len(healthy), "rebuilds")
    return (
        "The benchmark builds the sample with one bad source at a time. For"
        f" {count_of(named, len(outcomes), 'bad sources')}, the terminal output names the fault."
        f" The builds refuse {sum(o.refused for o in gross)} of the {len(gross)} sources that they"
        " should refuse. After a refusal, `latest` still points to the previous snapshot."
        + (f" From good sources, {kept} were published." if healthy else "")
        + f"\n\n{table(('bad source', 'file', 'build', 'message that names the fault'), rows)}"
    )


if __name__ == "__main__":
    main()
