"""Asks external services for the coordinates and English names of places in the stage ``feedback``.

The coordinates of new places come from the profile's ``geocoding.providers``. The answers are kept
in a separate file (``Settings.geocodes``), so a rebuild does not repeat answered requests. If a
service was down or a quota was used up, the file of answers records the failure, and the next build
runs the shard again.

If neither a source nor a document gives a place's English name, the build's model supplies the
name. The rules cannot find English names, because pinyin shows how a name sounds, not what the
place is called in English.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from extractors.tasks import Translation
from extractors.translate import EnglishNames, translate_names
from flows.pipeline.geocoders import check_datum, make_geocoder
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, stage_count
from flows.review.tasks import SEVERAL_ANSWERS
from geocoding.geocoders.cache import AnswerCache
from geocoding.locate import OUTCOMES, locate
from geocoding.places import TablePlaces
from geocoding.surface_forms import with_translations
from schemas import frames as inner
from schemas.arrow import frame, polars_schema_of
from schemas.cities import City

#: The text of the finding for each kind of outcome.
_FINDINGS = {
    "found": "places without coordinates for which a geocoder knows one place",
    "ambiguous": "places without coordinates for which several places were found; for review",
    "nothing": "places without coordinates that no geocoder knows",
    "pending": "places without coordinates about which a geocoder could not be asked; asked again",
}


def list_providers(job: Job) -> tuple[str, ...]:
    """Return the geocoders that a shard uses.

    The gazetteer is used only if the profile names a file.
    """
    settings = job.inputs.profile.geocoding
    files = bool(settings.gazetteers)
    return tuple(name for name in settings.providers if name != "gazetteer" or files)


def services(job: Job) -> tuple[str, ...]:
    """Return the geocoders that are external services."""
    return tuple(name for name in list_providers(job) if name != "gazetteer")


def settings_of(job: Job) -> dict[str, Any]:
    """Return the settings that coordinates and English names depend on, if services are used."""
    asked = list_providers(job)
    geocoders = {"geocoders": [*asked, job.inputs.profile.geocoding.datum]} if asked else {}
    return {**geocoders, **job.model_settings("translation", Translation.version)}


def ingredients_of(job: Job) -> dict[str, str]:
    """Return the hashes of the gazetteers, and how often services gave no answer."""
    found = {
        f"gazetteer {position}": hashlib.sha256(Path(file).read_bytes()).hexdigest()
        for position, file in enumerate(job.inputs.profile.geocoding.gazetteers)
        if "gazetteer" in list_providers(job)
    }
    if services(job) and job.city is not None:
        with closing(AnswerCache(Path(job.inputs.settings.geocodes))) as cache:
            found["geocoders in want"] = str(cache.times_wanting(job.city.city_id))
    return found


def locate_places(job: Job, places: TablePlaces) -> tuple[TablePlaces, Frames]:
    """Add the coordinates that geocoders found; return frames that count all questions."""
    asked = list_providers(job)
    if not asked:
        return places, {
            "geocode_outcomes": pl.DataFrame(schema=OUTCOMES),
            "findings": frame("findings", []),
            "stage_counts": frame("stage_counts", []),
        }
    settings = job.inputs.profile.geocoding
    files = [Path(file) for file in settings.gazetteers]
    geocoders = [
        make_geocoder(name, files, check_datum(settings.datum), job.inputs.settings)
        for name in asked
    ]
    with closing(AnswerCache(Path(job.inputs.settings.geocodes))) as cache:
        places, outcomes = locate(places, job.own_city, geocoders, cache)
        if (outcomes["outcome"] == "pending").any():
            cache.note_wanting(job.own_city.city_id)
    return places, _accounts(job.own_city, outcomes)


def _accounts(city: City, outcomes: pl.DataFrame) -> Frames:
    n = {name: outcomes.filter(outcome=name).height for name in _FINDINGS}
    counted = stage_count(
        city, "geocode", "pois", rows_in=outcomes.height, pending=n["pending"],
        kept=n["found"] + n["ambiguous"] + n["nothing"],
    )  # fmt: skip
    findings = [
        {
            "city_id": city.city_id, "table": "pois", "finding": f"geocoder_{name}",
            "n_rows": n[name], "message": message,
        }
        for name, message in sorted(_FINDINGS.items())
    ]  # fmt: skip
    waiting = [_several(city, row) for row in outcomes.filter(outcome="ambiguous").to_dicts()]
    return {
        "geocode_outcomes": outcomes,
        "findings": frame("findings", [*findings, *waiting]),
        "stage_counts": frame("stage_counts", [counted]),
    }


def _several(city: City, row: dict[str, Any]) -> dict[str, Any]:
    """Return a finding that lists the answers for a place, so that a reviewer can choose one."""
    answers = json.loads(row["answers"])
    shown = "; ".join(f"{a['name']} ({a['lat']:.5f}, {a['lon']:.5f})" for a in answers)
    said = f"{row['message']}: {shown}" if row["message"] else shown
    return {
        "city_id": city.city_id, "table": "pois", "finding": f"{SEVERAL_ANSWERS}{row['poi_id']}",
        "n_rows": len(answers), "message": f"{row['name']}: {row['provider']} answers {said}",
    }  # fmt: skip


def name_in_english(job: Job, places: TablePlaces) -> tuple[TablePlaces, Frames]:
    """Add the English names that the model knows; report places for which the model gave no
    name."""
    engine, city = job.model, job.own_city
    if engine is None:
        return places, _tell_names(city, EnglishNames())
    wanted = places.pois.filter(pl.col("name_en").is_null() & pl.col("name_zh").is_not_null())
    found = translate_names(engine, city.name_en, wanted["name_zh"])
    known = {name: english for name, english in found.known.items() if english}
    return with_translations(places, known), _tell_names(city, found)


def _tell_names(city: City, found: EnglishNames) -> Frames:
    """Report names without an answer as pending, and all names that remain in Chinese as
    findings."""
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
