"""The command ``tripbed export``: write, and say what was written and what was not."""

from __future__ import annotations

import sys
from pathlib import Path

from warehouse.export import REPORT, export


def export_snapshot(snapshot: Path, layout: str, out: Path, as_json: bool) -> None:
    """Export and print the counts, or the whole account as JSON."""
    account = export(snapshot, layout, out)
    if as_json:
        sys.stdout.write(account.json() + "\n")
        return
    facts = account.facts()
    for city, tables in facts["counts"].items():
        for table, n in tables.items():
            left = f", {n['left_out']} left out" if n["left_out"] else ""
            sys.stdout.write(f"  {city:<12} {table:<15} {n['written']:>7,} written{left}\n")
    for reason, number in facts["reasons"].items():
        sys.stdout.write(f"  left out, {reason}: {number:,}\n")
    sys.stdout.write(f"  values changed: {len(facts['changed']):,}; notes: {len(facts['notes'])}\n")
    sys.stdout.write(f"{out} (every row left out or changed: {out / REPORT})\n")
