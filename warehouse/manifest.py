"""The manifest of a snapshot: what it holds, with checksums; free of times and of paths outside."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from schemas.ids import canonical_json
from schemas.tables import SCHEMA_VERSION
from warehouse.errors import SnapshotError

FILE_NAME = "manifest.json"
#: A manifest larger than this is not read: ours have a few hundred bytes a file.
MAX_BYTES = 64_000_000


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(_Part):
    """One Parquet file, below ``data/``."""

    path: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)
    rows: int = Field(ge=0)

    @field_validator("path")
    @classmethod
    def _inside(cls, path: str) -> str:
        parts = PurePosixPath(path).parts
        if not parts or parts[0] != "data" or ".." in parts or "\\" in path or path.startswith("/"):
            raise ValueError(f"the path {path!r} does not lie below data/")
        return path


class TableEntry(_Part):
    """One table: its rows and files."""

    rows: int = Field(ge=0)
    files: tuple[FileEntry, ...]


class Manifest(_Part):
    """What a snapshot holds. Equal inputs give an equal manifest, byte for byte."""

    schema_version: str
    cities: tuple[str, ...]
    settings: dict[str, Any]
    ingredients: dict[str, str]
    tables: dict[str, TableEntry]

    def text(self) -> str:
        """The manifest as canonical JSON, keys sorted, one line."""
        return canonical_json(self.model_dump(mode="json")) + "\n"

    def snapshot_id(self) -> str:
        """``s`` and the first 12 hex digits of the manifest's SHA-256."""
        return f"s{hashlib.sha256(self.text().encode()).hexdigest()[:12]}"


def read_manifest(snapshot: Path) -> Manifest:
    """The manifest of a snapshot. Raises SnapshotError with what is wrong."""
    path = snapshot / FILE_NAME
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SnapshotError(f"{path} is larger than {MAX_BYTES:,} bytes: it is not a manifest")
        manifest = Manifest.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        raise SnapshotError(
            f"{snapshot} is no snapshot: it has no {FILE_NAME}. Give the path that "
            "`tripbed build` printed"
        ) from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise SnapshotError(f"{path} cannot be read: {error}") from None
    except (ValidationError, RecursionError) as error:
        raise SnapshotError(f"{path} is not a manifest: {error}") from None
    if manifest.schema_version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        raise SnapshotError(
            f"{snapshot} has schema version {manifest.schema_version}, this is {SCHEMA_VERSION}: "
            "read it with the tripbed that wrote it, or build it again"
        )
    return manifest


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, hex."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def verify(snapshot: Path, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Every file that is missing, changed, or not in the manifest, as (path, what is wrong)."""
    listed: set[str] = set()
    for table in manifest.tables.values():
        for entry in table.files:
            listed.add(entry.path)
            path = snapshot / entry.path
            if path.is_symlink() or not path.is_file():
                yield entry.path, "the file is missing"
            elif path.stat().st_size != entry.bytes:
                yield entry.path, f"the file has {path.stat().st_size} bytes, not {entry.bytes}"
            elif file_sha256(path) != entry.sha256:
                yield entry.path, "the file's checksum differs"
    for path in sorted((snapshot / "data").rglob("*")):
        relative = path.relative_to(snapshot).as_posix()
        if path.is_file() and relative not in listed:
            yield relative, "the file is not in the manifest"
