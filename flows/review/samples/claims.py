"""Turn the rows in a table into claims. A claim consists of the parts of a sentence and the
evidence for this sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from flows.errors import SettingsError
from schemas.ranking import LIKED_ROLES
from schemas.review import row_id
from warehouse.read import Snapshot

Row = dict[str, Any]
#: The columns of each table that a sentence about a row uses.
PARTS: dict[str, tuple[str, ...]] = {
    "poi_mentions": ("poi_id", "role", "day"),
    "poi_facts": ("poi_id", "fact_field", "value", "valid_when", "currency"),
    "conditional_facts": (
        "poi_id",
        "fact_field",
        "value",
        "valid_when",
        "currency",
        "audience",
        "condition",
    ),
    "poi_tags": ("poi_id", "tag", "context_id"),
    "pois": ("poi_id",),
    "poi_aliases": ("poi_id", "alias"),
}
#: Columns that a sentence leaves out.
_SILENT = ("city_id", "evidence_id", "source_date")


@dataclass(frozen=True)
class Claim:
    """A statement that a snapshot makes.

    ``said`` contains the parts of the claim's sentence by name. Claims with the same city and
    ``group`` are of the same kind, so a part of one claim fits into the sentence of another claim.
    ``evidence`` contains the ids of the rows in the table `evidence` that the claim is based on.
    """

    table: str
    row_id: str
    city_id: str
    group: str
    said: Mapping[str, Any]
    evidence: tuple[str, ...]

    def but(self, part: str, value: Any) -> Claim:
        """Return the same claim with a different value for one part."""
        return replace(self, said={**self.said, part: value})


def read_claims(snapshot: Snapshot, table: str) -> list[Claim]:
    """Return the claims of a table that are based on documents, sorted by their ids.

    Claims of `poi_hierarchy` and `poi_aliases` may also be based on rows from a source. Raises
    SettingsError if the table has no claims.
    """
    known = [name for name in snapshot.tables() if "evidence_id" in snapshot.schema(name).names]
    known = sorted({*known, *_READERS} - {"evidence"})
    if table not in known:
        raise SettingsError(
            f"no sample can be drawn from {table!r}: choose one of {', '.join(known)}"
        )
    found = sorted(_READERS.get(table, _any_rows)(snapshot, table), key=lambda c: c.row_id)
    if not found:
        raise SettingsError(
            f"{snapshot.path.name} has no rows in {table} that are based on documents"
        )
    return found


def _rows(snapshot: Snapshot, table: str) -> Iterable[Row]:
    """Return the rows in a table whose evidence is a span in a document."""
    spans = snapshot.table("evidence").filter(evidence_kind="document").select("evidence_id")
    return snapshot.table(table).join(spans, on="evidence_id", how="semi").to_dicts()


def claim_of(table: str, row: Row, group: str = "") -> Claim:
    """Return the claim that a row makes, provided that its table is in ``PARTS``."""
    return _claim(table, row, PARTS[table], group)


def _claim(table: str, row: Row, parts: tuple[str, ...], group: str = "") -> Claim:
    said = {part: row[part] for part in parts}
    return Claim(table, row_id(table, row), row["city_id"], group, said, (row["evidence_id"],))


def _mentions(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    """For mentions that are linked to a place, return their claims."""
    return [
        claim_of(table, row, row["doc_id"])
        for row in _rows(snapshot, table) if row["poi_id"] is not None
    ]  # fmt: skip


def _facts(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    return [claim_of(table, row, row["fact_field"]) for row in _rows(snapshot, table)]


def _tags(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    return [
        claim_of(table, row, row["context_id"].partition(":")[0]) for row in _rows(snapshot, table)
    ]


#: The values of a tag in context, each with the column of its evidence.
_TAGGED = {
    "description": "description_evidence_id", "hours_osm": "hours_evidence_id",
    "arrive": "arrive_evidence_id", "duration_min_min": "duration_evidence_id",
    "duration_max_min": "duration_evidence_id",
}  # fmt: skip


def _context_tags(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    """Yield the claims about tags in a context, with only those values that come from documents."""
    spans = set(snapshot.table("evidence").filter(evidence_kind="document")["evidence_id"])
    for row in snapshot.table(table).to_dicts():
        told = {part: row[part] for part, proof in _TAGGED.items() if row[proof] in spans}
        proofs = [row[_TAGGED[part]] for part in told] + [row["context_evidence_id"]]
        evidence = tuple(dict.fromkeys(proof for proof in proofs if proof))
        said = {"poi_id": row["poi_id"], "context_id": row["context_id"], **told}
        group = row["context_id"].partition(":")[0]
        if told:
            yield Claim(table, row_id(table, row), row["city_id"], group, said, evidence)


def _places(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    return [
        claim_of(table, row) for row in _rows(snapshot, table)
        if row["superseded_by"] is None
    ]  # fmt: skip


def _aliases(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    return [claim_of(table, row, row["lang"]) for row in snapshot.table(table).to_dicts()]


def _parts(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    """Yield the claims about parts of places. The evidence is the first mention of the part."""
    named = snapshot.table("poi_mentions").drop_nulls("poi_id").sort("doc_id", "start")
    first = named.unique("poi_id", keep="first", maintain_order=True)
    shown = dict(first.select("poi_id", "evidence_id").iter_rows())
    for row in snapshot.table(table).to_dicts():
        said = {"poi_id": row["poi_id"], "parent_poi_id": row["parent_poi_id"]}
        evidence = tuple(shown[poi] for poi in (row["poi_id"],) if poi in shown)
        yield Claim(table, row_id(table, row), row["city_id"], "", said, evidence)


def _popular(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    """Yield the claims about popular places.

    The evidence is the first mention in each document in which the place is visited, recommended or
    ranked.
    """
    originals = snapshot.table("documents").filter(pl.col("near_duplicate_of").is_null())
    liked = (
        snapshot.table("poi_mentions")
        .filter(
            pl.col("poi_id").is_not_null()
            & (pl.col("role").is_in(LIKED_ROLES) | (pl.col("list_rank") > 0))
        )
        .join(originals.select("city_id", "doc_id"), on=["city_id", "doc_id"], how="semi")
        .sort("doc_id", "start")
        .unique(["city_id", "doc_id", "poi_id"], keep="first", maintain_order=True)
        .group_by("city_id", "poi_id", maintain_order=True)
        .agg("evidence_id")
    )
    for row in snapshot.table(table).join(liked, on=["city_id", "poi_id"]).to_dicts():
        said = {"poi_id": row["poi_id"], "context_id": row["context_id"]}
        evidence = tuple(row["evidence_id"])
        yield Claim(table, row_id(table, row), row["city_id"], row["context_id"], said, evidence)


def _stops(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    """Yield a claim for each stop of a clean trajectory. The evidence is the same as for the stop
    in the noisy trajectory."""
    for row in snapshot.table(table).to_dicts():
        words = {(v["day"], v["order"]): v["evidence_id"] for v in row["noisy_visits"]}
        for edit in (edit for edit in row["edits"] if edit["op"] == "replace"):
            where = (edit["day"], edit["order"])
            of_row = "/".join(map(str, (row_id(table, row), *where)))
            said = {"poi_id": edit["poi_id"], "day": edit["day"]}
            yield Claim(table, of_row, row["city_id"], row["trajectory_id"], said, (words[where],))


def _any_rows(snapshot: Snapshot, table: str) -> Iterable[Claim]:
    """Return claims with all columns, for a table that has no sentences of its own."""
    names = snapshot.schema(table).names
    parts = tuple(n for n in names if n not in _SILENT and not n.endswith("_hash"))
    return [_claim(table, row, parts) for row in _rows(snapshot, table)]


_READERS: dict[str, Callable[[Snapshot, str], Iterable[Claim]]] = {
    "poi_mentions": _mentions,
    "poi_facts": _facts,
    "conditional_facts": _facts,
    "poi_tags": _tags,
    "context_tags": _context_tags,
    "poi_popularity": _popular,
    "poi_hierarchy": _parts,
    "poi_aliases": _aliases,
    "pois": _places,
    "trajectories": _stops,
}
