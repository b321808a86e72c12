"""Descriptions of places in the documents' own words: picks the best sentence, or clauses of it.

A description is a range of a document with at most ``MOST_WORDS`` words, where two Chinese
characters count as one: at most 100 characters of a Chinese text (TP-RAG, appendix E.1: "brief, not
exceeding 50 words"). It is a whole sentence if that is short enough and names no other place;
otherwise it is those of its clauses that are about this place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractors.hostile import gives_orders
from schemas.descriptions import MOST_WORDS, word_count
from schemas.word_lists import Lists

_LISTS = Lists("extractors")

Range = tuple[int, int]

#: Names of other places that a sentence on one may have.
_MOST_OTHERS = 2
#: Words without a capital that an item of a list has at least.
_LEAST_SMALL = 3
#: Words besides the name that a description has at least.
LEAST_WORDS = 3
#: What may stand before the name of a sentence's subject: quotes, numbers, bullets.
_LEAD = re.compile(r"^[\s\W\d_]*(?:the\s+)?$", re.IGNORECASE)
_LISTED = re.compile(r"\s*[,，、]|\s*(?:和|与|及|跟|and\b|&|[畔边旁]上?[，,])")
_CLAUSE = re.compile(r"[，,；;]\s*|——|\s[—–-]\s")
_CLOSED = re.compile(r"(?<!\bNo)(?<!\bSt)[。！!.…~～；;][”’\"'）)」』]*\s*$")
_CLOSING = re.compile(r"[\s，,；;、：:—–-]+$")
_ADVERTISING = re.compile(_LISTS.either("advertising_words"), re.IGNORECASE)
_FIRST_PERSON = re.compile(_LISTS.either("first_person_words"), re.IGNORECASE)
_ADVICE = re.compile(_LISTS.either("arrival_advice_words"), re.IGNORECASE)
_SIGNS = re.compile(_LISTS.either("signs_of_a_day"), re.IGNORECASE)
_JUDGING = re.compile(_LISTS.either("judging_words"), re.IGNORECASE)
_TIMELESS = re.compile(_LISTS.either("timeless_words"), re.IGNORECASE)
_PEOPLE = re.compile(r"[我咱俺她他]|朋友|\b(?:I|we|my|our|he|she|her|his)\b", re.IGNORECASE)
_WEATHER = re.compile(_LISTS.either("weather_words"), re.IGNORECASE)
_HALF_SAID = re.compile(_LISTS.either("half_said_words"), re.IGNORECASE)
_BEST_TIME = re.compile(
    r"^\W*(?:best (?:time|visit\w*)|when to (?:go|visit)|arriv\w+ time|最佳)", re.IGNORECASE
)
_ANOTHER_TIME = re.compile(_LISTS.either("another_time_words"), re.IGNORECASE)
_PASSING = re.compile(_LISTS.either("passing_words"), re.IGNORECASE)
#: What parts a name from what an item of a list says of it.
_ITEM = re.compile(r"\s*(?:[(（][^()（）]{1,30}[)）])?\s*(?:[:：]|——|\s[—–-])\s*(?=\S)")
#: What of a text is no prose: masked data, cells of tables, arrows of routes, lists of names.
_NO_PROSE = re.compile(r"█|\||→|->|[^、]{1,12}(?:、[^、，。]{1,12}){4}|\[\d+\]|#|@")
_SMALL = re.compile(r"\b[a-z]{3,}")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def is_prose(text: str, sentence: Range) -> bool:
    """Whether a sentence is closed like one, sells nothing, masks nobody and orders no machine."""
    return bool(_CLOSED.search(text[slice(*sentence)])) and is_clean(text, sentence)


def is_clean(text: str, sentence: Range) -> bool:
    """Whether a line or sentence sells nothing, masks nobody,
    lists no names and orders no machine.
    """
    said = text[slice(*sentence)]
    return not (
        _NO_PROSE.search(said) or _ADVERTISING.search(said) or gives_orders(text, *sentence)
    )


def is_item(text: str, sentence: Range, name: Range) -> bool:
    """Whether an English line is an item of a list that begins with a name and says more of it.

    What has capitals throughout is a title.
    """
    rest = _ITEM.match(text, name[1], sentence[1])
    if rest is None or not is_subject(text, sentence[0], name):
        return False
    said = text[rest.end() : sentence[1]]
    return not _HAN.search(said) and len(_SMALL.findall(said)) >= _LEAST_SMALL


def is_passing(sentence: str) -> bool:
    """Whether a sentence tells of ways, meals, prices, or of what might be."""
    return bool(_PASSING.search(sentence))


def is_own_story(sentence: str) -> bool:
    """Whether a sentence tells what its author did."""
    return bool(_FIRST_PERSON.search(sentence))


def is_advice_to_arrive(sentence: str) -> bool:
    """Whether a sentence advises when to come."""
    return bool(_ADVICE.search(sentence))


def tells_the_day(sentence: str) -> bool:
    """Whether a sentence tells of plants, snow, crowds: what a place is like on the day."""
    return bool(_SIGNS.search(sentence))


def tells_of_people(sentence: str) -> bool:
    """Whether a sentence tells of its author or of those who were with them."""
    return bool(_PEOPLE.search(sentence))


def tells_of_weather(sentence: str) -> bool:
    """Whether a sentence tells of the weather or the light of a day."""
    return bool(_WEATHER.search(sentence))


def leaves_half(sentence: str) -> bool:
    """Whether a sentence guesses, or leaves what it compares with or speaks of to others."""
    return bool(_HALF_SAID.search(sentence))


def is_headed_best_time(sentence: str) -> bool:
    """Whether a line is headed as the best time, of the place over it."""
    return bool(_BEST_TIME.search(sentence))


def judges(sentence: str) -> bool:
    """Whether a sentence says how its author found what it tells of."""
    return bool(_JUDGING.search(sentence))


def is_of_another_time(sentence: str) -> bool:
    """Whether a sentence tells of another day than that of the visit."""
    return bool(_ANOTHER_TIME.search(sentence))


def is_timeless(sentence: str) -> bool:
    """Whether a sentence says what something is, was built for or is called."""
    return bool(_TIMELESS.search(sentence))


def is_subject(text: str, start: int, name: Range) -> bool:
    """Whether a sentence that starts at an offset begins with a name,
    and not with a list of them.
    """
    return bool(_LEAD.match(text[start : name[0]])) and not _LISTED.match(text, name[1])


def description_in(
    text: str, sentence: Range, needed: Sequence[Range], others: Sequence[Range]
) -> Range | None:
    """The range of a sentence that holds what is needed, fits, and speaks of no other place.

    ``needed`` are the name, and the words of a context; ``others`` the names of other places, of
    which a sentence that begins with the name may have a few. Whole if it can be; else from the
    first clause that is needed to the sentence's end. None where that is no such range, or says
    nothing.
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
    """A range without blanks at its ends, bullets before and commas behind."""
    said = text[start:end]
    lead = re.match(r"(?:[\s•·*＊●○▪■◆>»–—-]|\d[\d.]*\s+(?=[\d\u4e00-\u9fff]))*", said)
    start += lead.end() if lead else 0
    tail = _CLOSING.search(text[start:end])
    return start, start + tail.start() if tail else end
