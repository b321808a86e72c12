"""Find the elements of seed queries, and the words used for each element.

As in TP-RAG, section 3.2, a query has a city, sometimes a number of days, and sometimes a
constraint. No model is needed. The city is found in the registry, and the number of days is
recognised by its form. The ending that most queries share is called the tail. All words other than
the city, the days and the tail are the constraint. The taxonomy determines the kind of the
constraint; words that are not in the taxonomy have the kind ``other``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from queries.tprag import Stratum
from schemas.cities import chinese_place_names
from schemas.taxonomy import CONSTRAINTS, TPRAG_CITIES

_DAYS = re.compile(r"(?:二?十[一二三四五六七八九]?|[一二两三四五六七八九]|\d{1,2})(?=[日天])")
_LONGEST_CITY, _SHORTEST_CITY = 6, 2
#: A tail grows as long as it is the end of nearly all queries that have the shorter tail.
_TAIL_SHARE, _LONGEST_TAIL = 0.9, 4
_KINDS = {
    word: kind
    for kind, terms in CONSTRAINTS.items()
    for term in terms
    for word in (term.zh, *term.words)
    if not word.isascii()
}
_LONGEST_FIRST = sorted(_KINDS, key=lambda word: (-len(word), word))
_FAMILIAR = frozenset(zh for _, zh in TPRAG_CITIES)


@dataclass(frozen=True)
class StandardReading:
    """A seed query with its pattern, and with its city, days, constraint and tail as written."""

    text: str
    city: str
    days: str | None
    constraint: str | None
    tail: str
    pattern: str

    @property
    def kind(self) -> str | None:
        """Return the constraint's kind, or None if the seed has no constraint."""
        return _KINDS.get(self.constraint, "other") if self.constraint else None


@dataclass(frozen=True)
class Induced:
    """The elements of all seeds; ``unread`` contains the seeds in which no city was found."""

    readings: tuple[StandardReading, ...]
    unread: tuple[str, ...]

    def elements(self) -> dict[str, Counter[str]]:
        """Return the words for each element, with the number of seeds that contain each word."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for reading in self.readings:
            found["city"][reading.city] += 1
            found["tail"][reading.tail] += 1
            if reading.days:
                found["days"][reading.days] += 1
            if reading.constraint:
                found[str(reading.kind)][reading.constraint] += 1
        return dict(sorted(found.items()))

    def facts(self) -> dict[str, Any]:
        """Return the elements and patterns with their frequencies, in the form in which they are
        saved.
        """
        elements = [
            {
                "name": name,
                "seeds": words.total(),
                "required": words.total() == len(self.readings),
                "words": _rank(words),
            }
            for name, words in self.elements().items()
        ]
        patterns = Counter(reading.pattern for reading in self.readings)
        return {
            "seeds": len(self.readings) + len(self.unread),
            "elements": elements,
            "patterns": _rank(patterns),
            "unread": list(self.unread),
        }

    def unmet(self, strata: Iterable[Stratum]) -> list[str]:
        """Return the names of the strata whose constraint or number of days occurs in no seed."""
        words = self.elements()
        held = {
            word
            for name, found in words.items()
            if name not in ("city", "days", "tail")
            for word in found
        }
        return [
            cell.name
            for cell in strata
            if (cell.term and not held & {cell.term.zh, *cell.term.words})
            or (cell.n_days and "days" not in words)
        ]


def induce(seeds: Sequence[str]) -> Induced:
    """Find the elements of Chinese seeds; identical seeds count once."""
    texts = sorted({seed.strip() for seed in seeds} - {""})
    cities = {text: _city(text) for text in texts}
    tails = _tails(
        [_without(t, c) for t, c in cities.items() if c and not _DAYS.search(_without(t, c))]
    )
    readings = [_read(text, city, tails) for text, city in cities.items() if city]
    return Induced(tuple(readings), tuple(text for text in texts if not cities[text]))


def _without(text: str, city: str) -> str:
    return text.replace(city, "", 1)


def _city(text: str) -> str | None:
    """Return the first city name in a text; the longest one if several begin at the same character.

    Names from the published benchmark take precedence.
    """
    for known in (_FAMILIAR, chinese_place_names()):
        for start in range(len(text)):
            for length in range(_LONGEST_CITY, _SHORTEST_CITY - 1, -1):
                if text[start : start + length] in known:
                    return text[start : start + length]
    return None


def _tails(rest: Sequence[str]) -> list[str]:
    """Return the common endings of the seeds that contain no number of days.

    A common ending follows different words in several seeds. The longest ending is first.
    """
    before: dict[str, Counter[str]] = defaultdict(Counter)
    for text in rest:
        for n in range(1, min(len(text), _LONGEST_TAIL) + 1):
            before[text[-n:]][text[:-n]] += 1
    found = []
    for last in sorted(end for end in before if len(end) == 1):
        tail = last
        for n in range(2, _LONGEST_TAIL + 1):
            longer = [end for end in before if len(end) == n and end.endswith(tail)]
            best = max(longer, key=lambda end: (before[end].total(), end), default="")
            if not best or before[best].total() < _TAIL_SHARE * before[tail].total():
                break
            tail = best
        if len(before[tail]) > 1 or set(before[tail]) == {""}:
            found.append(tail)
    return sorted(found, key=lambda tail: (-len(tail), tail))


def _read(text: str, city: str, tails: Sequence[str]) -> StandardReading:
    """Read a seed; the constraint is the part before the days or the tail, or a known word."""
    rest = _without(text, city)
    days = _DAYS.search(rest)
    tail = rest[days.end() :] if days else next((t for t in tails if rest.endswith(t)), "")
    head = rest[: days.start()] if days else rest[: len(rest) - len(tail)]
    constraint = head.strip() or next((w for w in _LONGEST_FIRST if w in tail), None)
    kind = _KINDS.get(constraint, "other") if constraint else ""
    pattern = "{city}" + (f"{{{kind}}}" if head.strip() else "") + ("{days}" if days else "")
    pattern += tail if head.strip() or not constraint else tail.replace(constraint, f"{{{kind}}}")
    return StandardReading(text, city, days[0] if days else None, constraint, tail, pattern)


def _rank(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
