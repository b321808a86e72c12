"""Errors that a user can fix, and the messages for them."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence


class SettingsError(ValueError):
    """The error for a profile or an option that cannot be used. The message explains what to do."""


class WorkspaceError(RuntimeError):
    """The error for a workspace that cannot be used. The message explains what to do."""


class WorkerLost(RuntimeError):
    """The error for a worker process that ended while it was computing a shard."""

    def __init__(self, shards: Sequence[str], processes: int):
        fewer = f"--workers {processes - 1}" if processes > 2 else "--workers 1"
        super().__init__(
            "a worker process was killed, either by a person or because memory ran out;"
            f" {processes} processes were running. These shards were not finished:"
            f" {', '.join(shards)}. Finished shards are kept. Run the build again to continue; if"
            f" memory is short, add {fewer}"
        )


#: Messages for errors of modules that load slowly. Such an error is raised only by a loaded module.
_LOADED = {
    ("sources.web.providers.base", "ProviderError"): (
        "{}; the pages and answers fetched so far are kept"
    ),
    ("extractors.own_readings.file", "ReadingsError"): "{}",
    ("extractors.llm.errors", "EngineStopped"): (
        "the engine stopped: {}. The answers so far are kept; run the command again to continue"
    ),
}


def explain_error(error: BaseException) -> str | None:
    """Return the message for an error that the input, the settings or the disk caused.

    Returns None for any other error, which is a defect in tripbed.
    """
    # Imported only after an error, because these modules load slowly.
    from schemas.cities import UnknownCityError

    if isinstance(error, UnknownCityError):
        return str(error)
    # Imported only now, because they take another second.
    from sources.tables.intake import TableError
    from sources.web.errors import CorpusError
    from storage.places import StorageError
    from warehouse.errors import SnapshotError, WarehouseError

    known = (
        SettingsError, WorkspaceError, WorkerLost, TableError, CorpusError, SnapshotError,
        WarehouseError, StorageError,
    )  # fmt: skip
    if isinstance(error, known):
        return str(error)
    for (module, name), message in _LOADED.items():
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(error, kind):
            return message.format(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"the disk is full ({error.filename or 'while writing'}): free space and run the build"
            " again; finished shards are kept"
        )
    if isinstance(
        error, PermissionError | NotADirectoryError | IsADirectoryError | FileNotFoundError
    ):
        return f"{error.strerror}: {error.filename}" if error.filename else str(error)
    return None
