"""Foreign words for types of sights, such as "Camii", that English texts use in names.

A name often keeps the words of its country ("Museo di ...", "...platz", "... Camii"). The lists
contain only general words, not places: the word can begin the name, end it, or be the end of its
last word. Each word is listed with the English word for the same kind of sight.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from schemas.word_lists import Lists

_LISTS = Lists("schemas")
#: Names whose types are kept: tables and lists say the same names over and over.
_NAMES_KEPT = 4_096

#: Little words inside a name ("Place de la ...").
PARTICLES = frozenset(_LISTS.words("particles"))
#: The same as a pattern; with their space, or with an apostrophe.
PARTICLE = r"(?:(?:" + _LISTS.either("particles") + r")\s+|[dl][’']|dell[’']){1,2}"


#: Types that open a name: Romance languages, German, Thai, Arabic, Catalan.
_FIRST = _LISTS.pairs("types_first")
#: Types that close a name as a word of their own: Turkish, Hindi, Japanese, Korean, Scandinavian.
_LAST = _LISTS.pairs("types_last")
#: Types that end the last word of a name: German, Dutch, Scandinavian, Japanese.
_SUFFIX = _LISTS.pairs("types_within")
_ENDS = re.compile(rf"[a-z]{{3,}}({'|'.join(_SUFFIX)})")
_JAPANESE = re.compile(r"[a-z]{2,}-(?:ji|dera|jingu|jinja|jo|en)")
_JAPANESE_TYPES = {"ji": "temple", "dera": "temple", "jo": "castle", "en": "garden"}


def type_in_front(word: str) -> str | None:
    """Find the English word for a type that begins names in another language ("museo"), or None.

    The word must be in small letters without accents.
    """
    return _FIRST.get(word)


@lru_cache(maxsize=_NAMES_KEPT)
def type_abroad(name: str) -> str | None:
    """Find the English word for the type of sight in a foreign name, or None."""
    letters = unicodedata.normalize("NFKD", name.replace("ı", "i")).casefold()
    plain = "".join(c for c in letters if not unicodedata.combining(c))
    words = re.findall(r"[a-z]+", plain)
    if not words:
        return None
    if _JAPANESE.fullmatch(plain.strip()):
        return _JAPANESE_TYPES.get(plain.strip().rpartition("-")[2], "shrine")
    ends = _ENDS.fullmatch(words[-1])
    suffix = _SUFFIX[ends[1]] if ends else None
    if len(words) < 2:
        return suffix
    # "Place" is English too: only a little word behind it tells the French one.
    place = words[0] == "place" and words[1] in ("de", "du", "des", "d", "l", "la")
    return "square" if place else _FIRST.get(words[0]) or _LAST.get(words[-1]) or suffix
