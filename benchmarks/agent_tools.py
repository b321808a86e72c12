"""Measure how fast the HTTP server answers ``nearby``, compared with ChinaTravel's own code.

    python -m benchmarks.agent_tools SNAPSHOT [--chinatravel DIR] [--seconds 60] [--write]

The run starts a server on loopback. Sixteen clients, each with its own connection, ask for the ten
places in a table that are nearest to a given place. The places are drawn with seed 7. The run
compares each answer with the sandbox's own answer, and checks that the log has one line per call.

``DIR`` is a copy of ChinaTravel's public repository. For a tenth of ``--seconds``, ChinaTravel's
environment, which has loaded an export of the snapshot, answers the same calls in the benchmark's
own process. The calls to ChinaTravel's code are measured in CPU time, and the calls over HTTP in
wall-clock time. Therefore, if other programs are running on the machine, only tripbed's times can
become longer. ChinaTravel's code needs pandas, geopy and tqdm.

The exit code is 1 if an answer is wrong, or if a call is missing from the log.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peer_world import Missing, assemble, load
from benchmarks.report import count_of, table, write_section
from warehouse.export import export
from warehouse.sandbox import Sandbox

CLIENTS, K = 16, 10
_TOOLS = {"attractions": "Attractions", "restaurants": "Restaurants", "hotels": "Accommodations"}
_RADIUS_M = {"attractions": 2_000.0, "restaurants": 2_000.0, "hotels": 5_000.0}


@dataclass(frozen=True)
class Question:
    """A request for the nearest places of a table, and the sandbox's answer to it."""

    city: str
    name: str
    table: str
    expected: tuple[str, ...]

    @property
    def request(self) -> bytes:
        """The HTTP request as bytes."""
        body = json.dumps({
            "city": self.city, "where": self.name, "table": self.table, "k": K,
            "radius_m": _RADIUS_M[self.table],
        }).encode()  # fmt: skip
        head = (
            "POST /tools/nearby HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        )
        return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


@dataclass
class ClientTally:
    """The clients' results: the seconds that each call took, and the number of wrong answers."""

    seconds: list[float] = field(default_factory=list)
    wrong: int = 0


def questions(box: Sandbox, number: int = 2_000) -> list[Question]:
    """Draw requests about named places in all cities, with seed 7."""
    draw = random.Random(7)
    asked = []
    for city in box.cities:
        names = [p.name for p in box.select(city, "attractions", "lat", "known")]
        unique = sorted({name for name in names if names.count(name) == 1})
        for _ in range(number // len(box.cities)):
            name, kind = draw.choice(unique), draw.choice(sorted(_TOOLS))
            found = box.nearby(city, kind, box.find(city, name, "attractions"), K, _RADIUS_M[kind])
            asked.append(Question(city, name, kind, tuple(n.place.place_id for n in found)))
    draw.shuffle(asked)
    return asked


def sensible(box: Sandbox, asked: Sequence[Question]) -> list[Question]:
    """Keep only requests whose name belongs to exactly one place, because a call identifies the
    place only by its name.
    """
    kept = []
    for question in asked:
        try:
            box.find(question.city, question.name)
        except ValueError:
            continue
        kept.append(question)
    return kept


async def _client(
    port: int, asked: Sequence[Question], first: int, until: float, tally: ClientTally
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    at = first
    while time.perf_counter() < until:
        question = asked[at % len(asked)]
        at += CLIENTS
        began = time.perf_counter()
        writer.write(question.request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        tally.seconds.append(time.perf_counter() - began)
        # The clients check only the names in each answer: parsing all of it would measure the
        # clients instead of the server.
        good = head.startswith(b"HTTP/1.1 200")
        tally.wrong += not (good and all(one.encode() in body for one in question.expected))
    writer.close()


async def _all(port: int, asked: Sequence[Question], seconds: float) -> ClientTally:
    tally = ClientTally()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(_client(port, asked, n, until, tally) for n in range(CLIENTS)))
    return tally


def over_http(
    snapshot: Path, asked: Sequence[Question], seconds: float
) -> tuple[ClientTally, int, float]:
    """Return the clients' results, the number of lines in the log, and the seconds used."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "calls.jsonl"
        command = [
            sys.executable,
            "-m",
            "flows.cli",
            "sandbox",
            "serve",
            str(snapshot),
            "--port",
            "0",
            "--log",
            str(log),
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().split("/ ")[0].rsplit(":", 1)[1])
            began = time.perf_counter()
            tally = asyncio.run(_all(port, asked, seconds))
            took = time.perf_counter() - began
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
        lines = sum(
            len(file.read_text(encoding="utf-8").splitlines())
            for file in Path(folder).glob("calls.jsonl*")
        )
    return tally, lines, took


def in_process(
    snapshot: Path, source: Path, asked: Sequence[Question], seconds: float
) -> list[float]:
    """Return the CPU seconds of each call that ChinaTravel's own code answers on an export.

    CPU time excludes the time that other programs take on the machine. Raises Missing if
    ChinaTravel's code cannot be loaded.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "export"
        export(snapshot, "chinatravel", out)
        assemble(source, out, Path(folder))
        world = load(snapshot, out)
        zh = {slug: name for name, slug in world.cities.items()}
        found, until = [], time.perf_counter() + seconds
        for question in asked:
            tool: Any = world.tools[_TOOLS[question.table]]
            if time.perf_counter() > until:
                break
            began = time.process_time()
            tool.nearby(zh[question.city], question.name, K, _RADIUS_M[question.table] / 1000)
            found.append(time.process_time() - began)
    return found


def _wrong_told(wrong: int) -> str:
    if not wrong:
        return "For every call, the HTTP server and the sandbox in Python return the same places."
    return (
        f"For {wrong:,} calls, the HTTP server and the sandbox in Python return different places."
    )


def main() -> int:
    """Measure, print the table and, with ``--write``, write it to the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--chinatravel", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    box = Sandbox(options.snapshot)
    asked = sensible(box, questions(box))
    tally, lines, took = over_http(options.snapshot, asked, options.seconds)
    rate = len(tally.seconds) / took
    rows = [[
        f"HTTP, {CLIENTS} clients", f"{len(tally.seconds):,}", f"{rate:,.0f}",
        *(f"{1000 * q:.1f}" for q in np.quantile(tally.seconds, (0.5, 0.95))),
    ]]  # fmt: skip
    told = ""
    if options.chinatravel:
        try:
            theirs = in_process(options.snapshot, options.chinatravel, asked, options.seconds / 10)
        except Missing as error:
            sys.stderr.write(f"ChinaTravel's own code was not measured: {error}\n")
        else:
            own = len(theirs) / sum(theirs)
            rows.append([
                "ChinaTravel's own code, without HTTP", f"{len(theirs):,}", f"{own:,.1f}",
                *(f"{1000 * q:.1f}" for q in np.quantile(theirs, (0.5, 0.95))),
            ])  # fmt: skip
            told = (
                f"Over HTTP, tripbed answers {rate / own:.0f} times as many calls per second as"
                " ChinaTravel's own code does without HTTP. "
            )
    body = table(
        [
            "`nearby`, the ten nearest",
            "calls",
            "calls per second",
            "median ms",
            "95th percentile, ms",
        ],
        rows,
    )
    body += (
        f"\n{told}Each call requests the ten places nearest to a given place in one of"
        f" {len(box.cities)} cities. {_wrong_told(tally.wrong)} The server's log contains"
        f" {count_of(lines, len(tally.seconds), 'calls')}.\n"
    )
    sys.stdout.write(body)
    if options.write:
        command = (
            "python -m benchmarks.agent_tools SNAPSHOT --chinatravel DIR --seconds"
            f" {options.seconds:g} --write"
        )
        write_section("Tools for agents", command, body)
    return 1 if tally.wrong or lines != len(tally.seconds) else 0


if __name__ == "__main__":
    raise SystemExit(main())
