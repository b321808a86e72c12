"""SQLite files that several processes open and write to."""

from __future__ import annotations

import sqlite3

import tenacity

#: How long a file that others write to is waited for, seconds.
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
    """Make a new connection ready for a file that others have open, or open at this moment.

    Of several that switch the journal of a new file at once SQLite lets one through and refuses
    the others at once, whatever their timeout: they try again. Raises sqlite3.OperationalError
    where the file stays busy.
    """
    connection.execute(f"PRAGMA busy_timeout = {PATIENCE_SECONDS * 1000:.0f}")
    connection.execute("PRAGMA journal_mode = WAL")
