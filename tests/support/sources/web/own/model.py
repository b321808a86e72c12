"""A model on loopback that answers as careful readers of our own web did, or misbehaves.

with own_model() as model:
    ...  # OPENAI_BASE_URL=model.base_url
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.careful_answers import CarefulAnswers, NoReading, careful_answers
from extractors.llm.money import request_tokens, tokens
from tests.support.extractors.llm.server import (
    Endpoint,
    Step,
    completion,
    refused,
    serving,
    task_of,
)
from tests.support.sources.web.own.texts import texts

#: Two careful readers read the pages as they stand; each page has one of their readings.
READINGS = Path(__file__).parent / "readings.jsonl"


@cache
def answers() -> CarefulAnswers:
    """What the readers would answer."""
    return careful_answers(READINGS, texts().values())


class OwnModel(Endpoint):
    """The model while it stands; ``instead`` answers in its place where it gives an answer."""

    instead: Callable[[dict[str, Any]], Step | None] | None = None

    def next_step(self, body: dict[str, Any], key: str | None) -> Step:
        """The answer to a request; an error where nobody read what it shows."""
        with self.lock:
            self.bodies.append(body)
        if self.instead is not None and (step := self.instead(body)) is not None:
            return step
        try:
            answer = answers()(body)
        except NoReading as error:
            return refused(400, str(error))
        content = json.dumps(answer, ensure_ascii=False)
        return completion(content, tokens=(request_tokens(body), tokens(content)))

    def list_requests(self, task: str) -> list[str]:
        """What each request of a task showed, in order."""
        return [body["messages"][-1]["content"] for body in self.bodies if task_of(body) == task]

    def reset(self) -> None:
        """Be as at first."""
        self.instead = None
        self.bodies.clear()


@contextmanager
def own_model() -> Iterator[OwnModel]:
    """Serve it on a free port until the block ends."""
    model = OwnModel()
    with serving(model):
        yield model
