"""Groups occurrences of names by place: merges the forms of a name, and resolves overlaps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from extractors.rules.common.chinese import is_city, leads_in
from extractors.rules.common.lines import Hit
from extractors.text import fold
from schemas.reading import Role
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.common")

#: Endings that a short form of the same name may leave out.
_TYPE = re.compile(
    rf"(?:森林|湿地|遗址|地质|国家|城市|历史|海洋|文化|文创|烈士"
    rf"|商业)*(?:{_LISTS.either('loose_endings')})"
)
_TEMPLE = re.compile("(?:清真|禅|古|讲)寺|古镇|道观|老街|古街")
_LATIN_TYPE = re.compile(
    r"^(?:national|scenic|forest|historic|ancient|old|nature|wetland)*(?:park|square|street|st"
    r"|oldtown|ancienttown|town|museum|area|scenicarea|lake|lakes|gardens?|temple|market|valley"
    r"|island|district|village|mountain|s)$"
)
#: Last words of English names that are sights' names, wherever they stand.
HEAD = frozenset(_LISTS.words("english_heads"))
#: Words that turn a name into another place's name.
_DIFFERS = frozenset(_LISTS.words("differing_words"))


@lru_cache(maxsize=1 << 18)
def same_name(short: str, long: str) -> bool:
    """Check whether two names are equal, or differ only by the name of a city or a type word."""
    a, b = fold(short), fold(long)
    if len(a) > len(b):
        a, b = b, a
    if a == b:
        return True
    if len(a) < 2:
        return False
    if a.isascii():
        if _more_words(short, long) or _plain(short) == _plain(long):
            return True
        return len(a) >= 4 and b.startswith(a) and bool(_LATIN_TYPE.match(b[len(a) :]))
    if (b.startswith(a) and _TYPE.fullmatch(b[len(a) :])) or (
        b.endswith(a) and _is_optional_front(b[: -len(a)])
    ):
        return True
    at = b.find(a)
    if at > 0 and _TYPE.fullmatch(b[at + len(a) :]) and len(a) > 2:
        return _is_optional_front(b[:at])
    return _abbreviates(a, b)


def edges_of(name: str) -> tuple[str, ...]:
    """Return keys for a name such that two forms of the same name share a key.

    The keys are the first and the last character, or one common key for all names in Latin script.
    Comparing every name with every place would take minutes for a list of thousands of names.
    """
    folded = fold(name)
    latin = ("latin",) if folded.isascii() else ()
    return (f"^{folded[:1]}", f"{folded[-1:]}$", *latin)


def _more_words(short: str, long: str) -> bool:
    """Check whether the longer name only adds one word before or inside the shorter name, which has
    at least two words ("Lotus Market", "Testford Lotus Market").
    """
    a, b = sorted((short.lower().split(), long.lower().split()), key=len)
    if len(a) == 2 and len(b) == 3 and (a[0], a[1]) == (b[0], b[2]) and len(a[0]) > 3:
        return not {a[0], b[1]} & _DIFFERS and b[1].isalpha() and b[1] not in HEAD | {"of"}
    return len(a) >= 2 and len(b) == len(a) + 1 and b[1:] == a and b[0] not in _DIFFERS


def _plain(name: str) -> str:
    """Return a uniform spelling of a Latin name: "Lin's Tomb" becomes "tomb of lin", "&" becomes
    "and", and a final "s" is removed.
    """
    low = re.sub(r"^(\w[\w ]*)[’']s (\w+)$", r"\2 of \1", name.lower().replace("&", "and"))
    low = re.sub(r"\b(?:grottoe?s|caves)$", "cave", low)
    return low.removesuffix("s")


def _abbreviates(a: str, b: str) -> bool:
    """Check whether one name is short for the other: "白鹤公园" for "大白鹤湿地公园", "某大" for
    "某某大学".
    """
    if len(a) == 2 and a[1] == "大" and b.endswith("大学"):
        return b[0] == a[0]
    if len(a) == 3 and b[:2] == a[:2] and _TEMPLE.fullmatch(b[2:]) and a[2] == b[-1]:
        return True
    return len(a) >= 4 and a[:2] in b and b.endswith(a[-2:]) and not _is_optional_front(a[:2])


def _is_optional_front(text: str) -> bool:
    """Check whether a name may be shortened by removing this text from its beginning."""
    return is_city(text) or text in ("中国", "国家", "古", "旧", "老")


_RANK = {
    s: i
    for i, s in enumerate(
        (
            "chain",
            "lead",
            "heading",
            "verb",
            "suffix",
            "gazetteer",
            "told",
            "judged",
            "echo",
            "object",
            "logistics",
        )
    )
}


@dataclass
class Sight:
    """A sight in a document, with all its occurrences."""

    number: int
    key: str
    hits: list[Hit] = field(default_factory=list)  # in text order
    standard: str | None = None
    parent: str | None = None
    role: Role = "mentioned"

    @property
    def name(self) -> str:
        """Return the name in the form in which it first occurs in the text."""
        return self.hits[0].name

    @property
    def sources(self) -> set[str]:
        """Return the rules that found this sight."""
        return {hit.source for hit in self.hits}

    @property
    def structural(self) -> bool:
        """Check whether a list, a heading or a caption contains the sight's name."""
        return bool(self.sources & {"chain", "lead", "heading"})


def without_overlaps(hits: list[Hit]) -> list[Hit]:
    """Keep one hit per position: the longest or, if several are equally long, the one with the
    strongest source.

    If another hit at the same position is a known form of the same name, the hit that is kept gets
    the standard name and the parent of that form. If several names from the gazetteer together fill
    an item of a list, these names replace the hit for the item.
    """
    kept: list[Hit] = []
    for group in _clusters(sorted(hits, key=lambda h: (h.start, -h.end, _RANK[h.source]))):
        known = [h for h in group if h.standard]
        best = min(group, key=lambda h: (-(h.end - h.start), _RANK[h.source]))
        filled = sum(h.end - h.start for h in known)
        if len(known) > 1 and filled >= best.end - best.start - 1:
            kept.extend(
                Hit(h.start, h.end, h.name, best.source, h.line, h.standard, h.parent)
                for h in known
            )
            continue
        inner = next((h for h in known if same_name(h.name, best.name)), None)
        source = min(
            (h.source for h in group if same_name(h.name, best.name)), key=_RANK.__getitem__
        )
        also = tuple(dict.fromkeys(
            form for h in (best, *group) if (h.start, h.end) == (best.start, best.end)
            for form in h.also
        ))  # fmt: skip
        kept.append(
            Hit(best.start, best.end, best.name, source, best.line,
                inner.standard if inner else None, inner.parent if inner else None, also)
        )  # fmt: skip
    return kept


def without_lead_ins(hits: list[Hit]) -> list[Hit]:
    """Shorten names in running text to the known name at their end ("重修某某桥").

    A name is shortened only if a verb or a similar word precedes the known name, because names of
    sights contain no such words.
    """
    firm = {h.name for h in hits if h.standard or h.source in ("chain", "heading", "lead")}
    told = Counter(hit.name for hit in hits)
    firm |= {name for name, times in told.items() if times > 1}
    short = sorted((n for n in firm if len(n) >= 3), key=lambda n: (-len(n), n))
    kept = []
    for hit in hits:
        name = hit.name
        if hit.source not in ("chain", "heading", "lead") and not hit.standard:
            tail = next((n for n in short if n != name and name.endswith(n)), "")
            if tail and leads_in(name[: -len(tail)]):
                hit_start = hit.end - len(tail)
                kept.append(replace(hit, start=hit_start, name=tail, source="echo"))
                continue
        kept.append(hit)
    return kept


def _clusters(hits: list[Hit]) -> list[list[Hit]]:
    groups: list[list[Hit]] = []
    end = -1
    for hit in hits:
        if hit.start < end:
            groups[-1].append(hit)
        else:
            groups.append([hit])
        end = max(end, hit.end)
    return groups


def places_of(hits: list[Hit]) -> list[Sight]:
    """Return the places to which the hits belong, in order of first occurrence."""
    places: list[Sight] = []
    by_name: dict[str, Sight] = {}
    by_edge: dict[str, set[int]] = {}
    for hit in sorted(hits, key=lambda h: (h.start, h.end)):
        place = by_name.get(fold(hit.standard or hit.name)) or by_name.get(fold(hit.name))
        if place is None:
            near = sorted(set().union(*(by_edge.get(edge, ()) for edge in edges_of(hit.name))))
            place = next((places[n] for n in near if _joins(places[n], hit)), None)
        if place is None:
            place = Sight(number=len(places), key=fold(hit.standard or hit.name))
            places.append(place)
        place.hits.append(hit)
        place.standard = place.standard or hit.standard
        place.parent = place.parent or hit.parent
        for form in (hit.name, hit.standard or hit.name, *hit.also):
            by_name.setdefault(fold(form), place)
        for edge in edges_of(hit.name):
            by_edge.setdefault(edge, set()).add(place.number)
    return places


def without_tails(places: list[Sight], known: Callable[[str], bool]) -> list[Sight]:
    """Join two places if their names differ only by a town at the beginning of one name ("魔鬼城").

    ``known`` checks whether the words at the beginning are the name of a town or a similar place.
    If a short name fits two places, no places are joined.
    """
    names = [place.name for place in places]
    # Names are indexed by ending: comparing all pairs of thousands of names takes half a minute.
    ending: dict[str, list[Sight]] = {}
    for place, name in zip(places, names, strict=True):
        for at in range(1, len(name)):
            ending.setdefault(name[at:], []).append(place)
    whole: dict[int, Sight] = {}
    for place, name in zip(places, names, strict=True):
        longer = [
            other for other in ending.get(name, ())
            if (len(name) > 2 or known(name)) and known(other.name[: -len(name)])
        ]  # fmt: skip
        if len(longer) == 1 and not (place.standard and longer[0].standard):
            whole[place.number] = longer[0]
    for number, place in whole.items():
        if place.number not in whole:
            short = next(p for p in places if p.number == number)
            place.hits = sorted([*place.hits, *short.hits], key=lambda h: (h.start, h.end))
            place.standard = place.standard or short.standard
    return [p for p in places if p.number not in whole or whole[p.number].number in whole]


def _joins(place: Sight, hit: Hit) -> bool:
    if place.standard and hit.standard and place.standard != hit.standard:
        return False
    return any(same_name(name, hit.name) for name in {other.name for other in place.hits})
