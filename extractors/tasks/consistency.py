"""The task of deciding whether a document serves travellers with the wishes whose words it
contains.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from extractors.tasks.prompting import find_numbered, one_line, read_as, rows, write_messages
from schemas.tasks import Grounded, Ungrounded


class DocumentWish(BaseModel, frozen=True):
    """A wish in queries, with the passages in a document that contain words for the wish."""

    kind: str
    code: str
    words: str = Field(description="the wish as queries name it")
    passages: tuple[str, ...] = Field(min_length=1)


class Recalled(BaseModel, frozen=True):
    """A document that queries find, with the wishes for which it would be found."""

    title: str
    wishes: tuple[DocumentWish, ...] = Field(min_length=1)


class Judgement(BaseModel, frozen=True):
    """The decision whether a document serves a wish."""

    kind: str
    code: str
    fits: bool


class Judgements(BaseModel, frozen=True):
    """One judgement for each requested wish."""

    wishes: tuple[Judgement, ...] = ()


class ConsistencyJudgement:
    """Judges whether a document that queries find is consistent with the wishes in these
    queries.
    """

    name = "consistency_judgement"
    version = 2
    input_model = Recalled
    output_model = Judgements

    def prompt(self, item: Recalled) -> list[dict[str, str]]:
        """Return the chat messages."""
        rules = (
            "A travel text was found for wishes whose words it has. Say for each numbered wish"
            " whether the text serves it. true: the text tells, plans or advises a journey at that"
            " time, in that company or at that pace, or says how its places are then. false: the"
            " words mean something else (a name, a dish, a ticket rule, history, other people,"
            ' another journey), or the text denies the wish. Answer: {"wishes": [{"number": ..,'
            ' "fits": true or false}]}.'
        )
        shown = "\n".join(
            f"{number}. {wish.words}: " + " / ".join(map(one_line, wish.passages))
            for number, wish in enumerate(item.wishes, 1)
        )
        return write_messages(rules, f"Title: {one_line(item.title)}\n{shown}")

    def parse(self, raw: dict[str, Any], item: Recalled) -> Judgements:
        """Read a raw answer. Raises ValueError if the answer has the wrong form."""
        answers = rows(raw, "wishes")
        wishes = (find_numbered(item.wishes, row.get("number"), "wish") for row in answers)
        found = [
            {"kind": wish.kind, "code": wish.code, "fits": row.get("fits")}
            for wish, row in zip(wishes, answers, strict=True)
        ]
        return read_as(Judgements, {"wishes": found})

    def check(self, item: Recalled, output: Judgements) -> Grounded[Judgements]:
        """Keep the first judgement on each wish, and report judgements on other wishes."""
        asked_for = {(wish.kind, wish.code) for wish in item.wishes}
        kept: dict[tuple[str, str], Judgement] = {}
        missing: list[Ungrounded] = []
        for found in output.wishes:
            key = found.kind, found.code
            if key in asked_for:
                kept.setdefault(key, found)
            else:
                missing.append(Ungrounded(what=":".join(key), why="was not asked about"))
        return Grounded(output=Judgements(wishes=tuple(kept.values())), ungrounded=tuple(missing))
