"""``tripbed queries standard``: shows the elements that seed queries consist of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flows.errors import SettingsError
from flows.queries.files import read_lines
from flows.settings.profile import load_profile
from queries.standard import induce
from queries.tprag import strata


def standard_of(path: Path, profile: str) -> dict[str, Any]:
    """Elements, their words and the patterns of the seeds, and what of a profile's plan they lack.

    Raises SettingsError for files without a query.
    """
    if not path.exists():
        raise SettingsError(f"{path}: no such file or folder")
    seeds = [text for _, text in read_lines(path)]
    if not seeds:
        raise SettingsError(
            f"{path} has no seed queries: give a text file with one query on each line"
        )
    asked = load_profile(profile).queries
    induced = induce(seeds)
    return {**induced.facts(), "unmet": induced.unmet(strata(asked.days, asked.constraint_kinds))}
