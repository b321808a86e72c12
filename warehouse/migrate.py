"""Convert a snapshot of an older schema version to this one.

The rows go through the steps from version to version (``warehouse.carrying``);
what could not be converted is reported. It is written aside, checked by the gates, read back and
renamed.
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
    """What a migration came to. ``passed``: the gates let it through, and it lies at ``path``.

    ``before`` are the old schema version and the old snapshot's id.
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
    """Carry a snapshot over to this schema version, into the folder ``new``, which is made.

    Where ``old`` is the latest of the store in which ``new`` lies, ``new`` becomes the latest.
    Nothing is left at ``new`` where a gate of severity error fails.

    Args:
        old: The snapshot; it stays as it is.
        new: Where the new one is to lie.
        control: Splits the tables of a city by contracts and references.
        check: Asks the gates.
        extras: Writes what else stands beside the data.
        steps: The steps between versions.

    Raises:
        SnapshotError: ``old`` is no snapshot, damaged, or of a version that has no step.
        WarehouseError: ``new`` cannot be written.
    """
    held = Snapshot(old, any_version=True)
    way = _way(held, steps)
    old, new = held.path, new.parent.resolve() / new.name
    _refuse(old, new)
    _refuse_damaged(held)
    store, aside = new.parent, new.with_name(f".{new.name}.migrating")
    replaces = (store / "latest").is_symlink() and (store / "latest").resolve() == old
    accounts, before = Accounts(), (held.manifest.schema_version, held.manifest.snapshot_id())
    # The new manifest says from which version and snapshot the rows of each city come.
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
            f"{held.path} has schema version {version}, from which no step leads to "
            f"{SCHEMA_VERSION}: a newer tripbed may have one"
        ) from None


def _refuse(old: Path, new: Path) -> None:
    """Refuse a place at which the new snapshot cannot lie. Raises WarehouseError."""
    if os.path.lexists(new):
        raise WarehouseError(f"{new} already exists: choose a new folder with --out")
    if new.is_relative_to(old):
        raise WarehouseError(f"{new} is inside {old}, which must not change: choose another --out")


def _refuse_damaged(held: Snapshot) -> None:
    """Refuse a snapshot whose files are not what its manifest says. Raises SnapshotError."""
    if faults := list(verify(held.path, held.manifest)):
        where, what = faults[0]
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise SnapshotError(
            f"{held.path / where}: {what}{more}: restore it, or build its cities again "
            "(`tripbed verify` lists all faults)"
        )
    if odd := sorted(held.definitions.keys() ^ held.manifest.tables.keys()):
        raise SnapshotError(
            f"{held.path} does not have the tables of schema {held.manifest.schema_version}: "
            f"{odd[0]!r} is in one of them only; build its cities again"
        )


def _run(old: Path) -> dict[str, Any]:
    """What the build cost and when, as it was told then."""
    try:
        found = json.loads((old / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@contextmanager
def _translate_errors(new: Path) -> Iterator[None]:
    """Errors of the disk in words that say what to do."""
    try:
        yield
    except OSError as error:
        raise WarehouseError(
            f"cannot write {new}: {error.strerror or error}: nothing is left there; free space, or "
            "choose another folder with --out"
        ) from error
