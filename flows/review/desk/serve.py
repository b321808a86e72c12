"""The command ``tripbed review serve``, which serves a page where people review rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flows import loopback
from flows.errors import SettingsError
from flows.review.desk.desk import RefusedAnswer, ReviewDesk, reader_name
from flows.review.desk.queue import QueueRow, queue, tables_of
from flows.review.desk.shown import ShownQueue
from flows.review.samples.passages import DocumentTexts
from flows.review.store import check_keeps, decisions_file, list_decisions
from flows.settings.environment import Settings
from schemas.nouns import count_noun
from warehouse.errors import SnapshotError
from warehouse.read import Snapshot

#: The default workspace and the default store of a build.
_WORKSPACE, _STORE = Path(".tripbed"), Path("snapshots")


def serve(
    path: Path, kind: str, sample: int | None, seed: str | None, reader: str | None,
    documents: Sequence[Path], workspace: Path | None, out: Path | None, decisions: Path | None,
    port: int, settings: Settings,
) -> int:  # fmt: skip
    """Serve the review page until the server is stopped, and return the exit code.

    Raises SettingsError if an option cannot be used, SnapshotError if the snapshot cannot be read,
    and CorpusError if a folder of documents cannot be read.
    """
    tables_of(kind)
    with loopback.listening(port) as door:
        # This module takes half a second to import.
        from flows.review.desk.http import Site, make_app

        snapshot = Snapshot(_snapshot_of(path, out or _STORE))
        items = queue(snapshot, kind, sample, seed)
        store = decisions or out or snapshot.path.parent
        _check_decisions(store, settings, decisions, items, snapshot)
        texts = _texts(documents, workspace, path)
        site = Site(
            ReviewDesk(items, store, settings.reviews), ShownQueue(snapshot, texts),
            snapshot.path.name, kind, _reader(reader),
        )  # fmt: skip
        app = make_app(site)
        where = "the database of TRIPBED_REVIEWS" if settings.reviews else decisions_file(store)
        print(
            f"{loopback.address_of(door)}/#{site.token}\n{count_noun(len(items), 'row')} of"
            f" {kind}; decisions are saved in {where}; press Ctrl-C to stop",
            flush=True,
        )
        try:
            loopback.run(app, door)
            code = 0
        except KeyboardInterrupt:
            code = loopback.INTERRUPTED
    loopback.leave(code)
    return code


def is_workspace(path: Path) -> bool:
    """Check whether a folder is the workspace of a build."""
    return (path / "shards").is_dir()


def _snapshot_of(path: Path, store: Path) -> Path:
    """Return the snapshot's folder; for a workspace, return the folder of the latest snapshot in
    the store."""
    if not is_workspace(path):
        if (path / "latest").is_symlink():
            raise SnapshotError(
                f"{path / 'latest'} does not point to a snapshot: build again, or choose a snapshot"
            )
        return path
    if not (store / "latest" / "manifest.json").is_file():
        raise SettingsError(
            f"{path} is a workspace, but {store} contains no snapshot: publish one"
            " with `tripbed resume`, or give the store with --out"
        )
    return store / (store / "latest").readlink()


def _texts(documents: Sequence[Path], workspace: Path | None, path: Path) -> DocumentTexts | None:
    """Open the documents in the folders that the options name, in the workspace, or in the default
    workspace.

    Returns None if no documents are available.
    """
    workspace = workspace or (path if is_workspace(path) else None)
    if workspace is None and not documents and is_workspace(_WORKSPACE):
        workspace = _WORKSPACE
    return DocumentTexts(documents, workspace) if documents or workspace else None


def _reader(name: str | None) -> str | None:
    try:
        return None if name is None else reader_name(name)
    except RefusedAnswer as error:
        raise SettingsError(f"--reader: {error}") from None


def _check_decisions(
    store: Path,
    settings: Settings,
    decisions: Path | None,
    items: Sequence[QueueRow],
    snapshot: Snapshot,
) -> None:
    """Check that the decisions can be kept, and that they belong to this snapshot.

    Raises SettingsError if the decisions cannot be kept or belong to a different snapshot.
    """
    if decisions is not None and decisions.suffix != ".jsonl":
        raise SettingsError(
            f"--decisions {decisions}: the file name must end in .jsonl; to read a spreadsheet,"
            " use `tripbed review import`"
        )
    if decisions is not None and settings.reviews:
        raise SettingsError(
            "--decisions names a file, but TRIPBED_REVIEWS names a database: use only one of them"
        )
    check_keeps(store, settings.reviews)
    if not decisions_file(store).parent.is_dir():
        raise SettingsError(
            f"decisions are saved in the folder {decisions_file(store).parent}, which does not"
            " exist: create the folder"
        )
    held = list_decisions(store, settings.reviews)
    cities = {item.city_id for item in items}
    if decisions is not None and held and not any(row["city_id"] in cities for row in held):
        raise SettingsError(
            f"{decisions} contains {count_noun(len(held), 'decision')}, but none of them is"
            f" about a city of {snapshot.path.name}: the file belongs to a different snapshot"
        )
