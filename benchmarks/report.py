"""Write the figures of a benchmark to the benchmark pages, ``docs/benchmarks/*.md``.

Each benchmark writes its own section on one of the pages, and leaves the other sections unchanged.
"""

from __future__ import annotations

import csv
import datetime as dt
import os
import platform
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGES = Path(__file__).resolve().parents[1] / "docs" / "benchmarks"
#: The page for new sections.
_NEW = "running.md"
_WIDTH = 110
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def shared_folder(needed: str) -> Path:
    """Return the folder with shared data: TRIPBED_SHARED, or ``shared`` beside the project.

    Raises SystemExit with code 2 if the folder does not contain the path ``needed``.
    """
    beside = Path(__file__).resolve().parents[2] / "shared"
    shared = Path(os.environ.get("TRIPBED_SHARED", beside))
    if not (shared / needed).exists():
        sys.stderr.write(
            f"{shared} does not contain {needed}: set TRIPBED_SHARED to the folder that"
            " contains the shared data\n"
        )
        raise SystemExit(2)
    return shared


def write_section(title: str, command: str, body: str, pages: Path = PAGES) -> None:
    """Write a section with the date, machine, command and figures, or replace the existing one."""
    heading = f"## {title}"
    page = next((page for page in sorted(pages.glob("*.md")) if heading in _headings(page)), None)
    page = page or pages / _NEW
    head, *sections = re.split(r"^(?=## )", page.read_text("utf-8"), flags=re.MULTILINE)
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    measured = _wrap(f"These figures were measured on {today} {machine()}.")
    held = {section.split("\n", 1)[0]: section.strip() + "\n" for section in sections}
    held[heading] = f"{heading}\n\n{measured}\n\n```sh\n{command}\n```\n\n{_wrap(body.strip())}\n"
    page.write_text("\n".join([head.strip() + "\n", *held.values()]), encoding="utf-8")


def _wrap(text: str) -> str:
    """Wrap the lines of paragraphs and list items, but not headings, tables and code blocks."""
    lines, in_code = [], False
    for line in text.split("\n"):
        fence = line.startswith("```")
        in_code ^= fence
        if in_code or fence or len(line) <= _WIDTH or line.startswith(("|", "#")):
            lines.append(line)
            continue
        item = _ITEM.match(line)
        lines += textwrap.wrap(
            line,
            _WIDTH,
            subsequent_indent=" " * item.end() if item else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def _headings(page: Path) -> list[str]:
    return page.read_text(encoding="utf-8").splitlines()


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table with all columns after the first aligned to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def count_of(part: int, whole: int, noun: str) -> str:
    """Express a count in words, such as "all 28 shards", "27 of 28 shards" or "none of the 28
    shards".
    """
    if part == whole:
        return f"all {whole:,} {noun}"
    return f"{part:,} of {whole:,} {noun}" if part else f"none of the {whole:,} {noun}"


def write_weights(path: Path, weights: Iterable[tuple[str, str]]) -> None:
    """Replace the weights in a table, but keep the comments and the header line."""
    head: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        head.append(line)
        if line and not line.startswith("#"):
            break
    rows = ("\t".join(row) for row in weights)
    path.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")


def machine() -> str:
    """Describe this machine's Python version, processor, cores and memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    processor = _processor().removesuffix(" Processor")
    article = "an" if processor[0] in "AEIOU" else "a"
    return (
        f"with Python {platform.python_version()} on a machine with {article} {processor}"
        f" processor ({os.cpu_count()} cores) and {memory:.0f} GiB of memory"
    )


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1].strip() if named else platform.machine()


def same_places() -> list[tuple[str, str]]:
    """Return pairs of names for the same place: one from a careful reading and one from a table.

    Two readers decided that both names in a pair belong to the same place. The readers saw these
    pairs mixed with an equal number of pairs of names for different places.
    """
    with Path(__file__).with_name("same_places.csv").open(encoding="utf-8", newline="") as file:
        return [
            (row["name"], row["name_of_table"])
            for row in csv.DictReader(file)
            if row["first_reader"] == row["second_reader"] == "yes"
        ]
