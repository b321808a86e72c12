"""Decides which exceptions a user can do something about, and what the message says."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence


class SettingsError(ValueError):
    """Raised if a profile or an option cannot be used; the message says what to do."""


class WorkspaceError(RuntimeError):
    """Raised if the workspace cannot be used; the message says what to do."""


class WorkerLost(RuntimeError):
    """Raised if a worker process ended while it computed a shard; the message says what to do."""

    def __init__(self, shards: Sequence[str], processes: int):
        fewer = f"--workers {processes - 1}" if processes > 2 else "--workers 1"
        super().__init__(
            f"a worker process was killed, by a person or because memory ran out, while"
            f" {processes} worked ({', '.join(shards)}): finished shards are kept. Build again to"
            f" continue; if memory is short, with {fewer}"
        )


def explain_error(error: BaseException) -> str | None:
    """Write one message for an error of input, settings or disk; None for a defect in tripbed."""
    # They import the rooms: only where something went wrong.
    from schemas.cities import UnknownCityError

    if isinstance(error, UnknownCityError):  # said within a second: the imports below take one
        return str(error)
    # They import the rooms: only where something went wrong.
    from sources.tables.intake import TableError
    from sources.web.errors import CorpusError
    from storage.places import StorageError
    from warehouse.errors import SnapshotError, WarehouseError

    known = (
        SettingsError,
        WorkspaceError,
        WorkerLost,
        TableError,
        CorpusError,
        SnapshotError,
        WarehouseError,
        StorageError,
    )
    if isinstance(error, known):
        return str(error)
    search = sys.modules.get("sources.web.providers.base")
    if search is not None and isinstance(error, search.ProviderError):
        return f"{error}; what was fetched and answered is kept"
    own = sys.modules.get("extractors.own_readings.file")
    if own is not None and isinstance(error, own.ReadingsError):
        return str(error)
    llm = sys.modules.get("extractors.llm.errors")
    if llm is not None and isinstance(error, llm.EngineStopped):
        return f"the engine stopped: {error}. The answers so far are kept; run again to continue"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"the disk is full ({error.filename or 'while writing'}): free space and build again;"
            " finished shards are kept"
        )
    if isinstance(
        error, PermissionError | NotADirectoryError | IsADirectoryError | FileNotFoundError
    ):
        return f"{error.strerror}: {error.filename}" if error.filename else str(error)
    return None
