"""What a stage is: a name, a version, the settings that it depends on, and a function.

``compute`` takes the frames of the shards that it depends on and returns frames. It knows nothing
of Prefect, of the workspace or of other stages. Raise ``version`` when its answers change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import polars as pl

from extractors.own_readings import OwnReadings
from flows.pipeline.shards import Frames, Ref, Stored
from flows.queries.given import GivenQueries
from flows.review.apply import PAYLOAD_CHARACTERS, Rejection
from flows.settings.environment import NO_SETTINGS, Settings
from flows.settings.profile import Profile
from schemas.arrow import frame, sort_by_key
from schemas.cities import City
from schemas.ids import canonical_json, quarantine_id
from schemas.rows import QuarantineRow, StageCountsRow
from schemas.tables import TABLES, Table
from sources.web.rounds import Round


@dataclass(frozen=True)
class Web:
    """Where documents are looked for on the web, and where all that came is kept.

    ``offline`` asks nobody: the archive and the answers in it are all there is. ``round`` says what
    is new enough; it is None until the run begins.
    """

    providers: tuple[str, ...]
    archive: Path
    offline: bool = False
    refresh: bool = False
    round: Round | None = None

    @property
    def searches_documents(self) -> bool:
        """Whether the user's documents are searched in, and only what is found there is read."""
        return "corpus" in self.providers


@dataclass(frozen=True)
class Inputs:
    """What a build was asked for. Paths are resolved; a missing one is an error before."""

    cities: tuple[City, ...]
    profile: Profile
    document_roots: tuple[Path, ...] = ()
    tables: Path | None = None
    tables_format: str = "tripbed"
    #: The other cities that the tables hold, where there are documents: their names are linked
    #: among the places of all.
    other_cities: tuple[City, ...] = ()
    #: Where documents are looked for on the web; none: nobody is asked.
    web: Web | None = None
    engine: str = "rules"
    #: Of the machine; what of them decides an answer is part of its shard's key.
    settings: Settings = NO_SETTINGS
    #: File in which readings are kept; none: every document is read anew.
    reading_store: Path | None = None
    #: File in which links are kept; none: every document is linked anew.
    link_store: Path | None = None
    #: The index of a file of readings that the user brings; their documents need no engine.
    own_readings: OwnReadings | None = None
    #: Rows of query files that the user brings.
    queries: GivenQueries | None = None
    #: Whether a document is about the city that its folder names (``flows.pipeline.jobs``).
    assume_city: bool = False
    #: Rows of places, mentions and links that reviewers rejected, in order.
    rejections: tuple[Rejection, ...] = ()
    #: Changes of sources that may be published: table, check and reason.
    accepted: tuple[tuple[str, str, str], ...] = ()
    #: The run that the build's spending counts for, in whichever process a shard is computed.
    run_id: str | None = None

    @property
    def required_web(self) -> Web:
        """Where a stage looks that only builds with a search have."""
        assert self.web is not None
        return self.web

    @property
    def linked_cities(self) -> tuple[City, ...]:
        """Every city whose places are known, by slug: those of the build and the others."""
        return tuple(sorted((*self.cities, *self.other_cities), key=lambda city: city.slug))


@dataclass(frozen=True)
class Job:
    """One shard of a stage: a city (or None), a name within it, and what else it needs."""

    inputs: Inputs
    city: City | None
    shard: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def own_city(self) -> City:
        """The city of a shard that has one."""
        assert self.city is not None
        return self.city


Upstream = Mapping[str, list[Frames]]


def list_stored(upstream: Upstream, stage: str) -> list[Stored]:
    """The shards of a stage that are read frame by frame (``Stage.stored``)."""
    return cast("list[Stored]", upstream[stage])


@dataclass(frozen=True)
class Output:
    """A frame that a stage hands on: what its rows keep to.

    ``account`` is the stage and table under which rows set aside are counted, where it is not
    the stage that hands the frame on and the frame's name.
    """

    table: Table
    account: tuple[str, str] | None = None


def tables(*names: str) -> dict[str, Output]:
    """Frames that are published tables, or parts of one."""
    return {name: Output(TABLES[name]) for name in names}


@dataclass(frozen=True)
class Stage:
    """One stage. ``outputs`` names each frame that it may hand on;
    ``flows.pipeline.stages.boundary`` holds it to that. ``settings`` and ``ingredients`` name all
    that its answers depend on.

    ``providers`` names the services outside that a shard asks: Prefect can limit how many shards
    ask one at a time. Only a stage with ``accounts`` reads how many rows came and went before it.
    """

    name: str
    version: int
    compute: Callable[[Job, Upstream], Frames]
    outputs: Mapping[str, Output]
    settings: Callable[[Job], Mapping[str, Any]] = lambda job: {}
    ingredients: Callable[[Job], Mapping[str, str]] = lambda job: {}
    providers: Callable[[Job], tuple[str, ...]] = lambda job: ()
    accounts: bool = False
    #: What its answers depend on in the shards before it, by name, where that is less than their
    #: rows.
    parts: Callable[[Job, Mapping[str, list[Ref]]], Mapping[str, str]] | None = None
    #: Stages before it whose shards it reads frame by frame: it gets each as a ``Stored``.
    stored: frozenset[str] = frozenset()
    #: Whether a result with so many rows by frame stands; else the next build computes it again.
    is_finished: Callable[[Mapping[str, int]], bool] = lambda rows: True


def only(upstream: Upstream, stage: str) -> Frames:
    """The frames of the single shard that a stage depends on."""
    (frames,) = upstream[stage]
    return frames


def stage_count(
    city: City,
    stage: str,
    table: str,
    *,
    rows_in: int,
    kept: int,
    merged: int = 0,
    quarantined: int = 0,
    pending: int = 0,
) -> StageCountsRow:
    """A row of ``stage_counts``. Raises RuntimeError when rows were lost or came from nowhere."""
    if rows_in != kept + merged + quarantined + pending:
        raise RuntimeError(
            f"{city.slug}: stage {stage}, table {table}: {rows_in} rows in, but {kept} kept + "
            f"{merged} merged + {quarantined} quarantined + {pending} pending"
        )
    return {
        "city_id": city.city_id, "stage": stage, "table": table, "rows_in": rows_in,
        "rows_kept": kept, "rows_merged": merged, "rows_quarantined": quarantined,
        "rows_pending": pending,
    }  # fmt: skip


def quarantine_row(
    city: City, stage: str, table: str, row_id: str, check: str, message: str, payload: Any = None
) -> QuarantineRow:
    """A row of ``quarantine``; the payload is cut."""
    shown = canonical_json(payload if payload is not None else {})[:PAYLOAD_CHARACTERS]
    return {
        "quarantine_id": quarantine_id(city.city_id, stage, table, row_id, check, message, shown),
        "city_id": city.city_id,
        "stage": stage,
        "table": table,
        "row_id": row_id,
        "check": check,
        "message": message,
        "payload": shown,
        "source_file": None,
        "source_line": None,
    }


def merge_parts(table: str, parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Parts of one table as one frame, without repeated rows, in the table's order."""
    return sort_by_key(table, pl.concat([frame(table, []), *parts], how="vertical").unique())
