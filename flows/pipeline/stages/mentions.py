"""Runs the stage ``mentions``, which selects the parts of all readings that belong to one city.

Each document is read independently, and its names may be linked to any known place. From the
documents about a city, the stage selects all information about places in that city.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

import polars as pl

from extractors.read import BY_RULES
from flows.pipeline.shards import Frames, Ref
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    quarantine_row,
    stage_count,
    tables,
)
from queries.contexts import at_home
from schemas import frames as inner
from schemas.arrow import frame
from schemas.cities import City
from schemas.rows import StageCountsRow
from schemas.tables import TABLES

#: A document is about a city if this many of its names lie there, or if a day is spent there.
MINIMUM_NAMES = 2

_OUTPUTS = {
    "about": Output(inner.ABOUT, ("corpus", "documents")),
    "mentions": Output(inner.MENTIONS, ("mentions", "poi_mentions")),
    "unplaced": Output(inner.UNPLACED),
    "visits": Output(inner.VISITS),
    "facts": Output(inner.FACTS),
    "contexts": Output(inner.CONTEXT_HITS),
}
_PLACE = ["doc_id", "n"]


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return the documents about the city, with the names, stops, facts and contexts that belong to
    the city."""
    read = _Slice(job.own_city, upstream)
    about, mentions = read.about(), read.mentions()
    visits, facts, aside = read.visits, read.facts(), read.list_set_aside()
    return {
        "about": about,
        "mentions": mentions,
        "unplaced": read.list_unplaced(),
        "visits": visits,
        "facts": facts,
        "contexts": read.contexts(),
        "quarantine": aside,
        "counts": pl.DataFrame(read.counts(about, mentions, visits, facts, aside)),
    }


class _Slice:
    """The readings of the documents about a city, with their links."""

    def __init__(self, city: City, upstream: Upstream):
        self._city = city
        self._read = upstream["read"]
        links = pl.concat([frames["links"] for frames in upstream["link"]])
        days = pl.concat([frames["days"] for frames in upstream["link"]])
        self._stated = pl.concat([frames["stated"] for frames in upstream["link"]])
        self._links = links
        self._here = links.filter(pl.col("city_of") == city.city_id)
        self._days = days.filter(pl.col("city_of") == city.city_id)
        self._documents = self._about()

    def _about(self) -> pl.DataFrame:
        """Find the documents that describe a day in the city, and the documents about the city that
        name its places.
        """
        sights = self._all("names").filter(pl.col("what") == "sight").select(_PLACE).unique()
        named = self._here.join(sights, on=_PLACE, how="semi").group_by("doc_id").len("n_names")
        stated = self._stated.filter(pl.col("city_of") == self._city.city_id).select("doc_id")
        several = named.filter(pl.col("n_names") >= MINIMUM_NAMES).join(
            stated, on="doc_id", how="semi"
        )
        stays = named.join(self._days, on="doc_id", how="semi")
        main = (
            self._stated.sort("doc_id", "n_blocks", "city_of", descending=[False, True, False])
            .unique("doc_id", keep="first")
            .select("doc_id", "city_of")
        )
        return (
            pl.concat([several.select("doc_id"), stays.select("doc_id")])
            .unique()
            .join(main, on="doc_id", how="left")
            .select("doc_id", is_main=pl.col("city_of").eq_missing(pl.lit(self._city.city_id)))
            .sort("doc_id")
        )

    def _all(self, name: str) -> pl.DataFrame:
        return pl.concat([frames[name] for frames in self._read])

    def of_documents(self, name: str) -> pl.DataFrame:
        """Return the rows of a frame that belong to the city's documents, in order."""
        return (
            self._all(name)
            .join(self._documents, on="doc_id", how="semi")
            .sort("doc_id", maintain_order=True)
        )

    @cached_property
    def _sights(self) -> pl.DataFrame:
        return self.of_documents("names").filter(pl.col("what") == "sight")

    def about(self) -> pl.DataFrame:
        """Return a row for each of the city's documents."""
        return (
            self.of_documents("readings")
            .join(self._documents, on="doc_id")
            .select(inner.ABOUT.column_names)
        )

    def mentions(self) -> pl.DataFrame:
        """Return the occurrences of names of sights in the city.

        If the text numbers its days, a name in the document's longest trip gets the day and order
        of its stop.
        """
        stops = self.visits.join(self._longest, on=["doc_id", "trip"], how="semi").unique(
            ["doc_id", "start", "end"], keep="first"
        )
        by_rules = (
            self.of_documents("readings")
            .filter(pl.col("reader").is_in(BY_RULES))["doc_id"]
            .to_list()
        )
        rows = (
            with_role_here(self._sights, self.of_documents("stops"), by_rules)
            .join(self._here, on=_PLACE)
            .join(
                stops.select("doc_id", "start", "end", "day", "order", "is_counted"),
                on=["doc_id", "start", "end"], how="left",
            )
            .filter((pl.col("stands_in") != "name_part") | pl.col("day").is_not_null())
            .with_columns(pl.when("is_counted").then(pl.col("day", "order")))
            .join(self._find_mixed_sections(), on=["doc_id", "section"], how="left")
            .with_columns(section=pl.when(pl.col("is_mixed").is_null()).then("section"))
        )  # fmt: skip
        return rows.sort("doc_id", "start", "end", "n").select(inner.MENTIONS.column_names)

    def _find_mixed_sections(self) -> pl.DataFrame:
        """Find sections that name a place outside the city.

        If a section names a place outside the city, its other names may refer to places outside the
        city, too.
        """
        elsewhere = self._links.filter(pl.col("city_of") != self._city.city_id).select(_PLACE)
        return (
            self.of_documents("names")
            .join(elsewhere, on=_PLACE, how="semi")
            .select("doc_id", "section", is_mixed=pl.lit(value=True))
            .unique()
        )

    @cached_property
    def visits(self) -> pl.DataFrame:
        """For every trip in a document, return the stops at sights on days spent in the city."""
        stops = (
            self.of_documents("stops")
            .join(self._days, on=["doc_id", "trip", "day"], how="semi")
            .join(self._sights.select(_PLACE).unique(), on=_PLACE, how="semi")
        )
        here = self._here.select(*_PLACE, is_here=pl.lit(value=True))
        return (
            stops.join(here, on=_PLACE, how="left")
            .with_columns(pl.col("is_here").fill_null(value=False))
            .sort("doc_id", "trip", "day", "order", "start")
            .with_columns(order=pl.int_range(1, pl.len() + 1).over("doc_id", "trip", "day"))
            .select(inner.VISITS.column_names)
        )

    @cached_property
    def _longest(self) -> pl.DataFrame:
        """Return, for each document, the trip that has the most stops in the city."""
        stops = self.visits.group_by("doc_id", "trip").agg(n_stops=pl.len())
        return stops.sort("doc_id", "n_stops", "trip", descending=[False, True, False]).unique(
            "doc_id", keep="first", maintain_order=True
        )

    def list_unplaced(self) -> pl.DataFrame:
        """From documents that are mainly about the city, return the names of sights outside the
        city.
        """
        own = self._documents.filter("is_main")
        return (
            self._sights.join(own, on="doc_id", how="semi")
            .unique(_PLACE, keep="first", maintain_order=True)
            .join(self._links.join(self._here.select(_PLACE), on=_PLACE, how="anti"), on=_PLACE)
            .sort(_PLACE)
            .select(inner.UNPLACED.column_names)
        )

    def contexts(self) -> pl.DataFrame:
        """Return words that name a context, except in names of places such as Summer Palace."""
        hits = outside_names(self.of_documents("contexts"), self.of_documents("names"))
        return contexts_at(self._city, hits)

    def facts(self) -> pl.DataFrame:
        """Return facts about places in the city."""
        return (
            self.of_documents("facts")
            .join(self._here, on=_PLACE, how="semi")
            .select(inner.FACTS.column_names)
        )

    def list_set_aside(self) -> pl.DataFrame:
        """Return the engine's claims that have no evidence."""
        claims = [
            quarantine_row(
                self._city, "mentions", "poi_mentions", f"{row['doc_id']}:{row['position']}",
                "ungrounded", f"{row['what']}: {row['message']}",
            )
            for row in self.of_documents("ungrounded").sort("doc_id", "position").to_dicts()
        ]  # fmt: skip
        return frame("quarantine", claims)

    def counts(
        self,
        about: pl.DataFrame,
        mentions: pl.DataFrame,
        visits: pl.DataFrame,
        facts: pl.DataFrame,
        aside: pl.DataFrame,
    ) -> list[StageCountsRow]:
        """Count documents, names, stops and facts; those in other cities are pending."""
        n_documents = sum(frames["readings"].height for frames in self._read)
        names = self._sights.height
        told = self.of_documents("facts").height
        n_stops = self.of_documents("stops").height
        claims = aside.height
        return [
            stage_count(
                self._city, "mentions", "poi_mentions", rows_in=names + claims,
                kept=mentions.height, quarantined=claims, pending=names - mentions.height,
            ),
            stage_count(
                self._city, "mentions", "poi_facts", rows_in=told, kept=facts.height,
                pending=told - facts.height,
            ),
            stage_count(
                self._city, "mentions", "trajectories", rows_in=n_stops, kept=visits.height,
                pending=n_stops - visits.height,
            ),
            stage_count(
                self._city, "corpus", "documents", rows_in=n_documents, kept=about.height,
                pending=n_documents - about.height,
            ),
        ]  # fmt: skip


def contexts_at(city: City, hits: pl.DataFrame) -> pl.DataFrame:
    """Turn hits into contexts in a city; hits that have no context in this city are dropped."""
    pairs = hits.select("kind", "code").unique().sort("kind", "code")
    homes = [at_home(kind, code, city) for kind, code in pairs.iter_rows()]
    own = pairs.with_columns(
        home_kind=pl.Series([home and home[0] for home in homes], dtype=pl.String),
        home_code=pl.Series([home and home[1] for home in homes], dtype=pl.String),
    ).drop_nulls()
    return (
        hits.join(own, on=["kind", "code"], maintain_order="left")
        .with_columns(kind="home_kind", code="home_code")
        .select(hits.columns)
    )


def outside_names(hits: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Return words that name a context, except words within the name of a place."""
    hits = hits.with_row_index("hit")
    within = hits.join(
        names.select("doc_id", named_from="start", named_to="end"), on="doc_id"
    ).filter((pl.col("start") < pl.col("named_to")) & (pl.col("named_from") < pl.col("end")))
    return hits.join(within.select("hit").unique(), on="hit", how="anti").drop("hit")


def with_role_here(
    names: pl.DataFrame, stops: pl.DataFrame, by_rules: Collection[str]
) -> pl.DataFrame:
    """Assign a role to each occurrence of a place's name; a place has one role per document.

    If the place is a stop, the name's occurrence at the stop gets this role. If the place is not a
    stop, the first occurrence in the text gets the role, or the first heading with the name if the
    place occurs only in headings. Questions, wishes and lines that may be titles of other pages
    never count as a visit or a recommendation. All other occurrences get the role ``mentioned``.
    ``by_rules`` contains the documents that were read by rules. In documents that were read by
    rules, only stops count as visits, because more than half of the visits that rules find outside
    a journey are wrong.
    """
    is_stop = stops.select("doc_id", "start", "end", is_stop=pl.lit(value=True)).unique()
    ranks = {"text": 1, "heading": 2, "title_line": 3, "aside": 3, "name_part": 3}
    rank = pl.col("stands_in").replace_strict(ranks, return_dtype=pl.Int64)
    told = names.join(is_stop, on=["doc_id", "start", "end"], how="left").with_columns(
        rank=pl.when("is_stop").then(0).otherwise(rank)
    )
    first = pl.struct("rank", "start").rank("ordinal").over(_PLACE) == 1
    sure = ~pl.col("doc_id").is_in(by_rules) | (pl.col("role") != "visited")
    shows = (pl.col("rank") == 0) | (first & sure & (pl.col("rank") < 3))
    role = pl.when(shows).then("role").otherwise(pl.lit("mentioned"))
    return told.with_columns(role_here=role).drop("is_stop", "rank")


def _parts(job: Job, upstream: Mapping[str, list[Ref]]) -> dict[str, str]:
    """Return, for each shard of links, the hash of the links that concern the city, and return the
    total number of documents.
    """
    of_city = {
        f"link/{ref.shard}": ref.slices.get(job.own_city.city_id, "")
        for ref in upstream.get("link", ())
    }
    return {
        **of_city,
        "documents": str(sum(ref.rows["readings"] for ref in upstream.get("read", ()))),
    }


STAGE = Stage(
    "mentions",
    34,
    compute,
    {**_OUTPUTS, **tables("quarantine"), "counts": Output(TABLES["stage_counts"])},
    parts=_parts,
)
