"""Stage mentions: what of the readings belongs to a city.

A document was read for itself. A city takes the documents about it, and of their names those that
no table gives to another city alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from extractors.rules.common.gazetteer import without_brackets
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.corpus import documents
from flows.pipeline.stages.places import places_of
from geocoding.names import name_key
from geocoding.places import gazetteer_entries
from schemas import frames as inner
from schemas.arrow import frame
from schemas.cities import City, find_city
from schemas.documents import Document
from schemas.reading import GazetteerEntry
from schemas.tables import TABLES
from schemas.taxonomy import TPRAG_CITIES

#: A document is about a city if the times it names the city (a title counts as five) and the
#: different places of the city that it names come to this, ...
MINIMUM_NAMES = 3
#: ... and to this share of the times that it names any other city.
MINIMUM_SHARE = 0.3
_TITLE_WEIGHT = 5

_OUTPUTS = {
    "about": Output(inner.ABOUT, ("corpus", "documents")),
    "mentions": Output(inner.MENTIONS, ("mentions", "poi_mentions")),
    "visits": Output(inner.VISITS),
    "facts": Output(inner.FACTS),
    "contexts": Output(inner.CONTEXT_HITS),
}


def compute(job: Job, upstream: Upstream) -> Frames:
    """The documents about the city with their names, stops, facts and contexts."""
    assert job.city is not None
    city = job.city
    known = _known_by_city(upstream["places"])
    corpus = [document for frames in upstream["corpus"] for document in documents(frames)]
    own = sorted(known[city.city_id].names)
    mine = {d.doc_id: is_main for d in corpus if (is_main := about(d, city, own)) is not None}
    read = _Slices(upstream, mine, known, city)
    mentions, elsewhere = read.mentions()
    aside = read.ungrounded(city)
    counted = [
        stage_count(
            city, "mentions", "poi_mentions", kept=mentions.height, pending=elsewhere,
            rows_in=mentions.height + elsewhere + aside.height, quarantined=aside.height,
        ),
        stage_count(
            city, "corpus", "documents", rows_in=len(corpus), kept=len(mine),
            pending=len(corpus) - len(mine),
        ),
    ]  # fmt: skip
    return {
        "about": read.about(),
        "mentions": mentions,
        "visits": read.visits(),
        "facts": read.facts(),
        "contexts": read.slice("contexts"),
        "quarantine": aside,
        "counts": pl.DataFrame(counted),
    }


class _Slices:
    """Frames of all readings, cut to the documents about a city and to names not elsewhere."""

    def __init__(
        self, upstream: Upstream, mine: dict[str, bool], known: Mapping[str, _Known], city: City
    ):
        self._read = upstream["read"]
        self._mine = pl.DataFrame(
            [{"doc_id": doc_id, "is_main": is_main} for doc_id, is_main in mine.items()],
            schema={"doc_id": pl.String, "is_main": pl.Boolean},
        )
        self._standards = known[city.city_id].standards()
        self._away = self._elsewhere(known, city)

    def _elsewhere(self, known: Mapping[str, _Known], city: City) -> pl.DataFrame:
        """Places of which a form stands in tables of other cities, and none in this one's."""
        own = set(self._standards)
        others = {
            key for city_id, other in known.items() if city_id != city.city_id
            for key in other.standards()
        }  # fmt: skip
        names = self.slice("names").select("doc_id", "n", "name")
        keys = {name: name_key(name) for name in names["name"].unique().to_list()}
        here = [name for name, key in keys.items() if key in own]
        away = [name for name, key in keys.items() if key in others]
        place = ["doc_id", "n"]
        return (
            names.filter(pl.col("name").is_in(away))
            .join(names.filter(pl.col("name").is_in(here)), on=place, how="anti")
            .select(place)
            .unique()
        )

    def slice(self, name: str) -> pl.DataFrame:
        """The rows of a frame that are of the city's documents, in order."""
        rows = pl.concat([frames[name] for frames in self._read])
        return rows.join(self._mine, on="doc_id", how="semi").sort("doc_id", maintain_order=True)

    def about(self) -> pl.DataFrame:
        """The documents themselves."""
        return self.slice("readings").join(self._mine, on="doc_id").select(
            "doc_id", "kind", "is_main", "days_stated"
        )  # fmt: skip

    def mentions(self) -> tuple[pl.DataFrame, int]:
        """Occurrences of names of sights, with day and order of a stop; how many lie elsewhere."""
        names = self.slice("names").filter(pl.col("what") == "sight")
        here = names.join(self._away, on=["doc_id", "n"], how="anti")
        stops = self.visits().unique(["doc_id", "start", "end"], keep="first")
        rows = here.join(
            stops.select("doc_id", "start", "end", "day", "order"),
            on=["doc_id", "start", "end"], how="left",
        ).with_columns(standard=self._standard())  # fmt: skip
        ordered = rows.sort("doc_id", "start", "end", "n").select(inner.MENTIONS.column_names)
        return ordered, names.height - here.height

    def visits(self) -> pl.DataFrame:
        """The stops of each document's longest trip."""
        stops = self.slice("stops").join(self._away, on=["doc_id", "n"], how="anti")
        longest = (
            stops.group_by("doc_id", "trip")
            .agg(n_stops=pl.len())
            .sort("doc_id", "n_stops", "trip", descending=[False, True, False])
            .unique("doc_id", keep="first", maintain_order=True)
        )
        fullest = self.slice("names").select("doc_id", "n", "fullest").unique()
        rows = stops.join(longest, on=["doc_id", "trip"], how="semi").join(
            fullest, on=["doc_id", "n"], how="left"
        )
        return (
            rows.with_columns(standard=self._standard())
            .sort("doc_id", "day", "order", "start")
            .with_columns(order=pl.int_range(1, pl.len() + 1).over("doc_id", "day"))
            .select(inner.VISITS.column_names)
        )

    def facts(self) -> pl.DataFrame:
        """Facts without a condition that the tables have no form for."""
        rows = self.slice("facts").join(self._away, on=["doc_id", "n"], how="anti")
        return rows.filter(pl.col("condition").is_null()).select(inner.FACTS.column_names)

    def _standard(self) -> pl.Expr:
        """The one place of the tables that has the name, else its fullest form in the text."""
        named = pl.col("name").map_elements(
            lambda name: self._standards.get(name_key(name)) or None, return_dtype=pl.String
        )
        fullest = pl.when(pl.col("fullest") != pl.col("name")).then(pl.col("fullest"))
        return pl.coalesce(named, fullest)

    def ungrounded(self, city: City) -> pl.DataFrame:
        """What the engine claimed without evidence, as rows of quarantine."""
        rows = [
            quarantine_row(
                city, "mentions", "poi_mentions", f"{row['doc_id']}:{row['position']}",
                "ungrounded", f"{row['what']}: {row['message']}",
            )
            for row in self.slice("ungrounded").sort("doc_id", "position").to_dicts()
        ]  # fmt: skip
        return frame("quarantine", rows)


@dataclass(frozen=True)
class _Known:
    """The places of one city's tables: every name with the standard name of its place."""

    entries: tuple[GazetteerEntry, ...]

    @property
    def names(self) -> set[str]:
        """Every name as it is written."""
        return {name for entry in self.entries for name in (entry.standard, *entry.names)}

    def standards(self) -> dict[str, str]:
        """Standard name by the key of each name, with and without what stands in brackets.

        None of two places: where several have a name, it says nothing of which.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for entry in self.entries:
            for name in (entry.standard, *entry.names):
                for form in (name, without_brackets(name)):
                    found[name_key(form)].add(entry.standard)
        return {key: min(names) if len(names) == 1 else "" for key, names in found.items() if key}


def _known_by_city(places: list[Frames]) -> Mapping[str, _Known]:
    """The places of each city's tables by city id; a city without places has none."""
    found: dict[str, _Known] = defaultdict(lambda: _Known(()))
    for frames in places:
        for city_id in frames["pois"]["city_id"].unique().to_list():
            found[city_id] = _Known(gazetteer_entries(places_of(frames)))
    return found


def about(document: Document, city: City, places: Sequence[str] = ()) -> bool | None:
    """Whether the document is mainly about this city; None if it is not about it at all.

    ``places`` are names of places of the city; a name of one character says nothing.
    """
    text = document.text
    known = sum(1 for name in places if len(name) > 1 and name in text)
    own = _named(document, city) + known
    others = [_named(document, other) for other in _well_known() if other != city]
    if own < MINIMUM_NAMES or own < MINIMUM_SHARE * max(others):
        return None
    return own >= sum(others)


def _named(document: Document, city: City) -> int:
    pattern = _name_pattern(city.name_zh, city.name_en)
    in_title = len(pattern.findall(document.title)) + len(pattern.findall(document.path))
    return len(pattern.findall(document.text)) + _TITLE_WEIGHT * min(in_title, 1)


@lru_cache(maxsize=4096)
def _name_pattern(name_zh: str | None, name_en: str) -> re.Pattern[str]:
    latin = rf"(?<![a-z]){re.escape(name_en)}(?![a-z])"
    return re.compile("|".join([latin, *([re.escape(name_zh)] if name_zh else [])]), re.IGNORECASE)


@lru_cache(maxsize=1)
def _well_known() -> tuple[City, ...]:
    """Cities that a travel document may rather be about."""
    return tuple(find_city(zh) for _slug, zh in TPRAG_CITIES)


STAGE = Stage(
    "mentions",
    21,
    compute,
    {**_OUTPUTS, **tables("quarantine"), "counts": Output(TABLES["stage_counts"])},
)
