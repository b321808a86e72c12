"""Commands that check structured sources, and print the results."""

from __future__ import annotations

import json
import sys
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from flows.console import build_progress
from flows.errors import SettingsError
from flows.review import annotate as annotating
from flows.review.agreed_types import write_open
from flows.settings.environment import Settings
from flows.tables import audit as table_audit
from schemas.nouns import count_noun

_SHOWN = 3


def audit(directory: Path, layout: str, names: list[str], out: Path | None, as_json: bool) -> int:
    """Check the tables in a folder. Returns 1 if a finding is an error, and otherwise 0."""
    with build_progress(len(names) or None, quiet=False) as step:
        found = table_audit.audit(directory, layout, names, step)
    _write(found["findings"], out)
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        _print(found, out)
    return 1 if found["by_severity"].get("error") else 0


def _print(found: dict[str, Any], out: Path | None) -> None:
    severities = ", ".join(f"{n} {name}" for name, n in sorted(found["by_severity"].items()))
    print(f"{count_noun(len(found['cities']), 'city')}: {severities or 'nothing found'}")
    for facts in found["by_kind"]:
        print(
            f"  {facts['severity']:<8} {facts['kind']:<26} {facts['table']:<15}"
            f" {facts['rows']:>6}  {facts['action']}: {facts['done']}"
        )
        examples = [
            f for f in found["findings"]
            if (f["kind"], f["table"]) == (facts["kind"], facts["table"])
        ][:_SHOWN]  # fmt: skip
        for finding in examples:
            line = f":{finding['line']}" if finding["line"] else ""
            print(f"      {finding['file']}{line}: {finding['message']}")
    if out is not None:
        print(str(out), file=sys.stderr)


def annotate(
    directory: Path, layout: str, names: list[str], who: list[str], out: Path | None,
    review: Path | None, settings: Settings, as_json: bool,
) -> None:  # fmt: skip
    """Assign types to attractions with two annotators, and print how well they agree."""
    with build_progress(len(names) or None, quiet=False) as step:
        found = annotating.annotate(directory, layout, names, who, settings, step)
    _write(found["rows"], out)
    if review is not None:
        write_open(found["rows"], who, review)
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
        return
    status = ", ".join(f"{n} {name}" for name, n in found["status"].items())
    print(f"{count_noun(found['places'], 'place')}, {found['answered_by_both']} by both: {status}")
    for code, facts in found["kappa"].items():
        kappa = "   -  " if facts["kappa"] is None else f"{facts['kappa']:6.3f}"
        counts = f"{facts['first_yes']:>5} {facts['second_yes']:>5} {facts['both_yes']:>5}"
        print(f"  {code:<24} kappa {kappa}  {who[0]}, {who[1]}, both: {counts}")


def _write(rows: list[dict[str, Any]], out: Path | None) -> None:
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        out.write_text("".join(lines), encoding="utf-8")


def init(folder: Path) -> None:
    """Copy the example into a new or empty folder, and print what to do next.

    Raises SettingsError if the folder is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SettingsError(f"{folder} already exists and is not empty: choose a new folder")
    _copy(resources.files("flows.tables") / "example", folder)
    sys.stdout.write((folder / "README.md").read_text(encoding="utf-8").partition("|")[0])
    sys.stdout.write(f"Start with: cd {folder}\n")


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())
