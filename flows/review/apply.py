"""Apply reviewers' decisions: a rejected row is set aside for as long as it does not change.

A decision contains a hash of the row's content. If no other table depends on a table, its rejected
rows are set aside when the next snapshot is published. The stage ``feedback`` of the next build
removes rejected places and mentions. Rejected places and mentions therefore do not affect routes,
candidates or counts. A rejected link is replaced when the names in the document are linked again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from pydantic import SecretStr

from flows.review.forms import ELSEWHERE, Row, date_decisions, reason_of
from flows.review.store import list_decisions
from geocoding.linking.told import Link, Linked
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of, sort_by_key
from schemas.ids import canonical_json, quarantine_id
from schemas.review import fact_hash, row_id

Frames = dict[str, pl.DataFrame]
#: A table, a row, and the reason why the row is set aside.
Gone = tuple[str, Row, str]

CHECK = "review"
#: The maximum number of characters of a row that ``quarantine`` contains.
PAYLOAD_CHARACTERS = 2000
REVIEWED = polars_schema_of(inner.REVIEWED)
#: Tables on which no other table depends, so that a rejected row can be set aside at once.
APPLIED = ("poi_aliases", "poi_facts", "conditional_facts", "poi_hierarchy", "poi_tags")
#: Tables from which the values of a rejected row are removed.
FOLLOWING = ("context_tags",)
#: The columns of a tag in context that come from a fact, by the column of their evidence.
_OF_FACTS = {
    "hours_evidence_id": ("hours_osm", "hours_weekly"),
    "arrive_evidence_id": ("arrive",),
    "duration_evidence_id": ("duration_min_min", "duration_max_min"),
}
#: Tables whose rejected rows are removed in the stage ``feedback``.
LEFT_OUT = ("pois", "poi_mentions")
#: Tables whose rejected rows are replaced in the stage ``link``.
LINKED = ("links", "unlinked_names")


@dataclass(frozen=True)
class Rejection:
    """A row that reviewers rejected, with the hash of its content and the reason.

    ``instead`` is the id of the place that the row should name, or ``elsewhere``, or empty.
    """

    city_id: str
    table: str
    row_id: str
    fact_hash: str
    reason: str
    instead: str = ""


def rejections(decisions: Iterable[Row]) -> dict[tuple[str, str], str]:
    """Return the reasons why reviewers rejected rows, by table and row id.

    A row is rejected if its reviewers chose to reject it more often than any other decision.
    """
    by_row: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in decisions:
        by_row[row["table"], row["row_id"], row["fact_hash"]].append(row)
    found = {}
    for (table, where, _), given in by_row.items():
        votes = Counter(row["decision"] for row in given)
        if all(votes["reject"] > n for decision, n in votes.items() if decision != "reject"):
            said = {reason_of(row) for row in given if row["decision"] == "reject"}
            found[table, where] = "; ".join(sorted(said - {""}))
    return found


def list_rejected(store: Path, address: SecretStr | None) -> tuple[Rejection, ...]:
    """List the places, mentions and links that reviewers rejected.

    The parameters are the same as for ``flows.review.store.list_decisions``.
    """
    asked = (*LEFT_OUT, *LINKED)
    decisions = [row for row in list_decisions(store, address) if row["table"] in asked]
    made = []
    for city_id, mark in sorted({(row["city_id"], row["fact_hash"]) for row in decisions}):
        same = [r for r in decisions if (r["city_id"], r["fact_hash"]) == (city_id, mark)]
        for (table, where), reason in sorted(rejections(same).items()):
            instead = find_replacement(
                r for r in same if (r["table"], r["row_id"]) == (table, where)
            )
            made.append(Rejection(city_id, table, where, mark, reason, instead))
    return tuple(made)


def find_replacement(decisions: Iterable[Row]) -> str:
    """Return the replacement that reviewers gave most often for a rejected row, or an empty string
    if there is a tie or no replacement.
    """
    ranked = Counter(row["instead"] for row in decisions if row.get("instead")).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return ""
    return str(ranked[0][0])


def apply(frames: Frames, decisions: list[Row], city_id: str) -> Frames:
    """Apply the decisions to a city's tables, but ignore decisions on rows that have changed or are
    gone.

    Rejected rows of the tables in ``APPLIED`` are moved to ``quarantine``, together with the rows
    that depend only on rejected rows. The counts of the stage control are adjusted.
    """
    mine = [row for row in decisions if row["city_id"] == city_id]
    if not mine:
        return frames
    hashes = {
        (table, row_id(table, row)): fact_hash(row)
        for table in sorted({row["table"] for row in mine} & frames.keys())
        for row in frames[table].to_dicts()
    }
    hashes |= {
        (table, where): mark
        for table, where, mark in frames.get("reviewed", pl.DataFrame(schema=REVIEWED)).iter_rows()
    }
    holding = [r for r in mine if hashes.get((r["table"], r["row_id"])) == r["fact_hash"]]
    reasons = rejections(holding)
    made, gone = dict(frames), []
    for table in APPLIED:
        rows = frames[table].to_dicts()
        why = [reasons.get((table, row_id(table, row))) for row in rows]
        made[table] = frames[table].filter(pl.Series([w is None for w in why], dtype=pl.Boolean))
        gone += [
            (table, r, explain_rejection(w))
            for r, w in zip(rows, why, strict=True)
            if w is not None
        ]
    if facts := [row for table, row, _ in gone if table == "poi_facts"]:
        made["context_tags"], empty = _without_facts(frames["context_tags"], facts)
        gone += [("context_tags", row, "its facts were rejected by reviewers") for row in empty]
    made["review_decisions"] = sort_by_key(
        "review_decisions", frame("review_decisions", date_decisions(holding))
    )
    return _account(frames, made, gone, city_id)


def _without_facts(tags: pl.DataFrame, facts: list[Row]) -> tuple[pl.DataFrame, list[Row]]:
    """Remove from the rows of ``context_tags`` all values that come from the given facts.

    Returns the rows that still have a value, and the rows that have none left.
    """
    gone = {(row["poi_id"], row["evidence_id"]) for row in facts}
    kept: list[Row] = []
    empty: list[Row] = []
    for row in tags.to_dicts():
        left = dict(row)
        for proof, columns in _OF_FACTS.items():
            if (row["poi_id"], row[proof]) in gone:
                left |= dict.fromkeys((proof, *columns))
        has_value = any(left[proof] for proof in (*_OF_FACTS, "description_evidence_id"))
        (kept if has_value else empty).append(left if has_value else row)
    return frame("context_tags", kept), empty


def _account(before: Frames, made: Frames, gone: list[Gone], city_id: str) -> Frames:
    """Add the rows that were set aside to quarantine and to the counts of the stage control."""
    if not gone:
        return made
    set_aside = [set_aside_row(city_id, *each) for each in gone]
    parts = [made["quarantine"], frame("quarantine", set_aside)]
    made["quarantine"] = sort_by_key("quarantine", pl.concat(parts))
    number = {table: sum(t == table for t, _, _ in gone) for table in (*APPLIED, *FOLLOWING)}
    lost = pl.when(pl.col("stage") == "control").then(
        pl.col("table").replace_strict(number, default=0, return_dtype=pl.Int64)
    ).otherwise(0)  # fmt: skip
    made["stage_counts"] = made["stage_counts"].with_columns(
        rows_kept=pl.col("rows_kept") - lost, rows_quarantined=pl.col("rows_quarantined") + lost
    )
    for table in number.keys() & before.keys():
        if before[table].height != made[table].height + number[table]:
            raise RuntimeError(f"rows of {table} were lost while the decisions were applied")
    return made


def explain_rejection(reason: str) -> str:
    """Return the message for a row that reviewers rejected."""
    return f"rejected by reviewers: {reason}" if reason else "rejected by reviewers"


def set_aside_row(city_id: str, table: str, row: Row, message: str) -> Row:
    """Return the row of ``quarantine`` for a row that was set aside by a review."""
    where, payload = row_id(table, row), canonical_json(row)[:PAYLOAD_CHARACTERS]
    return {
        "quarantine_id": quarantine_id(city_id, "control", table, where, CHECK, message, payload),
        "city_id": city_id, "stage": "control", "table": table, "row_id": where, "check": CHECK,
        "message": message, "payload": payload,
    }  # fmt: skip


#: The fullest form and the role of each name in a document, by the number of the name.
Names = Mapping[int, tuple[str, str]]
#: A function that returns the city of a place, or None if no table contains the place.
CityOf = Callable[[str], str | None]
#: The score of a link that reviewers made, out of 100.
_SURE = 100


def group_rejections(
    rejections: Iterable[Rejection], doc_ids: Iterable[str]
) -> dict[str, list[Rejection]]:
    """Return the rejected links in the given documents, grouped by document id."""
    wanted = set(doc_ids)
    found: dict[str, list[Rejection]] = defaultdict(list)
    for one in rejections:
        if one.table in LINKED and _document(one) in wanted:
            found[_document(one)].append(one)
    return dict(found)


def _document(rejection: Rejection) -> str:
    return rejection.row_id.split("/")[1]


def with_reviews(
    linked: Linked, names: Names, rejections: Iterable[Rejection], city_of: CityOf
) -> Linked:
    """Return a document's links after applying the reviewers' decisions."""
    links = dict(linked.links)
    for one in rejections:
        n = int(one.row_id.split("/")[2])
        if (
            n in links
            and n in names
            and fact_hash(_claimed_row(one, n, links[n], names)) == one.fact_hash
        ):
            links[n] = _apply_rejection(links[n], one, city_of)
    return replace(linked, links=links)


def _claimed_row(rejection: Rejection, n: int, link: Link, names: Names) -> dict[str, object]:
    """Return the current version of a rejected row of ``links`` or ``unlinked_names``."""
    name, role = names[n]
    row: dict[str, object] = {
        "city_id": rejection.city_id, "doc_id": _document(rejection), "name_number": n,
        "name": name, "rivals": list(link.rivals),
    }  # fmt: skip
    if rejection.table == "links":
        return {**row, "poi_id": link.poi_id, "resolution": "linked"}
    return {**row, "role": role, "unlinked_as": "review", "named_city_id": None}


def _apply_rejection(link: Link, rejection: Rejection, city_of: CityOf) -> Link:
    why = explain_rejection(rejection.reason)
    if rejection.instead == ELSEWHERE:
        return Link("unknown", None, why=why)
    if city := city_of(rejection.instead):
        return Link("linked", city, rejection.instead, _SURE, why=f"as reviewed, {why}")
    if rejection.table == "links":
        return Link("city", link.city_id, why=why)
    if link.city_id is None or len(link.rivals) != 1:
        return link
    return Link("linked", link.city_id, link.rivals[0], _SURE, why=f"as unlinked, {why}")
