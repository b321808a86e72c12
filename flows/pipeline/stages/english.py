"""Asks the build's model for English names of places that no source and no document gives.

This is part of the feedback stage. The rules cannot find such names: pinyin shows how a name
sounds, not what the place is called in English.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from extractors.tasks import Translation
from extractors.translate import EnglishNames, translate_names
from flows.models.engines import engine_identity, engine_named, model_of
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job
from geocoding.places import TablePlaces
from geocoding.surface_forms import with_translations
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City


def settings_of(job: Job) -> dict[str, Any]:
    """Return the settings on which translations depend, or none if no model is asked."""
    engine = model_of(job.inputs.engine)
    if engine is None:
        return {}
    return {"translation": [engine_identity(engine, job.inputs.settings), Translation.version]}


def services(job: Job) -> tuple[str, ...]:
    """Return the name of the service that is asked."""
    return ("llm",) if model_of(job.inputs.engine) else ()


def name_in_english(job: Job, places: TablePlaces) -> tuple[TablePlaces, Frames]:
    """Add the English names that the model knows; report names without one or without an answer."""
    assert job.city is not None
    engine = model_of(job.inputs.engine)
    if engine is None:
        return places, _tell_names(job.city, EnglishNames())
    wanted = places.pois.filter(pl.col("name_en").is_null() & pl.col("name_zh").is_not_null())
    found = translate_names(
        engine_named(engine, job.inputs.settings, job.inputs.run_id),
        job.city.name_en,
        wanted["name_zh"],
    )
    known = {name: english for name, english in found.known.items() if english}
    return with_translations(places, known), _tell_names(job.city, found)


def _tell_names(city: City, found: EnglishNames) -> Frames:
    """Report unanswered names as pending, and both kinds of names that stay Chinese as findings."""
    unknown = sum(english is None for english in found.known.values())
    findings = [
        {
            "city_id": city.city_id,
            "table": "pois",
            "finding": finding,
            "n_rows": n,
            "message": message,
        }
        for finding, n, message in (
            (
                "name_en_unknown",
                unknown,
                "Chinese names whose English form the model does not know",
            ),
            (
                "name_en_unanswered",
                len(found.unanswered),
                "Chinese names for which the model gave no usable answer; asked again",
            ),
        )
        if n
    ]
    schema = polars_schema_of(inner.UNTRANSLATED)
    unanswered = pl.DataFrame(sorted(found.unanswered.items()), schema=schema, orient="row")
    return {"untranslated": unanswered, "findings": frame("findings", findings)}
