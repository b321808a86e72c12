"""Fetch pages from 20 local hosts to measure the request rate, the memory use and the effect of
killing the fetcher.

    python -m benchmarks.fetching [--delay 0.4] [--delay-many 0.2] [--write]

The hosts are 127.0.0.2 to 127.0.0.21, and a separate process serves them. The politeness rules
allow one request to each host every DELAY seconds, so 20 / DELAY requests per second in total.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.report import count_of, table, write_section
from schemas.nouns import count_noun
from sources.web.archive import Archive
from sources.web.fetch import crawl
from sources.web.fetch_types import FetchSettings, FetchVisit

_HOSTS = [f"127.0.0.{at}" for at in range(2, 22)]
_PARAGRAPH = "<p>The path climbs past the pavilion to a view over the lake and the old town.</p>"
_PAGE_PARAGRAPHS = 120


async def serve(port: int, log: Path) -> None:
    """Answer every path on every host, and log one line for each request."""
    with log.open("a", buffering=1) as stream:

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            host = writer.get_extra_info("sockname")[0]
            try:
                while True:
                    request = await reader.readuntil(b"\r\n\r\n")
                    path = request.split(b" ", 2)[1].decode()
                    stream.write(f"{time.monotonic():.6f} {host} {path}\n")
                    body = _body(host, path)
                    status = "404 Not Found" if path == "/robots.txt" else "200 OK"
                    head = (
                        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n"
                    )
                    writer.write(head.encode() + body)
                    await writer.drain()
            except (asyncio.IncompleteReadError, ConnectionError):
                pass
            finally:
                writer.close()

        servers = [await asyncio.start_server(handle, host, port) for host in _HOSTS]
        print("ready", flush=True)
        await asyncio.gather(*(server.serve_forever() for server in servers))


def _body(host: str, path: str) -> bytes:
    title = f"{host}{path}"
    head = f"<html><title>{title}</title><h1>{title}</h1>"
    return f"{head}{_PARAGRAPH * _PAGE_PARAGRAPHS}</html>".encode()


def run_client(port: int, pages: int, delay_s: float, folder: Path) -> None:
    """Fetch the pages missing from the archive; print the time, outcomes and memory use as JSON."""
    each = pages // len(_HOSTS)
    urls = [f"http://{host}:{port}/p/{at}" for at in range(each) for host in _HOSTS]
    settings = FetchSettings(allow_hosts=frozenset(_HOSTS), delay_s=delay_s, total_timeout_s=20.0)
    outcomes: Counter[str] = Counter()
    with Archive(folder) as archive:
        due = archive.due(urls)
        started = time.perf_counter()

        def keep(visit: FetchVisit) -> None:
            outcomes[archive.add(visit).outcome] += 1

        asyncio.run(crawl(due, settings, keep))
        seconds = time.perf_counter() - started
        print(
            json.dumps({
                "asked": len(due), "seconds": seconds, "outcomes": dict(outcomes),
                "held": len(archive),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }),
            flush=True,
        )  # fmt: skip


def _client(port: int, pages: int, delay_s: float, folder: Path) -> subprocess.Popen[str]:
    arguments = ["--client", str(port), "--pages", str(pages), "--delay", str(delay_s)]
    command = [sys.executable, "-m", "benchmarks.fetching", *arguments, "--folder", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _read_result(client: subprocess.Popen[str]) -> dict[str, object]:
    out, _ = client.communicate()
    found: dict[str, object] = json.loads(out.splitlines()[-1])
    return found


def _starts(log: Path) -> dict[str, list[float]]:
    """Return the times of the requests to each host, excluding requests for robots.txt."""
    starts: dict[str, list[float]] = {host: [] for host in _HOSTS}
    for line in log.read_text().splitlines():
        moment, host, path = line.split(" ", 2)
        if path != "/robots.txt":
            starts[host].append(float(moment))
    return starts


def rate_share(log: Path, delay_s: float) -> tuple[float, float]:
    """Return the share of the allowed request rate that was used, and the shortest time in seconds
    between two requests to the same host.
    """
    starts = _starts(log)
    spans = sum(moments[-1] - moments[0] for moments in starts.values())
    gaps = sum(len(moments) - 1 for moments in starts.values())
    shortest = min(b - a for m in starts.values() for a, b in itertools.pairwise(m))
    return gaps * delay_s / spans, shortest


def measure(
    pages: int, many: int, delay_s: float, delay_many_s: float, port: int, work: Path
) -> str:
    """Run the three measurements, and return the text of the section for the benchmark page."""
    rows = []
    for n_pages, gap_s in ((pages, delay_s), (many, delay_many_s)):
        log = work / f"log-{n_pages}"
        server = _server(port, log)
        try:
            facts = _read_result(_client(port, n_pages, gap_s, work / f"archive-{n_pages}"))
        finally:
            server.terminate()
            server.wait()
        share, shortest = rate_share(log, gap_s)
        rows.append([
            f"{n_pages:,}", f"{gap_s} s", f"{facts['seconds']:.1f}", f"{100 * share:.1f} %",
            f"{1000 * shortest:.1f} ms", f"{facts['peak_mb']:.0f} MB", facts["outcomes"],
        ])  # fmt: skip
        print(rows[-1], flush=True)
    head = [
        "pages",
        "delay",
        "seconds",
        "share of the allowed rate that was used",
        "shortest gap",
        "peak memory",
        "outcomes",
    ]
    return table(head, rows) + "\n" + _kill_and_resume(pages, delay_s, port, work)


def _kill_and_resume(pages: int, delay_s: float, port: int, work: Path) -> str:
    log, folder = work / "log-killed", work / "archive-killed"
    server = _server(port, log)
    try:
        first = _client(port, pages, delay_s, folder)
        time.sleep(1.0 + pages / len(_HOSTS) * delay_s / 2)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        with Archive(folder, read_only=True) as archive:
            held = {row.url.split("/", 3)[2].split(":")[0] + " /" + row.url.split("/", 3)[3]
                    for row in archive.rows()}  # fmt: skip
        before = sum(map(len, _starts(log).values()))
        facts = _read_result(_client(port, pages, delay_s, folder))
    finally:
        server.terminate()
        server.wait()
    lines = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    asked = Counter(line for line in lines if not line.endswith("/robots.txt"))
    stored_twice = sum(asked[name] > 1 for name in held)
    in_flight = sum(count > 1 for count in asked.values()) - stored_twice
    twice = count_noun(stored_twice, "archived page") if stored_twice else "no archived page"
    text = (
        f"The fetcher was killed (SIGKILL) after {before:,} requests, when the archive contained"
        f" {len(held):,} pages. The second run requested {facts['asked']:,} pages, and the archive"
        f" then contained {count_of(int(str(facts['held'])), pages, 'pages')}. The fetcher"
        f" requested {twice} twice. It repeated the request for"
        f" {count_noun(in_flight, 'unfinished page')}, because the kill had interrupted the"
        " download.\n"
    )
    print(text, flush=True)
    return text


def _server(port: int, log: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.fetching", "--serve", str(port), str(log)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    server.stdout.readline()
    return server


def main() -> int:
    """Run and print the measurements; with ``--write``, write them to the benchmark page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--many", type=int, default=20_000)
    parser.add_argument("--delay", type=float, default=0.4)
    parser.add_argument("--delay-many", type=float, default=0.2)
    parser.add_argument("--port", type=int, default=18_643)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--client", type=int, metavar="PORT", help=argparse.SUPPRESS)
    parser.add_argument("--serve", nargs=2, metavar=("PORT", "LOG"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(int(given.serve[0]), Path(given.serve[1])))
    elif given.client:
        run_client(given.client, given.pages, given.delay, given.folder)
    else:
        with tempfile.TemporaryDirectory() as work:
            load = os.getloadavg()[0]
            body = measure(
                given.pages, given.many, given.delay, given.delay_many, given.port, Path(work)
            )
        body += (
            "\nThe fetched pages are on 20 hosts. The column *delay* shows how long the fetcher"
            " waits between requests to the same host. Before the run, the load average of the"
            f" machine was {load:.1f}.\n"
        )
        if given.write:
            write_section("Fetching", "python -m benchmarks.fetching --write", body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
