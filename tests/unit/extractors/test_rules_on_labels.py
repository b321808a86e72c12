"""Floors on hand-labelled documents, a little under what was measured."""

from __future__ import annotations

import pytest

from benchmarks.extraction import ReaderScore, measure, read_labelled, rules_reader
from tests.conftest import SHARED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "pois", "trajectory", "facts"), [("zh", 0.79, 0.77, 0.60), ("en", 0.85, 0.87, 0.78)]
)
def test_floors(lang: str, pois: float, trajectory: float, facts: float) -> None:
    gold = SHARED / "data" / f"gold_dev_{lang}.jsonl"
    if not gold.exists():
        pytest.skip(f"no labelled documents at {gold}")
    documents = list(read_labelled(gold, SHARED / "data" / "docs"))
    score = measure(documents, rules_reader(()), ReaderScore())
    assert score.pois.f1 >= pois
    assert score.pairs.f1 >= trajectory
    assert score.facts.f1 >= facts
    assert score.decoys[0] / score.decoys[1] < 0.05
