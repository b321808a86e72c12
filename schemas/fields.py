"""Defines every field of every table once: type, unit, description, codes, limits and source.

A table (``schemas.tables``) names its fields; Arrow schemas, pandera models and the data dictionary
are derived from these definitions. The same quantity has the same name everywhere, and the name
ends in its unit (``_m``, ``_min``, ``_cents``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import pyarrow as pa

from schemas import taxonomy
from schemas.documents import DateSource

#: The kinds of plan that ``witness_plans`` may contain for a query.
PLAN_KINDS = ("proof", "balanced", "experience", "budget")


@dataclass(frozen=True)
class Field:
    """The definition of a column.

    ``codes`` lists the only allowed values. ``minimum`` and ``maximum`` are inclusive.
    """

    name: str
    type: pa.DataType
    description: str
    unit: str | None = None
    codes: tuple[str, ...] | None = None
    minimum: float | None = None
    maximum: float | None = None
    pattern: str | None = None
    source: str | None = None


TEXT, BOOL, DATE = pa.string(), pa.bool_(), pa.date32()
INT, REAL = pa.int64(), pa.float64()
TEXTS = pa.list_(pa.string())
SPANS = pa.list_(
    pa.struct([("weekday", pa.int64()), ("open_min", pa.int64()), ("close_min", pa.int64())])
)
ROOMS = pa.list_(
    pa.struct([("room_type", pa.string()), ("price_cents", pa.int64()), ("stock", pa.int64())])
)
POINTS = pa.list_(pa.struct([("code", pa.string()), ("points", pa.int64())]))
NOISY_VISITS = pa.list_(
    pa.struct(
        [
            ("day", pa.int64()),
            ("order", pa.int64()),
            ("name", pa.string()),
            ("evidence_id", pa.string()),
            ("remark_evidence_id", pa.string()),
        ]
    )
)
CLEAN_VISITS = pa.list_(
    pa.struct(
        [
            ("day", pa.int64()),
            ("order", pa.int64()),
            ("poi_id", pa.string()),
            ("name", pa.string()),
        ]
    )
)
EDITS = pa.list_(
    pa.struct(
        [
            ("day", pa.int64()),
            ("order", pa.int64()),
            ("op", pa.string()),
            ("name", pa.string()),
            ("poi_id", pa.string()),
            ("reason", pa.string()),
        ]
    )
)

POI_ID = r"^poi_[0-9a-f]{16}$"
DOC_ID = r"^d[0-9a-f]{20}$"
EVIDENCE_ID = r"^ev_[0-9a-f]{20}$"
CITY_ID = r"^gn[0-9]+$"
SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"


def _id(name: str, description: str, pattern: str | None = None) -> Field:
    return Field(name, TEXT, description, pattern=pattern)


def _codes(name: str, codes: tuple[str, ...], description: str, source: str | None = None) -> Field:
    return Field(name, TEXT, description, codes=codes, source=source)


def _count(name: str, description: str) -> Field:
    return Field(name, INT, description, unit="rows", minimum=0)


def _metric(name: str, description: str, maximum: float | None = None) -> Field:
    """Define one of TP-RAG's rule metrics, which are shares or ratios instead of percentages."""
    source = "TP-RAG, section 3.3 and appendix B"
    return Field(name, REAL, description, minimum=0, maximum=maximum, source=source)


def _length(name: str, description: str) -> Field:
    return Field(name, REAL, description, unit="metre", minimum=0)


_ALL = [
    # Identity
    _id("city_id", "Id of the city: `gn` followed by the GeoNames id", CITY_ID),
    _id("origin_city_id", "City where the train or flight departs", CITY_ID),
    _id("destination_city_id", "City where the train or flight arrives", CITY_ID),
    Field(
        "slug", TEXT, "Short name of the city, in pinyin or English, for use in paths", pattern=SLUG
    ),
    _id(
        "query_id",
        "Id of the query. The id combines the family, the city's slug and the stratum, or follows "
        "the format of the ids in the family's benchmark",
    ),
    _id(
        "sub_query_id",
        "Id of the sub-query: a hash of its purpose and text. Queries that use the same "
        "sub-query therefore share its id",
    ),
    _id(
        "doc_id",
        "Id of the document: `d` followed by the first 20 hex digits of the SHA-256 of its bytes",
        DOC_ID,
    ),
    _id("near_duplicate_of", "Document that this document repeats almost word for word", DOC_ID),
    _id(
        "mention_id",
        "Id of the mention: a hash of its document, span, name, role, day, order and reason",
    ),
    _id(
        "poi_id",
        "Id of the POI. The id is made from the POI's id in the gazetteer or, if there is none, "
        "from the POI's name and city. The id stays the same in later builds",
        POI_ID,
    ),
    _id("parent_poi_id", "POI that contains this POI", POI_ID),
    _id("superseded_by", "POI into which this POI was merged", POI_ID),
    _id(
        "other_poi_id",
        "POI to which the second of the compared rows belongs; the same as `poi_id` if the two "
        "rows were merged",
        POI_ID,
    ),
    _id(
        "comparison_id",
        "Id of the comparison: a hash of the decision and of the evidence for both rows",
    ),
    _id("other_evidence_id", "Evidence for the second of the compared rows", EVIDENCE_ID),
    _id("fact_id", "Id of the fact: a hash of its POI, field, validity, value and evidence"),
    _id("context_id", "Id of the context: its kind and code, for example `season:winter`"),
    _id(
        "trajectory_id",
        "Id of the trajectory. The id is made from the city and the document. If the document "
        "contains several trajectories, the ids of all trajectories except the longest also depend "
        "on their stops",
    ),
    _id("hotel_id", "Id of the hotel. The id stays the same in later builds"),
    _id("restaurant_id", "Id of the restaurant. The id stays the same in later builds"),
    _id("train_id", "Id made from the train's number, stations and times"),
    _id("flight_id", "Id made from the flight's number, airports and times"),
    _id(
        "code_share_group",
        "Id shared by all flight numbers of the same flight; null if the flight has only one "
        "number",
        r"^share_[0-9a-f]{16}$",
    ),
    _id("station_id", "Id made from the metro station's city and name"),
    _id("from_id", "Place or station where the leg begins"),
    _id("to_id", "Place or station where the leg ends"),
    _id(
        "evidence_id",
        "Evidence that supports the row; in the table `evidence`, the row's own id",
        EVIDENCE_ID,
    ),
    _id("gate_id", "Name of the gate (see docs/gates.md)"),
    _id(
        "quarantine_id",
        "Id of the quarantined row: a hash of its stage, table, row id, check, message and payload",
    ),
    _id("decision_id", "Id of the decision"),
    _id("row_id", "Id of the row in its table"),
    # Names and text
    Field("name", TEXT, "Name as written in the source"),
    Field("name_zh", TEXT, "Chinese name; null if unknown"),
    Field("name_en", TEXT, "English name; null if unknown"),
    _codes(
        "name_zh_origin",
        taxonomy.NAME_ORIGINS,
        "Whether the Chinese name is original or translated",
    ),
    _codes(
        "name_en_origin",
        taxonomy.NAME_ORIGINS,
        "Whether the English name is original or translated",
    ),
    Field("name_a", TEXT, "Name in the first of the compared rows"),
    Field("name_b", TEXT, "Name in the second of the compared rows"),
    Field("alias", TEXT, "Another name for the place"),
    Field("text", TEXT, "Text of the sub-query"),
    Field(
        "text_zh",
        TEXT,
        "Text of the query in Chinese; null if the query was read from a file that gives no "
        "Chinese text",
    ),
    Field(
        "text_en",
        TEXT,
        "Text of the query in English; null if the query was read from a file that gives no "
        "English text, or if a place that the query names has no English name",
    ),
    Field(
        "given_file",
        TEXT,
        "File from which the query was read; null if the build created the query",
    ),
    Field(
        "given_line",
        INT,
        "Line of the query in `given_file`, or the query's position in the list if the file is a "
        "JSON list",
        minimum=1,
    ),
    _codes(
        "understanding",
        taxonomy.UNDERSTANDINGS,
        "How much of the query's text `structure` covers; null if the build created the query",
    ),
    Field(
        "not_understood",
        TEXTS,
        "Parts of the query's text that `structure` does not cover, in the query's own words",
    ),
    Field("title", TEXT, "Title of the document"),
    _codes("lang", taxonomy.LANGUAGES, "Language of the text"),
    Field("message", TEXT, "Description of what was found"),
    Field(
        "reason",
        TEXT,
        "Reason, in words, for the status, relation, decision or result in this row",
    ),
    # Places
    Field("lat", REAL, "Latitude, WGS 84", unit="degree", minimum=-90, maximum=90),
    Field("lon", REAL, "Longitude, WGS 84", unit="degree", minimum=-180, maximum=180),
    Field(
        "country_code",
        TEXT,
        "Country code (ISO 3166-1 alpha-2)",
        pattern=r"^[A-Z]{2}$",
        source="GeoNames",
    ),
    Field(
        "admin1_code", TEXT, "Code of the first-level administrative division", source="GeoNames"
    ),
    Field("time_zone", TEXT, "IANA time zone", source="GeoNames"),
    Field(
        "population",
        INT,
        "Number of inhabitants; 0 if GeoNames gives no number",
        minimum=0,
        source="GeoNames",
    ),
    Field(
        "h3_cell",
        TEXT,
        "H3 cell at resolution 8 that contains the coordinates",
        pattern=r"^[0-9a-f]{15}$",
    ),
    _codes("datum_original", taxonomy.DATUMS, "Coordinate system that the source uses"),
    Field(
        "coordinate_provider",
        TEXT,
        "Source of the coordinates; null if the place has no coordinates",
    ),
    _codes(
        "location_tier",
        ("located", "within", "city"),
        "How precisely the location is known. located: a source or a geocoder gives the "
        "coordinates of the place itself; within: the coordinates are those of a place that "
        "contains this place; city: there are no coordinates, but documents say that the place "
        "is in the city",
    ),
    _codes("geocode_status", ("resolved", "unresolved"), "Whether the place has coordinates"),
    Field("distance_m", REAL, "Distance between the two places", unit="metre", minimum=0),
    _codes("distance_method", ("straight", "metro", "road"), "How the distance was measured"),
    Field(
        "rating",
        REAL,
        "Visitors' rating as given by the source",
        unit="points of 5",
        minimum=0,
        maximum=5,
    ),
    _codes("grade", taxonomy.GRADES, "Grade of the attraction; null if unknown", "GB/T 17775"),
    Field(
        "wikidata",
        TEXT,
        "Wikidata item of the place, according to the source",
        pattern=r"^Q[1-9][0-9]*$",
    ),
    # Taxonomies
    _codes(
        "category",
        taxonomy.codes(taxonomy.POI_CATEGORIES),
        "Category of the POI",
        "TP-RAG, table 2",
    ),
    _codes(
        "base_type",
        taxonomy.codes(taxonomy.BASE_TYPES),
        "Foundational type of the attraction (first layer of types)",
        "TravelEval, section 3.2 (14 foundational types)",
    ),
    Field(
        "trend_types",
        TEXTS,
        "Trending types of the attraction (second layer, with 10 types)",
        codes=taxonomy.codes(taxonomy.TREND_TYPES),
        source="TravelEval, section 3.2",
    ),
    Field("cuisine", TEXT, "Cuisine", source="TravelEval, appendix C (tag set)"),
    Field("feature", TEXT, "Feature of the hotel", source="TravelEval, appendix C (tag set)"),
    _codes(
        "hotel_class",
        taxonomy.HOTEL_CLASSES,
        "Class of the hotel according to the rule in docs/tables.md; null if unknown",
        "TourPlanner, appendix D.1.2",
    ),
    _codes(
        "hotel_class_source", taxonomy.HOTEL_CLASS_SOURCES, "What the hotel class was derived from"
    ),
    Field("stars", INT, "Number of stars that the source gives the hotel", minimum=1, maximum=5),
    Field("dishes", TEXTS, "Recommended dishes; an empty list if the source names none"),
    _codes("context_kind", taxonomy.CONTEXT_KINDS, "Kind of context"),
    Field("context_code", TEXT, "Code of the context within its kind"),
    Field("tag", TEXT, "What the document says about the POI in this context"),
    # Queries
    _codes("family", taxonomy.FAMILIES, "Query family"),
    _codes(
        "constraint_kind",
        taxonomy.CONSTRAINT_KINDS,
        "Category of the constraint",
        "TP-RAG, table 2",
    ),
    Field(
        "constraint_code",
        TEXT,
        "Code of the constraint; null for generic queries",
        source="TP-RAG, table 2",
    ),
    Field(
        "n_days",
        INT,
        "Length of the trip in days; null if the query does not give a length",
        unit="day",
        minimum=1,
        maximum=60,
    ),
    Field("structure", TEXT, "What the query asks for, as JSON with sorted keys"),
    Field("stratum", TEXT, "Stratum to which the query belongs"),
    _codes("split", ("train", "validation", "test"), "Split to which the query belongs"),
    _codes("status", taxonomy.QUERY_STATUSES, "Status of the query"),
    _codes("purpose", ("poi", "route", "inquiry"), "What the sub-query looks for"),
    Field("rank", INT, "Rank, where 1 is best", minimum=1),
    Field(
        "score",
        REAL,
        "Score. Scores can be compared only within one list. In a ranked list, the scores "
        "determine the ranks",
    ),
    _codes(
        "candidate_source", ("document", "table", "trajectory"), "Where the candidate comes from"
    ),
    Field(
        "reasons",
        POINTS,
        "Why the place is a candidate: the codes of the reasons, each with its points. The points "
        "add up to the score (see docs/queries.md); null in rows from older snapshots, which "
        "give no reasons",
    ),
    _count("n_trajectories", "Number of valid trajectories found for the query"),
    _count("n_candidates", "Number of candidate POIs found for the query"),
    Field(
        "length_gap_days",
        INT,
        "Absolute difference between the trip length that the query gives and the length of the "
        "trajectory; null if the query does not give a length",
        unit="day",
        minimum=0,
    ),
    # Documents and evidence
    Field("path", TEXT, "Path of the document within its folder"),
    Field(
        "url",
        TEXT,
        "Web address from which the document was fetched; null if the document was read from a "
        "folder",
    ),
    Field(
        "final_url",
        TEXT,
        "Web address after all redirects; null if the document was read from a folder",
    ),
    Field(
        "provider",
        TEXT,
        "Search engine that ranked the document highest; if the document was read from a folder, "
        "the search in that folder",
    ),
    Field(
        "found_rank",
        INT,
        "Rank of the document among the results that `provider` returned for `sub_query_id`",
        minimum=1,
    ),
    _codes(
        "fetched_for",
        ("query", "inquiry"),
        "Why the document was fetched. query: to find places and routes for a query; "
        "inquiry: only to find facts and tags for certain places. Null if the document was read "
        "from a folder",
    ),
    Field(
        "fetched_on",
        DATE,
        "Day (UTC) on which this version of the document was fetched from its address",
    ),
    Field(
        "gone_on",
        DATE,
        "First day (UTC) on which the page was found to be unavailable at its address",
    ),
    Field("published_on", DATE, "Publication date; null if none is stated"),
    _codes("published_by", get_args(DateSource), "Where the publication date was found"),
    Field("modified_on", DATE, "Date of the last change; null if none is stated"),
    _codes("modified_by", get_args(DateSource), "Where the date of the last change was found"),
    Field("size_bytes", INT, "Size of the original document", unit="byte", minimum=0),
    Field("n_chars", INT, "Length of the document's main text", unit="character", minimum=0),
    _codes(
        "document_kind",
        ("diary", "route", "guide", "list", "other"),
        "What kind of text the document is",
    ),
    Field(
        "licence_hint",
        TEXT,
        "Licence of the document, taken from a list or a licence file next to the document, or "
        "else from the document itself",
    ),
    _codes(
        "evidence_kind",
        ("document", "table"),
        "Whether the evidence comes from a document or from a table",
    ),
    Field(
        "start",
        INT,
        "Position of the span's first character in the main text",
        unit="character",
        minimum=0,
    ),
    Field(
        "end",
        INT,
        "Position of the first character after the span in the main text",
        unit="character",
        minimum=1,
    ),
    Field(
        "reason_start",
        INT,
        "Position of the first character of the passage that gives a reason to visit the place",
        unit="character",
        minimum=0,
    ),
    Field(
        "reason_end",
        INT,
        "Position of the first character after the passage that gives a reason to visit the place",
        unit="character",
        minimum=1,
    ),
    Field(
        "list_rank",
        INT,
        "Rank of the place in a list; 0 if the list is not ranked; null if the place is not in a "
        "list",
        minimum=0,
    ),
    Field("quote_sha256", TEXT, "SHA-256 hash of the quoted text", pattern=r"^[0-9a-f]{64}$"),
    Field("quote", TEXT, "The quoted text, given only if the licence allows it"),
    Field(
        "source_file",
        TEXT,
        "File that contains the source row, as a path relative to the folder of tables",
    ),
    Field(
        "source_line",
        INT,
        "Line number of the source row, counted from 1; in a JSON list, the position of the "
        "element",
        minimum=1,
    ),
    Field(
        "read_hash",
        TEXT,
        "Hash of the row as it was read from its source",
        pattern=r"^[0-9a-f]{16}$",
    ),
    Field(
        "value_hash",
        TEXT,
        "Hash of the field's value in the source row; null if the value comes from a text",
        pattern=r"^[0-9a-f]{16}$",
    ),
    Field("source_date", DATE, "Date to which the row's information refers; null if unknown"),
    Field("source_name", TEXT, "Data set from which the row comes, as named by the source"),
    Field("licence", TEXT, "Licence of the row's data set, as stated by the source"),
    Field(
        "is_simulated",
        BOOL,
        "Whether at least one value in the row is simulated rather than taken from a source",
    ),
    # Mentions and POIs
    _codes(
        "role",
        ("visited", "planned", "recommended", "mentioned", "rejected"),
        "How the text treats the place at this point. mentioned: the text only names the "
        "place, and says neither that anyone goes there nor whether a visit is worthwhile",
    ),
    Field("day", INT, "Day of the route, numbered as in the text", minimum=0),
    Field("order", INT, "Position of the stop within the day, counted from 1", minimum=1),
    _codes(
        "resolution",
        taxonomy.RESOLUTIONS,
        "Result of the attempt to find the place to which the name refers",
    ),
    Field(
        "name_number",
        INT,
        "Position of the name among all names in its document, counted from 1",
        minimum=1,
    ),
    Field(
        "link_score",
        INT,
        "Certainty of the link; null if the place is known only from documents",
        unit="hundredth",
        minimum=0,
        maximum=100,
    ),
    Field(
        "margin",
        INT,
        "Difference in score between the linked place and the second-best place; 100 if no "
        "other place fits; null if the place is known only from documents",
        unit="hundredth",
        minimum=0,
        maximum=100,
    ),
    Field("rivals", TEXTS, "Ids of the other places that the name could refer to"),
    _codes(
        "unlinked_as",
        ("unresolved", "review", "elsewhere", "unknown"),
        "Why the name has no link. unresolved: the name belongs to this city, but no place was "
        "found for it; review: a person should decide which place is meant; elsewhere: the name "
        "belongs to a different city; unknown: the text does not say which city is meant",
    ),
    Field(
        "named_city_id",
        TEXT,
        "GeoNames id of the different city to which the name belongs, or code of the region if "
        "only the region is known; null unless `unlinked_as` is `elsewhere`",
    ),
    Field("why", TEXT, "Reason for the decision, in words"),
    Field("resolution_score", REAL, "Score of the resolution, from 0 to 1", minimum=0, maximum=1),
    _codes(
        "poi_source",
        ("table", "document"),
        "Whether the place comes from a table or is known only from documents",
    ),
    Field("anchor", TEXT, "Text from which the POI's id is derived"),
    _count("n_documents", "Number of documents that mention the place"),
    _count("n_mentions", "Number of mentions of the place"),
    _codes("alias_source", ("table", "document", "merge"), "Where the alias comes from"),
    _codes("poi_field", taxonomy.POI_FIELDS, "Name of the field whose origin this row records"),
    _codes(
        "verdict",
        ("same", "different", "parent-of", "part-of"),
        "Result of the comparison. parent-of: the place in the first row contains the place in "
        "the second row; part-of: the reverse",
    ),
    _codes(
        "outcome",
        ("merged", "kept_apart", "part_of"),
        "What tripbed did in response to the verdict",
    ),
    Field("finding", TEXT, "Kind of finding (see docs/places.md)"),
    _codes("relation", ("part_of",), "How the two places are related"),
    _codes("fact_field", taxonomy.FACT_FIELDS, "What the fact is about"),
    Field(
        "value",
        TEXT,
        "Value of the fact, in the form that docs/data-dictionary.md specifies for the fact's "
        "field",
    ),
    _codes(
        "audience",
        taxonomy.AUDIENCES,
        "Group of travellers to whom the fact applies; null if the fact applies to all travellers",
    ),
    Field("condition", TEXT, "Any further condition on the fact, in the words of the document"),
    Field("valid_when", TEXT, "When the fact applies: `always`, a season, or a range of months"),
    Field("hours_osm", TEXT, "Opening hours in OSM syntax", source="OSM opening_hours"),
    Field(
        "hours_weekly",
        SPANS,
        "Opening times for each weekday (0 = Monday), in minutes after midnight; a closing time "
        "above 1440 is on the next day",
        unit="minute",
    ),
    Field(
        "price_cents",
        INT,
        "Price for one adult, unless the row names a different group of travellers",
        unit="hundredth of the row's currency unit",
        minimum=0,
    ),
    Field(
        "currency",
        TEXT,
        "Currency of the row's amounts (ISO 4217) or, in `cities`, of the country. Amounts "
        "are stored in hundredths of the currency's unit, even for yen, and are never converted",
        pattern=r"^[A-Z]{3}$",
        source="ISO 4217; country: GeoNames",
    ),
    Field(
        "duration_min_min", INT, "Minimum recommended length of a visit", unit="minute", minimum=0
    ),
    Field(
        "duration_max_min", INT, "Maximum recommended length of a visit", unit="minute", minimum=0
    ),
    # Tags in contexts
    Field(
        "arrive",
        TEXT,
        "Recommended time of arrival, if a text gives one: `HH:MM`, a range of times, "
        "`before HH:MM`, or words",
        source="TP-RAG, appendix E.1",
    ),
    Field(
        "description",
        TEXT,
        "What documents say about the place in this context, in at most 50 words (two "
        "Chinese characters count as one word)",
        source="TP-RAG, appendix E.1",
    ),
    _codes(
        "tagged_by",
        ("rules", "model"),
        "Whether the tag was assigned by rules or by a model. In tags assigned by `rules`, every"
        " value comes from a fact, and the description is quoted from the document",
    ),
    _id("hours_evidence_id", "Evidence for the opening hours", EVIDENCE_ID),
    _id("arrive_evidence_id", "Evidence for the time of arrival", EVIDENCE_ID),
    _id("duration_evidence_id", "Evidence for the length of stay", EVIDENCE_ID),
    _id("description_evidence_id", "Passage from which the description is taken", EVIDENCE_ID),
    _id(
        "context_evidence_id",
        "Evidence id of the heading, date or title above the passage that names the context; null "
        "if the passage itself names the context",
        EVIDENCE_ID,
    ),
    # Trajectories
    Field(
        "noisy_visits",
        NOISY_VISITS,
        "Visits, with the names as they are written in the document. `remark_evidence_id` "
        "identifies the evidence for what the document says about the stop; the id is null if "
        "nothing was quoted",
    ),
    Field("clean_visits", CLEAN_VISITS, "The noisy visits after all edits, each with its POI"),
    Field(
        "edits",
        EDITS,
        "Edits that turn the noisy visits into the clean visits; `op` is `replace` or `remove`",
    ),
    Field(
        "n_trip_days",
        INT,
        "Number of days in the trajectory that have at least one visit",
        unit="day",
        minimum=1,
    ),
    _count("n_visits", "Number of clean visits"),
    Field(
        "quality_rank",
        INT,
        "Rank by quality among the trajectories for the query, where 1 is best",
        minimum=1,
    ),
    _metric(
        "poi_popularity",
        "Share of the M most popular places that the trajectory visits. M is the number of "
        "different places in the trajectory. Null if the places have no ranking by popularity",
        1,
    ),
    _metric(
        "failure_rate",
        "Share of visits whose place is not a candidate for the query",
        1,
    ),
    _metric(
        "repetition_rate",
        "Share of visits that repeat an earlier visit to the same place",
        1,
    ),
    _metric(
        "distance_margin_ratio",
        "How much longer the route is than the shortest known path: "
        "(`length_m` - `optimal_m`) / `optimal_m`; null if fewer than two visits have coordinates",
    ),
    _length(
        "length_m", "Total length of the straight lines between consecutive visits on all days"
    ),
    _length("optimal_m", "Length of the shortest known path through the same visits"),
    Field(
        "optimum_proven",
        BOOL,
        "Whether `optimal_m` is proven to be the minimum. A proof is attempted only if at most 12 "
        "visits have coordinates",
    ),
    # Hotels, restaurants, transport
    Field(
        "rooms",
        ROOMS,
        "Room types, each with its price per night in the row's currency and the number of "
        "free rooms",
    ),
    Field("train_no", TEXT, "Train number"),
    Field("train_type", TEXT, "Class of the train, as named by the source"),
    Field("flight_no", TEXT, "Flight number"),
    Field("origin_station", TEXT, "Station or airport of departure"),
    Field("destination_station", TEXT, "Station or airport of arrival"),
    Field(
        "departure_min",
        INT,
        "Departure time in minutes after local midnight",
        unit="minute",
        minimum=0,
        maximum=1439,
    ),
    Field(
        "arrival_min",
        INT,
        "Arrival time in minutes after local midnight",
        unit="minute",
        minimum=0,
        maximum=1439,
    ),
    Field(
        "arrival_day_offset",
        INT,
        "Number of days from the departure date to the arrival date",
        unit="day",
        minimum=0,
        maximum=7,
    ),
    Field("duration_min", INT, "Actual travel time", unit="minute", minimum=1),
    Field(
        "line", TEXT, "Metro line, or another public transport line if a source includes such lines"
    ),
    Field("sequence", INT, "Position of the station on its line, counted from 1", minimum=1),
    Field(
        "ride_s",
        INT,
        "Travel time between the two stations according to the timetable; null if no source "
        "gives this time",
        unit="second",
        minimum=0,
    ),
    Field(
        "wait_s",
        INT,
        "Average time that a passenger waits: half the time between two departures on the line, "
        "but at most half an hour; null if no source gives this time",
        unit="second",
        minimum=0,
    ),
    Field(
        "change_s",
        INT,
        "Time needed to change lines at the station; null if no source gives this time",
        unit="second",
        minimum=0,
    ),
    Field("zones", TEXTS, "Fare zones of the station, as named by the source"),
    Field(
        "fare_id",
        TEXT,
        "Id derived from the fare's city, line, zones, price and number of line changes",
    ),
    Field("from_zone", TEXT, "Zone in which the ride begins; null means any zone"),
    Field("to_zone", TEXT, "Zone in which the ride ends; null means any zone"),
    Field(
        "transfers",
        INT,
        "Number of line changes that the fare allows; null means any number",
        minimum=0,
    ),
    # Statistics and parameters
    Field("metric", TEXT, "Name of the measured quantity"),
    Field("metric_value", REAL, "Measured value, in the unit given in the row"),
    Field("unit", TEXT, "Unit of the value"),
    Field(
        "n_days_planned",
        INT,
        "Length of the trip for which the clusters are computed",
        unit="day",
        minimum=2,
        maximum=7,
    ),
    Field(
        "cluster",
        INT,
        "Number of the cluster, counted from 0; -1 if the place belongs to no cluster",
        minimum=-1,
    ),
    Field(
        "epsilon_m",
        REAL,
        "Radius that DBSCAN used to compute the clusters",
        unit="metre",
        minimum=0,
        source="TourPlanner, section 3.2",
    ),
    Field("parameter", TEXT, "Name of the parameter"),
    Field("key", TEXT, "Case to which the value of the parameter applies"),
    # Control
    _codes("stage", taxonomy.STAGES, "Stage of the build"),
    Field("table", TEXT, "Table to which the row belongs"),
    Field("check", TEXT, "Name of the check that the row failed"),
    Field(
        "payload",
        TEXT,
        "The row as JSON, without text from documents and truncated to 2,000 characters",
    ),
    _codes(
        "level",
        ("row", "table", "snapshot"),
        "What the gate checks: rows, tables or the whole snapshot",
    ),
    _codes(
        "severity",
        ("error", "warning"),
        "Severity of the gate; if a gate of severity error fails, nothing is published",
    ),
    Field("passed", BOOL, "Whether the gate passed"),
    _count("n_rows", "Number of rows from which the figure was computed"),
    _count("n_failed", "Number of rows that failed"),
    Field("threshold", REAL, "Threshold of the gate; null if the gate has none"),
    Field("observed", REAL, "Value that the gate measured; null if the gate measures no value"),
    _count("rows_in", "Number of rows that entered the stage"),
    _count("rows_kept", "Number of rows that the stage passed on"),
    _count("rows_merged", "Number of rows that were merged into another row"),
    _count("rows_quarantined", "Number of rows that were set aside, each with a reason"),
    _count("rows_pending", "Number of rows that are waiting for an answer from an outside service"),
    Field("plan", TEXT, "Plan as JSON"),
    _codes(
        "solvability",
        ("solved", "infeasible", "unknown"),
        "Whether the solver solved the query, proved that it is infeasible, or did neither",
    ),
    _codes(
        "obstacle",
        ("journey", "hotel", "attraction", "restaurant", "budget", "silent", "search"),
        "Why there is no plan. silent: the tables do not contain enough information; "
        "search: the search found no plan; the other codes name the part of the trip for which a "
        "conflict was proven",
    ),
    _codes(
        "plan_kind",
        PLAN_KINDS,
        "Kind of plan: a proof that the query can be solved (`proof`), a reference plan that a "
        "traveller would want to follow (`balanced`), or a reference plan made by one of "
        "TravelEval's two rules (`experience`, `budget`)",
    ),
    Field(
        "plan_style", TEXT, "Comfort of the planned trip, on a scale from luxurious to very basic"
    ),
    Field("wishes_met", BOOL, "Whether the plan also meets the query's wishes"),
    Field(
        "reviewer",
        TEXT,
        "Pseudonym of the reviewer, never the reviewer's real name",
    ),
    _codes("decision", ("accept", "reject", "unsure"), "What the reviewer decided"),
    Field("decided_on", DATE, "Date of the decision"),
    Field(
        "fact_hash",
        TEXT,
        "Hash of the row's content. If the content changes, tripbed asks reviewers to decide again",
        pattern=r"^[0-9a-f]{16}$",
    ),
]

FIELDS: dict[str, Field] = {field.name: field for field in _ALL}
if len(FIELDS) != len(_ALL):
    raise RuntimeError("two fields have the same name")


def field_metadata(field: Field) -> dict[str, str]:
    """Return the Arrow metadata of a field: its description and, if set, unit, codes and source."""
    entries: dict[str, Any] = {
        "description": field.description,
        "unit": field.unit,
        "codes": "|".join(field.codes) if field.codes else None,
        "source": field.source,
    }
    return {key: value for key, value in entries.items() if value}
