"""Exports snapshots in the layouts of other sandboxes.

Rows and values that a layout cannot express are listed in a report.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from warehouse.errors import WarehouseError
from warehouse.export.account import ExportAccount
from warehouse.export.gather import plans_of_kind
from warehouse.read import Snapshot

#: Layouts that can contain plans.
WITH_PLANS = ("traveleval", "chinatravel")
FORMATS = ("traveleval", "chinatravel", "tprag", "geoparquet", "csv")
REPORT = "export.json"


def export(snapshot: Path, layout: str, out: Path, plan_kind: str = "proof") -> ExportAccount:
    """Write a snapshot in a layout of ``FORMATS`` to a new or empty folder.

    ``plan_kind`` chooses which plan of each query is written, if the layout can contain plans. The
    folder is created only if the export is complete. The file ``export.json`` counts the rows of
    each city and table. The file also lists the rows that were left out or changed, and the cities
    that the layout cannot contain.

    Raises SnapshotError if the folder is not a snapshot. Raises WarehouseError if the layout is
    unknown or can contain none of the cities, if the folder is not empty, or if the snapshot has no
    plans of this kind.
    """
    # Imported here because each layout needs other libraries.
    from warehouse.export import chinatravel, geoparquet, tprag, traveleval, tripbed_csv

    writers: dict[str, Callable[[Snapshot, Path, ExportAccount], None]] = {
        "traveleval": partial(traveleval.write, plan_kind=plan_kind),
        "chinatravel": partial(chinatravel.write, plan_kind=plan_kind),
        "tprag": tprag.write,
        "geoparquet": geoparquet.write,
        "csv": tripbed_csv.write,
    }
    if layout not in writers:
        raise WarehouseError(f"there is no layout {layout!r}: choose one of {', '.join(FORMATS)}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise WarehouseError(f"{out} is not an empty folder: choose a new or empty folder")
    held = Snapshot(snapshot)
    _check_plans(held, layout, plan_kind)
    account = ExportAccount(layout, held.path.name)
    aside = out.with_name(f".{out.name}.{os.getpid()}")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        writers[layout](held, aside, account)
        account.check()
        _refuse_nothing(account, held)
        (aside / REPORT).write_text(account.json() + "\n", encoding="utf-8")
        if out.exists():
            out.rmdir()
        aside.rename(out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return account


def _check_plans(held: Snapshot, layout: str, plan_kind: str) -> None:
    """Raise WarehouseError if the layout or the snapshot has no plans of this kind."""
    if plan_kind == "proof":
        return
    if layout not in WITH_PLANS:
        raise WarehouseError(
            f"the layout {layout} has no plans: leave out --plans, or choose"
            f" {' or '.join(WITH_PLANS)}"
        )
    if not plans_of_kind(held, plan_kind):
        raise WarehouseError(
            f"the snapshot contains no {plan_kind} plans: build it with a profile that lists "
            f"{plan_kind} under plans.references"
        )


def _refuse_nothing(account: ExportAccount, held: Snapshot) -> None:
    """Raise WarehouseError if no city of the snapshot was written."""
    if held.manifest.cities and set(account.cities_left_out) >= set(held.manifest.cities):
        why = "; ".join(f"{city}: {told}" for city, told in sorted(account.cities_left_out.items()))
        raise WarehouseError(
            f"there is nothing to write: {why}. Choose another layout: {', '.join(FORMATS)}"
        )
