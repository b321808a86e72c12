"""Recorded exchanges with a real model, replayed: prompts, parsers and checks still agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.llm import EngineStopped
from tests.extractors.exchanges import (
    VERSIONS,
    Question,
    Replay,
    engines,
    outcome,
    questions,
    recorded,
)
from tests.extractors.llm.server import serving

_QUESTIONS = {question.name: question for question in questions()}
_ADVICE = "if that is meant, raise the task's version and record anew: python -m tests.extractors.exchanges"


@pytest.fixture(autouse=True)
def _no_outer_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def replay() -> Replay:
    """A server with the recorded answers; its ledger is new for every question."""
    return Replay(answers=recorded()[0])


def test_every_question_is_recorded_with_the_versions_of_today() -> None:
    held = recorded()[1]
    assert sorted(held) == sorted(_QUESTIONS)
    for row in held.values():
        assert row["versions"] == VERSIONS, "record anew: python -m tests.extractors.exchanges"


def test_a_real_model_answered_most_of_them() -> None:
    held = recorded()[1]
    answered = [name for name, row in held.items() if "output" in row]
    assert len(answered) > len(held) / 2
    assert any(row.get("aside") for row in held.values()), "and invents, which is set aside"


@pytest.mark.parametrize("name", sorted(_QUESTIONS))
def test_the_same_answers_come_of_the_same_exchanges(
    name: str, replay: Replay, tmp_path: Path
) -> None:
    question: Question = _QUESTIONS[name]
    replay.unknown.clear()
    with serving(replay):
        engine = engines(replay.base_url, tmp_path / "ledger.sqlite")[question.engine]
        try:
            found = outcome(engine, question)
        except EngineStopped:
            pytest.fail(f"the request of {replay.unknown} changed: {_ADVICE}")
    row = recorded()[1][name]
    expected = {key: row[key] for key in ("output", "aside", "unanswered") if key in row}
    assert found == expected, f"another reading of the same answer: {_ADVICE}"
