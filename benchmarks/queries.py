"""Queries: time for plan, text, audit and round trip by number, and whether it grows linearly.

    python -m benchmarks.queries 10000 20000

For each family and number: seconds to plan and write both texts, seconds to audit (which reads
both texts again), and queries that break a rule.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace

from queries.audit.rows import audit_rows
from queries.families import plan_family
from queries.grounding import Place, published_offer
from queries.settings import (
    ChinaTravelSettings,
    SplitSettings,
    TravelEvalSettings,
    TripScoreSettings,
    TripTailorSettings,
)
from schemas.cities import find_city
from schemas.taxonomy import CONSTRAINTS

NAMES = (
    "beijing", "chengdu", "chongqing", "guangzhou", "hangzhou",
    "nanjing", "shanghai", "shenzhen", "suzhou", "wuhan",
)  # fmt: skip


class Asked:
    """Settings of a profile with about ``count`` queries of each family."""

    days = (None, 3, 4, 5)
    constraint_kinds = ("generic", *CONSTRAINTS)
    year = None
    splits = SplitSettings()

    def __init__(self, count: int):
        sixth = count // 18
        self.traveleval = TravelEvalSettings(
            easy=(sixth,) * 6, medium=(sixth,) * 6, hard=(sixth,) * 6, groups=(0,) * 6
        )
        self.chinatravel = ChinaTravelSettings(
            easy=count // 3, medium=count // 3, preference=count // 3
        )
        self.tripscore = TripScoreSettings(queries=count)
        self.triptailor = TripTailorSettings(queries=count)


def measure(family: str, count: int) -> dict[str, object]:
    """Seconds and violations of one family at one size."""
    cities = [find_city(name) for name in NAMES]
    names = {
        "attractions": ("石塔公园", "望江楼"),
        "restaurants": ("阿婆小馆", "江边酒楼"),
        "hotels": ("临江宾馆",),
    }
    places = [Place(c, replace(published_offer(c, cities), **names)) for c in cities]
    started = time.perf_counter()
    rows = plan_family(family, places, Asked(count), f"{family}-")
    planned = time.perf_counter()
    broken = audit_rows(family, rows, cities)
    audited = time.perf_counter()
    bad = {rule: len(ids) for rule, ids in broken.items() if ids}
    return {
        "family": family,
        "queries": len(rows),
        "plan_s": round(planned - started, 2),
        "audit_s": round(audited - planned, 2),
        "ms_a_query": round((audited - started) / len(rows) * 1000, 3),
        "broken": bad,
    }


if __name__ == "__main__":
    for size in map(int, sys.argv[1:] or ["1000", "2000"]):
        for name in ("traveleval", "chinatravel", "tripscore", "triptailor"):
            sys.stdout.write(json.dumps(measure(name, size), ensure_ascii=False) + "\n")
