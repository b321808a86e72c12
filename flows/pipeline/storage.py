"""A workspace in storage that several machines share: any address that fsspec knows.

An object store has no rename: a shard is finished when its ``meta.json`` lies there, which is
written last. Two machines that make the same shard write the same bytes. Logs and locks stay in
the local folder; see docs/operations.md for what that means for two builds of one city.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import WorkspaceError
from flows.pipeline.shards import ACCOUNTS, Frames, Ref, Workspace, found_ref, made_ref, shard_meta
from schemas.ids import canonical_json
from schemas.tables import SCHEMA_VERSION


class SharedWorkspace(Workspace):
    """Finished shards under an address such as ``s3://bucket/folder``."""

    def __init__(self, root: Path, address: str):
        super().__init__(root)
        self.address = address.rstrip("/")

    def prepare(self) -> None:
        """Create the local folder and check that the storage is ours. Raises WorkspaceError."""
        super().prepare()
        stated = {"schema_version": SCHEMA_VERSION}
        try:
            found = self._read_json("workspace.json")
            if found is None:
                self._write("workspace.json", canonical_json(stated).encode())
        except Exception as error:  # every storage has its own exceptions
            raise WorkspaceError(
                f"the shared storage {self.address} cannot be used: {type(error).__name__}: "
                f"{str(error)[:200]}. Check the address and its credentials"
            ) from error
        if found not in (None, stated):
            raise WorkspaceError(
                f"{self.address} was made by schema version {found.get('schema_version')}, this "
                f"is {SCHEMA_VERSION}: name another folder"
            )

    def find(self, stage: str, shard: str, key: str) -> Ref | None:
        """The finished shard with this key, or None."""
        meta = self._read_json(f"shards/{stage}/{shard}/{key}/meta.json")
        if meta is None:
            return None
        return found_ref(stage, shard, key, meta)

    def save(
        self, stage: str, shard: str, key: str, frames: Frames, ingredients: Mapping[str, str]
    ) -> Ref:
        """Write a finished shard, its ``meta.json`` last."""
        place = f"shards/{stage}/{shard}/{key}"
        hashes = {}
        for name, rows in frames.items():
            buffer = io.BytesIO()
            rows.write_parquet(buffer, compression="zstd", statistics=False)
            self._write(f"{place}/{name}.parquet", buffer.getvalue())
            hashes[name] = hashlib.sha256(buffer.getvalue()).hexdigest()
        meta = shard_meta(frames, hashes, ingredients)
        self._write(f"{place}/meta.json", canonical_json(meta).encode())
        last = canonical_json({"key": key, "ingredients": dict(ingredients)})
        self._write(f"shards/{stage}/{shard}/last.json", last.encode())
        return made_ref(stage, shard, key, meta)

    def load(self, ref: Ref, *, accounts: bool = True) -> Frames:
        """The frames of a finished shard: those that it counts the rows of."""
        names = (name for name in sorted(ref.rows) if accounts or name not in ACCOUNTS)
        return {name: self.read(ref, name) for name in names}

    def read(self, ref: Ref, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """One frame of a finished shard, or some of its columns."""
        data = self._read(f"shards/{ref.stage}/{ref.shard}/{ref.key}/{name}.parquet")
        return pl.read_parquet(io.BytesIO(data), columns=list(columns) if columns else None)

    def last_ingredients(self, stage: str, shard: str) -> dict[str, str] | None:
        """Ingredients of the shard's last run, None if it never ran."""
        last = self._read_json(f"shards/{stage}/{shard}/last.json")
        return dict(last["ingredients"]) if last else None

    def _storage(self) -> tuple[Any, str]:
        """The file system and the folder in it. fsspec keeps one instance an address a process."""
        # Only shared storage needs it.
        from fsspec.core import url_to_fs

        local = self.address.startswith(("file://", "local://"))
        # Listings are cached by fsspec; other machines write here, so they are not wanted.
        options = {"auto_mkdir": True} if local else {"use_listings_cache": False}
        storage, folder = url_to_fs(self.address, **options)
        return storage, folder

    def _read(self, path: str) -> bytes:
        storage, folder = self._storage()
        found: bytes = storage.cat_file(f"{folder}/{path}")
        return found

    def _read_json(self, path: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads(self._read(path))
        except FileNotFoundError:
            return None
        return found

    def _write(self, path: str, data: bytes) -> None:
        storage, folder = self._storage()
        storage.pipe_file(f"{folder}/{path}", data)


def open_workspace(root: Path, shared: str | None) -> Workspace:
    """The local workspace, or the one at the address that machines share. Raises WorkspaceError."""
    if not shared:
        return Workspace(root)
    if "://" not in shared:
        raise WorkspaceError(
            f"TRIPBED_STORAGE {shared!r} is no storage address: give one like s3://bucket/folder"
        )
    try:
        # Only shared storage needs it; it comes with the extra.
        import fsspec  # noqa: F401
    except ImportError:
        raise WorkspaceError("shared storage needs: pip install 'tripbed[cluster]'") from None
    return SharedWorkspace(root, shared)
