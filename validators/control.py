"""Before publishing, set aside all rows that violate their contracts or references."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from schemas.arrow import frame
from schemas.contracts import CHECK, MESSAGE, REFERENCE, split
from schemas.ids import canonical_json, digest, quarantine_id
from schemas.tables import TABLES, Table
from validators.reach import FARTHEST_M, LOCATED, distance_from_city_m

Tables = dict[str, pl.DataFrame]

_PAYLOAD_CHARACTERS = 2000
#: Tables whose rows refer to a place, hotel or restaurant by table and id.
NAMING = ("stay_clusters", "nearest_stations")
#: Tables that report on other rows; their own rows are never set aside.
_REPORTING = ("quarantine", "stage_counts")


def control(tables: Tables, city_id: str) -> tuple[Tables, pl.DataFrame]:
    """Return the valid rows in a city's tables, and all others as rows for ``quarantine``.

    Rows that break their contract are removed first. Rows with a missing reference are then removed
    until every reference exists. The function asserts for each table that input rows = rows kept +
    rows quarantined.
    """
    kept: Tables = {}
    rejected: list[dict[str, Any]] = []
    for name, rows in tables.items():
        good, bad = split(name, rows)
        kept[name] = good
        if name not in _REPORTING:
            rejected += quarantine_rows(TABLES[name], bad, city_id)
        elif bad.height:
            raise RuntimeError(f"the reporting table {name} breaks its contract: {bad.row(0)}")
    for name in LOCATED:
        if name in kept and "cities" in kept:
            kept[name], away = _within_reach(kept[name], kept["cities"])
            rejected += quarantine_rows(TABLES[name], away, city_id)
    while dangling := _dangling(kept):
        for name, bad in dangling.items():
            kept[name] = kept[name].join(
                bad.select(TABLES[name].key), on=TABLES[name].key, how="anti", nulls_equal=True
            )
            rejected += quarantine_rows(TABLES[name], bad, city_id)
    lost = {
        name: rows.height - kept[name].height
        for name, rows in tables.items()
        if name not in _REPORTING
    }
    if sum(lost.values()) != len(rejected):
        raise RuntimeError(f"control removed the rows {lost}, but quarantined {len(rejected)} rows")
    return kept, frame("quarantine", rejected)


def _within_reach(rows: pl.DataFrame, cities: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows near their city, and the rows whose location is too far away."""
    away_km = distance_from_city_m(rows, cities) / 1000
    far = (away_km > FARTHEST_M / 1000).fill_null(False)
    message = pl.format("{} km from the city's centre", away_km.filter(far).round(0))
    return rows.filter(~far), rows.filter(far).with_columns(
        pl.lit("far_from_city").alias(CHECK), message.alias(MESSAGE)
    )


def _dangling(tables: Tables) -> Tables:
    """Return, for each table, the rows with a reference to a missing row."""
    found: Tables = {}
    for name, rows in tables.items():
        faults = []
        for column, target in TABLES[name].references.items():
            other, _, other_column = target.partition(".")
            if other not in tables:
                continue
            known = tables[other].select(pl.col(other_column).alias(column)).unique()
            missing = rows.filter(pl.col(column).is_not_null()).join(known, on=column, how="anti")
            faults.append(missing.with_columns(*find_unreferenced(column, other)))
        if name in NAMING:
            faults.append(_naming_nothing(rows, tables))
        if faults and (bad := pl.concat(faults).unique(TABLES[name].key, keep="first")).height:
            found[name] = bad
    return found


def _naming_nothing(rows: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Return the rows whose ``table`` and ``row_id`` refer to a missing row."""
    known = pl.concat(
        tables[name].select(table=pl.lit(name), row_id=TABLES[name].key[0])
        for name in LOCATED
        if name in tables and len(TABLES[name].key) == 1
    )
    return rows.join(known, on=["table", "row_id"], how="anti").with_columns(
        pl.lit(REFERENCE).alias(CHECK),
        pl.format("{} is in no row of {}", "row_id", "table").alias(MESSAGE),
    )


def find_unreferenced(column: str, other: str) -> tuple[pl.Expr, pl.Expr]:
    """Return the check and message for rows whose ``column`` refers to a missing row."""
    message = pl.format(f"{column} {{}} is in no row of {other}", pl.col(column))
    return pl.lit(REFERENCE).alias(CHECK), message.alias(MESSAGE)


def quarantine_rows(
    table: Table, bad: pl.DataFrame, city_id: str, stage: str = "control", name: str | None = None
) -> list[dict[str, Any]]:
    """Return rows of ``quarantine``; row ids that repeat within a check are numbered.

    Args:
        table: The table to which the rows belong; a table without a key uses a hash as the row id.
        bad: The rows with ``CHECK`` and ``MESSAGE``.
        city_id: The city of the rows.
        stage: The stage that set the rows aside.
        name: The name of the table at that stage, if it differs from ``table.name``.
    """
    seen: Counter[tuple[str, str]] = Counter()
    made = []
    for held in bad.sort(table.key, nulls_last=True).to_dicts() if table.key else bad.to_dicts():
        check, message = held.pop(CHECK), held.pop(MESSAGE)
        payload = canonical_json({k: v for k, v in held.items() if k not in table.bodies})
        row_id = "/".join(str(held[column]) for column in table.key) or digest(payload)
        number = seen[row_id, check]
        seen[row_id, check] += 1
        made.append(
            {
                "quarantine_id": quarantine_id(
                    city_id, stage, name or table.name, row_id,
                    f"{check}:{number}" if number else check, message,
                    payload[:_PAYLOAD_CHARACTERS],
                ),
                "city_id": city_id, "stage": stage, "table": name or table.name, "row_id": row_id,
                "check": check, "message": message, "payload": payload[:_PAYLOAD_CHARACTERS],
                "source_file": held.get("source_file"), "source_line": held.get("source_line"),
            }
        )  # fmt: skip
    return made
