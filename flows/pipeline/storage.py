"""Keeps a workspace in storage that several machines share. Any address that fsspec supports can be
used.

An object store cannot rename files, so ``meta.json`` is written last, and a shard counts as
finished once that file exists. Two machines that compute the same shard write the same bytes. Logs,
locks and SQLite files stay in the local folder; docs/operations.md explains the consequences.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.errors import WorkspaceError
from flows.pipeline.shards import (
    ACCOUNTS,
    Frames,
    Ref,
    Workspace,
    find_ref,
    make_ref,
    shard_meta,
    write_frames,
)
from schemas.ids import canonical_json
from schemas.tables import SCHEMA_VERSION
from storage.places import address_of, find_folder, show_path
from storage.remote import Remote


class SharedWorkspace(Workspace):
    """Finished shards under an address such as ``s3://bucket/folder``."""

    def __init__(self, root: Path, address: str):
        super().__init__(root)
        self.address = address.rstrip("/")

    def __reduce__(self) -> tuple[Any, ...]:
        """Send only the location of the workspace to other processes."""
        return type(self), (self.root, self.address)

    def prepare(self) -> None:
        """Create the local folder, and check that the storage was written by this version of
        tripbed.

        Raises WorkspaceError if a different version wrote the storage, and StorageError if the
        storage cannot be used.
        """
        super().prepare()
        stated = {"schema_version": SCHEMA_VERSION}
        found = self._read_json("workspace.json")
        if found is None:
            self._remote.write("workspace.json", canonical_json(stated).encode())
        if found not in (None, stated):
            raise WorkspaceError(
                f"{self.address} belongs to schema version {found.get('schema_version')}, but "
                f"this program uses {SCHEMA_VERSION}: choose a different folder"
            )

    def find(self, stage: str, shard: str, key: str) -> Ref | None:
        """Return the finished shard with this key, or None."""
        meta = self._read_json(f"shards/{stage}/{shard}/{key}/meta.json")
        if meta is None:
            return None
        return find_ref(stage, shard, key, meta)

    def save(
        self, stage: str, shard: str, key: str, frames: Frames, ingredients: Mapping[str, str]
    ) -> Ref:
        """Write a finished shard, with its ``meta.json`` last."""
        place = f"shards/{stage}/{shard}/{key}"
        hashes = write_frames(
            frames, lambda name, data: self._remote.write(f"{place}/{name}", data)
        )
        meta = shard_meta(frames, hashes, ingredients)
        self._remote.write(f"{place}/meta.json", canonical_json(meta).encode())
        self._remote.write(
            f"shards/{stage}/{shard}/last.json",
            canonical_json({"key": key, "ingredients": dict(ingredients)}).encode(),
        )
        return make_ref(stage, shard, key, meta)

    def load(self, ref: Ref, *, accounts: bool = True) -> Frames:
        """Return the frames that the ``meta.json`` of a finished shard lists."""
        names = (name for name in sorted(ref.rows) if accounts or name not in ACCOUNTS)
        return {name: self._recall(ref, name) for name in names}

    def read(self, ref: Ref, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return one frame of a finished shard, or only some of its columns."""
        path = f"shards/{ref.stage}/{ref.shard}/{ref.key}/{name}.parquet"
        data = self._remote.read(path)
        if data is None:
            raise WorkspaceError(
                f"{self.address}/{path} is missing: run the build again with a different"
                " --workspace"
            )
        return pl.read_parquet(io.BytesIO(data), columns=list(columns) if columns else None)

    def last_ingredients(self, stage: str, shard: str) -> dict[str, str] | None:
        """Return the ingredients of the shard's last run, or None if the shard has never run."""
        last = self._read_json(f"shards/{stage}/{shard}/last.json")
        return dict(last["ingredients"]) if last else None

    def _read_json(self, path: str) -> dict[str, Any] | None:
        data = self._remote.read(path)
        found: dict[str, Any] | None = None if data is None else json.loads(data)
        return found

    @property
    def _remote(self) -> Remote:
        return Remote(self.address)


def open_workspace(root: Path, shared: str | None) -> Workspace:
    """Open the workspace in a folder, or the shared workspace at an address.

    The address comes from the folder or from ``shared``. Raises StorageError if the address is not
    valid.
    """
    address = address_of(root) or shared
    if not address:
        return Workspace(root)
    return SharedWorkspace(root, show_path(find_folder(address)))
