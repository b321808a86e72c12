"""Measure the tools over HTTP: 16 clients call ``nearby``, compared with ChinaTravel's own code.

    python -m benchmarks.agent_tools SNAPSHOT [--chinatravel DIR] [--seconds 60] [--write]

A server is started on loopback and asked by 16 clients at once, each with a connection of its own:
the ten nearest places of a table around a place that is drawn with seed 7. Nothing may be lost:
each request is answered, each answer is compared with the sandbox's own, and the log has a line for
each. ``DIR`` is a copy of ChinaTravel's public repository: its environment is then loaded with an
export of the snapshot, and asked the same for a tenth of the time, in process. Of its calls the
time of the processor is taken, of ours the wall's, so that other work on the machine counts against
us alone. Their code needs pandas, geopy and tqdm. Exit code 1 where anything was lost.
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
from benchmarks.report import table, write_section
from warehouse.export import export
from warehouse.sandbox import Sandbox

CLIENTS, K = 16, 10
_TOOLS = {"attractions": "Attractions", "restaurants": "Restaurants", "hotels": "Accommodations"}
_RADIUS_M = {"attractions": 2_000.0, "restaurants": 2_000.0, "hotels": 5_000.0}


@dataclass(frozen=True)
class Question:
    """The nearest places of a table around a place, and what the sandbox says of them."""

    city: str
    name: str
    table: str
    expected: tuple[str, ...]

    @property
    def request(self) -> bytes:
        """The request as it goes over the wire."""
        body = json.dumps({
            "city": self.city, "where": self.name, "table": self.table, "k": K,
            "radius_m": _RADIUS_M[self.table],
        }).encode()  # fmt: skip
        head = (
            "POST /tools/nearby HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        )
        return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


@dataclass
class Tally:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    wrong: int = 0


def questions(box: Sandbox, number: int = 2_000) -> list[Question]:
    """Questions about named places of all cities, drawn with seed 7."""
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
    """Questions whose name stands for one place in all tables, as a caller by name needs."""
    kept = []
    for question in asked:
        try:
            box.find(question.city, question.name)
        except ValueError:
            continue
        kept.append(question)
    return kept


async def _client(
    port: int, asked: Sequence[Question], first: int, until: float, tally: Tally
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
        # Every answer is looked at; taking all of it apart would be the clients' time, not the
        # server's.
        good = head.startswith(b"HTTP/1.1 200")
        tally.wrong += not (good and all(one.encode() in body for one in question.expected))
    writer.close()


async def _all(port: int, asked: Sequence[Question], seconds: float) -> Tally:
    tally = Tally()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(_client(port, asked, n, until, tally) for n in range(CLIENTS)))
    return tally


def over_http(
    snapshot: Path, asked: Sequence[Question], seconds: float
) -> tuple[Tally, int, float]:
    """What the clients saw, the lines of the log, and the seconds that it took."""
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
    """Seconds of the processor of each of ChinaTravel's own calls on an export. Raises Missing.

    A machine that others use makes a call wait; what is counted in their favour is its work alone.
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


def main() -> int:
    """Print the table, or write it to the page."""
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
            sys.stderr.write(f"ChinaTravel's call is not measured: {error}\n")
        else:
            own = len(theirs) / sum(theirs)
            rows.append([
                "ChinaTravel's own code, in the same process", f"{len(theirs):,}", f"{own:,.1f}",
                *(f"{1000 * q:.1f}" for q in np.quantile(theirs, (0.5, 0.95))),
            ])  # fmt: skip
            told = (
                f"\nHTTP, with all its overhead, serves {rate / own:.0f} times as many calls as"
                " ChinaTravel's own code.\n"
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
        f"{told}\n"
        f"The calls ask about places in"
        f" {len(box.cities)} cities. Of the answers,"
        f" {tally.wrong} differ from the sandbox's. The log has {lines:,} lines.\n"
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
