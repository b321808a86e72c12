"""Recognises foreign words for types of sights, such as "Camii", in the names of sights.

English texts often use a name in the local language ("Museo di ...", "...platz", "... Camii"). The
lists contain words for types of sights, but no names of places. A word for a type can stand at the
beginning or end of the name, or form the end of the name's last word. Each word is listed with its
English equivalent.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from schemas.word_lists import Lists

_LISTS = Lists("schemas")
#: Size of the cache of names. The same names occur again and again in tables and lists.
_NAMES_KEPT = 4_096

#: Short words within a name ("Place de la ...").
PARTICLES = frozenset(_LISTS.words("particles"))
#: A pattern of one or two of these words, each with its space or apostrophe.
PARTICLE = r"(?:(?:" + _LISTS.either("particles") + r")\s+|[dl][’']|dell[’']){1,2}"


#: Types that begin a name, in Romance languages, German, Thai and Arabic.
_FIRST = _LISTS.pairs("types_first")
#: Types that are the last word of a name, in Turkish, Hindi, Japanese, Korean and Scandinavian
#: languages.
_LAST = _LISTS.pairs("types_last")
#: Types that are the end of a name's last word, in German, Dutch, Scandinavian languages and
#: Japanese.
_SUFFIX = _LISTS.pairs("types_within")
_ENDS = re.compile(rf"[a-z]{{3,}}({'|'.join(_SUFFIX)})")
_JAPANESE = re.compile(r"[a-z]{2,}-(?:ji|dera|jingu|jinja|jo|en)")
_JAPANESE_TYPES = {"ji": "temple", "dera": "temple", "jo": "castle", "en": "garden"}


def type_in_front(word: str) -> str | None:
    """Translate a foreign word such as "museo", with which names of sights begin; return None if
    unknown.

    ``word`` must be in lower case and without accents.
    """
    return _FIRST.get(word)


@lru_cache(maxsize=_NAMES_KEPT)
def type_abroad(name: str) -> str | None:
    """Find the type of sight in a foreign name and return its English word, or None."""
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
    # "Place" is also an English word. It is French only if a French word follows.
    place = words[0] == "place" and words[1] in ("de", "du", "des", "d", "l", "la")
    return "square" if place else _FIRST.get(words[0]) or _LAST.get(words[-1]) or suffix
