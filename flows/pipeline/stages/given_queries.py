"""Turns the user's own queries into rows for a city, and assigns similar queries to the same split.

A planned query that asks for the same thing as a user's query is dropped. If the rules understood
only part of a query, a model reads the query's wishes. The constraints that the rules read are
kept. A wish from the model is added if its words occur in a part that the rules did not understand.
Each wish is added as an expression that can be checked against a plan.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from extractors.tasks.query_reading import LONGEST_REQUEST, QueryReading, ReadingRequest, Wish
from flows.models.engines import engine_identity
from flows.pipeline.stages.base import Job, Row, quarantine_row
from queries.audit.cities import cities_named
from queries.audit.repeats import normalise_text
from queries.audit.rows import audit_rows
from queries.given.cities import KnownCities
from queries.given.forms import QueryEntry, RefusedEntry, as_json
from queries.given.understand import Understood, understand
from queries.given.wishes import contradicts, express
from queries.given.wording import is_covered
from queries.grounding import Destination, Offer
from queries.requests import mask
from queries.settings import QuerySettings, SplitSettings
from schemas.cities import City, find_city
from schemas.ids import canonical_json, digest
from schemas.rows import QuarantineRow
from schemas.tasks import Unanswered
from schemas.taxonomy import FAMILIES


def settings_of(job: Job) -> Mapping[str, Any]:
    """Return the engine settings that the answers depend on, or no settings if the build uses no
    model.
    """
    if not job.services:
        return {}
    identity = engine_identity(job.inputs.engine, job.inputs.settings)
    return {"engine": identity, QueryReading.name: QueryReading.version}


def with_wishes(job: Job, row: Row, known: KnownCities) -> bool:
    """If the rules understood a row only in part, add the wishes that a model finds in it, in
    place.

    Returns False if the model gave no usable answer; the row then keeps only the constraints from
    the rules.
    """
    engine = job.model
    plan = json.loads(row["structure"])
    text = row["text_zh"] or row["text_en"]
    parts = tuple(part for part in row["not_understood"] if part in text)
    if engine is None or not parts or "constraints" not in plan:
        return True
    city = job.own_city.name_zh or job.own_city.name_en
    item = ReadingRequest(text=text[:LONGEST_REQUEST], city=city, parts=parts)
    try:
        found = engine.run(QueryReading(), item).output.wishes
    except Unanswered:
        return False
    added = [(wish, constraint) for wish in found if (constraint := express(_fields(wish)))]
    together = [*plan["constraints"], *(constraint for _, constraint in added)]
    if not added or contradicts(together):
        return True
    plan["constraints"] = list({c["expression"]: c for c in together}.values())
    if row["family"] == "chinatravel":
        plan["tag"] = row["constraint_code"] = "easy" if len(plan["constraints"]) <= 1 else "medium"
    quotes = [wish.quote for wish, _ in added]
    row["not_understood"] = [
        part for part in row["not_understood"] if not is_covered(part, quotes, known.names)
    ]
    row["understanding"] = "partly" if row["not_understood"] else "whole"
    row["structure"] = canonical_json(plan)
    return True


def _fields(wish: Wish) -> Row:
    return {
        "kind": wish.kind,
        "mode": wish.mode,
        "values": list(wish.values),
        "amount": wish.amount,
    }


#: Tables with names of places that a text may contain: the kind of constraint, and the least number
#: of letters in a name.
_NAMED = (
    ("attractions", "attraction_name", 3),
    ("restaurants", "restaurant_name", 4),
    ("hotels", "hotel_name", 4),
)
_UNANSWERED = (
    "the model gave no usable answer for what was not understood: the next build asks again"
)
#: Statuses that one of our own queries may have at first.
_FRESH = {"tprag": "pending_documents"}


@dataclass
class CityEntries:
    """The rows from a city's entries, the outcome of each entry, and the entries set aside."""

    rows: list[Row] = field(default_factory=list)
    told: list[Row] = field(default_factory=list)
    unanswered: list[Row] = field(default_factory=list)
    aside: list[QuarantineRow] = field(default_factory=list)


def list_entries(job: Job) -> tuple[QueryEntry, ...]:
    """Return the entries that are given to a job."""
    return tuple(job.extra.get("given", ()))


def entries_digest(job: Job) -> Mapping[str, str]:
    """Return a hash of the entries that a shard depends on, or nothing if there are none."""
    entries = list_entries(job)
    if not entries:
        return {}
    told = [(e.row_id, e.form, e.text_zh, e.text_en, e.text, as_json(e.fields)) for e in entries]
    cities = sorted(city.slug for city in job.inputs.cities)
    asked = {**settings_of(job), "entries": told, "cities": cities}
    return {"given": digest(as_json(asked))}


def make_rows(
    job: Job, city: City, offer: Offer, tables: Mapping[str, pl.DataFrame]
) -> CityEntries:
    """Turn the entries that are given to a city's job into rows."""
    settings = job.inputs.profile.queries
    known = KnownCities(job.inputs.cities)
    place = Destination(city, offer, grounded=tables["attractions"].height > 0)
    names, year = names_of_places(tables), settings.year or settings.traveleval.first_year
    found, seen = CityEntries(), set[str]()
    for entry in list_entries(job):
        try:
            if entry.form == "tripbed":
                made = Understood(_ours(entry, place))
            else:
                made = understand(entry, place, known, names, year)
            _once(made.row, seen)
            answered = with_wishes(job, made.row, known)
        except RefusedEntry as error:
            _set_aside(found, city, entry, error.check, str(error))
            continue
        found.rows.append(made.row)
        told = _tell_entry(entry, made.row["query_id"], made, () if answered else (_UNANSWERED,))
        found.told.append(told)
        found.unanswered += [] if answered else [told]
    _set_splits(found.rows, settings.splits)
    return found


def _once(row: Row, seen: set[str]) -> None:
    """Store the texts and the id of a row.

    Raises RefusedEntry if an earlier row has the same id or text.
    """
    keys = {row["query_id"], *(normalise_text(t) for t in (row["text_zh"], row["text_en"]) if t)}
    if keys & seen:
        raise RefusedEntry("duplicate", "says the same as a row before it")
    seen |= keys


def _set_aside(found: CityEntries, city: City, entry: QueryEntry, check: str, message: str) -> None:
    text, _ = mask(entry.text_zh or entry.text_en or entry.text or "")
    payload = {"text": text, "form": entry.form}
    found.aside.append(
        quarantine_row(city, "queries", "queries", entry.row_id, check, message, payload)
    )
    found.told.append({**_tell_entry(entry, None), "reason": check, "why": message})


def _tell_entry(
    entry: QueryEntry,
    query_id: str | None,
    made: Understood | None = None,
    more: Sequence[str] = (),
) -> Row:
    unread = [f"not read: {', '.join(entry.unread)}"] if entry.unread else []
    return {
        "given_file": entry.file,
        "given_line": entry.line,
        "form": entry.form,
        "query_id": query_id,
        "reason": None,
        "why": "; ".join([*(made.remarks if made else ()), *unread, *more]) or None,
        "masked": made.masked if made else 0,
    }


def names_of_places(tables: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Map each name of a place that a text may contain to the kind of constraint that the name
    expresses.

    A name is left out if it could belong to two kinds of constraint.
    """
    found: dict[str, str] = {}
    twice: set[str] = set()
    for table, kind, least in _NAMED:
        for column, shortest in (("name_zh", least), ("name_en", 3 * least)):
            for name in tables[table][column].drop_nulls().unique().sort().to_list():
                if len(name) >= shortest and found.setdefault(name, kind) != kind:
                    twice.add(name)
    return {name: kind for name, kind in found.items() if name not in twice}


def _ours(entry: QueryEntry, place: Destination) -> Row:
    """Return the row for a query in tripbed's own format, with the status that it has in this
    build.

    Raises RefusedEntry if a field of the entry is wrong.
    """
    fields = dict(entry.fields)
    structure = fields["structure"]
    try:
        plan = json.loads(structure) if isinstance(structure, str) else dict(structure)
    except (ValueError, TypeError):
        raise RefusedEntry("fields", "its structure is not a JSON object") from None
    family = fields["family"]
    if family not in FAMILIES:
        raise RefusedEntry("fields", f"its family is not one of {', '.join(FAMILIES)}: {family}")
    status = _FRESH.get(family, "kept" if place.grounded else "ungrounded")
    if fields.get("status") == "infeasible":
        status = "infeasible"
    reasons = {"ungrounded": "no table is given for the city", "infeasible": fields.get("reason")}
    columns = (
        "query_id",
        "city_id",
        "constraint_kind",
        "constraint_code",
        "n_days",
        "stratum",
        "split",
    )
    return {
        **{name: fields.get(name) for name in columns}, "family": family, "status": status,
        "structure": json.dumps(plan, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        "text_zh": entry.text_zh, "text_en": entry.text_en, "reason": reasons.get(status),
        "n_trajectories": 0, "n_candidates": 0, "given_file": entry.file, "given_line": entry.line,
        "understanding": fields.get("understanding") or "whole",
        "not_understood": fields.get("not_understood") or [],
    }  # fmt: skip


def _set_splits(rows: Sequence[Row], settings: SplitSettings) -> None:
    """Set splits by a hash that similar rows share; rows that already have a split keep it."""
    for row in rows:
        if row.get("family") == "tprag" or row["stratum"].split("/")[0] != "given":
            row["split"] = row.get("split") or "train"
            continue
        plan = json.loads(row["structure"])
        unit = [plan[k] for k in ("start_city", "target_city") if k in plan] or sorted(
            plan["destinations"]
        )
        share = int(digest("given", *unit, length=12), 16) / 16**12
        row["split"] = settings.split_at(share)


def join_queries(planned: pl.DataFrame, given: Sequence[Row]) -> tuple[pl.DataFrame, int]:
    """Return the planned rows that do not repeat a given row, and the number of rows dropped."""
    ids = {row["query_id"] for row in given}
    texts = {normalise_text(row[c]) for row in given for c in ("text_zh", "text_en") if row[c]}
    repeats = [
        row["query_id"] in ids
        or any(row[c] and normalise_text(row[c]) in texts for c in ("text_zh", "text_en"))
        for row in planned.select("query_id", "text_zh", "text_en").to_dicts()
    ]
    left = planned.filter(~pl.Series(repeats, dtype=pl.Boolean)) if repeats else planned
    return left, sum(repeats)


def broken_ours(rows: Sequence[Row], settings: QuerySettings) -> dict[str, list[str]]:
    """Return the rules that each query breaks, by query id; each family has its own rules."""
    found: dict[str, list[str]] = {}
    ours = [row for row in rows if not str(row["stratum"]).startswith("given/")]
    for family in sorted({row["family"] for row in ours}):
        part = [row for row in ours if row["family"] == family]
        plans = [json.loads(row["structure"]) for row in part]
        named = {p[k] for p in plans for k in ("start_city", "target_city") if k in p}
        named |= {name for p in plans for name in p.get("destinations", ())}
        cities = {c.city_id: c for c in cities_named(named)}
        cities |= {row["city_id"]: find_city(row["city_id"]) for row in part}
        broken = audit_rows(
            family, part, list(cities.values()), sizes=settings.chinatravel.medium_constraints
        )
        for rule, ids in broken.items():
            for query_id in ids:
                found.setdefault(query_id, []).append(rule)
    return found
