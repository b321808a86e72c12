"""Records the expected and the actual spending of each run in the ledger.

All processes of a run share the run's account. Before a request is sent, its highest possible cost
is added to the run's spending. Once the actual cost is known, the unused part of the reserved
amount is given back. If a process is killed, its requests in flight still count at their highest
cost, because they may have been billed. Other processes can see a reservation and may wait for
money to be given back, as long as the process that made the reservation is alive.

Each method of the account is one short transaction that begins with a write. SQLite locks the file
before anything is read, and PostgreSQL locks the run's row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import sqlalchemy as sa

from extractors.llm.database import META, patient
from extractors.llm.money import Budget, Spending, TokenAmount

#: A process counts as dead if it has given no sign of life for so many seconds.
LEASE_SECONDS = 30

_RUNS = sa.Table(
    "runs",
    META,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("tokens", sa.BigInteger, nullable=False, comment="spent and reserved"),
    sa.Column("micro_usd", sa.BigInteger, nullable=False, comment="spent and reserved"),
)
_RESERVATIONS = sa.Table(
    "reservations",
    META,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("run_id", sa.String(200), nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False, comment="at most"),
    sa.Column("micro_usd", sa.BigInteger, nullable=False, comment="at most"),
    sa.Column("alive_until", sa.BigInteger, nullable=False, comment="by the database's clock"),
)
#: Seconds by the database's clock, because the clocks of several machines may differ.
_NOW = sa.cast(sa.extract("epoch", sa.func.now()), sa.BigInteger)


class SpendingAccount:
    """The spending of one run; threads share it directly, and processes share it through the
    ledger.
    """

    def __init__(self, database: sa.Engine, run_id: str) -> None:
        self._database = database
        self._run_id = run_id

    @patient
    def hold(self, reservation: str, bound: TokenAmount, budget: Budget) -> bool:
        """Reserve the highest possible cost of a request; return False if the budget does not allow
        it now.

        The result is also False if ``spending`` has never been called for this run.
        """
        c = _RUNS.c
        added = sa.update(_RUNS).where(c.run_id == self._run_id)
        if budget.tokens is not None:
            added = added.where(c.tokens + bound.tokens <= budget.tokens)
        if budget.micro_usd is not None:
            added = added.where(c.micro_usd + bound.micro_usd <= budget.micro_usd)
        added = added.values(
            tokens=c.tokens + bound.tokens, micro_usd=c.micro_usd + bound.micro_usd
        )
        row = {"id": reservation, "run_id": self._run_id, "tokens": bound.tokens,
               "micro_usd": bound.micro_usd, "alive_until": _NOW + LEASE_SECONDS}  # fmt: skip
        try:
            with self._database.begin() as connection:
                if not connection.execute(added).rowcount:
                    return False
                connection.execute(sa.insert(_RESERVATIONS).values(row))
        except sa.exc.IntegrityError:
            return True  # the connection broke after the commit
        return True

    @patient
    def settle(self, reservation: str, cost: TokenAmount) -> None:
        """Replace a reservation with the actual cost in the account of the run that reserved it;
        further calls have no effect.
        """
        c = _RESERVATIONS.c
        ended = sa.delete(_RESERVATIONS).where(c.id == reservation)
        with self._database.begin() as connection:
            held = connection.execute(ended.returning(c.run_id, c.tokens, c.micro_usd)).all()
            for run_id, tokens, micro_usd in held:
                corrected = sa.update(_RUNS).where(_RUNS.c.run_id == run_id)
                connection.execute(
                    corrected.values(
                        tokens=_RUNS.c.tokens + cost.tokens - tokens,
                        micro_usd=_RUNS.c.micro_usd + cost.micro_usd - micro_usd,
                    )
                )

    @patient
    def renew(self, reservations: Sequence[str]) -> None:
        """Record that the process that made these reservations is still alive."""
        mine = sa.update(_RESERVATIONS).where(_RESERVATIONS.c.id.in_(reservations))
        with self._database.begin() as connection:
            connection.execute(mine.values(alive_until=_NOW + LEASE_SECONDS))

    @patient
    def spending(self) -> Spending:
        """Return what the run has spent and what it has reserved for requests in flight; the first
        call opens the run's account.
        """
        c = _RESERVATIONS.c
        lives = c.alive_until >= _NOW  # whole seconds, so never less than the lease

        def total(column: sa.Column[int], which: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
            return sa.func.coalesce(sa.func.sum(sa.case((which, column), else_=0)), 0)

        held = (total(c.tokens, lives), total(c.micro_usd, lives),
                total(c.tokens, ~lives), total(c.micro_usd, ~lives))  # fmt: skip
        query = (
            sa.select(_RUNS.c.tokens, _RUNS.c.micro_usd, *held)
            .join_from(_RUNS, _RESERVATIONS, c.run_id == _RUNS.c.run_id, isouter=True)
            .where(_RUNS.c.run_id == self._run_id)
            .group_by(_RUNS.c.run_id)
        )
        with self._database.connect() as connection:
            row = connection.execute(query).first()
        if row is None:
            self._begin()
            return Spending(TokenAmount(), TokenAmount(), TokenAmount())
        figures = [int(figure) for figure in row]  # PostgreSQL returns sums of integers as decimals
        in_flight, lost = TokenAmount(*figures[2:4]), TokenAmount(*figures[4:])
        return Spending(TokenAmount(*figures[:2]) - in_flight, in_flight, lost)

    def _begin(self) -> None:
        row = {"run_id": self._run_id, "tokens": 0, "micro_usd": 0}
        # Another process may have inserted the row before.
        with suppress(sa.exc.IntegrityError), self._database.begin() as connection:
            connection.execute(sa.insert(_RUNS).values(row))


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
    """The numbers of requests and tokens, and the cost in millionths of a dollar."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    micro_usd: int = 0

    def __add__(self, other: Figures) -> Figures:
        mine, theirs = asdict(self), asdict(other)
        return Figures(**{name: mine[name] + theirs[name] for name in _FIGURES})


@dataclass(frozen=True)
class TaskTally:
    """The expected and the actual figures for one task in a run."""

    expected: Figures = field(default_factory=Figures)
    spent: Figures = field(default_factory=Figures)


class Tallies:
    """The figures for each task in one run; threads and processes share these figures."""

    def __init__(self, database: sa.Engine, run_id: str) -> None:
        self._database, self._run_id = database, run_id

    @patient
    def add(self, task: str, kind: Literal["expected", "spent"], figures: Figures) -> None:
        """Add a request's expected figures before it is sent, or its actual figures afterwards."""
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
        except sa.exc.IntegrityError:  # another process inserted it before
            with self._database.begin() as connection:
                connection.execute(added)

    @patient
    def by_task(self) -> Mapping[str, TaskTally]:
        """Return all figures for the run, sorted by task name."""
        query = sa.select(_TALLIES).where(_TALLIES.c.run_id == self._run_id)
        with self._database.connect() as connection:
            rows = [dict(row._mapping) for row in connection.execute(query)]
        return {row["task"]: _tally(row) for row in sorted(rows, key=lambda row: row["task"])}


def _tally(row: dict[str, Any]) -> TaskTally:
    figures = (
        Figures(*(int(row[f"{kind}_{name}"]) for name in _FIGURES))
        for kind in ("expected", "spent")
    )
    return TaskTally(*figures)
