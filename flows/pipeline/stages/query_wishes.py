"""Where the rules understood nothing in a user's query, a model reads the wishes.

What the rules read stands. A wish from the model is added if its words occur in a part that the
rules did not understand. Its expression judges plans just as its fields do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from extractors.tasks.query_reading import LONGEST_REQUEST, QueryReading, ReadingRequest, Wish
from flows.models.engines import engine_identity, engine_named, model_of
from flows.pipeline.stages.base import Job
from queries.given.cities import KnownCities
from queries.given.wishes import contradicts, express
from queries.given.wording import is_covered
from schemas.ids import canonical_json
from schemas.tasks import Unanswered

Row = dict[str, Any]


def settings_of(job: Job) -> Mapping[str, Any]:
    """What of the engine the answers depend on; nothing where no model is asked."""
    if model_of(job.inputs.engine) is None:
        return {}
    identity = engine_identity(job.inputs.engine, job.inputs.settings)
    return {"engine": identity, QueryReading.name: QueryReading.version}


def with_wishes(job: Job, row: Row, known: KnownCities) -> bool:
    """Add a model's wishes to a row that was understood partly, in place.

    False where the model gave no usable answer; the rules' reading stands then.
    """
    name = model_of(job.inputs.engine)
    plan = json.loads(row["structure"])
    text = row["text_zh"] or row["text_en"]
    parts = tuple(part for part in row["not_understood"] if part in text)
    if name is None or not parts or "constraints" not in plan:
        return True
    engine = engine_named(name, job.inputs.settings, job.inputs.run_id)
    item = ReadingRequest(text=text[:LONGEST_REQUEST], city=_city(job), parts=parts)
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


def _city(job: Job) -> str:
    assert job.city is not None
    return job.city.name_zh or job.city.name_en


def _fields(wish: Wish) -> Row:
    return {
        "kind": wish.kind,
        "mode": wish.mode,
        "values": list(wish.values),
        "amount": wish.amount,
    }
