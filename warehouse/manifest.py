"""Reads and writes manifests, which list the contents of a snapshot with checksums.

A manifest does not contain times or paths outside the snapshot.
"""

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
#: A larger manifest is not read. Ours have a few hundred bytes for each file.
MAX_BYTES = 64_000_000
#: No snapshot reaches this count. A larger one is a mistake or an attack.
_MAX_COUNT = 10**15
_SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
#: Pattern of the paths of a table's files, by partition.
_LAYOUTS = {
    "none": r"part-[0-9]+\.parquet",
    "city": rf"city={_SLUG}/part-[0-9]+\.parquet",
    "pair": rf"pair={_SLUG}(?:--{_SLUG})?/part-[0-9]+\.parquet",
}
_QUALITY = r"quality/[a-z_]+\.parquet"


class _ManifestPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(_ManifestPart):
    """The manifest's entry for one Parquet file."""

    path: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0, le=_MAX_COUNT)
    rows: int = Field(ge=0, le=_MAX_COUNT)

    @classmethod
    def of(cls, snapshot: Path, path: str, rows: int) -> FileEntry:
        """Make the entry for a file that has been written to a snapshot."""
        file = snapshot / path
        return cls(path=path, sha256=file_sha256(file), bytes=file.stat().st_size, rows=rows)


class TableEntry(_ManifestPart):
    """The files of one table, and the number of rows in the table."""

    rows: int = Field(ge=0, le=_MAX_COUNT)
    files: tuple[FileEntry, ...]


class Sources(_ManifestPart):
    """Counts of the documents and source rows of a snapshot, which the dataset card shows."""

    #: Number of documents, each counted once even if several cities use it.
    documents: int | None = None
    #: Number of documents by licence; ``none stated`` if the document has none.
    documents_by_licence: dict[str, int] = {}
    documents_by_language: dict[str, int] = {}
    #: Number of source rows that published rows refer to, by file.
    rows_by_file: dict[str, int] = {}
    #: Date of the newest document, in ISO 8601.
    newest_document: str | None = None
    #: Date of the oldest document, and the newest date that a source row states.
    oldest_document: str | None = None
    newest_row: str | None = None
    #: Number of source rows by licence, and the source, licence and date stated for each file.
    rows_by_licence: dict[str, int] | None = None
    stated_by_file: dict[str, str] | None = None
    #: Number of documents by where the licence is stated: the document or the file next to it.
    licences_said_by: dict[str, int] | None = None

    @property
    def stated_licences(self) -> tuple[str, ...]:
        """Return all licences stated for documents or rows, sorted."""
        held = {*self.documents_by_licence, *(self.rows_by_licence or {})}
        return tuple(sorted(held - {NONE_STATED}))

    def counts(self) -> tuple[tuple[str, Mapping[str, int]], ...]:
        """Return the dataset card's labels, each with its counts by name.

        The braces in a label are a placeholder for a name.
        """
        return (
            ("distinct documents", {"": self.documents or 0}),
            ("documents, licence: {}", self.documents_by_licence),
            ("documents, licence stated by {}", self.licences_said_by or {}),
            ("documents, language: {}", self.documents_by_language),
            ("rows of `{}`", self.rows_by_file),
            ("rows, licence: {}", self.rows_by_licence or {}),
        )


class Acceptance(_ManifestPart):
    """A change in a city's sources that was accepted, with the reason."""

    city: str
    table: str
    check: str
    because: str = Field(min_length=1, max_length=1000)


class Manifest(_ManifestPart):
    """The contents of a snapshot. Equal inputs give an equal manifest, byte for byte."""

    schema_version: str
    cities: tuple[str, ...]
    settings: dict[str, Any]
    ingredients: dict[str, str]
    tables: dict[str, TableEntry]
    sources: Sources | None = None
    #: Files in ``quality/``. They are not tables, but depend on nothing except the inputs.
    quality: tuple[FileEntry, ...] = ()
    #: Accepted changes, which would otherwise have prevented publication.
    accepted: tuple[Acceptance, ...] = ()

    @model_validator(mode="after")
    def _each_file_in_its_place(self) -> Manifest:
        """Check that all paths have the expected form, so that none leads out of the snapshot."""
        known = definitions_of(self.schema_version)
        for name, table in self.tables.items():
            layout = _LAYOUTS[known[name].partition] if name in known else ""
            seen: set[str] = set()
            for entry in table.files:
                if not re.fullmatch(rf"data/{re.escape(name)}/{layout}", entry.path):
                    raise ValueError(
                        f"{entry.path!r} is not a valid path for a file of the table {name!r}"
                    )
                if entry.path in seen:
                    raise ValueError(f"{entry.path!r} appears twice")
                seen.add(entry.path)
        if any(not re.fullmatch(_QUALITY, entry.path) for entry in self.quality):
            raise ValueError("every file listed under `quality` must be in the folder quality/")
        return self

    def files(self) -> list[FileEntry]:
        """Return the entries of all files."""
        tables = [entry for table in self.tables.values() for entry in table.files]
        return [*tables, *self.quality]

    def text(self) -> str:
        """Return the manifest as canonical JSON: one line with sorted keys."""
        # Empty values are left out, so that older manifests, which lack them, stay the same.
        without = {name for name in ("quality", "accepted") if not getattr(self, name)}
        held = self.model_dump(mode="json", exclude=without)
        if self.sources is not None:
            later = ("documents", "oldest_document", "newest_row", "rows_by_licence",
                     "stated_by_file", "licences_said_by")  # fmt: skip
            held["sources"] = {
                k: v for k, v in held["sources"].items() if k not in later or v is not None
            }
        return canonical_json(held) + "\n"

    def snapshot_id(self) -> str:
        """Return the snapshot's id: ``s`` and the first 12 hex digits of the manifest's SHA-256."""
        return f"s{hashlib.sha256(self.text().encode()).hexdigest()[:12]}"


def definitions_of(version: str) -> Mapping[str, Table]:
    """Return the tables of a schema version, or the current tables if the version is unknown."""
    return tables_of(version) if version in list_released() else TABLES


def read_manifest(snapshot: Path, *, any_version: bool = False) -> Manifest:
    """Read the manifest of a snapshot.

    With ``any_version``, any released schema version is accepted. Use ``any_version`` only to
    check, compare or migrate a snapshot; rows are usable only in the current version. Raises
    SnapshotError, which says what is wrong, if the manifest is unusable.
    """
    path = snapshot / FILE_NAME
    text = _manifest_text(snapshot, path)
    try:
        held = json.loads(text)
    # ValueError includes JSON errors and numbers with thousands of digits.
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"{path} cannot be read: {str(error)[:200]}") from None
    # The version is checked first, because the rest may have another form in other versions.
    version = held.get("schema_version") if isinstance(held, dict) else None
    if isinstance(version, str):
        _refuse_version(snapshot, version, any_version)
    try:
        return Manifest.model_validate(held)
    except ValidationError as error:
        raise SnapshotError(f"{path} is not a manifest: {_first_fault(error)}") from None


def _refuse_version(snapshot: Path, version: str, any_version: bool) -> None:
    """Raise SnapshotError, which says what to do, if the schema version cannot be read."""
    if _is_read(version) or (any_version and version in list_released()):
        return
    if version in list_released():
        advice = f"migrate it with `{migrate_command(snapshot)}`"
    elif version_key(version) > version_key(SCHEMA_VERSION):
        advice = (
            "a newer version of tripbed wrote the snapshot: use that version, or build again into"
            " a different folder"
        )
    else:
        advice = (
            "use the version of tripbed that wrote the snapshot, or build again into a different"
            " folder"
        )
    raise SnapshotError(
        f"{snapshot} has schema version {version[:40]}, but this tripbed has"
        f" {SCHEMA_VERSION}: {advice}"
    )


def _is_read(version: str) -> bool:
    """Check whether a version has the current major number and is at least ``OLDEST_READ``."""
    key = version_key(version)
    return key[0] == version_key(SCHEMA_VERSION)[0] and key >= version_key(OLDEST_READ)


def migrate_command(snapshot: Path) -> str:
    """Return the command that migrates a snapshot to a new folder next to it."""
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
    """Return the SHA-256 hash of a file as hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def verify(snapshot: Path, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield (path, fault) for every file that is missing, changed, or not in the manifest."""
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
    """Describe what is wrong with a file, or return None if it matches its manifest entry.

    ``root`` is the resolved path of the snapshot.
    """
    path = root / entry.path
    if path.resolve() != path:
        return "the path of the file contains a symbolic link"
    if not path.is_file():
        return "the file is missing"
    try:
        size = path.stat().st_size
        if size != entry.bytes:
            return f"the file has {size} bytes, not {entry.bytes}"
        return None if file_sha256(path) == entry.sha256 else "the file's checksum differs"
    except OSError as error:
        return f"the file cannot be read: {error.strerror}"
