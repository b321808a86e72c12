"""Runs the stage ``tags``, which finds facts about places, their tags in contexts and their
popularity.

A fact about a place is kept once, whatever the context. A place gets a row for a context if a
document names the place and the context in one sentence. If the first line of a day gives a
date, each place visited on that day gets a row for the season of the date.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from extractors.read import BY_RULES
from extractors.rules.common.day_lines import (
    day_lines,
    journey_months,
    journey_season,
    months_of_diary,
)
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import (
    Job,
    Row,
    Stage,
    Upstream,
    document_evidence,
    merge_parts,
    only,
    quarantine_row,
    stage_count,
    tables,
)
from flows.pipeline.stages.fact_checks import ANOTHER, find_unstated, misread
from flows.pipeline.stages.names import find_unplaced
from flows.pipeline.stages.relevance import positions, select_liked
from flows.pipeline.stages.sentences import (
    is_company,
    is_denied,
    is_one_sentence,
    is_real,
    sentence_of,
    states_rules,
    was_shut,
)
from flows.pipeline.stages.ticket_prices import FIELDS, ticket_price
from queries.home import terms_of
from schemas.arrow import frame
from schemas.cities import City
from schemas.dates import date_documents
from schemas.facts_aside import CONDITION_BY_RULES, describe_fact
from schemas.hours import weekly_spans
from schemas.ids import digest
from schemas.ranking import LIKED_ROLES
from schemas.rows import QuarantineRow, StageCountsRow
from schemas.seasons import season_of
from schemas.taxonomy import FACT_FORMS, Term
from schemas.values import cents

#: The largest distance, in characters, at which a place and a context belong together.
TAG_REACH = 60
#: The number of characters at the start of a text in which its author may date the journey.
_FIRST_WORDS = 60
#: Names of a holiday that a title may also use in other weeks.
_GREETINGS = ("新年", "New Year")
#: Tables of facts, with the columns for the condition of a conditional fact.
FACT_TABLES = ("poi_facts", "conditional_facts")
LIMITS = ("audience", "condition")
_ANY = Term("any", "不限", "any")


def compute(job: Job, upstream: Upstream) -> Frames:
    """Return the facts, the tags and the popularity of places in a city."""
    city, feedback = job.own_city, only(upstream, "feedback")
    dated = date_documents(only(upstream, "documents")["documents"])
    dates = dict(dated.select("doc_id", "stated_on").iter_rows())
    read = facts_of(city, upstream, feedback, dates)
    told = independent(upstream, feedback["poi_mentions"])
    tags = tags_of(city, upstream, told, dates)
    return {
        "poi_facts": merge_parts("poi_facts", [feedback["poi_facts"], read.table("poi_facts")]),
        "conditional_facts": read.table("conditional_facts"),
        "contexts": frame("contexts", _contexts(city)),
        "poi_tags": tags,
        "poi_popularity": _popularity(city, upstream, told, tags, dated),
        "evidence": read.table("evidence"),
        "quarantine": read.table("quarantine"),
        "stage_counts": frame("stage_counts", [_account(city, read, name) for name in FACT_TABLES]),
    }


def _account(city: City, read: PlaceFacts, table: str) -> StageCountsRow:
    """Count the facts for one table that come from documents."""
    kept, aside, elsewhere = len(read.rows[table]), read.count_aside(table), read.elsewhere[table]
    return stage_count(
        city, "tags", table, rows_in=kept + aside + elsewhere, kept=kept, quarantined=aside,
        pending=elsewhere,
    )  # fmt: skip


@dataclass
class PlaceFacts:
    """Facts that documents state about known places, as rows by table and id, with evidence.

    ``aside`` contains the facts that were set aside. ``elsewhere`` counts, by table, facts about
    places that may be known in a build of a different city.
    """

    rows: dict[str, dict[str, Row]]
    evidence: dict[str, Row] = field(default_factory=dict)
    aside: dict[str, QuarantineRow] = field(default_factory=dict)
    elsewhere: Counter[str] = field(default_factory=Counter)

    def table(self, name: str) -> pl.DataFrame:
        """Return the rows for a table of facts, for the evidence or for ``quarantine``."""
        tables: dict[str, Mapping[str, Any]] = {
            **self.rows, "evidence": self.evidence, "quarantine": self.aside,
        }  # fmt: skip
        return frame(name, list(tables[name].values()))

    def count_aside(self, table: str) -> int:
        """Count the facts for a given table that were set aside."""
        return sum(row["table"] == table for row in self.aside.values())


def facts_of(
    city: City, upstream: Upstream, feedback: Frames, dates: dict[str, Any], stage: str = "tags"
) -> PlaceFacts:
    """Return facts about known places, facts set aside, the evidence, and the count of other facts.

    A fact about an unknown place is set aside if its document is mainly about the current city. If
    the document is mainly about a different city, the fact waits for a build of that city. Facts
    whose condition was read by rules are set aside, too, because 4 of 18 such facts were wrong.
    """
    known = {
        (row["doc_id"], row["n"]): row["poi_id"]
        for row in feedback["resolutions"].to_dicts() if row["poi_id"]
    }  # fmt: skip
    texts = dict(only(upstream, "documents")["texts"].iter_rows())
    about = pl.concat([frames["about"] for frames in upstream["mentions"]])
    main = set(about.filter(pl.col("is_main"))["doc_id"])
    by_rules = set(about.filter(pl.col("reader").is_in(BY_RULES))["doc_id"])
    names, parts = _names(upstream, known, feedback), _parts(feedback)
    found = PlaceFacts({name: {} for name in FACT_TABLES})
    waiting: set[tuple[str, str]] = set()
    read = pl.concat([frames["facts"] for frames in upstream["mentions"]])
    for row in read.sort("doc_id", "start", "field", "value", *LIMITS).to_dicts():
        table = "conditional_facts" if any(row[name] for name in LIMITS) else "poi_facts"
        poi_id = known.get((row["doc_id"], row["n"]), "")
        if not poi_id and row["doc_id"] not in main:
            waiting.add((table, _row_id(table, row)))
            continue
        text = texts.get(row["doc_id"], "")
        fact = _type_fact(row, text[row["start"] : row["end"]], city)
        check = _refusal(row, poi_id, fact["values"], texts)
        if not check and row["doc_id"] in by_rules:
            check = misread(
                {**row, "poi_id": poi_id}, fact["values"] or {}, text,
                names.get(row["doc_id"], []), parts.get(poi_id, frozenset()),
            )  # fmt: skip
        check = check or find_unstated(row, text)
        if not check and table == "conditional_facts" and row["doc_id"] in by_rules:
            check = CONDITION_BY_RULES
        if check:
            about_it = describe_fact(row["field"], row["poi"], check)
            fault = quarantine_row(city, stage, table, _row_id(table, row), check, about_it, row)
            found.aside[fault["quarantine_id"]] = fault
        else:
            date = dates.get(row["doc_id"])
            _keep_fact(found, city, table, {**row, "poi_id": poi_id, "date": date}, fact, text)
    found.elsewhere.update(table for table, _ in waiting)
    return found


def _row_id(table: str, row: Row) -> str:
    """Return the id of a fact, which also depends on its condition if it has one."""
    limits = [row[name] or "" for name in LIMITS] if table == "conditional_facts" else []
    said = (row["doc_id"], str(row["start"]), row["poi"], row["field"], row["value"])
    return digest(*said, *limits)


def _keep_fact(
    found: PlaceFacts, city: City, table: str, row: Row, fact: Row, text: str
) -> None:  # fmt: skip
    """Add a fact about a known place to its table, and its span to the evidence."""
    start, end = row["start"], row["end"]
    evidence = document_evidence(city, row["doc_id"], start, end, text[start:end])
    proof = evidence["evidence_id"]
    limits = {name: row[name] for name in LIMITS} if table == "conditional_facts" else {}
    said = {
        "poi_id": row["poi_id"], "fact_field": fact["field"], "valid_when": row["valid_when"],
        "value": fact["value"], "evidence_id": proof, **limits,
    }  # fmt: skip
    fact_id = f"f_{digest(*(word or '' for word in said.values()))}"
    found.evidence[proof] = evidence
    found.rows[table][fact_id] = {
        "fact_id": fact_id, "city_id": city.city_id, **said, **(fact["values"] or {}),
        "source_date": row["date"],
    }  # fmt: skip


def _names(
    upstream: Upstream, known: Mapping[tuple[str, int], str], feedback: Frames
) -> dict[str, list[tuple[int, int, str]]]:
    """For each document, return the start, end and place of every name, in order.

    If a name has no place, the name's number is used instead of the place. If a name only resembles
    the name of a known place, ``ANOTHER`` is used instead of the place.
    """
    aside = find_unplaced(feedback)
    rows = pl.concat([frames["mentions"] for frames in upstream["mentions"]])
    found: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    columns = ["doc_id", "start", "end", "n"]
    for doc_id, start, end, n in rows.sort(columns[:3]).select(columns).iter_rows():
        place = known.get((doc_id, n), str(n))
        is_other = (doc_id, start) in aside and (doc_id, n) in known
        found[doc_id].append((start, end, ANOTHER if is_other else place))
    return found


def _parts(feedback: Frames) -> dict[str, frozenset[str]]:
    """Return the places that are inside each place."""
    found: dict[str, set[str]] = defaultdict(set)
    if "poi_hierarchy" in feedback:
        rows = feedback["poi_hierarchy"].select("poi_id", "parent_poi_id")
        for poi_id, parent in rows.iter_rows():
            found[parent].add(poi_id)
    return {parent: frozenset(parts) for parent, parts in found.items()}


def _type_fact(row: Row, quote: str, city: City) -> Row:
    """Return the field, value and typed columns for a fact.

    The columns are None if the value is not valid.
    """
    field, value, currency = row["field"], row["value"], None
    if field in FIELDS:
        field = "ticket_price"
        value, currency = ticket_price(value, quote, city.currency)
    values = type_value(field, value)
    if values and field == "ticket_price":
        values["currency"] = currency
    return {"field": field, "value": value, "values": values}


def _refusal(row: Row, poi_id: str, values: Row | None, texts: dict[str, str]) -> str:
    """Return the name of the check that a fact fails, or "" if the fact passes."""
    if row["doc_id"] not in texts:
        return "unknown_document"
    if not poi_id:
        return "unknown_place"
    if values is None:
        return "unreadable_value"
    return "currency_unknown" if "price_cents" in values and not values["currency"] else ""


def type_value(field: str, value: str) -> Row | None:
    """Return the typed columns of a fact's value, or None if the field cannot have this value."""
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
    own = terms_of(city)
    terms = [("any", _ANY)]
    terms += [(k, t) for k in ("season", "holiday", "traveller", "compactness") for t in own[k]]
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


def independent(upstream: Upstream, mentions: pl.DataFrame) -> pl.DataFrame:
    """Return mentions, except those in copies of documents, so that a repeated text counts once."""
    return mentions.join(
        only(upstream, "documents")["documents"]
        .filter(pl.col("near_duplicate_of").is_null())
        .select("doc_id"),
        on="doc_id",
        how="semi",
    )


def tags_of(
    city: City, upstream: Upstream, mentions: pl.DataFrame, dates: dict[str, Any]
) -> pl.DataFrame:
    """Return each place with the contexts that documents connect it to.

    The sentence that reports a visit or recommends the place must also name the context.
    Alternatively, the day of the visit must have a date that gives the season.
    """
    hits = pl.concat([frames["contexts"] for frames in upstream["mentions"]])
    texts = dict(only(upstream, "documents")["texts"].iter_rows())
    near = (
        _of_liked(mentions)
        .join(hits, on="doc_id", suffix="_hit")
        .filter(
            (pl.col("start_hit") - pl.col("end") <= TAG_REACH)
            & (pl.col("start") - pl.col("end_hit") <= TAG_REACH)
        )
    )
    told = [row for row in near.to_dicts() if _in_one_sentence(row, texts.get(row["doc_id"], ""))]
    told += _on_dated_days(city, mentions, texts, dates)
    told += _under_title(mentions, hits, texts)
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


def _on_dated_days(
    city: City, mentions: pl.DataFrame, texts: dict[str, str], dates: Mapping[str, Any]
) -> list[Row]:
    """Return visits with a known season, once per place and document.

    The season is given by the date of the day, by the first lines of the document, or by the day of
    publication.
    """
    found: dict[tuple[str, str, str], Row] = {}
    for (doc_id,), rows in _visits(mentions, texts).group_by("doc_id", maintain_order=True):
        text = texts[str(doc_id)]
        lines = day_lines(text)
        months = journey_months(text) or months_of_diary(text, dates.get(str(doc_id)))
        starts = [start for start, _ in lines]
        is_dated = any(month for _, month in lines)
        for row in rows.to_dicts():
            at = bisect_right(starts, row["start"]) - 1
            month = lines[at][1] if at >= 0 else None
            days = [month] if month else [] if is_dated else sorted(months)
            seasons = {season_of(day, city.lat) for day in days} - {None}
            if len(seasons) == 1:
                season = str(seasons.pop())
                key = (row["doc_id"], row["poi_id"], season)
                found.setdefault(key, {**row, "kind": "season", "code": season})
    return list(found.values())


def _under_title(mentions: pl.DataFrame, hits: pl.DataFrame, texts: dict[str, str]) -> list[Row]:
    """Return visits in documents whose title or first words name the visit's season or holiday.

    A title that names two seasons, or wishes readers a happy new year, gives no season.
    """
    said: dict[tuple[str, str], set[str]] = defaultdict(set)
    for doc_id, text in texts.items():
        if season := journey_season(text):
            said[doc_id, "season"].add(season)
    at_once = (pl.col("kind") == "holiday") & (pl.col("start") < _FIRST_WORDS)
    for hit in hits.filter(pl.col("is_title") | at_once).sort("doc_id", "start").to_dicts():
        word = texts.get(hit["doc_id"], "")[hit["start"] : hit["end"]]
        meant = {**hit, "start_hit": hit["start"], "end_hit": hit["end"]}
        if hit["kind"] in ("season", "holiday") and word and _is_meant(meant, texts[hit["doc_id"]]):
            said[hit["doc_id"], hit["kind"]].add("" if word in _GREETINGS else hit["code"])
    found: dict[tuple[str, str, str], Row] = {}
    for row in _visits(mentions, texts).to_dicts():
        for kind in ("season", "holiday"):
            codes = said.get((row["doc_id"], kind), set())
            if len(codes) == 1 and (code := next(iter(codes))):
                key = (row["doc_id"], row["poi_id"], code)
                found.setdefault(key, {**row, "kind": kind, "code": code})
    return list(found.values())


def _visits(mentions: pl.DataFrame, texts: dict[str, str]) -> pl.DataFrame:
    """Return mentions of places that were visited and were not closed, in the order of the text."""
    rows = mentions.filter(pl.col("poi_id").is_not_null() & (pl.col("role") == "visited"))
    shut = [
        was_shut(texts.get(doc_id, ""), end)
        for doc_id, end in rows.select("doc_id", "end").iter_rows()
    ]
    held = pl.Series(shut, dtype=pl.Boolean)
    known = rows["doc_id"].is_in(list(texts))
    return rows.filter(~held & known).sort("doc_id", "start")


def _of_liked(mentions: pl.DataFrame) -> pl.DataFrame:
    """Return all mentions of places that are visited or recommended in their document, with the
    places' roles.
    """
    roles = (
        select_liked(mentions)
        .with_columns(
            rank=pl.col("role").replace_strict(
                LIKED_ROLES, range(len(LIKED_ROLES)), return_dtype=pl.Int64
            )
        )
        .sort("rank")
        .unique(["doc_id", "poi_id"], keep="first")
        .select("doc_id", "poi_id", "role")
    )
    return mentions.drop("role").join(roles, on=["doc_id", "poi_id"])


def _in_one_sentence(row: Row, text: str) -> bool:
    """Check that a sentence links a place to a context and is not a question, rule, wish or denial.

    A holiday applies to the whole paragraph that names it, because an author who describes the
    crowds on a holiday was there on that day.
    """
    first, last = min(row["end"], row["end_hit"]), max(row["start"], row["start_hit"])
    is_near = "\n" not in text[first:last] if row["kind"] == "holiday" else False
    if not (is_near or is_one_sentence(text, first, last)):
        return False
    start, end = sentence_of(
        text, min(row["start"], row["start_hit"]), max(row["end"], row["end_hit"])
    )
    return is_real(text[start:end]) and _is_meant(row, text)


def _is_meant(row: Row, text: str) -> bool:
    """Check that a word for a context refers to a journey, not to rules or bystanders."""
    start, end = row["start_hit"], row["end_hit"]
    sentence = slice(*sentence_of(text, start, end))
    if is_denied(text, start) or states_rules(text[sentence]):
        return False
    return row["kind"] != "traveller" or is_company(text, start, end)


def _find_title_contexts(upstream: Upstream) -> pl.DataFrame:
    """Return the contexts in documents' titles (doc_id, context_id); each context applies to the
    whole document.
    """
    texts = dict(only(upstream, "documents")["texts"].iter_rows())
    hits = pl.concat([frames["contexts"] for frames in upstream["mentions"]]).filter("is_title")
    told = [
        {"doc_id": row["doc_id"], "context_id": f"{row['kind']}:{row['code']}"}
        for row in hits.rename({"start": "start_hit", "end": "end_hit"}).to_dicts()
        if row["doc_id"] in texts and _is_meant(row, texts[row["doc_id"]])
    ]
    return pl.DataFrame(told, schema={"doc_id": pl.String, "context_id": pl.String}).unique()


def _popularity(
    city: City,
    upstream: Upstream,
    mentions: pl.DataFrame,
    tags: pl.DataFrame,
    dated: pl.DataFrame,
) -> pl.DataFrame:
    """Rank places in a context by the number of documents that report a visit to them or recommend
    them, and by the places' positions in these documents.

    If a document's title names a context, the whole document is about this context. If the title
    names no context, the document counts only for places that this document tags with the context.
    The score of a place is the sum of the reciprocals of its positions in the documents. A place's
    position is its rank in the document. If a document contains no ranking, its visited and
    recommended places are numbered in the order of the text. ``source_date`` is the date of the
    newest document that counts.
    """
    placed = positions(mentions)
    documents = mentions.select("doc_id", "poi_id", "evidence_id")
    tagged = tags.join(documents, on=["poi_id", "evidence_id"])
    here = ["doc_id", "poi_id", "context_id"]
    anywhere = placed.select("doc_id", "poi_id", context_id=pl.lit("any:any"))
    titled = placed.join(_find_title_contexts(upstream), on="doc_id")
    named = pl.concat([titled.select(here), tagged.select(here), anywhere]).unique()
    scores = (
        placed.join(named, on=["doc_id", "poi_id"])
        .join(dated.select("doc_id", "stated_on"), on="doc_id", how="left")
        .with_columns(share=1.0 / pl.col("position"))
        .sort("context_id", "poi_id", "doc_id")
        .group_by("context_id", "poi_id", maintain_order=True)
        .agg(score=pl.col("share").sum().round(6), source_date=pl.col("stated_on").max())
        .sort("context_id", "score", "poi_id", descending=[False, True, False])
    )
    ranked = scores.with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("context_id"), city_id=pl.lit(city.city_id)
    )
    return frame("poi_popularity", ranked.to_dicts())


STAGE = Stage(
    "tags",
    23,
    compute,
    tables(
        "poi_facts",
        "conditional_facts",
        "contexts",
        "poi_tags",
        "poi_popularity",
        "evidence",
        "quarantine",
        "stage_counts",
    ),
)
