"""What travellers ask of a city because of where it is: its seasons, festivals and languages."""

from __future__ import annotations

from collections.abc import Mapping

from schemas.cities import City
from schemas.festivals import festivals_in
from schemas.seasons import TROPIC
from schemas.taxonomy import CONSTRAINTS, Term

#: Countries (ISO 3166-1) whose own documents are in Chinese.
CHINESE_SPEAKING = frozenset({"CN", "HK", "MO", "TW"})
#: Families of queries whose texts are in Chinese first, whatever the city.
CHINESE_FAMILIES = frozenset({"chinatravel"})


def terms_at(country_code: str, slug: str, lat: float) -> Mapping[str, tuple[Term, ...]]:
    """The constraints that may be asked of a city, by kind: no season near the equator, and of the
    holidays those that it keeps."""
    holidays = tuple(festival.term for festival in festivals_in(country_code, slug))
    seasons = () if abs(lat) < TROPIC else CONSTRAINTS["season"]
    return {**CONSTRAINTS, "season": seasons, "holiday": holidays}


def terms_of(city: City) -> Mapping[str, tuple[Term, ...]]:
    """``terms_at`` of a city."""
    return terms_at(city.country_code, city.slug, city.lat)


def asks_in_chinese(city: City, family: str) -> bool:
    """Whether documents about a city are looked for in Chinese too, and not in English alone."""
    return city.country_code in CHINESE_SPEAKING or family in CHINESE_FAMILIES
