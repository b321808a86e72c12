"""Prepares SQLite files to which several processes write."""

from __future__ import annotations

import sqlite3

import tenacity

#: How long to wait for a file that other processes are writing to, in seconds.
PATIENCE_SECONDS = 30.0


def _busy(error: BaseException) -> bool:
    return (
        isinstance(error, sqlite3.OperationalError)
        and error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    )


@tenacity.retry(
    retry=tenacity.retry_if_exception(_busy),
    wait=tenacity.wait_random(0.01, 0.1),
    stop=tenacity.stop_after_delay(PATIENCE_SECONDS),
    reraise=True,
)
def share(connection: sqlite3.Connection) -> None:
    """Prepare a new connection to a file that other processes may be opening at the same time.

    If several processes change the journal mode of a new file at the same time, SQLite immediately
    refuses all but one process, regardless of the timeout. Therefore, the refused processes try
    again. Raises sqlite3.OperationalError if the file stays busy.
    """
    connection.execute(f"PRAGMA busy_timeout = {PATIENCE_SECONDS * 1000:.0f}")
    connection.execute("PRAGMA journal_mode = WAL")
