"""Shows runs (from their logs) and cities (from the last good snapshot), for ``tripbed status``."""

from __future__ import annotations

import json
import platform
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from flows.pipeline.log import ENDS, FOLDER, read_runs
from flows.pipeline.shards import is_running
from schemas.nouns import count_noun
from storage.places import show_path
from warehouse.manifest import read_manifest
from warehouse.publish import latest_snapshot

Events = list[dict[str, Any]]


def show(workspace: Path, store: Path, limit: int, as_json: bool) -> None:
    """Print runs and cities; raise SnapshotError if the store is broken."""
    found = [run_facts(events) for events in read_runs(workspace / FOLDER)]
    facts: dict[str, Any] = {
        "runs": found[-limit:],
        "snapshot": _snapshot(store),
        "cities": last_good(found),
    }
    if as_json:
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    for run in facts["runs"]:
        line = f"{run['started']}  {run['state']:<10} {', '.join(run['cities'])}"
        line += f"  {count_noun(run['shards'], 'shard')}, {run['reused']} reused"
        line += f", now {run['last_stage']}" if run["state"] == "running" else ""
        sys.stdout.write(line + (f"  {run['note']}" if run["note"] else "") + "\n")
    if not facts["runs"]:
        sys.stdout.write(f"no runs in {show_path(workspace)}\n")
    snapshot = facts["snapshot"]
    if snapshot is None:
        sys.stdout.write(f"no snapshot in {show_path(store)}\n")
        return
    sys.stdout.write(
        f"last good snapshot {snapshot['snapshot']}: {', '.join(snapshot['cities'])}\n"
    )


def run_facts(events: Events) -> dict[str, Any]:
    """Describe one run: published, rejected, unchanged, failed, running or killed."""
    first, last = events[0], events[-1]
    kinds = Counter(event["event"] for event in events)
    state = str(last["event"]).removeprefix("run.")
    if last["event"] not in ENDS:
        state = _alive(first)
    done = [event for event in events if event["event"] == "shard.done"]
    return {
        "run_id": first["run_id"],
        "started": first["at"],
        "last_event": last["at"],
        "state": state,
        "cities": first.get("cities", []),
        "profile": first.get("profile"),
        "shards": kinds["shard.done"],
        "reused": sum(bool(event.get("reused")) for event in done),
        "last_stage": done[-1]["stage"] if done else None,
        "snapshot": last.get("snapshot"),
        "note": last.get("reason") or ", ".join(last.get("gates_failed") or ()),
    }


def last_good(runs: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return, for each city, the last run that published it or found it unchanged."""
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        if run["state"] in ("published", "unchanged"):
            for slug in run["cities"]:
                found[slug] = {key: run[key] for key in ("run_id", "snapshot")} | {
                    "at": run["last_event"]
                }
    return dict(sorted(found.items()))


def _alive(first: dict[str, Any]) -> str:
    """Check whether an unfinished run is still working; for runs on other machines, this cannot be
    known."""
    if first.get("host") != platform.node():
        return "open"
    return "running" if is_running(int(first["pid"])) else "killed"


def _snapshot(store: Path) -> dict[str, Any] | None:
    latest = latest_snapshot(store)
    if latest is None:
        return None
    manifest = read_manifest(latest, any_version=True)
    return {"snapshot": latest.name, "path": show_path(latest), "cities": list(manifest.cities)}
