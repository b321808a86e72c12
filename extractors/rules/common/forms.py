"""Whether two names are forms of the same name."""

from __future__ import annotations

import re
from functools import lru_cache

from extractors.rules.common.chinese import is_city
from extractors.text import fold
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.common")

#: Endings that a short form of the same name may lack.
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
#: Last word of an English name that is a sight wherever it stands.
HEAD = frozenset(_LISTS.words("english_heads"))
#: Words that make another place of a name.
_DIFFERS = frozenset(_LISTS.words("differing_words"))


@lru_cache(maxsize=1 << 18)
def same_name(short: str, long: str) -> bool:
    """Whether two names are forms of one: equal, or apart by a city or a type word."""
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
    if b.startswith(a) and _TYPE.fullmatch(b[len(a) :]):
        return True
    if b.endswith(a) and (b[: -len(a)] in ("古", "旧", "老") or _is_city_prefix(b[: -len(a)])):
        return True
    at = b.find(a)
    if at > 0 and _TYPE.fullmatch(b[at + len(a) :]) and len(a) > 2:
        return b[:at] in ("古", "旧", "老") or _is_city_prefix(b[:at])
    return _abbreviates(a, b)


def edges_of(name: str) -> tuple[str, ...]:
    """Where two forms of one name can meet: their first or last character, or Latin script.

    Comparing every name with every place takes minutes on a list of thousands of names.
    """
    folded = fold(name)
    latin = ("latin",) if folded.isascii() else ()
    return (f"^{folded[:1]}", f"{folded[-1:]}$", *latin)


def _more_words(short: str, long: str) -> bool:
    """ "Lotus Market" for "Testford Lotus Market": one word more before two of their own."""
    a, b = sorted((short.lower().split(), long.lower().split()), key=len)
    if len(a) == 2 and len(b) == 3 and (a[0], a[1]) == (b[0], b[2]) and len(a[0]) > 3:
        return not {a[0], b[1]} & _DIFFERS and b[1].isalpha() and b[1] not in HEAD | {"of"}
    return len(a) >= 2 and len(b) == len(a) + 1 and b[1:] == a and b[0] not in _DIFFERS


def _plain(name: str) -> str:
    """A Latin name in one spelling: "Lin's Tomb" as "Tomb of Lin", "&" as "and", no plural."""
    low = re.sub(r"^(\w[\w ]*)[’']s (\w+)$", r"\2 of \1", name.lower().replace("&", "and"))
    low = re.sub(r"\b(?:grottoe?s|caves)$", "cave", low)
    return low.removesuffix("s")


def _abbreviates(a: str, b: str) -> bool:
    """ "白鹤公园" for "大白鹤湿地公园", "某大" for "某某大学"."""
    if len(a) == 2 and a[1] == "大" and b.endswith("大学"):
        return b[0] == a[0]
    if len(a) == 3 and b[:2] == a[:2] and _TEMPLE.fullmatch(b[2:]) and a[2] == b[-1]:
        return True
    return len(a) >= 4 and a[:2] in b and b.endswith(a[-2:]) and not _is_city_prefix(a[:2])


def _is_city_prefix(text: str) -> bool:
    return is_city(text) or text in ("中国", "国家")
