"""The ledger's database: an SQLite file, or a server that several machines share."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
import tenacity
from sqlalchemy.schema import CreateTable

from schemas.sqlite import share

#: All tables of the ledger; ``ledger`` imports every module that adds a table.
META = sa.MetaData()
#: Seconds to wait for a lost database: an answer that cannot be stored has been paid for.
PATIENCE_SECONDS = 120.0


def _is_lost(error: BaseException) -> bool:
    """Check whether the connection to a server was lost.

    If the database is a file, errors are not retried.
    """
    if not isinstance(error, sa.exc.DBAPIError):
        return False
    from_server = type(error.orig).__module__.startswith("psycopg")
    return error.connection_invalidated or (
        from_server and isinstance(error, sa.exc.OperationalError)
    )


#: Retries while the database is unreachable. Every method with this decorator may run twice.
patient = tenacity.retry(
    retry=tenacity.retry_if_exception(_is_lost),
    wait=tenacity.wait_exponential(0.1, max=5),
    stop=tenacity.stop_after_delay(PATIENCE_SECONDS),
    reraise=True,
)


def open_database(place: str | Path) -> sa.Engine:
    """Open a database, given as a file or an SQLAlchemy URL, and create missing tables.

    Raises ValueError if the database is in memory.
    """
    if isinstance(place, Path) or "://" not in place:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        url = sa.URL.create("sqlite", database=str(place))
    else:
        url = sa.make_url(place)
    is_sqlite = url.get_backend_name() == "sqlite"
    if is_sqlite and url.database in (None, "", ":memory:"):
        raise ValueError("a ledger in memory would lose answers that you paid for: name a file")
    engine = sa.create_engine(url, hide_parameters=True, pool_pre_ping=not is_sqlite)
    if is_sqlite:
        sa.event.listen(engine, "connect", lambda new, _record: share(new))
    for table in META.sorted_tables:
        _make(engine, table)
    return engine


def _make(engine: sa.Engine, table: sa.Table) -> None:
    """Create a table if it is missing.

    If two processes create the same table at the same moment, one of the processes gets one of
    three errors from PostgreSQL. The table exists after any of these errors.
    """
    try:
        with engine.begin() as connection:
            connection.execute(CreateTable(table, if_not_exists=True))
    except (sa.exc.IntegrityError, sa.exc.ProgrammingError):
        if not sa.inspect(engine).has_table(table.name):
            raise
