"""Defines the Prefect flow for maintenance. Importing this module imports Prefect."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.pipeline.artifacts import notify
from flows.pipeline.log import FOLDER
from schemas.nouns import count_noun
from storage.mirror import remote_of
from storage.places import find_folder
from storage.remote import Remote, Stamp
from warehouse.manifest import read_manifest, verify
from warehouse.publish import latest_snapshot
from warehouse.retention import prune

SECONDS_PER_DAY = 86_400


def verify_latest(store: Path) -> list[str]:
    """Return the faults in the last good snapshot's files, or an empty list if there is no
    snapshot.

    Raises SnapshotError if the manifest cannot be read.
    """
    latest = latest_snapshot(store)
    if latest is None:
        return []
    faults = verify(latest, read_manifest(latest, any_version=True))
    return [f"{latest.name}/{path}: {what}" for path, what in faults]


def prune_workspace(root: Path, keep_days: float, now: float | None = None) -> dict[str, int]:
    """Remove shards that no build has used for ``keep_days``, and logs of the same age.

    Returns the number of ``shards`` and ``logs`` that were removed, and the ``bytes`` that were
    freed. If a later build needs the removed shards, it computes them again. Shared storage does
    not record when a shard was last used, so the time counts from the day when the shard was made.
    """
    edge = (time.time() if now is None else now) - keep_days * SECONDS_PER_DAY
    removed = {"shards": 0, "logs": 0, "bytes": 0}
    for shard in sorted(root.glob("shards/*/*/*")):
        if shard.is_dir() and not shard.name.startswith(".") and shard.stat().st_mtime < edge:
            removed["bytes"] += sum(file.stat().st_size for file in shard.iterdir())
            # The folder is renamed first, so a reader finds it complete or not at all.
            aside = shard.with_name(f".{shard.name}.gone.{os.getpid()}")
            shard.rename(aside)
            shutil.rmtree(aside)
            removed["shards"] += 1
    if (remote := remote_of(root)) is not None:
        _prune_objects(remote, edge, removed)
    for log in sorted(root.glob(f"{FOLDER}/*.jsonl")):
        if log.stat().st_mtime < edge:
            removed["bytes"] += log.stat().st_size
            log.unlink()
            removed["logs"] += 1
    return removed


def _prune_objects(remote: Remote, edge: float, removed: dict[str, int]) -> None:
    """Remove old shards from shared storage; files that mark finished shards are removed first."""
    shards: dict[str, dict[str, Stamp]] = {}
    for key, stamp in remote.stamps("shards").items():
        place, _, name = key.rpartition("/")
        if name != "last.json":
            shards.setdefault(place, {})[key] = stamp
    for place, held in shards.items():
        if max(stamp.changed for stamp in held.values()) < edge:
            meta = f"{place}/meta.json"
            remote.remove([key for key in held if key == meta])
            remote.remove([key for key in held if key != meta])
            removed["bytes"] += sum(stamp.size for stamp in held.values())
            removed["shards"] += 1


@flow(
    name="maintenance", persist_result=False, on_completion=[notify], on_failure=[notify],
    on_crashed=[notify],
)  # fmt: skip
def upkeep(
    workspace: str = ".tripbed",
    out: str = "snapshots",
    keep_days: float = 30.0,
    keep_snapshots: int = 10,
) -> State[Any]:
    """Check the last good snapshot; remove old snapshots, and shards that are no longer used.

    Args:
        workspace: Folder of finished shards.
        out: Folder of snapshots.
        keep_days: Days without use after which a shard or a log is removed.
        keep_snapshots: Number of newest snapshots to keep; the last good one is always kept.
    """
    store = find_folder(out)
    faults = verify_latest(store)
    removed = prune_workspace(find_folder(workspace), keep_days)
    old = len(prune(store, keep_snapshots).removed) if store.is_dir() else 0
    text = (
        f"{count_noun(old, 'snapshot')}, {count_noun(removed['shards'], 'shard')} and"
        f" {count_noun(removed['logs'], 'log')} removed; {count_noun(removed['bytes'], 'byte')}"
        " freed in the workspace"
    )
    if faults:
        return Failed(message=f"the last good snapshot is damaged: {'; '.join(faults[:5])}. {text}")
    return Completed(message=text)
