"""Reads a snapshot's tables, by city, file or column, and counts the sources of their rows."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.arrow import arrow_schema, arrow_schema_of, polars_schema
from schemas.licences import NONE_STATED, spdx_name
from schemas.tables import SCHEMA_VERSION, TABLES
from warehouse.errors import SnapshotError
from warehouse.manifest import FileEntry, Manifest, Sources, definitions_of, read_manifest

#: A file is not read if its unpacked size exceeds both this size and this multiple of its own size.
_UNPACKED_BYTES, _UNPACKED_RATIO = 64_000_000, 200


class Snapshot:
    """The manifest and tables of a snapshot.

    Rows have the form of the current schema version. With ``any_version``, rows have the form of
    the snapshot's own version, which may be older. ``definitions`` contains the tables of the
    version that applies, by name. Raises SnapshotError if the folder is not a snapshot or if its
    version cannot be read.
    """

    def __init__(self, path: Path, *, any_version: bool = False):
        self.path = path.resolve()
        self.manifest: Manifest = read_manifest(self.path, any_version=any_version)
        self.definitions = definitions_of(self.manifest.schema_version) if any_version else TABLES
        #: Whether columns that were added in later versions are filled with nulls.
        self._completes = not any_version and self.manifest.schema_version != SCHEMA_VERSION
        self._footers: dict[str, pq.FileMetaData] = {}
        self._held: dict[str, bytes] = {}

    def hold(self) -> None:
        """Keep all files in memory in packed form, so that the folder is no longer needed.

        Raises SnapshotError if a file cannot be read.
        """
        for name in self.tables():
            for entry in self.manifest.tables[name].files:
                path = self.path / entry.path
                try:
                    self._held[entry.path] = path.read_bytes()
                except OSError as error:
                    raise SnapshotError(f"table {name}: {path}: {error.strerror}") from None

    def _file(self, entry: FileEntry) -> io.BytesIO | Path:
        held = self._held.get(entry.path)
        return self.path / entry.path if held is None else io.BytesIO(held)

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables, in the order of the data dictionary."""
        return tuple(name for name in self.definitions if name in self.manifest.tables)

    def schema(self, name: str) -> pa.Schema:
        """Return the Arrow schema of a table."""
        if self.definitions is TABLES:
            return arrow_schema(name)
        return arrow_schema_of(self.definitions[name])

    def empty(self, name: str) -> pl.DataFrame:
        """Return an empty frame with the columns of a table."""
        return pl.DataFrame(self.schema(name).empty_table())

    def table(self, name: str, city: str | None = None) -> pl.DataFrame:
        """Return the rows of a table, sorted by its key.

        ``city`` limits the rows to one city (a slug) or to one pair of cities (a pair of slugs).
        Raises SnapshotError if the table does not exist or a file cannot be read.
        """
        parts = [self.rows_of(name, entry) for entry in self._entries(name, city)]
        if not parts:
            return self.empty(name)
        return pl.concat(parts).sort(self.definitions[name].key, nulls_last=True)

    def _entries(self, name: str, part: str | None) -> list[FileEntry]:
        """Return the files of a table that have rows, optionally for one city or pair of cities.

        Raises SnapshotError if the table does not exist.
        """
        if name not in self.manifest.tables:
            raise SnapshotError(
                f"{self.path.name} has no table {name!r}; it has {', '.join(self.tables())}"
            )
        entries = self.manifest.tables[name].files
        return [e for e in entries if e.rows and (part is None or f"={part}/" in e.path)]

    def arrow(
        self, name: str, part: str | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Return the rows of a table as Arrow, optionally for only one city or pair of cities, and
        with only some of the columns.

        The rows are in the order of the files, which are sorted by key within a partition. The
        method uses only one thread, so that it also works in forked processes. Raises SnapshotError
        if the table does not exist or a file cannot be read.
        """
        found = []
        for entry in self._entries(name, part):
            try:
                self._refuse_bombs(entry)
                file = pq.ParquetFile(self._file(entry), metadata=self.footer(entry))
                found.append(self._arrow_columns(name, file, columns))
            except (pa.ArrowException, OSError, KeyError, ValueError) as error:
                raise SnapshotError(
                    f"table {name}: {self.path / entry.path} cannot be read: {str(error)[:200]}"
                ) from None
        if not found:
            empty = self.schema(name).empty_table()
            return empty if columns is None else empty.select(list(columns))
        return pa.concat_tables(found).combine_chunks()

    def _arrow_columns(
        self, table: str, file: pq.ParquetFile, columns: Sequence[str] | None
    ) -> pa.Table:
        """Read columns of a file; columns from later schema versions are filled with nulls."""
        schema = self.schema(table)
        wanted = schema.names if columns is None else list(columns)
        held = set(file.schema_arrow.names)
        rows = file.read(columns=[c for c in wanted if c in held], use_threads=False)
        for name in wanted:
            if name not in held and self._completes:
                rows = rows.append_column(name, pa.nulls(rows.num_rows, schema.field(name).type))
        return rows.select(wanted).cast(pa.schema([schema.field(c) for c in wanted]))

    def footer(self, entry: FileEntry) -> pq.FileMetaData:
        """Return the schema and counts of one file; they are read only once.

        Raises OSError or an error from pyarrow if the file cannot be read.
        """
        if entry.path not in self._footers:
            self._footers[entry.path] = pq.read_metadata(self._file(entry))
        return self._footers[entry.path]

    def rows_of(self, table: str, entry: FileEntry) -> pl.DataFrame:
        """Return the rows of one file, in the order in which the file has them.

        Raises SnapshotError if the file cannot be read.
        """
        path = self.path / entry.path
        try:
            self._refuse_bombs(entry)
            rows = pl.read_parquet(self._file(entry), hive_partitioning=False)
            return self._complete(table, rows)
        except (pl.exceptions.PolarsError, pa.ArrowException, OSError) as error:
            raise SnapshotError(
                f"table {table}: {path} cannot be read: {str(error)[:200]}"
            ) from None
        except pl.exceptions.PanicException as error:
            raise SnapshotError(f"table {table}: {path} is damaged: {str(error)[:200]}") from None

    def _complete(self, table: str, rows: pl.DataFrame) -> pl.DataFrame:
        """Add to older rows the columns of later schema versions, filled with nulls."""
        if not self._completes or table not in TABLES:
            return rows
        later = TABLES[table].nullable - set(rows.columns)
        if not later:
            return rows
        types = polars_schema(table)
        added = rows.with_columns(pl.lit(None, types[name]).alias(name) for name in sorted(later))
        known = [name for name in TABLES[table].column_names if name in added.columns]
        return added.select(*known, pl.exclude(known))

    def _refuse_bombs(self, entry: FileEntry) -> None:
        """Raise SnapshotError if a file's footer shows that reading the file would be dangerous."""
        path, footer = self.path / entry.path, self.footer(entry)
        held = self._held.get(entry.path)
        size, unpacked, packed = path.stat().st_size if held is None else len(held), 0, 0
        for group in (footer.row_group(number) for number in range(footer.num_row_groups)):
            chunks = [group.column(number) for number in range(group.num_columns)]
            # A forged file may have the right total for a row group, so each chunk is checked too.
            claimed = sum(max(chunk.total_uncompressed_size, 0) for chunk in chunks)
            unpacked += max(group.total_byte_size, claimed)
            packed += sum(max(chunk.total_compressed_size, 0) for chunk in chunks)
        if footer.num_rows != entry.rows:
            raise SnapshotError(
                f"{path} contains {footer.num_rows:,} rows, but the manifest says {entry.rows:,}"
            )
        if packed > size:
            raise SnapshotError(
                f"{path} has only {size:,} bytes, but claims to contain {packed:,} bytes"
            )
        if not 0 <= unpacked <= max(_UNPACKED_BYTES, _UNPACKED_RATIO * size):
            raise SnapshotError(
                f"{path} has {size:,} bytes, but claims to unpack to {unpacked:,} bytes"
            )


_STATED_SHOWN = 5
#: Tables whose rows give the file and line from which they were read.
FROM_FILES = (
    "evidence",
    "hotels",
    "restaurants",
    "trains",
    "flights",
    "metro_stations",
    "metro_fares",
)


def count_sources(
    table: Callable[[str], pl.DataFrame], given: pl.DataFrame | None = None
) -> Sources:
    """Count the different documents and source rows of a snapshot.

    ``table`` returns the rows of a table by name. ``given`` contains the licences stated by files
    next to the documents (``warehouse.given``); without it, only licences in the documents
    themselves are counted.
    """
    documents = _with_licences(table("documents").unique("doc_id", keep="first"), given)
    places = ["source_file", "source_line"]
    rows = pl.concat([table(name).select(places) for name in FROM_FILES]).drop_nulls().unique()
    stated = table("row_sources")
    said = stated.select(*places, "licence").drop_nulls().unique(places, keep="first")
    licences = _name_licences(rows.join(said, on=places, how="left")["licence"])
    dated = documents["published_on"].drop_nulls().cast(pl.String)
    days = stated["source_date"].drop_nulls().cast(pl.String)
    return Sources(
        documents=documents.height,
        documents_by_licence=_count(_name_licences(documents["licence"])),
        licences_said_by=_count(documents["licence_by"].drop_nulls()),
        documents_by_language=_count(documents["lang"]),
        rows_by_file=_count(rows["source_file"]),
        rows_by_licence=_count(licences),
        stated_by_file=_read_stated(stated),
        newest_document=dated.max(),  # type: ignore[arg-type]  # of dates
        oldest_document=dated.min(),  # type: ignore[arg-type]  # of dates
        newest_row=days.max(),  # type: ignore[arg-type]  # of dates
    )


def _name_licences(licences: pl.Series) -> pl.Series:
    """Replace licences with their SPDX names if known, so that each licence has only one name."""
    names = {text: spdx_name(text) or text for text in licences.drop_nulls().unique()}
    return licences.fill_null(NONE_STATED).replace(names)


def _with_licences(documents: pl.DataFrame, given: pl.DataFrame | None) -> pl.DataFrame:
    own = documents.with_columns(
        pl.col("licence_hint").alias("licence"),
        pl.when(pl.col("licence_hint").is_not_null())
        .then(pl.lit("the document"))
        .alias("licence_by"),
    )
    if given is None or "licence" not in given.columns:
        return own
    beside = (
        given.filter(pl.col("licence").is_not_null() & pl.col("doc_id").is_not_null())
        .select("doc_id", "licence", "licence_by")
        .unique("doc_id", keep="first", maintain_order=True)
    )
    return own.drop("licence", "licence_by").join(beside, on="doc_id", how="left").with_columns(
        pl.coalesce("licence", "licence_hint"),
        pl.coalesce(
            "licence_by",
            pl.when(pl.col("licence_hint").is_not_null()).then(pl.lit("the document")),
        ),
    )  # fmt: skip


def _read_stated(rows: pl.DataFrame) -> dict[str, str]:
    """Return the data sets, licences and dates stated in the rows of each file."""
    columns = ("source_name", "licence", "source_date")
    found: dict[str, list[str]] = {}
    distinct = rows.select("source_file", *columns).unique().sort(pl.all(), nulls_last=True)
    for file, *stated in distinct.iter_rows():
        said = ", ".join(str(value) for value in stated if value is not None)
        if file is not None and said:
            found.setdefault(file, []).append(said)
    return {file: "; ".join(said[:_STATED_SHOWN]) for file, said in found.items()}


def _count(values: pl.Series) -> dict[str, int]:
    return dict(values.value_counts().sort(values.name).iter_rows())
