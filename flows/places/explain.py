"""The command ``tripbed explain``, which shows the sources of a place or of another row.

The command reads a snapshot or the workspace of a build.
"""

from __future__ import annotations

import polars as pl

from flows.console import print_json
from flows.errors import SettingsError
from flows.places.chains import Chain, chains_of
from flows.places.names import (
    find_unlinked,
    link_lines,
    links_of,
    nearest,
    places_called,
    rows_called,
    stops_dropped,
)
from flows.places.tables import Row, StoryTables, open_tables
from schemas.nouns import count_noun
from warehouse.read import Snapshot

__all__ = ["explain", "open_tables", "story"]

#: The maximum number of comparisons and of mentions that are printed.
_SHOWN = 30
#: The columns that are shown for a comparison of two places.
_COMPARED = (
    "outcome", "verdict", "score", "name_a", "name_b", "distance_m", "reason", "poi_id",
    "other_poi_id", "evidence_id", "other_evidence_id",
)  # fmt: skip


def explain(asked: str, held: StoryTables, as_json: bool) -> None:
    """Print what a name or an id refers to, and the evidence for it.

    For a place, the evidence is the origin of every field, and the place's facts, comparisons,
    links and mentions. For any other row, the evidence is the chain to a document or a line of a
    file. For a name, the command prints every place, row and removed stop with this name, and every
    document where the name is linked to no place. Raises SettingsError if the name or id is
    unknown.
    """
    is_id = asked.startswith("poi_")
    stories = [story(held, poi_id) for poi_id in ([asked] if is_id else places_called(held, asked))]
    rows = [] if is_id else [*chains_of(held, asked), *rows_called(held, asked)]
    unlinked = [] if is_id else find_unlinked(held, asked)
    dropped = [] if is_id else stops_dropped(held, asked)
    if not (stories or rows or unlinked or dropped):
        raise SettingsError(
            f"{held.path} contains no place, row, stop or document with the name or id {asked!r}"
            f"{_did_you_mean(held, asked)}"
        )
    if as_json:
        facts = stories[0] if is_id else {
            "places": stories, "rows": [vars(row) for row in rows], "unlinked": unlinked,
            "dropped_stops": dropped,
        }  # fmt: skip
        print_json(facts)
        return
    lines = [line for facts in stories for line in (*_lines(facts), "")]
    lines += [line for row in rows for line in (*_chain_lines(row), "")]
    if unlinked:
        lines += [f"{count_noun(len(unlinked), 'name')} found in documents but linked to no place:"]
        lines += link_lines(unlinked)
    if dropped:
        lines += [f"{count_noun(len(dropped), 'stop')} removed from journeys:"]
        lines += [f"  {stop}" for stop in dropped[:_SHOWN]]
    print("\n".join(lines).rstrip())


def _did_you_mean(held: StoryTables, asked: str) -> str:
    close = nearest(held, asked)
    if close:
        return f". Did you mean: {', '.join(close)}?"
    return ": check the spelling, or use a name or an id from the tables"


def _chain_lines(row: Chain) -> list[str]:
    """Format a row as lines: its kind and id, and then the steps to its evidence."""
    name = next((str(v) for k, v in row.row.items() if k.endswith("_id") and k != "city_id"), "")
    return [f"{row.kind} {name}".rstrip(), *(f"  {step}" for step in row.chain)]


def story(snapshot: StoryTables, poi_id: str) -> Row:
    """Return everything that a snapshot or a workspace records about the origin of a place.

    Raises SettingsError if the place is unknown.
    """
    poi = snapshot.table("pois").filter(pl.col("poi_id") == poi_id)
    if poi.is_empty():
        raise SettingsError(
            f"{snapshot.path} has no place {poi_id}{_did_you_mean(snapshot, poi_id)}"
        )
    here = pl.col("poi_id") == poi_id
    evidence = snapshot.table("evidence")
    paths = dict(snapshot.table("documents").select("doc_id", "path").iter_rows())
    compared = snapshot.table("place_decisions").filter(here | (pl.col("other_poi_id") == poi_id))
    mentions = snapshot.table("poi_mentions").filter(here)
    nested = snapshot.table("poi_hierarchy")
    row = poi.to_dicts()[0]

    def tell(table: str, columns: dict[str, str]) -> list[Row]:
        """Return the place's rows in a table, with renamed columns and the source of each row."""
        return [
            {name: told[column] for name, column in columns.items()}
            | _where(evidence, paths, told["evidence_id"])
            for told in snapshot.table(table).filter(here).to_dicts()
        ]

    fact = {"fact_id": "fact_id", "field": "fact_field", "value": "value"}
    limits = {"audience": "audience", "condition": "condition"}
    return {
        "poi": row,
        "anchor": row["anchor"],
        "origins": tell("poi_origins", {"field": "poi_field"}),
        "aliases": tell("poi_aliases", {"alias": "alias", "from": "alias_source"}),
        "facts": tell("poi_facts", fact),
        "conditional_facts": tell("conditional_facts", {**fact, **limits}),
        "part_of": nested.filter(here).select("parent_poi_id", "reason").to_dicts(),
        "contains": (
            nested.filter(pl.col("parent_poi_id") == poi_id).select("poi_id", "reason").to_dicts()
        ),
        "comparisons": (
            compared.sort("outcome", "score", descending=[True, True]).select(_COMPARED).to_dicts()
        ),
        "mentions": (
            mentions.group_by("name", "resolution", "resolution_score")
            .agg(n_mentions=pl.len(), n_documents=pl.col("doc_id").n_unique())
            .sort("n_mentions", "name", descending=[True, False])
            .to_dicts()
        ),
        "links": links_of(snapshot, poi_id),
        "geocoders": _list_answers(snapshot, poi_id),
    }  # fmt: skip


def _list_answers(held: StoryTables, poi_id: str) -> list[Row]:
    """Return the geocoders' answers about the place. Only a workspace contains geocoders'
    answers.
    """
    outcomes = pl.DataFrame() if isinstance(held, Snapshot) else held.table("geocode_outcomes")
    return outcomes.filter(pl.col("poi_id") == poi_id).to_dicts() if outcomes.height else []


def _where(evidence: pl.DataFrame, paths: dict[str, str], evidence_id: str) -> Row:
    """Return the source of an evidence row: a line in a file, or a span in a document."""
    found = evidence.filter(pl.col("evidence_id") == evidence_id).to_dicts()
    row = found[0] if found else {}
    if row.get("evidence_kind") == "table":
        return {"source": f"{row['source_file']}:{row['source_line']}"}
    path = paths.get(row.get("doc_id", ""), row.get("doc_id"))
    return {"source": f"{path} [{row.get('start')}:{row.get('end')}]"}


def _lines(facts: Row) -> list[str]:
    poi = facts["poi"]
    where = f"{poi['lat']:.5f}, {poi['lon']:.5f}" if poi["lat"] is not None else "no coordinates"
    names = " / ".join(n for n in (poi["name_zh"], poi["name_en"]) if n)
    n_mentions = sum(m["n_mentions"] for m in facts["mentions"])
    return [
        (
            f"{poi['poi_id']}  {names}  ({poi['category'] or 'category unknown'}; {where}; datum"
            f" {poi['datum_original'] or 'unknown'}, provider"
            f" {poi['coordinate_provider'] or 'unknown'})"
        ),
        f"id made from: {facts['anchor']}",
        *(f"  {o['field']}: {o['source']}" for o in facts["origins"]),
        *(f"  also {a['alias']} ({a['from']}, {a['source']})" for a in facts["aliases"]),
        *(f"  {f['field']} {f['value']} ({f['fact_id']}, {f['source']})" for f in facts["facts"]),
        *(
            f"  {f['field']} {f['value']} only {_limits(f)} ({f['fact_id']}, {f['source']})"
            for f in facts["conditional_facts"]
        ),
        *(f"  part of {p['parent_poi_id']}: {p['reason']}" for p in facts["part_of"]),
        *(f"  contains {p['poi_id']}: {p['reason']}" for p in facts["contains"]),
        *(f"  {g['provider']}: {g['outcome']} {g['message']}" for g in facts["geocoders"]),
        f"{len(facts['comparisons'])} comparisons:",
        *map(_comparison, facts["comparisons"][:_SHOWN]),
        f"{count_noun(len(facts['links']), 'name')} linked to this place:",
        *link_lines(facts["links"]),
        f"{count_noun(n_mentions, 'mention')}:",
        *(
            f"  {m['name']}: {m['n_mentions']} in {count_noun(m['n_documents'], 'document')},"
            f" {m['resolution']} ({m['resolution_score']:.2f})"
            for m in facts["mentions"][:_SHOWN]
        ),
    ]


def _limits(fact: Row) -> str:
    """Return the audience that a fact applies to, and the condition under which the fact is
    valid."""
    audience = f"for a {fact['audience']}" if fact["audience"] else ""
    return ", ".join(filter(None, (audience, fact["condition"])))


def _comparison(row: Row) -> str:
    away = "distance unknown" if row["distance_m"] is None else f"{row['distance_m']:.0f} m"
    return (
        f"  {row['outcome']}: {row['name_a']} | {row['name_b']}, {away}, {row['verdict']} "
        f"{row['score']:.2f}: {row['reason']}"
    )
