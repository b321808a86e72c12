"""Decides whether a Chinese string can be the name of a sight.

The module is also used for English pages, which may contain Chinese names.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from functools import lru_cache

from extractors.rules.common.dictionary import city_people_zh, cut_words, frequency, tag
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.common")


def _longest_first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda w: (-len(w), w)))


#: A name with one of these endings is a sight's, wherever it stands.
STRONG = _longest_first(_LISTS.words("sure_endings"))
#: A name with one of these endings is a sight's if the rest is a name and there is other evidence.
WEAK = _longest_first(_LISTS.words("unsure_endings"))
#: Names with these endings stand where a sight is expected, but are not names of sights.
DECOY = re.compile(rf"(?:{_LISTS.either('decoy_endings')})$")
#: ... except these, which are sights although they have such an ending.
NOT_DECOY = re.compile(rf"(?:{_LISTS.either('decoy_exceptions')})$")
#: Words after a name that turn it into the name of a station, a shop, a hotel or a road.
AFTER_DECOY = re.compile(
    r"^\s*(?:[（(][^（()）]{1,8}店[)）]|(?:（[^）]{0,4}口[^）]{0,3}）)?(?:地铁|公交|火车|高铁|汽车"
    r"|客运|轻轨)?(?:" + _LISTS.either("decoy_sequels") + r"))"
)
#: Generic words, which are never a name by themselves.
GENERIC = frozenset(_LISTS.words("generic_words"))
#: Generic words that a list or a heading may still use as a name.
LISTED = frozenset(_LISTS.words("listed_words"))
#: Endings of headings and labels that announce a topic, not a sight.
TOPIC = re.compile(rf"(?:{_LISTS.either('topic_endings')})$")
#: Words that are never part of a name in running text; a name can begin after them.
STOP_WORDS = frozenset(_LISTS.words("stop_words"))
#: Words that the dictionary tags as verbs or adverbs, but that occur inside names.
IN_NAMES = frozenset(_LISTS.words("words_in_names"))
PROVINCES = frozenset(_LISTS.words("regions"))
#: ... of which these are also cities.
CITY_PROVINCES = frozenset(_LISTS.words("city_regions"))

_NAME = re.compile(r"[\u3400-\u9fffA-Za-z0-9·\-— ]{2,18}")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_STOP_TAGS = ("d", "p", "c", "r", "u", "y", "e", "t", "v", "a", "z", "o", "i", "q", "f")
_NUMERAL = re.compile(r"[零一二三四五六七八九十百千万]+")
_GATE = re.compile(r"(?:[东西南北正后前侧大校宫][大侧]?门|门口)$")
_LONGEST = 14
_STRONG = re.compile("(?:" + "|".join(STRONG) + ")$")
_SUFFIX = re.compile("(?:" + "|".join(STRONG + WEAK) + ")$")
#: Dictionary words more frequent than this are common nouns unless tagged as names.
_COMMON = 30
#: Nouns that are more frequent make no name ("皇家" 园林); rarer ones do ("青石" 古镇).
EVERYDAY = 300


@lru_cache(maxsize=65536)
def stops(word: str) -> bool:
    """Check whether a name in running text cannot contain this word, so that it must begin after
    the word.
    """
    if not (_HAN.search(word) or word.isalnum()) or word in STOP_WORDS:
        return True
    if len(word) == 1 or word in IN_NAMES or suffix_of(word) == word:
        return False
    if tag(word) == "m":
        return not _NUMERAL.fullmatch(word)
    return tag(word)[:1] in _STOP_TAGS and tag(word) not in ("vn", "an", "ad", "tg", "ag")


def suffix_of(name: str) -> str:
    """Return the longest ending of a name that is typical of sights, or "" if there is no such
    ending.
    """
    match = _SUFFIX.search(name)
    return match.group() if match else ""


def strong(name: str) -> bool:
    """Check whether a name ends in a word that is typical only of sights, with something before
    that word.
    """
    match = _STRONG.search(name)
    return bool(match and match.start() > 0)


def is_city(name: str) -> bool:
    """Check whether a name is the name of a city, a province or a country."""
    bare = re.sub(r"(?:省|市)$", "", name)
    if name in PROVINCES or bare in PROVINCES:
        return True
    return city_people_zh(name) >= 100_000 and not strong(name)


def names_city(word: str) -> bool:
    """Check whether a word in a text names a city, rather than a province or a country."""
    if word in PROVINCES and word not in CITY_PROVINCES:
        return False
    return is_city(word) and tag(word) in ("", "ns", "nr", "nz", "nrt") and not _COUNTED.match(word)


def names_town(word: str) -> bool:
    """Check whether a word names a city, or whether the dictionary lists it as a place or a proper
    name.
    """
    return is_city(word) or (
        len(word) > 1 and tag(word) in ("ns", "nr", "nrt") and not strong(word)
    )


_COUNTED = re.compile(r"[一二三四五六七八九十两]+[日天夜晚]")


@lru_cache(maxsize=65536)
def is_decoy(name: str) -> bool:
    """Check whether a name belongs to a hotel, a restaurant, a station, a district or a dish."""
    return bool(DECOY.search(name)) and not NOT_DECOY.search(name)


def leads_in(text: str) -> bool:
    """Check whether the words before a name belong to the sentence rather than to the name."""
    return any(
        stops(word) or (len(word) == 1 and tag(word)[:1] in _STOP_TAGS) for word in cut_words(text)
    )


_LODGING = re.compile(
    r"[\u4e00-\u9fffA-Za-z0-9·]{0,10}?(?:酒店|宾馆|民宿|客栈|公寓|度假村|青旅|旅舍|饭店)"
)
_BESIDE = re.compile(r"[的边旁附近住吃到去在和与、内里口前后]|周|订|选|回|找|是")


def is_turned(text: str, end: int) -> bool:
    """Check whether the words after a name turn it into the name of a station, shop, road or
    hotel.
    """
    if AFTER_DECOY.match(text[end:]):
        return True
    lodging = _LODGING.match(text, end)
    return bool(lodging and not _BESIDE.search(lodging.group()))


@lru_cache(maxsize=65536)
def plausible(name: str, listed: bool = False) -> bool:
    """Check whether a string, regardless of its context, can be the name of a sight.

    ``listed`` means that the string is in a position typical of names; in that case, it may consist
    of common nouns.
    """
    if not _NAME.fullmatch(name) or not _HAN.search(name) or len(name) > _LONGEST:
        return False
    bare = re.sub(r"^(?:[一二三四五六七八九十两几]|某|各|全|整|本)?[个座条家片处些]", "", name)
    if bare in GENERIC or name in GENERIC or is_city(name) or is_decoy(name):
        return False
    if name not in STRONG and all(is_city(word) for word in cut_words(name)):
        return False
    if TOPIC.search(name) or (
        not listed
        and ("的" in name or re.fullmatch("[东西南北前后]山", name) or _common_phrase(name))
    ):
        return False
    of_city = (name[-1] in "城东南西北" and is_city(name[:-1])) or (
        name.endswith("半岛") and is_city(name[:-2])
    )
    opens = len(name) > 3 and name[0] in "从在" and cut_words(name)[0] == name[0]
    does = name[-1] in "玩逛住" and len(name) > 2 and not tag(name)
    return not (of_city or opens or does or _NO_NAME.search(name))


#: Parts of sights, numbered things, prices, durations and distances are not names of sights.
_NO_NAME = re.compile(
    "(?:城墙|景区|园|馆|城)[内外里]$|^(?:路线|线路|方案)|[一二三四五六七八九十\\d]楼.|门[上下进出]"
    "|^[东西南北正]大?门(?:观景平台|广场)?$|[峰塔山楼屋]顶$|^第[一二三四五六七八九十][大村镇站]"
    "|^[一二三四五六七八九十]大(?:[湖名佛景]|古[城镇]|园林|道教)"
    r"|(?:票|价|[¥￥])\s*\d|^\d\d.*门$|[闭开休]馆$|^[A-Z]\d?口$"
    r"|半个?小时|[一二两三四五六七八九十]个?(?:小时|分钟)|\d+\s*(?:元|米|公里|km|小时|分钟|点"
    r"|块|天|日游|晚|月|年|号|人|时)"
)


def _common_phrase(name: str) -> bool:
    """Check whether a name consists only of common nouns ("皇家园林", "北门爬山", "七十七殿")."""
    if _GATE.search(name) and len(name) > 3:
        return True
    ending = suffix_of(name)
    if ending and _NUMERAL.fullmatch(name[: -len(ending)]):
        return True
    words = cut_words(name)
    if len(words) < 2 or words[-1] not in GENERIC or _unknown_word(words[:-1]):
        return False
    return all(_common(word) for word in words[:-1])


def _unknown_word(words: list[str]) -> bool:
    """Check for two adjacent single characters, which suggest a word that is missing from the
    dictionary.
    """
    return any(len(a) == len(b) == 1 for a, b in itertools.pairwise(words))


@lru_cache(maxsize=65536)
def _common(word: str) -> bool:
    """Check whether a word is an everyday word that is not a name."""
    is_verb = len(word) == 1 and tag(word) == "v" and word not in IN_NAMES
    if is_verb or word in GENERIC or stops(word) or tag(word) in ("s", "f", "t"):
        return True
    return tag(word) not in ("", "ns", "nt", "nz", "nr", "nrt") and frequency(word) > EVERYDAY


@lru_cache(maxsize=65536)
def telling(name: str) -> bool:
    """Check whether the stem of a name contains a word that is rare, unknown or tagged as a
    name.
    """
    ending = suffix_of(name)
    is_rare_word = strong(name) and tag(name) and frequency(name) < _COMMON
    if is_rare_word or tag(name) in ("ns", "nt", "nz"):
        return True
    stem = name[: -len(ending)] if ending else name
    words = cut_words(stem)
    return _unknown_word(words) or (bool(stem) and not all(map(_common, words)))


@lru_cache(maxsize=65536)
def proper(name: str) -> bool:
    """Check whether the stem of a name is unknown, rare or tagged as a name, and is thus not a
    common noun.
    """
    if tag(name):
        return tag(name) in ("ns", "nt", "nz", "nr", "nrt") or frequency(name) < _COMMON
    words = cut_words(name.removesuffix(suffix_of(name)))
    return _unknown_word(words) or any(
        tag(word) in ("", "ns", "nt", "nz", "nr", "nrt") or 0 < frequency(word) < _COMMON
        for word in words if len(word) > 1
    )  # fmt: skip


@lru_cache(maxsize=65536)
def is_proper_name(name: str) -> bool:
    """Check whether the dictionary lists a word as a proper name rather than a common noun."""
    kind = tag(name)
    if (kind in ("i", "l") and len(name) == 4) or (kind == "nz" and frequency(name) > 3 * EVERYDAY):
        return False
    if kind in ("ns", "nt", "nz"):
        return True
    if kind in ("nr", "nrt", "nrfg"):
        return bool(suffix_of(name))
    return not kind or (frequency(name) < _COMMON and bool(suffix_of(name)))


def noun(name: str) -> bool:
    """Check whether a name contains no verb or similar word, or is itself listed in the
    dictionary.
    """
    return bool(tag(name)) or not any(
        stops(word) for word in cut_words(name) if not (tag(word)[:1] == "a" and suffix_of(name))
    )
