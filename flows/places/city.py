"""The command ``tripbed city``, which shows which city a name means, with facts about the city."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from flows.console import print_json
from schemas.cities import City, find_city
from schemas.city_errors import describe_place, spelling
from schemas.city_names import namesakes
from schemas.festivals import public_holidays
from schemas.regions import country_name, region_names

#: The maximum numbers of public holidays and of other cities that are shown.
_HOLIDAYS, _OTHERS = 5, 8


def show_city(name: str, as_json: bool) -> None:
    """Print facts about the city that a name means.

    Raises UnknownCityError if no city has this name, and AmbiguousCityError if several cities have
    it.
    """
    city = find_city(name)
    facts = city_facts(city, dt.datetime.now(ZoneInfo(city.time_zone)).date())
    if as_json:
        print_json(facts)
    else:
        print("\n".join(_lines(facts)))


def city_facts(city: City, today: dt.date) -> dict[str, Any]:
    """Return facts about a city, with the public holidays in its country from ``today`` on.

    ``public_holidays`` is None if the country's holidays are unknown.
    """
    regions = region_names(city.country_code, city.admin1_code)
    others = namesakes(city.name_en, but=int(city.city_id.removeprefix("gn")))
    return {
        "city_id": city.city_id,
        "slug": city.slug,
        "name_en": city.name_en,
        "name_zh": city.name_zh,
        "country_code": city.country_code,
        "country": country_name(city.country_code),
        "region": "/".join(regions) or None,
        "lat": city.lat,
        "lon": city.lon,
        "population": city.population or None,
        "time_zone": city.time_zone,
        "currency": city.currency,
        "public_holidays": next_holidays(city.country_code, today),
        "other_cities": [
            {
                "city_id": f"gn{place['geonameid']}",
                "write": spelling(place),
                "described": describe_place(place),
            }
            for place in others
        ],
    }


def next_holidays(country_code: str, today: dt.date) -> list[dict[str, str]] | None:
    """Return the next public holidays in a country, with their English names if these are known.

    Returns None if no holidays are known for the country in this year and the next.
    """
    years = [public_holidays(country_code, year) or {} for year in (today.year, today.year + 1)]
    coming = sorted((day, name) for year in years for day, name in year.items() if day >= today)
    return [{"date": day.isoformat(), "name": name} for day, name in coming[:_HOLIDAYS]] or None


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    names = " / ".join(filter(None, (facts["name_en"], facts["name_zh"])))
    where = ", ".join(
        filter(None, (facts["region"], f"{facts['country']} ({facts['country_code']})"))
    )
    people = f"{facts['population']:,}" if facts["population"] else "unknown"
    yield from (
        f"{names}  ({facts['city_id']}, slug {facts['slug']})",
        f"location:    {where}, at {facts['lat']:.5f}, {facts['lon']:.5f} (WGS 84)",
        f"population:  {people}",
        f"time zone:   {facts['time_zone']}",
        f"currency:    {facts['currency'] or 'unknown'}",
        "next public holidays in the country:" + ("" if facts["public_holidays"] else " unknown"),
        *(f"  {day['date']}  {day['name']}" for day in facts["public_holidays"] or ()),
    )
    others = facts["other_cities"]
    if others:
        yield "other cities with this name:"
    yield from (f"  {other['write']}  ({other['described']})" for other in others[:_OTHERS])
    if len(others) > _OTHERS:
        yield f"  and {len(others) - _OTHERS} more"
