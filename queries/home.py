"""Find the seasons and holidays that queries about a city can name, and the search languages of
the city.
"""

from __future__ import annotations

from collections.abc import Mapping

from schemas.cities import City
from schemas.festivals import festivals_in
from schemas.seasons import TROPIC
from schemas.taxonomy import CONSTRAINTS, Term

#: Countries (ISO 3166-1) where documents are usually in Chinese.
CHINESE_SPEAKING = frozenset({"CN", "HK", "MO", "TW"})
#: Query families whose main text is in Chinese for every city.
CHINESE_FAMILIES = frozenset({"chinatravel"})


def terms_at(country_code: str, slug: str, lat: float) -> Mapping[str, tuple[Term, ...]]:
    """Return the constraints that queries about a place can have, by kind.

    Places near the equator have no seasons. Only holidays celebrated in the place count.
    """
    holidays = tuple(festival.term for festival in festivals_in(country_code, slug))
    seasons = () if abs(lat) < TROPIC else CONSTRAINTS["season"]
    return {**CONSTRAINTS, "season": seasons, "holiday": holidays}


def terms_of(city: City) -> Mapping[str, tuple[Term, ...]]:
    """Return the constraints that queries about a city can have, by kind."""
    return terms_at(city.country_code, city.slug, city.lat)


def asks_in_chinese(city: City, family: str) -> bool:
    """Check whether documents about a city should be searched for in Chinese as well as in
    English.
    """
    return city.country_code in CHINESE_SPEAKING or family in CHINESE_FAMILIES
