"""Lists the kinds of findings about a city's source tables, with the message for each kind."""

from __future__ import annotations

#: The messages of findings that do not quote a row.
MESSAGES = {
    "attraction_repeated": "rows that repeat an attraction and were merged with it",
    "hotel_repeated": (
        "rows that repeat a hotel with different prices, stock or brackets and were merged with it"
    ),
    "restaurant_repeated": "rows that repeat a restaurant and were merged with it",
    "same_place_two_names": (
        "rows for an attraction under another name, which were merged with it; the name was kept"
    ),
    "sub_attraction": "attractions that are part of another attraction and were linked to it",
    "same_name_apart": "pairs of rows with the same name that mean two places and were kept apart",
    "in_another_city": (
        "rows that were geocoded into a large city in another province or beyond any day trip; "
        "they were marked, or set aside beyond 500 km"
    ),
    "far_from_city": (
        "rows more than 100 km from the centre, which were kept because large municipalities have "
        "such places"
    ),
    "coordinates": "rows whose coordinates are not a point on the globe and which were set aside",
    "coordinates_swapped": "rows in which latitude and longitude were swapped and were corrected",
    "coordinates_missing": "rows without coordinates, which were kept",
    "alike_hotels": "pairs of hotels that look like the same place but were not merged, for review",
    "alike_restaurants": (
        "pairs of restaurants that look like the same place but were not merged, for review"
    ),
}
#: Pairs of table and finding that are also reported if there are no such rows.
LOOKED_FOR = (
    ("attractions", "attraction_repeated"), ("hotels", "hotel_repeated"),
    ("restaurants", "restaurant_repeated"),
    *((table, finding) for table in ("attractions", "hotels", "restaurants")
      for finding in ("coordinates", "coordinates_swapped", "far_from_city")),
)  # fmt: skip


def always() -> tuple[tuple[str, str], ...]:
    """Return the pairs of table and finding that are reported for every city."""
    places = ("same_place_two_names", "sub_attraction", "same_name_apart")
    return (
        *LOOKED_FOR,
        *(("attractions", finding) for finding in places),
        *((table, "in_another_city") for table in ("attractions", "hotels", "restaurants")),
        *((table, f"alike_{table}") for table in ("hotels", "restaurants")),
    )
