"""Finds known names in a text, using one Aho-Corasick automaton per gazetteer, which is built only
once.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from extractors.text import simplify
from schemas.reading import GazetteerEntry

#: So many gazetteers are kept at most; a run works on one city after the other.
_KEPT = 8
_LATIN = re.compile(r"[A-Za-z0-9]")
_BRACKETS = re.compile(r"[（(【\[][^）)】\]]*[）)】\]]")


@dataclass(frozen=True)
class KnownName:
    """A name in a gazetteer and its position in a text."""

    start: int
    end: int
    entry: GazetteerEntry


class NameGazetteer:
    """The names in a gazetteer, prepared for searching."""

    def __init__(self, entries: tuple[GazetteerEntry, ...]):
        # Imported only if names are searched for.
        import ahocorasick_rs as ac

        self.entries = entries  # keeps the tuple alive, and with it its identity
        self._of: dict[str, GazetteerEntry] = {}
        ranks: dict[str, tuple[bool, int]] = {}
        for entry in entries:
            for name, rank in _forms(entry).items():
                standing = (entry.kind != "poi", rank)
                if name not in ranks or standing < ranks[name]:
                    ranks[name], self._of[name] = standing, entry
        self._patterns = sorted(self._of)
        self._automaton: Any = ac.AhoCorasick(
            self._patterns, matchkind=ac.MatchKind.LeftmostLongest
        ) if self._patterns else None  # fmt: skip

    def find(self, text: str) -> list[KnownName]:
        """Return the leftmost longest matches; Latin names match only at word boundaries."""
        if self._automaton is None:
            return []
        plain = simplify(text).lower()
        if len(plain) != len(text):  # a letter whose lower case is longer
            plain = "".join(c.lower() if len(c.lower()) == 1 else c for c in simplify(text))
        return [
            KnownName(start, end, self._of[self._patterns[pattern]])
            for pattern, start, end in self._automaton.find_matches_as_indexes(plain)
            if _whole(plain, start, end)
        ]


def without_brackets(name: str) -> str:
    """Return a name without brackets and their contents."""
    return _BRACKETS.sub("", name).strip()


def _forms(entry: GazetteerEntry) -> dict[str, int]:
    """Return the names to search for; each has at least two Chinese characters or four letters.

    Names are ranked: the standard name first, then other names, then names without their brackets.
    """
    forms: dict[str, int] = {}
    for name in (entry.standard, *entry.names):
        plain = simplify(name).strip().lower()
        written = 0 if name == entry.standard else 1
        for form, rank in ((plain, written), (without_brackets(plain), 2)):
            least = 4 if form.isascii() else 2
            if len(form) >= least:
                forms[form] = min(rank, forms.get(form, rank))
    return forms


def _whole(text: str, start: int, end: int) -> bool:
    left = start > 0 and _LATIN.match(text[start - 1]) and _LATIN.match(text[start])
    right = end < len(text) and _LATIN.match(text[end]) and _LATIN.match(text[end - 1])
    return not left and not right


class Gazetteers:
    """The most recently used gazetteers, each of which is found by its tuple of entries (the same
    tuple or an equal one).
    """

    def __init__(self) -> None:
        self._by_id: OrderedDict[int, NameGazetteer] = OrderedDict()

    def get(self, entries: tuple[GazetteerEntry, ...]) -> NameGazetteer:
        """Return the automaton for these entries; the first call builds it."""
        held = self._by_id.get(id(entries))
        if held is None or held.entries is not entries:
            same = (g for g in self._by_id.values() if len(g.entries) == len(entries))
            held = next((g for g in same if g.entries == entries), None) or NameGazetteer(entries)
            self._by_id[id(held.entries)] = held
        self._by_id.move_to_end(id(held.entries))
        while len(self._by_id) > _KEPT:
            self._by_id.popitem(last=False)
        return held
