"""Write the report on a snapshot as one HTML file that loads nothing else.

The same rows always give the same report. The data is collected for each city, and the page adds up
the figures of all cities. Texts from the web may be hostile, so they are shortened, cleaned of
control characters, and never used as markup.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from flows.report import control, figures, given, places
from flows.report.contents import FAILURES, collect_statistics
from flows.report.one_file import asset, embed_json, fill_template, join_scripts, source_hash
from flows.report.texts import clean
from schemas import taxonomy
from schemas.arrow import frame
from schemas.tables import TABLES
from warehouse.read import Snapshot

_TERMS = {
    "category": taxonomy.POI_CATEGORIES,
    "base_type": taxonomy.BASE_TYPES,
    "trend_type": taxonomy.TREND_TYPES,
    "constraint": tuple(term for terms in taxonomy.CONSTRAINTS.values() for term in terms),
    "cuisine": taxonomy.CUISINES,
    "feature": taxonomy.HOTEL_FEATURES,
}


def collect(path: Path) -> dict[str, Any]:
    """Collect all data that the page shows about the snapshot at ``path``."""
    snapshot = Snapshot(path)
    connections = _connections(snapshot)
    return {
        "name": snapshot.manifest.snapshot_id(),
        "schema_version": snapshot.manifest.schema_version,
        "terms": {
            kind: {term.code: [term.zh, term.en] for term in terms}
            for kind, terms in _TERMS.items()
        },
        "stages": list(taxonomy.STAGES),
        "kinds": list(taxonomy.CONSTRAINT_KINDS),
        "failure_ends": list(FAILURES),
        "cities": [_city(snapshot, slug, connections) for slug in sorted(snapshot.manifest.cities)],
        "gates": control.gates(snapshot.table("gates")),
        "tables": control.tables(snapshot),
        "parameters": _parameters(snapshot),
        "given": given.collect(snapshot.path),
        "statistics": collect_statistics(snapshot),
        "run": _run(path),
    }


def _city(snapshot: Snapshot, slug: str, connections: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    held = snapshot.tables()  # a snapshot of an older schema does not have all tables
    tables = {
        name: snapshot.table(name, slug) if name in held else frame(name, [])
        for name, table in TABLES.items()
        if table.partition == "city"
    }
    (row,) = tables["cities"].to_dicts()
    for name, rows in connections.items():
        tables[name] = rows.filter(pl.col("shown_at") == row["city_id"])
    profile = snapshot.manifest.settings.get("cities", {}).get(slug, {}).get("profile", {})
    return {
        "slug": slug,
        "id": row["city_id"],
        "zh": clean(row["name_zh"] or row["name_en"]),
        "en": clean(row["name_en"]),
        "at": [round(row["lat"], 5), round(row["lon"], 5)],
        "profile": clean(str(profile.get("name", ""))) or None,
        "rows": {name: rows.height for name, rows in sorted(tables.items())},
        **places.collect(tables),
        **figures.collect(tables, profile),
        **control.collect(tables),
    }


def _connections(snapshot: Snapshot) -> dict[str, pl.DataFrame]:
    """Return the trains and flights, each with the city that it is counted for.

    A connection is counted for its city of departure or, if that city is not in the snapshot, for
    its city of arrival.
    """
    held = snapshot.table("cities")["city_id"].to_list()
    origin, destination = pl.col("origin_city_id"), pl.col("destination_city_id")
    shown_at = pl.when(origin.is_in(held)).then(origin).otherwise(destination)
    return {
        name: snapshot.table(name).with_columns(shown_at=shown_at) for name in ("trains", "flights")
    }


def _parameters(snapshot: Snapshot) -> list[list[Any]]:
    """List [table, parameter, case, value, unit] for the rows of the two parameter tables."""
    return [
        [table, clean(row["parameter"]), clean(row["key"]), row["metric_value"], clean(row["unit"])]
        for table in ("queue_parameters", "density_baseline")
        for row in snapshot.table(table).to_dicts()
    ]


def _run(path: Path) -> dict[str, Any]:
    """Read the snapshot's ``run.json``; return an empty mapping if there is no such file."""
    try:
        run = json.loads((path / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return run if isinstance(run, dict) else {}


_asset = partial(asset, "flows.report")
#: The scripts that are joined into one, in this order.
_SCRIPTS = (
    "dom.js",
    "charts.js",
    "projection.js",
    "map.js",
    "paint.js",
    "places.js",
    "sections.js",
    "main.js",
)


def render_report(snapshot: Path) -> str:
    """Return the report on the snapshot at this path as a complete HTML document.

    Raises the same errors as ``warehouse.read.Snapshot`` if the folder is not a snapshot.
    """
    data = {**collect(snapshot), "strings": json.loads(_asset("strings.json"))}
    style, script = _asset("style.css"), join_scripts(map(_asset, _SCRIPTS))
    # The page may use only its own style and script.
    policy = (
        f"default-src 'none'; style-src '{source_hash(style)}'; script-src '{source_hash(script)}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "TITLE": html.escape(", ".join(city["en"] for city in data["cities"])),
        "POLICY": html.escape(policy),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": embed_json(data),
    }
    return fill_template(_asset("template.html"), parts)


def write_report(snapshot: Path) -> Path:
    """Write ``report.html`` into the snapshot's folder, and return its path."""
    target = snapshot / "report.html"
    target.write_text(render_report(snapshot), encoding="utf-8")
    return target
