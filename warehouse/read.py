"""Read a published snapshot: tables on demand, and never more than was asked for."""

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

#: A file that claims to unpack to more than this and to so many times its size is not read.
_UNPACKED_BYTES, _UNPACKED_RATIO = 64_000_000, 200


class Snapshot:
    """A snapshot's manifest and tables. Raises SnapshotError for a folder that is none.

    Rows come as this version has them, and a snapshot that it cannot read so is refused. With
    ``any_version`` they come as the snapshot's own version has them, be it an older one.
    ``definitions`` are the tables that hold, by name.
    """

    def __init__(self, path: Path, *, any_version: bool = False):
        self.path = path.resolve()
        self.manifest: Manifest = read_manifest(self.path, any_version=any_version)
        self.definitions = definitions_of(self.manifest.schema_version) if any_version else TABLES
        #: Whether columns that came later are added, unknown.
        self._completes = not any_version and self.manifest.schema_version != SCHEMA_VERSION
        self._footers: dict[str, pq.FileMetaData] = {}
        self._held: dict[str, bytes] = {}

    def hold(self) -> None:
        """Keep every file in memory, packed as it is: what becomes of the folder no longer matters.

        Raises SnapshotError.
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
        """Names of the tables, in the order of the data dictionary."""
        return tuple(name for name in self.definitions if name in self.manifest.tables)

    def schema(self, name: str) -> pa.Schema:
        """Arrow schema of a table."""
        if self.definitions is TABLES:
            return arrow_schema(name)
        return arrow_schema_of(self.definitions[name])

    def empty(self, name: str) -> pl.DataFrame:
        """No rows of a table."""
        return pl.DataFrame(self.schema(name).empty_table())

    def table(self, name: str, city: str | None = None) -> pl.DataFrame:
        """Rows of a table, of all cities or of one by slug (or of one pair), in key order.

        Raises SnapshotError for a table that there is not and for a file that is not readable.
        """
        parts = [self.rows_of(name, entry) for entry in self._entries(name, city)]
        if not parts:
            return self.empty(name)
        return pl.concat(parts).sort(self.definitions[name].key, nulls_last=True)

    def _entries(self, name: str, part: str | None) -> list[FileEntry]:
        """Files with rows of a table, of one city or pair if named. Raises SnapshotError."""
        if name not in self.manifest.tables:
            raise SnapshotError(
                f"{self.path.name} has no table {name!r}: {', '.join(self.tables())}"
            )
        entries = self.manifest.tables[name].files
        return [e for e in entries if e.rows and (part is None or f"={part}/" in e.path)]

    def arrow(
        self, name: str, part: str | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Rows of a table as Arrow, of one city or pair and of some columns if named.

        They come in the order of the files, which is that of the key within a partition. Reads on
        one thread, so that it works in forked processes too. Raises SnapshotError.
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
        """Columns of a file; those that came after its schema version are unknown."""
        schema = self.schema(table)
        wanted = schema.names if columns is None else list(columns)
        held = set(file.schema_arrow.names)
        rows = file.read(columns=[c for c in wanted if c in held], use_threads=False)
        for name in wanted:
            if name not in held and self._completes:
                rows = rows.append_column(name, pa.nulls(rows.num_rows, schema.field(name).type))
        return rows.select(wanted).cast(pa.schema([schema.field(c) for c in wanted]))

    def footer(self, entry: FileEntry) -> pq.FileMetaData:
        """Schema and counts of one file, read once. Raises pyarrow's errors and OSError."""
        if entry.path not in self._footers:
            self._footers[entry.path] = pq.read_metadata(self._file(entry))
        return self._footers[entry.path]

    def rows_of(self, table: str, entry: FileEntry) -> pl.DataFrame:
        """Rows of one file in the order in which they lie there. Raises SnapshotError."""
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
            raise SnapshotError(f"table {table}: {path} is broken: {str(error)[:200]}") from None

    def _complete(self, table: str, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows of an older schema version with the columns that came later, unknown."""
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
        """Read the footer only, and stop where the file claims what its manifest does not."""
        path, footer = self.path / entry.path, self.footer(entry)
        held = self._held.get(entry.path)
        size, unpacked, packed = path.stat().st_size if held is None else len(held), 0, 0
        for group in (footer.row_group(number) for number in range(footer.num_row_groups)):
            chunks = [group.column(number) for number in range(group.num_columns)]
            # A forger may leave the sum of a row group true: each chunk is asked too.
            claimed = sum(max(chunk.total_uncompressed_size, 0) for chunk in chunks)
            unpacked += max(group.total_byte_size, claimed)
            packed += sum(max(chunk.total_compressed_size, 0) for chunk in chunks)
        if footer.num_rows != entry.rows:
            raise SnapshotError(
                f"{path} holds {footer.num_rows:,} rows, but the manifest says {entry.rows:,}"
            )
        if packed > size:
            raise SnapshotError(f"{path}: {size:,} bytes that claim to hold {packed:,}")
        if not 0 <= unpacked <= max(_UNPACKED_BYTES, _UNPACKED_RATIO * size):
            raise SnapshotError(f"{path}: {size:,} bytes that claim to unpack to {unpacked:,}")


_STATED_SHOWN = 5
#: Tables whose rows name the file and line that they were read from.
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
    """Where rows come from, counted, each document and source row once.

    ``table`` gives the rows of a table by name. ``given`` says of documents what licence a file
    beside them states (``warehouse.given``); without it there are their own words.
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
    """Licences by their SPDX names where these are known, so that one has one name."""
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
    """Data set, licence and date of each file, as its rows state them."""
    columns = ("source_name", "licence", "source_date")
    found: dict[str, list[str]] = {}
    distinct = rows.select("source_file", *columns).unique().sort(pl.all(), nulls_last=True)
    for file, *stated in distinct.iter_rows():
        said = ", ".join(str(value) for value in stated if value is not None)
        if file is not None and said:
            found.setdefault(file, []).append(said)
    return {file: "; ".join(said[:_STATED_SHOWN]) for file, said in found.items()}


def _count(values: pl.Series) -> dict[str, int]:
    counts = values.value_counts().sort(values.name)
    return dict(counts.iter_rows())
