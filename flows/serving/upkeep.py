"""The Prefect flow of maintenance. Importing this module imports Prefect."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.pipeline.notify import notify
from flows.serving.maintenance import prune_workspace, verify_latest
from schemas.nouns import count_noun
from storage.places import find_folder
from warehouse.retention import prune


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
    """Check the last good snapshot; remove old snapshots, and shards that nobody used.

    Args:
        workspace: Folder of finished shards.
        out: Folder of snapshots.
        keep_days: Days without use after which a shard or a log is removed.
        keep_snapshots: Newest snapshots that stay; the last good one always does.
    """
    store = find_folder(out)
    faults = verify_latest(store)
    removed = prune_workspace(find_folder(workspace), keep_days)
    old = len(prune(store, keep_snapshots).removed) if store.is_dir() else 0
    text = (
        f"{count_noun(old, 'snapshot')}, {count_noun(removed['shards'], 'shard')} and"
        f" {count_noun(removed['logs'], 'log')} removed, {count_noun(removed['bytes'], 'byte')} of"
        " the workspace"
    )
    if faults:
        return Failed(message=f"the last good snapshot is damaged: {'; '.join(faults[:5])}. {text}")
    return Completed(message=text)
