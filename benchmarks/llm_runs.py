"""Test the model engine with a simulated server: kills, limits, and the accuracy of the estimate.

    python -m benchmarks.llm_runs --documents DIR --kills 20 --write

* Kills: the run kills ``tripbed extract --engine openai`` at random moments (with a fixed seed),
  and restarts it after each kill until it finishes. For the kills, the run counts repeated
  requests, and requests that were sent again although their answers had been committed. After the
  kills, the run also compares the output with that of an undisturbed run.
* Limits: the server limits the requests or tokens per minute. For the limits, the run measures the
  share of the limit that the engine used, and the number of lost answers.
* Estimate: the run compares the estimated requests and tokens for a sample of the documents with
  the actual ones.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.llm_server import serve
from benchmarks.report import table, write_section
from extractors.llm import Ledger, LLMSettings, OpenAIEngine, TokenPrices
from extractors.read import TASK_NAMES, read_all, read_in_one_form
from flows.models.counting import CountingEngine
from schemas.tasks import DocumentInput
from sources.web.corpus import read_folder
from sources.web.errors import UnreadableDocument

_ROOT = Path(__file__).resolve().parents[1]


_KILLS = (
    "The benchmark killed `tripbed extract --engine openai` at random moments and restarted it"
    " until it finished. The benchmark then compared the output with that of an uninterrupted run."
)
_LIMITS = (
    "A simulated model server limits the number of requests or tokens per minute. The table shows"
    " what share of the limit the engine used and how many answers were lost."
)
_SLICE = (
    "The benchmark estimates how many requests and tokens are needed to read a sample of the"
    " documents, and then reads this sample with a simulated model server."
)


def copy_slice(source: Path, target: Path, step: int) -> int:
    """Copy every ``step``-th document, and return the number of copies."""
    files = sorted(
        p for p in source.rglob("*") if p.is_file() and p.suffix in (".md", ".html", ".txt")
    )
    chosen = files[::step]
    for path in chosen:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    return len(chosen)


def extract(url: str, documents: Path, home: Path, engine: str) -> subprocess.Popen[bytes]:
    """Start an extraction with its ledger and output in the folder ``home``."""
    env = {
        **os.environ,
        "OPENAI_BASE_URL": url,
        "OPENAI_MODEL": "counting",
        "TRIPBED_LEDGER": str(home / "ledger.sqlite"),
        "TRIPBED_LLM_CONCURRENCY": "4",
    }
    command = [sys.executable, "-m", "flows.cli", "extract", "--documents", str(documents),
               "--out", str(home / "out.jsonl"), "--engine", engine, "--json"]  # fmt: skip
    return subprocess.Popen(
        command, cwd=_ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def state_of(url: str) -> dict[str, Any]:
    """Return the server's counts."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def kills(documents: Path, number: int, work: Path, engine: str = "openai") -> dict[str, Any]:
    """Kill a run at random moments until it finishes, and compare it with an undisturbed run."""
    server, _state = serve(0.4)
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    calm = work / "calm"
    calm.mkdir()
    run = extract(url, documents, calm, engine)
    _out, problem = run.communicate()
    if run.returncode:
        raise RuntimeError(problem.decode())
    needed = state_of(url)["requests"]
    server.shutdown()
    server, state = serve(0.4)
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    wild = work / "wild"
    wild.mkdir()
    draw, killed, paid_twice = random.Random(5), 0, 0
    while True:
        committed = ledger_keys(wild / "ledger.sqlite")
        sent_before = Counter(ledger_sent(wild / "ledger.sqlite"))
        run = extract(url, documents, wild, engine)
        if killed < number:
            more = state_of(url)["requests"] + draw.randint(1, 4)
            while run.poll() is None and state_of(url)["requests"] < more:
                time.sleep(0.02)
            time.sleep(draw.random() * 0.5)
            if run.poll() is None:
                run.send_signal(signal.SIGKILL)
                killed += 1
        _out, problem = run.communicate()
        sent = ledger_sent(wild / "ledger.sqlite")
        paid_twice += sum(sent.get(key, 0) > sent_before.get(key, 0) for key in committed)
        if run.returncode == 0:
            break
        if run.returncode != -signal.SIGKILL:
            raise RuntimeError(problem.decode())
    counted = state_of(url)
    server.shutdown()
    ledger = Ledger(wild / "ledger.sqlite")
    repeated = ledger.count_lost()[0]
    same = (calm / "out.jsonl").read_bytes() == (wild / "out.jsonl").read_bytes()
    assert state is not None
    return {
        "kills": killed,
        "requests needed": needed,
        "requests that arrived": counted["requests"],
        "committed answers requested again": paid_twice,
        "repeated requests that the server received": counted["repeated"],
        "repeated requests that the ledger counted": repeated,
        "maximum possible number of interrupted requests (4 per kill)": 4 * killed,
        "output equal": same,
    }


def ledger_keys(path: Path) -> set[str]:
    """Return the keys of requests with a committed answer."""
    if not path.exists():
        return set()
    with sqlite3.connect(path) as connection:
        try:
            return {row[0] for row in connection.execute("select key from requests")}
        except sqlite3.OperationalError:
            return set()


def ledger_sent(path: Path) -> dict[str, int]:
    """Return how often each request was sent."""
    if not path.exists():
        return {}
    with sqlite3.connect(path) as connection:
        try:
            return dict(connection.execute("select key, times from sent"))
        except sqlite3.OperationalError:
            return {}


def items_of(documents: Path) -> list[DocumentInput]:
    """Return the readable documents in a folder and its subfolders."""
    corpus = read_folder([documents])
    found = []
    for file in corpus.files:
        try:
            found.append(DocumentInput(document=corpus.load(file)))
        except UnreadableDocument:
            continue
    return found


def limits(
    documents: Path, work: Path, requests: int | None, tokens: int | None, *, told: bool
) -> dict[str, Any]:
    """Test the engine with limits that it knows (``told``) or learns only from status 429."""
    server, state = serve(0.2, requests, tokens)
    for bucket in state.buckets:
        bucket.level = 0.0
    free = TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
    settings = LLMSettings(
        base_url=f"http://127.0.0.1:{server.server_address[1]}/v1", model="counting", prices=free,
        concurrency=8, requests_per_minute=requests if told else None,
        tokens_per_minute=tokens if told else None,
    )  # fmt: skip
    place = work / f"limits-{requests}-{tokens}-{told}.sqlite"
    engine = OpenAIEngine(settings, Ledger(place))
    began = time.monotonic()
    lost = sum(
        bool(aside and any("part" in u.what or u.what in TASK_NAMES for u in aside))
        for _i, _r, aside in read_all(engine, items_of(documents), read_in_one_form)
    )
    seconds = time.monotonic() - began
    server.shutdown()
    used = state.tokens_in + state.tokens_out
    shares = []
    if requests:
        shares.append(sum(state.seen.values()) / (requests * seconds / 60))
    if tokens:
        shares.append(used / (tokens * seconds / 60))
    return {
        "limit": (
            f"{requests} requests per minute, no limit on tokens"
            if requests
            else f"no limit on requests, {tokens} tokens per minute"
        ),
        "known to the engine": told,
        "seconds": round(seconds, 1),
        "requests": sum(state.seen.values()),
        "answers with status 429": state.limited,
        "share of the limit used": f"{100 * max(shares):.1f} %",
        "lost": lost,
    }


def slice_run(part: Path) -> dict[str, Any]:
    """Estimate the requests and tokens for some documents, and compare them with a run."""
    items = items_of(part)
    server, state = serve(0.0)
    free = TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    settings = LLMSettings(base_url=url, model="counting", prices=free)
    with tempfile.TemporaryDirectory() as place:
        counting = CountingEngine(settings, Ledger(Path(place) / "counted.sqlite"))
        asking = OpenAIEngine(settings, Ledger(Path(place) / "ledger.sqlite"))
        for engine in (counting, asking):
            for _found in read_all(engine, items, read_in_one_form):
                pass
    server.shutdown()
    estimated = [tally.spent for tally in counting.tallies.values()]
    planned = sum(f.tokens_in + f.tokens_out for f in estimated)
    used = state.tokens_in + state.tokens_out
    return {"documents of the slice": len(items),
            "requests estimated": sum(f.requests for f in estimated),
            "requests sent": sum(state.seen.values()), "tokens estimated": planned,
            "tokens used": used, "difference": f"{100 * (planned / used - 1):+.1f} %"}  # fmt: skip


def main() -> None:
    """Measure, print and, with ``--write``, write the sections."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--step", type=int, default=10, help="use every n-th document")
    parser.add_argument("--only", choices=["kills", "limits", "slice"])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    bodies: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        number = copy_slice(options.documents, work / "docs", options.step)
        if options.only in (None, "kills"):
            found = kills(work / "docs", options.kills, work)
            figures = table(["figure", "value"], found.items())
            bodies["Kill -9 during a run of a model"] = f"{_KILLS}\n\n{figures}"
        if options.only in (None, "limits"):
            rows = [
                limits(work / "docs", work, 60, None, told=True),
                limits(work / "docs", work, None, 90_000, told=True),
                limits(work / "docs", work, 60, None, told=False),
                limits(work / "docs", work, None, 90_000, told=False),
            ]
            figures = table(list(rows[0]), [list(row.values()) for row in rows])
            bodies["Rate limits of a model server"] = f"{_LIMITS}\n\n{figures}"
        if options.only in (None, "slice"):
            copy_slice(options.documents, work / "slice", 5)
            body = table(["figure", "value"], slice_run(work / "slice").items())
            bodies["The estimate against a run of a slice"] = f"{_SLICE}\n\n{body}"
    for title, body in bodies.items():
        print(f"{title} ({number} documents)\n\n{body}")
        if options.write:
            write_section(title, "python -m benchmarks.llm_runs --documents DIR --write", body)


if __name__ == "__main__":
    main()
