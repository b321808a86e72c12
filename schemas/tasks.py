"""The two protocols for extraction: a Task says what is asked, and an Engine answers it.

A task is a small object with an input model, output model, version, prompt, parser and evidence
check. ``rules`` engines use their own reader for a task of that name, without prompt or parser; LLM
engines send the prompt and parse the raw answer. Both return the output model, and the same
evidence check is applied to both.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from schemas.documents import Document, FrozenModel
from schemas.reading import GazetteerEntry

In = TypeVar("In", bound=BaseModel)
Out = TypeVar("Out", bound=BaseModel)


class Ungrounded(FrozenModel):
    """An answer, or a part of one, that its document does not support."""

    what: str
    why: str


class Grounded(FrozenModel, Generic[Out]):
    """An output whose parts all have evidence, and what had to be set aside."""

    output: Out
    ungrounded: tuple[Ungrounded, ...] = ()


class Unanswered(Exception):
    """Raised if an item has no usable answer, even after repairs.

    The caller then quarantines the item.

    ``reason`` is a short fixed phrase and the only part that is printed; ``detail`` (the parser's
    words) and ``raw`` (the last raw response) may quote the document, so they must not be logged.
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
    """Input of every task that reads a document."""

    document: Document
    city: str | None = None
    gazetteer: tuple[GazetteerEntry, ...] = ()


class Task(Protocol[In, Out]):
    """A question that an engine can answer.

    ``version`` is part of every cache key: increase it if answers change.
    """

    name: str
    version: int
    input_model: type[In]
    output_model: type[Out]

    def prompt(self, item: In) -> list[dict[str, str]]:
        """Write the chat messages for an LLM: first the fixed parts, then the document, marked as
        data."""
        ...

    def parse(self, raw: dict[str, Any], item: In) -> Out:
        """Convert a raw JSON answer to the output model; raises ValueError with the reason."""
        ...

    def check(self, item: In, output: Out) -> Grounded[Out]:
        """Keep what the document supports, and list the rest."""
        ...


@runtime_checkable
class Engine(Protocol):
    """Carries out tasks. Equal settings and equal recorded answers give equal results."""

    name: str

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer one item. Raises ``LookupError`` if the engine does not know the task."""
        ...
