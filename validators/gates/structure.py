"""Gates on the files, schemas, keys, contracts, references and partitions of all tables."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pyarrow as pa

from schemas.fields import Field
from schemas.tables import SCHEMA_VERSION
from validators.gates.base import (
    Failure,
    Gate,
    GateContext,
    failing,
    failing_any,
    failures,
    gathered,
    list_counted_sources,
    report,
    row_key,
    together,
)
from warehouse.given import read_given
from warehouse.manifest import FileEntry, verify


def files(context: GateContext) -> pl.DataFrame:
    """Every file exists, is unchanged and is listed in the manifest."""
    faults = verify(context.path, context.manifest)
    return failures((_table_of(path), "file", path, None, what) for path, what in faults)


def _table_of(path: str) -> str:
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "manifest"


@gathered
def schema(context: GateContext) -> Iterator[Failure]:
    """Each table exists, and each file has the column names and types of its table."""
    yield from (
        ("manifest", "tables", name, None, "the table is missing")
        for name in context.definitions
        if name not in context.manifest.tables
    )
    for name, entry in context.manifest.tables.items():
        if name not in context.definitions:
            yield (name, "table", name, None, "this schema version does not have this table")
            continue
        wanted = context.snapshot.schema(name)
        for file in entry.files:
            yield from _schema_faults(context, name, file, wanted)


def _schema_faults(
    context: GateContext, table: str, file: FileEntry, wanted: pa.Schema
) -> list[Failure]:
    path = file.path
    try:
        have = _schema_of(context, file)
    except (pa.ArrowException, OSError) as error:
        return [(table, "file", path, None, f"the file cannot be read: {str(error)[:200]}")]
    if have.names != wanted.names:
        odd = sorted(set(have.names) ^ set(wanted.names)) or have.names
        return [(table, odd[0], path, None, f"columns differ: {', '.join(odd[:5])}")]
    return [
        (table, mine.name, path, str(other.type), f"the type is {other.type}, not {mine.type}")
        for other, mine in zip(have, wanted, strict=True)
        if other.type != mine.type
    ]


def _schema_of(context: GateContext, file: FileEntry) -> pa.Schema:
    return context.snapshot.footer(file).schema.to_arrow_schema()


@gathered
def nullability(context: GateContext) -> Iterator[Failure]:
    """In each file, only columns that the table allows to be null are declared nullable."""
    for name, entry in context.manifest.tables.items():
        for file in entry.files:
            have = _schema_of(context, file)
            yield from (
                (
                    name,
                    field.name,
                    file.path,
                    str(have.field(field.name).nullable),
                    "the file and the table disagree on whether this column can be null",
                )
                for field in context.snapshot.schema(name)
                if have.field(field.name).nullable != field.nullable
            )


@gathered
def row_counts(context: GateContext) -> Iterator[Failure]:
    """The row counts in the manifest are correct."""
    for name, table in context.manifest.tables.items():
        for entry in table.files:
            rows = context.snapshot.footer(entry).num_rows
            if rows != entry.rows:
                message = f"the row count in the manifest is {entry.rows}"
                yield (name, "rows", entry.path, str(rows), message)
        total = sum(entry.rows for entry in table.files)
        if total != table.rows:
            message = f"the total row count in the manifest is {table.rows}"
            yield (name, "rows", name, str(total), message)


@gathered
def cities_listed(context: GateContext) -> Iterator[Failure]:
    """The manifest lists exactly the cities in the snapshot, each with its settings."""
    real = context.table("cities")["slug"].to_list()
    listed = list(context.manifest.cities)
    yield from (
        (
            "manifest",
            "cities",
            slug,
            None,
            "the city must be listed both in the manifest and in the table `cities`",
        )
        for slug in sorted({*real} ^ {*listed})
    )
    if len(set(listed)) != len(listed):
        yield ("manifest", "cities", ",".join(listed), None, "the manifest lists a city twice")
    yield from (
        ("manifest", "settings", slug, None, "the settings of the city's profile are missing")
        for slug in sorted({*listed})
        if context.find_demands(slug) is None
    )


def sources_counted(context: GateContext) -> pl.DataFrame:
    """The counts of sources in the manifest are correct."""
    told = context.manifest.sources
    if told is None:
        return failures([])
    given = read_given(context.path, any_version=True).get("documents")
    real = list_counted_sources(context, given)
    # A manifest without a number of documents counted each document once per city.
    is_older = told.documents is None or context.manifest.schema_version != SCHEMA_VERSION
    compared = _COUNTED_ALWAYS if is_older else tuple(type(told).model_fields)
    return failures(
        (
            "manifest",
            "sources",
            name,
            str(getattr(told, name))[:200],
            f"there are {getattr(real, name)}"[:200],
        )
        for name in compared
        if getattr(told, name) != getattr(real, name)
    )


_COUNTED_ALWAYS = ("rows_by_file", "newest_document")


def key_unique(context: GateContext) -> pl.DataFrame:
    """No key appears twice."""
    return together(
        failing(
            table, rows, pl.struct(table.key).is_duplicated(), table.key[0], "the key appears twice"
        )
        for name, table in context.definitions.items()
        if (rows := context.table(name)).select(table.key).n_unique() < rows.height
    )


@gathered
def key_order(context: GateContext) -> Iterator[Failure]:
    """The rows in a file are sorted by the key."""
    for name, held in context.manifest.tables.items():
        table = context.definitions[name]
        key = list(table.key)
        for entry in held.files:
            rows = context.part(name, entry).select(key)
            ordered = rows.sort(key, nulls_last=True)
            if not rows.equals(ordered):
                moved = next(i for i in range(rows.height) if rows.row(i) != ordered.row(i))
                where = rows.slice(moved, 1).select(row_key(table)).item()
                yield (
                    name,
                    key[0],
                    where,
                    None,
                    "the row is out of order: rows must be sorted by the key",
                )


def not_null(context: GateContext) -> pl.DataFrame:
    """No value is null in a column that must not be null."""
    return together(
        failing_any(
            table,
            context.table(name),
            (
                (pl.col(column).is_null(), column, "the value must not be null")
                for column in table.column_names
                if column not in table.nullable
            ),
        )
        for name, table in context.definitions.items()
    )


def codes(context: GateContext) -> pl.DataFrame:
    """Values in a field with a closed vocabulary belong to that vocabulary."""
    return together(
        failing_any(
            table,
            context.table(name),
            (
                (
                    _not_of(field, known),
                    field.name,
                    f"the value is not one of the {len(known)} known codes",
                )
                for field in table.fields
                if (known := field.codes) is not None
            ),
        )
        for name, table in context.definitions.items()
    )


def _not_of(field: Field, known: tuple[str, ...]) -> pl.Expr:
    if pa.types.is_list(field.type):
        return pl.col(field.name).list.eval(~pl.element().is_in(known)).list.any()
    return ~pl.col(field.name).is_in(known)


def limits(context: GateContext) -> pl.DataFrame:
    """Numbers are within the limits of their fields."""
    return together(
        failing_any(
            table,
            context.table(name),
            (check for field in table.fields for check in _limits(field)),
        )
        for name, table in context.definitions.items()
    )


def _limits(field: Field) -> Iterator[tuple[pl.Expr, str, str]]:
    # The gate ``finite`` reports values that are not numbers.
    value = pl.col(field.name)
    known = ~value.is_nan() if pa.types.is_floating(field.type) else pl.lit(True)
    if field.minimum is not None:
        yield known & (value < field.minimum), field.name, f"the value is below {field.minimum:g}"
    if field.maximum is not None:
        yield known & (value > field.maximum), field.name, f"the value is above {field.maximum:g}"


def finite(context: GateContext) -> pl.DataFrame:
    """No number is infinite or NaN (not a number)."""
    return together(
        failing_any(
            table,
            context.table(name),
            (
                (~pl.col(field.name).is_finite(), field.name, "the value is infinite or NaN")
                for field in table.fields
                if pa.types.is_floating(field.type)
            ),
        )
        for name, table in context.definitions.items()
    )


def patterns(context: GateContext) -> pl.DataFrame:
    """Ids and hashes have the required format."""
    return together(
        failing_any(
            table,
            context.table(name),
            (
                (
                    ~pl.col(field.name).str.contains(field.pattern),
                    field.name,
                    "the value does not have the required format",
                )
                for field in table.fields
                if field.pattern is not None
            ),
        )
        for name, table in context.definitions.items()
    )


@gathered
def references(context: GateContext) -> Iterator[pl.DataFrame]:
    """Every reference points to an existing row."""
    for name, table in context.definitions.items():
        rows = context.table(name)
        for column, target in table.references.items():
            other, _, other_column = target.partition(".")
            known = context.table(other)[other_column].unique().implode()
            yield failing(
                table, rows, ~pl.col(column).is_in(known), column, f"no row of {other} has this id"
            )


@gathered
def same_city(context: GateContext) -> Iterator[pl.DataFrame]:
    """A row and the row that it refers to belong to the same city."""
    for name, table in context.definitions.items():
        if "city_id" not in table.column_names:
            continue
        rows = context.table(name)
        for column, target in table.references.items():
            other, _, other_column = target.partition(".")
            if other == "cities":
                continue
            known = context.table(other).select(pl.col(other_column).alias(column), "city_id")
            strangers = rows.filter(pl.col(column).is_in(known[column].unique().implode())).join(
                known, on=[column, "city_id"], how="anti"
            )
            yield report(
                table,
                strangers,
                column,
                f"the id refers to a row of {other} that belongs to a different city",
            )


@gathered
def partitions(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each row is in the partition of its own city or pair of cities."""
    slugs = dict(context.table("cities").select("city_id", "slug").iter_rows())
    for name, table in context.definitions.items():
        for entry in context.manifest.tables[name].files if table.partition != "none" else ():
            value = entry.path.split("=", 1)[1].split("/")[0]
            rows = context.part(name, entry)
            if table.partition == "city":
                right = pl.col("city_id").replace_strict(slugs, default=None) == value
                column = "city_id"
            else:
                right, column = _of_one_pair(value, slugs), "origin_city_id"
            yield failing(
                table,
                rows,
                ~right.fill_null(False),
                column,
                f"the row does not belong to the partition {value}",
            )


def _of_one_pair(value: str, slugs: dict[str, str]) -> pl.Expr:
    """Check whether rows belong to this pair of cities.

    A city outside the snapshot has no known slug, so all its rows must have the same city id.
    """
    origin, _, destination = value.partition("--")
    right = pl.lit(True)
    for column, slug in (("origin_city_id", origin), ("destination_city_id", destination)):
        known = [city for city, other in slugs.items() if other == slug]
        if known:
            right &= pl.col(column).is_in(known)
        else:
            right &= ~pl.col(column).is_in(list(slugs)) & (pl.col(column).n_unique() == 1)
    return right


@gathered
def known_share(context: GateContext) -> Iterator[Failure]:
    """In each field, the share of known values is at least the minimum that the profile sets."""
    for name, floor in sorted(context.floors().items()):
        table, _, column = name.partition(".")
        known = context.definitions.get(table)
        if known is None or column not in known.column_names:
            yield (
                table,
                column,
                "profile",
                None,
                f"the profile sets a minimum for {name}, but this field does not exist",
            )
            continue
        rows = context.table(table)
        share = 1 - rows[column].null_count() / rows.height if rows.height else 1.0
        if share < floor:
            yield (
                table,
                column,
                "all",
                f"{share:.3f}",
                f"the share of known values is below the minimum of {floor}",
            )


GATES = (
    Gate(
        "files",
        files,
        "A changed or missing file makes every other check worthless.",
        "Build again; do not edit published files.",
        "snapshot",
    ),
    Gate(
        "schema",
        schema,
        "Programs that read the tables rely on column names and types.",
        "Write the file with the schemas of this version.",
        "table",
    ),
    Gate(
        "nullability",
        nullability,
        "Programs that read the tables must know which values can be null.",
        "Write the file with the schemas of this version.",
        "table",
    ),
    Gate(
        "row_counts",
        row_counts,
        "Reports quote the counts in the manifest.",
        "Build again.",
        "table",
    ),
    Gate(
        "cities_listed",
        cities_listed,
        "The manifest lists what a snapshot contains.",
        "Publish again.",
        "snapshot",
    ),
    Gate(
        "sources_counted",
        sources_counted,
        "The dataset card quotes these counts.",
        "Publish again.",
        "snapshot",
    ),
    Gate(
        "key_unique",
        key_unique,
        "A key must identify exactly one row.",
        "Find the stage that returns a row twice.",
    ),
    Gate(
        "key_order",
        key_order,
        "The same rows must always produce the same bytes.",
        "Sort the rows by the key before writing.",
        "table",
    ),
    Gate(
        "not_null",
        not_null,
        "Required values must not be null.",
        "Quarantine the row, or make the field nullable.",
    ),
    Gate(
        "codes",
        codes,
        "Programs that read the tables expect only the listed codes.",
        "Map the value to a code in the taxonomy, or to null.",
    ),
    Gate(
        "limits",
        limits,
        "If a number is outside the limits of its field, its unit or its source is probably wrong.",
        "Look at the source row.",
    ),
    Gate(
        "finite",
        finite,
        "An average is NaN if any of its values is NaN.",
        "Quarantine the row, or leave the value unknown.",
    ),
    Gate(
        "patterns",
        patterns,
        "tripbed makes ids only in the required format.",
        "Make ids with `schemas.ids`.",
    ),
    Gate(
        "references",
        references,
        "A reference to a missing row breaks every join that uses the reference.",
        "If a row is quarantined, also quarantine the rows that refer to it.",
    ),
    Gate(
        "same_city",
        same_city,
        "A row about one city must not refer to rows about another city.",
        "Look for a join that does not match on the city.",
    ),
    Gate(
        "partitions",
        partitions,
        "A build of one city replaces entire partitions, so each row must be in the right "
        "partition.",
        "Split the rows by city before writing.",
    ),
    Gate(
        "known_share",
        known_share,
        "A field is useless if most of its values are unknown.",
        "Add sources. If so many unknown values are acceptable, lower the minimum in the profile.",
        "table",
    ),
)
