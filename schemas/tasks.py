"""Defines the two protocols for extraction: a Task is a question, and an Engine answers it.

A task has an input model, an output model, a version, a prompt, a parser and a check of the
evidence. ``rules`` engines ignore the prompt and the parser; they use their own reader for the
task. LLM engines send the prompt and parse the raw answer. Both kinds of engine return the output
model, and tripbed checks the evidence in both outputs in the same way.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from schemas.documents import Document, FrozenModel
from schemas.reading import GazetteerEntry

In = TypeVar("In", bound=BaseModel)
Out = TypeVar("Out", bound=BaseModel)


class Ungrounded(FrozenModel):
    """An answer, or a part of an answer, that the document does not support."""

    what: str
    why: str


class Grounded(FrozenModel, Generic[Out]):
    """An output whose parts all have evidence, and the parts that were removed from it."""

    output: Out
    ungrounded: tuple[Ungrounded, ...] = ()


class Unanswered(Exception):
    """Raised if there is no usable answer for an item, even after repairs; callers set it aside.

    ``reason`` is a short fixed phrase and the only part of the error that is printed. ``detail``
    (the message of the parser) and ``raw`` (the last raw response) may quote the document and must
    not be logged.
    """

    def __init__(self, reason: str, raw: str = "", detail: str = "") -> None:
        super().__init__(reason, raw, detail)
        self.reason = reason
        self.raw = raw
        self.detail = detail

    def __str__(self) -> str:
        return self.reason

    def __repr__(self) -> str:
        return f"Unanswered({self.reason!r})"


class DocumentInput(FrozenModel):
    """The input of a task that reads a document."""

    document: Document
    city: str | None = None
    gazetteer: tuple[GazetteerEntry, ...] = ()


class Task(Protocol[In, Out]):
    """A question that an engine can answer.

    ``version`` is part of every cache key: increase the version whenever answers change.
    """

    name: str
    version: int
    input_model: type[In]
    output_model: type[Out]

    def prompt(self, item: In) -> list[dict[str, str]]:
        """Return the chat messages for an LLM: the fixed parts, then the document as data."""
        ...

    def parse(self, raw: dict[str, Any], item: In) -> Out:
        """Convert a raw JSON answer to the output model.

        Raises ValueError, which gives the reason, if the answer is invalid.
        """
        ...

    def check(self, item: In, output: Out) -> Grounded[Out]:
        """Separate the parts of an output that the document supports from all other parts."""
        ...


@runtime_checkable
class Engine(Protocol):
    """Answers tasks. The same settings and recorded answers always give the same result."""

    name: str

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer a task for one item. Raises LookupError if the engine does not know the task."""
        ...
