"""Build ten cities twice from careful readings: once through a model server, and once directly.

    python -m benchmarks.careful_build [--write]

The documents with a recorded careful reading are shared data (``TRIPBED_SHARED``). The run builds
the documents into two snapshots. The first build uses the engine ``openai`` with a model server
that answers each request from the recorded reading (``benchmarks.careful_answers``). The second
build uses ``--readings``. The run then compares the places and stops in both snapshots with the
readings (``benchmarks.truth``). A person's reading is stronger evidence for a new place than a
model's reading is, so the second build finds more places.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.careful_answers import careful_answers
from benchmarks.llm_server import ServerState, serve
from benchmarks.report import shared_folder, table, write_section
from benchmarks.truth import PublishedVisits, labels_of_readings, measure_visits
from sources.web.corpus import read_folder

ROOT = Path(__file__).resolve().parents[1]
CITIES = ("北京", "上海", "杭州", "苏州", "南京", "成都", "重庆", "广州", "深圳", "武汉")


def gather(readings: Path, documents: Path, target: Path) -> Path:
    """Copy to a folder the documents that have a reading, and return the folder."""
    for line in readings.read_text(encoding="utf-8").splitlines():
        path = json.loads(line)["doc"]
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(documents / path, target / path)
    return target


def build(folder: Path, documents: Path, tables: Path, *more: str, **environment: str) -> int:
    """Build the ten cities into ``folder`` and return the exit code."""
    command = [sys.executable, "-m", "flows.cli", "build", "--direct", "--profile", "folder"]
    command += [part for city in CITIES for part in ("--city", city)]
    command += ["--documents", str(documents), "--tables", str(tables)]
    command += ["--tables-format", "traveleval", "--workspace", str(folder / "work")]
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        done = subprocess.run(
            [*command, "--out", str(folder / "out"), *more],
            cwd=ROOT, stdout=log, stderr=log, env={**os.environ, **environment}, check=False,
        )  # fmt: skip
    return done.returncode


def by_model(
    folder: Path, documents: Path, tables: Path, readings: Path
) -> tuple[int, ServerState]:
    """Build with a model server that answers from the readings; return the exit code and the
    server's counts.
    """
    corpus = read_folder([documents])
    server, state = serve(0.0, answer=careful_answers(readings, map(corpus.load, corpus.files)))
    try:
        code = build(
            folder, documents, tables, "--engine", "openai",
            OPENAI_BASE_URL=f"http://127.0.0.1:{server.server_address[1]}/v1",
            OPENAI_MODEL="careful", OPENAI_API_KEY="k", TRIPBED_LLM_ONE_REQUEST="1",
            TRIPBED_LEDGER=str(folder / "ledger.sqlite"),
        )  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
    return code, state


def row_of(name: str, code: int, seconds: float, snapshot: Path, readings: Path) -> list[Any]:
    """Return a table row that compares the places and stops in a snapshot with the readings."""
    published = PublishedVisits(snapshot)
    lines = readings.read_text(encoding="utf-8").splitlines()
    visits = measure_visits(published, labels_of_readings(lines))
    return [
        name,
        code,
        f"{seconds:.0f}",
        len(published.from_documents()),
        visits.right,
        visits.published,
        f"{visits.right / max(1, visits.published):.3f}",
        visits.labelled,
        f"{visits.right / max(1, visits.labelled):.3f}",
        len(visits.elsewhere),
    ]


def main() -> None:
    """Build twice and compare the results; the exit code is 1 if a build fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    data = shared_folder("data/readings/careful.jsonl") / "data"
    readings = data / "readings" / "careful.jsonl"
    tables = data / "traveleval" / "environment" / "database"
    rows, codes = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        documents = gather(readings, data / "docs", folder / "documents")
        for name in ("model", "readings"):
            (folder / name).mkdir()
            began = time.monotonic()
            if name == "model":
                code, state = by_model(folder / name, documents, tables, readings)
            else:
                code = build(folder / name, documents, tables, "--readings", str(readings))
            seconds = time.monotonic() - began
            codes.append(code)
            if code:
                sys.stderr.write((folder / name / "log.txt").read_text(encoding="utf-8"))
            else:
                snapshot = (folder / name / "out" / "latest").resolve()
                rows.append(row_of(name, code, seconds, snapshot, readings))
    header = ["read by", "exit code", "seconds", "places from documents alone", "stops right",
              "published", "precision", "labelled", "recall", "in another city"]  # fmt: skip
    body = (
        f"The model received {sum(state.seen.values())} requests and used {state.tokens_in:,} input"
        f" tokens and {state.tokens_out:,} output tokens.\n\n{table(header, rows)}"
    )
    sys.stdout.write(body)
    if options.write:
        command = "python -m benchmarks.careful_build --write"
        write_section("Ten cities by recorded careful answers", command, body)
    sys.exit(any(codes))


if __name__ == "__main__":
    main()
