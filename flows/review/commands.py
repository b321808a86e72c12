"""The commands ``tripbed review export`` and ``tripbed review import``."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import polars as pl

from flows.console import print_json
from flows.errors import SettingsError
from flows.review import apply, forms
from flows.review import tasks as queue
from flows.review.store import check_keeps, list_decisions, store_decisions
from flows.settings.environment import Settings
from schemas.nouns import count_noun
from storage.places import address_of
from validators.gates.control import double_decisions, kappa
from warehouse.read import Snapshot


def export_tasks(
    path: Path,
    target: Path,
    form: str,
    sample: int,
    seed: int,
    against: Path | None,
    settings: Settings,
    as_json: bool,
) -> None:
    """Write the rows to review to a file, and print how many there are in each table."""
    snapshot = Snapshot(path)
    tasks = queue.uncertain(snapshot, sample, seed)
    if against is not None:
        tasks = [*queue.find_drifted(Snapshot(against), snapshot), *tasks]
    decided = list_decisions(snapshot.path.parent, settings.reviews)
    rows = queue.export_rows(snapshot, tasks, decided)
    unique = list({(row["table"], row["row_id"]): row for row in reversed(rows)}.values())[::-1]
    if form == "csv":
        forms.write_csv(unique, target)
    else:
        forms.write_labelstudio(unique, target)
    counts = dict(sorted(Counter(row["table"] for row in unique).items()))
    if as_json:
        print_json({"path": str(target), "tasks": len(unique), "tables": counts})
        return
    sys.stdout.write(f"{target}: {count_noun(len(unique), 'row')} to review")
    sys.stdout.write("".join(f", {number} of {name}" for name, number in counts.items()) + "\n")


def import_decisions(decisions: Path, store: Path, settings: Settings, as_json: bool) -> None:
    """Import decisions into a store, and print the reviewers' agreement.

    Also prints decisions that a build cannot apply. Raises SettingsError if the decisions or the
    store cannot be used.
    """
    check_keeps(store, settings.reviews)
    if address_of(store) is None and not store.is_dir():
        raise SettingsError(
            f"{store} is not a store: give the folder that `tripbed build` wrote to"
        )
    given = forms.read_decisions(decisions)
    new, total = store_decisions(store, settings.reviews, given)
    agreement = {
        f"{one}/{other}": {"rows": len(both), "kappa": round(kappa(both), 3)}
        for (one, other), both in double_decisions(
            _label(list_decisions(store, settings.reviews))
        ).items()
    }
    by_source = [
        row for row in given
        if row["decision"] == "reject"
        and row["table"] not in (*apply.APPLIED, *apply.LEFT_OUT, *apply.LINKED)
    ]  # fmt: skip
    if as_json:
        print_json(
            {
                "read": len(given),
                "new": new,
                "held": total,
                "agreement": agreement,
                "to_mend_in_source": [row["row_id"] for row in by_source],
            }
        )
        return
    sys.stdout.write(
        f"{count_noun(len(given), 'decision')} read, {new} new, {total} now in {store}\n"
    )
    for names, found in agreement.items():
        sys.stdout.write(
            f"{names}: kappa {found['kappa']} over {count_noun(int(found['rows']), 'row')}\n"
        )
    for row in by_source:
        sys.stdout.write(f"recorded only; fix it in its source: {row['table']} {row['row_id']}\n")


def _label(decisions: list[forms.Row]) -> pl.DataFrame:
    """Return decisions with labels to compare. Reviewers who name different places disagree."""
    columns = ("city_id", "table", "row_id", "fact_hash", "reviewer")
    rows = [{**{c: r[c] for c in columns}, "decision": forms.label_of(r)} for r in decisions]
    return pl.DataFrame(rows, schema=dict.fromkeys((*columns, "decision"), pl.String), orient="row")
