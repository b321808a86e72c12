"""What limits a stated value: whom it is for, when it holds, and any further condition.

A sentence is split into pieces at commas outside brackets. A value is limited by its own piece, by
the brackets after it, by an earlier piece that states a season or opens with an audience, and by a
piece of the sentence that says "only", "except" or asks for a reservation.
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
#: The times in some words: where they stand, and their form, None where they have none.
Times = Callable[[str], Iterable[tuple[Range, str | None]]]

_PRICES: frozenset[FactField] = frozenset({"ticket_price", "ticket_price_cny"})
_OF_ALL = frozenset({*_PRICES, "opening_hours", "last_admission", "closed_days"})
#: A bracket behind a value, with what may stand between.
_BRACKET = re.compile(r"[^（(，,；;。]{0,2}[（(]([^()（）]*)[)）]")

#: A piece that opens with an audience and is longer says more than whom the next one is for.
_MOST_OPENING = 24
#: Behind weekdays there may only be "open" in it.
_MOST_VERB = 4


@dataclass(frozen=True)
class LimitWords:
    """What limits a value in one language."""

    audiences: dict[Audience, Pattern]
    years: Times  # months and seasons
    weeks: Times  # weekdays
    others: Pattern  # any other condition
    reserved: Pattern
    combined: Pattern  # a ticket of several places
    only: Pattern  # makes a limit of a piece that stands behind
    excepted: Pattern  # the whole of it limits
    valued: Pattern  # a bracket with it states another value
    parts: Pattern  # between pieces
    opens: Pattern  # what may stand before the audience with which a piece opens
    joins: Pattern | None  # parts two values of a piece
    headed: Pattern  # makes limits of a heading that has them
    behind: int  # how many characters behind a value, in its piece, speak of it
    near: int  # how far before a value, in characters, a piece without value speaks of it


def limit_statements(
    found: Iterable[Statement], sentence: Sentence, words: LimitWords
) -> list[Statement]:
    """The statements of a sentence, in their order, with what limits them."""
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
    """What the header of a column and the brackets in a cell of it limit the cell's value to."""
    notes = (m[1] for m in _BRACKET.finditer(cell) if not words.valued.search(m[1]))
    return _limits(field, _WordsAround(own=(f"{header} ({' '.join(notes)})",)), words)


class _WordsAround(NamedTuple):
    """The words that may limit one value: those of a row hold where those before it say nothing."""

    own: tuple[str, ...]
    year: str = ""
    group: str = ""
    asides: tuple[str, ...] = ()
    told: Range = (0, 0)


def _find_words_around(
    of: Statement, sentence: Sentence, taken: list[Range], pieces: list[Range], words: LimitWords
) -> _WordsAround:
    """The words around a value, in its sentence, its line, and under its heading."""
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
    """The words of a value, and what stands in brackets at its end unless that is a value too."""
    value = text[of.start : of.end]
    inside = re.search(r"[(（]([^()（）]*)[)）]\s*$", value)
    found = inside or _BRACKET.match(text, of.end)
    note = found[1] if found and not words.valued.search(found[1]) else ""
    return value[: inside.start()] if inside else value, note


def _year_before(
    of: Statement, text: str, before: list[Range], valued: list[Range], words: LimitWords
) -> Range | None:
    """Where the nearest words before a value say the time of the year; further off they must
    stand beside other values."""
    for start, end in reversed(before):
        said = text[start:end]
        has_value = any(a < end and start < b for a, b in valued)
        if any(words.years(said)):
            return (start, end) if has_value or of.start - end < words.near else None
        if end > start and not has_value:
            return None
    return None


def _opening(said: str, words: LimitWords) -> str:
    """A short piece that says no more than whom or which weekdays the next one is for."""
    begin = words.opens.match(said)
    rest = said[begin.end() if begin else 0 :]
    is_group = any(p.match(rest) for p in words.audiences.values()) and len(rest) <= _MOST_OPENING
    is_week = any(
        at[0] == 0 and len(rest[at[1] :].strip()) <= _MOST_VERB for at, _ in words.weeks(rest)
    )
    return said if is_group or is_week else ""


def _lead(sentence: Sentence, words: LimitWords) -> str:
    """The season that opens a line before a colon: "4月-10月：门票60元；开放时间8:00-18:00"."""
    line = sentence.line.text[: sentence.start - sentence.line.start]
    lead = re.split(r"。|\.\s", line)[-1]
    times = list(words.years(lead))
    is_lead = times and re.match(r"[^,，;；|]{0,14}[:：]", lead[times[-1][0][1] :])
    return lead if is_lead else ""


def _limits(field: FactField, said: _WordsAround, words: LimitWords) -> Limits:
    """The limits that words around a value of a field state."""
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
    """Limits with the last time of the first words that have one, better one with a form."""
    for part in said:
        times = list(times_in(part))
        if times:
            span, when = next((t for t in reversed(times) if t[1]), times[-1])
            return limits.at(when, part, span)
    return limits


def _for_whom(limits: Limits, said: Iterable[str], words: LimitWords) -> Limits:
    """Whom a price is for; of several groups at once in the words of the text."""
    for part in said:
        groups = {name: m for name, p in words.audiences.items() if (m := p.search(part))}
        if len(groups) == 1:
            return limits._replace(audience=next(iter(groups)))
        if groups:
            start, end = (
                min(m.start() for m in groups.values()),
                max(m.end() for m in groups.values()),
            )
            return limits.further_by(part[start:end])
    return limits


def _pieces(text: str, taken: list[Range], words: LimitWords) -> Iterator[Range]:
    """The pieces of a sentence; marks in brackets and within values part nothing."""
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
