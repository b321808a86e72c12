"""A build without an orchestrator: from documents and tables to a published snapshot.

``flows.build`` runs the same shards as Prefect tasks; both come here to publish.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.graph import DirectExecutor, Executor, submit_all
from flows.publishing import find_unchanged, publish_cities
from flows.shards import Ref, Workspace
from flows.stages.base import Inputs
from sources.web.corpus import Corpus, read_folder
from warehouse.publish import Published, prepare_store

Progress = Callable[[Ref], None]


@dataclass(frozen=True)
class BuildResult:
    """What a build came to."""

    published: Published
    costs: Mapping[str, Any]


def list_documents(inputs: Inputs) -> Corpus | None:
    """The documents of a build; None where it has no folder. Raises CorpusError."""
    if not inputs.document_roots:
        return None
    return read_folder(inputs.document_roots, inputs.profile.documents.maximum_bytes)


def build_directly(
    inputs: Inputs, workspace: Workspace, store: Path, progress: Progress = lambda ref: None
) -> BuildResult:
    """Build and publish a snapshot in this process, shard by shard."""
    workspace.prepare()
    return run(inputs, workspace, store, list_documents(inputs), progress, DirectExecutor)


def run(
    inputs: Inputs,
    workspace: Workspace,
    store: Path,
    listed: Corpus | None,
    progress: Progress,
    executor_for: Callable[[Workspace, Progress], Executor],
) -> BuildResult:
    """Run every shard on an executor, then publish what control let through."""
    started = time.perf_counter()
    prepare_store(store)
    executor = executor_for(workspace, progress)
    ends = submit_all(executor, inputs, listed)
    refs = {slug: executor.result(handle) for slug, handle in ends.items()}
    unchanged = find_unchanged(store, inputs, refs)
    spent = {
        "engine": inputs.engine,
        "requests": 0,
        "cost_usd": 0.0,
        "stages": costs(executor.finished()),
        "seconds_to_publish": round(time.perf_counter() - started, 3),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    if unchanged is not None:
        return BuildResult(unchanged, spent)
    return BuildResult(publish_cities(inputs, workspace, store, refs, spent), spent)


def costs(refs: Iterable[Ref]) -> dict[str, dict[str, float]]:
    """Seconds, shards, reused shards and peak memory of the process by stage."""
    stages: dict[str, dict[str, float]] = {}
    for ref in refs:
        entry = stages.setdefault(
            ref.stage, {"seconds": 0.0, "shards": 0, "reused": 0, "peak_bytes": 0}
        )
        entry["seconds"] = round(entry["seconds"] + ref.seconds, 4)
        entry["shards"] += 1
        entry["reused"] += int(ref.reused)
        entry["peak_bytes"] = max(entry["peak_bytes"], ref.peak_bytes)
    return stages
