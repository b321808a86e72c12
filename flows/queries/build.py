"""The command ``tripbed queries build``, which plans, checks and writes queries for a profile."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import SettingsError
from flows.models.engines import engine_named
from flows.queries.files import CONTEXTS, QUARANTINE, Row, read_durations, write_rows
from flows.queries.reword import WRITERS, reword
from flows.settings.environment import NO_SETTINGS, Settings
from flows.settings.profile import Profile, explain_plan_error, load_profile
from queries.audit.rows import audit_rows
from queries.audit.variety import variety
from queries.families import plan_family, quotas, stratum_of
from queries.grounding import Destination, Offer, offer_of, offer_published
from queries.plausible import not_drawn
from queries.recall import recall, sha256
from queries.settings import PlanningError
from schemas.cities import City, UnknownCityError, find_city, most_populous
from schemas.ids import canonical_json
from sources.tables.registry import available_cities, read_tables

Tables = dict[str, pl.DataFrame]


def build_queries(
    profile_name: str,
    out: Path,
    tables: Path | None,
    tables_format: str,
    writer: str = "rules",
    settings: Settings = NO_SETTINGS,
) -> dict[str, Any]:
    """Build the queries for a profile, and return the report that is written beside them.

    The writer openai rewords the texts that the rules write. A query that cannot be recovered from
    its texts is set aside in ``quarantine.jsonl``. Raises SettingsError, before anything is
    written, if the profile or an option is wrong.
    """
    profile = load_profile(profile_name)
    _check_writer(writer, settings)
    _check_target(out)
    try:
        places, durations, held = _places(profile, profile_name, tables, tables_format)
        if not any(place.grounded for place in places) and profile.queries.ungrounded == "never":
            raise PlanningError(
                ("queries", "ungrounded"), "is 'never', but no city has tables: give --tables"
            )
        planned: dict[str, list[Row]] = {
            f: plan_family(f, places, profile.queries, f"{f}-", durations) for f in profile.families
        }
    except PlanningError as error:
        raise explain_plan_error(profile_name, error) from None
    cities = list(
        {
            c.city_id: c for p in places for c in (p.city, *(o.city for o in p.offer.origins))
        }.values()
    )
    contexts, recalled = _recall(planned.get("tripscore", []), held)
    written: dict[str, dict[str, int]] = {}
    if writer != "rules":
        engine = engine_named(writer, settings)
        written = {f: reword(f, rows, cities, engine) for f, rows in planned.items()}
    kept, quarantined, report = _audit(profile, planned, places, cities, recalled["dropped_empty"])
    for family, counts in written.items():
        report["families"][family]["written"] = counts
    if "tripscore" in planned:
        report["families"]["tripscore"]["recall"] = recalled
    names = {row["query_id"] for row in kept}
    _write(out, kept, report, [c for c in contexts if c["query_id"] in names], quarantined)
    return report


def _check_writer(writer: str, settings: Settings) -> None:
    if writer not in WRITERS:
        raise SettingsError(f"unknown writer {writer!r}: choose one of {', '.join(WRITERS)}")
    if writer != "rules":
        engine_named(writer, settings)  # fails at once if the engine is not set up


def _check_target(out: Path) -> None:
    if out.exists() and any(out.iterdir()) and not (out / "report.json").is_file():
        raise SettingsError(f"{out} contains other files: choose a new or empty folder with --out")


def _recall(rows: list[Row], held: Mapping[str, Tables]) -> tuple[list[Row], dict[str, int]]:
    """Make the frozen contexts for the tripscore queries, and count them.

    Queries for which no context is found are removed from ``rows``. Queries for a city without
    tables are kept, but have no context.
    """
    contexts: list[Row] = []
    empty: set[str] = set()
    for row in rows:
        structure = json.loads(row["structure"])
        if not held.keys() >= set(structure["destinations"]):
            continue
        context = recall(structure, held)
        if context is None:
            empty.add(row["query_id"])
        else:
            contexts.append(
                {"query_id": row["query_id"], "sha256": sha256(context), "context": context}
            )
    bare = len(rows) - len(contexts) - len(empty)
    rows[:] = [row for row in rows if row["query_id"] not in empty]
    return contexts, {"frozen": len(contexts), "dropped_empty": len(empty), "without_tables": bare}


def _audit(
    profile: Profile,
    planned: Mapping[str, list[Row]],
    places: Sequence[Destination],
    cities: Sequence[City],
    dropped: int,
) -> tuple[list[Row], list[Row], dict[str, Any]]:
    """Return the rows that comply with every rule, the other rows, and a report on all rows."""
    kept: list[Row] = []
    quarantined: list[Row] = []
    families: dict[str, dict[str, Any]] = {}
    for family, rows in planned.items():
        asked = profile.queries.traveleval
        table = {name: getattr(asked, name) for name in ("easy", "medium", "hard")}
        table["group"] = asked.groups
        broken = audit_rows(
            family, rows, cities, days_table=table, journeys=_journeys(places),
            sizes=profile.queries.chinatravel.medium_constraints,
        )  # fmt: skip
        bad = {query_id for ids in broken.values() for query_id in ids}
        good = [row for row in rows if row["query_id"] not in bad]
        kept += good
        quarantined += [
            {**row, "rules": [rule for rule, ids in broken.items() if row["query_id"] in ids]}
            for row in rows
            if row["query_id"] in bad
        ]
        result = Counter(stratum_of(family, row) for row in good)
        plan = quotas(family, places, profile.queries)
        families[family] = {
            "planned": sum(plan.values()),
            "kept": len(good),
            "quarantined": len(rows) - len(good),
            "strata": {
                s: {"plan": n, "result": result.get(s, 0)} for s, n in sorted(plan.items()) if n
            },
            "violations": {rule: len(ids) for rule, ids in broken.items()},
            "splits": dict(sorted(Counter(row["split"] for row in good).items())),
            "status": dict(sorted(Counter(row["status"] for row in good).items())),
            "destinations": dict(sorted(Counter(row["city_id"] for row in good).items())),
            "variety_zh": variety(
                [r["text_zh"] for r in good], [c.name_zh or c.name_en for c in cities]
            ),
            "variety_en": variety([r["text_en"] for r in good], [c.name_en for c in cities]),
        }
        if family == "tripscore" and dropped:
            families[family]["strata"]["all"]["dropped"] = dropped
    whole = all(
        s["plan"] == s["result"] + s.get("dropped", 0)
        for f in families.values()
        for s in f["strata"].values()
    )
    report = {"profile": profile.name, "families": families, "strata_met": whole}
    if planned.keys() - {"tprag"}:
        report["not_drawn"] = not_drawn()
    return kept, quarantined, report


def _journeys(places: Sequence[Destination]) -> dict[tuple[str, str], frozenset[str]] | None:
    if not all(place.grounded and place.shown is None for place in places):
        return None
    return {
        (origin.city.slug, place.city.slug): frozenset(
            tag for tag, ok in (("高铁", origin.by_train), ("飞机", origin.by_flight)) if ok
        )
        | {"any"}
        for place in places
        for origin in place.offer.origins
    }


def _places(
    profile: Profile, name: str, tables: Path | None, tables_format: str
) -> tuple[list[Destination], dict[str, Sequence[int]], dict[str, Tables]]:
    """Return the destinations, the durations in the profile's CSV file, and each city's tables."""
    settings = profile.queries
    durations: dict[str, Sequence[int]] = {}
    names: list[tuple[tuple[str, ...], str]] = [
        (("queries", "cities", str(n)), city) for n, city in enumerate(settings.cities)
    ]
    if settings.tripscore.destinations_csv and "tripscore" in profile.families:
        base = Path(name).parent if Path(name).is_file() else Path()
        durations = read_durations(base / settings.tripscore.destinations_csv)
        names += [(("queries", "tripscore", "destinations_csv"), city_id) for city_id in durations]
    names += [
        (("queries", "most_populous"), city.city_id)
        for city in most_populous(settings.most_populous)
    ]
    if not names:
        raise PlanningError(
            ("queries", "cities"), "names no city: list the destinations, or give --city"
        )
    cities: dict[str, City] = {}
    for path, city_name in names:
        try:
            city = find_city(city_name)
        except UnknownCityError as error:
            raise PlanningError(path, str(error)) from None
        if path[1] == "cities" and city.city_id in cities:
            raise PlanningError(path, f"{city_name} is listed twice")
        cities.setdefault(city.city_id, city)
    every = list(cities.values())
    if tables and len(every) > 1 and available_cities(tables, tables_format) is None:
        raise PlanningError(
            ("queries", "cities"),
            f"the files in {tables} do not say which city each row belongs to: build for one city"
            " only, or add a column named city to the files",
        )
    read = {city.slug: _read(city, tables, tables_format) if tables else None for city in every}
    held = {slug: frames for slug, frames in read.items() if frames is not None}
    return [_place(city, every, profile, held.get(city.slug)) for city in every], durations, held


def _place(
    city: City, every: Sequence[City], profile: Profile, tables: Tables | None
) -> Destination:
    rule = profile.queries.ungrounded
    grounded = offer_of(city, tables) if tables else None
    if grounded is not None and rule == "always":
        return Destination(city, offer_published(city, every), shown=grounded)
    if grounded is None:
        if rule == "never":
            raise PlanningError(
                ("queries", "ungrounded"),
                f"is 'never', but {city.name_en} has no tables: give --tables with tables about "
                "this city",
            )
        return Destination(city, offer_published(city, every), grounded=False)
    known = {other.city_id for other in every}
    origins = tuple(origin for origin in grounded.origins if origin.city.city_id in known)
    return Destination(city, Offer(**{**vars(grounded), "origins": origins or grounded.origins}))


def _read(city: City, tables: Path, layout: str) -> Tables | None:
    """Read a city's tables; return None if the folder contains none for the city."""
    named = available_cities(tables, layout)
    if named is not None and city.city_id not in {find_city(name).city_id for name in named}:
        return None
    imported = read_tables(tables, layout, city)
    names = ("attractions", "hotels", "restaurants", "trains", "flights")
    return {name: getattr(imported, name) for name in names}


def _write(
    out: Path,
    rows: Sequence[Row],
    report: Mapping[str, Any],
    contexts: Sequence[Row],
    quarantined: Sequence[Row],
) -> None:
    """Write to a folder beside the target, and then rename the folder, to avoid partial results."""
    aside = out.with_name(out.name + ".partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    write_rows(rows, aside)
    for name, lines in ((CONTEXTS, contexts), (QUARANTINE, quarantined)):
        if lines:
            with (aside / name).open("w", encoding="utf-8") as file:
                file.writelines(canonical_json(line) + "\n" for line in lines)
    text = json.dumps(report, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    (aside / "report.json").write_text(text, encoding="utf-8")
    if out.exists():
        shutil.rmtree(out)
    aside.rename(out)
