"""``tripbed build --explain``: which shards would run, and why."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from flows.pipeline.graph import NODES, ingredients, submit_all
from flows.pipeline.looking import begin_round
from flows.pipeline.request import BuildRequest
from flows.pipeline.run import list_documents
from flows.pipeline.shards import Ref, Workspace, shard_key
from flows.pipeline.stages.base import Job
from flows.pipeline.storage import open_workspace
from flows.review.apply import list_rejected


class _Explainer:
    """An executor that runs nothing: it says for each shard whether it would run, and why."""

    def __init__(self, workspace: Workspace):
        self.workspace = workspace
        self.lines: list[dict[str, str]] = []

    def submit(self, stage: str, job: Job, upstream: dict[str, list[Ref | None]]) -> Ref | None:
        """The shard's reference where it is finished, None where it would run."""
        waits = sorted({name for name, refs in upstream.items() for ref in refs if ref is None})
        if waits:
            self._say(stage, job, "would run", f"after {', '.join(waits)}")
            return None
        known = {name: [ref for ref in refs if ref] for name, refs in upstream.items()}
        parts = ingredients(NODES[stage].stage, job, known)
        found = self.workspace.find(stage, job.shard, shard_key(parts))
        if found and NODES[stage].stage.is_finished(found.rows):
            self._say(stage, job, "finished", "")
            return found
        if found:
            self._say(stage, job, "would run", "a model gave no usable answer")
            return None
        self._say(stage, job, "would run", self._why(stage, job, parts))
        return None

    def result(self, handle: Ref | None) -> Ref:
        """Nothing has run, so nothing can be waited for."""
        raise LookupError("an explanation runs nothing")

    def finish(self) -> list[Ref]:
        """Nothing has run."""
        return []

    def _why(self, stage: str, job: Job, parts: dict[str, str]) -> str:
        last = self.workspace.last_ingredients(stage, job.shard)
        if last is None:
            return "never run"
        changed = sorted(name for name in {*parts, *last} if parts.get(name) != last.get(name))
        return f"changed: {', '.join(changed)}" if changed else "its result was removed"

    def _say(self, stage: str, job: Job, state: str, why: str) -> None:
        self.lines.append({"stage": stage, "shard": job.shard, "state": state, "why": why})


def explain(request: BuildRequest, workspace: Path, out: Path, as_json: bool) -> None:
    """Print for every shard whether it would run and why."""
    settings = request.settings
    inputs = replace(
        begin_round(request.inputs(), new=False), rejections=list_rejected(out, settings.reviews)
    )
    explainer = _Explainer(open_workspace(workspace, settings.storage))
    submit_all(explainer, inputs, list_documents(inputs))  # type: ignore[arg-type]  # a shard that would run has no reference
    if as_json:
        sys.stdout.write(json.dumps(explainer.lines, ensure_ascii=False) + "\n")
        return
    for line in explainer.lines:
        sys.stdout.write(
            f"{line['stage']:<13} {line['shard']:<22} {line['state']:<10} {line['why']}\n"
        )
    waiting = sum(line["state"] == "would run" for line in explainer.lines)
    sys.stdout.write(f"{waiting} of {len(explainer.lines)} shards would run\n")
