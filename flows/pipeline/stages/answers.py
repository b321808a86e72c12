"""Runs the stage ``answers``, which reads the pages that the inquiries about places found.

The pages give facts about the city's places, and tags for the places that the pages recommend in a
context, such as a season. The pages add no place, mention, stop or candidate, because the stage
uses only the names of known places. A page that is already one of the city's documents remains a
document.
"""

from __future__ import annotations

from functools import cached_property

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Output,
    Stage,
    Upstream,
    document_evidence,
    merge_parts,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.documents import document_row, list_found_pages, texts_of
from flows.pipeline.stages.mentions import contexts_at, outside_names, with_role_here
from flows.pipeline.stages.retrieve import WebHits, addresses_told, recent_texts, search, web_hits
from flows.pipeline.stages.tags import (
    FACT_TABLES,
    LIMITS,
    PlaceFacts,
    facts_of,
    independent,
    tags_of,
)
from geocoding.names import name_key
from schemas import frames as inner
from schemas.arrow import frame
from schemas.cities import City
from schemas.dates import date_documents
from schemas.ids import doc_id, span_evidence_id
from schemas.read_hash import with_read_hash
from schemas.rows import QuarantineRow, QueryDocumentsRow, StageCountsRow, SubQueriesRow
from schemas.typed_rows import read_rows
from sources.web.near_duplicates import near_duplicates

_PLACE = ["doc_id", "n"]


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return the facts, tags and documents from the answers, and the documents that answer each
    inquiry.
    """
    pages = _Pages(job.own_city, upstream) if "fetch" in upstream else None
    made = pages.frames() if pages else {}
    return {
        **made,
        "query_documents": frame("query_documents", _find_documents(job, upstream, pages)),
    }


def _find_documents(job: Job, upstream: Upstream, pages: _Pages | None) -> list[QueryDocumentsRow]:
    """Return the documents that answer each inquiry.

    If the build has no web pages, search the city's documents.
    """
    settings = job.inputs.profile.documents
    asked = read_rows(only(upstream, "ask")["sub_queries"], SubQueriesRow)
    texts = recent_texts(upstream, settings.newest_after)
    if pages is None:
        return search(asked, texts, {"inquiry": settings.per_inquiry}, {})
    known, hits = pages.known, pages.hits()
    return search(asked, texts.clear(), {"inquiry": len(known)}, {}, hits, known)


class _Pages:
    """The pages that inquiries about a city found, with the city's places that are named on these
    pages.
    """

    def __init__(self, city: City, upstream: Upstream) -> None:
        self._city, self._upstream = city, upstream
        found = only(upstream, "search")["chosen"].filter(pl.col("city_id") == city.city_id)
        mine = only(upstream, "fetch")["addresses"].join(found, on="url", how="semi")
        stored = mine.filter(pl.col("outcome") == "stored").sort("url")
        of = stored.with_columns(
            doc_id=pl.col("content_sha256").map_elements(doc_id, return_dtype=pl.String)
        )
        self._stored = of.unique("doc_id", keep="first", maintain_order=True).select(
            "doc_id", "url"
        )
        self._documents = only(upstream, "documents")["documents"].select("doc_id")
        self._new = self._stored.join(self._documents, on="doc_id", how="anti")
        self._chosen = found.join(of.select("url", "doc_id"), on="url").select("query_id", "doc_id")

    def _all(self, stage: str, name: str) -> pl.DataFrame:
        """Return the rows in a frame that belong to new pages about the city."""
        return pl.concat([frames[name] for frames in self._upstream[stage]]).join(
            self._new, on="doc_id", how="semi"
        )

    @cached_property
    def places(self) -> pl.DataFrame:
        """Return the names that refer to a known place, with the columns doc_id, n and poi_id.

        If an inquiry about a place found a page, and the place comes only from documents, then the
        place is also recognised on this page by its name.
        """
        pois = only(self._upstream, "feedback")["pois"]
        linked = self._all("link", "links").filter(pl.col("city_of") == self._city.city_id)
        by_link = linked.select(*_PLACE, poi_id="link_poi_id").join(pois, on="poi_id", how="semi")
        named = {
            (row["poi_id"], name_key(name))
            for row in pois.filter(pl.col("poi_source") == "document").to_dicts()
            for name in (row["name_zh"], row["name_en"])
            if name
        }
        asked = self._list_asked()
        by_name = [
            (row["doc_id"], row["n"], poi_id)
            for row in self._all("read", "names").unique(_PLACE, keep="first", maintain_order=True)
            .join(by_link, on=_PLACE, how="anti").to_dicts()
            for poi_id in sorted(asked.get(row["doc_id"], ()))
            if (poi_id, name_key(row["name"])) in named
        ]  # fmt: skip
        more = pl.DataFrame(by_name, schema=by_link.schema, orient="row")
        return pl.concat([by_link, more]).unique(_PLACE, keep="first", maintain_order=True)

    def _list_asked(self) -> dict[str, set[str]]:
        """For each page, return the places whose inquiries found the page."""
        about = only(self._upstream, "ask")["inquiries"]
        asked: dict[str, set[str]] = {}
        for sub_query_id, hits in web_hits(self._upstream).items():
            places = set(about.filter(pl.col("sub_query_id") == sub_query_id)["poi_id"])
            for hit in hits:
                asked.setdefault(hit.doc_id, set()).update(places)
        return asked

    @property
    def known(self) -> set[str]:
        """Return the ids of the city's documents and of the pages that became documents."""
        return {*self._documents["doc_id"], *self.about["doc_id"]}

    def hits(self) -> WebHits:
        """For each inquiry, return the pages that it found and that were chosen for its query."""
        chosen = set(
            only(self._upstream, "ask")["sub_queries"]
            .select("query_id", "sub_query_id")
            .join(self._chosen, on="query_id")
            .drop("query_id")
            .unique()
            .iter_rows()
        )
        return {
            sub_query_id: [hit for hit in hits if (sub_query_id, hit.doc_id) in chosen]
            for sub_query_id, hits in web_hits(self._upstream).items()
        }

    @cached_property
    def about(self) -> pl.DataFrame:
        """Return the pages that name a known place."""
        return (
            self._all("read", "readings")
            .join(self.places, on="doc_id", how="semi")
            .select("doc_id", "kind", "reader")
            .sort("doc_id")
        )

    @cached_property
    def texts(self) -> pl.DataFrame:
        """Return the main texts of the pages that name a known place."""
        return texts_of({"corpus": self._upstream["corpus"]}, self.about)

    @cached_property
    def documents(self) -> pl.DataFrame:
        """Return rows for the table of documents, one for each page that names a known place."""
        meta = self._all("corpus", "meta")
        found, copies = list_found_pages(self._upstream, "inquiry"), self._copies()
        rows = [
            document_row(
                self._city, row, copies.get(row["doc_id"]), found.get(row["doc_id"], {}), {}
            )
            for row in self.about.join(meta, on="doc_id").sort("path", "doc_id").to_dicts()
        ]
        return with_read_hash(frame("documents", rows))

    def _copies(self) -> dict[str, str]:
        """Return the original of each page that repeats one of the city's documents or pages."""
        before = only(self._upstream, "documents")
        originals = before["documents"].filter(pl.col("near_duplicate_of").is_null())
        held = before["texts"].join(originals, on="doc_id", how="semi").sort("doc_id")
        found = self._new.join(self.texts, on="doc_id").sort("url").select("doc_id", "text")
        return near_duplicates(dict([*held.iter_rows(), *found.iter_rows()]))

    def frames(self) -> Frames:
        """Return the pages' statements about places, with evidence and counts."""
        dates = dict(date_documents(self.documents).select("doc_id", "stated_on").iter_rows())
        upstream: Upstream = {
            "documents": [{"documents": self.documents, "texts": self.texts}],
            "mentions": [self._hand_on()],
        }
        read = facts_of(self._city, upstream, {"resolutions": self.places}, dates, stage="answers")
        named = independent(upstream, self._list_recommended())
        tags = tags_of(self._city, upstream, named, dates)
        counted, aside = self._accounts(read)
        proofs = [
            document_evidence(self._city, row["doc_id"], row["start"], row["end"], row["name"])
            for row in named.join(tags, on="evidence_id", how="semi").to_dicts()
        ]
        return {
            "documents": self.documents,
            "texts": self.texts,
            **{name: read.table(name) for name in FACT_TABLES},
            "poi_tags": tags,
            "evidence": merge_parts(
                "evidence",
                [read.table("evidence"), frame("evidence", proofs)],
            ),
            "quarantine": merge_parts(
                "quarantine", [read.table("quarantine"), frame("quarantine", aside)]
            ),
            "stage_counts": frame("stage_counts", counted),
        }

    def _hand_on(self) -> Frames:
        """Return the readings of the pages, as frames like those of the stage ``mentions``."""
        facts = self._all("read", "facts")
        mine = {"is_main": pl.lit(value=False)}  # facts about unknown places are of no use here
        return {
            "about": self.about.with_columns(**mine),
            "facts": facts.join(self.about, on="doc_id", how="semi"),
            "mentions": self._all("read", "names"),
            "contexts": contexts_at(
                self._city,
                outside_names(self._all("read", "contexts"), self._all("read", "names")),
            ),
        }

    def _list_recommended(self) -> pl.DataFrame:
        """Return the names of known places, with the evidence for each name.

        Places on pages that answer inquiries never count as visited.
        """
        names = self._all("read", "names").filter(pl.col("what") == "sight")
        stops = self._all("read", "stops").clear()
        roles = with_role_here(names, stops, by_rules=()).join(self.places, on=_PLACE)
        proofs = [
            span_evidence_id(self._city.city_id, *span)
            for span in roles.select("doc_id", "start", "end").iter_rows()
        ]
        return roles.with_columns(
            role=pl.when(pl.col("role_here") == "recommended")
            .then("role_here")
            .otherwise(pl.lit("mentioned")),
            evidence_id=pl.Series(proofs, dtype=pl.String),
        ).sort("doc_id", "start", "end")

    def _accounts(self, read: PlaceFacts) -> tuple[list[StageCountsRow], list[QuarantineRow]]:
        """Count what happened to addresses, pages and facts; list the rows that were set aside."""
        fetched, aside = addresses_told(self._city, self._upstream, "ask_fetch")
        rejected = pl.concat([frames["rejected"] for frames in self._upstream["corpus"]])
        unread = self._new.join(rejected, left_on="url", right_on="path").to_dicts()
        aside += [
            quarantine_row(
                self._city, "answers", "documents", row["url"], row["check"], row["message"]
            )
            for row in unread
        ]
        told = self._all("read", "facts").join(self.about, on="doc_id", how="semi")
        n_limited = told.filter(pl.any_horizontal(pl.col(*LIMITS).is_not_null())).height
        n_told = {"poi_facts": told.height - n_limited, "conditional_facts": n_limited}
        used, known = self.documents.height, self._stored.height - self._new.height
        return [
            fetched,
            stage_count(
                self._city,
                "answers",
                "documents",
                rows_in=self._stored.height,
                kept=used,
                merged=known,
                quarantined=len(unread),
                pending=self._stored.height - used - known - len(unread),
            ),
            *(self._fact_account(read, name, n) for name, n in n_told.items()),
        ], aside

    def _fact_account(self, read: PlaceFacts, table: str, n_told: int) -> StageCountsRow:
        kept, aside, unknown = len(read.rows[table]), read.count_aside(table), read.elsewhere[table]
        return stage_count(
            self._city, "answers", table, rows_in=n_told, kept=kept, pending=unknown,
            quarantined=aside, merged=n_told - kept - aside - unknown,
        )  # fmt: skip


STAGE = Stage(
    "answers",
    4,
    compute,
    {
        **tables(
            "documents", "query_documents", *FACT_TABLES, "poi_tags", "evidence", "quarantine",
            "stage_counts",
        ),
        "texts": Output(inner.DOCUMENT_TEXTS),
    },
    settings=lambda job: {"documents": job.inputs.profile.documents.model_dump(mode="json")},
)  # fmt: skip
