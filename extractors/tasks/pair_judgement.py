"""The task of judging how two names of places are related, used if the rules are unsure."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from extractors.tasks.prompting import (
    find_numbered,
    one_line,
    read_as,
    rows,
    text_of,
    write_messages,
)
from schemas.tasks import Grounded, Ungrounded

#: So many characters of a name are shown, and so many of a reason are kept.
_NAME, _REASON = 120, 200

Relation = Literal["same", "part", "different", "unknown"]
#: The question and the possible answers; the form of the answer comes after this text.
RULES = (
    "Each numbered line has a city, two names of places as two sources write them, and how far "
    "apart their points are, where that is known. Say what the two are to each other, from what "
    "you know of the city.\n"
    "same: both name one place that people go to, however unlike they look: an official, popular, "
    "short, former, misspelt or foreign name of it.\n"
    "part: one of them lies within the other or belongs to it, whichever is the whole: a gate, "
    "hall, garden, shop, station or stretch of it, or a building of a quarter.\n"
    "different: two places, however alike they look: neighbours, two parts or two branches of one "
    "place, namesakes.\n"
    "unknown: you know too little of them to tell; do not guess.\n"
    "Points of two sources may be some hundred metres off; kilometres tell two places apart, "
    "unless these are as large. Give your reason in one short line."
)


class NamedPair(BaseModel, frozen=True):
    """Two names with their distance, which is None if a point is missing."""

    city: str = ""
    name_a: str
    name_b: str
    distance_m: int | None = None

    def show(self) -> str:
        """Return the pair as one line."""
        told = "unknown"
        if self.distance_m is not None:
            told = f"{self.distance_m} m"
            if self.distance_m >= 1_000:
                told = f"{self.distance_m / 1_000:.1f} km"
        names = (one_line(name)[:_NAME] for name in (self.name_a, self.name_b))
        city = one_line(self.city)[:_NAME] or "unknown"
        return f"city: {city} | {' | '.join(names)} | distance: {told}"


class NamedPairs(BaseModel, frozen=True):
    """Pairs of names that one request asks about."""

    pairs: tuple[NamedPair, ...] = Field(min_length=1)


class PairAnswer(BaseModel, frozen=True):
    """The answer for the pair with this number, and the reason for the answer."""

    number: int
    answer: Relation
    why: str


class PairAnswers(BaseModel, frozen=True):
    """The answers for all pairs, by the number of the pair."""

    pairs: tuple[PairAnswer, ...] = ()


def read_answer(row: dict[str, Any], key: str = "number") -> PairAnswer:
    """Read one answer from an object. Raises ValueError if the object has the wrong form."""
    if type(row.get(key)) is not int:
        raise ValueError(f"{row.get(key)!r} is no number of a pair")
    why = one_line(text_of(row, "why"))[:_REASON]
    return read_as(PairAnswer, {"number": row[key], "answer": row.get("answer"), "why": why})


class PairJudgement:
    """Answers same, part, different or unknown for each pair, using the model's own knowledge."""

    name = "pair_judgement"
    version = 1
    input_model = NamedPairs
    output_model = PairAnswers

    def prompt(self, item: NamedPairs) -> list[dict[str, str]]:
        """Return the chat messages."""
        form = (
            'Answer for every line: {"pairs": [{"number": .., "answer": "same", "part", '
            '"different" or "unknown", "why": ..}]}.'
        )
        shown = (f"{number}. {pair.show()}" for number, pair in enumerate(item.pairs, 1))
        return write_messages(f"{RULES}\n{form}", "\n".join(shown))

    def parse(self, raw: dict[str, Any], item: NamedPairs) -> PairAnswers:
        """Read a raw answer. Raises ValueError if the answer has the wrong form."""
        found = tuple(map(read_answer, rows(raw, "pairs")))
        for one in found:
            find_numbered(item.pairs, one.number, "pair")
        return PairAnswers(pairs=found)

    def check(self, item: NamedPairs, output: PairAnswers) -> Grounded[PairAnswers]:
        """Keep one answer for each pair; drop contradictory answers, and report missing answers."""
        said: dict[int, set[str]] = {number: set() for number in range(1, len(item.pairs) + 1)}
        kept: dict[int, PairAnswer] = {}
        for one in output.pairs:
            said[one.number].add(one.answer)
            kept.setdefault(one.number, one)
        aside = tuple(
            Ungrounded(what=f"pair {number}", why="two answers" if answers else "no answer")
            for number, answers in said.items()
            if len(answers) != 1
        )
        good = tuple(kept[number] for number, answers in said.items() if len(answers) == 1)
        return Grounded(output=PairAnswers(pairs=good), ungrounded=aside)
