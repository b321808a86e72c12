"""Unpublished frames that stages pass to each other, defined in the same way as the tables.

A column uses the field of ``schemas.fields`` if its meaning is the same there; otherwise, the frame
defines it. ``references`` refer to frames of the same shard.
"""

from __future__ import annotations

from typing import get_args

from schemas.documents import DocumentLanguage
from schemas.fields import BOOL, DATE, INT, POI_ID, REAL, TEXT, TEXTS, Field
from schemas.tables import Table


def _frame(
    name: str, description: str, key: str, columns: str, *own: Field, **references: str
) -> Table:
    """A frame; an empty key where its rows may repeat."""
    return Table(
        name, description, tuple(key.split()), tuple(columns.split()), "none", references, own,
        frozenset({"text"}),
    )  # fmt: skip


_KIND = Field("kind", TEXT, "Kind")
_FACT_POI = Field("poi", TEXT, "Place, in the words of the document")
_FACT_FIELD = Field("field", TEXT, "What the fact is about")
_WHY = Field("why", TEXT, "Reason for this resolution")
_FULLEST = Field("fullest", TEXT, "Fullest form of the name in the document")

#: One row of an attraction table after normalisation; a row without names or with half a
#: coordinate is set aside where places are made of it.
ATTRACTIONS = _frame(
    "attractions", "Attraction rows as read from a source, in WGS 84, cents and minutes.", "",
    "source_id? name_zh? name_en? aliases category? base_type? trend_types lat? lon? "
    "datum_original? coordinate_provider? parent_source_id? hours_osm? price_cents? currency? "
    "duration_min_min? duration_max_min? rating? wikidata? grade? source_file? source_line? "
    "types_file? types_line?",
    Field("source_id", TEXT, "The source's own stable id"),
    Field("aliases", TEXTS, "Other names in the source"),
    Field("types_file", TEXT, "File of the annotation that gives the types"),
    Field("types_line", INT, "Line of this annotation", minimum=1),
    Field("parent_source_id", TEXT, "The source's id of what contains it"),
    # What is no place on the globe, or of no known kind, is told where places are made of rows.
    Field("lat", REAL, "Latitude"), Field("lon", REAL, "Longitude"),
    Field("category", TEXT, "POI category"), Field("base_type", TEXT, "Attraction type"),
)  # fmt: skip
RENOWN = _frame(
    "renown",
    "How well known places are: what a reference plan chooses by.",
    "place_id",
    "place_id points? base_type? category? rating? parents",
    Field("place_id", TEXT, "Id of an attraction, restaurant or hotel"),
    Field("points", INT, "Points of worth; for attractions only"),
    Field("parents", TEXTS, "Attractions that contain this one"),
)
SOURCE_FINDINGS = _frame(
    "source_findings", "Findings about source rows, and what was done about each.", "",
    "kind table source_file? source_line? severity message",
    _KIND,
    Field("source_file", TEXT, "File of the source"),
    Field("severity", TEXT, "What was done", codes=("fix", "mark", "quarantine")),
)  # fmt: skip
BLOCKS = _frame(
    "blocks", "Blocks of main text.", "doc_id position",
    "doc_id position kind level strong start text",
    Field("position", INT, "Place in the document, 0-based", minimum=0),
    Field("kind", TEXT, "Kind of block",
          codes=("title", "heading", "paragraph", "list_item", "table_row", "quote")),
    Field("level", INT, "1 to 6 for headings, else 0", minimum=0),
    Field("strong", BOOL, "Whether the whole block is in bold"),
    Field("text", TEXT, "Its text"),
    doc_id="meta.doc_id",
)  # fmt: skip
META = _frame(
    "meta", "What a file says of itself.", "doc_id",
    "doc_id path lang title? published_on? published_by? modified_on? modified_by? doubt? "
    "licence_hint? size_bytes n_chars text_sha256",
    Field("text_sha256", TEXT, "SHA-256 of the main text"),
    Field("doubt", TEXT, "What it says of itself that is not believed, in words"),
    Field("lang", TEXT, "Language, as detected", codes=get_args(DocumentLanguage)),
)  # fmt: skip
_SHA256 = Field("content_sha256", TEXT, "SHA-256 of the unpacked bytes")
_SAID = (
    Field("server_date", DATE, "Date in Last-Modified when the file was first fetched"),
    Field("content_type", TEXT, "Content type given by the server"),
    Field("charset", TEXT, "Character set given by the server"),
)
_LACKS = Field("lacks", TEXTS, "What no source and no document tells of the place")
HITS = _frame(
    "hits", "Results of the searches.", "sub_query_id provider rank",
    "sub_query_id provider rank url title? published_on?",
    Field("title", TEXT, "What the provider calls it"),
)  # fmt: skip
CHOSEN = _frame(
    "chosen", "The best addresses of each query and purpose.", "query_id purpose rank",
    "query_id city_id purpose rank url score published_on?",
)  # fmt: skip
INQUIRIES = _frame(
    "inquiries", "What is asked about which place, and what is known of it too little.",
    "sub_query_id poi_id", "sub_query_id poi_id lacks", _LACKS,
)  # fmt: skip
LEFT_OUT = _frame(
    "left_out", "Places about which too little is known, but about which the profile does not ask.",
    "poi_id", "poi_id lacks", _LACKS,
)  # fmt: skip
WAITING_SEARCHES = _frame(
    "waiting", "Searches that got no new answer and will be repeated.", "sub_query_id provider",
    "sub_query_id provider why", _WHY,
)  # fmt: skip
ADDRESSES = _frame(
    "addresses", "Result for every web address.", "url",
    "url final_url? outcome reason? message? status? robots fetched_on? gone_on? gone_why? "
    "server_date? content_sha256? content_type? charset? size_bytes?", _SHA256,
    Field("outcome", TEXT, "What came of it", codes=("stored", "quarantined", "pending")),
    Field("reason", TEXT, "Why, as a code"),
    Field("message", TEXT, "Why, in words"),
    Field("status", INT, "Status of HTTP"),
    Field("robots", TEXT, "What robots.txt says of it"),
    Field("gone_why", TEXT, "What the server says since it is gone"),
    *_SAID,
)  # fmt: skip
WAITING_PAGES = _frame("waiting", "Addresses to be asked again.", "url", "url")
PAGES = _frame(
    "pages", "Pages of the archive whose bytes fall into a bucket.", "doc_id",
    "doc_id url final_url fetched_on? server_date? content_sha256 content_type charset? "
    "size_bytes",
    _SHA256,
    *_SAID,
)  # fmt: skip
REJECTED = _frame("rejected", "Files that could not be read.", "", "path check message")
COPIES = _frame("copies", "Files of the same bytes as another.", "", "path check message")
#: A document that is copied stands in no row of its own: others name it.
ORIGINALS = _frame(
    "originals",
    "Documents that repeat another document, in any city.",
    "doc_id",
    "doc_id original how rank",
    Field("original", TEXT, "The document that it repeats, itself no copy"),
    Field("how", TEXT, "By what it was found", codes=("text", "stops")),
    Field(
        "rank", INT, "Place among the copies of one original, the nearest to it first", minimum=1
    ),
)
DOCUMENT_TEXTS = _frame(
    "texts", "Main text of each document.", "doc_id", "doc_id text",
    Field("text", TEXT, "Its text"), doc_id="documents.doc_id",
)  # fmt: skip
_N = Field("n", INT, "Number of the place within the document", minimum=1)
_TRIP = Field("trip", INT, "Number of the trip within the document", minimum=1)
_PARENT = Field("parent_n", INT, "Number of the place that contains it", minimum=1)
_SURE = Field("confidence", REAL, "How certain the engine is", minimum=0, maximum=1)
_WHERE = Field("where", TEXT, "City or region in which the text puts it")
#: One reading a document, whatever the cities of the build.
READINGS = _frame(
    "readings", "Documents as read, one row each.", "doc_id",
    "doc_id kind days_stated? reader",
    Field("reader", TEXT, "Who read it: an engine, or own: the user brought the reading"),
    Field("kind", TEXT, "What kind of text it is",
          codes=("diary", "route", "guide", "list", "other")),
    Field("days_stated", INT, "Days of the trip that it states", unit="day", minimum=0),
)  # fmt: skip
UNREAD = _frame(
    "unread",
    "Documents with a text that nobody read.",
    "doc_id",
    "doc_id check message",
)
UNANSWERED = _frame(
    "unanswered",
    "Documents for which a model had no usable answer to a task.",
    "doc_id task",
    "doc_id task message",
    Field("task", TEXT, "What was asked"),
    doc_id="readings.doc_id",
)
UNTRANSLATED = _frame(
    "untranslated",
    "Chinese names of places for which a model had no usable answer.",
    "name_zh",
    "name_zh message",
)
UNTAGGED = _frame(
    "untagged",
    "Places in contexts for which a model had no usable answer.",
    "context_id poi_id",
    "context_id poi_id message",
)
_SECTION = Field(
    "section",
    INT,
    "Start of the heading above the name; a city's mentions have it if all that is named below "
    "that heading lies in the city",
    minimum=0,
)
READ_NAMES = _frame(
    "names",
    "Each occurrence of a name, with what the text says about the place.",
    "",
    "doc_id n name fullest lang start end stands_in section? what role where? parent_n? confidence "
    "reason_start? reason_end? list_rank?",
    _SECTION,
    Field(
        "stands_in",
        TEXT,
        "Kind of text around the name; title_line: one of many lines that may be titles of other "
        "pages; aside: a question or wish, a remark that locates something else, or the place's "
        "data alone; name_part: the name of an app or a business",
        codes=("text", "heading", "title_line", "aside", "name_part"),
    ),
    _N,
    _SURE,
    _WHERE,
    _FULLEST,
    Field(
        "what",
        TEXT,
        "What it is",
        codes=("sight", "food", "lodging", "shop", "station", "area", "fiction", "other"),
    ),
    Field(
        "role",
        TEXT,
        "How the text treats it",
        codes=("visited", "planned", "recommended", "mentioned", "rejected"),
    ),
    _PARENT,
    doc_id="readings.doc_id",
)
_COUNTED = Field("is_counted", BOOL, "Whether the text itself numbers the day")
_REMARK = (
    Field("remark", TEXT, "What the reader quoted from the text about the stop"),
    Field("remark_start", INT, "Where it starts", minimum=0),
)
READ_STOPS = _frame(
    "stops", "Stops of trips, as read.", "doc_id trip day order",
    "doc_id trip day order n name lang start end where? is_planned is_ordered is_counted "
    "remark? remark_start?",
    _N, _WHERE, _COUNTED, *_REMARK,
    _TRIP,
    Field("is_planned", BOOL, "Whether the trip is only planned"),
    Field("is_ordered", BOOL, "Whether the text gives an order"),
    doc_id="readings.doc_id",
)  # fmt: skip
READ_FACTS = _frame(
    "facts", "Facts about places, as read.", "",
    "doc_id n poi field value audience? condition? valid_when start end",
    _N, _FACT_POI, _FACT_FIELD,
    doc_id="readings.doc_id",
)  # fmt: skip
_CONTEXT = (
    _KIND,
    Field("is_title", BOOL, "Whether the words are in the document's title"),
    Field("code", TEXT, "Code of the context"),
    Field(
        "weight",
        INT,
        "Weight of the words; 0 if the document does not serve this wish",
        minimum=0,
    ),
)
READ_CONTEXTS = _frame(
    "contexts",
    "Words of a document that name a context.",
    "",
    "doc_id kind code start end weight is_title",
    *_CONTEXT,
    doc_id="readings.doc_id",
)
UNGROUNDED = _frame(
    "ungrounded", "Claims of an engine that have no evidence.", "doc_id position",
    "doc_id position what message",
    Field("position", INT, "Place among them, 0-based", minimum=0),
    Field("what", TEXT, "What was claimed"),
    doc_id="readings.doc_id",
)  # fmt: skip
_CITY_OF = Field("city_of", TEXT, "City as a GeoNames id, or code of a region without its city")
_MARGIN = Field("margin", INT, "How far the next best place is behind, in hundredths", minimum=0)
_RIVALS = Field("rivals", TEXTS, "Other places that fit, by id")
#: What the names of a document stand for, whatever the cities of the build.
_LINK = (
    Field("outcome", TEXT, "What was decided", codes=("linked", "city", "review", "unknown")),
    Field("link_poi_id", TEXT, "Place of a table", pattern=POI_ID),
    Field("score", INT, "How certain the link is, in hundredths", minimum=0),
    Field("link_why", TEXT, "Reason for the decision"),
)
_NAME_KEY = "its letters, digits and characters only; empty where it has none"
#: The index of the places of a city: ``geocoding.name_index``.
PLACE_NAMES = _frame(
    "place_names", "Every name of a city's places, their own names first.", "",
    "poi_id name name_key short_key main is_standard",
    Field("name_key", TEXT, f"The name folded, {_NAME_KEY}"),
    Field("short_key", TEXT, f"The name without the text in brackets, folded, {_NAME_KEY}"),
    Field("main", TEXT, "The form of the name that is compared with others"),
    Field("is_standard", BOOL, "Whether it is the place's own name, no alias"),
)  # fmt: skip
PLACE_KEYS = _frame(
    "place_keys", "Keys under which a name can be looked up, sorted.", "", "key name_row is_word",
    Field("key", TEXT, "Folded name, part of a name, or word of a translation"),
    Field("name_row", INT, "Row of the name among the place's city's names, 0-based", minimum=0),
    Field("is_word", BOOL, "Whether the key is a word of an English name"),
)  # fmt: skip
PLACE_SPOTS = _frame(
    "place_spots", "Location and kind of each place.", "poi_id",
    "poi_id lat? lon? category? base_type?",
)  # fmt: skip
LINKS = _frame(
    "links", "What each name of a document stands for.", "doc_id n",
    "doc_id n outcome city_of? link_poi_id? score margin rivals link_why",
    _N, _CITY_OF, _RIVALS, _MARGIN, *_LINK,
)  # fmt: skip
LINKED_DAYS = _frame(
    "days", "The city in which each day of a trip is spent.", "doc_id trip day",
    "doc_id trip day city_of?", _CITY_OF,
    _TRIP,
)  # fmt: skip
STATED = _frame(
    "stated", "How many blocks of a document are about each city or region.", "doc_id city_of",
    "doc_id city_of n_blocks", _CITY_OF,
    Field("n_blocks", INT, "Blocks about it", minimum=1),
)  # fmt: skip
SLICES = _frame(
    "slices", "What stands for all rows of the documents that name a place of a city.", "city_of",
    "city_of slice", _CITY_OF, Field("slice", TEXT, "Hash of the rows"),
)  # fmt: skip
ABOUT = _frame(
    "about",
    "Documents about the city.",
    "doc_id",
    "doc_id kind is_main days_stated? reader",
    Field("kind", TEXT, "Kind of text", codes=("diary", "route", "guide", "list", "other")),
    Field("reader", TEXT, "Who read it: an engine, or own: the user brought the reading"),
    Field("is_main", BOOL, "Whether it is mainly about this city"),
    Field("days_stated", INT, "Days of the trip that it states", unit="day", minimum=0),
)
MENTIONS = _frame(
    "mentions",
    "Names of places, as read by an engine.",
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
        "Role of the place, if the text shows one; otherwise `mentioned`",
        codes=("visited", "planned", "recommended", "mentioned", "rejected"),
    ),
    _PARENT,
    doc_id="about.doc_id",
)
VISITS = _frame(
    "visits", "Stops on the days that are spent in the city.", "",
    "doc_id trip day order n name lang start end is_here is_counted remark? remark_start?",
    _N, _COUNTED, *_REMARK,
    _TRIP,
    Field("is_here", BOOL, "Whether the stop itself lies in the city"),
    doc_id="about.doc_id",
)  # fmt: skip
UNPLACED = _frame(
    "unplaced", "Names of the city's own documents that lie elsewhere, or nobody knows where.",
    "doc_id n", "doc_id n fullest role outcome city_of? rivals link_why",
    _N, _CITY_OF, _RIVALS, *_LINK, _FULLEST,
    doc_id="about.doc_id",
)  # fmt: skip
FACTS = _frame(
    "facts", "Facts about places, as read by an engine.", "",
    "doc_id n poi field value audience? condition? valid_when start end",
    _N, _FACT_POI, _FACT_FIELD,
    doc_id="about.doc_id",
)  # fmt: skip
CONTEXT_HITS = _frame(
    "context_hits",
    "Words of a document that name a context.",
    "",
    "doc_id kind code start end weight is_title",
    *_CONTEXT,
    doc_id="about.doc_id",
)
RESOLUTION = _frame(
    "resolutions", "What each name of a document was resolved to.", "doc_id n",
    "doc_id n name fullest role poi_id? resolution resolution_score score margin rivals why",
    _N, _WHY, _FULLEST, _MARGIN, _RIVALS, *_LINK, poi_id="pois.poi_id",
)  # fmt: skip
GEOCODE_OUTCOMES = _frame(
    "geocode_outcomes", "Answers of geocoders about places without coordinates.", "poi_id",
    "poi_id name outcome provider? message? asked_on? answers?",
    Field("poi_id", TEXT, "POI", pattern=POI_ID),
    Field("outcome", TEXT, "What came of it", codes=("found", "ambiguous", "nothing", "pending")),
    Field("provider", TEXT, "Who answered"),
    Field("asked_on", TEXT, "Date of the request"),
    Field("answers", TEXT, "Answers for review, as JSON"),
    poi_id="pois.poi_id",
)  # fmt: skip
REFUSED = _frame(
    "refused", "Names of rejected places, and evidence of rejected mentions.", "",
    "name? evidence_id? reason",
)  # fmt: skip
REVIEWED = _frame(
    "reviewed", "Rows that left by a review.", "table row_id", "table row_id fact_hash"
)
_CITIES = Field("cities", TEXTS, "Cities that use it, by slug")
_BUILT_FOR = Field("built_for", TEXTS, "Slugs of the cities in whose builds it was given")
#: Beside the tables of a snapshot, in ``quality/``; a document may belong to no city.
GIVEN_DOCUMENTS = _frame(
    "documents", "What became of every input document.", "path doc_id",
    "path doc_id? status reason? why? cities lang? kind? reader? n_places? n_stops? n_facts? "
    "built_for licence? licence_by? licence_source?",
    Field("status", TEXT, "What became of it", codes=("used", "set_aside", "waiting")),
    Field("reason", TEXT, "Why, as a code"),
    Field("why", TEXT, "Why, in words"),
    Field("lang", TEXT, "Language, as detected", codes=get_args(DocumentLanguage)),
    Field("kind", TEXT, "Kind of text, as it was read"),
    Field("reader", TEXT, "Who read it: an engine, or own: the user brought the reading"),
    Field("n_places", INT, "Places that were read", minimum=0),
    Field("n_stops", INT, "Stops that were read", minimum=0),
    Field("n_facts", INT, "Facts that were read", minimum=0),
    Field("licence", TEXT, "Licence: of a list or a licence's file beside it, else its own words"),
    Field("licence_by", TEXT, "Who says so: the document, or the file beside it"),
    Field("licence_source", TEXT, "Source of the document, as named in a list next to it"),
    _CITIES, _BUILT_FOR,
)  # fmt: skip
_OF_QUERIES = (
    Field("form", TEXT, "Query format of the row, or none"),
    Field("reason", TEXT, "Why it is no query, or waits, as a code"),
    Field("why", TEXT, "Reason or remark, in words"),
    Field("masked", INT, "Pieces of personal data that are masked", minimum=0),
)
#: Rows of query files that are about a city, as its queries were made of them.
GIVEN = _frame(
    "given", "Result for each row of a query file.", "given_file given_line",
    "given_file given_line form query_id? reason? why? masked", *_OF_QUERIES,
)  # fmt: skip
#: Beside the tables of a snapshot, in ``quality/``; a row may be about no city.
GIVEN_QUERIES = _frame(
    "given_queries", "What became of every row of a query file.", "given_file given_line",
    "given_file given_line form city? query_id? status reason? why? masked built_for",
    Field("city", TEXT, "City of the query, by slug"),
    Field("status", TEXT, "What became of it", codes=("kept", "quarantined", "pending")),
    *_OF_QUERIES, _BUILT_FOR,
)  # fmt: skip
READING_PROBLEMS = _frame(
    "reading_problems", "What of readings was refused, and why.", "path line what why",
    "path? line? doc_id? reader what why built_for",
    Field("line", INT, "Line of the readings file, where it is of no document", minimum=1),
    Field("reader", TEXT, "Who read it: an engine, or own: the user brought the reading"),
    Field("what", TEXT, "What was refused"),
    Field("why", TEXT, "Reason, and what to do"),
    _BUILT_FOR,
)  # fmt: skip
