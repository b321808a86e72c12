"""Forms of a place's name: folded, with and without Chinese suffixes, as a slug."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from schemas.taxonomy import TPRAG_CITIES

HAN = re.compile(r"^[\u4e00-\u9fff·]+$")
#: What a Chinese name may end in without it being part of the name.
SUFFIXES = ("市", "自治州", "地区", "盟", "县", "区", "镇")
#: Neither letter nor digit: combining accents go with it, the vowel signs of Indic and Thai stay.
_NO_LETTER = re.compile(r"[^\w\n\u0900-\u1a1f]|_")
_PUBLISHED = dict(TPRAG_CITIES)


def fold_names(names: Sequence[str]) -> list[str]:
    """Lower case without accents, spaces, hyphens and apostrophes, of all names at once.

    One by one, GeoNames' 390,000 names of larger places would take half a second more.
    """
    lines = "\n".join(name.replace("\n", " ") for name in names).lower()
    return _NO_LETTER.sub("", unicodedata.normalize("NFKD", lines)).split("\n") if names else []


def fold(name: str) -> str:
    """One name folded; empty where it has neither letter nor digit."""
    return fold_names([name])[0]


def plain(name: str) -> str:
    """A name in lower case, its accents and spaces as written."""
    return unicodedata.normalize("NFC", name).lower().strip()


def letters(name: str) -> str:
    """A name in lower case, its accents as written, without spaces and punctuation."""
    return "".join(sign for sign in plain(name) if unicodedata.category(sign)[0] in "LMN")


def without_suffix(name: str) -> str:
    """A Chinese name without its administrative suffix; other names as they are."""
    if HAN.match(name):
        for suffix in SUFFIXES:
            if name.endswith(suffix) and len(name) > len(suffix) + 1:
                return name[: -len(suffix)]
    return name


def with_suffixes(name: str) -> tuple[str, ...]:
    """A name, and where it is Chinese its forms with an administrative suffix."""
    takes_suffix = len(name) > 1 and HAN.match(name)
    return (name, *(name + suffix for suffix in SUFFIXES)) if takes_suffix else (name,)


def slug_of(name: str) -> str:
    """A name in small letters, digits and hyphens."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    bare = re.sub(r"[’'`]", "", ascii_name)
    return re.sub(r"[^a-z0-9]+", "-", bare).strip("-") or "city"


def chinese_name(name: str, others: Iterable[str]) -> str | None:
    """Shortest Chinese name of a place among its other names, without an administrative suffix."""
    han = [other for other in others if HAN.match(other)]
    known = _PUBLISHED.get(slug_of(name))
    if known and any(other.startswith(known) for other in han):
        return known
    bare = [other.removesuffix("市") for other in han if len(other.removesuffix("市")) >= 2]
    with_suffix = {other.removesuffix("市") for other in han if other.endswith("市")}
    ranked = sorted(bare, key=lambda other: (other not in with_suffix, len(other), other))
    return ranked[0] if ranked else None
