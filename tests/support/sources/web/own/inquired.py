"""More pages on our own web: answers to what is asked about places, and rankings.

with more_pages():  # before the web is served
    ...
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.support.sources.web.own.engine import Page, pages, said


@cache
def more() -> dict[str, Any]:
    """What ``inquiries.yaml`` says."""
    path = Path(__file__).parent / "inquiries.yaml"
    found: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
    return found


def written(edition: int) -> dict[str, Page]:
    """The pages of an edition, 1 or 2, by host and path."""
    found: dict[str, Page] = {}
    for row in more()["pages"]:
        now = {key: value for key, value in row.items() if key != "then"}
        then = row.get("then") if edition == 2 else None
        if then != "gone":
            found[row["at"]] = Page(
                **now | ({"text": then, "changed": "2025-09-01"} if then else {})
            )
    return found


@contextmanager
def more_pages() -> Iterator[None]:
    """Add hosts and pages to the web until the block ends."""
    said()["hosts"].update(more()["hosts"])
    for edition in (1, 2):
        pages(edition).update(written(edition))
    try:
        yield
    finally:
        for host in more()["hosts"]:
            del said()["hosts"][host]
        for edition in (1, 2):
            for at in written(edition):
                del pages(edition)[at]
