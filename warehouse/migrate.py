"""Converts a snapshot of an older schema version to the current version.

``warehouse.carrying`` converts the rows step by step, from version to version. Data that could not
be converted is reported. The new snapshot is written to a temporary folder, checked by the gates
and read back. The temporary folder is then renamed.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.tables import SCHEMA_VERSION
from warehouse.candidate import complete, write_rows
from warehouse.carrying import STEPS, Accounts, Control, MigrationStep, carry_over, route
from warehouse.errors import SnapshotError, WarehouseError
from warehouse.given import read_given
from warehouse.manifest import verify
from warehouse.publish import lock_store, point_latest, sync_folder
from warehouse.read import Snapshot
from warehouse.verdicts import GateResult, no_error


@dataclass(frozen=True)
class Migration:
    """The result of a migration.

    If every gate of severity error passed, ``passed`` is True and the new snapshot is at ``path``.
    ``before`` contains the old schema version and the id of the old snapshot.
    """

    path: Path
    passed: bool
    before: tuple[str, str]
    accounts: Accounts
    gates: tuple[GateResult, ...]
    is_latest: bool


def migrate(
    old: Path,
    new: Path,
    *,
    control: Control,
    check: Callable[[Path], Sequence[GateResult]],
    extras: Callable[[Path], None] = lambda candidate: None,
    steps: Mapping[str, MigrationStep] = STEPS,
) -> Migration:
    """Convert a snapshot to the current schema version and write it to the new folder ``new``.

    If ``old`` is the latest snapshot in the store that contains ``new``, then ``new`` becomes the
    latest snapshot. If a gate of severity error fails, nothing is written to ``new``.

    Args:
        old: The old snapshot, which stays unchanged.
        new: The folder of the new snapshot.
        control: Separates the valid rows of a city's tables from all others.
        check: Runs the gates.
        extras: Writes further files next to the data.
        steps: The steps between versions.

    Raises:
        SnapshotError: If ``old`` is not a snapshot, is damaged, or has a version that no step
            converts.
        WarehouseError: If ``new`` cannot be written.
    """
    held = Snapshot(old, any_version=True)
    way = _way(held, steps)
    old, new = held.path, new.parent.resolve() / new.name
    _refuse(old, new)
    _refuse_damaged(held)
    store, aside = new.parent, new.with_name(f".{new.name}.migrating")
    replaces = (store / "latest").is_symlink() and (store / "latest").resolve() == old
    accounts, before = Accounts(), (held.manifest.schema_version, held.manifest.snapshot_id())
    # The new manifest records the version and snapshot from which the rows of each city come.
    origin = {f"migrated/{slug}": " ".join(before) for slug in held.manifest.cities}
    with _translate_errors(new), lock_store(store) if replaces else nullcontext():
        store.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        try:
            files = write_rows(aside, carry_over(held, way, control, accounts))
            accounts.check()
            _, gates = complete(
                aside, files, settings=held.manifest.settings,
                ingredients=held.manifest.ingredients | origin, run=_run(old),
                check=check, extras=extras, given=read_given(old, any_version=True),
            )  # fmt: skip
            if passed := no_error(gates):
                os.rename(aside, new)
                if replaces:
                    point_latest(store, new.name)
                sync_folder(store)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return Migration(new, passed, before, accounts, gates, passed and replaces)


def _way(held: Snapshot, steps: Mapping[str, MigrationStep]) -> tuple[MigrationStep, ...]:
    version = held.manifest.schema_version
    if version == SCHEMA_VERSION:
        raise SnapshotError(
            f"{held.path} already has schema version {version}: there is nothing to migrate"
        )
    try:
        return route(version, steps)
    except KeyError:
        raise SnapshotError(
            f"{held.path} has schema version {version}, which this version of tripbed cannot "
            f"migrate to {SCHEMA_VERSION}: try a newer version of tripbed"
        ) from None


def _refuse(old: Path, new: Path) -> None:
    """Raise WarehouseError if the new snapshot cannot be written to this folder."""
    if os.path.lexists(new):
        raise WarehouseError(f"{new} already exists: choose a new folder with --out")
    if new.is_relative_to(old):
        raise WarehouseError(
            f"{new} is inside {old}, which must not change: choose a different --out"
        )


def _refuse_damaged(held: Snapshot) -> None:
    """Raise SnapshotError if the files of a snapshot do not match its manifest."""
    if faults := list(verify(held.path, held.manifest)):
        where, what = faults[0]
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise SnapshotError(
            f"{held.path / where}: {what}{more}: restore the file, or build the snapshot's cities"
            " again (`tripbed verify` lists all faults)"
        )
    if odd := sorted(held.definitions.keys() ^ held.manifest.tables.keys()):
        raise SnapshotError(
            f"{held.path}: the table {odd[0]!r} is missing, or does not belong to schema "
            f"{held.manifest.schema_version}: build the snapshot's cities again"
        )


def _run(old: Path) -> dict[str, Any]:
    """Read the time and cost of the original build; return nothing for values that are unknown."""
    try:
        found = json.loads((old / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def _translate_errors(new: Path) -> Iterator[None]:
    """Replace disk errors with a WarehouseError that says what to do."""
    try:
        yield
    except OSError as error:
        raise WarehouseError(
            f"cannot write {new}: {error.strerror or error}. The unfinished files were removed. "
            "Free some disk space, or choose a different folder with --out"
        ) from error
