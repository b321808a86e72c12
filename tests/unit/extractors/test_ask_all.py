"""Many items of one task: answers in order, failures kept, several at once."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from pydantic import BaseModel

from extractors.ask_all import ask_all
from schemas.tasks import Grounded, Unanswered


class Number(BaseModel):
    n: int


class Squares:
    """Answers the square of a number, 8 slowly; has no answer to 3, and fails at 7."""

    name = "squares"

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self.asked: list[int] = []
        self._meet = threading.Barrier(concurrency)

    def run(self, task: Any, item: Any) -> Grounded[Any]:
        self.asked.append(item.n)
        self._meet.wait(timeout=10)
        if item.n == 3:
            raise Unanswered("refused")
        if item.n == 7:
            raise RuntimeError("no more money")
        if item.n == 8:
            time.sleep(0.02)
        return Grounded(output=Number(n=item.n**2))


class Task:
    """A task of which only the name counts here."""

    name = "squaring"


def ask(engine: Any, *numbers: int) -> list[int | str]:
    task: Any = Task()
    answers = ask_all(engine, task, [Number(n=n) for n in numbers])
    return [a.reason if isinstance(a, Unanswered) else a.output.n for a in answers]


def test_answers_come_in_the_order_of_the_items_and_failures_in_their_place() -> None:
    assert ask(Squares(2), 8, 3, 2, 1) == [64, "refused", 4, 1]
    assert ask(Squares(1)) == []


def test_as_many_are_asked_at_once_as_the_engine_carries() -> None:
    """Three meet before any of them answers; an engine that says nothing is asked one by one."""
    assert ask(Squares(3), 4, 5, 6) == [16, 25, 36]
    engine = Squares(1)
    del engine.concurrency
    assert ask(engine, 4, 5, 6) == [16, 25, 36]
    assert engine.asked == [4, 5, 6]


def test_another_error_ends_the_work() -> None:
    engine = Squares(1)
    with pytest.raises(RuntimeError, match="no more money"):
        ask(engine, 7, *[8] * 100)
    assert len(engine.asked) < 100
