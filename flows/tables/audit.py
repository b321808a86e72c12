"""The command ``tripbed tables audit``, which lists what is wrong with the rows of a source.

For each finding, it says how a build handles the row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from geocoding.datum import compare_lists
from geocoding.findings import elsewhere
from schemas.cities import City, find_city
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


def audit(
    directory: Path, layout: str, names: Sequence[str], step: Callable[[str], None]
) -> dict[str, Any]:
    """List the findings for the named cities or, if ``names`` is empty, for all cities of a folder.

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
            f"the tables in {directory} do not say which city they are about: give --city"
        )
    return [find_city(name) for name in (names or stated or ())]


def audit_import(imported: Imported, city: City) -> list[Finding]:
    """List the findings for one city.

    These come from reading the tables, from places in other cities, and from coordinate systems.
    """
    rows = [
        _finding(
            city, row["kind"], row["table"], row["source_file"], row["source_line"], row["message"]
        )
        for row in imported.findings.iter_rows(named=True)
    ]
    for table in ("attractions", "hotels", "restaurants"):
        rows += _elsewhere(getattr(imported, table), table, city)
    rows += _datums(imported, city)
    return sorted(
        rows, key=lambda f: (f["table"], f["file"], f["line"] or 0, f["kind"], f["message"])
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


def _datums(imported: Imported, city: City) -> list[Finding]:
    """List the tables that are not in the same coordinate system as the others."""
    found = []
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
            message = f"read as {taken}, beside {' and '.join(others)} {report.message}"
            found.append(_finding(city, kind, table, rows["source_file"][0], None, message))
    return found


def _list_places(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(name=pl.coalesce("name_zh", "name_en"), lat="lat", lon="lon")


def _distinct(findings: Sequence[Finding]) -> list[Finding]:
    """Return each finding once, even if its row is about two cities."""
    keys = ("kind", "table", "file", "line", "message")
    return list({tuple(f[key] for key in keys): f for f in findings}.values())


def _by_kind(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Count the rows by kind and table, and add the rule. The most severe kinds come first."""
    return [
        {"kind": kind, "table": table, "rows": rows, **asdict(RULES[kind])}
        for (kind, table), rows in sorted(
            Counter((f["kind"], f["table"]) for f in _distinct(findings)).items(), key=_gravest
        )
    ]


def _gravest(entry: tuple[tuple[str, str], int]) -> tuple[int, str, str]:
    (kind, table), _ = entry
    return ("error", "warning", "notice").index(RULES[kind].severity), kind, table


def _by_city(findings: Sequence[Finding]) -> dict[str, dict[str, int]]:
    return {
        city: dict(sorted(Counter(f["kind"] for f in findings if f["city"] == city).items()))
        for city in sorted({f["city"] for f in findings})
    }


def _accounts(counts: Sequence[pl.DataFrame]) -> list[dict[str, Any]]:
    """Return how many rows were read, kept, merged and set aside, by city and table."""
    columns = ("city", "table", "rows_in", "rows_kept", "rows_merged", "rows_quarantined")
    return pl.concat(counts).select(columns).to_dicts() if counts else []
