"""Read any CSV, TSV, JSON or Parquet file whose columns are described in a ``mapping.yaml``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from schemas.cities import City
from sources.tables import canonical
from sources.tables.connections import city_named
from sources.tables.files import read_csv, read_json_list, read_jsonl, read_parquet
from sources.tables.imported import Imported, assemble
from sources.tables.intake import SourceRow, TableError
from sources.tables.mapping import MappedColumn, MappedFile, read_mapping

#: Columns of tripbed's own layout that a mapping must fill, by table.
_NEEDED: dict[str, tuple[str, ...]] = {
    "attractions": ("lat", "lon"),
    "hotels": ("lat", "lon"),
    "restaurants": ("lat", "lon"),
    "trains": canonical.connection_columns("train"),
    "flights": canonical.connection_columns("flight"),
    "hubs": ("name", "lat", "lon"),
    "metro_stations": ("line", "name", "lat", "lon"),
    "metro_fares": ("price",),
}


def city_names(directory: Path) -> list[str] | None:
    """Return the cities named in the mapping or in a mapped column, or None if there are none."""
    names: set[str] = set()
    stated = False
    for mapped in read_mapping(directory):
        if mapped.city is not None:
            names.add(mapped.city)
            stated = True
        elif "city" in mapped.columns:
            names |= {name for row in _rows(directory, mapped) if (name := row.text("city"))}
            stated = True
    known = {named.city_id: name for name in sorted(names) if (named := city_named(name))}
    return sorted(known.values()) if stated else None


def read_mapped(directory: Path, city: City) -> Imported:
    """Read the city's tables. Raises TableError if the mapping or a file is invalid."""
    rows: dict[str, list[SourceRow]] = {}
    for mapped in read_mapping(directory):
        rows.setdefault(mapped.table, []).extend(_rows(directory, mapped))
    return assemble(*canonical.read_rows(rows, city))


def _rows(directory: Path, mapped: MappedFile) -> list[SourceRow]:
    needed = [name for name in _NEEDED[mapped.table] if name not in mapped.columns]
    if mapped.table in ("attractions", "hotels", "restaurants") and not (
        {"name_zh", "name_en"} & set(mapped.columns)
    ):
        needed.append("name_zh or name_en")
    if needed:
        raise TableError(
            f"{directory / 'mapping.yaml'}: the mapping of {mapped.file} to {mapped.table} lacks"
            f" {', '.join(needed)}: add what is missing under 'columns'"
        )
    wanted = [c.column for c in mapped.columns.values() if c.column is not None]
    return [_translate_row(mapped, row) for row in _read(directory, mapped, wanted)]


def _read(directory: Path, mapped: MappedFile, wanted: list[str]) -> list[SourceRow]:
    file, encoding = mapped.file, mapped.encoding
    match mapped.format:
        case "parquet":
            return read_parquet(directory, file, wanted)
        case "json":
            return read_json_list(directory, file, wanted)
        case "jsonl":
            return read_jsonl(directory, file, wanted, encoding)
        case _:
            return read_csv(directory, file, wanted, delimiter=mapped.delimiter, encoding=encoding)


def _translate_row(mapped: MappedFile, row: SourceRow) -> SourceRow:
    """Return the row with tripbed's own column names, units and codes."""
    read = partial(_cell, row)
    cells = {name: read(name, column) for name, column in mapped.columns.items()}
    if mapped.city is not None:
        cells.setdefault("city", mapped.city)
    if mapped.currency is not None and not cells.get("currency"):
        cells["currency"] = mapped.currency
    if row.broken is not None:
        cells = {**row.cells, **({"city": cells["city"]} if "city" in cells else {})}
    return SourceRow(
        row.file, row.line, cells, row.broken, row.notes, mapped.provenance, mapped.datum,
        mapped.has_filler,
    )  # fmt: skip


def _cell(row: SourceRow, name: str, column: MappedColumn) -> str:
    text = column.value if column.column is None else row.text(column.column)
    if text is None:
        return ""
    if column.separator is not None:
        parts = (part.strip() for part in text.strip("{}[]").split(column.separator))
        return "|".join(column.codes.get(part, part) for part in parts if part)
    text = column.codes.get(text, text)
    if column.factor == 1:
        return text
    try:
        return f"{float(text) * column.factor:.6f}".rstrip("0").rstrip(".")
    except ValueError:
        row.broken = row.broken or f"{column.column} ({name}) is not a number: {text!r}"
        return text
