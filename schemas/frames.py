"""Defines, in the same way as tables, the unpublished frames that stages pass to each other.

A column uses a field from ``schemas.fields`` if one has the same meaning; otherwise, the frame
defines its own field. ``references`` point to frames in the same shard.
"""

from __future__ import annotations

from typing import get_args

from schemas.documents import DocumentLanguage
from schemas.fields import BOOL, DATE, INT, POI_ID, REAL, TEXT, TEXTS, Field
from schemas.tables import Table


def _frame(
    name: str, description: str, key: str, columns: str, *own: Field, **references: str
) -> Table:
    """Define a frame. The key is empty if several rows may be equal."""
    return Table(
        name, description, tuple(key.split()), tuple(columns.split()), "none", references, own,
        frozenset({"text"}),
    )  # fmt: skip


_KIND = Field("kind", TEXT, "Kind of the finding or of the context")
_FACT_POI = Field("poi", TEXT, "Name of the place as it is written in the document")
_FACT_FIELD = Field("field", TEXT, "What the fact is about")
_WHY = Field("why", TEXT, "Reason for this resolution")
_FULLEST = Field("fullest", TEXT, "Longest form in which the document gives the name")

#: The rows of attraction tables after normalisation. A row that has no name or only one of the two
#: coordinates is still included; it is set aside later, when places are made from the rows.
ATTRACTIONS = _frame(
    "attractions",
    "Rows of attraction tables, with coordinates in WGS 84, prices in cents and times in minutes.",
    "",
    "source_id? name_zh? name_en? aliases category? base_type? trend_types lat? lon? "
    "datum_original? coordinate_provider? parent_source_id? hours_osm? price_cents? currency? "
    "duration_min_min? duration_max_min? rating? wikidata? grade? source_file? source_line? "
    "types_file? types_line?",
    Field("source_id", TEXT, "Permanent id of the row in its source"),
    Field("aliases", TEXTS, "Other names that the source gives for the place"),
    Field("types_file", TEXT, "File that contains the annotation of the place's types"),
    Field("types_line", INT, "Line of `types_file` that contains the annotation", minimum=1),
    Field("parent_source_id", TEXT, "Source id of the place that contains this place"),
    # Impossible coordinates and unknown codes are reported later, when places are made from rows.
    Field("lat", REAL, "Latitude"),
    Field("lon", REAL, "Longitude"),
    Field("category", TEXT, "POI category"),
    Field("base_type", TEXT, "Attraction type"),
)
RENOWN = _frame(
    "renown",
    "How well known each place is. The search for reference plans uses these values.",
    "place_id",
    "place_id points? base_type? category? rating? parents",
    Field("place_id", TEXT, "Id of an attraction, restaurant or hotel"),
    Field(
        "points",
        INT,
        "Points that show how well known the attraction is; null for hotels and restaurants",
    ),
    Field("parents", TEXTS, "Ids of the attractions that contain this place"),
)
SOURCE_FINDINGS = _frame(
    "source_findings",
    "Findings about source rows, each with a note on what was done about the finding.",
    "",
    "kind table source_file? source_line? severity message",
    _KIND,
    Field("source_file", TEXT, "Source file that contains the row"),
    Field("severity", TEXT, "What was done about the finding", codes=("fix", "mark", "quarantine")),
)
BLOCKS = _frame(
    "blocks", "Blocks of the documents' main texts.", "doc_id position",
    "doc_id position kind level strong start text",
    Field("position", INT, "Position of the block in its document, counted from 0", minimum=0),
    Field("kind", TEXT, "Kind of block",
          codes=("title", "heading", "paragraph", "list_item", "table_row", "quote")),
    Field("level", INT, "Level of a heading, from 1 to 6; 0 for all other blocks", minimum=0),
    Field("strong", BOOL, "Whether the whole block is in bold"),
    Field("text", TEXT, "Text of the block"),
    doc_id="meta.doc_id",
)  # fmt: skip
META = _frame(
    "meta",
    "Information about each document, such as its title, dates and licence.",
    "doc_id",
    "doc_id path lang title? published_on? published_by? modified_on? modified_by? doubt? "
    "licence_hint? size_bytes n_chars text_sha256",
    Field("text_sha256", TEXT, "SHA-256 hash of the main text"),
    Field(
        "doubt",
        TEXT,
        "Description of implausible information in the document; the information is not used",
    ),
    Field(
        "lang", TEXT, "Language that was detected in the document", codes=get_args(DocumentLanguage)
    ),
)
_SHA256 = Field("content_sha256", TEXT, "SHA-256 hash of the file's bytes after decompression")
_SAID = (
    Field("server_date", DATE, "Date in the Last-Modified header of the first fetch"),
    Field("content_type", TEXT, "Content type given by the server"),
    Field("charset", TEXT, "Character set given by the server"),
)
_LACKS = Field(
    "lacks", TEXTS, "Kinds of information that no source or document gives about the place"
)
HITS = _frame(
    "hits", "Results of all searches.", "sub_query_id provider rank",
    "sub_query_id provider rank url title? published_on?",
    Field("title", TEXT, "Title that the provider gives for the page"),
)  # fmt: skip
CHOSEN = _frame(
    "chosen", "The highest-ranked web addresses for each query and purpose.", "query_id purpose "
    "rank",
    "query_id city_id purpose rank url score published_on?",
)  # fmt: skip
INQUIRIES = _frame(
    "inquiries", "Sub-queries about places for which information is missing.",
    "sub_query_id poi_id", "sub_query_id poi_id lacks", _LACKS,
)  # fmt: skip
LEFT_OUT = _frame(
    "left_out",
    "Places that lack information but were not looked up, because the profile's limit was reached.",
    "poi_id",
    "poi_id lacks",
    _LACKS,
)
WAITING_SEARCHES = _frame(
    "waiting", "Searches that received no new answer and will be repeated.", "sub_query_id "
    "provider",
    "sub_query_id provider why", _WHY,
)  # fmt: skip
ADDRESSES = _frame(
    "addresses", "Result of fetching each web address.", "url",
    "url final_url? outcome reason? message? status? robots fetched_on? gone_on? gone_why? "
    "server_date? content_sha256? content_type? charset? size_bytes?", _SHA256,
    Field("outcome", TEXT, "Result of the fetch", codes=("stored", "quarantined", "pending")),
    Field("reason", TEXT, "Code of the reason for the result"),
    Field("message", TEXT, "Reason for the result, in words"),
    Field("status", INT, "HTTP status code"),
    Field("robots", TEXT, "What robots.txt says about the address"),
    Field("gone_why", TEXT, "Why the page is unavailable: a reason code and a message"),
    *_SAID,
)  # fmt: skip
WAITING_PAGES = _frame("waiting", "Web addresses that will be fetched again.", "url", "url")
PAGES = _frame(
    "pages",
    "Archived pages in one bucket. The hash of a page's bytes determines its bucket.",
    "doc_id",
    "doc_id url final_url fetched_on? server_date? content_sha256 content_type charset? size_bytes",
    _SHA256,
    *_SAID,
)
REJECTED = _frame("rejected", "Files that could not be read.", "", "path check message")
COPIES = _frame(
    "copies", "Files that are byte-for-byte identical to another file.", "", "path check message"
)
#: Only copies have a row, and each row names the original. The original itself has no row.
ORIGINALS = _frame(
    "originals",
    "Documents that are copies of another document, in one list for all cities.",
    "doc_id",
    "doc_id original how rank",
    Field("original", TEXT, "Id of the original document, which is not a copy itself"),
    Field(
        "how",
        TEXT,
        "What shows that the document is a copy: its text or its stops",
        codes=("text", "stops"),
    ),
    Field(
        "rank",
        INT,
        "Rank among the copies of the same original, where 1 is the most similar copy",
        minimum=1,
    ),
)
DOCUMENT_TEXTS = _frame(
    "texts", "Main text of each document.", "doc_id", "doc_id text",
    Field("text", TEXT, "Main text of the document"), doc_id="documents.doc_id",
)  # fmt: skip
_N = Field("n", INT, "Number that identifies the place within the document", minimum=1)
_TRIP = Field("trip", INT, "Number that identifies the trip within the document", minimum=1)
_PARENT = Field("parent_n", INT, "Number `n` of the place that contains this place", minimum=1)
_SURE = Field("confidence", REAL, "How certain the engine is about the name", minimum=0, maximum=1)
_WHERE = Field("where", TEXT, "City or region in which the place lies according to the text")
#: A document is read once, regardless of the cities of the build.
READINGS = _frame(
    "readings",
    "The reading of each document, with one row per document.",
    "doc_id",
    "doc_id kind days_stated? reader",
    Field(
        "reader", TEXT, "Engine that read the document, or `own` if the user provided the reading"
    ),
    Field(
        "kind",
        TEXT,
        "What kind of text the document is",
        codes=("diary", "route", "guide", "list", "other"),
    ),
    Field(
        "days_stated", INT, "Number of days that the text gives for the trip", unit="day", minimum=0
    ),
)
UNREAD = _frame(
    "unread",
    "Documents that have text but have not been read.",
    "doc_id",
    "doc_id check message",
)
UNANSWERED = _frame(
    "unanswered",
    "Documents for which a model gave no usable answer.",
    "doc_id task",
    "doc_id task message",
    Field("task", TEXT, "Task for which the model gave no usable answer"),
    doc_id="readings.doc_id",
)
UNTRANSLATED = _frame(
    "untranslated",
    "Chinese place names that a model could not translate.",
    "name_zh",
    "name_zh message",
)
UNTAGGED = _frame(
    "untagged",
    "Places and contexts for which a model gave no usable tag.",
    "context_id poi_id",
    "context_id poi_id message",
)
_SECTION = Field(
    "section",
    INT,
    "Position of the first character of the heading above the name. In a city's mentions, "
    "the position is given only if all places named under the heading are in that city",
    minimum=0,
)
READ_NAMES = _frame(
    "names",
    "Every occurrence of a place's name, with what the text says about the place.",
    "",
    "doc_id n name fullest lang start end stands_in section? what role where? parent_n? confidence "
    "reason_start? reason_end? list_rank?",
    _SECTION,
    Field(
        "stands_in",
        TEXT,
        "Where in the text the name occurs. title_line: in one of many lines that may be titles "
        "of other pages; aside: in a question, in a wish, in a remark that says where something "
        "else is, or in plain data about the place; name_part: within the name of an app or a "
        "business",
        codes=("text", "heading", "title_line", "aside", "name_part"),
    ),
    _N,
    _SURE,
    _WHERE,
    _FULLEST,
    Field(
        "what",
        TEXT,
        "Kind of place",
        codes=("sight", "food", "lodging", "shop", "station", "area", "fiction", "other"),
    ),
    Field(
        "role",
        TEXT,
        "How the text treats the place",
        codes=("visited", "planned", "recommended", "mentioned", "rejected"),
    ),
    _PARENT,
    doc_id="readings.doc_id",
)
_COUNTED = Field("is_counted", BOOL, "Whether the text itself numbers the day")
_REMARK = (
    Field("remark", TEXT, "Passage about the stop, as the reading quotes it from the text"),
    Field("remark_start", INT, "Position of the first character of the remark", minimum=0),
)
READ_STOPS = _frame(
    "stops", "Stops of the trips that documents describe.", "doc_id trip day order",
    "doc_id trip day order n name lang start end where? is_planned is_ordered is_counted "
    "remark? remark_start?",
    _N, _WHERE, _COUNTED, *_REMARK,
    _TRIP,
    Field("is_planned", BOOL, "Whether the trip is only planned"),
    Field("is_ordered", BOOL, "Whether the text gives the order of the stops"),
    doc_id="readings.doc_id",
)  # fmt: skip
READ_FACTS = _frame(
    "facts", "Facts about places, as found in documents.", "",
    "doc_id n poi field value audience? condition? valid_when start end",
    _N, _FACT_POI, _FACT_FIELD,
    doc_id="readings.doc_id",
)  # fmt: skip
_CONTEXT = (
    _KIND,
    Field("is_title", BOOL, "Whether the words that name the context are in the document's title"),
    Field("code", TEXT, "Code of the context"),
    Field(
        "weight",
        INT,
        "Weight of the words that name the context; 0 if the document is not useful for it",
        minimum=0,
    ),
)
READ_CONTEXTS = _frame(
    "contexts",
    "Document passages that name a context.",
    "",
    "doc_id kind code start end weight is_title",
    *_CONTEXT,
    doc_id="readings.doc_id",
)
UNGROUNDED = _frame(
    "ungrounded",
    "Statements that an engine made without evidence in the document.",
    "doc_id position",
    "doc_id position what message",
    Field(
        "position",
        INT,
        "Position among the document's statements of this kind, counted from 0",
        minimum=0,
    ),
    Field("what", TEXT, "Statement for which there is no evidence"),
    doc_id="readings.doc_id",
)
_CITY_OF = Field(
    "city_of", TEXT, "GeoNames id of the city, or code of the region if the city is not known"
)
_MARGIN = Field(
    "margin",
    INT,
    "Difference in score between the best and the second-best place, in hundredths",
    minimum=0,
)
_RIVALS = Field("rivals", TEXTS, "Ids of the other places that the name could refer to")
#: The places to which the names of a document refer, regardless of the cities of the build.
_LINK = (
    Field(
        "outcome", TEXT, "Decision about the name", codes=("linked", "city", "review", "unknown")
    ),
    Field("link_poi_id", TEXT, "Place to which the name was linked", pattern=POI_ID),
    Field("score", INT, "How certain the link is, in hundredths", minimum=0),
    Field("link_why", TEXT, "Reason for the decision"),
)
_NAME_KEY = "reduced to letters, digits and Chinese characters; empty if it has none of these"
#: The names by which ``geocoding.name_index`` finds the places of a city.
PLACE_NAMES = _frame(
    "place_names",
    "All names of the places in a city, with the standard names before the aliases.",
    "",
    "poi_id name name_key short_key main is_standard",
    Field("name_key", TEXT, f"The name, {_NAME_KEY}"),
    Field("short_key", TEXT, f"The name without text in brackets, {_NAME_KEY}"),
    Field("main", TEXT, "Form of the name that is compared with other names"),
    Field("is_standard", BOOL, "Whether the name is the place's standard name and not an alias"),
)
PLACE_KEYS = _frame(
    "place_keys",
    "Sorted keys under which names can be looked up.",
    "",
    "key name_row is_word",
    Field(
        "key",
        TEXT,
        "Simplified form of a name, of a part of a name, or of a word in an English name",
    ),
    Field("name_row", INT, "Number of the row in `place_names`, counted from 0", minimum=0),
    Field("is_word", BOOL, "Whether the key is a word from an English name"),
)
PLACE_SPOTS = _frame(
    "place_spots", "Coordinates and category of each place.", "poi_id",
    "poi_id lat? lon? category? base_type?",
)  # fmt: skip
LINKS = _frame(
    "links", "The place or city to which each name in a document refers.", "doc_id n",
    "doc_id n outcome city_of? link_poi_id? score margin rivals link_why",
    _N, _CITY_OF, _RIVALS, _MARGIN, *_LINK,
)  # fmt: skip
LINKED_DAYS = _frame(
    "days", "The city in which each day of a trip is spent.", "doc_id trip day",
    "doc_id trip day city_of?", _CITY_OF,
    _TRIP,
)  # fmt: skip
STATED = _frame(
    "stated",
    "Number of blocks in each document that are about a city or region.",
    "doc_id city_of",
    "doc_id city_of n_blocks",
    _CITY_OF,
    Field("n_blocks", INT, "Number of blocks about the city or region", minimum=1),
)
SLICES = _frame(
    "slices",
    "For each city or region, a hash of all rows about the documents that name a place there.",
    "city_of",
    "city_of slice", _CITY_OF, Field("slice", TEXT, "Hash of the rows"),
)  # fmt: skip
ABOUT = _frame(
    "about",
    "Documents that are about the city.",
    "doc_id",
    "doc_id kind is_main days_stated? reader",
    Field(
        "kind",
        TEXT,
        "What kind of text the document is",
        codes=("diary", "route", "guide", "list", "other"),
    ),
    Field(
        "reader", TEXT, "Engine that read the document, or `own` if the user provided the reading"
    ),
    Field("is_main", BOOL, "Whether the document is mainly about this city"),
    Field(
        "days_stated", INT, "Number of days that the text gives for the trip", unit="day", minimum=0
    ),
)
MENTIONS = _frame(
    "mentions",
    "Place names that were found in documents about the city.",
    "",
    "doc_id n name lang role role_here start end day? order? confidence reason_start? reason_end? "
    "list_rank? parent_n? section? where? fullest link_poi_id? outcome score margin rivals"
    " link_why",
    _N,
    _SURE,
    *_LINK,
    _MARGIN,
    _RIVALS,
    _FULLEST,
    _SECTION,
    _WHERE,
    Field(
        "role_here",
        TEXT,
        "Role of the place at this point in the text; `mentioned` if the text shows no other role",
        codes=("visited", "planned", "recommended", "mentioned", "rejected"),
    ),
    _PARENT,
    doc_id="about.doc_id",
)
VISITS = _frame(
    "visits", "Stops made on the days of a trip that are spent in the city.", "",
    "doc_id trip day order n name lang start end is_here is_counted remark? remark_start?",
    _N, _COUNTED, *_REMARK,
    _TRIP,
    Field("is_here", BOOL, "Whether the stop itself lies in the city"),
    doc_id="about.doc_id",
)  # fmt: skip
UNPLACED = _frame(
    "unplaced",
    "Names in documents about the city that refer to a different city or an unknown city.",
    "doc_id n", "doc_id n fullest role outcome city_of? rivals link_why",
    _N, _CITY_OF, _RIVALS, *_LINK, _FULLEST,
    doc_id="about.doc_id",
)  # fmt: skip
FACTS = _frame(
    "facts", "Facts about places, as found in documents about the city.", "",
    "doc_id n poi field value audience? condition? valid_when start end",
    _N, _FACT_POI, _FACT_FIELD,
    doc_id="about.doc_id",
)  # fmt: skip
CONTEXT_HITS = _frame(
    "context_hits",
    "Document passages that name a context.",
    "",
    "doc_id kind code start end weight is_title",
    *_CONTEXT,
    doc_id="about.doc_id",
)
RESOLUTION = _frame(
    "resolutions", "The place to which each name in a document was resolved.", "doc_id n",
    "doc_id n name fullest role poi_id? resolution resolution_score score margin rivals why",
    _N, _WHY, _FULLEST, _MARGIN, _RIVALS, *_LINK, poi_id="pois.poi_id",
)  # fmt: skip
GEOCODE_OUTCOMES = _frame(
    "geocode_outcomes",
    "Answers that geocoders gave for places without coordinates.",
    "poi_id",
    "poi_id name outcome provider? message? asked_on? answers?",
    Field("poi_id", TEXT, "POI", pattern=POI_ID),
    Field(
        "outcome", TEXT, "Result of the request", codes=("found", "ambiguous", "nothing", "pending")
    ),
    Field("provider", TEXT, "Geocoder that answered"),
    Field("asked_on", TEXT, "Date of the request"),
    Field("answers", TEXT, "Geocoders' answers, as JSON, for a reviewer to choose from"),
    poi_id="pois.poi_id",
)
REFUSED = _frame(
    "refused", "Names of places, and evidence ids of mentions, that reviewers rejected.", "",
    "name? evidence_id? reason",
)  # fmt: skip
REVIEWED = _frame(
    "reviewed",
    "Rows that were removed because a reviewer rejected them.",
    "table row_id",
    "table row_id fact_hash",
)
_CITIES = Field("cities", TEXTS, "Slugs of the cities for which the document is used")
_BUILT_FOR = Field("built_for", TEXTS, "Slugs of all cities in the build that used this input")
#: Published in the snapshot's folder ``quality/``, because a document may belong to no city.
GIVEN_DOCUMENTS = _frame(
    "documents",
    "Result for each input document.",
    "path doc_id",
    "path doc_id? status reason? why? cities lang? kind? reader? n_places? n_stops? n_facts? "
    "built_for licence? licence_by? licence_source?",
    Field(
        "status", TEXT, "What was done with the document", codes=("used", "set_aside", "waiting")
    ),
    Field("reason", TEXT, "Code of the reason for the status"),
    Field("why", TEXT, "Reason for the status, in words"),
    Field("lang", TEXT, "Language that was detected", codes=get_args(DocumentLanguage)),
    Field("kind", TEXT, "What kind of text the document is"),
    Field(
        "reader", TEXT, "Engine that read the document, or `own` if the user provided the reading"
    ),
    Field("n_places", INT, "Number of places that were found in the document", minimum=0),
    Field("n_stops", INT, "Number of stops that were found in the document", minimum=0),
    Field("n_facts", INT, "Number of facts that were found in the document", minimum=0),
    Field(
        "licence",
        TEXT,
        "Licence from a list or a licence file next to the document, or from the document's text",
    ),
    Field(
        "licence_by",
        TEXT,
        "Where the licence is stated: in the document or in a file next to the document",
    ),
    Field(
        "licence_source", TEXT, "Source of the document, as named in a list next to the document"
    ),
    _CITIES,
    _BUILT_FOR,
)
_OF_QUERIES = (
    Field("form", TEXT, "Query format of the row, or `none`"),
    Field(
        "reason", TEXT, "Code of the reason why the row is not used as a query, or is not used yet"
    ),
    Field("why", TEXT, "Reason or remark, in words"),
    Field("masked", INT, "Number of pieces of personal data that were masked", minimum=0),
)
#: The rows of query files from which the queries of a city were made.
GIVEN = _frame(
    "given", "Result for each row about the city in the query files.",
    "given_file given_line",
    "given_file given_line form query_id? reason? why? masked", *_OF_QUERIES,
)  # fmt: skip
#: Published in the snapshot's folder ``quality/``, because a row may belong to no city.
GIVEN_QUERIES = _frame(
    "given_queries", "Result for each row in all query files.", "given_file given_line",
    "given_file given_line form city? query_id? status reason? why? masked built_for",
    Field("city", TEXT, "Slug of the query's city"),
    Field("status", TEXT, "What was done with the row", codes=("kept", "quarantined", "pending")),
    *_OF_QUERIES, _BUILT_FOR,
)  # fmt: skip
READING_PROBLEMS = _frame(
    "reading_problems",
    "Parts of readings that were refused, each with the reason.",
    "path line what why",
    "path? line? doc_id? reader what why built_for",
    Field(
        "line",
        INT,
        "Line of the readings file; null if the problem concerns the whole file or document",
        minimum=1,
    ),
    Field(
        "reader", TEXT, "Engine that read the document, or `own` if the user provided the reading"
    ),
    Field("what", TEXT, "Part of the reading that was refused"),
    Field("why", TEXT, "Reason for the refusal, and what the user can do about it"),
    _BUILT_FOR,
)
