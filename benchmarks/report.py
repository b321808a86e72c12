"""Write the page of measurements, ``docs/benchmarks.md``: one section per benchmark.

A benchmark writes its own section; the others stay as they are.
"""

from __future__ import annotations

import csv
import datetime as dt
import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
_HEAD = """\
# Benchmarks

Each section gives the command that produces its figures. Times are in wall-clock seconds unless a
section says otherwise.
"""


def shared_folder(needed: str) -> Path:
    """The folder of real input: TRIPBED_SHARED, or ``shared`` beside the project.

    Raises SystemExit with 2 where ``needed``, a path below it, is not there.
    """
    beside = Path(__file__).resolve().parents[2] / "shared"
    shared = Path(os.environ.get("TRIPBED_SHARED", beside))
    if not (shared / needed).exists():
        sys.stderr.write(f"no shared data ({needed}): name their folder in TRIPBED_SHARED\n")
        raise SystemExit(2)
    return shared


def write_section(title: str, command: str, body: str, page: Path = PAGE) -> None:
    """Write or replace one section of the page: title, machine and date, command, figures."""
    text = page.read_text(encoding="utf-8") if page.exists() else _HEAD
    head, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    new = f"## {title}\n\n{today}, {machine()}.\n\n```sh\n{command}\n```\n\n{body.strip()}\n"
    held = {section.split("\n", 1)[0]: section.strip() + "\n" for section in sections}
    held[f"## {title}"] = new
    page.write_text("\n".join([head.strip() + "\n", *held.values()]), encoding="utf-8")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; columns after the first are aligned to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def write_weights(path: Path, weights: Iterable[tuple[str, str]]) -> None:
    """Put weights into their table; its remarks and the line of its header stay."""
    head: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        head.append(line)
        if line and not line.startswith("#"):
            break
    rows = ("\t".join(row) for row in weights)
    path.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")


def machine() -> str:
    """Processor, cores, memory and Python of this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = f"{os.cpu_count()} cores"
    return f"{_processor()}, {cores}, {memory:.0f} GiB, Python {platform.python_version()}"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1].strip() if named else platform.machine()


def same_places() -> list[tuple[str, str]]:
    """A name of a careful reading and the name under which a table has the place, where two
    readers, shown both among as many that are of different places, said that they are of one.
    """
    with Path(__file__).with_name("same_places.csv").open(encoding="utf-8", newline="") as file:
        return [
            (row["name"], row["name_of_table"])
            for row in csv.DictReader(file)
            if row["first_reader"] == row["second_reader"] == "yes"
        ]
