"""Defines the tables of a snapshot: their keys, fields, partitions and references.

docs/data-dictionary.md describes all tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from schemas.fields import FIELDS, Field

Partition = Literal["city", "pair", "none"]

#: The number before the point rises when a table or a field changes its meaning, and the number
#: after it when something is added. Run ``python -m schemas.versions.freeze`` before you raise it.
SCHEMA_VERSION = "2.3"
#: The oldest version that can be read directly; columns that were added later are null. Older
#: snapshots are checked with the tables of their version (``schemas.versions``) and must be
#: migrated before use.
OLDEST_READ = "2.0"


@dataclass(frozen=True)
class Table:
    """The definition of a table.

    ``columns`` names fields in ``schemas.fields``; a trailing ``?`` allows null. ``references``
    maps a column to ``table.column`` in the same snapshot. ``own`` defines fields that only this
    table has. ``bodies`` names columns with text from documents, which is never published. The
    tables of a snapshot use neither ``own`` nor ``bodies``.
    """

    name: str
    description: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    partition: Partition = "city"
    references: dict[str, str] = field(default_factory=dict)
    own: tuple[Field, ...] = ()
    bodies: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        # What is made from a table is cached by it, but the dict ``references`` has no hash.
        return hash((self.name, self.columns))

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Return the definitions of the columns, in order."""
        known = FIELDS | {field.name: field for field in self.own}
        return tuple(known[name] for name in self.column_names)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """Return the names of the columns, in order."""
        return tuple(column.rstrip("?") for column in self.columns)

    @cached_property
    def nullable(self) -> frozenset[str]:
        """Return the names of the columns that may be null."""
        return frozenset(column[:-1] for column in self.columns if column.endswith("?"))


def _table(
    name: str,
    description: str,
    key: str,
    columns: str,
    partition: Partition = "city",
    **references: str,
) -> Table:
    return Table(
        name, description, tuple(key.split()), tuple(columns.split()), partition, references
    )


_ALL = [
    _table(
        "cities",
        "The cities of the snapshot, from GeoNames.",
        "city_id",
        "city_id slug name_zh? name_en country_code admin1_code? time_zone lat lon h3_cell?"
        " population currency?",
    ),
    _table(
        "queries",
        "Queries, each with its structure and its status.",
        "query_id",
        "query_id city_id family constraint_kind constraint_code? n_days? text_zh? text_en?"
        " structure stratum split status reason? n_trajectories n_candidates given_file?"
        " given_line? understanding? not_understood?",
        city_id="cities.city_id",
    ),
    _table(
        "sub_queries",
        "The sub-queries that were used to find documents for each query.",
        "query_id purpose rank",
        "query_id city_id purpose rank sub_query_id text lang",
        query_id="queries.query_id",
    ),
    _table(
        "documents",
        "Documents about a city; their texts are never published.",
        "city_id doc_id",
        "doc_id city_id path url? final_url? provider? sub_query_id? found_rank? fetched_for?"
        " fetched_on? gone_on? lang title? published_on? published_by? modified_on? modified_by?"
        " size_bytes n_chars document_kind near_duplicate_of? licence_hint? read_hash?",
        city_id="cities.city_id",
    ),
    _table(
        "query_documents",
        "Documents found by each query's sub-queries.",
        "query_id purpose rank",
        "query_id city_id purpose rank doc_id score provider? sub_query_id? found_rank?",
        query_id="queries.query_id",
        doc_id="documents.doc_id",
    ),
    _table(
        "evidence",
        "Passages in documents, and rows of source tables, on which other rows are based.",
        "evidence_id",
        "evidence_id city_id evidence_kind doc_id? start? end? quote_sha256? quote? "
        "source_file? source_line?",
        doc_id="documents.doc_id",
    ),
    _table(
        "pois",
        "The places that a trip can visit, with one row for each place.",
        "poi_id",
        "poi_id city_id name_zh? name_zh_origin name_en? name_en_origin category? base_type?"
        " trend_types lat? lon? location_tier? geocode_status coordinate_provider? datum_original?"
        " h3_cell? rating? grade? wikidata? poi_source anchor n_documents n_mentions superseded_by?"
        " evidence_id",
        city_id="cities.city_id",
        evidence_id="evidence.evidence_id",
        superseded_by="pois.poi_id",
    ),
    _table(
        "poi_aliases",
        "Alternative names of places.",
        "poi_id alias",
        "poi_id city_id alias lang alias_source evidence_id",
        poi_id="pois.poi_id",
        evidence_id="evidence.evidence_id",
    ),
    _table(
        "poi_hierarchy",
        "Places that are part of a larger place.",
        "poi_id parent_poi_id",
        "poi_id city_id parent_poi_id relation reason",
        poi_id="pois.poi_id",
        parent_poi_id="pois.poi_id",
    ),
    _table(
        "poi_origins",
        "For each field of a place, the source row from which the value comes.",
        "poi_id poi_field",
        "poi_id city_id poi_field evidence_id value_hash?",
        poi_id="pois.poi_id",
        evidence_id="evidence.evidence_id",
    ),
    _table(
        "place_decisions",
        "Comparisons of two source rows that may describe the same place, each with the outcome.",
        "comparison_id",
        "comparison_id city_id poi_id other_poi_id name_a name_b distance_m? verdict score outcome "
        "reason evidence_id other_evidence_id",
        poi_id="pois.poi_id",
        other_poi_id="pois.poi_id",
        evidence_id="evidence.evidence_id",
        other_evidence_id="evidence.evidence_id",
    ),
    _table(
        "poi_mentions",
        "Names of places in documents, each with the role of the place in the text.",
        "doc_id start city_id",
        "mention_id city_id doc_id start end name role day? order? reason_start? reason_end? "
        "list_rank? poi_id? resolution "
        "resolution_score evidence_id",
        doc_id="documents.doc_id",
        poi_id="pois.poi_id",
        evidence_id="evidence.evidence_id",
    ),
    _table(
        "links",
        "The place to which each name in a document was linked, and the other possible places.",
        "city_id doc_id name_number",
        "city_id doc_id name_number name poi_id resolution link_score? margin? rivals why",
        doc_id="documents.doc_id",
        poi_id="pois.poi_id",
    ),
    _table(
        "unlinked_names",
        "Names in documents that could not be linked to any place in the snapshot, with the"
        " reasons.",
        "city_id doc_id name_number",
        "city_id doc_id name_number name role unlinked_as named_city_id? rivals why",
        doc_id="documents.doc_id",
    ),
    _table(
        "poi_facts",
        "Facts that apply to everyone: the hours, prices, visit durations and seasons of places.",
        "fact_id",
        "fact_id city_id poi_id fact_field valid_when value hours_osm? hours_weekly? price_cents?"
        " currency? duration_min_min? duration_max_min? source_date? evidence_id",
        poi_id="pois.poi_id",
        evidence_id="evidence.evidence_id",
    ),
    _table(
        "conditional_facts",
        "Facts that apply only to some travellers or under a condition, such as the price of a "
        "child's ticket, an evening with free admission, or a ticket that is valid for two places. "
        "If the engine `rules` found such a fact, the fact is in `quarantine` instead (check "
        "`condition_by_rules`).",
        "fact_id",
        "fact_id city_id poi_id fact_field audience? condition? valid_when value hours_osm?"
        " hours_weekly? price_cents? currency? duration_min_min? duration_max_min? source_date?"
        " evidence_id",
        poi_id="pois.poi_id",
        evidence_id="evidence.evidence_id",
    ),
    _table(
        "contexts",
        "Seasons, holidays and types of traveller to which tags apply.",
        "city_id context_id",
        "context_id city_id context_kind context_code name_zh name_en",
    ),
    _table(
        "poi_tags",
        "What documents say about each place in a particular context.",
        "context_id poi_id tag evidence_id",
        "poi_id city_id context_id tag source_date? evidence_id",
        poi_id="pois.poi_id",
        context_id="contexts.context_id",
        evidence_id="evidence.evidence_id",
    ),
    _table(
        "context_tags",
        "Information about a query's candidate places in the query's context: opening hours, when "
        "to arrive, how long to stay, and a description. The context `any:any` contains the "
        "information that applies in every context.",
        "context_id poi_id",
        "poi_id city_id context_id hours_osm? hours_weekly? hours_evidence_id? arrive? "
        "arrive_evidence_id? duration_min_min? duration_max_min? duration_evidence_id? "
        "description? description_evidence_id? context_evidence_id? tagged_by",
        poi_id="pois.poi_id",
        context_id="contexts.context_id",
        hours_evidence_id="evidence.evidence_id",
        arrive_evidence_id="evidence.evidence_id",
        duration_evidence_id="evidence.evidence_id",
        description_evidence_id="evidence.evidence_id",
        context_evidence_id="evidence.evidence_id",
    ),
    _table(
        "poi_popularity",
        "Places ranked by the number of documents in which they are visited or recommended, and by "
        "their positions in these documents.",
        "context_id poi_id",
        "context_id city_id poi_id rank score source_date?",
        poi_id="pois.poi_id",
        context_id="contexts.context_id",
    ),
    _table(
        "query_pois",
        "Candidate places for each query.",
        "query_id poi_id",
        "query_id city_id poi_id rank candidate_source score reasons?",
        query_id="queries.query_id",
        poi_id="pois.poi_id",
    ),
    _table(
        "trajectories",
        "Routes described in documents, each in a noisy and a clean version.",
        "trajectory_id",
        "trajectory_id city_id doc_id n_trip_days n_visits noisy_visits clean_visits edits",
        doc_id="documents.doc_id",
    ),
    _table(
        "query_trajectories",
        "Reference trajectories for each query.",
        "query_id rank",
        "query_id city_id rank trajectory_id score length_gap_days?",
        query_id="queries.query_id",
        trajectory_id="trajectories.trajectory_id",
    ),
    _table(
        "trajectory_scores",
        "Quality of each query's reference trajectories, measured by TP-RAG's rule-based metrics.",
        "query_id trajectory_id",
        "query_id city_id trajectory_id quality_rank poi_popularity? failure_rate? repetition_rate?"
        " distance_margin_ratio? length_m? optimal_m? optimum_proven?",
        query_id="queries.query_id",
        trajectory_id="trajectories.trajectory_id",
    ),
    _table(
        "hotels",
        "Hotels, each with its room types.",
        "hotel_id",
        "hotel_id city_id name_zh? name_en? feature? hotel_class? hotel_class_source? stars?"
        " rating? lat? lon? h3_cell? datum_original rooms currency? is_simulated source_file"
        " source_line read_hash?",
        city_id="cities.city_id",
    ),
    _table(
        "restaurants",
        "Restaurants.",
        "restaurant_id",
        "restaurant_id city_id name_zh? name_en? cuisine? rating? lat? lon? h3_cell? datum_original"
        " price_cents? currency? hours_osm? hours_weekly? dishes is_simulated source_file"
        " source_line read_hash?",
        city_id="cities.city_id",
    ),
    _table(
        "trains",
        "Direct trains between two cities.",
        "train_id",
        "train_id origin_city_id destination_city_id train_no train_type? origin_station"
        " destination_station departure_min arrival_min arrival_day_offset duration_min"
        " price_cents? currency? is_simulated source_file source_line read_hash?",
        "pair",
    ),
    _table(
        "flights",
        "Direct flights between two cities.",
        "flight_id",
        "flight_id origin_city_id destination_city_id flight_no origin_station destination_station"
        " departure_min arrival_min arrival_day_offset duration_min price_cents? currency?"
        " code_share_group? is_simulated source_file source_line read_hash?",
        "pair",
    ),
    _table(
        "metro_stations",
        "Metro stations, and stations of other public transport if a source includes them. A "
        "station has one row for each of its lines.",
        "city_id line sequence",
        "station_id city_id line sequence name lat lon datum_original wait_s? change_s? zones? "
        "source_file source_line read_hash?",
    ),
    _table(
        "metro_edges",
        "Pairs of neighbouring stations on a line.",
        "city_id line from_id to_id",
        "city_id line from_id to_id distance_m ride_s?",
        from_id="metro_stations.station_id",
        to_id="metro_stations.station_id",
    ),
    _table(
        "metro_fares",
        "Prices of rides, by line and zone.",
        "fare_id",
        "fare_id city_id line? from_zone? to_zone? transfers? price_cents currency source_file "
        "source_line",
    ),
    _table(
        "hubs",
        "Railway stations and airports used by the city's trains and flights.",
        "city_id name",
        "city_id name lat lon datum_original source_file source_line read_hash?",
        city_id="cities.city_id",
    ),
    _table(
        "row_sources",
        "Data set, licence and date of each source row, if the source states at least one of them.",
        "city_id table source_file source_line",
        "city_id table source_file source_line source_name? licence? source_date? read_hash?",
        city_id="cities.city_id",
    ),
    _table(
        "distances",
        "Distances from each place to the places nearest to it.",
        "from_id to_id distance_method",
        "city_id from_id to_id distance_method distance_m",
        from_id="pois.poi_id",
        to_id="pois.poi_id",
    ),
    _table(
        "clusters",
        "Groups of places that are close together, for trips of 2 to 7 days.",
        "city_id n_days_planned poi_id",
        "city_id n_days_planned poi_id cluster epsilon_m",
        poi_id="pois.poi_id",
    ),
    _table(
        "stay_clusters",
        "For each hotel or restaurant, the cluster of the nearest place if it is close enough.",
        "city_id n_days_planned table row_id",
        "city_id n_days_planned table row_id cluster distance_m",
    ),
    _table(
        "nearest_stations",
        "The metro station nearest to each place, hotel and restaurant.",
        "city_id table row_id",
        "city_id table row_id station_id distance_m",
    ),
    _table(
        "findings",
        "Findings about the source tables, each with the number of rows affected.",
        "city_id table finding",
        "city_id table finding n_rows message",
    ),
    _table(
        "city_stats",
        "Statistics about the tables for a city. A statistic about prices has one row for each"
        " currency; the column `unit` names the currency.",
        "city_id metric unit",
        "city_id metric metric_value unit n_rows",
    ),
    _table(
        "queue_parameters",
        "Parameters of the model that estimates queueing times.",
        "parameter key",
        "parameter key metric_value unit",
        "none",
    ),
    _table(
        "density_baseline",
        "Number of visits per day for each pace.",
        "parameter key",
        "parameter key metric_value unit",
        "none",
    ),
    _table(
        "stage_counts",
        "How many rows of each table entered each stage, and how many of them the stage kept, "
        "merged, set aside or left pending.",
        "city_id stage table",
        "city_id stage table rows_in rows_kept rows_merged rows_quarantined rows_pending",
    ),
    _table(
        "quarantine",
        "Rows that were set aside, each with the check that it failed and the reason.",
        "quarantine_id",
        "quarantine_id city_id stage table row_id check message payload source_file? source_line?",
    ),
    _table(
        "gates",
        "Result of each gate.",
        "gate_id",
        "gate_id level severity table? passed n_failed threshold? observed? message",
        "none",
    ),
    _table(
        "witness_plans",
        "For each query, a proof and reference plans, or the reason why there are none.",
        "query_id plan_kind",
        "query_id plan_kind city_id solvability plan? obstacle? reason? plan_style? wishes_met?",
        query_id="queries.query_id",
    ),
    _table(
        "review_decisions",
        "Decisions made by reviewers.",
        "decision_id",
        "decision_id city_id table row_id reviewer decision reason decided_on fact_hash",
    ),
]

TABLES: dict[str, Table] = {table.name: table for table in _ALL}
