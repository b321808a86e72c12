"""The ledger, which stores each model answer under the hash of its request before the answer is
used.

Each request has one row, with the answer, its task, model, tokens, cost and latency. Texts of
requests, keys and headers are not stored. The database also records open batches and the spending
of runs. By default, the database is an SQLite file; several machines can share a database given by
its SQLAlchemy URL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from extractors.llm.accounts import SpendingAccount, Tallies
from extractors.llm.database import META, open_database, patient
from schemas.ids import canonical_json

_REQUESTS = sa.Table(
    "requests",
    META,
    sa.Column("key", sa.String(64), primary_key=True, comment="SHA-256 of the canonical request"),
    sa.Column("task", sa.String(80), nullable=False),
    sa.Column("task_version", sa.Integer, nullable=False),
    sa.Column("model", sa.String(200), nullable=False),
    sa.Column(
        "sample",
        sa.Integer,
        nullable=False,
        comment="0 for the first draw, higher for repairs and further draws",
    ),
    sa.Column("status", sa.String(6), nullable=False, comment="good or failed"),
    sa.Column("reason", sa.String(200), nullable=False, comment="why it failed, otherwise empty"),
    sa.Column("raw", sa.Text, nullable=False, comment="body of the response"),
    sa.Column("finish_reason", sa.String(40)),
    sa.Column("tokens_in", sa.Integer),
    sa.Column("tokens_out", sa.Integer),
    sa.Column("tokens_cached", sa.Integer),
    sa.Column("cost_micro_usd", sa.BigInteger),
    sa.Column("latency_ms", sa.Integer, nullable=False, comment="of the attempt that was answered"),
    sa.Column(
        "attempts",
        sa.Integer,
        nullable=False,
        comment="attempts, without those stopped by rate limits",
    ),
)
#: Written before a request is sent: a request that was sent and never recorded was lost.
_SENT = sa.Table(
    "sent",
    META,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("times", sa.Integer, nullable=False, comment="more than 1 if repeated after a loss"),
)
_BATCHES = sa.Table(
    "batches",
    META,
    sa.Column("batch_id", sa.String(200), primary_key=True, comment="the provider's"),
    sa.Column("endpoint", sa.String(64), nullable=False, comment="hash of the host"),
    sa.Column(
        "requests", sa.Text, nullable=False, comment="JSON: a record of extractors.llm.batch"
    ),
    sa.Column("status", sa.String(40), nullable=False, comment="open until ingested"),
)


def request_key(endpoint: Mapping[str, str], body: Mapping[str, Any], sample: int) -> str:
    """Return the SHA-256 of the endpoint's identity and the request's body and sample number."""
    canonical = canonical_json({"endpoint": endpoint, "body": body, "sample": sample})
    return sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True)
class LedgerEntry:
    """One recorded request; tokens and cost are None if the endpoint did not report them."""

    key: str
    task: str
    task_version: int
    model: str
    sample: int
    status: str
    reason: str
    raw: str
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    cost_micro_usd: int | None
    latency_ms: int
    attempts: int


@dataclass(frozen=True)
class Total:
    """The cost of one task with one model, including failed requests, which also cost money."""

    task: str
    model: str
    requests: int
    good: int
    failed: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost_micro_usd: int
    uncounted: int
    latency_ms: int


class Ledger:
    """Recorded answers, shared by threads and, through the database, by processes."""

    def __init__(self, place: str | Path) -> None:
        """Open a file, or a database by its SQLAlchemy URL; a missing database is created."""
        self._engine = open_database(place)

    def account(self, run_id: str) -> SpendingAccount:
        """Return the spending account of a run, which all processes of the run share."""
        return SpendingAccount(self._engine, run_id)

    def tallies(self, run_id: str) -> Tallies:
        """Return a run's expected and actual figures by task; all processes of the run share
        them.
        """
        return Tallies(self._engine, run_id)

    @patient
    def find_recorded(self, key: str) -> LedgerEntry | None:
        """Return the entry for a request, whether usable or failed; None if the request is not
        recorded.
        """
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(_REQUESTS).where(_REQUESTS.c.key == key)).first()
        return LedgerEntry(**row._mapping) if row else None

    @patient
    def record(self, entry: LedgerEntry) -> LedgerEntry:
        """Commit an answer; if another process has already committed one, return that answer."""
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(_REQUESTS).values(**asdict(entry)))
        except sa.exc.IntegrityError:
            first = self.find_recorded(entry.key)
            if first is None:
                raise
            return first
        return entry

    @patient
    def sending(self, key: str) -> None:
        """Record that a request is about to be sent."""
        again = sa.update(_SENT).where(_SENT.c.key == key).values(times=_SENT.c.times + 1)
        with self._engine.begin() as connection:
            if connection.execute(again).rowcount:
                return
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(_SENT).values(key=key, times=1))
        except sa.exc.IntegrityError:
            with self._engine.begin() as connection:
                connection.execute(again)

    @patient
    def count_lost(self) -> tuple[int, int]:
        """Return how many lost requests were sent again, and how many are still unanswered."""
        repeats = sa.select(sa.func.coalesce(sa.func.sum(_SENT.c.times - 1), 0))
        answered = sa.select(_REQUESTS.c.key)
        open_ones = sa.select(sa.func.count()).where(_SENT.c.key.not_in(answered))
        with self._engine.connect() as connection:
            again = connection.execute(repeats).scalar_one()
            return int(again), int(connection.execute(open_ones).scalar_one())

    @patient
    def open_batches(self, endpoint: str) -> dict[str, str]:
        """Return the ids of this endpoint's open batches, with the notes about their requests."""
        c = _BATCHES.c
        query = sa.select(c.batch_id, c.requests).where(c.status == "open", c.endpoint == endpoint)
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(c.batch_id))
            return {row[0]: row[1] for row in rows}

    @patient
    def knows_batch(self, batch_id: str) -> bool:
        """Check whether the ledger has a record of a batch, either open or ended."""
        query = sa.select(_BATCHES.c.batch_id).where(_BATCHES.c.batch_id == batch_id)
        with self._engine.connect() as connection:
            return connection.execute(query).first() is not None

    @patient
    def batch(self, batch_id: str, endpoint: str, requests: str) -> None:
        """Record a submitted batch and its requests."""
        row = {"batch_id": batch_id, "endpoint": endpoint, "requests": requests, "status": "open"}
        with self._engine.begin() as connection:
            connection.execute(sa.insert(_BATCHES).values(**row))

    @patient
    def close_batch(self, batch_id: str, status: str) -> None:
        """Record how a batch ended, after all its answers are recorded."""
        change = sa.update(_BATCHES).where(_BATCHES.c.batch_id == batch_id)
        with self._engine.begin() as connection:
            connection.execute(change.values(status=status))

    def entries(
        self, task: str | None = None, model: str | None = None, status: str | None = None
    ) -> Iterator[LedgerEntry]:
        """Return recorded requests that meet all conditions, sorted by task, model and key."""
        with self._engine.connect() as connection:
            query = _filter(sa.select(_REQUESTS), task, model, status)
            order = (_REQUESTS.c.task, _REQUESTS.c.model, _REQUESTS.c.key)
            for row in connection.execution_options(yield_per=500).execute(query.order_by(*order)):
                yield LedgerEntry(**row._mapping)

    @patient
    def prune(
        self, task: str | None = None, model: str | None = None, status: str | None = None,
        below_version: int | None = None, *, dry: bool = False,
    ) -> int:  # fmt: skip
        """Remove recorded requests and return their number. Sending these requests again costs
        money.

        Raises ValueError if no condition is given, so that nobody empties the ledger by mistake.
        """
        if (task, model, status, below_version) == (None, None, None, None):
            raise ValueError("choose what to prune: a task, a model, a status or a version")
        c = _REQUESTS.c
        keys = _filter(sa.select(c.key), task, model, status)
        if below_version is not None:
            keys = keys.where(c.task_version < below_version)
        with self._engine.begin() as connection:
            found = [row[0] for row in connection.execute(keys)]
            for start in range(0, 0 if dry else len(found), 500):
                some = found[start : start + 500]
                connection.execute(sa.delete(_REQUESTS).where(c.key.in_(some)))
                connection.execute(sa.delete(_SENT).where(_SENT.c.key.in_(some)))
        return len(found)

    @patient
    def mark(self, key: str, status: str, reason: str = "") -> None:
        """Correct the judgement on a recorded answer; the answer itself never changes."""
        change = sa.update(_REQUESTS).where(_REQUESTS.c.key == key)
        with self._engine.begin() as connection:
            connection.execute(change.values(status=status, reason=reason))

    @patient
    def summary(self) -> tuple[Total, ...]:
        """Return requests, tokens and cost for each task and model, sorted by task and model."""
        c = _REQUESTS.c
        good = sa.func.sum(sa.case((c.status == "good", 1), else_=0))
        uncounted = sa.func.sum(sa.case((c.tokens_in.is_(None), 1), else_=0))

        def total(column: sa.Column[Any]) -> sa.Function[Any]:
            return sa.func.coalesce(sa.func.sum(column), 0)

        query = (
            sa.select(
                c.task,
                c.model,
                sa.func.count().label("requests"),
                good.label("good"),
                (sa.func.count() - good).label("failed"),
                total(c.tokens_in).label("tokens_in"),
                total(c.tokens_out).label("tokens_out"),
                total(c.tokens_cached).label("tokens_cached"),
                total(c.cost_micro_usd).label("cost_micro_usd"),
                uncounted.label("uncounted"),
                total(c.latency_ms).label("latency_ms"),
            )
            .group_by(c.task, c.model)
            .order_by(c.task, c.model)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        # PostgreSQL returns sums of integers as decimals.
        return tuple(Total(row[0], row[1], *(int(figure) for figure in row[2:])) for row in rows)

    def close(self) -> None:
        """Release the connections to the database."""
        self._engine.dispose()


def _filter(
    query: sa.Select[Any], task: str | None, model: str | None, status: str | None
) -> sa.Select[Any]:
    c = _REQUESTS.c
    for column, wanted in ((c.task, task), (c.model, model), (c.status, status)):
        query = query if wanted is None else query.where(column == wanted)
    return query
