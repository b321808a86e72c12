"""Recorded exchanges with a real model, replayed: prompts, parsers and checks still agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.llm import EngineStopped
from extractors.tasks import name_reviews
from tests.support.extractors.exchanges import (
    Replay,
    engine_of,
    outcome,
    questions,
    recorded,
)
from tests.support.extractors.llm.server import serving

_QUESTIONS = {question.name: question for question in questions()}
_ADVICE = (
    "if that is meant, raise the task's version and record anew: python -m"
    " tests.support.extractors.exchanges"
)


@pytest.fixture(autouse=True)
def _no_outer_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def replay() -> Replay:
    """A server with the recorded answers; its ledger is new for every question."""
    return Replay(answers=recorded()[0])


def test_every_question_is_recorded() -> None:
    assert sorted(recorded()[1]) == sorted(_QUESTIONS)


def test_a_real_model_answered_most_of_them() -> None:
    held = recorded()[1]
    answered = [name for name, row in held.items() if "output" in row]
    assert len(answered) > len(held) / 2
    assert any(row.get("aside") for row in held.values()), "and invents, which is set aside"


@pytest.mark.parametrize("name", sorted(_QUESTIONS))
def test_the_same_answers_come_of_the_same_exchanges(
    name: str, replay: Replay, tmp_path: Path
) -> None:
    question, row = _QUESTIONS[name], recorded()[1][name]
    if question.task.version > row["version"]:
        pytest.skip(f"recorded with version {row['version']}; record anew")
    replay.unknown.clear()
    with serving(replay):
        engine = engine_of(replay.base_url, tmp_path / "ledger.sqlite")
        try:
            found = outcome(engine, question)
        except EngineStopped:
            pytest.fail(f"the request of {replay.unknown} changed: {_ADVICE}")
    expected = {key: row[key] for key in ("output", "aside", "unanswered") if key in row}
    assert found == expected, f"another reading of the same answer: {_ADVICE}"


def test_a_changed_prompt_is_noticed(
    replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(name_reviews._RULES, "zh", "这是景点吗？")
    with serving(replay), pytest.raises(EngineStopped, match="not recorded"):
        engine_of(replay.base_url, tmp_path / "ledger.sqlite").run(
            _QUESTIONS["poi_review"].task, _QUESTIONS["poi_review"].item
        )
