"""Provides the default geocoder, which works offline and uses a file of places with a fuzzy name
index.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl

from geocoding.blocking import own_keys
from geocoding.geocoders.base import (
    GeocoderAnswer,
    GeocoderQuestion,
    GeocoderReply,
    PlacePoint,
    judge_answers,
    place_answer,
)
from geocoding.geocoders.layouts import read_layout
from geocoding.names import NameReader, PlaceName, language, name_key, pinyin
from schemas.cities import City
from schemas.geo import Datum, distance_m

#: An answer without a stated city may be at most this far from the city's centre (metres). The
#: limit is wide: municipalities have sights 400 km away, and nearer answers are preferred anyway.
REACH_M = 450_000.0
#: The answer for a point contains places within this distance (metres).
AROUND_M = 200.0
_MOST_CANDIDATES = 40
#: A key that more places share is not used on its own.
_COMMON_KEY = 2_000


class GazetteerGeocoder:
    """A geocoder based on the places in one or more files.

    ``skipped`` counts rows without a name or coordinates.
    """

    name = "gazetteer"

    def __init__(self, places: pl.DataFrame, datum: Datum = "wgs84", skipped: int = 0) -> None:
        self.places, self.datum, self.skipped = places, datum, skipped
        self._lat, self._lon = places["lat"].to_numpy(), places["lon"].to_numpy()
        self._rows = places.to_dicts()
        self._keys: dict[str, list[int]] = defaultdict(list)
        reader = NameReader()
        for position, row in enumerate(self._rows):
            for name in (row["name"], *row["aliases"]):
                for key in _keys(reader.read(name)):
                    self._keys[key].append(position)

    @classmethod
    def of(cls, *paths: Path, datum: Datum = "wgs84") -> GazetteerGeocoder:
        """Make a gazetteer from files in one coordinate system. Raises LayoutError if a file cannot
        be read.
        """
        read = [read_layout(path) for path in paths]
        places = pl.concat([frame for frame, _ in read])
        return cls(places, datum, sum(skipped for _, skipped in read))

    def search(self, question: GeocoderQuestion) -> GeocoderReply:
        """Return places with this name; if a city is given, return only places that may be in
        that city.
        """
        reader = NameReader.of(question.city)
        rows = self._candidates(reader.read(question.name))
        answers = []
        for position in rows:
            row = self._rows[position]
            found = place_answer(row["lat"], row["lon"], self.datum, question.city)
            if found is None or not _may_be_in(row["city"], found[0], found[1], question):
                continue
            answers.extend(self._make_answers(row, found))
        reply = judge_answers(question, answers)
        unique: dict[str | None, GeocoderAnswer] = {}
        for answer in reply.answers:
            unique.setdefault(answer.provider_id, answer)
        return GeocoderReply(reply.outcome, tuple(unique.values()), reply.message)

    def reverse(self, point: PlacePoint) -> GeocoderReply:
        """Return the places around a point, nearest first."""
        answers = []
        box = (abs(self._lat - point.lat) < 0.05) & (abs(self._lon - point.lon) < 0.1)
        for position in np.flatnonzero(box):
            row = self._rows[int(position)]
            if (found := place_answer(row["lat"], row["lon"], self.datum, None)) is not None:
                away = float(distance_m(point.lat, point.lon, found[0], found[1]))
                if away <= AROUND_M:
                    answers.append((away, self._make_answers(row, found)[0]))
        near = tuple(answer for _, answer in sorted(answers, key=lambda a: (a[0], a[1].name)))
        return GeocoderReply("found" if near else "nothing", near)

    def _make_answers(
        self, row: dict[str, object], found: tuple[float, float, str | None]
    ) -> list[GeocoderAnswer]:
        aliases = row["aliases"]
        assert isinstance(aliases, list)
        lat, lon, note = found
        category, city = row["category"], row["city"]
        return [
            GeocoderAnswer(
                str(name), lat, lon, self.datum, self.name, str(row["id"]),
                city=str(city) if city else None,
                category=str(category) if category else None, note=note,
            )
            for name in (row["name"], *aliases)
        ]  # fmt: skip

    def _candidates(self, name: PlaceName) -> list[int]:
        """Return the places that share a key or most name pieces with the name, sorted by
        similarity.
        """
        votes: Counter[int] = Counter()
        for key in _keys(name):
            rows = self._keys.get(key, [])
            if len(rows) <= _COMMON_KEY:
                votes.update({row: len(key) for row in rows})
        ranked = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
        return [row for row, _ in ranked[:_MOST_CANDIDATES]]


def _keys(name: PlaceName) -> set[str]:
    """Return the keys of a name: the name itself, its pinyin, and its words or pairs of adjacent
    characters.
    """
    keys = own_keys(name) | {name_key(name.raw)}
    if language(name.raw) == "zh":
        keys |= {pinyin(name.bare), *(name.bare[i : i + 2] for i in range(len(name.bare) - 1))}
    else:
        keys |= {*name.words, "".join(name.words)}
    return keys - {""}


def _may_be_in(stated: str | None, lat: float, lon: float, question: GeocoderQuestion) -> bool:
    city = question.city
    if city is None or not question.city_only:
        return True
    if stated:
        return _is_named(stated, city)
    return float(distance_m(city.lat, city.lon, lat, lon)) <= REACH_M


def _is_named(stated: str, city: City) -> bool:
    asked = name_key(stated).removesuffix("市")
    known = (city.name_zh, city.name_en, city.slug, *city.names)
    return asked in {name_key(n).removesuffix("市") for n in known if n}
