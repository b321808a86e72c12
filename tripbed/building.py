"""Builds and publishes a snapshot in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flows.pipeline.folders import no_empty_folders
from flows.pipeline.request import make_inputs
from flows.pipeline.run import build_directly
from flows.pipeline.storage import open_workspace
from flows.settings.checks import check_settings
from storage.places import find_folder
from warehouse.publish import Published


def build(
    cities: str | Sequence[str],
    documents: Sequence[str | Path] = (),
    tables: str | Path | None = None,
    *,
    out: str | Path = "snapshots",
    workspace: str | Path = ".tripbed",
    profile: str | Path = "folder",
    tables_format: str = "tripbed",
    engine: str = "rules",
    readings: str | Path | None = None,
    queries: Sequence[str | Path] = (),
    assume_city: bool = False,
    workers: int = 1,
) -> Published:
    """Build a snapshot and publish it if its gates pass, as ``tripbed build --direct`` does.

    Finished shards are kept in the workspace, so a second call computes only what has changed. The
    settings ``TRIPBED_...`` and ``OPENAI_...`` are read from the environment.

    Args:
        cities: City names in any language, or GeoNames ids.
        documents: Folders or addresses that contain Markdown, HTML or text files.
        tables: The folder or address of source tables.
        out: The store, which is a folder or an address; ``latest`` in it is the latest snapshot.
        workspace: The folder or address where finished shards are kept.
        profile: The name of a bundled profile, or the path of a YAML file.
        tables_format: The layout of the tables: tripbed, traveleval, overture, osm or mapped.
        engine: The engine that reads the documents: rules, openai or cascade.
        readings: A file with your own readings.
        queries: Files with your own queries.
        assume_city: Whether each document is about the city that its folder is named after.
        workers: The maximum number of processes that compute shards. With more than one worker, a
            script must run its own code under ``if __name__ == "__main__"``.

    Returns: The path of the snapshot (``path``), whether it was published (``passed``), and the
    verdict of each gate (``gates``). If the gates fail, the rejected snapshot is in the folder
    ``rejected`` of the store.

    Raises:
        SettingsError: If an option cannot be used.
        UnknownCityError: If a city is unknown.
        ReadingsError: If the file of readings cannot be used.
        WorkspaceError: If the workspace cannot be used.
        WarehouseError: If the store cannot be written.
        StorageError: If an address cannot be used.

    >>> build("成都", documents=["pages"], tables="tables").path
    """
    settings = check_settings(engine, str(profile), tables_format)
    inputs = make_inputs(
        [cities] if isinstance(cities, str) else cities, documents, tables, tables_format,
        str(profile), engine, settings=settings, readings=readings, assume_city=assume_city,
        queries=queries,
    )  # fmt: skip
    space, store = find_folder(workspace), find_folder(out)
    with no_empty_folders(space, store):
        shards = open_workspace(space, settings.storage)
        return build_directly(inputs, shards, store, workers=workers).published
