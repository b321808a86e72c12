"""Kill planner runs twice, resume them, and compare them with uninterrupted runs.

    python -m benchmarks.bench_runs SNAPSHOT [--limit 200] [--planners solver nearest direct react]
    [--write]

The planners ``direct`` and ``react`` send requests to a simulated model server on loopback. The
server answers each step with the next call from a fixed list, so its plans are poor. Each run is
killed (SIGKILL) twice, after a third and after two thirds of its queries have been planned, and is
then resumed until it finishes. The leaderboard of the killed run must be equal to that of a run
without kills. The server may answer a request again only if the request was in flight when a run
was killed. If any check fails, the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.llm_server import serve
from benchmarks.report import table, write_section

_CONCURRENCY = 4
_NOTE = (
    "Each run was killed (SIGKILL) and resumed twice, and then ran to completion. The column *equal"
    " tables* shows whether the leaderboard is the same as after an uninterrupted run. The server"
    " may answer a request again only if the request was in flight when a run was killed. The"
    " planners `direct` and `react` used a simulated model server, so their plans are poor."
)
_NAME = re.compile(r"^\d+\. (.+?)(?: \(| \[)", re.MULTILINE)


def answer_by_script(body: dict[str, Any]) -> dict[str, Any]:
    """Answer as the simulated model does: with a whole plan, or with the next of three steps."""
    shown = body["messages"][-1]["content"]
    days = int(re.search(r"Query \((\d+) days\)", shown)[1])  # type: ignore[index]  # every prompt says it
    plan = _plan(days, shown)
    if body["response_format"]["json_schema"]["name"] == "plan_at_once":
        return {"plan": plan}
    called = shown.count("\nAnswer: ")
    if called == 0:
        return _step("cities", {})
    city = re.findall(r"1\. (\S+) \(pays", shown)
    if called == 1:
        return _step(
            "select", {"city": city[0] if city else "?", "table": "attractions", "rows": 20}
        )
    if called == 2:
        return _step("neerby", {"where": "nowhere"})  # a wrong call, as models make them
    return _step("finish", {"plan": plan})


def _step(action: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"thought": "as scripted", "action": action, "arguments": arguments}


def _plan(days: int, shown: str) -> dict[str, Any]:
    """Make a plan in TP-RAG's form with two names per day, taken from the prompt."""
    names = list(dict.fromkeys(_NAME.findall(shown)))
    return {
        f"Day {day + 1}": [
            {"POI name": name, "Start visit time": "09:00", "End visit time": "11:00"}
            for name in names[2 * day : 2 * day + 2]
        ]
        for day in range(days)
    }


def _command(snapshot: Path, planner: str, out: Path, limit: int) -> list[str]:
    return [
        sys.executable, "-m", "flows.cli", "bench", "run", str(snapshot), "--planner", planner,
        "--out", str(out), "--limit", str(limit), "--name", planner,
    ]  # fmt: skip


def _count_planned(out: Path) -> int:
    file = out / "results.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def killed_at(command: list[str], out: Path, wanted: int, environment: dict[str, str]) -> int:
    """Start a run, kill it once ``wanted`` queries have been planned, and return the number of
    planned queries.
    """
    child = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while child.poll() is None and _count_planned(out) < wanted:
        time.sleep(0.02)
    child.kill()
    child.wait()
    return _count_planned(out)


def board(runs: list[Path]) -> Any:
    """Return the lines of the leaderboard for some runs."""
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "bench", "report", *map(str, runs), "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)["lines"]


def measure(snapshot: Path, planner: str, limit: int, folder: Path) -> tuple[list[object], bool]:
    """Return a table row, and whether the killed run passed every check."""
    server, state = serve(0.0, answer=answer_by_script)
    environment = {
        **os.environ,
        "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}/v1",
        "OPENAI_MODEL": "scripted",
        "OPENAI_API_KEY": "none",
        "TRIPBED_LLM_CONCURRENCY": str(_CONCURRENCY),
    }
    alone, broken = folder / f"{planner}-alone", folder / f"{planner}-killed"
    command = _command(snapshot, planner, broken, limit)
    ledgers = [
        {**environment, "TRIPBED_LEDGER": str(folder / f"{planner}-{n}.sqlite")} for n in (1, 2)
    ]
    kills = [killed_at(command, broken, limit * part // 3, ledgers[0]) for part in (1, 2)]
    subprocess.run(
        command, env=ledgers[0], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    again = sum(n - 1 for n in state.answered.values())
    began = time.perf_counter()
    subprocess.run(
        _command(snapshot, planner, alone, limit),
        env=ledgers[1],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    took = time.perf_counter() - began
    server.shutdown()
    server.server_close()
    equal = board([broken]) == board([alone])
    figures = board([alone])[0]["figures"]
    row: list[object] = [
        planner,
        _count_planned(alone),
        " and ".join(map(str, kills)),
        "yes" if equal else "NO",
        again,
        *(
            f"{figures[name]['mean']:.3f}" if name in figures else "–"
            for name in ("delivered", "passed")
        ),
        f"{took:.0f}",
    ]
    return row, equal and again <= 2 * _CONCURRENCY and _count_planned(broken) == _count_planned(
        alone
    )


def main() -> int:
    """Print the table and, with ``--write``, write it to the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--planners", nargs="+", default=["solver", "nearest", "direct", "react"])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows, good = [], True
    with tempfile.TemporaryDirectory() as folder:
        for planner in options.planners:
            row, held = measure(options.snapshot, planner, options.limit, Path(folder))
            sys.stderr.write(f"{row}\n")
            rows.append(row)
            good = good and held
    head = (
        "planner",
        "queries",
        "killed at query",
        "equal tables",
        "answered again",
        "delivered",
        "passed",
        "seconds without kills",
    )
    body = table(head, rows)
    sys.stdout.write(body)
    if options.write:
        write_section(
            "Runs of planners, killed and resumed",
            "python -m benchmarks.bench_runs SNAPSHOT --write",
            f"{_NOTE}\n\n{body}",
        )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
