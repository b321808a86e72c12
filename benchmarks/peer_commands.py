"""Compare ChinaTravel's environment with the tool ``chinatravel`` on ChinaTravel's demo calls.

    python -m benchmarks.peer_commands SNAPSHOT --chinatravel DIR [--write]

``DIR`` is a copy of ChinaTravel's public repository (its folder ``chinatravel``, without data). The
calls come from the tests at the end of ChinaTravel's ``world_env.py``: all columns, types and
cuisines; opening hours, places nearby and routes for sampled places; trains and flights; pages of
results. The calls ask about the cities in the snapshot. ChinaTravel's environment uses an export of
the snapshot. Two answers are equal if their texts are equal. Decimal numbers may differ by up to
1e-5, because the two programs compute distances with different libraries. The exit code is 1 if an
answer differs without a known reason, and 2 if ChinaTravel's code is missing.
"""

from __future__ import annotations

import argparse
import importlib
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

from benchmarks.peer_world import Missing, assemble
from benchmarks.report import table, write_section
from flows.agents.calls import CallDesk, CallLog
from flows.agents.chinatravel import RESULTS_KEPT
from warehouse.export import export
from warehouse.export.chinatravel import CITIES
from warehouse.sandbox import Sandbox

_TIMES = ("6:30", "12:00", "18:00", "23:00")
_DECIMAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_NEAR = 1e-5


_NOTE = (
    "The benchmark sends the same calls to ChinaTravel's own environment and to tripbed's tool"
    " `chinatravel`. ChinaTravel's environment uses an export of the snapshot. The calls come from"
    " the tests in ChinaTravel's code. The two programs compute distances with different libraries,"
    " so two decimal numbers count as equal if they differ by at most 1e-5."
)


def demo_calls(env: Any, cities: list[str]) -> Iterator[str]:
    """Yield the calls from ChinaTravel's own tests, about places drawn with seed 7."""
    draw = random.Random(7)
    tables = {
        "attractions": env.attractions,
        "accommodations": env.accommodations,
        "restaurants": env.restaurants,
    }
    for city in cities:
        for kind, tool in tables.items():
            yield f"{kind}_keys('{city}')"
            yield from (
                f"{kind}_select('{city}', '{key}', lambda x: True)" for key, _ in tool.keys(city)
            )
        yield f"attractions_types('{city}')"
        yield f"restaurants_cuisine('{city}')"
        sights, meals = env.attractions.data[city], env.restaurants.data[city]
        for kind, column, frame in (
            ("attractions", "type", sights),
            ("restaurants", "cuisine", meals),
        ):
            yield from (
                f"{kind}_select('{city}', '{column}', lambda x: x == '{v}')"
                for v in frame[column].unique()
            )
        names = sights["name"].tolist()
        for name in draw.sample(names, 12):
            number = int(sights[sights["name"] == name]["id"].iloc[0])
            yield from (f"attractions_id_is_open('{city}', {number}, '{time}')" for time in _TIMES)
            yield from (
                f"{kind}_nearby('{city}', '{name}', 5, {km})"
                for kind, km in (("attractions", 2), ("restaurants", 5), ("accommodations", 5))
            )
            yield from (
                f"goto('{city}', '{name}', '{draw.choice(names)}', '12:00', '{mode}')"
                for mode in ("walk", "taxi", "metro")
            )
        yield from (
            f"restaurants_id_is_open('{city}', {n}, '12:00')"
            for n in draw.sample(meals["id"].tolist(), 10)
        )
        yield from (
            f"restaurants_with_recommended_food('{city}', '{dish}')"
            for dish in ("烤鸭", "红烧肉", "面")
        )
        yield from (
            f"attractions_select('{city}', 'price', lambda x: 0 < x <= 50)",
            "next_page()",
            "next_page()",
            "Results[-1]",
            "Results[0]",
        )
    for a, b in permutations(cities, 2):
        yield from (
            f"intercity_transport_select('{a}', '{b}', '{kind}'{time})"
            for kind in ("train", "airplane")
            for time in ("", ", '12:00'")
        )
    yield from (
        f"attractions_nearby('{cities[0]}', '不存在', 5, 2)",
        f"attractions_select('{cities[0]}', 'kind', lambda x: True)",
        f"goto('{cities[0]}', 'a', 'b', '12:00', 'fly')",
    )


def verdict(command: str, theirs: str, ours: str) -> str:
    """Compare two answers, and describe the result in words."""
    if theirs == ours:
        return "equal"
    shape = [_DECIMAL.sub("#", " ".join(text.split())) for text in (theirs, ours)]
    if shape[0] == shape[1]:
        pairs = zip(_DECIMAL.findall(theirs), _DECIMAL.findall(ours), strict=True)
        if all(abs(float(a) - float(b)) <= _NEAR for a, b in pairs):
            return "equal to 1e-5"
    if command == "Results[0]" and "are kept" in ours:
        return f"known difference: tripbed keeps only the last {RESULTS_KEPT} results"
    if ours == "No data." and "NoneType" in theirs:
        return "known difference: ChinaTravel fails if no journey connects two cities"
    return "different"


def main() -> int:
    """Print the table and, with ``--write``, write it to the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--chinatravel", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "export"
        try:
            export(options.snapshot, "chinatravel", out)
            assemble(options.chinatravel, out, Path(folder))
            sys.path.insert(0, str(Path(folder) / "chinatravel"))
            env = importlib.import_module("chinatravel.environment.world_env").WorldEnv()
        except (Missing, ModuleNotFoundError) as error:
            sys.stderr.write(f"skipped: {error}\n")
            return 2
        box = Sandbox(options.snapshot)
        desk = CallDesk(box, CallLog(None))
        for command in demo_calls(env, [zh for slug, zh in CITIES if slug in box.cities]):
            theirs, ours = (
                str(env(command)),
                desk.answer("chinatravel", {"command": command}, "demo").text,
            )
            found = verdict(command, theirs, ours)
            counts.setdefault(command.split("(")[0].split("[")[0], Counter())[found] += 1
            if found == "different":
                sys.stderr.write(f"{command}\n  theirs {theirs[:300]}\n  ours {ours[:300]}\n")
    kinds = sorted({kind for found in counts.values() for kind in found})
    rows = [
        [name, *(found[kind] or "" for kind in kinds)] for name, found in sorted(counts.items())
    ]
    total = sum(map(Counter.total, counts.values()))
    body = (
        f"{_NOTE}\n\n"
        f"{table(['call', *kinds], rows)}\n"
        f"The benchmark sent {total:,} calls to both programs and compared the results.\n"
    )
    sys.stdout.write(body)
    if options.write:
        write_section(
            "ChinaTravel's demo calls as texts",
            "python -m benchmarks.peer_commands SNAPSHOT --chinatravel DIR --write",
            body,
        )
    return 1 if any(found["different"] for found in counts.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
