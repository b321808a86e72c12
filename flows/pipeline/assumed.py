"""``--assume-city``: the folder of a document says which city the document is about."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence

from schemas.cities import City
from sources.web.corpus import Corpus, CorpusFile, DuplicateFile


def assume_cities(corpus: Corpus, cities: Sequence[City]) -> dict[str, str]:
    """Map documents to cities (``doc_id`` to ``city_id``) if a city is stated for them.

    If there is only one city, every document is about it. With several cities, the nearest folder
    with a city's slug, English or Chinese name decides; the names of the folders in ``--documents``
    count too. A document that is in the folders of two cities is assigned to neither.
    """
    entries: tuple[CorpusFile | DuplicateFile, ...] = (*corpus.files, *corpus.duplicates)
    if len(cities) == 1:
        return {entry.doc_id: cities[0].city_id for entry in entries}
    named = _names(cities)
    roots = [root.resolve().name for root in corpus.roots]
    stated: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        folders = [roots[entry.root_index], *entry.path_rel.split("/")[:-1]]
        city_id = next((named[f] for f in map(_fold, reversed(folders)) if f in named), None)
        if city_id is not None:
            stated[entry.doc_id].add(city_id)
    return {doc_id: ids.pop() for doc_id, ids in sorted(stated.items()) if len(ids) == 1}


def _names(cities: Sequence[City]) -> Mapping[str, str]:
    """City by the folded name of a folder; a name that two of the cities have means neither."""
    found: dict[str, set[str]] = defaultdict(set)
    for city in cities:
        for name in (city.slug, city.name_en, city.name_zh):
            if name:
                found[_fold(name)].add(city.city_id)
    return {name: ids.pop() for name, ids in found.items() if len(ids) == 1}


def _fold(name: str) -> str:
    """A name without case, width, accents, spaces and signs, and without 市 at its end."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = re.sub(r"[\W_]+", "", "".join(c for c in plain if not unicodedata.combining(c)))
    return letters.removesuffix("市") or letters
