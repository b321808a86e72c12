"""Compare the main text of rendered HTML pages with the Markdown from which they were rendered.

    python -m benchmarks.main_text [DOCS]

DOCS is a folder with pairs of files below ``html/<site>/`` and ``guides_zh/<site>@…/``. The default
for DOCS is the folder of documents in the shared data (``TRIPBED_SHARED``). The run prints the F1
of tokens (Chinese characters and words, as multisets), the recall of headings, list items and table
rows as blocks, and the pages per second. The run also prints these figures for ``get_text`` of
BeautifulSoup and, if they are installed, for trafilatura and resiliparse. The two files of a pair
come from slightly different revisions, so an F1 of 1.0 cannot be reached.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.report import table as markdown_table
from benchmarks.report import write_section
from sources.web.main_text import as_markdown, parse_document

TWINS = "Mumu99__Tourism-plan"
_TOKEN = re.compile("[\u4e00-\u9fff]|[A-Za-z0-9]+")
_TAG = re.compile(r"<[^>]+>|:[a-z_]+:|^:::.?\s*\w*", re.MULTILINE)
_KINDS = {
    "heading": r"^#+\s+(.+)$", "list_item": r"^\s*(?:[-*]|\d+\.)\s+(.+)$",
    "table_row": r"^\s*\|(?!\s*:?-)(.+)\|\s*$",
}  # fmt: skip
_SECONDS = 2.0

Extractor = Callable[[bytes], str]


def shared_docs() -> Path:
    """Return the folder of documents in the shared data."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("TRIPBED_SHARED", beside)) / "data" / "docs"


def twins(docs: Path) -> list[tuple[Path, Path]]:
    """Return the pairs of an HTML page and its Markdown source, sorted by name."""
    pages = sorted((docs / "html" / TWINS).glob("*.html"))
    sources = {path.name.split("docs__")[-1]: path for path in docs.glob(f"guides_zh/{TWINS}*/*")}
    return [(page, sources[f"{page.stem}.md"]) for page in pages if f"{page.stem}.md" in sources]


def dated_twins(docs: Path) -> list[tuple[Path, Path]]:
    """Return the pairs of files with a date in their names, which test only the structure."""
    found = []
    for source in sorted(docs.glob("guides_zh/*/*.md")):
        slug = re.search(r"\d{4}-\d{2}-\d{2}-.+(?=\.md$)", source.name)
        for page in sorted((docs / "html" / source.parent.name).glob("*.html")):
            if slug and f"__{slug[0].lower()}__" in page.name.lower():
                found.append((page, source))
    return found


def token_f1(found: str, wanted: str) -> float:
    """Return the harmonic mean of the precision and recall of tokens, as multisets."""
    left, right = Counter(_TOKEN.findall(found)), Counter(_TOKEN.findall(wanted))
    both = (left & right).total()
    return 2 * both / (left.total() + right.total()) if both else 0.0


def structure_recall(page: bytes, markdown: str) -> dict[str, tuple[int, int]]:
    """For each kind of block, return how many blocks of the Markdown are also in the page, and how
    many blocks the Markdown has.
    """
    document = parse_document(page, "page.html")
    recall = {}
    for kind, pattern in _KINDS.items():
        kinds = ("heading", "title") if kind == "heading" else (kind,)
        found = [_letters(block.text) for block in document.blocks if block.kind in kinds]
        wanted = [_letters(_TAG.sub("", text)) for text in re.findall(pattern, markdown, re.M)]
        hits = sum(any(token_f1(text, other) >= 0.6 for other in found) for text in wanted)
        recall[kind] = (hits, len(wanted))
    return recall


def extractors() -> dict[str, Extractor]:
    """Return tripbed's extractor and the other extractors that are installed."""
    from bs4 import BeautifulSoup

    found: dict[str, Extractor] = {
        "tripbed": lambda raw: as_markdown(raw, "page.html"),
        "tripbed, blocks": lambda raw: parse_document(raw, "page.html").text,
        "BeautifulSoup get_text": lambda raw: BeautifulSoup(raw, "lxml").get_text("\n"),
    }
    if find_spec("trafilatura"):
        import trafilatura

        found["trafilatura"] = lambda raw: (
            trafilatura.extract(raw.decode(), favor_recall=False) or ""
        )
        found["trafilatura, Markdown"] = lambda raw: (
            trafilatura.extract(raw.decode(), output_format="markdown") or ""
        )
    if find_spec("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        found["resiliparse"] = lambda raw: extract_plain_text(raw.decode(), main_content=True)
    return found


def pages_per_second(extract: Extractor, pages: list[bytes]) -> float:
    """Measure the pages per second over at least two seconds."""
    started, done = time.perf_counter(), 0
    while time.perf_counter() - started < _SECONDS:
        for page in pages:
            extract(page)
        done += len(pages)
    return done / (time.perf_counter() - started)


def main() -> int:
    """Print the comparison or write the section; the exit code is 2 if there are no pairs."""
    console = Console()
    given = [argument for argument in sys.argv[1:] if argument != "--write"]
    docs = Path(given[0]) if given else shared_docs()
    pairs = twins(docs)
    if not pairs:
        console.print(
            f"{docs} contains no HTML page with a Markdown version: give a folder that contains"
            " pages in both formats"
        )
        return 2
    pages = [page.read_bytes() for page, _ in pairs]
    sources = [source.read_text(encoding="utf-8") for _, source in pairs]
    load = os.getloadavg()[0]
    rows = [_measure(name, extract, pages, sources) for name, extract in extractors().items()]
    head = ["extractor", "F1 min", "F1 mean", "F1 max", "pages/s"]
    table = Table(*head)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    others = dated_twins(docs)
    pages += [page.read_bytes() for page, _ in others]
    sources += [source.read_text(encoding="utf-8") for _, source in others]
    recall = f"{len(pairs)} pairs. {_recall(pages, sources)[:-1]} ({len(pages)} pages)."
    console.print(recall)
    if "--write" in sys.argv:
        loaded = f"Before the run, the load average of the machine was {load:.1f}."
        body = f"{markdown_table(head, rows)}\n{recall} {loaded}\n"
        write_section("Main text", "python -m benchmarks.main_text --write", body)
    return 0


def _measure(name: str, extract: Extractor, pages: list[bytes], sources: list[str]) -> list[str]:
    scores = [
        token_f1(extract(page), _TAG.sub("", source))
        for page, source in zip(pages, sources, strict=True)
    ]
    found = (min(scores), sum(scores) / len(scores), max(scores))
    return [name, *(f"{value:.3f}" for value in found), f"{pages_per_second(extract, pages):.0f}"]


def _recall(pages: list[bytes], sources: list[str]) -> str:
    totals: dict[str, list[int]] = {kind: [0, 0] for kind in _KINDS}
    for page, source in zip(pages, sources, strict=True):
        for kind, (hits, wanted) in structure_recall(page, source).items():
            totals[kind][0] += hits
            totals[kind][1] += wanted
    parts = [
        f"{kind.replace('_', ' ')}s {hits} of {wanted}"
        for kind, (hits, wanted) in totals.items()
        if wanted
    ]
    return (
        f"Markdown elements that tripbed recognised as blocks of the same kind: {', '.join(parts)}."
    )


def _letters(text: str) -> str:
    return "".join(_TOKEN.findall(text))


if __name__ == "__main__":
    raise SystemExit(main())
