"""Finds capitalised names in an English text, and decides whether they can name a sight."""

from __future__ import annotations

import re
from functools import lru_cache

from extractors.rules.common.dictionary import city_people_en, is_country_en
from extractors.rules.common.grouping import HEAD
from extractors.rules.en import lexicon as en
from schemas.sight_words import PARTICLE, type_abroad
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.en")

_CAP = (
    r"(?:(?:Mt|St)\.|(?<![\w.])[a-z]{2,}[A-Z]\w*|[A-ZÀ-Ý][\w’'\-à-ÿ]*|(?<![\d:.,$¥€£–-])\d+(?:st"
    r"|nd|rd|th)?(?=[ -][A-Z]))"
)
_NAME = re.compile(
    rf"{_CAP}(?:(?:\s+|-|\s+of\s+(?:the\s+)?|\s+of\s+|\s+no\.?\s+|\s+{PARTICLE}){_CAP})*"
    rf"(?:\s+(?:{_LISTS.either('lower_case_heads')})\b)?"
)
#: A word in brackets inside a name: "Lotus (Water) Park".
_GLOSSED = re.compile(r"\s\([A-ZÀ-Ý][\w’']*\)\s(?P<head>[A-ZÀ-Ý]\w+)")
#: "Hall of Joy for Long Years"
_FOR = re.compile(r"\sfor(?:\s[A-ZÀ-Ý]\w+)+")
#: "Pit 1", "Cave No. 17"
_NUMBERED = re.compile(r"\s(?:No\.?\s*)?\d{1,3}\b(?![:.]\d)")
#: "Mill No. 3"
_NO = re.compile(r"\sNo\.\s?\d{1,3}\b")
_NUMBERS = frozenset(("pit", "cave", "grotto", "hall", "tower"))
_CITY_PEOPLE = 150_000
#: Results are cached for so many names, because tables and lists repeat the same names.
_NAMES_KEPT = 4_096


def candidates(text: str) -> list[tuple[int, int]]:
    """Return the ranges of capitalised names, except words capitalised only because they begin a
    sentence.
    """
    ranges: list[tuple[int, int]] = []
    for match in _NAME.finditer(text):
        a, b = match.span()
        while not re.search(
            r"(?:^|[\s(])[a-z’']+ $", text[:a]
        ):  # otherwise it is inside a sentence
            word = re.match(r"[\w’'\-]+\.?", text[a:b])
            if word is None or word.group().lower().strip(".’'") not in en.LEAD:
                break
            if _counts(text[a:b]):
                break
            rest = re.match(r"\s*(?:of\s+)?", text[a + word.end() : b])
            if word.group().lower() == "great" or word.end() >= b - a:
                a = b if word.end() >= b - a else a
                break
            a += word.end() + (rest.end() if rest else 0)
        tail = _TAIL.search(text[a:b])
        opening = not re.search(r"[a-z,]\s+$", text[:a])
        if tail and (
            (opening and head_of(text[a : a + tail.start()]) != "strong")
            or (head_of(text[a : a + tail.start()]) == "weak" and tail.group() != " wall")
        ):
            b = a + tail.start()
        while b > a and text[b - 1] in ".-’' ":
            b -= 1
        if text[max(a, b - 2) : b] in ("’s", "'s"):
            b -= 2
        b = _whole(text, a, b)
        if b - a >= 3 and not (ranges and a < ranges[-1][1]):
            ranges.append((a, b))
    return _twins(text, ranges)


_TAIL = re.compile(r"(?:\s[a-z]+)+$")


def _whole(text: str, a: int, b: int) -> int:
    """Return the end of a name, including a continuation after brackets, with "for" or with a
    number.
    """
    glossed = _GLOSSED.match(text, b)
    if glossed and glossed["head"].lower() in HEAD and not head_of(text[a:b]):
        return glossed.end()
    if " of " in text[a:b] and head_of(text[a:b]) == "strong":
        going_on = _FOR.match(text, b)
        return going_on.end() if going_on else b
    if text[a:b].endswith(" No"):
        b -= 3
    if numbered := _NO.match(text, b):
        return numbered.end()
    if text[a:b].lower().rpartition(" ")[2] in _NUMBERS:
        number = _NUMBERED.match(text, b)
        return number.end() if number else b
    return b


def _twins(text: str, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join the two halves of names such as "Bell & Drum Towers"."""
    joined: list[tuple[int, int]] = []
    for a, b in ranges:
        if joined and re.fullmatch(r"\s(?:&|and)\s", text[joined[-1][1] : a]):
            first, second = text[slice(*joined[-1])], text[a:b].split()
            if (
                " " not in first
                and len(second) == 2
                and second[1].endswith("s")
                and second[1].lower() in HEAD
                and not is_place(first)
            ):
                joined[-1] = (joined[-1][0], b)
                continue
        joined.append((a, b))
    return joined


_NUMBER_WORD = re.compile(r"(?:two|three|four|five|six|seven|eight|nine|ten)\s", re.IGNORECASE)


def _counts(name: str) -> bool:
    """Check whether the number at the start of a name is part of the name ("Nine Bends Plank
    Walk").
    """
    return (
        bool(_NUMBER_WORD.match(name))
        and len(name.split()) > 2
        and not name.endswith("s")
        and " of " not in name
    )


_SIGHT_OF = re.compile(
    r"(?:temple|hall|tower|museum|palace|garden|tomb|valley|altar|gate|bend)s? of "
)


@lru_cache(maxsize=_NAMES_KEPT)
def head_of(name: str) -> str:
    """Return how strongly the form of a name suggests a sight: "strong", "weak" or ""."""
    words = re.findall(r"[a-zà-ÿ0-9.’'-]+", name.lower())
    if type_abroad(name) and not en.DECOY.search(name):
        return "strong"
    if len(words) < 2 or name.lower() in en.GENERIC or en.DECOY.search(name):
        return (
            "strong"
            if len(words) == 1 and re.search(r"-(?:ji|dera|jo|jinja|en|si|miao)$", name)
            else ""
        )
    last = words[-1].strip(".")
    if words[-2] in _NUMBERS and last.isdigit():
        return "weak"
    if (
        last in HEAD - en.WEAK_HEAD
        or words[0] in en.FIRST
        or words[0].strip(".") in ("mt", "mount")
        or _SIGHT_OF.match(" ".join(words))
    ):
        return "strong"
    if " ".join(words[-2:]) in (
        "old town",
        "ancient town",
        "city wall",
        "art district",
        "scenic area",
        "water town",
        "ancient city",
        "pedestrian street",
        "walking street",
        "food street",
        "art village",
    ):
        return "strong" if len(words) > 2 else ""
    if any(w in HEAD - en.WEAK_HEAD for w in words[:-1]) and " of " in f" {name.lower()} ":
        return "strong"
    return "weak" if last in en.WEAK_HEAD else ""


#: "China's Four Great Towers": a title that several sights share.
_RANKED = re.compile(
    r"[A-Z]\w+[’']s (?:Two|Three|Four|Five|Six|Ten|\d+|Most|Largest|First|Only|Best|Great|Top)\b"
)


@lru_cache(maxsize=_NAMES_KEPT)
def acceptable(name: str) -> bool:
    """Check whether a capitalised string can be the name of a sight at all."""
    low = name.lower()
    words = low.split()
    if (
        re.fullmatch(r"\d{1,2} ?[ap]m", low)
        or _RANKED.match(name)
        or re.search(r"\b(?:unesco|heritage)\b", low)
        or en.EATS.search(low)
        or low in en.GENERIC
        or low in en.NOT_NAME
        or en.DECOY.search(name)
        or len(name) > 50
        or all(w.strip(".’'") in en.NOT_NAME | en.LEAD for w in words)
    ):
        return False
    if name.rsplit(maxsplit=1)[-1].islower() and all(
        w in en.NOT_NAME | en.LEAD for w in words[:-1]
    ):
        return False
    return not is_place(name.removesuffix(" City") if " " in name else name)


def is_place(name: str) -> bool:
    """Check whether a name is the name of a city or a country."""
    return city_people_en(name) >= _CITY_PEOPLE or is_country_en(name)
