"""Commands that check structured sources, assign types to attractions, and write an example.

For each finding, ``tripbed tables audit`` shows how a build handles the row.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl

from flows.console import build_progress, print_json, write_json_lines
from flows.errors import SettingsError
from flows.review import annotate as annotating
from flows.review.agreed_types import write_open
from flows.settings.environment import Settings
from geocoding.datum import compare_lists
from geocoding.findings import elsewhere
from schemas.cities import City, find_city
from schemas.nouns import count_noun
from sources.tables.imported import Imported
from sources.tables.intake import TableError
from sources.tables.registry import available_cities, read_tables
from sources.tables.rules import RULES

Finding = dict[str, Any]
#: Tables, each with the tables with whose places its own are compared to check coordinate systems.
_COMPARED = (
    ("attractions", ("hotels", "restaurants")),
    ("hotels", ("attractions",)),
    ("restaurants", ("hotels",)),
)


def audit_folder(
    directory: Path, layout: str, names: Sequence[str], step: Callable[[str], None]
) -> dict[str, Any]:
    """List the findings for the named cities or, if ``names`` is empty, for all cities in a folder.

    ``step`` is called with each city's slug before the city is read. A row about two cities, such
    as a train, is listed once for each city. Raises TableError if the source cannot be read, and
    UnknownCityError if a city is unknown.
    """
    cities = _cities(directory, layout, names)
    findings: list[Finding] = []
    counts: list[pl.DataFrame] = []
    for city in cities:
        step(city.slug)
        imported = read_tables(directory, layout, city)
        findings += audit_import(imported, city)
        counts.append(imported.counts.with_columns(city=pl.lit(city.slug)))
    return {
        "directory": str(directory),
        "format": layout,
        "cities": [city.slug for city in cities],
        "by_kind": _by_kind(findings),
        "by_city": _by_city(findings),
        "by_severity": dict(Counter(f["severity"] for f in _distinct(findings))),
        "rows": _accounts(counts),
        "findings": findings,
    }


def _cities(directory: Path, layout: str, names: Sequence[str]) -> list[City]:
    stated = available_cities(directory, layout)
    if not names and stated is None:
        raise TableError(
            f"the tables in {directory} do not state which city they describe: give --city"
        )
    return [find_city(name) for name in (names or stated or ())]


def audit_import(imported: Imported, city: City) -> list[Finding]:
    """List the findings for one city.

    The findings include those of the import, places that lie in other cities, and tables in a
    different coordinate system.
    """
    rows = [
        _finding(
            city, row["kind"], row["table"], row["source_file"], row["source_line"], row["message"]
        )
        for row in imported.findings.iter_rows(named=True)
    ]
    for table in ("attractions", "hotels", "restaurants"):
        rows += _elsewhere(getattr(imported, table), table, city)
    return sorted(
        [*rows, *_datums(imported, city)],
        key=lambda f: (f["table"], f["file"], f["line"] or 0, f["kind"], f["message"]),
    )


def _finding(
    city: City, kind: str, table: str, file: str, line: int | None, message: str
) -> Finding:
    rule = RULES[kind]
    return {
        "city": city.slug,
        "severity": rule.severity,
        "kind": kind,
        "table": table,
        "file": file,
        "line": line,
        "message": message,
        "action": rule.action,
        "rule": f"{rule.when}: {rule.done}",
    }


def _elsewhere(rows: pl.DataFrame, table: str, city: City) -> list[Finding]:
    return [
        _finding(
            city, "in_another_city", table, row["source_file"], row["source_line"],
            f"{row['name_zh'] or row['name_en']} lies at {row['lat']:.4f}, {row['lon']:.4f}",
        )
        for row in elsewhere(rows, city).iter_rows(named=True)
    ]  # fmt: skip


def _datums(imported: Imported, city: City) -> Iterator[Finding]:
    """List the tables that are not in the same coordinate system as the other tables."""
    for table, others in _COMPARED:
        rows = getattr(imported, table)
        known = pl.concat([_list_places(getattr(imported, other)) for other in others])
        if rows.is_empty() or known.is_empty():
            continue
        report = compare_lists(known, "wgs84", _list_places(rows))
        kind = (
            "datum_mixed" if report.is_mixture
            else "datum_other" if report.datum not in (None, "wgs84") else None
        )  # fmt: skip
        if kind is not None:
            taken = ", ".join(sorted(rows["datum_original"].unique()))
            against = " and ".join(others)
            message = f"read as {taken}; a comparison with {against} shows: {report.message}"
            yield _finding(city, kind, table, rows["source_file"][0], None, message)


def _list_places(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(name=pl.coalesce("name_zh", "name_en"), lat="lat", lon="lon")


def _distinct(findings: Sequence[Finding]) -> list[Finding]:
    """Return each finding once, even if its row is about two cities."""
    keys = ("kind", "table", "file", "line", "message")
    return list({tuple(f[key] for key in keys): f for f in findings}.values())


def _by_kind(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Count the findings by kind and table, and add the rule for each kind. The most severe kinds
    come first.
    """
    counted = Counter((f["kind"], f["table"]) for f in _distinct(findings))
    rows = [
        {"kind": kind, "table": table, "rows": rows, **asdict(RULES[kind])}
        for (kind, table), rows in sorted(counted.items())
    ]
    return sorted(rows, key=lambda row: ("error", "warning", "notice").index(row["severity"]))


def _by_city(findings: Sequence[Finding]) -> dict[str, dict[str, int]]:
    return {
        city: dict(sorted(Counter(f["kind"] for f in findings if f["city"] == city).items()))
        for city in sorted({f["city"] for f in findings})
    }


def _accounts(counts: Sequence[pl.DataFrame]) -> list[dict[str, Any]]:
    """Return how many rows were read, kept, merged and set aside, by city and table."""
    columns = ("city", "table", "rows_in", "rows_kept", "rows_merged", "rows_quarantined")
    return pl.concat(counts).select(columns).to_dicts() if counts else []


_SHOWN = 3


def audit(directory: Path, layout: str, names: list[str], out: Path | None, as_json: bool) -> int:
    """Check the tables in a folder. Returns 1 if a finding is an error, and otherwise 0."""
    with build_progress(len(names) or None, quiet=False) as step:
        found = audit_folder(directory, layout, names, step)
    _write(found["findings"], out)
    if as_json:
        print_json(found)
    else:
        _print(found, out)
    return 1 if found["by_severity"].get("error") else 0


def _print(found: dict[str, Any], out: Path | None) -> None:
    severities = ", ".join(f"{n} {name}" for name, n in sorted(found["by_severity"].items()))
    print(f"{count_noun(len(found['cities']), 'city')}: {severities or 'no findings'}")
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
        print_json(found)
        return
    status = ", ".join(f"{n} {name}" for name, n in found["status"].items())
    both = f"{found['answered_by_both']} of them answered by both annotators"
    print(f"{count_noun(found['places'], 'place')}, {both}: {status}")
    for code, facts in found["kappa"].items():
        kappa = "   -  " if facts["kappa"] is None else f"{facts['kappa']:6.3f}"
        counts = f"{facts['first_yes']:>5} {facts['second_yes']:>5} {facts['both_yes']:>5}"
        print(f"  {code:<24} kappa {kappa}  {who[0]}, {who[1]}, both: {counts}")


def _write(rows: list[dict[str, Any]], out: Path | None) -> None:
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_json_lines(rows, out)


def init(folder: Path) -> None:
    """Copy the example into a new or empty folder, and print what to do next.

    Raises SettingsError if the folder is not empty, or is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise SettingsError(f"{folder} is a file: choose a new folder")
    if folder.exists() and any(folder.iterdir()):
        raise SettingsError(f"{folder} already exists and is not empty: choose a new folder")
    with resources.as_file(resources.files("flows.tables") / "example") as example:
        shutil.copytree(example, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    head = (folder / "README.md").read_text(encoding="utf-8").partition("|")[0]
    print(f"{head}Start with: cd {folder}")
