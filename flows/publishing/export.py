"""Exports a snapshot for ``tripbed export``, and reports what the layout cannot express."""

from __future__ import annotations

import sys
from pathlib import Path

from warehouse.export import REPORT, export


def export_snapshot(snapshot: Path, layout: str, out: Path, plan_kind: str, as_json: bool) -> int:
    """Export a snapshot and print the counts, or a complete report as JSON.

    Returns 1 if the layout cannot express one of the cities, and 0 otherwise.
    """
    account = export(snapshot, layout, out, plan_kind)
    code = int(bool(account.cities_left_out))
    if as_json:
        sys.stdout.write(account.json() + "\n")
        return code
    facts = account.facts()
    for city, tables in facts["counts"].items():
        for table, n in tables.items():
            left = f", {n['left_out']} left out" if n["left_out"] else ""
            sys.stdout.write(f"  {city:<12} {table:<15} {n['written']:>7,} written{left}\n")
    sys.stdout.writelines(
        f"  left out, {reason}: {number:,}\n" for reason, number in facts["reasons"].items()
    )
    sys.stdout.write(f"  values changed: {len(facts['changed']):,}; notes: {len(facts['notes'])}\n")
    sys.stdout.writelines(
        f"  {city} was left out completely: {why}\n"
        for city, why in facts["cities_left_out"].items()
    )
    sys.stdout.write(f"{out} ({out / REPORT} lists every row that was left out or changed)\n")
    return code
