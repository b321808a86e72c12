"""Defines the allowed codes, with Chinese and English names and the source of each list."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.word_lists import Lists

_LISTS = Lists("schemas")


@dataclass(frozen=True)
class Term:
    """One entry of a taxonomy. ``words`` lists other words for the entry that occur in texts."""

    code: str
    zh: str
    en: str
    words: tuple[str, ...] = ()


def _terms(name: str) -> tuple[Term, ...]:
    """Read a table with the columns code, Chinese name, other words (optional) and English name."""
    return tuple(
        Term(code, zh, en, tuple(word for cell in words for word in cell.split(", ") if word))
        for code, zh, *words, en in _LISTS.table(name)
    )


def codes(terms: tuple[Term, ...]) -> tuple[str, ...]:
    """Return the codes of a taxonomy, in the order of its terms."""
    return tuple(term.code for term in terms)


def by_zh(terms: tuple[Term, ...]) -> dict[str, Term]:
    """Return the terms of a taxonomy by their Chinese names."""
    return {term.zh: term for term in terms}


# --- TP-RAG, appendix A.1 and table 2 -------------------------------------------------------

#: The 30 cities of TP-RAG (appendix A.1) in the order of the paper, as pairs of slug and Chinese
#: name.
TPRAG_CITIES = tuple(_LISTS.pairs("tprag_cities").items())

SEASONS = _terms("seasons")
HOLIDAYS = _terms("holidays")
POI_CATEGORIES = _terms("poi_categories")
TRAVELLERS = _terms("travellers")
COMPACTNESS = _terms("compactness")
CONSTRAINT_KINDS = (
    "generic", "season", "holiday", "poi_category", "traveller", "compactness", "difficulty",
    "level", "pacing", "intensity",
)  # fmt: skip
CONSTRAINTS: dict[str, tuple[Term, ...]] = {
    "season": SEASONS,
    "holiday": HOLIDAYS,
    "poi_category": POI_CATEGORIES,
    "traveller": TRAVELLERS,
    "compactness": COMPACTNESS,
}
#: The levels of families whose queries differ in level.
QUERY_LEVELS: dict[str, tuple[str, ...]] = {
    "difficulty": ("easy", "medium", "hard"),
    "level": ("easy", "medium", "preference"),
    "pacing": ("relaxed", "moderate", "compact"),
    "intensity": ("relaxed", "moderate", "packed"),
}
#: The kinds of context for which a POI can have tags.
CONTEXT_KINDS = ("season", "holiday", "traveller", "compactness", "any")

# --- TravelEval, section 3.2 and appendix C -------------------------------------------------

BASE_TYPES = _terms("base_types")
TREND_TYPES = _terms("trend_types")
RHYTHMS = _terms("rhythms")
#: TP-RAG's category for each of TravelEval's foundational types. The mapping is our own.
CATEGORY_OF_BASE_TYPE: dict[str, str | None] = {
    "historic_site": "historical_cultural",
    "museum_memorial": "historical_cultural",
    "natural_scenery": "natural_landscape",
    "cultural_landscape": "city_sightseeing",
    "university_campus": "city_sightseeing",
    "art_gallery": "art_technology",
    "red_site": "historical_cultural",
    "amusement_sports": "leisure_recreation",
    "library": "art_technology",
    "garden": "historical_cultural",
    "other": None,
    "cultural_tourism_area": "leisure_recreation",
    "park": "leisure_recreation",
    "commercial_district": "city_sightseeing",
}
#: Endings of names that show a religious place. They decide the category before the type does,
#: because neither list has a religious type.
RELIGIOUS_ENDINGS = _LISTS.words("religious_endings")

#: Room types of TravelEval's accommodation table (appendix A.2).
ROOM_TYPES = _terms("room_types")
#: TravelEval, appendix C: the cuisine tags of the published queries.
CUISINES = _terms("cuisines")
#: TravelEval, appendix C: the accommodation tags of the published queries.
HOTEL_FEATURES = _terms("hotel_features")

#: TripTailor's restaurant types (TourPlanner, appendix D.1). ``words`` contains TravelEval's tag
#: for the same cuisine, if there is one.
TRIPTAILOR_CUISINES = _terms("triptailor_cuisines")

#: The most similar TravelEval tag for each of TripTailor's types that has no equal tag. The mapping
#: is our own.
NEAREST_CUISINE = _LISTS.pairs("nearest_cuisines")

# --- Our own ---------------------------------------------------------------------------------

FAMILIES = ("tprag", "traveleval", "chinatravel", "tripscore", "triptailor")
LANGUAGES = ("zh", "en", "other")
DATUMS = ("wgs84", "gcj02", "bd09")
#: Hotel classes of TripTailor (TourPlanner, appendix D.1.2), most expensive first.
HOTEL_CLASSES = ("luxury", "upscale", "midscale", "economy")
HOTEL_CLASS_SOURCES = ("stars", "price")
#: Grades of Chinese tourist attractions (GB/T 17775), lowest first.
GRADES = ("A", "AA", "AAA", "AAAA", "AAAAA")
NAME_ORIGINS = ("original", "translated", "unknown")
#: How much of a query that was read from a file could be understood. If even its city is unknown,
#: the query is set aside.
UNDERSTANDINGS = ("whole", "partly")
QUERY_STATUSES = ("kept", "pending_documents", "infeasible", "ungrounded")
#: The fields of a place whose values may come from different source rows.
POI_FIELDS = (
    "name_zh", "name_en", "category", "base_type", "coordinates", "rating", "grade",
    "opening_hours", "ticket_price", "duration_hours",
)  # fmt: skip
RESOLUTIONS = ("linked", "new", "review", "unresolved")
FACT_FIELDS = (
    "opening_hours", "last_admission", "closed_days", "ticket_price",
    "duration_hours", "arrival_time", "season",
)  # fmt: skip
#: Travellers who do not pay the price for adults.
AUDIENCES = ("child", "student", "senior")
_WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_SEASON = "(?:spring|summer|autumn|winter)"
#: The pattern that the value of a fact must match, for the fields that have a fixed form.
FACT_FORMS = {
    "last_admission": r"^(?:(?:[01]?\d|2[0-3]):[0-5]\d|24:00)$",
    "closed_days": rf"^{_WEEKDAY}(?:,\s?{_WEEKDAY})*$",
    "ticket_price": r"^\d+(?:\.\d{1,2})?$",
    "duration_hours": r"^\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)?$",
    "season": rf"^(?:{_SEASON}|all year)(?:,\s?{_SEASON})*$",
}
STAGES = (
    "corpus", "tables", "places", "index", "read", "link", "copies", "mentions", "documents",
    "pois", "feedback",
    "geocode",
    "trajectories", "queries", "sub_queries", "search", "fetch", "pages", "retrieve", "candidates",
    "tags",
    "ask", "ask_search", "ask_fetch", "ask_pages", "ask_corpus", "ask_read", "ask_link", "answers",
    "tagging", "space", "control", "offers", "plans",
    "publish",
)  # fmt: skip
