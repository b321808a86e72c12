"""Make 200 seeded corruptions of a good snapshot, and count how many the gates catch.

Each corruption changes one thing. A corruption moves a value, swaps values, sets a value to null,
shifts a value in time or space, duplicates or removes a row, or truncates a file. The run then
updates the manifest to match the damaged data, so that no checksum reveals the corruption. The
gates must find the corruption in the contents of the tables.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq

from benchmarks.report import count_of, table, write_section
from schemas.fields import FIELDS
from schemas.tables import TABLES
from validators.validate import validate
from warehouse.candidate import write_partition
from warehouse.manifest import FileEntry, Manifest, TableEntry, file_sha256, read_manifest

KINDS = (
    "value moved", "values swapped", "value nulled", "row duplicated", "shifted in time",
    "shifted in space", "file truncated", "row lost",
)  # fmt: skip
#: The table of gate results is left out, because the gates are run again.
_TABLES = tuple(name for name in TABLES if name != "gates")
_TIMES = ("minute", "day")
_ATTEMPTS = 200
#: Gates that compare a row with its hash, so that they notice any change.
_BY_HASH = frozenset(
    {"read_rows", "given_values", "quotes", "comparisons", "quarantine_ids", "fact_ids"}
)
#: Why no gate can detect a change of these columns or tables.
_UNSEEN = {
    "evidence.quote_sha256": "the quoted text is not published in any row",
    "poi_aliases.alias": (
        "the alias comes from one source row, and only aliases from documents have a quote"
    ),
    "pois.trend_types": "the types come from several source rows, none of which has all types",
    "pois.wikidata": "the source states the id only once, in an optional field of the place",
    "city_stats.metric_value": (
        "some of the source rows from which the metric is computed are not published"
    ),
    "findings.n_rows": "the number includes source rows that are not published",
    "stage_counts": (
        "the numbers count rows that pass from one stage to the next, and these rows are not"
        " published"
    ),
    "review_decisions": "each reviewer's decision is stated in only one row",
    "cities": "the snapshot does not contain the gazetteer of cities, so no gate can detect the"
    " change",
}
_NOTE = (
    "The benchmark damages a good snapshot in one place at a time. The benchmark counts how often"
    " at least one gate of severity *error* fails. After each corruption, the benchmark updates the"
    " checksums and counts in the manifest to match the damaged data. The benchmark does not update"
    " the hashes in the rows. The last column gives the number of corruptions that a gate detects"
    " only because the row no longer matches its hash."
)
_UNSEEN_ELSE = "only one row states the value, and nothing else in the snapshot depends on it"


@dataclass(frozen=True)
class Corruption:
    """One corruption: where the change is, and the values before and after it."""

    number: int
    kind: str
    path: str
    table: str
    column: str
    row: str
    before: str
    after: str

    def __str__(self) -> str:
        return (
            f"{self.kind}: {self.table}.{self.column} of {self.row} changed from {self.before} to"
            f" {self.after}"
        )


@dataclass(frozen=True)
class CorruptionOutcome:
    """A corruption, and the gates with severity error or warning that failed because of it."""

    corruption: Corruption
    errors: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Check whether the gates would have rejected the snapshot."""
        return bool(self.errors)

    @property
    def by_hash(self) -> bool:
        """Check whether only a hash in the same row revealed the corruption."""
        return self.caught and set(self.errors) <= _BY_HASH

    @property
    def why_unseen(self) -> str:
        """The reason why no gate can detect the corruption."""
        where = f"{self.corruption.table}.{self.corruption.column}"
        return _UNSEEN.get(where, _UNSEEN.get(self.corruption.table, _UNSEEN_ELSE))


def corrupt(base: Path, target: Path, number: int, seed: int = 0) -> Corruption:
    """Copy ``base`` to ``target`` with one corruption, and adapt the manifest to match."""
    shutil.copytree(base / "data", target / "data", copy_function=os.link)
    draw = random.Random(f"{seed}/{number}")
    manifest = read_manifest(base)
    entries = [
        (name, entry) for name in _TABLES for entry in manifest.tables[name].files if entry.rows
    ]
    kind = KINDS[number % len(KINDS)]
    for _ in range(_ATTEMPTS):
        # Tables have equal chances, whatever their size.
        name = draw.choice(sorted({name for name, _ in entries}))
        entry = draw.choice([e for n, e in entries if n == name])
        rows = pl.read_parquet(base / entry.path, hive_partitioning=False)
        made = _truncate(base / entry.path, draw) if kind == "file truncated" else None
        changed = made or _DAMAGE[kind](name, rows, draw)
        if changed is None:
            continue
        damaged, column, row, before, after = changed
        _write(target, name, entry, damaged)
        _seal(target, manifest, name, entry, rows.height)
        return Corruption(
            number, kind, entry.path, name, column, row, str(before)[:60], str(after)[:60]
        )
    raise RuntimeError(f"the corruption {kind!r} cannot be applied to any row")


Change = tuple[pl.DataFrame | bytes, str, str, Any, Any]


def _truncate(path: Path, draw: random.Random) -> Change:
    content = path.read_bytes()
    keep = draw.randrange(1, len(content) - 1)
    return content[:keep], "file", path.name, f"{len(content)} bytes", f"{keep} bytes"


def _key(name: str, rows: pl.DataFrame, at: int) -> str:
    return "/".join(str(rows[column][at]) for column in TABLES[name].key)


def _with(rows: pl.DataFrame, column: str, values: dict[int, Any]) -> pl.DataFrame:
    cells = rows[column].to_list()
    for at, value in values.items():
        cells[at] = value
    return rows.with_columns(pl.Series(column, cells, dtype=rows.schema[column]))


def _move_value(name: str, rows: pl.DataFrame, draw: random.Random) -> Change | None:
    """Give a row the value that a different row has in the same column."""
    column = draw.choice(rows.columns)
    here, there = draw.randrange(rows.height), draw.randrange(rows.height)
    before, after = rows[column].to_list()[here], rows[column].to_list()[there]
    if before == after:
        return None
    return _with(rows, column, {here: after}), column, _key(name, rows, here), before, after


def _swap_values(name: str, rows: pl.DataFrame, draw: random.Random) -> Change | None:
    """Swap the values of two rows in one column."""
    column = draw.choice(rows.columns)
    here, there = draw.randrange(rows.height), draw.randrange(rows.height)
    before, after = rows[column].to_list()[here], rows[column].to_list()[there]
    if before == after:
        return None
    damaged = _with(rows, column, {here: after, there: before})
    # Rows that only swap their positions are the same rows.
    if damaged.sort(rows.columns, maintain_order=True).equals(
        rows.sort(rows.columns, maintain_order=True)
    ):
        return None
    return damaged, column, _key(name, rows, here), before, after


def _remove_value(name: str, rows: pl.DataFrame, draw: random.Random) -> Change | None:
    column, here = draw.choice(rows.columns), draw.randrange(rows.height)
    before = rows[column].to_list()[here]
    if before is None:
        return None
    return _with(rows, column, {here: None}), column, _key(name, rows, here), before, None


def _duplicate_row(name: str, rows: pl.DataFrame, draw: random.Random) -> Change:
    here = draw.randrange(rows.height)
    damaged = pl.concat([rows, rows.slice(here, 1)])
    return damaged, "row", _key(name, rows, here), "once", "twice"


def _shift_numbers(
    units: tuple[str, ...], dates: bool, most: float
) -> Callable[..., Change | None]:
    def damage(name: str, rows: pl.DataFrame, draw: random.Random) -> Change | None:
        columns = [
            c
            for c in rows.columns
            if (rows.schema[c].is_numeric() and FIELDS[c].unit in units and c not in ("rating",))
            or (dates and rows.schema[c] == pl.Date)
        ]
        if not columns:
            return None
        column, here = draw.choice(columns), draw.randrange(rows.height)
        before = rows[column].to_list()[here]
        if before is None:
            return None
        step = draw.uniform(0.001, most) * draw.choice([-1, 1])
        after: Any
        if isinstance(before, dt.date):
            after = before + dt.timedelta(days=round(step * 400) or 1)
        elif isinstance(before, int):
            after = before + (round(step * 120) or 1)
        else:
            after = before + step
        return _with(rows, column, {here: after}), column, _key(name, rows, here), before, after

    return damage


def _lost(name: str, rows: pl.DataFrame, draw: random.Random) -> Change:
    here = draw.randrange(rows.height)
    damaged = pl.concat([rows.slice(0, here), rows.slice(here + 1)])
    return damaged, "row", _key(name, rows, here), "there", "gone"


_DAMAGE: dict[str, Callable[[str, pl.DataFrame, random.Random], Change | None]] = {
    "value moved": _move_value,
    "values swapped": _swap_values,
    "value nulled": _remove_value,
    "row duplicated": _duplicate_row,
    "shifted in time": _shift_numbers(_TIMES, dates=True, most=1.0),
    "shifted in space": _shift_numbers(("degree", "metre"), dates=False, most=0.5),
    "row lost": _lost,
}


def _write(target: Path, name: str, entry: FileEntry, damaged: pl.DataFrame | bytes) -> None:
    path = target / entry.path
    path.unlink()
    if isinstance(damaged, bytes):
        path.write_bytes(damaged)
        return
    value = None if TABLES[name].partition == "none" else entry.path.split("=", 1)[1].split("/")[0]
    try:
        write_partition(target, name, value, damaged)
    except ValueError:
        # A null that the schema forbids is written as another program would, without the schema.
        damaged.sort(TABLES[name].key, nulls_last=True).write_parquet(path)


def _seal(target: Path, manifest: Manifest, name: str, entry: FileEntry, rows: int) -> None:
    """Write a manifest with the checksum, size and number of rows of the damaged file."""
    path = target / entry.path
    try:
        held = pq.read_metadata(path).num_rows
    except (OSError, ValueError):
        held = rows
    new = FileEntry(path=entry.path, sha256=file_sha256(path), bytes=path.stat().st_size, rows=held)
    files = tuple(new if e.path == entry.path else e for e in manifest.tables[name].files)
    entry_of_table = TableEntry(rows=sum(e.rows for e in files), files=files)
    sealed = manifest.model_copy(update={"tables": {**manifest.tables, name: entry_of_table}})
    (target / "manifest.json").write_text(sealed.text(), encoding="utf-8")


def run(base: Path, numbers: Iterable[int], seed: int = 0) -> list[CorruptionOutcome]:
    """Make one corruption at a time, and run the gates on each."""
    outcomes = []
    with tempfile.TemporaryDirectory(dir=base.parent) as folder:
        for number in numbers:
            target = Path(folder) / str(number)
            corruption = corrupt(base, target, number, seed)
            failed = [result for result in validate(target).results if not result.passed]
            by = {
                severity: tuple(r.gate_id for r in failed if r.severity == severity)
                for severity in ("error", "warning")
            }
            outcomes.append(CorruptionOutcome(corruption, by["error"], by["warning"]))
            shutil.rmtree(target)
    return outcomes


def section(outcomes: list[CorruptionOutcome], seed: int) -> str:
    """Return the figures for each kind of corruption, and a list of those that no gate caught."""
    kinds = Counter(outcome.corruption.kind for outcome in outcomes)
    caught = Counter(outcome.corruption.kind for outcome in outcomes if outcome.caught)
    misses = [outcome for outcome in outcomes if not outcome.caught]
    total = len(outcomes) - len(misses)
    hashed = Counter(outcome.corruption.kind for outcome in outcomes if outcome.by_hash)
    rows = [(kind, kinds[kind], caught[kind], hashed[kind]) for kind in KINDS]
    all_rows = ("all", len(outcomes), total, hashed.total())
    text = (
        f"With seed {seed}, the gates caught {count_of(total, len(outcomes), 'corruptions')}"
        f" ({total / len(outcomes):.1%}).\n\n"
        + table(("corruption", "made", "caught", "caught by a row's hash alone"), [*rows, all_rows])
    )
    if misses:
        missed = "corruption" if len(misses) == 1 else "corruptions"
        text += f"\nThe gates missed the following {missed}:\n\n" + "".join(
            f"- {outcome.corruption} ({outcome.why_unseen})"
            + (f" (warning: {', '.join(outcome.warnings)})" if outcome.warnings else "")
            + "\n"
            for outcome in misses
        )
    return text


def main() -> None:
    """Corrupt a snapshot, print the figures and, with ``--write``, write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path, help="a good snapshot")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, nargs="+", default=[0])
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    parts = []
    for seed in options.seed:
        outcomes = run(options.snapshot.resolve(), range(options.number), seed)
        parts.append(section(outcomes, seed))
        sys.stdout.write(parts[-1] + "\n")
        sys.stdout.flush()
    if options.write:
        seeds = " ".join(map(str, options.seed))
        command = f"python -m benchmarks.corruptions SNAPSHOT --seed {seeds} --write"
        body = "\n".join([f"{_NOTE}\n", *parts])
        write_section("Corruptions of a good snapshot", command, body)


if __name__ == "__main__":
    main()
