"""Which exceptions are a user's to mend, and what they are told."""

from __future__ import annotations

import errno
import sys


class SettingsError(ValueError):
    """A profile or an option that cannot be used; the message says what to do."""


class WorkspaceError(RuntimeError):
    """The workspace cannot be used; the message says what to do."""


def explain_error(error: BaseException) -> str | None:
    """One message for an error of input, settings or disk; None for a defect of ours."""
    # They import the rooms: only where something went wrong.
    from schemas.cities import UnknownCityError

    if isinstance(error, UnknownCityError):  # said within a second: the imports below take one
        return str(error)
    # They import the rooms: only where something went wrong.
    from sources.tables.errors import TableError
    from sources.web.errors import CorpusError
    from storage.places import StorageError
    from warehouse.errors import SnapshotError, WarehouseError

    known = (
        SettingsError, WorkspaceError, TableError, CorpusError, SnapshotError, WarehouseError,
        StorageError,
    )  # fmt: skip
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
        return f"the engine stopped: {error}. What was answered is kept; run again to go on"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full ({error.filename or 'while writing'}): free space and build again; finished shards are kept"
    if isinstance(
        error, PermissionError | NotADirectoryError | IsADirectoryError | FileNotFoundError
    ):
        return f"{error.strerror}: {error.filename}" if error.filename else str(error)
    return None
