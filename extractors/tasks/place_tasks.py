"""The task of tagging a place in a context with hours, arrival window, duration and description.

As in TP-RAG, appendix E.1, a tag contains hours in 24-hour form, an arrival window, a duration in
hours or a description with at most 50 words.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, Field

from extractors.evidence import fact_problem
from extractors.tasks.prompting import read_as, rows, sift, span_of, text_of, write_messages
from extractors.text import fold, locate
from schemas.descriptions import MOST_WORDS, WORD, word_count
from schemas.reading import Fact, Span
from schemas.tasks import Grounded

TagField = Literal["opening_hours", "arrival_time", "duration_hours", "description"]
#: At least this share of a description's words must occur in the passages.
LEAST_SHARED = 0.7
#: A word with a capital inside a sentence.
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][A-Za-z]+")
TAG_FORMS = {
    "opening_hours": r"\d{1,2}:\d\d-\d{1,2}:\d\d",
    "arrival_time": r"\d{1,2}:\d\d(?:-\d{1,2}:\d\d)?",
    "duration_hours": r"\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)?",
}


class ContextInput(BaseModel, frozen=True):
    """A place, a context, and passages about the place. Without words, the context is any
    context.
    """

    poi: str
    names: tuple[str, ...] = ()
    context_words: tuple[str, ...] = ()
    text: str


class ContextTag(BaseModel, frozen=True):
    """One statement about a place in a context, with its quote's span in the text."""

    field: TagField
    value: str = Field(min_length=1, max_length=400)
    span: Span


class ContextTags(BaseModel, frozen=True):
    """All statements of the passages about a place in a context."""

    tags: tuple[ContextTag, ...] = ()


class ContextTagging:
    """Finds hours, arrival window, duration and a short description for a place in a context."""

    name = "context_tagging"
    version = 2
    input_model = ContextInput
    output_model = ContextTags

    def prompt(self, item: ContextInput) -> list[dict[str, str]]:
        """Return the chat messages."""
        rules = (
            "State what the passages say about one place. Fields: opening_hours HH:MM-HH:MM;"
            " arrival_time, the recommended arrival window, HH:MM-HH:MM; duration_hours, decimal;"
            f" description, at most {MOST_WORDS} words, only from the passages and in their"
            " language. With a context, give only what a sentence states for that context by name."
            ' Leave out what is not said. Answer: {"tags": [{"field": .., "value": ..,'
            ' "evidence": exact quote}]}.'
        )
        context = f"\nContext: {', '.join(item.context_words)}" if item.context_words else ""
        return write_messages(rules, f"Place: {item.poi}{context}\nPassages:\n{item.text}")

    def parse(self, raw: dict[str, Any], item: ContextInput) -> ContextTags:
        """Read a raw answer. Raises ValueError if the answer has the wrong form."""
        found = [
            {"span": span_of(text_of(row, "evidence"), item.text), "field": row.get("field"),
             "value": text_of(row, "value")}
            for row in rows(raw, "tags")
        ]  # fmt: skip
        return read_as(ContextTags, {"tags": found})

    def check(self, item: ContextInput, output: ContextTags) -> Grounded[ContextTags]:
        """Keep tags in the right form whose quotes support them in a sentence about the context."""
        said, aside = sift(
            (tag, f"{item.poi}: {tag.field}", self._problem(item, tag)) for tag in output.tags
        )
        first: dict[str, ContextTag] = {}
        for tag in said:
            first.setdefault(tag.field, tag)
        return Grounded(output=ContextTags(tags=tuple(first.values())), ungrounded=aside)

    def _problem(self, item: ContextInput, tag: ContextTag) -> str | None:
        if tag.span.end > len(item.text):
            return "its quote is not in the passages"
        start, end = sentence_of(item.text, tag.span)
        around = item.text[start:end]
        if item.context_words and not any(locate(word, around) for word in item.context_words):
            return "its sentence does not name the context"
        if not any(locate(name, item.text) for name in (item.poi, *item.names)):
            return "the passages do not name the place"
        if tag.field == "description":
            return _find_problem(tag.value, item.text)
        if not re.fullmatch(TAG_FORMS[tag.field], tag.value):
            return "is not of the field's form"
        named = item.text if locate(item.poi, item.text) else f"{item.text}\n{item.poi}"
        fact = Fact(poi=item.poi, field=tag.field, value=tag.value, span=tag.span)
        return fact_problem(fact, named, ())


def sentence_of(text: str, span: Span) -> tuple[int, int]:
    """Return the sentence or line that contains a span."""
    start = max((text.rfind(mark, 0, span.start) for mark in "\n。！？!?"), default=-1) + 1
    ends = [at for mark in "\n。！？!?" if (at := text.find(mark, span.end - 1)) >= 0]
    return start, min(ends, default=len(text))


def _find_problem(value: str, text: str) -> str | None:
    """Return the reason why a text is not a description, or None if it is one.

    The text may be too long, or contain a number, a name or many words that are not in the
    passages. A name is a capitalised Latin word that does not begin a sentence.
    """
    words = WORD.findall(value)
    if word_count(value) > MOST_WORDS:
        return f"has more than {MOST_WORDS} words"
    if any(number not in text for number in re.findall(r"\d+", value)):
        return "has a number that the passages do not"
    known = set(WORD.findall(fold(text) + " " + text.lower()))
    if any(name.lower() not in known for name in _NAME.findall(value)):
        return "has a name that the passages do not"
    shared = sum(word.lower() in known for word in words)
    return None if words and LEAST_SHARED * len(words) <= shared else "is not said in the passages"
