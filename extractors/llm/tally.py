"""Estimated and actual use of each run, by task, kept in the ledger for all processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import sqlalchemy as sa

from extractors.llm.database import META, patient

_FIGURES = ("requests", "tokens_in", "tokens_out", "micro_usd")
_TALLIES = sa.Table(
    "tallies",
    META,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("task", sa.String(80), primary_key=True),
    *(
        sa.Column(f"{kind}_{name}", sa.BigInteger, nullable=False)
        for kind in ("expected", "spent")
        for name in _FIGURES
    ),
)


@dataclass(frozen=True)
class Figures:
    """Requests, tokens and millionths of a dollar."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    micro_usd: int = 0

    def __add__(self, other: Figures) -> Figures:
        mine, theirs = asdict(self), asdict(other)
        return Figures(**{name: mine[name] + theirs[name] for name in _FIGURES})


@dataclass(frozen=True)
class TaskTally:
    """One task of a run: what its requests were expected to take, and what they took."""

    expected: Figures = field(default_factory=Figures)
    spent: Figures = field(default_factory=Figures)


class Tallies:
    """The figures of one run, by task. Safe to share by threads, and by processes."""

    def __init__(self, database: sa.Engine, run_id: str) -> None:
        self._database, self._run_id = database, run_id

    def expect(self, task: str, figures: Figures) -> None:
        """Add what a request is expected to take, before it is sent."""
        self._add(task, "expected", figures)

    def spend(self, task: str, figures: Figures) -> None:
        """Add what a request took."""
        self._add(task, "spent", figures)

    @patient
    def _add(self, task: str, kind: str, figures: Figures) -> None:
        mine = (_TALLIES.c.run_id == self._run_id, _TALLIES.c.task == task)
        more = {f"{kind}_{name}": value for name, value in asdict(figures).items()}
        added = sa.update(_TALLIES).where(*mine)
        added = added.values({name: _TALLIES.c[name] + value for name, value in more.items()})
        with self._database.begin() as connection:
            if connection.execute(added).rowcount:
                return
        none = dict.fromkeys((c.name for c in _TALLIES.c if c.name not in ("run_id", "task")), 0)
        row = {**none, **more, "run_id": self._run_id, "task": task}
        try:
            with self._database.begin() as connection:
                connection.execute(sa.insert(_TALLIES).values(row))
        except sa.exc.IntegrityError:  # another process was first
            with self._database.begin() as connection:
                connection.execute(added)

    @patient
    def by_task(self) -> Mapping[str, TaskTally]:
        """All figures of the run, in the order of the tasks' names."""
        query = sa.select(_TALLIES).where(_TALLIES.c.run_id == self._run_id)
        with self._database.connect() as connection:
            rows = [dict(row._mapping) for row in connection.execute(query)]
        return {row["task"]: _tally(row) for row in sorted(rows, key=lambda row: row["task"])}


def _tally(row: dict[str, Any]) -> TaskTally:
    def figures(kind: str) -> Figures:
        return Figures(**{name: int(row[f"{kind}_{name}"]) for name in _FIGURES})

    return TaskTally(figures("expected"), figures("spent"))
