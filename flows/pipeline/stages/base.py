"""Defines a stage: a name, a version, the settings that it depends on, and a function.

The function ``compute`` takes the frames of the shards that the stage depends on, and returns
frames. The function does not use Prefect, the workspace or other stages. Increase ``version``
whenever the results of a stage change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import polars as pl

from extractors.own_readings import OwnReadings
from flows.models.engines import engine_identity, engine_named, model_of
from flows.pipeline.shards import Frames, Ref, Stored
from flows.queries.given import GivenQueries
from flows.review.apply import PAYLOAD_CHARACTERS, Rejection
from flows.settings.environment import NO_SETTINGS, Settings
from flows.settings.profile import Profile
from schemas.arrow import frame, sort_by_key
from schemas.cities import City
from schemas.ids import canonical_json, quarantine_id, span_evidence_id, text_sha256
from schemas.rows import QuarantineRow, StageCountsRow
from schemas.tables import TABLES, Table
from schemas.tasks import Engine
from sources.web.rounds import Round


@dataclass(frozen=True)
class Web:
    """The settings for searching the web for documents, and for the archive that keeps answers.

    If ``offline`` is set, no requests are sent, and only the archive and its answers are used.
    ``round`` determines how recent an answer has to be; it is None until the run begins.
    """

    providers: tuple[str, ...]
    archive: Path
    offline: bool = False
    refresh: bool = False
    round: Round | None = None

    @property
    def searches_documents(self) -> bool:
        """Check whether the build searches the user's documents and reads only the documents that
        the search finds.
        """
        return "corpus" in self.providers


@dataclass(frozen=True)
class Inputs:
    """The settings and files for a build; paths are absolute and have been checked."""

    cities: tuple[City, ...]
    profile: Profile
    document_roots: tuple[Path, ...] = ()
    tables: Path | None = None
    tables_format: str = "tripbed"
    #: Other cities in the tables, if there are documents: names are linked to places of all cities.
    other_cities: tuple[City, ...] = ()
    #: Settings of the web search; None if the build does not search the web.
    web: Web | None = None
    engine: str = "rules"
    #: Settings of this machine; those that affect an answer are part of its shard's key.
    settings: Settings = NO_SETTINGS
    #: File in which readings are kept; if it is None, every document is read again.
    reading_store: Path | None = None
    #: File in which links are kept; if it is None, every document is linked again.
    link_store: Path | None = None
    #: Index of the user's own file of readings; no engine reads their documents.
    own_readings: OwnReadings | None = None
    #: Rows of the user's own query files.
    queries: GivenQueries | None = None
    #: Whether a document is about the city that its folder is named after
    #: (``flows.pipeline.jobs``).
    assume_city: bool = False
    #: Rows of places, mentions and links that were rejected in review, in order.
    rejections: tuple[Rejection, ...] = ()
    #: Changes of sources that may be published: table, check and reason.
    accepted: tuple[tuple[str, str, str], ...] = ()
    #: Id of the run to which all spending is charged, in whichever process a shard is computed.
    run_id: str | None = None

    @property
    def required_web(self) -> Web:
        """Return the web search settings, for stages that run only if the build searches."""
        assert self.web is not None
        return self.web


@dataclass(frozen=True)
class Job:
    """One shard of a stage: its city (or None), its name within the city, and other values."""

    inputs: Inputs
    city: City | None
    shard: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def own_city(self) -> City:
        """Return the city of a shard that belongs to one city."""
        assert self.city is not None
        return self.city

    @property
    def model(self) -> Engine | None:
        """Return the engine that uses the build's model, or None if the build has no model."""
        name = model_of(self.inputs.engine)
        return engine_named(name, self.inputs.settings, self.inputs.run_id) if name else None

    @property
    def services(self) -> tuple[str, ...]:
        """Return the external services that are used: ``llm``, or none if there is no model."""
        return ("llm",) if model_of(self.inputs.engine) else ()

    def model_settings(self, task: str, version: int) -> dict[str, Any]:
        """Return the settings that a model's answers to a task depend on, if there is a model."""
        name = model_of(self.inputs.engine)
        return {task: [engine_identity(name, self.inputs.settings), version]} if name else {}


Upstream = Mapping[str, list[Frames]]
Row = dict[str, Any]


def list_stored(upstream: Upstream, stage: str) -> list[Stored]:
    """Return the shards of a stage whose frames are read one at a time (``Stage.stored``)."""
    return cast("list[Stored]", upstream[stage])


@dataclass(frozen=True)
class Output:
    """The contract for the rows of a frame that a stage returns.

    Quarantined rows are counted under the stage and table in ``account``. By default, ``account``
    consists of the stage that returns the frame and the frame's name.
    """

    table: Table
    account: tuple[str, str] | None = None


def tables(*names: str) -> dict[str, Output]:
    """Return the contracts of frames that are published tables, or parts of a published table."""
    return {name: Output(TABLES[name]) for name in names}


@dataclass(frozen=True)
class Stage:
    """One stage of a build.

    ``outputs`` names each frame that the stage may return; ``flows.pipeline.stages.boundary``
    checks the frames. ``settings`` and ``ingredients`` name everything that the stage's results
    depend on.

    ``providers`` names the external services that a shard uses; Prefect can limit how many shards
    use the same service at a time. Only stages with ``accounts`` receive the numbers of rows that
    earlier stages read and kept.
    """

    name: str
    version: int
    compute: Callable[[Job, Upstream], Frames]
    outputs: Mapping[str, Output]
    settings: Callable[[Job], Mapping[str, Any]] = lambda job: {}
    ingredients: Callable[[Job], Mapping[str, str]] = lambda job: {}
    providers: Callable[[Job], tuple[str, ...]] = lambda job: ()
    accounts: bool = False
    #: The parts of earlier shards that the result depends on, by name, if these are less than all
    #: rows.
    parts: Callable[[Job, Mapping[str, list[Ref]]], Mapping[str, str]] | None = None
    #: Earlier stages whose shards are read frame by frame; each shard is given as a ``Stored``.
    stored: frozenset[str] = frozenset()
    #: Whether a result with this number of rows per frame is kept; if not, the next build repeats
    #: it.
    is_finished: Callable[[Mapping[str, int]], bool] = lambda rows: True


def only(upstream: Upstream, stage: str) -> Frames:
    """Return the frames of the single shard that a stage depends on."""
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
    """Return a row for ``stage_counts``; raise RuntimeError if its numbers do not add up."""
    if rows_in != kept + merged + quarantined + pending:
        raise RuntimeError(
            f"{city.slug}: the counts of stage {stage} for table {table} do not add up:"
            f" {rows_in} rows in, but {kept} kept + {merged} merged + {quarantined} quarantined"
            f" + {pending} pending"
        )
    return {
        "city_id": city.city_id, "stage": stage, "table": table, "rows_in": rows_in,
        "rows_kept": kept, "rows_merged": merged, "rows_quarantined": quarantined,
        "rows_pending": pending,
    }  # fmt: skip


def quarantine_row(
    city: City, stage: str, table: str, row_id: str, check: str, message: str, payload: Any = None
) -> QuarantineRow:
    """Return a row for ``quarantine``, with a shortened payload."""
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


def group_rows(rows: Iterable[Row], key: str) -> dict[str, list[Row]]:
    """Group rows by a column and keep their order; a value that does not occur has an empty
    group.
    """
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[key]].append(row)
    return found


def document_evidence(city: City, doc_id: str, start: int, end: int, quote: str) -> Row:
    """Return a span in a document as evidence, with only a hash of its text."""
    return {
        "evidence_id": span_evidence_id(city.city_id, doc_id, start, end),
        "city_id": city.city_id, "evidence_kind": "document", "doc_id": doc_id, "start": start,
        "end": end, "quote_sha256": text_sha256(quote),
    }  # fmt: skip


def merge_parts(table: str, parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Join the parts of one table, sort the rows by the table's key, and remove repeated rows."""
    return sort_by_key(table, pl.concat([frame(table, []), *parts], how="vertical").unique())
