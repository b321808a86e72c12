"""Numbers agree with their nouns, everywhere on the console."""

from __future__ import annotations

import re

import pytest

from schemas.nouns import count_noun, noun_of
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [
        (1, "fact", "1 fact"), (0, "fact", "0 facts"), (1119, "mention", "1,119 mentions"),
        (2, "query", "2 queries"), (2, "day", "2 days"), (2, "search", "2 searches"),
        (1, "city", "1 city"), (2, "box", "2 boxes"), (2, "bus", "2 buses"),
    ],
)  # fmt: skip
def test_a_number_and_its_noun(number: int, noun: str, expected: str) -> None:
    assert count_noun(number, noun) == expected


def test_another_plural() -> None:
    assert count_noun(2, "piece or line", "pieces or lines") == "2 pieces or lines"
    assert noun_of(1, "piece or line", "pieces or lines") == "piece or line"


#: Nouns that a number of one would stand before, right behind a figure of an f-string.
_PLURAL = re.compile(
    r"(?<! of )\{[^{}]*(?:\{[^{}]*\}[^{}]*)?\} (?:places|stops|facts|documents|rows|gates|shards|"
    r"files|faults|routes|decisions|snapshots)\b"
)


@pytest.mark.parametrize(
    "room", ["cli", "documents", "pipeline", "places", "publishing", "report", "review", "serving"]
)
def test_no_sentence_counts_by_itself(room: str) -> None:
    """``f"{n} facts"`` says "1 facts"."""
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted((ROOT / "flows" / room).glob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if "raise " not in line and (match := _PLURAL.search(line))
    ]
    assert found == []
