"""The ledger: every answer of a model under the hash of its request, kept before it is used.

One row a request. SQLite by default; any SQLAlchemy URL for a database that machines share.
Requests, keys and headers are not stored: the hash identifies the request, the row its answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import CreateTable

from schemas.ids import canonical_json

_REQUESTS = sa.Table(
    "requests",
    sa.MetaData(),
    sa.Column("key", sa.String(64), primary_key=True, comment="SHA-256 of the canonical request"),
    sa.Column("task", sa.String(80), nullable=False),
    sa.Column("task_version", sa.Integer, nullable=False),
    sa.Column("model", sa.String(200), nullable=False),
    sa.Column("sample", sa.Integer, nullable=False, comment="0, and more for repairs"),
    sa.Column("status", sa.String(6), nullable=False, comment="good or failed"),
    sa.Column("reason", sa.String(200), nullable=False, comment="why it failed, else empty"),
    sa.Column("raw", sa.Text, nullable=False, comment="body of the response"),
    sa.Column("finish_reason", sa.String(40)),
    sa.Column("tokens_in", sa.Integer),
    sa.Column("tokens_out", sa.Integer),
    sa.Column("tokens_cached", sa.Integer),
    sa.Column("cost_micro_usd", sa.BigInteger),
    sa.Column("latency_ms", sa.Integer, nullable=False, comment="of the try that was answered"),
    sa.Column("attempts", sa.Integer, nullable=False, comment="tries; rate limits do not count"),
)


def request_key(endpoint: Mapping[str, str], body: Mapping[str, Any], sample: int) -> str:
    """SHA-256 of the canonical request: endpoint identity, the body as sent, sample number."""
    canonical = canonical_json({"endpoint": endpoint, "body": body, "sample": sample})
    return sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True)
class Entry:
    """One recorded request; tokens and cost are None where the endpoint did not count."""

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
    """What one task cost with one model; failed requests are paid and counted too."""

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
    """Recorded answers. Safe to share by threads, and by processes through its database."""

    def __init__(self, place: str | Path) -> None:
        """Open a file, or a database by its SQLAlchemy URL; made where it is missing."""
        if isinstance(place, Path) or "://" not in place:
            Path(place).parent.mkdir(parents=True, exist_ok=True)
            url = sa.URL.create("sqlite", database=str(place))
        else:
            url = sa.make_url(place)
        is_sqlite = url.get_backend_name() == "sqlite"
        if is_sqlite and url.database in (None, "", ":memory:"):
            raise ValueError("a ledger in memory would forget what was paid: name a file")
        self._engine = sa.create_engine(url, hide_parameters=True)
        if is_sqlite:
            sa.event.listen(self._engine, "connect", _prepare_sqlite)
        with self._engine.begin() as connection:
            connection.execute(CreateTable(_REQUESTS, if_not_exists=True))

    def lookup(self, key: str) -> Entry | None:
        """The good answer of a request, or None. Failed answers are never served."""
        entry = self.recorded(key)
        return entry if entry and entry.status == "good" else None

    def recorded(self, key: str) -> Entry | None:
        """Whatever is recorded for a request, good or failed, or None."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(_REQUESTS).where(_REQUESTS.c.key == key)).first()
        return Entry(**row._mapping) if row else None

    def record(self, entry: Entry) -> Entry:
        """Commit an answer. Where another process was first, its answer stays and is returned."""
        try:
            with self._engine.begin() as connection:
                connection.execute(sa.insert(_REQUESTS).values(**asdict(entry)))
        except sa.exc.IntegrityError:
            first = self.recorded(entry.key)
            if first is None:
                raise
            return first
        return entry

    def mark(self, key: str, status: str, reason: str = "") -> None:
        """Correct the judgement on a recorded answer; the answer itself never changes."""
        change = sa.update(_REQUESTS).where(_REQUESTS.c.key == key)
        with self._engine.begin() as connection:
            connection.execute(change.values(status=status, reason=reason))

    def summary(self) -> tuple[Total, ...]:
        """Requests, tokens and cost by task and model, in that order."""
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
        # PostgreSQL sums integers as decimals.
        return tuple(Total(row[0], row[1], *(int(figure) for figure in row[2:])) for row in rows)

    def close(self) -> None:
        """Release the database's connections."""
        self._engine.dispose()


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 30000")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()
