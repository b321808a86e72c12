"""Stores every shard's result in the workspace, under the hash of its ingredients.

A shard is either complete or absent: it is written under a temporary name and then renamed. If a
build was killed, the next build finds the shards that were finished. If nothing has changed, a
build reuses all shards. The key of a shard contains the hashes of earlier shards' *results*. If an
earlier shard runs again and gives the same rows, later shards do not run again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import shlex
import shutil
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import polars as pl
from cachetools import LRUCache, cachedmethod

from flows.errors import WorkspaceError
from schemas.ids import canonical_json
from schemas.tables import SCHEMA_VERSION

Frames = dict[str, pl.DataFrame]
_LAYOUT = 1
#: Frames that report how many rows were read and kept. They change with every document of another
#: city, so stages that use the rows do not load these frames and do not run again when they change.
ACCOUNTS = frozenset({"counts", "stage_counts", "quarantine"})
#: Frame with the hash of the rows of each city, see ``flows.pipeline.stages.link``.
SLICES = "slices"
#: The most memory that a workspace uses to keep frames. A small city's build reads each frame four
#: times, which takes a quarter of its time; all of its frames together need less memory than this.
_KEPT_BYTES = 64_000_000


@dataclass(frozen=True)
class Ref:
    """A reference to a shard's result that is small enough to pass to tasks: the result's location
    and a hash of its contents.

    ``data_digest`` is the hash of all frames except those in ``ACCOUNTS``. ``slices`` maps the id
    of each city to a hash of the rows about that city, if the shard has a frame ``slices``.
    """

    stage: str
    shard: str
    key: str
    digest: str
    data_digest: str
    rows: Mapping[str, int] = field(default_factory=dict)
    slices: Mapping[str, str] = field(default_factory=dict)
    reused: bool = False
    seconds: float = 0.0
    peak_bytes: int = 0


def shard_meta(
    frames: Frames, hashes: Mapping[str, str], ingredients: Mapping[str, str]
) -> dict[str, Any]:
    """Return the contents of ``meta.json`` for a shard, from the hashes of its files."""
    data = {name: value for name, value in hashes.items() if name not in ACCOUNTS}
    return {
        "digest": _digest(hashes),
        "data_digest": _digest(data),
        "rows": {name: rows.height for name, rows in frames.items()},
        "slices": dict(frames[SLICES].iter_rows()) if SLICES in frames else {},
        "ingredients": dict(ingredients),
    }


def find_ref(stage: str, shard: str, key: str, meta: Mapping[str, Any]) -> Ref | None:
    """Return the shard that ``meta`` describes, or None if an older version of tripbed wrote it."""
    if "data_digest" not in meta:
        return None
    return replace(make_ref(stage, shard, key, meta), reused=True)


def make_ref(stage: str, shard: str, key: str, meta: Mapping[str, Any]) -> Ref:
    """Return a reference to a shard that was just written with the given ``meta``."""
    return Ref(
        stage, shard, key, meta["digest"], meta["data_digest"], meta["rows"], meta.get("slices", {})
    )  # fmt: skip


def _digest(hashes: Mapping[str, str]) -> str:
    return hashlib.sha256(canonical_json(dict(hashes)).encode()).hexdigest()[:24]


def shard_key(ingredients: Mapping[str, str]) -> str:
    """Return a hash of a shard's ingredients (their names and hashes) and the schema version."""
    return hashlib.sha256(
        canonical_json({**ingredients, "schema": SCHEMA_VERSION}).encode()
    ).hexdigest()[:24]


def _identify(_: Workspace, ref: Ref, name: str) -> Hashable:
    """Return the key under which a frame is kept in memory."""
    return ref.stage, ref.shard, ref.key, ref.digest, name


class Workspace:
    """A folder of finished shards; several builds can use it at once, because writing is atomic."""

    def __init__(self, root: Path):
        self.root = root
        self._kept: LRUCache[Hashable, pl.DataFrame] = LRUCache(
            _KEPT_BYTES, getsizeof=pl.DataFrame.estimated_size
        )
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Send only the location of the workspace to other processes."""
        return type(self), (self.root,)

    def prepare(self) -> None:
        """Create or check the folder; raise WorkspaceError if the folder has a different
        version."""
        marker = self.root / "workspace.json"
        stated = {"layout": _LAYOUT, "schema_version": SCHEMA_VERSION}
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            if marker.exists():
                found = json.loads(marker.read_text(encoding="utf-8"))
            else:
                _write(marker, json.dumps(stated).encode())
                found = stated
        except ValueError:
            raise WorkspaceError(
                f"{marker} cannot be read: remove this file and the shards beside it with "
                f"`{self._remove_command()}`, or choose a different workspace with --workspace"
            ) from None
        except OSError as error:
            raise WorkspaceError(
                f"cannot write to the workspace {self.root} ({error.strerror}): "
                "choose a different folder with --workspace, or free disk space"
            ) from None
        if found != stated:
            version = found.get("schema_version") if isinstance(found, dict) else "unknown"
            raise WorkspaceError(
                f"the workspace {self.root} belongs to schema version {version}, but this program "
                f"uses {SCHEMA_VERSION}: remove its shards with `{self._remove_command()}` "
                "(the recorded answers of models and geocoders are kept), or choose a different "
                "workspace with --workspace"
            )
        self._remove_stale()

    def _remove_command(self) -> str:
        """Return the command that removes all shards, but keeps everything that was paid for."""
        root = self.root.resolve()
        return shlex.join(["rm", "-rf", str(root / "shards"), str(root / "workspace.json")])

    def _remove_stale(self) -> None:
        """Remove the unfinished files that killed builds on this machine left behind."""
        mark = f".{platform.node()}."
        for left in self.root.glob("shards/*/*/.*"):
            writer = left.name.rpartition(mark)[2]
            if mark not in left.name or not writer.isdigit() or is_running(int(writer)):
                continue
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)

    def _place(self, stage: str, shard: str, key: str) -> Path:
        return self.root / "shards" / stage / shard / key

    def find(self, stage: str, shard: str, key: str) -> Ref | None:
        """Return the finished shard with this key, or None; mark its folder as used."""
        place = self._place(stage, shard, key)
        try:
            meta = json.loads((place / "meta.json").read_text("utf-8"))
            os.utime(place)
        except (OSError, json.JSONDecodeError):
            return None
        return find_ref(stage, shard, key, meta)

    def save(
        self, stage: str, shard: str, key: str, frames: Frames, ingredients: Mapping[str, str]
    ) -> Ref:
        """Write a finished shard and store its ingredients for ``tripbed explain``."""
        place = self._place(stage, shard, key)
        aside = _aside(place)
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        try:
            hashes = write_frames(frames, lambda name, data: _write(aside / name, data))
            meta = shard_meta(frames, hashes, ingredients)
            _write(aside / "meta.json", json.dumps(meta, sort_keys=True).encode())
            if place.exists():
                shutil.rmtree(place)
            os.replace(aside, place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        last = {"key": key, "ingredients": dict(ingredients)}
        _write(place.parent / "last.json", json.dumps(last).encode())
        return make_ref(stage, shard, key, meta)

    def load(self, ref: Ref, *, accounts: bool = True) -> Frames:
        """Return the frames of a finished shard, with or without those in ``ACCOUNTS``."""
        return {
            path.stem: self._recall(ref, path.stem)
            for path in sorted(self._place(ref.stage, ref.shard, ref.key).glob("*.parquet"))
            if accounts or path.stem not in ACCOUNTS
        }

    @cachedmethod(attrgetter("_kept"), key=_identify, lock=attrgetter("_lock"))
    def _recall(self, ref: Ref, name: str) -> pl.DataFrame:
        """Return one frame of a finished shard, from memory if it was read recently."""
        return self.read(ref, name)

    def read(self, ref: Ref, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return one frame of a finished shard, or only some of its columns."""
        return pl.read_parquet(
            self._place(ref.stage, ref.shard, ref.key) / f"{name}.parquet",
            columns=list(columns) if columns else None,
        )

    def last_ingredients(self, stage: str, shard: str) -> dict[str, str] | None:
        """Return the ingredients of the shard's last run, or None if the shard has never run."""
        try:
            last = json.loads(
                (self.root / "shards" / stage / shard / "last.json").read_text("utf-8")
            )
        except (OSError, json.JSONDecodeError):
            return None
        return dict(last["ingredients"])


@dataclass(frozen=True)
class Stored:
    """A finished shard whose frames are read one by one, because all of them together need a lot of
    memory.
    """

    ref: Ref
    workspace: Workspace

    def read(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return a frame, or only some of its columns, without keeping it in memory."""
        return self.workspace.read(self.ref, name, columns)


def _aside(path: Path) -> Path:
    """Return a temporary path to write to; its name contains the machine's name and the process
    id.
    """
    return path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}")


def is_running(pid: int) -> bool:
    """Check whether a process is running on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def write_frames(frames: Frames, write: Callable[[str, bytes], object]) -> dict[str, str]:
    """Write each frame as a Parquet file; return the hash of each frame's file.

    The bytes of a file depend only on the rows.
    """
    hashes = {}
    for name, rows in frames.items():
        # Polars reports a full disk with its own error; a file that we open raises OSError.
        buffer = io.BytesIO()
        rows.write_parquet(buffer, compression="zstd", statistics=False)
        write(f"{name}.parquet", buffer.getvalue())
        hashes[name] = hashlib.sha256(buffer.getbuffer()).hexdigest()
    return hashes


def _write(path: Path, data: bytes) -> None:
    aside = _aside(path)
    with aside.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(aside, path)
