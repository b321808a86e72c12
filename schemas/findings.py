"""Lists the kinds of findings about a city's source tables, with the message for each kind."""

from __future__ import annotations

#: The messages of findings that do not quote a row. Snapshots contain these words, and the gate
#: ``findings`` compares them: a new wording would make every snapshot so far fail.
MESSAGES = {
    "attraction_repeated": "rows that repeat an attraction; merged",
    "hotel_repeated": "rows that repeat a hotel with other prices, stock or brackets; merged",
    "restaurant_repeated": "rows that repeat a restaurant; merged",
    "same_place_two_names": "rows of one attraction under another name; merged, the name kept",
    "sub_attraction": "attractions that are part of another; linked to it",
    "same_name_apart": "pairs of rows with one name that are two places; kept apart",
    "in_another_city": (
        "rows geocoded into a large city of another province, or beyond any day trip; "
        "marked, and set aside beyond 500 km"
    ),
    "far_from_city": "rows more than 100 km from the centre; kept: large municipalities have such",
    "coordinates": "rows whose coordinates are no place on the globe; set aside",
    "coordinates_swapped": "rows with latitude and longitude in each other's place; mended",
    "coordinates_missing": "rows without coordinates; kept",
    "alike_hotels": "pairs of hotels that look like one place and were not merged; for review",
    "alike_restaurants": (
        "pairs of restaurants that look like one place and were not merged; for review"
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
