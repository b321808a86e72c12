"""The pages of our own web as they are in an edition, and a small search engine over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import yaml

Row = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """A page: ``at`` is host and path, ``text`` what a search reads of it."""

    at: str
    lang: str = "zh"
    title: str = ""
    text: str = ""
    on: str | None = None
    changed: str | None = None
    trait: str = ""
    to: str | None = None

    @property
    def html(self) -> bytes:
        """The page's bytes."""
        head = [f'<meta property="article:published_time" content="{self.on}">'] if self.on else []
        if self.changed:
            head.append(f'<meta property="article:modified_time" content="{self.changed}">')
        body = "".join(_block(line) for line in self.text.splitlines())
        return (
            f'<!doctype html><html lang="{self.lang}"><head><meta charset="utf-8">'
            f"<title>{escape(self.title)}</title>{''.join(head)}</head>"
            f"<body><article><h1>{escape(self.title)}</h1>{body}</article></body></html>"
        ).encode()


def _block(line: str) -> str:
    tag = "h2" if line.startswith("# ") else "p"
    return f"<{tag}>{escape(line.removeprefix('# '))}</{tag}>"


@cache
def said() -> Row:
    """What ``pages.yaml`` says."""
    found: Row = yaml.load(
        (Path(__file__).parent / "pages.yaml").read_text("utf-8"), Loader=yaml.BaseLoader
    )
    return found


def gazetteer() -> str:
    """The places of the web as a table to build from."""
    rows = [",".join([key, *values]) for key, values in said()["places"].items()]
    return "\n".join(["id,name_zh,name_en,lat,lon", *rows, ""])


@cache
def pages(edition: int) -> dict[str, Page]:
    """Every page of an edition, 1 or 2, by host and path."""
    found: dict[str, Page] = {}
    for row in said()["pages"]:
        if edition == 1 or row.get("then") != "gone":
            found[row["at"]] = _page(row, edition)
    for row in said()["odd"]:
        found[row["at"]] = Page(**row)
    for row in said()["copies"]:
        found[row["at"]] = Page(**{**vars(found[row["of"]]), "at": row["at"]})
    for row in said()["redirects"]:
        found[row["at"]] = Page(**{**vars(found[row["to"]]), "at": row["at"], "to": row["to"]})
    return found


def changed() -> set[str]:
    """Pages whose bytes differ in the second edition."""
    first, second = pages(1), pages(2)
    both = [at for at in first.keys() & second.keys() if first[at].to is None]
    return {at for at in both if first[at].html != second[at].html}


def gone() -> set[str]:
    """Pages that the second edition does not have."""
    return pages(1).keys() - pages(2).keys()


def results(query: str, edition: int) -> list[Page]:
    """Pages that hold words of a query, the most of them first; forbidden and gone pages too.

    An engine's index is behind the web: it still lists what is gone.
    """
    words = query.lower().split()
    listed = pages(1) | pages(edition)
    scores = {
        at: sum(word in f"{page.title} {page.text}".lower() for word in words)
        for at, page in listed.items()
    }
    best = sorted((-score, at) for at, score in scores.items() if score)
    return [listed[at] for _, at in best]


def _page(row: Row, edition: int) -> Page:
    text, changed = row["text"].strip(), None
    if edition == 2 and "then" in row:
        changed = row["then"]["changed"]
        for old, new in row["then"]["words"].items():
            assert old in text, f"{row['at']} lacks {old}"
            text = text.replace(old, new)
    return Page(row["at"], row.get("lang", "zh"), row["title"], text, row.get("on"), changed)
