"""Converts place names to a simplified form, a form with or without Chinese suffixes, or a slug."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from schemas.taxonomy import TPRAG_CITIES

HAN = re.compile(r"^[\u4e00-\u9fff·]+$")
#: Administrative suffixes that can be left out of a Chinese name.
SUFFIXES = ("市", "自治州", "地区", "盟", "县", "区", "镇")
#: Characters that are neither letters nor digits, and combining accents. The vowel signs of Indic
#: scripts and Thai are kept.
_NO_LETTER = re.compile(r"[^\w\n\u0900-\u1a1f]|_")
_PUBLISHED = dict(TPRAG_CITIES)


def fold_names(names: Sequence[str]) -> list[str]:
    """Simplify names: convert them to lower case, without accents, spaces, hyphens or apostrophes.

    One call simplifies all names. For the 390,000 names of larger places in GeoNames, a separate
    call for each name would take half a second longer.
    """
    lines = "\n".join(name.replace("\n", " ") for name in names).lower()
    return _NO_LETTER.sub("", unicodedata.normalize("NFKD", lines)).split("\n") if names else []


def fold(name: str) -> str:
    """Simplify one name; the result is empty if the name has neither letters nor digits."""
    return fold_names([name])[0]


def plain(name: str) -> str:
    """Convert a name to lower case, but keep its accents and spaces."""
    return unicodedata.normalize("NFC", name).lower().strip()


def letters(name: str) -> str:
    """Convert a name to lower case without spaces and punctuation, but keep its accents."""
    return "".join(sign for sign in plain(name) if unicodedata.category(sign)[0] in "LMN")


def without_suffix(name: str) -> str:
    """Remove the administrative suffix of a Chinese name; do not change other names."""
    if HAN.match(name):
        for suffix in SUFFIXES:
            if name.endswith(suffix) and len(name) > len(suffix) + 1:
                return name[: -len(suffix)]
    return name


def with_suffixes(name: str) -> tuple[str, ...]:
    """Return a name and, if it is Chinese, the name with each administrative suffix."""
    takes_suffix = len(name) > 1 and HAN.match(name)
    return (name, *(name + suffix for suffix in SUFFIXES)) if takes_suffix else (name,)


def slug_of(name: str) -> str:
    """Convert a name to lower-case letters, digits and hyphens."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    bare = re.sub(r"[’'`]", "", ascii_name)
    return re.sub(r"[^a-z0-9]+", "-", bare).strip("-") or "city"


def chinese_name(name: str, others: Iterable[str]) -> str | None:
    """Return the best Chinese name among alternate names, without its suffix, or None."""
    han = [other for other in others if HAN.match(other)]
    known = _PUBLISHED.get(slug_of(name))
    if known and any(other.startswith(known) for other in han):
        return known
    bare = [other.removesuffix("市") for other in han if len(other.removesuffix("市")) >= 2]
    with_suffix = {other.removesuffix("市") for other in han if other.endswith("市")}
    ranked = sorted(bare, key=lambda other: (other not in with_suffix, len(other), other))
    return ranked[0] if ranked else None
