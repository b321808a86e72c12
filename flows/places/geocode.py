"""The commands ``tripbed geocode``, ``tripbed datum`` and ``tripbed dedupe``.

The commands work on files of places, without a build.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from flows.console import build_progress, print_json
from flows.csv_files import read_csv, write_csv
from flows.errors import SettingsError
from geocoding.bulk import dedupe as run
from geocoding.datum import compare_lists
from geocoding.geocoders import Geocoder, GeocoderQuestion, GeocoderReply, PlacePoint, ask_all
from geocoding.geocoders.cache import AnswerCache
from geocoding.geocoders.layouts import LayoutError, read_layout
from schemas.cells import harmless
from schemas.cities import find_city
from schemas.geo import Datum, to_wgs84

ADDED = (
    "outcome", "found_name", "found_lat", "found_lon", "datum_original", "provider", "provider_id",
    "address", "score", "message", "asked_on",
)  # fmt: skip


def geocode(names: Path, out: Path, geocoder: Geocoder, cache: Path | None, as_json: bool) -> None:
    """Look up every row of a CSV file with a geocoder, and write the rows with the answers.

    The file has the columns ``name`` and ``city``, or ``lat`` and ``lon``. A row without an answer
    gets only the outcome, and a later run looks up this row again. Raises SettingsError if the file
    cannot be read.
    """
    columns, rows = read_csv(names)
    questions = [_question(names, line, row) for line, row in enumerate(rows, 2)]
    store = AnswerCache(cache) if cache else None
    with build_progress(len(questions), quiet=as_json) as done:
        replies = ask_all(geocoder, questions, store, lambda n: done("geocode"))
    kept = [name for name in columns if name not in ADDED]
    out.parent.mkdir(parents=True, exist_ok=True)
    # Only the geocoder's answers are made safe; the user's own cells do not change.
    answered = (
        row | dict.fromkeys(ADDED) | {k: harmless(cell) for k, cell in _cells(reply).items()}
        for row, reply in zip(rows, replies, strict=True)
    )
    write_csv(out, [*kept, *ADDED], answered)
    counts: dict[str, int] = dict(sorted(Counter(str(r.outcome) for r in replies).items()))
    _say({"rows": len(rows), **counts, "out": str(out)}, as_json)


def _question(file: Path, line: int, row: dict[str, Any]) -> GeocoderQuestion | PlacePoint:
    name = (row.get("name") or "").strip()
    if name:
        city = (row.get("city") or "").strip()
        return GeocoderQuestion(name, find_city(city) if city else None)
    try:
        return PlacePoint(float(row["lat"]), float(row["lon"]))
    except (KeyError, TypeError, ValueError):
        raise SettingsError(
            f"{file}, line {line}: a row needs either a name or both lat and lon"
        ) from None


def _cells(reply: GeocoderReply) -> dict[str, Any]:
    best = reply.best
    found = {} if best is None else {
        "found_name": best.name, "found_lat": round(best.lat, 6),
        "found_lon": round(best.lon, 6), "datum_original": best.datum_original,
        "provider": best.provider, "provider_id": best.provider_id, "address": best.address,
        "score": best.score,
    }  # fmt: skip
    message = (best.note if best else None) or reply.message
    return {"outcome": reply.outcome, "message": message, "asked_on": reply.asked_on, **found}


def dedupe(places: Path, out: Path, datum: Datum, as_json: bool) -> None:
    """Deduplicate a file of places, and write places, members, pairs and hierarchy as Parquet.

    Raises SettingsError if the file cannot be read.
    """
    try:
        read, skipped = read_layout(places)
    except LayoutError as error:
        raise SettingsError(str(error)) from None
    if datum != "wgs84":
        points = [
            to_wgs84(lat, lon, datum) for lat, lon in zip(read["lat"], read["lon"], strict=True)
        ]
        read = read.with_columns(
            lat=pl.Series([p[0] for p in points], dtype=pl.Float64),
            lon=pl.Series([p[1] for p in points], dtype=pl.Float64),
        )
    found = run(read.rename({"id": "source_id"}).drop("aliases"))
    out.mkdir(parents=True, exist_ok=True)
    for name in ("places", "members", "pairs", "hierarchy"):
        getattr(found, name).write_parquet(out / f"{name}.parquet")
    _say(
        {
            "rows": read.height, "skipped": skipped, "places": found.places.height,
            "merged": read.height - found.places.height, "parts": found.hierarchy.height,
            "out": str(out),
        },
        as_json,
    )  # fmt: skip


def datum(unknown: Path, known: Path, known_datum: Datum, as_json: bool) -> None:
    """Find a file's coordinate system from the places shared with another file, and print it.

    Raises SettingsError if a file cannot be read.
    """
    try:
        lists = [read_layout(path)[0] for path in (known, unknown)]
    except LayoutError as error:
        raise SettingsError(str(error)) from None
    found = compare_lists(lists[0], known_datum, lists[1])
    if as_json:
        print_json({**vars(found), "message": found.message})
    else:
        print(found.message)


def _say(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(facts)
    else:
        counted = ", ".join(f"{value:,} {key}" for key, value in facts.items() if key != "out")
        print(f"{counted}\n{facts['out']}")
