"""Trace a row back to a document or a line in a file, for ``tripbed explain ID``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from flows.places.tables import Row, StoryTables, document_path, place_name, where
from schemas.nouns import count_noun
from schemas.ranking import in_words
from warehouse.given import read_given
from warehouse.read import Snapshot

#: The maximum number of journeys, candidates and other rows that are listed; the rest is counted.
_SHOWN = 8
#: The tables and columns in which an id is looked up, with the word for a row of each table.
KINDS = (
    ("poi_facts", "fact_id", "fact"), ("conditional_facts", "fact_id", "conditional fact"),
    ("poi_mentions", "mention_id", "mention"),
    ("queries", "query_id", "query"), ("sub_queries", "sub_query_id", "sub-query"),
    ("trajectories", "trajectory_id", "journey"), ("documents", "doc_id", "document"),
    ("documents", "path", "document"), ("evidence", "evidence_id", "evidence"),
    ("quarantine", "quarantine_id", "row set aside"), ("quarantine", "row_id", "row set aside"),
    ("place_decisions", "comparison_id", "comparison"), ("hotels", "hotel_id", "hotel"),
    ("restaurants", "restaurant_id", "restaurant"), ("trains", "train_id", "train"),
    ("trains", "train_no", "train"), ("flights", "flight_id", "flight"),
    ("flights", "flight_no", "flight"), ("contexts", "context_id", "context"),
    ("gates", "gate_id", "gate"),
)  # fmt: skip
_FACTS = ("poi_facts", "conditional_facts")
_BY_LINE = (
    "hotels",
    "restaurants",
    "trains",
    "flights",
    "hubs",
    "metro_stations",
    "metro_fares",
    "quarantine",
)


@dataclass(frozen=True)
class Chain:
    """A row with its kind, and the sentences that trace the row to its evidence."""

    table: str
    kind: str
    row: Row
    chain: tuple[str, ...]


def chains_of(held: StoryTables, asked: str) -> list[Chain]:
    """Find the rows with a given id, train or flight number, document path, or FILE:LINE."""
    tables = ((held.table(table), table, column, kind) for table, column, kind in KINDS)
    found = [
        chain(held, table, kind, row)
        for rows, table, column, kind in tables
        if column in rows.columns
        for row in rows.filter(pl.col(column).cast(pl.String) == asked).to_dicts()
    ]
    found += [*_of_line(held, asked), *_find_unused(held, asked)]
    # Two columns may contain the same id.
    return [each for n, each in enumerate(found) if each not in found[:n]]


def chain(held: StoryTables, table: str, kind: str, row: Row) -> Chain:
    """Return the chain from a row to its evidence."""
    return Chain(table, kind, row, tuple(_TOLD.get(table, _tell_plainly)(held, row)))


def _of_line(held: StoryTables, asked: str) -> Iterator[Chain]:
    """Find the rows that were made from a line in a file, given as FILE:LINE."""
    file, colon, line = asked.rpartition(":")
    if not colon or not line.isdigit():
        return
    here = (pl.col("source_file") == file) & (pl.col("source_line") == int(line))
    kinds = {table: kind for table, _, kind in KINDS}
    for table in _BY_LINE:
        for row in held.table(table).filter(here).to_dicts():
            yield chain(held, table, kinds.get(table, "station"), row)
    for row in held.table("evidence").filter(here).to_dicts():
        yield chain(held, "evidence", "evidence", row)


def _find_unused(held: StoryTables, asked: str) -> Iterator[Chain]:
    """Find unused input documents. A workspace has no list of unused documents, so the result is
    empty for a workspace.
    """
    given = read_given(held.path).get("documents") if isinstance(held, Snapshot) else None
    here = pl.any_horizontal(pl.col("path", "doc_id") == asked) & (pl.col("status") != "used")
    for row in given.filter(here).to_dicts() if given is not None else ():
        words = f"{row['status'].replace('_', ' ')}: {row['why']}"
        yield Chain("documents", "document given", row, (f"{row['path']} is {words}",))


def _fact(held: StoryTables, row: Row) -> Iterator[str]:
    when = "" if row["valid_when"] == "always" else f", {row['valid_when']}"
    yield f"{row['fact_field']} of {place_name(held, row['poi_id'])}: {row['value']}{when}"
    yield f"stated in {where(held, row['evidence_id'])}"
    others = held.table("poi_facts").filter(
        (pl.col("poi_id") == row["poi_id"])
        & (pl.col("fact_field") == row["fact_field"])
        & (pl.col("fact_id") != row["fact_id"])
    )
    for other in others.to_dicts()[:_SHOWN]:
        said = f"{other['value']} ({other['fact_id']})"
        yield f"another source gives {said}: {where(held, other['evidence_id'])}"


def _mention(held: StoryTables, row: Row) -> Iterator[str]:
    stop = "" if row["day"] is None else f", day {row['day']}"
    stop += "" if row["order"] is None else f", stop {row['order']}"
    yield f"{row['name']}: {row['role']}{stop}"
    yield f"found in {document_path(held, row['doc_id'])} [{row['start']}:{row['end']}]"
    if row["poi_id"] is None:
        yield f"linked to no place: {row['resolution']}"
    else:
        sure = f"{row['resolution']}, score {row['resolution_score']:.2f}"
        yield f"linked to {place_name(held, row['poi_id'])}: {sure}"
    same = (pl.col("doc_id") == row["doc_id"]) & (pl.col("name") == row["name"])
    for link in held.table("links").filter(same).unique("why", maintain_order=True).to_dicts():
        rivals = ", ".join(place_name(held, rival) for rival in link["rivals"])
        yield f"linked because {link['why']}" + (f"; other choices: {rivals}" if rivals else "")
    for link in held.table("unlinked_names").filter(same).to_dicts():
        yield f"not linked ({link['unlinked_as']}) because {link['why']}"


def _journey(held: StoryTables, row: Row) -> Iterator[str]:
    days = count_noun(row["n_trip_days"], "day")
    yield f"a journey of {days}, found in {document_path(held, row['doc_id'])}"
    edits = {(e["day"], e["order"]): e for e in _edits(row)}
    for stop in row["noisy_visits"]:
        edit = edits.get((stop["day"], stop["order"]))
        yield f"day {stop['day']}, stop {stop['order']}: {stop['name']}{edit_words(held, edit)}"
    asked = held.table("query_trajectories").filter(pl.col("trajectory_id") == row["trajectory_id"])
    if asked.height:
        example = asked["query_id"].sort()[0]
        yield f"reference trajectory for {count_noun(asked.height, 'query')}, such as {example}"


def _edits(row: Row) -> list[Row]:
    edits = row.get("edits") or []
    return json.loads(edits) if isinstance(edits, str) else edits


def edit_words(held: StoryTables, edit: Row | None) -> str:
    """Describe what happened to a stop when its trajectory was cleaned."""
    if edit is None:
        return " is unchanged"
    if edit["op"] == "remove":
        return f" was removed: {edit['reason']}"
    return f" became {place_name(held, edit.get('poi_id'))}: {edit['reason']}"


def _query(held: StoryTables, row: Row) -> Iterator[str]:
    yield " / ".join(filter(None, (row["text_en"], row["text_zh"])))
    yield f"status {row['status']}" + (f": {row['reason']}" if row["reason"] else "")
    yield f"made from {row['structure']}"
    mine = pl.col("query_id") == row["query_id"]
    journeys = held.table("query_trajectories").filter(mine).sort("rank").to_dicts()
    yield f"{count_noun(len(journeys), 'journey', 'journeys')}{':' if journeys else ''}"
    documents = dict(held.table("trajectories").select("trajectory_id", "doc_id").iter_rows())
    for journey in journeys[:_SHOWN]:
        path = document_path(held, documents.get(journey["trajectory_id"]))
        yield (
            f"  {journey['rank']}. {journey['trajectory_id']} in {path}, score {journey['score']:g}"
        )
    places = held.table("query_pois").filter(mine).sort("rank")
    yield f"{count_noun(places.height, 'candidate place')}{':' if places.height else ''}"
    for place in places.head(_SHOWN).to_dicts():
        why = in_words(place.get("reasons")) or f"from a {place['candidate_source']}"
        yield (
            f"  {place['rank']}. {place_name(held, place['poi_id'])}, score {place['score']:g}:"
            f" {why}"
        )
    best = (
        held.table("query_documents")
        .filter(mine)
        .sort("score", "doc_id", descending=[True, False])["doc_id"]
        .unique(maintain_order=True)
    )
    paths = ", ".join(document_path(held, doc) for doc in best[:3])
    yield f"{count_noun(len(best), 'document')} found" + (f", best {paths}" if paths else "")


def _document(held: StoryTables, row: Row) -> Iterator[str]:
    about = f"{row['document_kind']}, {row['lang']}, {row['n_chars']:,} characters"
    yield f"{row['path']}: {about}" + (f", {row['url']}" if row["url"] else "")
    if row["near_duplicate_of"]:
        yield f"a copy of {document_path(held, row['near_duplicate_of'])}"
    here = pl.col("doc_id") == row["doc_id"]
    mentions = held.table("poi_mentions").filter(here)
    linked = mentions.filter(pl.col("poi_id").is_not_null()).height
    yield f"{count_noun(mentions.height, 'mention')}, {linked:,} linked to a known place"
    for trip in held.table("trajectories").filter(here).to_dicts():
        yield f"journey {trip['trajectory_id']}: {count_noun(trip['n_visits'], 'stop')}"
    told = pl.col("evidence_id").is_in(held.table("evidence").filter(here)["evidence_id"].implode())
    facts = [row for name in _FACTS for row in held.table(name).filter(told).to_dicts()]
    for fact in facts[:_SHOWN]:
        what = f"{fact['fact_field']} of {place_name(held, fact['poi_id'])}: {fact['value']}"
        yield f"fact {fact['fact_id']}: {what}"
    aside = held.table("quarantine").filter(
        pl.col("payload").str.contains(row["doc_id"], literal=True)
    )
    for dropped in aside.to_dicts()[:_SHOWN]:
        yield f"set aside {dropped['quarantine_id']}: {dropped['check']}, {dropped['message']}"


def _evidence(held: StoryTables, row: Row) -> Iterator[str]:
    yield f"found in {where(held, row['evidence_id'])}"
    for table in ("pois", *_FACTS, "poi_tags"):
        here = held.table(table).filter(pl.col("evidence_id") == row["evidence_id"])
        for using in here.to_dicts()[:_SHOWN]:
            what = using.get("fact_field") or using.get("tag")
            yield f"evidence for {place_name(held, using['poi_id'])}" + (
                f": {what}" if what else ""
            )


def _aside(held: StoryTables, row: Row) -> Iterator[str]:
    yield f"set aside by the check {row['check']} of stage {row['stage']}: {row['message']}"
    said = json.loads(row["payload"])
    if row["source_file"]:
        yield f"found in {row['source_file']}:{row['source_line']}"
    elif said.get("doc_id"):
        span = f" [{said['start']}:{said['end']}]" if "start" in said and "end" in said else ""
        yield f"found in {document_path(held, said['doc_id'])}{span}"
    for edit in _edits(said):
        yield f"day {edit['day']}, stop {edit['order']}: {edit['name']}{edit_words(held, edit)}"
    for name, value in said.items():
        if name not in ("doc_id", "start", "end", "edits") and value not in ("", None):
            yield f"{name}: {value}"


def _tell_plainly(held: StoryTables, row: Row) -> Iterator[str]:
    """List the source and all known values of a row."""
    if row.get("source_file"):
        yield f"found in {row['source_file']}:{row['source_line']}"
    for name, value in row.items():
        if value is not None and name not in ("source_file", "source_line", "read_hash"):
            yield f"{name}: {value}"


_TOLD: dict[str, Callable[[StoryTables, Row], Iterator[str]]] = {
    "poi_facts": _fact, "poi_mentions": _mention, "trajectories": _journey, "queries": _query,
    "documents": _document, "evidence": _evidence, "quarantine": _aside,
}  # fmt: skip
