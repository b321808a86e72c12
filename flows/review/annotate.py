"""The command ``tripbed tables annotate``: two annotators assign types to attractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from extractors.agreement import Types, adjudicate, per_type
from extractors.tasks.name_tasks import AttractionClassification, Attractions, Described
from flows.errors import SettingsError
from flows.models.engines import engine_named
from flows.settings.checks import ENGINES
from flows.settings.environment import Settings
from schemas.cities import find_city
from schemas.tasks import Unanswered
from schemas.taxonomy import BASE_TYPES, TREND_TYPES, codes
from sources.tables.registry import read_tables

#: The name of the annotator that uses the source's own types.
SOURCE = "source"
#: The number of names in one request.
_TOGETHER = 20

Votes = dict[str, Types]


def annotate(
    directory: Path, layout: str, cities: Sequence[str], annotators: Sequence[str],
    settings: Settings, step: Callable[[str], object],
) -> dict[str, Any]:  # fmt: skip
    """Let two annotators assign types to attractions, and use the source's types to settle
    differences.

    The annotators can be ``source`` and the engines ``rules`` and ``openai``. Raises SettingsError
    unless a city and two different known annotators are named, TableError if the tables cannot be
    read, and UnknownCityError if a city is unknown.
    """
    _check(annotators, cities)
    rows: list[dict[str, Any]] = []
    votes: tuple[Votes, ...] = ({}, {}, {})
    for name in cities:
        city = find_city(name)
        step(city.slug)
        places = read_tables(directory, layout, city).attractions
        keys = [
            f"{city.slug}/{row['source_file']}:{row['source_line']}" for row in places.to_dicts()
        ]
        third = SOURCE if SOURCE not in annotators else None
        here = [_votes(who, places, keys, settings) if who else {} for who in (*annotators, third)]
        for everything, ours in zip(votes, here, strict=True):
            everything.update(ours)
        rows += _rows(places, keys, city.slug, annotators, here)
    kappas = per_type(votes[0], votes[1], codes(BASE_TYPES), codes(TREND_TYPES))
    status = Counter(row["status"] for row in rows)
    return {
        "annotators": list(annotators),
        "adjudicator": SOURCE if SOURCE not in annotators else None,
        "places": len(rows),
        "answered_by_both": len(votes[0].keys() & votes[1].keys()),
        "status": {name: status[name] for name in ("agreed", "adjudicated", "review")},
        "kappa": {code: vars(kappa) for code, kappa in kappas.items()},
        "rows": rows,
    }


def _check(annotators: Sequence[str], cities: Sequence[str]) -> None:
    known = (SOURCE, *ENGINES)
    if len(annotators) != 2 or len(set(annotators)) != 2:
        raise SettingsError("give two different annotators, such as --annotators rules,openai")
    if unknown := [name for name in annotators if name not in known]:
        raise SettingsError(f"there is no annotator {unknown[0]!r}: choose from {', '.join(known)}")
    if "cascade" in annotators:
        raise SettingsError(
            "cascade applies the rules first, so it is not an independent annotator: choose rules"
            " or openai"
        )
    if not cities:
        raise SettingsError("name at least one city with --city")


def _votes(annotator: str, places: pl.DataFrame, keys: Sequence[str], settings: Settings) -> Votes:
    """Return an annotator's types for each place.

    Places without a usable answer from the annotator are left out.
    """
    rows = places.to_dicts()
    if annotator == SOURCE:
        return {
            key: Types(row["base_type"], frozenset(row["trend_types"] or ()))
            for key, row in zip(keys, rows, strict=True)
            if row["base_type"] is not None or row["trend_types"]
        }
    engine, task = engine_named(annotator, settings), AttractionClassification()
    found: Votes = {}
    pairs = list(zip(keys, rows, strict=True))
    for start in range(0, len(pairs), _TOGETHER):
        batch = pairs[start : start + _TOGETHER]
        by_name = {_name(row): key for key, row in reversed(batch)}
        item = Attractions(places=tuple(Described(name=name) for name in reversed(by_name)))
        try:
            output = engine.run(task, item).output
        except Unanswered:
            continue
        said = {p.name: Types(p.base, frozenset(t.code for t in p.trends)) for p in output.places}
        found |= {key: said[_name(row)] for key, row in batch if _name(row) in said}
    return found


def _name(row: Mapping[str, Any]) -> str:
    return str(row["name_zh"] or row["name_en"])


def _rows(
    places: pl.DataFrame, keys: Sequence[str], slug: str, annotators: Sequence[str],
    votes: Sequence[Votes],
) -> Iterable[dict[str, Any]]:  # fmt: skip
    for key, row in zip(keys, places.to_dicts(), strict=True):
        first, second, third = (said.get(key) for said in votes)
        types, status = adjudicate(first, second, third)
        yield {
            "city": slug,
            "name": _name(row),
            "source_file": row["source_file"],
            "source_line": row["source_line"],
            **{
                f"by_{who}": _show_types(said.get(key))
                for who, said in zip(annotators, votes, strict=False)
            },
            "base_type": types.base,
            "trend_types": sorted(types.trends),
            "status": status,
        }


def _show_types(types: Types | None) -> list[str] | None:
    return None if types is None else [*([types.base] if types.base else []), *sorted(types.trends)]
