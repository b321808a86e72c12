"""Build and publish a snapshot in this process."""

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

    Finished shards are kept in the workspace, so a second call with nothing changed computes none.
    Settings of this machine (``TRIPBED_...``, ``OPENAI_...``) come from the environment.

    Args:
        cities: City names in any language, or GeoNames ids.
        documents: Folders or addresses of Markdown, HTML or text.
        tables: Folder or address of structured sources.
        out: The store: the folder or address of snapshots; ``latest`` in it is the last good one.
        workspace: Folder or address of finished shards.
        profile: A bundled profile, or the path of a YAML file.
        tables_format: Layout of the tables: tripbed, traveleval, overture, osm or mapped.
        engine: Who reads the documents: rules, openai or cascade.
        readings: A file of your own readings.
        queries: Files of your own queries.
        assume_city: Whether each document is about the city that its folder is named after.
        workers: At most this many processes compute shards. A script that asks for more than one
            keeps its own work below ``if __name__ == "__main__"``.

    Returns:
        Where the snapshot lies (``path``), whether it was published (``passed``) and what each gate
        said (``gates``). A refused candidate lies in ``rejected`` in the store.

    Raises:
        SettingsError: For options that cannot be used; so do UnknownCityError and ReadingsError.
        WorkspaceError: Where workspace or store cannot be used; so do WarehouseError, StorageError.

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
