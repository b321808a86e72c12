"""A row of each table and frame as a typed dict, for ``schemas.typed_rows.read_rows``.

Written by ``python -m schemas.row_types`` from the tables and frames; a test fails when it is
stale.
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


class RoomsCell(TypedDict):
    """One element of ``rooms``."""

    room_type: str | None
    price_cents: int | None
    stock: int | None


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


class DocumentsRow(TypedDict):
    """Documents about a city; their texts are never published."""

    doc_id: str
    city_id: str
    path: str
    url: str | None
    final_url: str | None
    provider: str | None
    sub_query_id: str | None
    found_rank: int | None
    fetched_for: str | None
    fetched_on: datetime.date | None
    gone_on: datetime.date | None
    lang: str
    title: str | None
    published_on: datetime.date | None
    published_by: str | None
    modified_on: datetime.date | None
    modified_by: str | None
    size_bytes: int
    n_chars: int
    document_kind: str
    near_duplicate_of: str | None
    licence_hint: str | None
    read_hash: str | None


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


class EvidenceRow(TypedDict):
    """Text spans in documents and rows of tables that support other rows."""

    evidence_id: str
    city_id: str
    evidence_kind: str
    doc_id: str | None
    start: int | None
    end: int | None
    quote_sha256: str | None
    quote: str | None
    source_file: str | None
    source_line: int | None


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


class PoiMentionsRow(TypedDict):
    """Names of places in documents, with the role of the place in the text."""

    mention_id: str
    city_id: str
    doc_id: str
    start: int
    end: int
    name: str
    role: str
    day: int | None
    order: int | None
    reason_start: int | None
    reason_end: int | None
    list_rank: int | None
    poi_id: str | None
    resolution: str
    resolution_score: float
    evidence_id: str


class LinksRow(TypedDict):
    """The place that each name in a document was linked to, and the other places that fit."""

    city_id: str
    doc_id: str
    name_number: int
    name: str
    poi_id: str
    resolution: str
    link_score: int | None
    margin: int | None
    rivals: list[str]
    why: str


class UnlinkedNamesRow(TypedDict):
    """Names in documents that could not be linked to any place of the snapshot, and the reason."""

    city_id: str
    doc_id: str
    name_number: int
    name: str
    role: str
    unlinked_as: str
    named_city_id: str | None
    rivals: list[str]
    why: str


class PoiFactsRow(TypedDict):
    """Hours, prices, durations and seasons of places that do not depend on a context."""

    fact_id: str
    city_id: str
    poi_id: str
    fact_field: str
    valid_when: str
    value: str
    hours_osm: str | None
    hours_weekly: list[HoursWeeklyCell] | None
    price_cents: int | None
    currency: str | None
    duration_min_min: int | None
    duration_max_min: int | None
    source_date: datetime.date | None
    evidence_id: str


class ConditionalFactsRow(TypedDict):
    """Hours, prices, durations and seasons that hold only for some travellers or under a condition:
    for example, a child's ticket, a free evening, or a ticket that is valid for two places.
    """

    fact_id: str
    city_id: str
    poi_id: str
    fact_field: str
    audience: str | None
    condition: str | None
    valid_when: str
    value: str
    hours_osm: str | None
    hours_weekly: list[HoursWeeklyCell] | None
    price_cents: int | None
    currency: str | None
    duration_min_min: int | None
    duration_max_min: int | None
    source_date: datetime.date | None
    evidence_id: str


class ContextsRow(TypedDict):
    """Seasons, holidays and types of traveller to which tags apply."""

    context_id: str
    city_id: str
    context_kind: str
    context_code: str
    name_zh: str
    name_en: str


class PoiTagsRow(TypedDict):
    """What a document says about a place in a context."""

    poi_id: str
    city_id: str
    context_id: str
    tag: str
    source_date: datetime.date | None
    evidence_id: str


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


class HotelsRow(TypedDict):
    """Hotels, each with its room types."""

    hotel_id: str
    city_id: str
    name_zh: str | None
    name_en: str | None
    feature: str | None
    hotel_class: str | None
    hotel_class_source: str | None
    stars: int | None
    rating: float | None
    lat: float | None
    lon: float | None
    h3_cell: str | None
    datum_original: str
    rooms: list[RoomsCell]
    currency: str | None
    is_simulated: bool
    source_file: str
    source_line: int
    read_hash: str | None


class RestaurantsRow(TypedDict):
    """Restaurants."""

    restaurant_id: str
    city_id: str
    name_zh: str | None
    name_en: str | None
    cuisine: str | None
    rating: float | None
    lat: float | None
    lon: float | None
    h3_cell: str | None
    datum_original: str
    price_cents: int | None
    currency: str | None
    hours_osm: str | None
    hours_weekly: list[HoursWeeklyCell] | None
    dishes: list[str]
    is_simulated: bool
    source_file: str
    source_line: int
    read_hash: str | None


class TrainsRow(TypedDict):
    """Direct trains between two cities."""

    train_id: str
    origin_city_id: str
    destination_city_id: str
    train_no: str
    train_type: str | None
    origin_station: str
    destination_station: str
    departure_min: int
    arrival_min: int
    arrival_day_offset: int
    duration_min: int
    price_cents: int | None
    currency: str | None
    is_simulated: bool
    source_file: str
    source_line: int
    read_hash: str | None


class FlightsRow(TypedDict):
    """Direct flights between two cities."""

    flight_id: str
    origin_city_id: str
    destination_city_id: str
    flight_no: str
    origin_station: str
    destination_station: str
    departure_min: int
    arrival_min: int
    arrival_day_offset: int
    duration_min: int
    price_cents: int | None
    currency: str | None
    code_share_group: str | None
    is_simulated: bool
    source_file: str
    source_line: int
    read_hash: str | None


class MetroStationsRow(TypedDict):
    """Stations of the metro, and of other public transport if a source includes it, with one row
    per line and station.
    """

    station_id: str
    city_id: str
    line: str
    sequence: int
    name: str
    lat: float
    lon: float
    datum_original: str
    wait_s: int | None
    change_s: int | None
    zones: list[str] | None
    source_file: str
    source_line: int
    read_hash: str | None


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


class HubsRow(TypedDict):
    """Railway stations and airports named in the city's connections."""

    city_id: str
    name: str
    lat: float
    lon: float
    datum_original: str
    source_file: str
    source_line: int
    read_hash: str | None


class RowSourcesRow(TypedDict):
    """Data set, licence and date of each source row, if the source states any of these."""

    city_id: str
    table: str
    source_file: str
    source_line: int
    source_name: str | None
    licence: str | None
    source_date: datetime.date | None
    read_hash: str | None


class DistancesRow(TypedDict):
    """Distances from each place to the places nearest to it."""

    city_id: str
    from_id: str
    to_id: str
    distance_method: str
    distance_m: float


class ClustersRow(TypedDict):
    """Spatial clusters of places for trips of 2 to 7 days."""

    city_id: str
    n_days_planned: int
    poi_id: str
    cluster: int
    epsilon_m: float


class StayClustersRow(TypedDict):
    """Hotels and restaurants, assigned to the clusters of the places around them."""

    city_id: str
    n_days_planned: int
    table: str
    row_id: str
    cluster: int
    distance_m: float


class NearestStationsRow(TypedDict):
    """The metro station nearest to each place, hotel and restaurant."""

    city_id: str
    table: str
    row_id: str
    station_id: str
    distance_m: float


class FindingsRow(TypedDict):
    """Findings in the source tables, with counts."""

    city_id: str
    table: str
    finding: str
    n_rows: int
    message: str


class CityStatsRow(TypedDict):
    """Statistics of a city's tables; prices are given separately for each currency, which the unit
    names.
    """

    city_id: str
    metric: str
    metric_value: float
    unit: str
    n_rows: int


class QueueParametersRow(TypedDict):
    """Parameters of the queue-time model."""

    parameter: str
    key: str
    metric_value: float
    unit: str


class DensityBaselineRow(TypedDict):
    """Number of visits per day for each pace."""

    parameter: str
    key: str
    metric_value: float
    unit: str


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


class ReviewDecisionsRow(TypedDict):
    """Decisions made by reviewers."""

    decision_id: str
    city_id: str
    table: str
    row_id: str
    reviewer: str
    decision: str
    reason: str
    decided_on: datetime.date
    fact_hash: str


class AttractionsRow(TypedDict):
    """Attraction rows as read from a source, in WGS 84, cents and minutes."""

    source_id: str | None
    name_zh: str | None
    name_en: str | None
    aliases: list[str]
    category: str | None
    base_type: str | None
    trend_types: list[str]
    lat: float | None
    lon: float | None
    datum_original: str | None
    coordinate_provider: str | None
    parent_source_id: str | None
    hours_osm: str | None
    price_cents: int | None
    currency: str | None
    duration_min_min: int | None
    duration_max_min: int | None
    rating: float | None
    wikidata: str | None
    grade: str | None
    source_file: str | None
    source_line: int | None
    types_file: str | None
    types_line: int | None


class RenownRow(TypedDict):
    """How well known places are: what a reference plan chooses by."""

    place_id: str
    points: int | None
    base_type: str | None
    category: str | None
    rating: float | None
    parents: list[str]


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


class HitsRow(TypedDict):
    """Results of the searches."""

    sub_query_id: str
    provider: str
    rank: int
    url: str
    title: str | None
    published_on: datetime.date | None


class ChosenRow(TypedDict):
    """The best addresses of each query and purpose."""

    query_id: str
    city_id: str
    purpose: str
    rank: int
    url: str
    score: float
    published_on: datetime.date | None


class InquiriesRow(TypedDict):
    """What is asked about which place, and what is known of it too little."""

    sub_query_id: str
    poi_id: str
    lacks: list[str]


class LeftOutRow(TypedDict):
    """Places about which too little is known, but about which the profile does not ask."""

    poi_id: str
    lacks: list[str]


class WaitingSearchesRow(TypedDict):
    """Searches that got no new answer and will be repeated."""

    sub_query_id: str
    provider: str
    why: str


class AddressesRow(TypedDict):
    """Result for every web address."""

    url: str
    final_url: str | None
    outcome: str
    reason: str | None
    message: str | None
    status: int | None
    robots: str
    fetched_on: datetime.date | None
    gone_on: datetime.date | None
    gone_why: str | None
    server_date: datetime.date | None
    content_sha256: str | None
    content_type: str | None
    charset: str | None
    size_bytes: int | None


class WaitingPagesRow(TypedDict):
    """Addresses to be asked again."""

    url: str


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


class RejectedRow(TypedDict):
    """Files that could not be read."""

    path: str
    check: str
    message: str


class CopiesRow(TypedDict):
    """Files of the same bytes as another."""

    path: str
    check: str
    message: str


class OriginalsRow(TypedDict):
    """Documents that repeat another document, in any city."""

    doc_id: str
    original: str
    how: str
    rank: int


class DocumentTextsRow(TypedDict):
    """Main text of each document."""

    doc_id: str
    text: str


class ReadingsRow(TypedDict):
    """Documents as read, one row each."""

    doc_id: str
    kind: str
    days_stated: int | None
    reader: str


class UnreadRow(TypedDict):
    """Documents with a text that nobody read."""

    doc_id: str
    check: str
    message: str


class UnansweredRow(TypedDict):
    """Documents for which a model had no usable answer to a task."""

    doc_id: str
    task: str
    message: str


class UntranslatedRow(TypedDict):
    """Chinese names of places for which a model had no usable answer."""

    name_zh: str
    message: str


class UntaggedRow(TypedDict):
    """Places in contexts for which a model had no usable answer."""

    context_id: str
    poi_id: str
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


class ReadFactsRow(TypedDict):
    """Facts about places, as read."""

    doc_id: str
    n: int
    poi: str
    field: str
    value: str
    audience: str | None
    condition: str | None
    valid_when: str
    start: int
    end: int


class ReadContextsRow(TypedDict):
    """Words of a document that name a context."""

    doc_id: str
    kind: str
    code: str
    start: int
    end: int
    weight: int
    is_title: bool


class UngroundedRow(TypedDict):
    """Claims of an engine that have no evidence."""

    doc_id: str
    position: int
    what: str
    message: str


class PlaceNamesRow(TypedDict):
    """Every name of a city's places, their own names first."""

    poi_id: str
    name: str
    name_key: str
    short_key: str
    main: str
    is_standard: bool


class PlaceKeysRow(TypedDict):
    """Keys under which a name can be looked up, sorted."""

    key: str
    name_row: int
    is_word: bool


class PlaceSpotsRow(TypedDict):
    """Location and kind of each place."""

    poi_id: str
    lat: float | None
    lon: float | None
    category: str | None
    base_type: str | None


class LinksFrameRow(TypedDict):
    """What each name of a document stands for."""

    doc_id: str
    n: int
    outcome: str
    city_of: str | None
    link_poi_id: str | None
    score: int
    margin: int
    rivals: list[str]
    link_why: str


class LinkedDaysRow(TypedDict):
    """The city in which each day of a trip is spent."""

    doc_id: str
    trip: int
    day: int
    city_of: str | None


class StatedRow(TypedDict):
    """How many blocks of a document are about each city or region."""

    doc_id: str
    city_of: str
    n_blocks: int


class SlicesRow(TypedDict):
    """What stands for all rows of the documents that name a place of a city."""

    city_of: str
    slice: str


class AboutRow(TypedDict):
    """Documents about the city."""

    doc_id: str
    kind: str
    is_main: bool
    days_stated: int | None
    reader: str


class MentionsRow(TypedDict):
    """Names of places, as read by an engine."""

    doc_id: str
    n: int
    name: str
    lang: str
    role: str
    role_here: str
    start: int
    end: int
    day: int | None
    order: int | None
    confidence: float
    reason_start: int | None
    reason_end: int | None
    list_rank: int | None
    parent_n: int | None
    section: int | None
    where: str | None
    fullest: str
    link_poi_id: str | None
    outcome: str
    score: int
    margin: int
    rivals: list[str]
    link_why: str


class VisitsRow(TypedDict):
    """Stops on the days that are spent in the city."""

    doc_id: str
    trip: int
    day: int
    order: int
    n: int
    name: str
    lang: str
    start: int
    end: int
    is_here: bool
    is_counted: bool
    remark: str | None
    remark_start: int | None


class UnplacedRow(TypedDict):
    """Names of the city's own documents that lie elsewhere, or nobody knows where."""

    doc_id: str
    n: int
    fullest: str
    role: str
    outcome: str
    city_of: str | None
    rivals: list[str]
    link_why: str


class FactsRow(TypedDict):
    """Facts about places, as read by an engine."""

    doc_id: str
    n: int
    poi: str
    field: str
    value: str
    audience: str | None
    condition: str | None
    valid_when: str
    start: int
    end: int


class ContextHitsRow(TypedDict):
    """Words of a document that name a context."""

    doc_id: str
    kind: str
    code: str
    start: int
    end: int
    weight: int
    is_title: bool


class ResolutionRow(TypedDict):
    """What each name of a document was resolved to."""

    doc_id: str
    n: int
    name: str
    fullest: str
    role: str
    poi_id: str | None
    resolution: str
    resolution_score: float
    score: int
    margin: int
    rivals: list[str]
    why: str


class GeocodeOutcomesRow(TypedDict):
    """Answers of geocoders about places without coordinates."""

    poi_id: str
    name: str
    outcome: str
    provider: str | None
    message: str | None
    asked_on: str | None
    answers: str | None


class RefusedRow(TypedDict):
    """Names of rejected places, and evidence of rejected mentions."""

    name: str | None
    evidence_id: str | None
    reason: str


class ReviewedRow(TypedDict):
    """Rows that left by a review."""

    table: str
    row_id: str
    fact_hash: str


class GivenDocumentsRow(TypedDict):
    """What became of every input document."""

    path: str
    doc_id: str | None
    status: str
    reason: str | None
    why: str | None
    cities: list[str]
    lang: str | None
    kind: str | None
    reader: str | None
    n_places: int | None
    n_stops: int | None
    n_facts: int | None
    built_for: list[str]
    licence: str | None
    licence_by: str | None
    licence_source: str | None


class GivenRow(TypedDict):
    """Result for each row of a query file."""

    given_file: str
    given_line: int
    form: str
    query_id: str | None
    reason: str | None
    why: str | None
    masked: int


class GivenQueriesRow(TypedDict):
    """What became of every row of a query file."""

    given_file: str
    given_line: int
    form: str
    city: str | None
    query_id: str | None
    status: str
    reason: str | None
    why: str | None
    masked: int
    built_for: list[str]


class ReadingProblemsRow(TypedDict):
    """What of readings was refused, and why."""

    path: str | None
    line: int | None
    doc_id: str | None
    reader: str
    what: str
    why: str
    built_for: list[str]
