"""The command ``tripbed inspect --statistics``, which compares a snapshot with published papers."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from flows.errors import SettingsError
from warehouse.read import Snapshot
from warehouse.statistics import PAPERS, show_number, statistics_of


def inspect_statistics(path: Path, paper: str, as_json: bool) -> None:
    """Print the figures of one paper, or of all papers, beside those of a snapshot.

    Raises SettingsError if the paper is unknown.
    """
    if paper not in (*PAPERS, "all"):
        raise SettingsError(f"--statistics {paper}: choose one of {', '.join(PAPERS)}, or all")
    found = statistics_of(Snapshot(path), PAPERS if paper == "all" else (paper,))
    if as_json:
        sys.stdout.write(json.dumps([asdict(row) for row in found], ensure_ascii=False) + "\n")
        return
    before = None
    for row in found:
        if row.paper != before:
            sys.stdout.write(f"{row.paper:<60}{'paper':>12}{'here':>12}\n")
            before = row.paper
        told = f"  {row.label} ({row.where})"
        sys.stdout.write(f"{told:<60}{show_number(row.published):>12}{show_number(row.here):>12}\n")


def collect(snapshot: Snapshot) -> list[list[Any]]:
    """List [paper, label, place in the paper, the paper's figure, the snapshot's figure]."""
    found = statistics_of(snapshot)
    return [[row.paper, row.label, row.where, row.published, row.here] for row in found]
