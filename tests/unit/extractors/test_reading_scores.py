"""Careful answers are scored with the rules by which engines are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.reading_scores import score_folder

TEXT = (
    "# 云州两日\n\n第一天去了松风寺，门票60元，远远看了沉星塔。\n\n第二天逛白石街，住云州饭店。\n"
)
GOLD = {
    "doc": "trip.md",
    "decoys": ["云州饭店"],
    "pois": [
        {"name": name, "standard": standard, "also": [], "role": role}
        for name, standard, role in (
            ("松风寺", "云州松风寺", "visited"),
            ("白石街", "白石街", "visited"),
            ("沉星塔", "沉星塔", "mentioned"),
        )
    ],
    "trajectory": [{"day": 1, "visits": ["云州松风寺"]}, {"day": 2, "visits": ["白石街"]}],
    "facts": [
        {"poi": "云州松风寺", "field": "ticket_price_cny", "value": "60", "evidence": "门票60元"}
    ],
}
ANSWER: dict[str, Any] = {
    "kind": "diary",
    "days": 2,
    "places": [
        "1|松风寺|visited",
        "2|沉星塔|",
        "3|白石街|visited|area",
        "4|云州饭店|visited|lodging",
    ],
    "trips": [["1|||1>2 afar", "2|||3"]],
    "facts": ["1|ticket_price|60||门票60元"],
}


def files(root: Path, answer: dict[str, Any]) -> tuple[Path, Path, Path]:
    """A folder of answers, a file of labels and the documents."""
    (root / "answers").mkdir()
    (root / "index.json").write_text(json.dumps([["zh01", "trip.md", 0]]))
    (root / "answers" / "zh01.json").write_text(json.dumps(answer))
    (root / "gold.jsonl").write_text(json.dumps(GOLD) + "\n")
    (root / "trip.md").write_text(TEXT)
    return root, root / "gold.jsonl", root


def test_a_right_answer_has_the_full_score_and_no_difference(tmp_path: Path) -> None:
    found = score_folder(*files(tmp_path, ANSWER))
    score = found.score
    assert [c.f1 for c in (score.pois, score.pairs, score.facts)] == [1, 1, 1]
    assert found.differences == {"trip.md": []}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"trips": [["1|||1", "2|||2>4"]]}, {"stop of day 2 + 沉星塔", "stop of day 2 - 白石街"}),
        ({"facts": ["1|ticket_price|50||门票60元"]}, {"fact - 云州松风寺 | ticket_price_cny | 60"}),
        (
            {
                "places": [
                    "1|松风寺|visited",
                    "2|沉星塔|visited",
                    "3|白石街||area",
                    "4|云州饭店|visited|lodging",
                ]
            },
            {"place + 沉星塔 (visited)", "place - 白石街 (visited; here mentioned)"},
        ),
    ],
)
def test_every_difference_is_told(tmp_path: Path, changed: dict[str, Any], told: set[str]) -> None:
    found = score_folder(*files(tmp_path, {**ANSWER, **changed}))
    score = found.score
    assert min(c.f1 for c in (score.pois, score.pairs, score.facts)) < 1
    assert told <= set(found.differences["trip.md"])
    refused = [line for line in found.differences["trip.md"] if line.startswith("refused: ")]
    assert bool(refused) == ("places" not in changed)
