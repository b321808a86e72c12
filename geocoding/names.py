"""Normalises names of places and splits them into parts: brackets, city prefix and kind of place.

All comparisons use ``PlaceName``; ``raw`` keeps the text from the source.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Literal

from geocoding import lexicon
from geocoding.lexicon import NameKind
from schemas.cities import City, large_cities
from schemas.geo import distance_m
from schemas.sight_words import PARTICLES, type_abroad, type_in_front

Language = Literal["zh", "en", "other"]

_HAN = re.compile(r"[\u3400-\u9fff]")
_MARKS = re.compile(r"[()\[\]【】「」『』〔〕<>《》]")
_BRACKET = re.compile(r"^(.+)[(\[【「『〔<《]([^()\[\]【】「」『』〔〕<>《》]+)[)\]】」』〕>》]$")
#: NAME(BRACKET)-PART of a folded name.
_PART_OF_BRANCH = re.compile(r"^([^()]{2,})\(([^()]+)\)-([^()]+)$")
#: Characters without width, and soft hyphens.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_DASH = re.compile(r"\s*[-‐‑‒–—―－~～]+\s*")
_DOT = re.compile(r"\s*[·•‧・∙⋅.｡。、]\s*")
_QUOTES = re.compile("[\"“”‘’'`´]")
_WORD = re.compile(r"[a-z0-9]+")
_LOOSE_SPACE = re.compile(r"(?<![a-z0-9])\s+|\s+(?![a-z0-9])")
_MOST_READINGS = 16
#: The smallest population of a city known beyond its surroundings, and their radius (metres).
_LARGE_CITY, _SURROUNDINGS_M = 1_000_000, 80_000.0
#: English words for a kind that may also come first: Temple of ...
_KINDS_IN_FRONT = frozenset(
    [
        "mount",
        "mt",
        "lake",
        "temple",
        "palace",
        "museum",
        "tomb",
        "garden",
        "park",
        "hall",
        "gate",
        "pavilion",
        "tower",
        "bridge",
    ]
)
#: Small words in names, including the Arabic article ("Al-Azhar", "El Azhar").
_STOP = frozenset({"the", "of", "and", "at", "in", "a", "on", "for", "do", *PARTICLES})
#: Endings of Japanese names, with or without a hyphen: Ryoan-ji, Ryoanji.
_HYPHENED = re.compile(r"(?<=[a-z])-(?=(?:ji|dera|jingu|jinja|jo|do|in|en)\b)")


@dataclass(frozen=True)
class PlaceName:
    """A parsed name. All parts except ``raw`` are folded.

    ``main`` is the name without any brackets at its end, and ``bare`` is ``main`` without the city
    in front. ``head`` and ``tail`` are the two sides of a dash. ``core`` is ``bare`` without its
    ending, which names the ``kind``. ``words`` are the stemmed words of an English name. ``city``
    is the city's name if ``bare`` still begins with it. ``elsewhere`` is the name of another large
    city if ``bare`` begins with that name. ``inner`` is the second name, given in the brackets of a
    Chinese name, unless the brackets name a branch. ``here`` contains the Chinese names of the city
    in which the place is being looked up.
    """

    raw: str
    lang: Language
    text: str
    main: str
    brackets: tuple[str, ...]
    tail: str
    bare: str
    core: str
    ending: str
    kind: NameKind | None
    words: tuple[str, ...] = ()
    city: str = ""
    elsewhere: str = ""
    inner: PlaceName | None = None
    here: tuple[str, ...] = ()

    @property
    def scale(self) -> int:
        """Return the scale of the kind of place; for a museum named after a sight, return the
        larger scale of the two.
        """
        if self.kind is None or self.house is None:
            return lexicon.COMPOUND
        return max(self.kind.scale, self.house.scale)

    @property
    def house(self) -> NameKind | None:
        """Return the kind of the place; for a museum named after the sight that houses it, return
        the kind of the sight.
        """
        inner = lexicon.ending(self.core) if self.kind and self.kind.code == "museum" else None
        if inner and inner[0] != self.core and inner[1].code in lexicon.HOUSES_MUSEUM:
            return inner[1]
        return self.kind

    @property
    def is_generic(self) -> bool:
        """Check whether the name consists only of a word for a kind of place."""
        return len(self.core) == 0


@cache
def _simplifier() -> Any:
    # OpenCC loads its tables on import, so it is imported only if needed.
    from opencc import OpenCC

    return OpenCC("t2s")


@lru_cache(maxsize=200_000)
def simplify(text: str) -> str:
    """Replace traditional Chinese characters with simplified ones."""
    return str(_simplifier().convert(text)) if _HAN.search(text) else text


@lru_cache(maxsize=200_000)
def pinyin(text: str) -> str:
    """Return the pinyin of a Chinese text without tones, spaces or marks; other letters are
    kept.
    """
    if len(text) > 1 and not _holds_phrase(text):
        return "".join([pinyin(sign) for sign in text])  # same result as below, and much faster
    # Importing pypinyin takes a quarter of a second.
    from pypinyin import lazy_pinyin

    return "".join(c for c in "".join(lazy_pinyin(text)).lower().replace("ü", "v") if c.isalnum())


def _holds_phrase(text: str) -> bool:
    """Check whether a text contains a phrase whose reading is listed in pypinyin."""
    phrases, length = _phrases(), len(text)
    cuts = ((start, end) for start in range(length - 1) for end in range(start + 2, length + 1))
    return any(text[start:end] in phrases for start, end in cuts)


@cache
def _phrases() -> Mapping[str, Any]:
    # Importing pypinyin takes a quarter of a second.
    from pypinyin.constants import PHRASES_DICT

    phrases: Mapping[str, Any] = PHRASES_DICT
    return phrases


@lru_cache(maxsize=200_000)
def spellings(text: str) -> frozenset[str]:
    """Return spellings of a Chinese text without tone marks: the pinyin of all readings, and
    Wade-Giles.
    """
    # Importing pypinyin takes a quarter of a second.
    from pypinyin import Style, lazy_pinyin
    from pypinyin import pinyin as readings

    wade = "".join(c for c in "".join(lazy_pinyin(text, style=Style.WADEGILES)) if c.isalnum())
    found = [""]
    for options in readings(text, style=Style.NORMAL, heteronym=True):
        found = [before + option for before in found for option in options][:_MOST_READINGS]
    plain = {spelled.lower().replace("ü", "v") for spelled in found}
    return frozenset({pinyin(text), wade.replace("ü", "u"), *plain} - {""})


def language(text: str) -> Language:
    """Return ``zh`` if a text contains a Chinese character, ``en`` if it contains Latin letters,
    else ``other``.
    """
    if _HAN.search(text):
        return "zh"
    return "en" if re.search("[A-Za-z]", text) else "other"


def fold(text: str) -> str:
    """Normalise width, case, script, quotes, dashes and dots; remove spaces from Chinese text."""
    folded = simplify(unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).strip().lower())
    if language(folded) == "zh":
        folded = _DOT.sub("·", _QUOTES.sub("", folded))
        return _DASH.sub("-", _LOOSE_SPACE.sub("", folded)).strip("-·")
    folded = "".join(
        c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c)
    )
    return re.sub(r"\s+", " ", folded.replace("’", "'").replace("–", "-").replace("—", "-"))


@lru_cache(maxsize=200_000)
def name_key(text: str) -> str:
    """Return a name's letters, digits and characters as a key that all spellings of the name
    share.
    """
    folded = fold(text)
    if language(folded) != "zh":
        folded = folded.removeprefix("the ").replace("'s ", " ")
    return "".join(c for c in folded if c.isalnum())


def stem(word: str) -> str:
    """Return an English word without its plural ending."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    is_plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if is_plural else word


def words(text: str) -> tuple[str, ...]:
    """Return the stemmed words of a Latin name, without articles and possessives.

    If a name begins with a word for a type of sight in another language, the word is translated and
    moved to the end. "Museo Frida Kahlo" therefore has the same words as "Frida Kahlo Museum".
    """
    plain = re.sub(r"'s\b|'", "", _HYPHENED.sub("", fold(text)).replace("& ", "and "))
    said = [word for word in _WORD.findall(plain) if word not in _STOP]
    kind = type_in_front(said[0]) if len(said) > 1 else None
    if kind is not None:
        own = tuple(kind.split())
        said = said[1:] if set(own) <= set(said[1:]) else [*said[1:], *own]
    return tuple("st" if word == "saint" else stem(word) for word in said)


@dataclass(frozen=True)
class NameReader:
    """Parses names in one city, and recognises the words that only name the city itself.

    ``city_en`` contains every one-word Latin name of the city (Peking); each of them is treated as
    ``city_word``.
    """

    city_zh: tuple[str, ...] = ()
    city_en: frozenset[str] = frozenset()
    city_word: str = ""
    elsewhere: frozenset[str] = frozenset()
    province: str = ""
    _known: dict[str, PlaceName] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, city: City | None) -> NameReader:
        """Return the reader for a city; if the city is None, return a reader without a city
        name.
        """
        if city is None:
            return cls()
        han = {
            fold(n).removesuffix("市") for n in (*city.names, city.name_zh or "") if _HAN.search(n)
        }
        latin = {
            words(n) for n in (*city.names, city.name_en) if re.fullmatch(r"[A-Za-z' -]{4,}", n)
        }
        longest_first = sorted((n for n in han if len(n) >= 2), key=lambda n: (-len(n), n))
        prefixes = tuple(form for n in longest_first for form in (f"{n}市", n))
        city_word = "".join(words(city.name_en))
        one_word = frozenset({w[0] for w in latin if len(w) == 1} | {city_word})
        is_chinese = city.country_code == "CN"
        province = lexicon.PROVINCE_OF.get(city.admin1_code or "", "") if is_chinese else ""
        return cls(prefixes, one_word, city_word, _elsewhere(city), province)

    def read(self, raw: str) -> PlaceName:
        """Return the parsed name; a name is parsed only once."""
        if raw not in self._known:
            self._known[raw] = self._read(raw)
        return self._known[raw]

    def _read(self, raw: str) -> PlaceName:
        text = fold(raw)
        divided = _BRACKET.match(text)
        main = divided[1] if divided else text
        brackets = (divided[2].strip().removeprefix("原"),) if divided else ()
        branch = None if divided else _PART_OF_BRANCH.match(text)
        if branch:
            main, brackets = f"{branch[1]}-{branch[3]}", (branch[2],)
        main = _MARKS.sub("", main).strip(" -·") or text
        if language(text) == "zh":
            name = self._chinese(raw, text, main, brackets)
            inside = divided[2].removeprefix("原") if divided else ""
            is_name = len(inside) >= 2 and not lexicon.is_branch(inside)
            return replace(name, inner=self._read(inside)) if is_name else name
        return self._latin(raw, text, main, brackets)

    def _chinese(self, raw: str, text: str, main: str, brackets: tuple[str, ...]) -> PlaceName:
        head, _, tail = main.partition("-")
        if not tail or len(head) < 2:
            head, tail = main.replace("-", ""), ""
        bare = self.without_city(head).replace("·", "")
        found = lexicon.ending(bare)
        ending, kind = found if found else ("", None)
        core = bare[: len(bare) - len(ending)]
        city = next((prefix for prefix in self.city_zh if bare.startswith(prefix)), "")
        other = next((bare[:n] for n in (3, 2) if bare[:n] in self.elsewhere), "")
        return PlaceName(
            raw, "zh", text, main, brackets, tail, bare, core, ending, kind, (), city, other,
            here=self.city_zh,
        )  # fmt: skip

    def without_city(self, text: str) -> str:
        """Return a Chinese name without the city in front, or None if nothing remains."""
        for prefix in self.city_zh:
            rest = text.removeprefix(prefix)
            is_citizen = prefix.endswith("市") and rest.startswith(
                "民"
            )  # 市民 (citizen) is one word
            if rest != text and len(rest) >= 2 and not is_citizen:
                found = lexicon.ending(rest)
                return text if found and found[0] == rest else rest.lstrip("·-")
        rest = text.removeprefix(self.province).removeprefix("省")
        found = lexicon.ending(rest) if self.province and rest != text else None
        is_area = found is not None and (found[1].scale == lexicon.AREA or found[1].code == "park")
        return rest if found and is_area and len(rest) - len(found[0]) >= 2 else text

    def _latin(self, raw: str, text: str, main: str, brackets: tuple[str, ...]) -> PlaceName:
        head, *rest = re.split(r"\s+-\s+", main)
        every = tuple(self.city_word if w in self.city_en else w for w in words(head))
        own = tuple(w for w in every if w != self.city_word)
        ending, kind = _english_kind(own)
        content = own
        if len(own) <= len(ending):
            content = every
            ending, kind = _english_kind(every)
        if kind is None:
            kind = lexicon.EN_KINDS.get(type_abroad(main) or "")
        core = tuple(w for i, w in enumerate(content) if i not in ending)
        lang: Language = "en" if language(text) == "en" else "other"
        return PlaceName(
            raw, lang, text, main, brackets, " ".join(rest), " ".join(content), " ".join(core),
            " ".join(content[i] for i in sorted(ending)), kind, content,
        )  # fmt: skip


@cache
def _english_kinds() -> dict[tuple[str, ...], NameKind]:
    return {words(name): kind for name, kind in lexicon.EN_KINDS.items()}


@lru_cache(maxsize=1_000)
def _elsewhere(city: City) -> frozenset[str]:
    """Return the Chinese names of large cities that are far from this city."""
    away = (
        other
        for other in large_cities(city.country_code, _LARGE_CITY)
        if float(distance_m(city.lat, city.lon, other.lat, other.lon)) > _SURROUNDINGS_M
    )
    named = (fold(other.name_zh).removesuffix("市") for other in away if other.name_zh)
    return frozenset(name for name in named if len(name) in (2, 3))


def _english_kind(own: tuple[str, ...]) -> tuple[frozenset[int], NameKind | None]:
    """Return the kind that an English name contains, and the positions of the words for this kind.

    These words are at the end of the name or, as in "Temple of ...", at its beginning.
    """
    for length in (3, 2, 1):
        kind = _english_kinds().get(own[-length:]) if len(own) >= length else None
        if kind is not None:
            return frozenset(range(len(own) - length, len(own))), kind
    if own and own[0] in _KINDS_IN_FRONT:
        return frozenset({0}), _english_kinds().get(own[:1])
    return frozenset(), None
