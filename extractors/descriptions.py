"""Finds the part of a sentence that describes a place or gives a reason for a visit.

A description is a passage of a document with at most ``MOST_WORDS`` words (TP-RAG, appendix E.1:
"brief, not exceeding 50 words"). Two Chinese characters count as one word, so a Chinese passage has
at most 100 characters. A sentence that is short enough and is about one place is used in full as a
description. If a sentence is too long or is about several places, only the part about the place is
used. A reason is a sentence that names a place and explains why the place is famous or worth a
visit. A document that only names a place gives no reason for a visit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from extractors.hostile import gives_orders
from schemas.descriptions import MOST_WORDS, word_count
from schemas.reading import Span
from schemas.word_lists import Lists

_LISTS = Lists("extractors")

Range = tuple[int, int]
#: Topics of a sentence, in the order below: what its author did; routes, meals, prices or
#: possibilities; when to come; plants, snow, crowds and other conditions of the day; the author
#: and the author's companions; the weather or the light of a day; a guess, or half of a
#: comparison; a heading about the best time for the place above it; the author's opinion; a day
#: other than the visit's; what something is, was built for or is called.
Topic = Literal[
    "own story", "passing", "advice to arrive", "the day", "people", "weather", "half",
    "best time", "judgement", "another time", "timeless",
]  # fmt: skip

#: A sentence about one place may name at most so many other places.
_MOST_OTHERS = 2
#: An item of a list has at least so many words without a capital.
_LEAST_SMALL = 3
#: A description has at least so many words besides the name.
LEAST_WORDS = 3
#: Quotation marks, numbers and bullets may precede the name that is a sentence's subject.
_LEAD = re.compile(r"^[\s\W\d_]*(?:the\s+)?$", re.IGNORECASE)
_LISTED = re.compile(r"\s*[,，、]|\s*(?:和|与|及|跟|and\b|&|[畔边旁]上?[，,])")
_CLAUSE = re.compile(r"[，,；;]\s*|——|\s[—–-]\s")
_CLOSED = re.compile(r"(?<!\bNo)(?<!\bSt)[。！!.…~～；;][”’\"'）)」』]*\s*$")
_CLOSING = re.compile(r"[\s，,；;、：:—–-]+$")
_ADVERTISING = re.compile(_LISTS.either("advertising_words"), re.IGNORECASE)
#: The words that show each topic.
_WORDS: dict[Topic, str] = {
    "own story": _LISTS.either("first_person_words"),
    "passing": _LISTS.either("passing_words"),
    "advice to arrive": _LISTS.either("arrival_advice_words"),
    "the day": _LISTS.either("signs_of_a_day"),
    "people": r"[我咱俺她他]|朋友|\b(?:I|we|my|our|he|she|her|his)\b",
    "weather": _LISTS.either("weather_words"),
    "half": _LISTS.either("half_said_words"),
    "best time": r"^\W*(?:best (?:time|visit\w*)|when to (?:go|visit)|arriv\w+ time|最佳)",
    "judgement": _LISTS.either("judging_words"),
    "another time": _LISTS.either("another_time_words"),
    "timeless": _LISTS.either("timeless_words"),
}
_TOPICS = {topic: re.compile(words, re.IGNORECASE) for topic, words in _WORDS.items()}
#: Separates the name in an item of a list from the words about it.
_ITEM = re.compile(r"\s*(?:[(（][^()（）]{1,30}[)）])?\s*(?:[:：]|——|\s[—–-])\s*(?=\S)")
#: Parts of a text that are not prose: masked data, table cells, arrows of routes, lists of names.
_NO_PROSE = re.compile(r"█|\||→|->|[^、]{1,12}(?:、[^、，。]{1,12}){4}|\[\d+\]|#|@")
_SMALL = re.compile(r"\b[a-z]{3,}")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def is_prose(text: str, sentence: Range) -> bool:
    """Check whether a sentence is complete and contains no advertising, masked names or orders
    to a model.
    """
    return bool(_CLOSED.search(text[slice(*sentence)])) and is_clean(text, sentence)


def is_clean(text: str, sentence: Range) -> bool:
    """Check whether a line or sentence contains no advertising, masked names, lists or orders to a
    model.

    Orders to a model are sentences placed on a page in order to mislead a model.
    """
    said = text[slice(*sentence)]
    return not (
        _NO_PROSE.search(said) or _ADVERTISING.search(said) or gives_orders(text, *sentence)
    )


def is_item(text: str, sentence: Range, name: Range) -> bool:
    """Check whether an English line is a list item that begins with a name and describes the place.

    A line in which every word is capitalised is a title.
    """
    rest = _ITEM.match(text, name[1], sentence[1])
    if rest is None or not is_subject(text, sentence[0], name):
        return False
    said = text[rest.end() : sentence[1]]
    return not _HAN.search(said) and len(_SMALL.findall(said)) >= _LEAST_SMALL


def tells(sentence: str, of: Topic) -> bool:
    """Check whether a sentence contains words that indicate a topic."""
    return bool(_TOPICS[of].search(sentence))


def is_subject(text: str, start: int, name: Range) -> bool:
    """Check whether a sentence begins with this name alone, rather than with a list of names.

    ``start`` is the offset of the sentence.
    """
    return bool(_LEAD.match(text[start : name[0]])) and not _LISTED.match(text, name[1])


def description_in(
    text: str, sentence: Range, needed: Sequence[Range], others: Sequence[Range]
) -> Range | None:
    """Return the part of a sentence that describes one place, or None.

    The part contains everything in ``needed``: the name and the words that indicate a context.
    ``others`` are the names of other places. If the sentence begins with the name, the part may
    contain a few of the other names; otherwise, it contains none. A sentence that is short enough
    is returned whole. A longer sentence is shortened: the part runs from the first needed clause to
    the end of the sentence. The result is None if even the shortened sentence is too long, or if it
    describes nothing.
    """
    start, end = _strip_range(text, *sentence)
    own = (
        others[:0] if is_subject(text, start, needed[0]) and len(others) <= _MOST_OTHERS else others
    )
    if _is_good(text, (start, end), own):
        return _with_words(text, (start, end), needed)
    cuts = [start, *(m.end() for m in _CLAUSE.finditer(text, start, end))]
    first = max(cut for cut in cuts if cut <= min(a for a, _ in needed))
    found = _strip_range(text, first, end)
    return _with_words(text, found, needed) if _is_good(text, found, own) else None


def _is_good(text: str, at: Range, others: Sequence[Range]) -> bool:
    within = any(a < at[1] and at[0] < b for a, b in others)
    return not within and word_count(text[slice(*at)]) <= MOST_WORDS


def _with_words(text: str, at: Range, needed: Sequence[Range]) -> Range | None:
    name = word_count(text[slice(*needed[0])])
    return at if word_count(text[slice(*at)]) - name >= LEAST_WORDS else None


def _strip_range(text: str, start: int, end: int) -> Range:
    """Return a range without leading bullets, trailing commas or surrounding blanks."""
    said = text[start:end]
    lead = re.match(r"(?:[\s•·*＊●○▪■◆>»–—-]|\d[\d.]*\s+(?=[\d\u4e00-\u9fff]))*", said)
    start += lead.end() if lead else 0
    tail = _CLOSING.search(text[start:end])
    return start, start + tail.start() if tail else end


#: At most so many characters lie between a name and the reason that a model gives for it.
BESIDE = 200
#: A reason that is searched for here has at most so many characters.
_MOST = 160
_END = re.compile(r"[。！？!?；;\n]|\.(?=\s|$)")
_WORTH = {
    "zh": re.compile(_LISTS.either("worth_words_zh")),
    "en": re.compile(
        rf"\b(?:{_LISTS.either('worth_words_en')})\b",
        re.IGNORECASE,
    ),
}


def reason_for(name: Span, text: str, lang: str) -> Span | None:
    """Return the sentence around a name if it gives a reason for a visit, or else None."""
    earliest = max(0, name.end - _MOST)
    ends = [found.end() for found in _END.finditer(text, earliest, name.start)]
    start = ends[-1] if ends else earliest
    closing = _END.search(text, name.end)
    end = (
        closing.end()
        if closing and closing[0] != "\n"
        else closing.start()
        if closing
        else len(text)
    )
    end = min(end, name.start + _MOST)
    sentence = text[start:end]
    if not _WORTH["zh" if lang == "zh" else "en"].search(sentence):
        return None
    start += len(sentence) - len(sentence.lstrip())
    return Span(start=start, end=start + len(sentence.strip()))


def stands_beside(reason: Span, name: Span, text: str) -> bool:
    """Check whether a claimed reason for a visit occurs in the text near the name of its place."""
    near = reason.start - BESIDE < name.end and name.start < reason.end + BESIDE
    return reason.end <= len(text) and near
