"""The two protocols behind every extraction: a Task says what is asked, an Engine answers.

A task is a small object: input model, output model, version, prompt, parser and evidence
check. ``rules`` engines look the task's name up among their own readers and need neither
prompt nor parser; LLM engines send the prompt and parse the raw answer. Both hand back the
output model, and the same evidence check runs on both.
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
    """One item has no usable answer, after its repairs. The caller quarantines it.

    ``reason`` is a short fixed phrase and the only thing printed; ``detail`` (the parser's
    words) and ``raw`` (the last raw response) may quote the document: keep them out of logs.
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
    """What is asked. ``version`` is part of every cache key: raise it when answers change."""

    name: str
    version: int
    input_model: type[In]
    output_model: type[Out]

    def prompt(self, item: In) -> list[dict[str, str]]:
        """Chat messages for an LLM; static parts first, the document last and marked as data."""
        ...

    def parse(self, raw: dict[str, Any], item: In) -> Out:
        """Turn a raw JSON answer into the output model; raises ValueError with the reason."""
        ...

    def check(self, item: In, output: Out) -> Grounded[Out]:
        """Keep what the document supports; name the rest."""
        ...


@runtime_checkable
class Engine(Protocol):
    """Whoever carries out tasks. Deterministic for equal settings and recorded answers."""

    name: str

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer one item. Raises ``LookupError`` for a task that the engine does not know."""
        ...
