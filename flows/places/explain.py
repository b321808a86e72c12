"""``tripbed explain``: why a place is what it is, from a snapshot or from a workspace."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from flows.errors import SettingsError
from flows.places.names import link_lines, links_of, places_called, unlinked_called
from schemas.arrow import frame
from schemas.nouns import counted
from schemas.tables import TABLES
from warehouse.read import Snapshot

#: Comparisons and mentions printed before the rest is only counted.
_SHOWN = 30
Row = dict[str, Any]


class Tables(Protocol):
    """Where a story is read from."""

    @property
    def path(self) -> Path:
        """The folder, for messages."""
        ...

    def table(self, name: str) -> pl.DataFrame:
        """The rows of a table."""
        ...


class WorkspaceTables:
    """The tables of places in a workspace: of each city the shard that was used last."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def table(self, name: str) -> pl.DataFrame:
        """The rows of a table of all cities; empty where no shard has it."""
        stage = {"place_decisions": "places", "documents": "documents"}.get(name, "feedback")
        parts = []
        for city in sorted(self.path.glob(f"shards/{stage}/*")):
            done = sorted(city.glob("*/meta.json"), key=lambda m: (m.parent.stat().st_mtime_ns, m))
            file = done[-1].with_name(f"{name}.parquet") if done else None
            if file is not None and file.is_file():
                parts.append(pl.read_parquet(file))
        if parts:
            return pl.concat(parts)
        return frame(name, []) if name in TABLES else pl.DataFrame()


def held_by(snapshot: Path | None, workspace: Path | None) -> Tables:
    """The tables of a snapshot or of a workspace. Raises SettingsError for none, both, or no such."""
    if (snapshot is None) == (workspace is None):
        raise SettingsError("name one of --snapshot and --workspace")
    if snapshot is not None:
        return Snapshot(snapshot)
    assert workspace is not None
    if not (workspace / "shards" / "feedback").is_dir():
        raise SettingsError(f"{workspace} is no workspace with finished places: build first")
    return WorkspaceTables(workspace)


def explain(asked: str, held: Tables, as_json: bool) -> None:
    """Print a place with the origin of every field, its rows, comparisons, links and mentions.

    ``asked`` is an id or a name; of a name every place that bears it is told, and every document
    in which it is no place, with what was weighed. Raises SettingsError where there is neither.
    """
    is_id = asked.startswith("poi_")
    stories = [story(held, poi_id) for poi_id in ([asked] if is_id else places_called(held, asked))]
    unlinked = [] if is_id else unlinked_called(held, asked)
    if not stories and not unlinked:
        raise SettingsError(
            f"{held.path} has no place and no document with the name {asked!r}: check how it is "
            "written, or take a name from the tables pois and unlinked_names"
        )
    if as_json:
        facts = stories[0] if is_id else {"places": stories, "unlinked": unlinked}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False, default=str) + "\n")
        return
    lines = [line for facts in stories for line in (*_lines(facts), "")]
    if unlinked:
        lines += [f"written so in documents and linked to no place: {len(unlinked)}"]
        lines += link_lines(unlinked)
    sys.stdout.write("\n".join(lines).rstrip() + "\n")


def story(snapshot: Tables, poi_id: str) -> Row:
    """All that a snapshot or workspace says of how a place came about."""
    poi = snapshot.table("pois").filter(pl.col("poi_id") == poi_id)
    if poi.is_empty():
        raise SettingsError(
            f"{snapshot.path} has no place {poi_id}: take an id from its table pois, "
            "or look in the report"
        )
    here = pl.col("poi_id") == poi_id
    evidence = snapshot.table("evidence")
    compared = snapshot.table("place_decisions").filter(here | (pl.col("other_poi_id") == poi_id))
    origins = snapshot.table("poi_origins").filter(here)
    mentions = snapshot.table("poi_mentions").filter(here)
    nested = snapshot.table("poi_hierarchy")
    row = poi.to_dicts()[0]
    return {
        "poi": row,
        "anchor": row["anchor"],
        "origins": [
            {"field": o["poi_field"], **_where(evidence, o["evidence_id"])}
            for o in origins.to_dicts()
        ],
        "aliases": [
            {"alias": a["alias"], "from": a["alias_source"], **_where(evidence, a["evidence_id"])}
            for a in snapshot.table("poi_aliases").filter(here).to_dicts()
        ],
        "part_of": nested.filter(here).select("parent_poi_id", "reason").to_dicts(),
        "contains": nested.filter(pl.col("parent_poi_id") == poi_id)
        .select("poi_id", "reason")
        .to_dicts(),
        "comparisons": compared.sort("outcome", "score", descending=[True, True])
        .select("outcome", "verdict", "score", "name_a", "name_b", "distance_m", "reason",
                "poi_id", "other_poi_id", "evidence_id", "other_evidence_id")
        .to_dicts(),
        "mentions": mentions.group_by("name", "resolution", "resolution_score")
        .agg(n_mentions=pl.len(), n_documents=pl.col("doc_id").n_unique())
        .sort("n_mentions", "name", descending=[True, False])
        .to_dicts(),
        "links": links_of(snapshot, poi_id),
        "geocoders": _asked(snapshot, poi_id),
    }  # fmt: skip


def _asked(held: Tables, poi_id: str) -> list[Row]:
    """What geocoders said of the place; only a workspace keeps it."""
    if isinstance(held, Snapshot):
        return []
    outcomes = held.table("geocode_outcomes")
    return outcomes.filter(pl.col("poi_id") == poi_id).to_dicts() if outcomes.height else []


def _where(evidence: pl.DataFrame, evidence_id: str) -> Row:
    """Where an evidence row stands: a line of a file, or a span of a document."""
    found = evidence.filter(pl.col("evidence_id") == evidence_id).to_dicts()
    row = found[0] if found else {}
    if row.get("evidence_kind") == "table":
        return {"source": f"{row['source_file']}:{row['source_line']}"}
    return {"source": f"{row.get('doc_id')} [{row.get('start')}:{row.get('end')}]"}


def _lines(facts: Row) -> list[str]:
    poi = facts["poi"]
    where = f"{poi['lat']:.5f}, {poi['lon']:.5f}" if poi["lat"] is not None else "no coordinates"
    names = " / ".join(n for n in (poi["name_zh"], poi["name_en"]) if n)
    lines = [
        f"{poi['poi_id']}  {names}  ({poi['category'] or 'category unknown'}; {where}; "
        f"{poi['datum_original'] or 'no system'} of {poi['coordinate_provider'] or 'no provider'})",
        f"id made from: {facts['anchor']}",
    ]
    lines += [f"  {o['field']}: {o['source']}" for o in facts["origins"]]
    lines += [f"  also {a['alias']} ({a['from']}, {a['source']})" for a in facts["aliases"]]
    lines += [f"  part of {p['parent_poi_id']}: {p['reason']}" for p in facts["part_of"]]
    lines += [f"  contains {p['poi_id']}: {p['reason']}" for p in facts["contains"]]
    lines += [f"  {g['provider']}: {g['outcome']} {g['message']}" for g in facts["geocoders"]]
    lines.append(f"{len(facts['comparisons'])} comparisons:")
    lines += [_comparison(c) for c in facts["comparisons"][:_SHOWN]]
    lines.append(f"{counted(len(facts['links']), 'name')} linked to it:")
    lines += link_lines(facts["links"])
    lines.append(f"{counted(sum(m['n_mentions'] for m in facts['mentions']), 'mention')}:")
    lines += [
        f"  {m['name']}: {m['n_mentions']} in {counted(m['n_documents'], 'document')}, {m['resolution']} "
        f"({m['resolution_score']:.2f})"
        for m in facts["mentions"][:_SHOWN]
    ]
    return lines


def _comparison(row: Row) -> str:
    away = "distance unknown" if row["distance_m"] is None else f"{row['distance_m']:.0f} m"
    return (
        f"  {row['outcome']}: {row['name_a']} | {row['name_b']}, {away}, {row['verdict']} "
        f"{row['score']:.2f}: {row['reason']}"
    )
