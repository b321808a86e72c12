"""The manifest of a snapshot: its contents with checksums, without times or outside paths."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from schemas.ids import canonical_json
from schemas.licences import NONE_STATED
from schemas.tables import OLDEST_READ, SCHEMA_VERSION, TABLES, Table
from schemas.versions import list_released, tables_of, version_key
from warehouse.errors import SnapshotError

FILE_NAME = "manifest.json"
#: A manifest larger than this is not read: ours have a few hundred bytes a file.
MAX_BYTES = 64_000_000
#: Counts that no snapshot reaches: larger ones are an attack or a mistake.
_MAX_COUNT = 10**15
_SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
#: Where the files of a table lie, by how it is partitioned.
_LAYOUTS = {
    "none": r"part-[0-9]+\.parquet",
    "city": rf"city={_SLUG}/part-[0-9]+\.parquet",
    "pair": rf"pair={_SLUG}(?:--{_SLUG})?/part-[0-9]+\.parquet",
}
_QUALITY = r"quality/[a-z_]+\.parquet"


class _ManifestPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(_ManifestPart):
    """One Parquet file, below ``data/``."""

    path: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0, le=_MAX_COUNT)
    rows: int = Field(ge=0, le=_MAX_COUNT)

    @classmethod
    def of(cls, snapshot: Path, path: str, rows: int) -> FileEntry:
        """The entry of a file that was written below a snapshot."""
        file = snapshot / path
        return cls(path=path, sha256=file_sha256(file), bytes=file.stat().st_size, rows=rows)


class TableEntry(_ManifestPart):
    """One table: its rows and files."""

    rows: int = Field(ge=0, le=_MAX_COUNT)
    files: tuple[FileEntry, ...]


class Sources(_ManifestPart):
    """Where the rows come from, counted: what the dataset card quotes."""

    #: Distinct documents, each counted once however many cities use it.
    documents: int | None = None
    #: Distinct documents by licence, ``none stated`` for the others.
    documents_by_licence: dict[str, int] = {}
    documents_by_language: dict[str, int] = {}
    #: Rows of source tables that a published row names, by file.
    rows_by_file: dict[str, int] = {}
    #: Day of the newest dated document, ISO 8601.
    newest_document: str | None = None
    #: Day of the oldest one, and the newest day that a row of a source speaks for.
    oldest_document: str | None = None
    newest_row: str | None = None
    #: Rows of source tables by licence, and what is stated of each file: source, licence, date.
    rows_by_licence: dict[str, int] | None = None
    stated_by_file: dict[str, str] | None = None
    #: Documents by who states their licence: the document, or the file beside it.
    licences_said_by: dict[str, int] | None = None

    @property
    def stated_licences(self) -> tuple[str, ...]:
        """The licences of documents and of rows that somebody states, in order."""
        held = {*self.documents_by_licence, *(self.rows_by_licence or {})}
        return tuple(sorted(held - {NONE_STATED}))

    def counts(self) -> tuple[tuple[str, Mapping[str, int]], ...]:
        """What the card says is counted, with a place for a name, and the counts by name."""
        return (
            ("distinct documents", {"": self.documents or 0}),
            ("documents, licence: {}", self.documents_by_licence),
            ("documents, licence stated by {}", self.licences_said_by or {}),
            ("documents, language: {}", self.documents_by_language),
            ("rows of `{}`", self.rows_by_file),
            ("rows, licence: {}", self.rows_by_licence or {}),
        )


class Acceptance(_ManifestPart):
    """A change of a city's sources that somebody accepted, and why."""

    city: str
    table: str
    check: str
    because: str = Field(min_length=1, max_length=1000)


class Manifest(_ManifestPart):
    """What a snapshot holds. Equal inputs give an equal manifest, byte for byte."""

    schema_version: str
    cities: tuple[str, ...]
    settings: dict[str, Any]
    ingredients: dict[str, str]
    tables: dict[str, TableEntry]
    sources: Sources | None = None
    #: Files in ``quality/`` that are no tables and yet a function of what was given.
    quality: tuple[FileEntry, ...] = ()
    #: Changes that would have kept the snapshot from being published.
    accepted: tuple[Acceptance, ...] = ()

    @model_validator(mode="after")
    def _each_file_in_its_place(self) -> Manifest:
        """Paths are what ``warehouse.candidate`` makes: none can lead out of the snapshot."""
        known = definitions_of(self.schema_version)
        for name, table in self.tables.items():
            layout = _LAYOUTS[known[name].partition] if name in known else ""
            seen: set[str] = set()
            for entry in table.files:
                if not re.fullmatch(rf"data/{re.escape(name)}/{layout}", entry.path):
                    raise ValueError(f"{entry.path!r} is not one of the paths of table {name!r}")
                if entry.path in seen:
                    raise ValueError(f"{entry.path!r} appears twice")
                seen.add(entry.path)
        if any(not re.fullmatch(_QUALITY, entry.path) for entry in self.quality):
            raise ValueError("a file listed in `quality` is in another folder")
        return self

    def files(self) -> list[FileEntry]:
        """Every file that it lists."""
        tables = [entry for table in self.tables.values() for entry in table.files]
        return [*tables, *self.quality]

    def text(self) -> str:
        """The manifest as canonical JSON, keys sorted, one line."""
        # Left out where there is nothing to say, as in older ones, which also counted less.
        without = {name for name in ("quality", "accepted") if not getattr(self, name)}
        held = self.model_dump(mode="json", exclude=without)
        if self.sources is not None:
            later = ("documents", "oldest_document", "newest_row", "rows_by_licence",
                     "stated_by_file", "licences_said_by")  # fmt: skip
            told = held["sources"]
            held["sources"] = {k: v for k, v in told.items() if k not in later or v is not None}
        return canonical_json(held) + "\n"

    def snapshot_id(self) -> str:
        """``s`` and the first 12 hex digits of the manifest's SHA-256."""
        return f"s{hashlib.sha256(self.text().encode()).hexdigest()[:12]}"


def definitions_of(version: str) -> Mapping[str, Table]:
    """Tables of a schema version; those of this one where it is not known."""
    return tables_of(version) if version in list_released() else TABLES


def read_manifest(snapshot: Path, *, any_version: bool = False) -> Manifest:
    """The manifest of a snapshot. Raises SnapshotError with what is wrong.

    ``any_version``: also of an older version that is known, for those who only check, compare or
    migrate; who works with the rows needs them as this version has them.
    """
    path = snapshot / FILE_NAME
    text = _manifest_text(snapshot, path)
    try:
        held = json.loads(text)
    # Not only JSON errors: a number of thousands of digits is a ValueError of its own.
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{path} cannot be read: {str(error)[:200]}") from None
    # Before the rest, which may have another form in another version.
    version = held.get("schema_version") if isinstance(held, dict) else None
    if isinstance(version, str):
        _refuse_version(snapshot, version, any_version)
    try:
        return Manifest.model_validate(held)
    except ValidationError as error:
        raise SnapshotError(f"{path} is not a manifest: {_first_fault(error)}") from None


def _refuse_version(snapshot: Path, version: str, any_version: bool) -> None:
    """Say what to do with a snapshot that is not read. Raises SnapshotError."""
    if _is_read(version) or (any_version and version in list_released()):
        return
    if version in list_released():
        advice = f"carry it over with `{migrate_command(snapshot)}`"
    elif version_key(version) > version_key(SCHEMA_VERSION):
        advice = "a newer tripbed wrote it: use that to read it, or build again into another folder"
    else:
        advice = "read it with the tripbed that wrote it, or build again into another folder"
    raise SnapshotError(
        f"{snapshot} has schema version {version[:40]}, but this tripbed has"
        f" {SCHEMA_VERSION}: {advice}"
    )


def _is_read(version: str) -> bool:
    """Whether a schema version is of this major one, and not from before ``OLDEST_READ``."""
    key = version_key(version)
    return key[0] == version_key(SCHEMA_VERSION)[0] and key >= version_key(OLDEST_READ)


def migrate_command(snapshot: Path) -> str:
    """The command that carries a snapshot over, to a free name beside it."""
    old = snapshot.resolve()
    names = (f"{old.name}-{SCHEMA_VERSION}{f'-{n}' if n else ''}" for n in count())
    new = next(old.with_name(name) for name in names if not os.path.lexists(old.with_name(name)))
    return shlex.join(["tripbed", "schema", "migrate", str(old), "--out", str(new)])


def _manifest_text(snapshot: Path, path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SnapshotError(f"{path} is larger than {MAX_BYTES:,} bytes: it is not a manifest")
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise SnapshotError(
            f"{snapshot} is not a snapshot: it has no {FILE_NAME}. Give the path that "
            "`tripbed build` printed"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SnapshotError(f"{path} cannot be read: {error}") from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in fault["loc"]) or "manifest"
    return f"{where}: {fault['msg']}"[:300]


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, hex."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def verify(snapshot: Path, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Every file that is missing, changed, or not in the manifest, as (path, what is wrong)."""
    root = snapshot.resolve()
    for entry in manifest.files():
        if fault := file_fault(root, entry):
            yield entry.path, fault
    listed = {entry.path for entry in manifest.files()}
    for path in sorted((root / "data").rglob("*")):
        relative = path.relative_to(root).as_posix()
        if relative not in listed and (path.is_symlink() or not path.is_dir()):
            yield relative, "the file is not in the manifest"


def file_fault(root: Path, entry: FileEntry) -> str | None:
    """What is wrong with a file below ``root`` (resolved), None if it is as the manifest says."""
    path = root / entry.path
    if path.resolve() != path:
        return "the path of the file contains a link"
    if not path.is_file():
        return "the file is missing"
    try:
        size = path.stat().st_size
        if size != entry.bytes:
            return f"the file has {size} bytes, not {entry.bytes}"
        return None if file_sha256(path) == entry.sha256 else "the file's checksum differs"
    except OSError as error:
        return f"the file cannot be read: {error.strerror}"
