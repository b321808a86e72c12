"""What documents say of a place in their own words: a description, and why people go there.

A description is a range of a document with at most ``MOST_WORDS`` words, where two Chinese
characters count as one: at most 100 characters of a Chinese text (TP-RAG, appendix E.1: "brief, not
exceeding 50 words"). It is a whole sentence if that is short enough and names no other place;
otherwise it is those of its clauses that are about this place. A reason is a sentence that names
the place and says that it is worth a visit, or what it is known for. A document that only names a
place gives no reason.
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
#: What a sentence may tell of: what its author did; ways, meals, prices, or what might be; when to
#: come; plants, snow, crowds, what a place is like on the day; its author or those who were with
#: them; the weather or the light of a day; a guess, or half of a comparison; a heading as the best
#: time of the place over it; how its author found what it tells of; another day than that of the
#: visit; what something is, was built for or is called.
Topic = Literal[
    "own story", "passing", "advice to arrive", "the day", "people", "weather", "half",
    "best time", "judgement", "another time", "timeless",
]  # fmt: skip

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
#: What a sentence may tell of, and the words by which it does.
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


def tells(sentence: str, of: Topic) -> bool:
    """Whether a sentence has words that tell of a topic."""
    return bool(_TOPICS[of].search(sentence))


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


#: Characters between a name and a reason that a model gives for it.
BESIDE = 200
#: Most characters of a reason that is looked for here.
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
    """The sentence around a name where it says why one goes there; None where it does not."""
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
    """Whether a reason that was claimed stands in the text, near the name it is for."""
    near = reason.start - BESIDE < name.end and name.start < reason.end + BESIDE
    return reason.end <= len(text) and near
