"""Finds the limits of a value: who it applies to, when it applies, and its other conditions.

A sentence is split into pieces at commas outside brackets. A value can be limited by the piece that
contains the value, or by the brackets after it. An earlier piece limits the value if it names a
season or begins by naming an audience. Any piece limits the value if it contains "only" or
"except", or asks for a reservation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from extractors.rules.common.statements import Limits, Sentence, Statement
from schemas.reading import Audience, FactField

Pattern = re.Pattern[str]
Range = tuple[int, int]
#: Finds the times in some words: their position, and their form or None if they have no form.
Times = Callable[[str], Iterable[tuple[Range, str | None]]]

_PRICES: frozenset[FactField] = frozenset({"ticket_price", "ticket_price_cny"})
_OF_ALL = frozenset({*_PRICES, "opening_hours", "last_admission", "closed_days"})
#: A bracket after a value, with the characters that may stand between them.
_BRACKET = re.compile(r"[^（(，,；;。]{0,2}[（(]([^()（）]*)[)）]")

#: A longer piece that begins with an audience says more than who the next piece is for.
_MOST_OPENING = 24
#: After weekdays, such a piece may only contain "open".
_MOST_VERB = 4


@dataclass(frozen=True)
class LimitWords:
    """The words in one language that limit a value."""

    audiences: dict[Audience, Pattern]
    years: Times  # months and seasons
    weeks: Times  # weekdays
    others: Pattern  # any other condition
    reserved: Pattern
    combined: Pattern  # a ticket of several places
    only: Pattern  # makes a piece after the value a limit
    excepted: Pattern  # a piece with it is a limit as a whole
    valued: Pattern  # a bracket with it states another value
    parts: Pattern  # separates pieces
    opens: Pattern  # may precede the audience at the start of a piece
    joins: Pattern | None  # separates two values in a piece
    headed: Pattern  # makes a heading with it a limit
    behind: int  # so many characters after a value are about it
    near: int  # so many characters before a value are about it


def limit_statements(
    found: Iterable[Statement], sentence: Sentence, words: LimitWords
) -> list[Statement]:
    """Return the statements in a sentence in order, each with its limits."""
    found = list(found)
    taken = sorted((s.start, s.end) for s in found)
    pieces = list(_pieces(sentence.text, taken, words))
    follows = sentence.line.text[sentence.start - sentence.line.start + len(sentence.text) :]
    reserved = words.reserved.search(sentence.text) or words.reserved.match(follows.lstrip())
    done = []
    for statement in found:
        if statement.field == "season":
            done.append(statement)
            continue
        said = _find_words_around(statement, sentence, taken, pieces, words)
        limits = _limits(statement.field, said, words)
        told = said.told
        if reserved and statement.field in (*_PRICES, "opening_hours"):
            limits = limits.further_by(reserved[0])
        if limits.further and (reserved or said.asides):
            told = 0, len(sentence.text)
        done.append(statement._replace(limits=limits, told=told if limits != Limits() else None))
    return done


def limits_of_cell(field: FactField, header: str, cell: str, words: LimitWords) -> Limits:
    """Return the limits of a value in a table cell, found in the column's header and the cell's
    brackets.
    """
    notes = (m[1] for m in _BRACKET.finditer(cell) if not words.valued.search(m[1]))
    return _limits(field, _WordsAround(own=(f"{header} ({' '.join(notes)})",)), words)


class _WordsAround(NamedTuple):
    """The words that may limit one value.

    For times and audiences, the first words that express a limit are used.
    """

    own: tuple[str, ...]
    year: str = ""
    group: str = ""
    asides: tuple[str, ...] = ()
    told: Range = (0, 0)


def _find_words_around(
    of: Statement, sentence: Sentence, taken: list[Range], pieces: list[Range], words: LimitWords
) -> _WordsAround:
    """Return the words around a value: in its sentence, in its line, and in its heading."""
    text = sentence.text
    at = next(i for i, (_, end) in enumerate(pieces) if of.start < end or end == len(text))
    (begin, stop), before = pieces[at], pieces[:at]
    left = max([begin, *(end for _, end in taken if end <= of.start)])
    right = min([stop, *(start for start, _ in taken if start >= of.end)])
    value, note = _without_note(text, of, words)
    if of.field == "closed_days":
        value = ""
    behind = re.split("[(（]", text[of.end : right])[0][: words.behind]
    valued = [piece for piece in pieces if any(piece[0] <= start < piece[1] for start, _ in taken)]
    plain = [text[a:b] for a, b in pieces if (a, b) not in valued]
    heading = sentence.heading if words.headed.search(sentence.heading) else ""
    since = _year_before(of, text, [*before, (begin, left)], valued, words)
    year = text[slice(*since)] if since else ""
    group = ""
    if before and before[-1] not in valued and left == begin:
        group = _opening(text[slice(*before[-1])], words)
    first = min(left, since[0] if since else left, before[-1][0] if group else left)
    return _WordsAround(
        own=(f"{text[left : of.start]}{value} ({note})", behind),
        year=year or _lead(sentence, words) or heading,
        group=group or heading,
        asides=tuple(s for s in plain if words.only.search(s) or words.excepted.search(s)),
        told=(first, max(of.end, right)),
    )


def _without_note(text: str, of: Statement, words: LimitWords) -> tuple[str, str]:
    """Separate a value's words from the brackets that follow; brackets with another value are
    ignored.
    """
    value = text[of.start : of.end]
    inside = re.search(r"[(（]([^()（）]*)[)）]\s*$", value)
    found = inside or _BRACKET.match(text, of.end)
    note = found[1] if found and not words.valued.search(found[1]) else ""
    return value[: inside.start()] if inside else value, note


def _year_before(
    of: Statement, text: str, before: list[Range], valued: list[Range], words: LimitWords
) -> Range | None:
    """Return the nearest words before a value that name a time of year.

    Words far from the value count only if their piece of the sentence also contains a value.
    """
    for start, end in reversed(before):
        said = text[start:end]
        has_value = any(a < end and start < b for a, b in valued)
        if any(words.years(said)):
            return (start, end) if has_value or of.start - end < words.near else None
        if end > start and not has_value:
            return None
    return None


def _opening(said: str, words: LimitWords) -> str:
    """Return a short piece if it merely names the audience or the weekdays for the next piece;
    otherwise, return "".
    """
    begin = words.opens.match(said)
    rest = said[begin.end() if begin else 0 :]
    is_group = any(p.match(rest) for p in words.audiences.values()) and len(rest) <= _MOST_OPENING
    is_week = any(
        at[0] == 0 and len(rest[at[1] :].strip()) <= _MOST_VERB for at, _ in words.weeks(rest)
    )
    return said if is_group or is_week else ""


def _lead(sentence: Sentence, words: LimitWords) -> str:
    """Return the text between the last full stop and a sentence if it has a season before a colon:
    "4月-10月：门票60元；开放时间8:00-18:00".
    """
    line = sentence.line.text[: sentence.start - sentence.line.start]
    lead = re.split(r"。|\.\s", line)[-1]
    times = list(words.years(lead))
    is_lead = times and re.match(r"[^,，;；|]{0,14}[:：]", lead[times[-1][0][1] :])
    return lead if is_lead else ""


def _limits(field: FactField, said: _WordsAround, words: LimitWords) -> Limits:
    """Return the limits found in the words around the value of a field."""
    own = [words.excepted.sub(" ", part) for part in said.own]
    limits = _at(Limits(), (*own, said.year), words.years)
    if field not in _OF_ALL:
        return limits
    for part in (*said.own, *said.asides):
        limits = limits.further_by(*(match[0] for match in words.excepted.finditer(part)))
    only = [words.excepted.sub(" ", part) for part in said.asides if words.only.search(part)]
    if field != "closed_days":
        limits = _at(limits, (*own, said.group), words.weeks)
    if field in _PRICES:
        limits = _for_whom(limits, (*own, said.group, *only), words)
        joint = words.combined.search(" ".join(own))
        limits = limits._replace(combined=joint[0] if joint else None)
    found = (match[0] for part in (*own, *only) for match in words.others.finditer(part))
    return limits.further_by(*found)


def _at(limits: Limits, said: Iterable[str], times_in: Times) -> Limits:
    """Add to the limits the last time in the first part of the text that contains a time.

    Times that can be written in a standard form take precedence.
    """
    for part in said:
        if times := list(times_in(part)):
            span, when = next((t for t in reversed(times) if t[1]), times[-1])
            return limits.at(when, part, span)
    return limits


def _for_whom(limits: Limits, said: Iterable[str], words: LimitWords) -> Limits:
    """Add the audience of a price to the limits; if a text names several audiences, keep its
    wording.
    """
    for part in said:
        groups = {name: m for name, p in words.audiences.items() if (m := p.search(part))}
        if len(groups) == 1:
            return limits._replace(audience=next(iter(groups)))
        if groups:
            start = min(m.start() for m in groups.values())
            return limits.further_by(part[start : max(m.end() for m in groups.values())])
    return limits


def _pieces(text: str, taken: list[Range], words: LimitWords) -> Iterator[Range]:
    """Return the pieces of a sentence, split at commas that are neither in brackets nor within
    values.
    """
    brackets = [m.span() for m in re.finditer(r"[（(][^()（）]*[)）]", text)]
    whole = [*brackets, *taken]
    cuts = [m.span() for m in words.parts.finditer(text)
            if not any(a <= m.start() < b for a, b in whole)]  # fmt: skip
    if words.joins is not None:
        for (_, end), (start, _) in pairwise(taken):
            found = words.joins.search(text, end, max(end, start))
            if found and not any(a <= found.start() < b for a, b in whole):
                cuts.append(found.span())
    start = 0
    for cut, after in sorted(cuts):
        if cut >= start:
            yield start, cut
            start = after
    yield start, len(text)
