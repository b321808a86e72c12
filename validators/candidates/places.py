"""Collect the facts about a city's places that show which queries the places suit.

The facts are arrays with one value per place. Counts ignore copies of documents. Any document can
be left out of all counts, so that only other documents affect the judgement of a trajectory.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from schemas.hours import weekly_spans
from schemas.ranking import (
    COLD_LATITUDE,
    FITTING_NAMES,
    FITTING_TYPES,
    GRADED,
    LIKED_ROLES,
    LISTED_HALF,
    LISTED_MOST,
    OPEN_MONTHS,
    POPULAR_HALF,
    POPULAR_MOST,
    SAME_WISH,
    SHORT_STAY_MIN,
    share,
)
from schemas.seasons import NORTHERN_MONTHS, TROPIC, season_months
from validators.candidates import kinds
from validators.candidates.asked import Wish
from validators.candidates.kinds import Counts, Marks

Tables = Callable[[str], pl.DataFrame]

#: A distance that gives no points, for a place or city without coordinates.
NOWHERE_M = 10**9
#: A ten-thousandth of a degree of latitude, in tenths of a metre.
_TENTHS_OF_M = 111
#: A Monday in the middle of each month.
_MIDDLE = {
    month: day - dt.timedelta(days=day.weekday())
    for month in range(1, 13)
    for day in [dt.date(2026, month, 15)]
}


@dataclass
class CandidatePlaces:
    """The possible candidates in a city, ordered by id, with one value per place in each array."""

    ids: list[str]
    rows: pl.DataFrame
    #: The metres to the city's centre.
    away_m: Counts
    #: The places that each document visits or recommends, and those that it tags in a context.
    liked: Mapping[str, Counts]
    told: Mapping[Wish, Mapping[str, Counts]]
    #: The parent of each place that has one; the parent may be missing from the places.
    parents: Mapping[str, str]
    #: The places of each season that facts call best, and the opening hours of each place.
    seasons: Mapping[str, Marks]
    hours: Mapping[int, tuple[str, ...]]
    is_short: Marks
    #: The points of each place for its row in its table.
    listed_points: Counts
    #: The names of the city in lower case.
    city: tuple[str, ...]
    #: The latitude of the city's centre, which determines the seasons; 0.0 if unknown.
    lat: float = 0.0
    _levels: dict[Wish, tuple[Counts, Counts]] = field(default_factory=dict)
    _open: dict[str, Marks] = field(default_factory=dict)
    _of_type: dict[str, Marks] = field(default_factory=dict)
    _called: dict[frozenset[str], Marks] = field(default_factory=dict)
    _of_wish: dict[str, tuple[Counts, Counts, Marks]] = field(default_factory=dict)
    _in_months: dict[tuple[int, ...], Marks] = field(default_factory=dict)

    @cached_property
    def at(self) -> dict[str, int]:
        """The position of each place in the arrays, by place id."""
        return {poi_id: n for n, poi_id in enumerate(self.ids)}

    @cached_property
    def names(self) -> list[str]:
        """Both names of each place, in lower case and on separate lines."""
        pairs = self.rows.select("name_zh", "name_en").iter_rows()
        return ["\n".join(name.lower() for name in pair if name) for pair in pairs]

    @cached_property
    def is_of_table(self) -> Marks:
        """The places that come from a table."""
        return (self.rows["poi_source"] == "table").to_numpy()

    @cached_property
    def rating_tenths(self) -> Counts:
        """The ratings in tenths, or 0 if unknown."""
        return np.array([round(10 * (r or 0)) for r in self.rows["rating"]], np.int64)

    @cached_property
    def grade_points(self) -> Counts:
        """The points for official grades, such as AAAAA."""
        return np.array([GRADED.get(grade or "", 0) for grade in self.rows["grade"]], np.int64)

    @cached_property
    def renown(self) -> Counts:
        """The renown of each place: its points for recommendations and for its row in the table."""
        return share(self.n_liked, POPULAR_MOST, POPULAR_HALF) + self.listed_points

    @cached_property
    def whole(self) -> Counts:
        """The index of the place that contains or duplicates each place, or -1 if there is none."""
        known = {
            self.at[part]: self.at[whole]
            for part, whole in self.parents.items()
            if part in self.at and whole in self.at
        }
        if self.rows["lat"].null_count():
            found = np.full(len(self.ids), -1, np.int64)
            found[list(known)] = list(known.values())
            return found
        return kinds.wholes(self.sights, known)

    @cached_property
    def sights(self) -> kinds.ComparedPlaces:
        """The names, positions and renown of the places, used to find parts and duplicates."""
        north, east = _plane(self.rows, self.lat, 0.0)
        types = self.rows["base_type"].to_list()
        return kinds.ComparedPlaces(
            self.names, types, north // 10, east // 10, self.renown, self.is_own, self.city
        )

    def metres_from(self, names: Iterable[str]) -> Counts:
        """Return the distance in metres from each place to the nearest place with one of the given
        names.
        """
        away = np.full(len(self.ids), NOWHERE_M, np.int64)
        if not self.rows["lat"].null_count():
            for at in np.flatnonzero(self.mark_called(names)):
                away = np.minimum(away, self.sights.away(int(at)))
        return away

    @cached_property
    def is_own(self) -> Marks:
        """The places that deserve a separate visit even if they are inside another place."""
        return kinds.of_kind(self.names, "own") | self._mark_placed("religious_spiritual")

    @cached_property
    def is_hall(self) -> Marks:
        """The places whose kind (such as a hall) or name shows that they are part of something
        larger.
        """
        return kinds.of_kind(self.names, "part") | kinds.are_inside(self.names)

    @cached_property
    def alike(self) -> list[tuple[str, ...]]:
        """The narrow kinds of each place; only a few candidates may share a narrow kind."""
        words = kinds.words_of("alike")
        return [tuple(word for word in words if kinds.has(names, word)) for names in self.names]

    @cached_property
    def same(self) -> Mapping[str, Marks]:
        """For each kind whose places are very similar (such as cruises), the places of the kind."""
        return {kind: kinds.of_kind(self.names, kind) for kind in ("cruise", "bus", "water")}

    @cached_property
    def areas(self) -> Mapping[int, Marks]:
        """The places in each area that are better known than the area."""
        return {} if self.rows["lat"].null_count() else kinds.areas(self.sights)

    @cached_property
    def is_plain(self) -> Marks:
        """The places whose kind does not attract travellers."""
        return (kinds.of_kind(self.names, "plain") | self.is_work) & ~kinds.of_kind(
            self.names, "sight"
        )

    @cached_property
    def is_work(self) -> Marks:
        """The places whose kind serves work or traffic."""
        return kinds.of_kind(self.names, "work")

    def of_category(self, code: str) -> Marks:
        """Return the places in a category, except those whose names contradict it."""
        unlike = self.levels(("poi_category", code))[1] < 0
        return self._mark_placed(code) & ~unlike

    def _mark_placed(self, code: str) -> Marks:
        return (self.rows["category"] == code).fill_null(value=False).to_numpy()

    def of_type(self, code: str) -> Marks:
        """Return the places that have a given type, either as base type or as a trending type."""
        if code not in self._of_type:
            trends = self.rows["trend_types"].list.contains(code).fill_null(value=False)
            is_of = trends | (self.rows["base_type"] == code).fill_null(value=False)
            self._of_type[code] = is_of.to_numpy()
        return self._of_type[code]

    def of_wish(self, code: str) -> tuple[Counts, Counts, Marks]:
        """Return how well each place's other types and its name match a type, and which places have
        the type.

        Each level rates how well the other types, or the name, match the type. If a name
        contradicts the type, the level of the name is -1, and the place's other types do not count.
        """
        if code not in self._of_wish:
            self._of_wish[code] = self._says(code)
        return self._of_wish[code]

    def _says(self, code: str) -> tuple[Counts, Counts, Marks]:
        wish, is_of = ("type", code), self.of_type(code)
        of_name = self._by_names(SAME_WISH.get(wish, wish))
        of_type = np.zeros(len(self.ids), np.int64)
        for (*of, base), level in FITTING_TYPES.items():
            if tuple(of) == SAME_WISH.get(wish, wish):
                of_type += (
                    level * (self.rows["base_type"] == base).fill_null(value=False).to_numpy()
                )
        # A place of another type may be named for this one, unless its own type contradicts it.
        of_name *= is_of | (of_type >= 0)
        return of_type * (of_name == 0), of_name, is_of

    def mark_called(self, names: Iterable[str]) -> Marks:
        """Return the places that have one of the given names."""
        wanted = frozenset(name.lower() for name in names)
        if wanted not in self._called:
            found = [not wanted.isdisjoint(n.split("\n")) for n in self.names]
            self._called[wanted] = np.array(found, np.bool_)
        return self._called[wanted]

    def levels(self, wish: Wish) -> tuple[Counts, Counts]:
        """Return how well each place's types and name suit a wish (-1 to 3; 0 if unknown)."""
        if wish not in self._levels:
            self._levels[wish] = self._by_types(wish), self._by_names(wish)
        return self._levels[wish]

    def _by_types(self, wish: Wish) -> Counts:
        best = np.zeros(len(self.ids), np.int64)
        for (kind, code, of), level in FITTING_TYPES.items():
            if (kind, code) == wish:
                _, _, category = of.partition("category:")
                has = self._mark_placed(category) if category else self.of_type(of)
                best = np.maximum(best, level * has)
        return best

    def _by_names(self, wish: Wish) -> Counts:
        words = [(word, level) for (*of, word), level in FITTING_NAMES.items() if tuple(of) == wish]
        return np.array([_level(name, words) for name in self.names], np.int64)

    def in_months(self, months: tuple[int, ...]) -> Marks:
        """Return the places that, by their kind, are usually open in most of the given months."""
        if months not in self._in_months:
            self._in_months[months] = self._kinds_open(months)
        return self._in_months[months]

    def _kinds_open(self, months: tuple[int, ...]) -> Marks:
        if not months or abs(self.lat) < TROPIC:
            return np.ones(len(self.ids), np.bool_)
        at_home = [month if self.lat > 0 else (month + 5) % 12 + 1 for month in months]
        is_cold = abs(self.lat) >= COLD_LATITUDE
        is_open = {
            word: 2 * sum(_within(month, spans[is_cold]) for month in at_home) > len(at_home)
            for word, spans in OPEN_MONTHS.items()
        }
        told = (
            [is_open[word] for word in is_open if kinds.has(names, word)] for names in self.names
        )
        return np.array([not found or any(found) for found in told], np.bool_)

    def open_in(self, season: str) -> Marks:
        """Return the places that are not known to be closed in a season."""
        if season not in self._open:
            found = np.ones(len(self.ids), np.bool_)
            for at, expressions in self.hours.items():
                found[at] = any(_opens(text, season, self.lat) for text in expressions)
            self._open[season] = found
        return self._open[season]

    def count(
        self, by_document: Mapping[str, Counts], of: Iterable[str], without: str | None
    ) -> Counts:
        """Count the documents that support each place, ignoring the document ``without``."""
        found = np.zeros(len(self.ids), np.int64)
        for doc_id in of:
            if doc_id != without and doc_id in by_document:
                found[by_document[doc_id]] += 1
        return found

    @cached_property
    def n_liked(self) -> Counts:
        """The number of documents in which each place is visited or recommended."""
        return self.count(self.liked, self.liked, None)


def _level(names: str, words: list[tuple[str, int]]) -> int:
    """Return the highest level of the words in a place's names, or -1 if any word has level -1."""
    levels = [level for word, level in words if kinds.has(names, word)]
    return -1 if -1 in levels else max(levels, default=0)


def _within(month: int, span: tuple[int, int]) -> bool:
    first, last = span
    return first <= month <= last if first <= last else month >= first or month <= last


def _opens(expression: str, season: str, lat: float) -> bool:
    weeks = [weekly_spans(expression, _MIDDLE[month]) for month in season_months(season, lat)]
    return not weeks or any(spans is None or spans for spans in weeks)


def places_of(city_id: str, tables: Tables) -> CandidatePlaces:
    """Collect the facts about a city's places from the tables.

    Superseded places are left out. Places without coordinates are also left out, unless no place in
    the city has coordinates.
    """

    def of_city(name: str) -> pl.DataFrame:
        return tables(name).filter(pl.col("city_id") == city_id)

    rows = of_city("pois").filter(pl.col("superseded_by").is_null()).sort("poi_id")
    if rows["lat"].count():
        rows = rows.filter(pl.col("lat").is_not_null())
    city = of_city("cities")
    ids = rows["poi_id"].to_list()
    numbered = pl.DataFrame(
        {"poi_id": ids, "at": range(len(ids))}, {"poi_id": pl.String, "at": pl.Int64}
    )
    originals = of_city("documents").filter(pl.col("near_duplicate_of").is_null()).select("doc_id")
    mentions = (
        of_city("poi_mentions").join(originals, on="doc_id", how="semi").join(numbered, on="poi_id")
    )
    facts = (
        of_city("poi_facts").filter(pl.col("valid_when") == "always").join(numbered, on="poi_id")
    )
    parents = dict(
        of_city("poi_hierarchy")
        .sort("poi_id", "parent_poi_id")
        .select("poi_id", "parent_poi_id")
        .iter_rows()
    )
    names = next(city.select("name_zh", "name_en").iter_rows(), ())
    stays = facts.filter(pl.col("duration_min_min") <= SHORT_STAY_MIN)["at"].unique()
    return CandidatePlaces(
        ids,
        rows,
        _away_m(rows, city),
        _by_document(mentions.filter(pl.col("role").is_in(LIKED_ROLES))),
        _count_told(of_city("poi_tags"), mentions),
        parents,
        _best_seasons(facts, len(ids)),
        dict(
            facts.drop_nulls("hours_osm").group_by("at").agg(pl.col("hours_osm").sort()).iter_rows()
        ),
        _marks(stays, len(ids)),
        _score_listed(rows, of_city("evidence")),
        tuple(name.lower() for name in names if name),
        next(iter(city["lat"]), 0.0),
    )


def _marks(at: pl.Series, n: int) -> Marks:
    found = np.zeros(n, np.bool_)
    found[at.to_numpy()] = True
    return found


def _by_document(rows: pl.DataFrame) -> dict[str, Counts]:
    grouped = (
        rows.select("doc_id", "at")
        .unique()
        .sort("doc_id", "at")
        .group_by("doc_id", maintain_order=True)
        .agg("at")
    )
    return {doc_id: np.array(at, np.int64) for doc_id, at in grouped.iter_rows()}


def _count_told(tags: pl.DataFrame, mentions: pl.DataFrame) -> dict[Wish, dict[str, Counts]]:
    """Return, for each context and each document, the places that the document tags.

    If the evidence of a tag is not a mention, the tag comes from a page that was fetched for a
    question about a place. Tags from pages fetched for such questions do not affect any ranking.
    """
    spans = mentions.select("evidence_id", "doc_id", "poi_id", "at").unique()
    rows = tags.join(spans, on=["evidence_id", "poi_id"])
    found: dict[Wish, dict[str, Counts]] = defaultdict(dict)
    for (context,), part in rows.sort("context_id").group_by("context_id", maintain_order=True):
        kind, _, code = str(context).partition(":")
        found[kind, code] = _by_document(part)
    return found


def _best_seasons(facts: pl.DataFrame, n: int) -> dict[str, Marks]:
    rows = facts.filter(pl.col("fact_field") == "season")
    return {
        season: _marks(rows.filter(pl.col("value").str.contains(rf"\b{season}\b"))["at"], n)
        for season in NORTHERN_MONTHS
    }


def _away_m(rows: pl.DataFrame, city: pl.DataFrame) -> Counts:
    """Return each place's distance from the city's centre in metres, measured on a plane.

    Coordinates are rounded to 1/10,000 of a degree, because integers give the same result on every
    machine. Within a city, the error of the distances is less than 1 %.
    """
    if city.is_empty() or rows["lat"].null_count():
        return np.full(rows.height, NOWHERE_M, np.int64)
    north, east = _plane(rows, *city.select("lat", "lon").row(0))
    metres: Counts = np.sqrt(north * north + east * east).astype(np.int64) // 10
    return metres


def _plane(rows: pl.DataFrame, lat: float, lon: float) -> tuple[Counts, Counts]:
    """Return how far each place lies north and east of a point, in tenths of a metre."""
    shrinks = round(1000 * math.cos(math.radians(lat)))
    north = np.rint((rows["lat"].to_numpy() - lat) * 10_000).astype(np.int64) * _TENTHS_OF_M
    east = (
        np.rint((rows["lon"].to_numpy() - lon) * 10_000).astype(np.int64)
        * _TENTHS_OF_M
        * shrinks
        // 1000
    )
    return north, east


def _score_listed(rows: pl.DataFrame, evidence: pl.DataFrame) -> Counts:
    """Return points for a position near the top of a table whose order reflects popularity.

    Tables from travel sites are sorted by the number of visits, and other tables by name or number.
    The order of a table therefore counts only if the first third has a higher mean rating than the
    last third.
    """
    lines = evidence.select("evidence_id", "source_file", "source_line").unique("evidence_id")
    told = (
        rows.select("poi_id", "evidence_id", "rating")
        .join(lines, on="evidence_id", how="left", maintain_order="left")
        .with_columns(at=pl.struct("source_line", "poi_id").rank("ordinal").over("source_file") - 1)
        .with_columns(third=pl.col("at") * 3 // pl.len().over("source_file"))
    )
    first, last = (
        pl.col("rating").filter(pl.col("third") == n).mean().over("source_file") for n in (0, 2)
    )
    told = told.with_columns(tells=(first > last) & pl.col("source_line").is_not_null())
    at, tells = told["at"].to_numpy(), told["tells"].fill_null(value=False).to_numpy()
    return np.where(tells, LISTED_MOST * LISTED_HALF // (LISTED_HALF + at.astype(np.int64)), 0)
