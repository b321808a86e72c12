"""Stage tags: facts of places from text, tags in contexts, popularity, and the inquiries.

A fact of a place stands once, free of context. A context adds a row only where a document
names the context and the place together, in one sentence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import polars as pl

from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Stage,
    Upstream,
    merged,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.relevance import liked
from flows.pipeline.stages.retrieve import recent_texts, search
from flows.pipeline.stages.ticket_prices import FIELDS, ticket_price
from queries.sub_queries import inquiries
from schemas.arrow import frame
from schemas.cities import City
from schemas.hours import weekly_spans
from schemas.ids import digest, span_evidence_id, text_sha256
from schemas.taxonomy import CONSTRAINTS, FACT_FORMS, Term
from schemas.values import cents

Row = dict[str, Any]

#: A place and a context belong together within this many characters: about a sentence.
TAG_REACH = 60
#: What ends a sentence or item, and what denies a word that follows it closely.
_SENTENCE_END = re.compile(r"[。！？!?\n]|\.(?:\s|$)")
_DENIAL = re.compile(
    r"(?:不适合|不建议|不推荐|不要在?|避开|避免|没有|不是|非|除了)$|"
    r"\b(?:not|no|avoid|except|never|rather than|instead of)\s+(?:(?:for|in|the|during|with)\s+)*$",
    re.IGNORECASE,
)
_DENIAL_REACH = 24
#: Minutes below which nobody stays at a sight, and words before a duration of a way.
SHORTEST_STAY_MIN = 10
_ON_THE_WAY = re.compile(
    r"全程|车程|路程|行程|步行|走路|乘坐|打车|骑行|开车|地铁|高铁|公交|排队|"
    r"\b(?:by (?:bus|car|train|metro|taxi)|drive|ride|walk|walking|transfer|flight|queue)\b",
    re.IGNORECASE,
)
_ANY = Term("any", "不限", "any")


def compute(job: Job, upstream: Upstream) -> Frames:
    """Facts, tags, popularity and inquiries of a city."""
    assert job.city is not None
    city, feedback = job.city, only(upstream, "feedback")
    dates = dict(
        only(upstream, "documents")["documents"].select("doc_id", "published_on").iter_rows()
    )
    facts, rejected, evidence, elsewhere = _facts(city, upstream, feedback, dates)
    told = _independent(upstream, feedback["poi_mentions"])
    tags = _tags(city, upstream, told, dates)
    asked, answers = _inquiries(job, upstream, feedback)
    counted = stage_count(
        city, "tags", "poi_facts", rows_in=len(facts) + len(rejected) + elsewhere,
        kept=len(facts), quarantined=len(rejected), pending=elsewhere,
    )  # fmt: skip
    return {
        "poi_facts": merged("poi_facts", [feedback["poi_facts"], frame("poi_facts", facts)]),
        "contexts": frame("contexts", _contexts(city)),
        "poi_tags": tags,
        "poi_popularity": _popularity(city, upstream, told),
        "sub_queries": frame("sub_queries", asked),
        "query_documents": frame("query_documents", answers),
        "evidence": frame("evidence", evidence),
        "quarantine": frame("quarantine", rejected),
        "stage_counts": frame("stage_counts", [counted]),
    }


def _facts(
    city: City, upstream: Upstream, feedback: Frames, dates: dict[str, Any]
) -> tuple[list[Row], list[Row], list[Row], int]:
    """Facts that a known place can carry, those set aside, the evidence, and the number of others.

    A fact about an unknown place is set aside where its document is about this city; in a
    document that is mainly about another one it waits for that city's build.
    """
    known = {
        (row["doc_id"], row["n"]): row["poi_id"]
        for row in feedback["resolutions"].to_dicts() if row["poi_id"]
    }  # fmt: skip
    texts = dict(only(upstream, "documents")["texts"].iter_rows())
    about = pl.concat([frames["about"] for frames in upstream["mentions"]])
    main = set(about.filter(pl.col("is_main"))["doc_id"])
    elsewhere: set[str] = set()
    facts: dict[str, Row] = {}
    rejected: dict[str, Row] = {}
    evidence: dict[str, Row] = {}
    read = pl.concat([frames["facts"] for frames in upstream["mentions"]])
    for row in read.sort("doc_id", "start", "field", "value").to_dicts():
        row_id = digest(row["doc_id"], str(row["start"]), row["poi"], row["field"], row["value"])
        poi_id = known.get((row["doc_id"], row["n"]), "")
        if not poi_id and row["doc_id"] not in main:
            elsewhere.add(row_id)
            continue
        quote = texts.get(row["doc_id"], "")[row["start"] : row["end"]]
        fact = _typed(row, quote, city)
        values = fact["values"]
        check = _refusal(row, poi_id, values, texts) or _travel(row, values, texts)
        if check:
            fault = quarantine_row(
                city, "tags", "poi_facts", row_id, check, f"{row['field']} of {row['poi']!r}", row
            )
            rejected[fault["quarantine_id"]] = fault
            continue
        proof = span_evidence_id(city.city_id, row["doc_id"], row["start"], row["end"])
        fact_id = f"f_{digest(poi_id, fact['field'], row['valid_when'], fact['value'], proof)}"
        evidence[proof] = {
            "evidence_id": proof, "city_id": city.city_id, "evidence_kind": "document",
            "doc_id": row["doc_id"], "start": row["start"], "end": row["end"],
            "quote_sha256": text_sha256(quote),
        }  # fmt: skip
        facts[fact_id] = {
            "fact_id": fact_id, "city_id": city.city_id, "poi_id": poi_id,
            "fact_field": fact["field"], "valid_when": row["valid_when"], "value": fact["value"],
            **(values or {}), "source_date": dates.get(row["doc_id"]), "evidence_id": proof,
        }  # fmt: skip
    return list(facts.values()), list(rejected.values()), list(evidence.values()), len(elsewhere)


def _typed(row: Row, quote: str, city: City) -> Row:
    """Field, value and typed columns of a read fact; the columns are None where it has no form."""
    field, value, currency = row["field"], row["value"], None
    if field in FIELDS:
        field = "ticket_price"
        value, currency = ticket_price(value, quote, city.currency)
    values = typed_value(field, value)
    if values and field == "ticket_price":
        values["currency"] = currency
    return {"field": field, "value": value, "values": values}


def _refusal(row: Row, poi_id: str, values: Row | None, texts: dict[str, str]) -> str:
    """The check that a read fact fails; "" for none."""
    if row["doc_id"] not in texts:
        return "unknown_document"
    if not poi_id:
        return "unknown_place"
    if values is None:
        return "unreadable_value"
    return "currency_unknown" if "price_cents" in values and not values["currency"] else ""


def _travel(row: Row, values: Row | None, texts: dict[str, str]) -> str:
    """The check that a duration fails which is a way's and not a stay's, or no stay's at all."""
    least = (values or {}).get("duration_min_min")
    if least is None:
        return ""
    if least < SHORTEST_STAY_MIN:
        return "implausible_value"
    before = texts[row["doc_id"]][max(0, row["start"] - _DENIAL_REACH) : row["start"]]
    return "travel_time" if _ON_THE_WAY.search(before.rsplit("\n", 1)[-1]) else ""


def typed_value(field: str, value: str) -> Row | None:
    """The typed columns of a fact's value; None when the value is not of the field's form."""
    form = FACT_FORMS.get(field)
    if form and not re.fullmatch(form, value):
        return None
    try:
        if field == "opening_hours":
            spans = weekly_spans(value)
            return {"hours_osm": value, "hours_weekly": spans} if spans else None
        if field == "ticket_price":
            return {"price_cents": cents(value)}
        if field == "duration_hours":
            low, _, high = value.partition("-")
            least, most = round(float(low) * 60), round(float(high or low) * 60)
            return (
                {"duration_min_min": least, "duration_max_min": most} if 0 < least <= most else None
            )
    except ValueError:
        return None
    return {}


def _contexts(city: City) -> list[Row]:
    terms = [("any", _ANY)]
    terms += [
        (k, t) for k in ("season", "holiday", "traveller", "compactness") for t in CONSTRAINTS[k]
    ]
    return [
        {
            "context_id": f"{kind}:{term.code}",
            "city_id": city.city_id,
            "context_kind": kind,
            "context_code": term.code,
            "name_zh": term.zh,
            "name_en": term.en,
        }
        for kind, term in terms
    ]


def _independent(upstream: Upstream, mentions: pl.DataFrame) -> pl.DataFrame:
    """Mentions of documents that are no copies: a text that stands twice says it once."""
    originals = only(upstream, "documents")["documents"].filter(
        pl.col("near_duplicate_of").is_null()
    )
    return mentions.join(originals.select("doc_id"), on="doc_id", how="semi")


def _tags(
    city: City, upstream: Upstream, mentions: pl.DataFrame, dates: dict[str, Any]
) -> pl.DataFrame:
    """A place visited or recommended in one sentence with a word that names the context."""
    hits = pl.concat([frames["contexts"] for frames in upstream["mentions"]])
    texts = dict(only(upstream, "documents")["texts"].iter_rows())
    near = (
        liked(mentions)
        .join(hits, on="doc_id", suffix="_hit")
        .filter(
            (pl.col("start_hit") - pl.col("end") <= TAG_REACH)
            & (pl.col("start") - pl.col("end_hit") <= TAG_REACH)
        )
    )
    told = [row for row in near.to_dicts() if _in_one_sentence(row, texts.get(row["doc_id"], ""))]
    rows = {
        (row["poi_id"], row["kind"], row["code"], row["role"], row["evidence_id"]): {
            "poi_id": row["poi_id"],
            "city_id": city.city_id,
            "context_id": f"{row['kind']}:{row['code']}",
            "tag": row["role"],
            "source_date": dates.get(row["doc_id"]),
            "evidence_id": row["evidence_id"],
        }
        for row in told
    }
    return frame("poi_tags", list(rows.values()))


def _in_one_sentence(row: Row, text: str) -> bool:
    """Whether no sentence ends between a name and a word of a context, and nothing denies it."""
    first, last = min(row["end"], row["end_hit"]), max(row["start"], row["start_hit"])
    before = text[max(0, row["start_hit"] - _DENIAL_REACH) : row["start_hit"]]
    return not _SENTENCE_END.search(text[first:last]) and not _DENIAL.search(before)


def _popularity(city: City, upstream: Upstream, mentions: pl.DataFrame) -> pl.DataFrame:
    """Places ranked by how many documents of a context like them and how early they come.

    The score adds, over documents, the reciprocal of the place's position in the document.
    """
    first = liked(mentions).group_by("doc_id", "poi_id").agg(pl.col("start").min())
    placed = first.with_columns(position=pl.col("start").rank("ordinal").over("doc_id"))
    named = pl.concat([frames["contexts"] for frames in upstream["mentions"]])
    contexts = named.select("doc_id", context_id=pl.col("kind") + ":" + pl.col("code")).unique()
    anywhere = placed.select("doc_id", context_id=pl.lit("any:any")).unique()
    scores = (
        placed.join(pl.concat([contexts, anywhere]), on="doc_id")
        .with_columns(share=1.0 / pl.col("position"))
        .sort("context_id", "poi_id", "doc_id")
        .group_by("context_id", "poi_id", maintain_order=True)
        .agg(score=pl.col("share").sum().round(6))
        .sort("context_id", "score", "poi_id", descending=[False, True, False])
    )
    ranked = scores.with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("context_id"), city_id=pl.lit(city.city_id)
    )
    return frame("poi_popularity", ranked.to_dicts())


def _inquiries(job: Job, upstream: Upstream, feedback: Frames) -> tuple[list[Row], list[Row]]:
    """Sub-queries about the first candidates of every query, and the documents they find."""
    assert job.city is not None
    settings = job.inputs.profile.documents
    names = {
        row["poi_id"]: re.sub(r"\s+", " ", row["name_zh"] or row["name_en"])
        for row in feedback["pois"].to_dicts()
    }
    candidates = only(upstream, "candidates")
    first: dict[str, list[str]] = defaultdict(list)
    for row in candidates["query_pois"].sort("query_id", "rank").to_dicts():
        if row["rank"] <= settings.inquiries_per_query:
            first[row["query_id"]].append(names[row["poi_id"]])
    asked = [
        row
        for query in candidates["queries"].filter(pl.col("family") == "tprag").to_dicts()
        for row in inquiries(query, job.city, first[query["query_id"]])
    ]
    texts = recent_texts(upstream, settings.newest_after)
    if not settings.per_inquiry:
        return asked, []
    return asked, search(asked, texts, {"inquiry": settings.per_inquiry}, {})


STAGE = Stage(
    "tags",
    9,
    compute,
    tables(
        "poi_facts",
        "contexts",
        "poi_tags",
        "poi_popularity",
        "sub_queries",
        "query_documents",
        "evidence",
        "quarantine",
        "stage_counts",
    ),
    settings=lambda job: {"documents": job.inputs.profile.documents.model_dump(mode="json")},
)
