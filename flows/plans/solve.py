"""The command ``tripbed plans solve``, which finds a plan for each query of a snapshot.

If a query has no plan, the command gives the reason.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flows.errors import SettingsError
from flows.plans.files import writable
from flows.plans.material import Material
from schemas.nouns import count_noun
from validators.plans.reference import Approach, reference
from validators.plans.request import FAMILIES, request_of
from validators.plans.solve import outcome_json
from validators.plans.solve import solve as solved

_EVERY = 25


def solve(
    snapshot: Path, query: str | None, limit_s: float,
    approach: Approach | None, out: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Find proofs or reference plans for a snapshot's queries, and print the results.

    Returns 0, or 1 if it remains unknown whether a query has a plan. ``out`` is a file to which one
    JSON object per query is written. Raises SettingsError if there is no query to solve.
    """
    if limit_s <= 0:
        raise SettingsError("--time-limit: give a number of seconds above 0")
    if out is not None:
        writable(out)
    started, counts, lines = time.perf_counter(), Counter[str](), []
    for number, outcome in enumerate(_outcomes(snapshot, query, limit_s, approach), 1):
        counts[outcome["solvability"]] += 1
        lines.append(json.dumps(outcome, ensure_ascii=False))
        if as_json and out is None:
            sys.stdout.write(lines[-1] + "\n")
        elif query is not None:
            sys.stdout.write(
                f"{outcome['query_id']}: {outcome['solvability']}"
                f" {outcome['reason'] or outcome['style']}\n"
            )
        if number % _EVERY == 0:
            sys.stderr.write(
                f"{count_noun(number, 'query')}, {time.perf_counter() - started:.0f} s\n"
            )
    if not lines:
        wanted = "" if approach else " with hard constraints (families traveleval, chinatravel)"
        raise SettingsError(f"{query or snapshot}: no query{wanted}")
    if out is not None:
        out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    summary = {name: counts[name] for name in ("solved", "infeasible", "unknown")}
    if as_json and out is not None:
        sys.stdout.write(json.dumps(summary) + "\n")
    elif not as_json:
        sys.stdout.write(", ".join(f"{n} {name}" for name, n in summary.items()) + "\n")
    return 1 if counts["unknown"] else 0


def _outcomes(
    path: Path, query: str | None, limit_s: float, approach: Approach | None
) -> Iterator[dict[str, Any]]:
    material = Material(path)
    if query is not None and query not in material.queries:
        raise SettingsError(f"no query {query!r} in {path}")
    for query_id in sorted(material.queries) if query is None else [query]:
        row = material.query(query_id)
        city = row["city_id"]
        if approach is not None:
            found = reference(row, material.world(city), material.renown(city), approach)
            yield outcome_json(found)
        elif row["family"] in FAMILIES and (request := request_of(row)) is not None:
            yield outcome_json(solved(request, material.world(city), limit_s))
