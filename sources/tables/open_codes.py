"""Translate categories of OpenStreetMap and Overture Maps into tripbed's taxonomies.

OpenStreetMap: the documented values of ``tourism``, ``historic``, ``leisure``, ``natural``,
``amenity``, ``shop`` and ``cuisine`` (wiki.openstreetmap.org, Map features). Overture: the codes
of its place categories (docs.overturemaps.org, guides/places). The mapping is our reading; a
value without an entry is no place of the sandbox, or of an unknown type.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.word_lists import Lists

_LISTS = Lists("sources.tables")


@dataclass(frozen=True)
class CategoryKind:
    """What a category makes of a place: its table, and the code within the table.

    ``code`` is a base type of an attraction, a cuisine of a restaurant, a feature of a hotel, or
    empty. ``category`` is a category of TP-RAG that the base type does not give.
    """

    table: str
    code: str = ""
    category: str = ""


def _kinds(name: str) -> dict[str, CategoryKind]:
    return {
        value: CategoryKind(table, code, category)
        for table, code, category, value in _LISTS.table(name)
    }


#: OpenStreetMap, as ``key=value``; the first tag of a feature in this order decides.
OSM_KINDS = _kinds("osm_kinds")

#: OpenStreetMap's ``cuisine`` (and Overture's ``<cuisine>_restaurant``) in the one vocabulary.
CUISINE_WORDS = _LISTS.pairs("cuisine_words")

#: Overture's categories.
OVERTURE_KINDS = _kinds("overture_kinds")


def overture_kind(category: str) -> CategoryKind | None:
    """What an Overture category means; ``<cuisine>_restaurant`` is a restaurant of the cuisine."""
    kind = OVERTURE_KINDS.get(category)
    if kind is None and category.endswith("_restaurant"):
        return CategoryKind(
            "restaurants", CUISINE_WORDS.get(category.removesuffix("_restaurant"), "")
        )
    return kind


def cuisine_of(words: str) -> str | None:
    """Code of the first known cuisine of a list with semicolons; a general word comes last."""
    found = [
        CUISINE_WORDS[word]
        for part in words.split(";")
        if (word := part.strip().casefold().replace(" ", "_")) in CUISINE_WORDS
    ]
    specific = [code for code in found if code not in ("other_chinese", "asian", "western")]
    return next(iter(specific or found), None)
