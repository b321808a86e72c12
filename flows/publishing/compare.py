"""Compares snapshots for ``tripbed diff``, and removes old snapshots for ``tripbed prune``."""

from __future__ import annotations

import sys
from pathlib import Path

from flows.console import print_json
from schemas.nouns import count_noun
from warehouse.diff import SEVERITIES
from warehouse.diff import diff as compare
from warehouse.diff_words import as_text
from warehouse.read import Snapshot
from warehouse.retention import prune as remove


def diff(before: Path, after: Path, fail_on: str, as_json: bool) -> int:
    """Print the differences as text or JSON; return 1 if they are at least as severe as
    ``fail_on``."""
    found = compare(*(Snapshot(path, any_version=True) for path in (before, after)))
    if as_json:
        print_json(found.as_json())
    else:
        sys.stdout.write(as_text(found))
    if fail_on == "never":
        return 0
    ranks: dict[str, int] = {name: rank for rank, name in enumerate(SEVERITIES)}
    return int(ranks[found.severity] >= ranks[fail_on])


def prune(store: Path, keep: int, keep_rejected: int, dry_run: bool, as_json: bool) -> None:
    """Remove old snapshots, and print which ones were removed."""
    done = remove(store, keep, keep_rejected, dry_run=dry_run)
    if as_json:
        print_json({**vars(done), "dry_run": dry_run})
        return
    verb = "would remove" if dry_run else "removed"
    sys.stdout.writelines(f"{verb} {name}\n" for name in done.removed)
    sys.stdout.write(
        f"{verb} {len(done.removed)}, kept {len(done.kept)}, {count_noun(done.freed_bytes, 'byte')}"
        " freed\n"
    )
