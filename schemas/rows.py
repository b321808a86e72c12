"""Rows of tables and frames as typed dicts, for ``schemas.typed_rows.read_rows``.

Written by ``python -m schemas.row_types``, which lists them; a test fails when it is stale.
"""

from __future__ import annotations

import datetime
from typing import TypedDict


class HoursWeeklyCell(TypedDict):
    """One element of ``hours_weekly``."""

    weekday: int | None
    open_min: int | None
    close_min: int | None


class ReasonsCell(TypedDict):
    """One element of ``reasons``."""

    code: str | None
    points: int | None


class NoisyVisitsCell(TypedDict):
    """One element of ``noisy_visits``."""

    day: int | None
    order: int | None
    name: str | None
    evidence_id: str | None
    remark_evidence_id: str | None


class CleanVisitsCell(TypedDict):
    """One element of ``clean_visits``."""

    day: int | None
    order: int | None
    poi_id: str | None
    name: str | None


class EditsCell(TypedDict):
    """One element of ``edits``."""

    day: int | None
    order: int | None
    op: str | None
    name: str | None
    poi_id: str | None
    reason: str | None


class CitiesRow(TypedDict):
    """The cities of the snapshot, from GeoNames."""

    city_id: str
    slug: str
    name_zh: str | None
    name_en: str
    country_code: str
    admin1_code: str | None
    time_zone: str
    lat: float
    lon: float
    h3_cell: str | None
    population: int
    currency: str | None


class QueriesRow(TypedDict):
    """Queries, each with its structure and its status."""

    query_id: str
    city_id: str
    family: str
    constraint_kind: str
    constraint_code: str | None
    n_days: int | None
    text_zh: str | None
    text_en: str | None
    structure: str
    stratum: str
    split: str
    status: str
    reason: str | None
    n_trajectories: int
    n_candidates: int
    given_file: str | None
    given_line: int | None
    understanding: str | None
    not_understood: list[str] | None


class SubQueriesRow(TypedDict):
    """The sub-queries that were sent to the search for each query."""

    query_id: str
    city_id: str
    purpose: str
    rank: int
    sub_query_id: str
    text: str
    lang: str


class QueryDocumentsRow(TypedDict):
    """Documents found by the sub-queries of a query."""

    query_id: str
    city_id: str
    purpose: str
    rank: int
    doc_id: str
    score: float
    provider: str | None
    sub_query_id: str | None
    found_rank: int | None


class PoisRow(TypedDict):
    """The places that a trip can visit, with one row for each place."""

    poi_id: str
    city_id: str
    name_zh: str | None
    name_zh_origin: str
    name_en: str | None
    name_en_origin: str
    category: str | None
    base_type: str | None
    trend_types: list[str]
    lat: float | None
    lon: float | None
    location_tier: str | None
    geocode_status: str
    coordinate_provider: str | None
    datum_original: str | None
    h3_cell: str | None
    rating: float | None
    grade: str | None
    wikidata: str | None
    poi_source: str
    anchor: str
    n_documents: int
    n_mentions: int
    superseded_by: str | None
    evidence_id: str


class PoiAliasesRow(TypedDict):
    """Other names of a place."""

    poi_id: str
    city_id: str
    alias: str
    lang: str
    alias_source: str
    evidence_id: str


class PoiHierarchyRow(TypedDict):
    """Which places are part of which other places."""

    poi_id: str
    city_id: str
    parent_poi_id: str
    relation: str
    reason: str


class PoiOriginsRow(TypedDict):
    """The source row that each field of a place comes from."""

    poi_id: str
    city_id: str
    poi_field: str
    evidence_id: str
    value_hash: str | None


class PlaceDecisionsRow(TypedDict):
    """Every comparison of two source rows, with the values compared and the outcome."""

    comparison_id: str
    city_id: str
    poi_id: str
    other_poi_id: str
    name_a: str
    name_b: str
    distance_m: float | None
    verdict: str
    score: float
    outcome: str
    reason: str
    evidence_id: str
    other_evidence_id: str


class ContextTagsRow(TypedDict):
    """Information about a query's candidates that applies in the query's context: opening hours,
    when to arrive, how long to stay, and a description. Information that applies in every
    context is in the row for `any:any`.
    """

    poi_id: str
    city_id: str
    context_id: str
    hours_osm: str | None
    hours_weekly: list[HoursWeeklyCell] | None
    hours_evidence_id: str | None
    arrive: str | None
    arrive_evidence_id: str | None
    duration_min_min: int | None
    duration_max_min: int | None
    duration_evidence_id: str | None
    description: str | None
    description_evidence_id: str | None
    context_evidence_id: str | None
    tagged_by: str


class PoiPopularityRow(TypedDict):
    """Places ranked by how often and how early documents name them."""

    context_id: str
    city_id: str
    poi_id: str
    rank: int
    score: float
    source_date: datetime.date | None


class QueryPoisRow(TypedDict):
    """Candidate places of a query."""

    query_id: str
    city_id: str
    poi_id: str
    rank: int
    candidate_source: str
    score: float
    reasons: list[ReasonsCell] | None


class TrajectoriesRow(TypedDict):
    """Routes described in documents, each in a noisy and a clean version."""

    trajectory_id: str
    city_id: str
    doc_id: str
    n_trip_days: int
    n_visits: int
    noisy_visits: list[NoisyVisitsCell]
    clean_visits: list[CleanVisitsCell]
    edits: list[EditsCell]


class QueryTrajectoriesRow(TypedDict):
    """Reference trajectories of a query."""

    query_id: str
    city_id: str
    rank: int
    trajectory_id: str
    score: float
    length_gap_days: int | None


class TrajectoryScoresRow(TypedDict):
    """Quality of each reference trajectory of a query, measured by TP-RAG's rule metrics."""

    query_id: str
    city_id: str
    trajectory_id: str
    quality_rank: int
    poi_popularity: float | None
    failure_rate: float | None
    repetition_rate: float | None
    distance_margin_ratio: float | None
    length_m: float | None
    optimal_m: float | None
    optimum_proven: bool | None


class MetroEdgesRow(TypedDict):
    """Pairs of neighbouring stations on a line."""

    city_id: str
    line: str
    from_id: str
    to_id: str
    distance_m: float
    ride_s: int | None


class MetroFaresRow(TypedDict):
    """Price of a ride, by line and zone."""

    fare_id: str
    city_id: str
    line: str | None
    from_zone: str | None
    to_zone: str | None
    transfers: int | None
    price_cents: int
    currency: str
    source_file: str
    source_line: int


class DistancesRow(TypedDict):
    """Distances from each place to the places nearest to it."""

    city_id: str
    from_id: str
    to_id: str
    distance_method: str
    distance_m: float


class CityStatsRow(TypedDict):
    """Statistics of a city's tables; prices are given separately for each currency, which the unit
    names.
    """

    city_id: str
    metric: str
    metric_value: float
    unit: str
    n_rows: int


class StageCountsRow(TypedDict):
    """Number of rows that came in, were kept, merged or set aside, or are waiting, by stage and
    table.
    """

    city_id: str
    stage: str
    table: str
    rows_in: int
    rows_kept: int
    rows_merged: int
    rows_quarantined: int
    rows_pending: int


class QuarantineRow(TypedDict):
    """Rows that were set aside, each with the check that it failed and the reason."""

    quarantine_id: str
    city_id: str
    stage: str
    table: str
    row_id: str
    check: str
    message: str
    payload: str
    source_file: str | None
    source_line: int | None


class GatesRow(TypedDict):
    """Verdict of each gate."""

    gate_id: str
    level: str
    severity: str
    table: str | None
    passed: bool
    n_failed: int
    threshold: float | None
    observed: float | None
    message: str


class WitnessPlansRow(TypedDict):
    """Plans that prove that a query can be solved or that are worth following, or the reason why
    there are none.
    """

    query_id: str
    plan_kind: str
    city_id: str
    solvability: str
    plan: str | None
    obstacle: str | None
    reason: str | None
    plan_style: str | None
    wishes_met: bool | None


class SourceFindingsRow(TypedDict):
    """Findings about source rows, and what was done about each."""

    kind: str
    table: str
    source_file: str | None
    source_line: int | None
    severity: str
    message: str


class BlocksRow(TypedDict):
    """Blocks of main text."""

    doc_id: str
    position: int
    kind: str
    level: int
    strong: bool
    start: int
    text: str


class MetaRow(TypedDict):
    """What a file says of itself."""

    doc_id: str
    path: str
    lang: str
    title: str | None
    published_on: datetime.date | None
    published_by: str | None
    modified_on: datetime.date | None
    modified_by: str | None
    doubt: str | None
    licence_hint: str | None
    size_bytes: int
    n_chars: int
    text_sha256: str


class PagesRow(TypedDict):
    """Pages of the archive whose bytes fall into a bucket."""

    doc_id: str
    url: str
    final_url: str
    fetched_on: datetime.date | None
    server_date: datetime.date | None
    content_sha256: str
    content_type: str
    charset: str | None
    size_bytes: int


class UnreadRow(TypedDict):
    """Documents with a text that nobody read."""

    doc_id: str
    check: str
    message: str


class ReadNamesRow(TypedDict):
    """Each occurrence of a name, with what the text says about the place."""

    doc_id: str
    n: int
    name: str
    fullest: str
    lang: str
    start: int
    end: int
    stands_in: str
    section: int | None
    what: str
    role: str
    where: str | None
    parent_n: int | None
    confidence: float
    reason_start: int | None
    reason_end: int | None
    list_rank: int | None


class ReadStopsRow(TypedDict):
    """Stops of trips, as read."""

    doc_id: str
    trip: int
    day: int
    order: int
    n: int
    name: str
    lang: str
    start: int
    end: int
    where: str | None
    is_planned: bool
    is_ordered: bool
    is_counted: bool
    remark: str | None
    remark_start: int | None
