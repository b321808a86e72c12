"""Measure the CPU time to plan, write and audit queries, and check whether it grows linearly.

    python -m benchmarks.queries 10000 30000 100000 --write

Each requested number of queries is divided among the five families. Every query has a Chinese and
an English text. The audit parses both texts of a query and compares all fields with the query. The
benchmark also tries every expression on plans, and looks for repeated queries and for queries that
occur in several splits. ``--write`` writes the figures to ``docs/benchmarks``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from benchmarks.report import table, write_section
from queries.audit.rows import audit_rows
from queries.families import plan_family
from queries.grounding import Destination, offer_published
from queries.settings import (
    ChinaTravelSettings,
    QuerySettings,
    TravelEvalSettings,
    TripScoreSettings,
    TripTailorSettings,
)
from queries.tprag import strata
from schemas.cities import City, find_city, large_cities

FAMILIES = ("tprag", "traveleval", "chinatravel", "tripscore", "triptailor")
NAMES = (
    "beijing", "chengdu", "chongqing", "guangzhou", "hangzhou",
    "nanjing", "shanghai", "shenzhen", "suzhou", "wuhan",
)  # fmt: skip
_CELLS = len(strata())


def ask(count: int) -> QuerySettings:
    """Return the settings of a profile with about ``count`` queries of each family."""
    sixth, groups = count // 20, count // 180
    return QuerySettings(
        traveleval=TravelEvalSettings(
            easy=(sixth,) * 6, medium=(sixth,) * 6, hard=(sixth,) * 6, groups=(groups,) * 6
        ),
        # Ten cities do not have enough different queries with only one constraint.
        chinatravel=ChinaTravelSettings(
            easy=count // 10, medium=count // 2, preference=count - count // 10 - count // 2
        ),
        tripscore=TripScoreSettings(queries=count),
        triptailor=TripTailorSettings(queries=count),
    )


class FamilyFigures(NamedTuple):
    """The figures for one family at one size, such as CPU seconds and the number of broken queries.

    A query counts as broken if it violates a rule, or if the audit reads a different query from one
    of its texts.
    """

    family: str
    queries: int
    plan_s: float
    audit_s: float
    broken: int


def measure(family: str, count: int) -> FamilyFigures:
    """Plan and audit about ``count`` queries of a family."""
    cities = _cities(family, count)
    names: dict[str, Any] = {
        "attractions": ("石塔公园", "望江楼"),
        "restaurants": ("阿婆小馆", "江边酒楼"),
        "hotels": ("临江宾馆",),
        "names_en": {
            "石塔公园": "Stone Pagoda Park",
            "望江楼": "River View Tower",
            "阿婆小馆": "Granny's Kitchen",
            "临江宾馆": "Linjiang Hotel",
        },
    }
    near = cities[: len(NAMES)]
    places = [Destination(c, replace(offer_published(c, near), **names)) for c in cities]
    started = time.process_time()
    rows = plan_family(family, places, ask(count), f"{family}-")
    planned = time.process_time()
    broken = audit_rows(family, rows, cities)
    audited = time.process_time()
    bad = {query_id for ids in broken.values() for query_id in ids}
    return FamilyFigures(family, len(rows), planned - started, audited - planned, len(bad))


def _cities(family: str, count: int) -> list[City]:
    """Return ten cities, or more for tprag, which has a fixed number of queries per city."""
    if family != "tprag":
        return [find_city(name) for name in NAMES]
    named: dict[str | None, City] = {}
    for city in sorted(large_cities("CN", 15_000), key=lambda c: (-c.population, c.city_id)):
        named.setdefault(city.name_zh, city)
    return [city for name, city in named.items() if name][: max(1, count // _CELLS)]


def body(sizes: Sequence[int], found: Sequence[Sequence[FamilyFigures]]) -> str:
    """Return the section: a table of totals, and a table by family and size."""
    rows = []
    for number, family in enumerate(FAMILIES):
        for size, figures in zip(sizes, found, strict=True):
            one = figures[number]
            each = (one.plan_s + one.audit_s) / one.queries * 1000
            rows.append(
                (family, f"{size:,}", f"{one.queries:,}", f"{one.plan_s:.1f}", f"{one.audit_s:.1f}",
                 f"{each:.2f}", one.broken)
            )  # fmt: skip
    totals = []
    for size, figures in zip(sizes, found, strict=True):
        seconds = sum(one.plan_s + one.audit_s for one in figures)
        queries = sum(one.queries for one in figures)
        totals.append(
            (f"{size:,}", f"{queries:,}", f"{seconds:.1f}", f"{seconds / queries * 1000:.2f}",
             sum(one.broken for one in figures))
        )  # fmt: skip
    return (
        "The benchmark writes each query in Chinese and in English, and then audits both texts. A"
        " query counts as broken if it violates a rule, or if the audit finds that the Chinese or"
        " English text describes a different query. The times are CPU times.\n\n"
        + table(("queries requested", "queries written", "CPU s", "ms per query", "broken"), totals)
        + "\n"
        + table(
            (
                "family",
                "queries requested in total",
                "queries written",
                "planning and writing, CPU s",
                "audit, CPU s",
                "ms per query",
                "broken",
            ),
            rows,
        )
    )


def main(arguments: Sequence[str]) -> None:
    """Measure all families at each size, print the section and, with ``--write``, write it."""
    sizes = [int(a) for a in arguments if a.isdigit()] or [1000, 3000]
    for name in NAMES:
        find_city(name)  # the registry is loaded once
    found = [[measure(family, size // len(FAMILIES)) for family in FAMILIES] for size in sizes]
    text = body(sizes, found)
    sys.stdout.write(text)
    if "--write" in arguments:
        command = f"python -m benchmarks.queries {' '.join(map(str, sizes))} --write"
        write_section("Queries by number", command, text)


if __name__ == "__main__":
    main(sys.argv[1:])
