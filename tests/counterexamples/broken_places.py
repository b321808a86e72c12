"""Ways to break places, their evidence and facts, and what documents say of them."""

from __future__ import annotations

import datetime as dt
from typing import Any

from schemas.arrow import frame
from schemas.geo import distance_m, h3_cell
from schemas.hours import weekly_spans
from schemas.ids import (
    SAID_OF_MENTION,
    digest,
    mention_id,
    poi_id,
    span_evidence_id,
    text_sha256,
)
from schemas.read_hash import read_hashes
from tests.counterexamples.breaking import Case, Change, add, both, drop, every, find, put, recount
from tests.counterexamples.broken_structure import (
    HOTEL,
    LAKE,
    LAKE_ROW,
    PARK,
    PARK_ROW,
    STREET,
    TEMPLE,
    fails,
)
from tests.counterexamples.good import (
    A,
    B,
    Book,
    fact_id,
    span_evidence,
    table_evidence,
    trajectory_id,
)
from tests.counterexamples.good_tables import set_aside_id
from tests.counterexamples.good_texts import SAID, SAID_AT
from tests.counterexamples.town import CHILD_PRICE, conditional_fact_id

HALL, MUSEUM, OLD_LAKE = (A.poi(name) for name in ("hall", "museum", "old_lake"))
STREET_ROW = {"poi_id": STREET}
UNLOCATED: dict[str, Any] = {
    "lat": None,
    "lon": None,
    "location_tier": "city",
    "geocode_status": "unresolved",
    "coordinate_provider": None,
    "datum_original": None,
    "h3_cell": None,
}
#: The query is left open: its plan spends the night in the second hotel.
NO_WITNESS = put(
    "witness_plans", {}, solvability="unknown", plan=None, plan_style=None, wishes_met=None,
    obstacle="search", reason="nothing was found",
)  # fmt: skip
SECOND_HOTEL = {"hotel_id": f"hotel_{A.slug}_2"}
PIER = A.poi("pier")
FIRST_STOP = {"name": "月影湖"}
FIRST_STOP_KEY = f"{A.doc('route_zh')}/40/{A.city_id}"
TAGGED_PARK = f"any:any/{PARK}"
FIRST_SPAN = span_evidence(A, "route_zh", 40, 3)
#: Where the city pays with other money than its rows, no plan in it holds.
UNPLANNED = ("witness_plans", "witness_plans", "plan", f"traveleval-{A.slug}-easy-2d-01/proof")
HOURS, PRICE, STAY = (
    fact_id(A, "lake", f) for f in ("opening_hours", "ticket_price", "duration_hours")
)
CHILDS = conditional_fact_id(A)
TRIP = trajectory_id(A, "route_zh")
REST = f"rest_{A.slug}_1"
SET_ASIDE = set_aside_id(A)


def without_space(change: Change) -> Change:
    """The change, with nothing recomputed from coordinates beside it."""

    def changed(book: Book) -> None:
        change(book)
        for table in ("distances", "clusters", "stay_clusters"):
            book[table][A.slug] = []
            recount(book, table, A.slug)

    return changed


def _second_lake(name: str, north: float) -> Change:
    """Another place with a name, so far north of the lake (degrees)."""

    def change(book: Book) -> None:
        import h3

        lake = find(book, "pois", **LAKE_ROW)
        lat = lake["lat"] + north
        lake_two = {
            **lake, "poi_id": poi_id("two"), "anchor": "two", "name_zh": name, "lat": lat,
            "h3_cell": h3.latlng_to_cell(lat, lake["lon"], 8), "n_documents": 0, "n_mentions": 0,
            "poi_source": "document", "evidence_id": FIRST_SPAN, "rating": None,
        }  # fmt: skip
        book["pois"][A.slug].append(lake_two)
        recount(book, "pois", A.slug)

    return without_space(change)


def at(lat: float, lon: float) -> dict[str, Any]:
    """Coordinates with their cell."""
    return {"lat": lat, "lon": lon, "h3_cell": h3_cell(lat, lon)}


def _shift_h3(book: Book) -> None:
    import h3

    row = find(book, "pois", **LAKE_ROW)
    row["h3_cell"] = sorted(h3.grid_disk(row["h3_cell"], 1))[0]
    if row["h3_cell"] == h3.latlng_to_cell(row["lat"], row["lon"], 8):
        row["h3_cell"] = sorted(h3.grid_disk(row["h3_cell"], 1))[-1]


def _road(factor: float) -> Change:
    def change(book: Book) -> None:
        straight = find(book, "distances", from_id=LAKE, to_id=PARK)
        book["distances"][A.slug].append(
            {
                **straight,
                "distance_method": "road",
                "distance_m": round(straight["distance_m"] * factor, 1),
            }
        )
        recount(book, "distances", A.slug)

    return change


def _clusters(**match: Any) -> Any:
    def change(book: Book) -> None:
        rows = book["clusters"][A.slug]
        book["clusters"][A.slug] = [
            row for row in rows if any(row[k] != v for k, v in match.items())
        ]
        recount(book, "clusters", A.slug)

    return change


def _merge_cluster_one(book: Book) -> None:
    for row in book["clusters"][A.slug]:
        if row["n_days_planned"] == 3 and row["cluster"] == 1:
            row["cluster"] = 2


def _longer(book: Book) -> None:
    row = find(book, "distances", from_id=LAKE, to_id=TEMPLE)
    row["distance_m"] += 1.5


def _a_little_longer(book: Book) -> None:
    """The distance that is nearest to two roundings, rounded to the other one."""
    spots = {row["poi_id"]: (row["lat"], row["lon"]) for row in book["pois"][A.slug]}
    real = [
        float(distance_m(*spots[row["from_id"]], *spots[row["to_id"]]))
        for row in book["distances"][A.slug]
    ]
    at = min(range(len(real)), key=lambda n: abs(real[n] * 10 % 1 - 0.5))
    row = book["distances"][A.slug][at]
    row["distance_m"] = round(
        row["distance_m"] + (0.1 if row["distance_m"] < real[at] else -0.1), 1
    )


def _edge_over_a_station(book: Book) -> None:
    row = find(book, "metro_edges", from_id=A.station("北门"))
    row |= {"to_id": A.station("南湖"), "distance_m": row["distance_m"] * 2}


def _loop(book: Book) -> None:
    row = find(book, "poi_hierarchy")
    book["poi_hierarchy"][A.slug].append(
        {**row, "poi_id": row["parent_poi_id"], "parent_poi_id": row["poi_id"]}
    )
    recount(book, "poi_hierarchy", A.slug)


def _in_both_cities(book: Book) -> None:
    """The first name of a document of one city is a mention and a link of the other as well."""
    here = {"city_id": B.city_id}
    for table, match in (
        ("documents", {}), ("evidence", {"start": 40}), ("poi_mentions", {"start": 40}),
        ("links", {"name_number": 1}),
    ):  # fmt: skip
        row = {**find(book, table, **match), **here}
        if "evidence_id" in row:
            row["evidence_id"] = span_evidence_id(B.city_id, A.doc("route_zh"), 40, 43)
        if table == "documents":
            row["path"] = "notes/both.md"
            row["read_hash"] = read_hashes(frame(table, [row]))[0]
        if table == "poi_mentions":
            row |= {"poi_id": None, "resolution": "unresolved", "resolution_score": 0.2}
            row["mention_id"] = mention_id(*map(row.get, SAID_OF_MENTION))
        if table == "links":
            row["poi_id"] = B.poi("lake")
        book[table][B.slug].append(row)
        recount(book, table, B.slug)


def _quote(text: str, start: int = 40) -> Change:
    """Quote a text of a document; its hash is true."""
    return put("evidence", {"start": start}, quote=text, quote_sha256=text_sha256(text))


def _with_a_pass() -> Change:
    """A price that depends on words alone."""
    _, field, when, value, doc, where = CHILD_PRICE
    proof = span_evidence(A, doc, where, 5)
    made = digest(TEMPLE, field, when, value, proof, "", "with a city pass")
    return put(
        "conditional_facts", {}, fact_id=f"f_{made}", audience=None, condition="with a city pass"
    )


def _restated(fact: str, **values: Any) -> Change:
    """Another statement of a fact, under the id that it gives."""

    def change(book: Book) -> None:
        row = find(book, "poi_facts", fact_id=fact)
        row |= values
        said = ("poi_id", "fact_field", "valid_when", "value", "evidence_id")
        row["fact_id"] = f"fact_{digest(*(row[column] for column in said))}"

    return change


CASES = [
    # Coordinates
    Case(
        "latitude and longitude swapped",
        without_space(put("hotels", {}, **at(A.lon - 40, A.lat))),
        fails(("coordinates", "hotels", "lat", f"hotel_{A.slug}_1")),
    ),
    Case(
        "a restaurant at zero, zero",
        put("restaurants", {}, **at(0.0, 0.0)),
        fails(("coordinates", "restaurants", "lat", REST)),
    ),
    Case(
        "half a position",
        put("restaurants", {}, lon=None),
        fails(("coordinates", "restaurants", "lat", REST)),
    ),
    Case(
        "a place in another province",
        without_space(both(put("pois", PARK_ROW, lat=A.lat + 5, h3_cell="8830e0d6a1fffff"))),
        fails(("coordinates", "pois", "lat", PARK), ("h3_cell", "pois", "h3_cell", PARK)),
    ),
    Case(
        "resolved without a position",
        put("pois", STREET_ROW, geocode_status="resolved"),
        fails(
            *(
                ("geocode_status", "pois", c, STREET)
                for c in ("lat", "h3_cell", "coordinate_provider", "datum_original")
            )
        ),
    ),
    Case(
        "a position without its system",
        put("pois", {"poi_id": A.poi("hill")}, datum_original=None),
        fails(
            ("geocode_status", "pois", "datum_original", A.poi("hill")),
            ("datum_mixture", "pois", "datum_original", A.poi("hill")),
        ),
    ),
    # Links
    Case(
        "a located place known by its city alone",
        put("pois", PARK_ROW, location_tier="city"),
        fails(("location_tier", "pois", "location_tier", PARK)),
    ),
    Case(
        "a place without a point that is called located",
        put("pois", STREET_ROW, location_tier="located"),
        fails(("location_tier", "pois", "location_tier", STREET)),
    ),
    Case(
        "a point of its own that is called its container's",
        put("pois", PARK_ROW, location_tier="within"),
        fails(
            ("location_tier", "pois", "location_tier", PARK), ("location_tier", "pois", "lat", PARK)
        ),
    ),
    Case(
        "one name in two cities",
        _in_both_cities,
        fails(
            *(
                ("link_once", "links", "poi_id", f"{town.city_id}/{A.doc('route_zh')}/1")
                for town in (A, B)
            ),
            *(
                ("one_city", "poi_mentions", "city_id", f"{A.doc('route_zh')}/40/{town.city_id}")
                for town in (A, B)
            ),
        ),
    ),
    Case(
        "a name linked and unlinked",
        add("unlinked_names", {}, name_number=1),
        fails(("link_once", "links", "poi_id", f"{A.city_id}/{A.doc('route_zh')}/1")),
    ),
    Case(
        "a hotel moved without its cell",
        put("hotels", {}, lat=A.lat + 0.3),
        fails(("h3_cell", "hotels", "h3_cell", HOTEL)),
    ),
    Case(
        "a city without its cell",
        put("cities", {}, lon=A.lon + 0.1),
        fails(
            ("h3_cell", "cities", "h3_cell", A.city_id),
            ("city_gazetteer", "cities", "lat", A.city_id),
        ),
    ),
    Case(
        "a city moved with its cell",
        put("cities", {}, **at(A.lat + 0.05, A.lon)),
        fails(("city_gazetteer", "cities", "lat", A.city_id)),
    ),
    Case(
        "a city of another country",
        put("cities", {}, country_code="JP", currency="JPY"),
        fails(("city_gazetteer", "cities", "country_code", A.city_id), UNPLANNED),
    ),
    Case(
        "a city's name without its end",
        put("cities", {}, name_en=A.en[:-1]),
        fails(("city_gazetteer", "cities", "name_en", A.city_id)),
    ),
    Case(
        "a cell without coordinates",
        put("restaurants", {}, lat=None, lon=None),
        fails(("h3_cell", "restaurants", "h3_cell", REST)),
    ),
    Case("the cell of the neighbour", _shift_h3, fails(("h3_cell", "pois", "h3_cell", LAKE))),
    # Names and identity
    Case(
        "a blank name",
        both(put("pois", STREET_ROW, name_zh=" ")),
        fails(("names", "pois", "name_zh", STREET)),
    ),
    Case(
        "a name of unknown origin",
        put("pois", LAKE_ROW, name_en_origin="unknown"),
        fails(("names", "pois", "name_en_origin", LAKE)),
    ),
    Case(
        "a hotel without a name",
        put("hotels", {"name_zh": f"{A.zh}客舍2"}, name_zh=None),
        fails(
            ("names", "hotels", "name_zh", f"hotel_{A.slug}_2"),
            ("witness_plans", "witness_plans", "plan", f"traveleval-{A.slug}-easy-2d-01/proof"),
        ),
    ),
    Case(
        "one place in two rows",
        _second_lake("月影 湖", 0.0005),
        fails(("duplicates", "pois", "name_zh", min(LAKE, poi_id("two")))),
    ),
    Case(
        "an id of another place",
        put("pois", {"poi_id": HALL}, anchor="bihe/tower"),
        fails(("poi_ids", "pois", "poi_id", HALL)),
    ),
    Case(
        "a place named by the merged one",
        put("poi_facts", {"value": "spring, autumn"}, poi_id=OLD_LAKE),
        fails(
            ("fact_ids", "poi_facts", "fact_id", fact_id(A, "park", "season")),
            ("superseded", "poi_facts", "poi_id", fact_id(A, "park", "season")),
        ),
    ),
    Case(
        "merged into itself",
        put("pois", {"poi_id": OLD_LAKE}, superseded_by=OLD_LAKE),
        fails(("superseded", "pois", "superseded_by", OLD_LAKE)),
    ),
    Case(
        "a blank alias",
        put("poi_aliases", {"alias": "镜湖"}, alias=" "),
        fails(("aliases", "poi_aliases", "alias", f"{LAKE}/ ")),
    ),
    Case(
        "an alias that no document has",
        put("poi_aliases", {"alias": "柳岸"}, alias="柳岸园"),
        fails(("aliases", "poi_aliases", "alias", f"{PARK}/柳岸园")),
    ),
    Case(
        "the own name as alias",
        put("poi_aliases", {"alias": "镜湖"}, alias="月影湖"),
        fails(("aliases", "poi_aliases", "alias", f"{LAKE}/月影湖")),
    ),
    Case(
        "mentions counted wrong",
        put("pois", LAKE_ROW, n_mentions=3),
        fails(("mention_counts", "pois", "n_mentions", LAKE)),
    ),
    # Hierarchy and space
    Case(
        "part of itself by a detour",
        _loop,
        fails(
            ("hierarchy", "poi_hierarchy", "parent_poi_id", f"{HALL}/{TEMPLE}"),
            ("hierarchy", "poi_hierarchy", "parent_poi_id", f"{TEMPLE}/{HALL}"),
        ),
    ),
    Case(
        "part of a place elsewhere",
        put("poi_hierarchy", {}, parent_poi_id=B.poi("temple")),
        fails(
            ("hierarchy", "poi_hierarchy", "parent_poi_id", f"{HALL}/{B.poi('temple')}"),
            ("same_city", "poi_hierarchy", "parent_poi_id", f"{HALL}/{B.poi('temple')}"),
        ),
    ),
    Case(
        "a distance that grew",
        _longer,
        fails(("distances", "distances", "distance_m", f"{LAKE}/{TEMPLE}/straight")),
    ),
    Case(
        "a road shorter than the straight line",
        _road(0.9),
        fails(("distances", "distances", "distance_m", f"{LAKE}/{PARK}/road")),
    ),
    Case(
        "a distance to nowhere",
        put("distances", {"from_id": LAKE, "to_id": PARK}, to_id=STREET),
        fails(("distances", "distances", "distance_m", f"{LAKE}/{STREET}/straight")),
    ),
    Case(
        "a distance to itself",
        put("distances", {"from_id": LAKE, "to_id": PARK}, to_id=LAKE, distance_m=0.0),
        fails(("distances", "distances", "to_id", f"{LAKE}/{LAKE}/straight")),
    ),
    Case(
        "a label left out",
        _merge_cluster_one,
        fails(("clusters", "clusters", "cluster", f"{A.city_id}/3")),
    ),
    Case(
        "the smaller cluster first",
        every(
            "clusters",
            lambda row: {
                "cluster": 1 - row["cluster"]
                if row["n_days_planned"] == 5 and row["cluster"] >= 0
                else row["cluster"]
            },
        ),
        fails(("clusters", "clusters", "cluster", f"{A.city_id}/5")),
    ),
    Case(
        "a trip of five days without clusters",
        _clusters(n_days_planned=5),
        fails(
            *(
                ("clusters", "clusters", "n_days_planned", f"{A.city_id}/{n}")
                for n in (2, 3, 4, 6, 7)
            )
        ),
    ),
    Case(
        "a place in no cluster",
        _clusters(n_days_planned=4, poi_id=HALL),
        fails(("clusters", "clusters", "poi_id", f"{A.city_id}/4")),
    ),
    Case(
        "a second radius",
        put("clusters", {"n_days_planned": 6}, epsilon_m=800.0),
        fails(("clusters", "clusters", "epsilon_m", f"{A.city_id}/6")),
    ),
    Case(
        "a metro edge in kilometres",
        put("metro_edges", {}, distance_m=1.1),
        fails(
            (
                "metro",
                "metro_edges",
                "distance_m",
                f"{A.city_id}/1号线/{A.station('北门')}/{A.station('中街')}",
            )
        ),
    ),
    Case(
        "a metro edge over a station",
        _edge_over_a_station,
        fails(
            (
                "metro_lines",
                "metro_edges",
                "to_id",
                f"{A.city_id}/1号线/{A.station('北门')}/{A.station('南湖')}",
            )
        ),
    ),
    Case(
        "a fare of no line",
        put("metro_fares", {}, line="9号线"),
        fails(("metro_fares", "metro_fares", "line", f"fare_{A.slug}")),
    ),
    Case(
        "a fare in the line of another",
        add("metro_fares", {}, fare_id="fare_again"),
        fails(
            ("metro_fares", "metro_fares", "source_line", f"fare_{A.slug}"),
            ("metro_fares", "metro_fares", "source_line", "fare_again"),
        ),
    ),
    Case(
        "a fare of no zone",
        put("metro_fares", {}, from_zone="Z"),
        fails(("metro_fares", "metro_fares", "from_zone", f"fare_{A.slug}")),
    ),
    Case(
        "a line that begins with two",
        put("metro_stations", {"sequence": 3}, sequence=4),
        fails(
            ("metro_lines", "metro_stations", "sequence", f"{A.city_id}/1号线/4"),
            (
                "metro_lines",
                "metro_edges",
                "to_id",
                f"{A.city_id}/1号线/{A.station('中街')}/{A.station('南湖')}",
            ),
        ),
    ),
    # Evidence
    Case(
        "a span beyond the document",
        put("documents", {"path": "notes/route_en.md"}, n_chars=200),
        fails(
            *(
                ("evidence_shape", "evidence", "end", span_evidence(A, "route_en", s, 5))
                for s in (260, 280)
            )
        ),
    ),
    Case(
        "a span of the wrong way round",
        put("evidence", {"start": 220}, start=240),
        fails(
            ("evidence_ids", "evidence", "evidence_id", span_evidence(A, "route_zh", 220, 5)),
            ("evidence_shape", "evidence", "end", span_evidence(A, "route_zh", 220, 5)),
        ),
    ),
    Case(
        "a document's evidence without a hash",
        put("evidence", {"start": 220}, quote_sha256=None),
        fails(("evidence_shape", "evidence", "quote_sha256", span_evidence(A, "route_zh", 220, 5))),
    ),
    Case(
        "a table's evidence without a line",
        put("evidence", {"source_line": 4}, source_line=None),
        fails(("evidence_shape", "evidence", "source_line", table_evidence(A, 4))),
    ),
    Case(
        "evidence of both kinds",
        put("evidence", {"source_line": 4}, doc_id=A.doc("route_zh")),
        fails(("evidence_shape", "evidence", "doc_id", table_evidence(A, 4))),
    ),
    Case(
        "evidence moved by a line",
        put("evidence", {"source_line": 4}, source_line=40),
        fails(("evidence_ids", "evidence", "evidence_id", table_evidence(A, 4))),
    ),
    Case(
        "a quote without a licence",
        _quote("f220", 220),
        fails(("quote_licence", "evidence", "quote", span_evidence(A, "route_zh", 220, 5))),
    ),
    Case(
        "a quote of another text",
        put("evidence", {"start": 30}, quote="Canal Musem"),
        fails(("quote_licence", "evidence", "quote", span_evidence(A, "route_en", 30, 12))),
    ),
    Case(
        "evidence of nothing",
        drop("poi_facts", {"value": "15:30"}),
        fails(("evidence_used", "evidence", "evidence_id", span_evidence(A, "route_zh", 220, 5))),
    ),
    # Mentions
    Case(
        "a name that the document does not hold",
        put("poi_mentions", FIRST_STOP, name="月影河"),
        fails(("quotes", "poi_mentions", "name", FIRST_STOP_KEY)),
    ),
    Case(
        "a span longer than its name",
        put("poi_mentions", FIRST_STOP, end=44),
        fails(
            ("quotes", "poi_mentions", "start", FIRST_STOP_KEY),
            ("quotes", "poi_mentions", "end", FIRST_STOP_KEY),
        ),
    ),
    Case(
        "a mention under another's id",
        put("poi_mentions", FIRST_STOP, mention_id="m_1"),
        fails(("quotes", "poi_mentions", "mention_id", FIRST_STOP_KEY)),
    ),
    Case(
        "linked to nothing",
        put("poi_mentions", {"name": "无名小店"}, resolution="linked"),
        fails(("mention_days", "poi_mentions", "poi_id", f"{A.doc('route_zh')}/100/{A.city_id}")),
    ),
    Case(
        "an order without a day",
        put("poi_mentions", FIRST_STOP, day=None),
        fails(
            ("mention_days", "poi_mentions", "day", FIRST_STOP_KEY),
            ("trajectory_mentions", "trajectories", "noisy_visits", TRIP),
        ),
    ),
    Case(
        "a reason that ends before it starts",
        put("poi_mentions", FIRST_STOP, reason_start=40, reason_end=30),
        fails(("mention_days", "poi_mentions", "reason_end", FIRST_STOP_KEY)),
    ),
    # Facts
    Case(
        "hours that no clock has",
        put("poi_facts", {"fact_id": HOURS}, hours_osm="08:00-25:70", value="08:00-25:70"),
        fails(
            ("fact_ids", "poi_facts", "fact_id", HOURS), ("hours", "poi_facts", "hours_osm", HOURS)
        ),
    ),
    Case(
        "weekly minutes of other hours",
        put("poi_facts", {"fact_id": HOURS}, hours_weekly=weekly_spans("08:00-18:00")),
        fails(("hours", "poi_facts", "hours_osm", HOURS)),
    ),
    Case(
        "weekly minutes without hours",
        put("restaurants", {}, hours_osm=None),
        fails(("hours", "restaurants", "hours_osm", REST)),
    ),
    Case(
        "a price in yuan",
        put("poi_facts", {"fact_id": PRICE}, price_cents=40),
        fails(("fact_values", "poi_facts", "price_cents", PRICE)),
    ),
    Case(
        "a price in words",
        put("poi_facts", {"fact_id": PRICE}, value="40.5元"),
        fails(
            ("fact_ids", "poi_facts", "fact_id", PRICE),
            ("fact_values", "poi_facts", "value", PRICE),
        ),
    ),
    Case(
        "a price that was not kept",
        put("poi_facts", {"fact_id": PRICE}, price_cents=None, currency=None),
        fails(("fact_values", "poi_facts", "price_cents", PRICE)),
    ),
    Case(
        "a stay in hours",
        put("poi_facts", {"fact_id": STAY}, duration_min_min=2),
        fails(("fact_values", "poi_facts", "duration_min_min", STAY)),
    ),
    Case(
        "a day off that is no weekday",
        put("poi_facts", {"value": "Mon"}, value="weekends"),
        fails(
            ("fact_ids", "poi_facts", "fact_id", fact_id(A, "temple", "closed_days")),
            ("fact_values", "poi_facts", "value", fact_id(A, "temple", "closed_days")),
        ),
    ),
    Case(
        "a conditional fact without its condition",
        put("conditional_facts", {}, audience=None, condition=" "),
        fails(
            ("fact_ids", "conditional_facts", "fact_id", CHILDS),
            ("conditions", "conditional_facts", "condition", CHILDS),
        ),
    ),
    Case(
        "a child's price as a senior's",
        put("conditional_facts", {}, audience="senior"),
        fails(("fact_ids", "conditional_facts", "fact_id", CHILDS)),
    ),
    Case(
        "a child's price in yuan",
        put("conditional_facts", {}, price_cents=12),
        fails(("fact_values", "conditional_facts", "price_cents", CHILDS)),
    ),
    Case(
        "a child's price without its date",
        put("conditional_facts", {}, source_date=None),
        fails(("source_dates", "conditional_facts", "source_date", CHILDS)),
    ),
    Case(
        "a fact of another place",
        put("poi_facts", {"value": "spring, autumn"}, poi_id=LAKE),
        fails(("fact_ids", "poi_facts", "fact_id", fact_id(A, "park", "season"))),
    ),
    Case(
        "a fact for another season",
        put("poi_facts", {"value": "15:30"}, valid_when="always"),
        fails(("fact_ids", "poi_facts", "fact_id", fact_id(A, "temple", "last_admission"))),
    ),
    Case(
        "a visit longer than the day",
        put(
            "poi_facts",
            {"fact_id": STAY},
            value="10-12",
            duration_min_min=600,
            duration_max_min=720,
        ),
        fails(
            ("fact_ids", "poi_facts", "fact_id", STAY),
            ("visit_fits_hours", "poi_facts", "duration_min_min", STAY),
        ),
    ),
    Case(
        "a fact newer than its document",
        put("poi_facts", {"value": "15:30"}, source_date=dt.date(2025, 5, 2)),
        fails(("source_dates", "poi_facts", "source_date", fact_id(A, "temple", "last_admission"))),
    ),
    Case(
        "a tag without its date",
        put("poi_tags", {}, source_date=None),
        fails(
            (
                "source_dates",
                "poi_tags",
                "source_date",
                f"season:autumn/{LAKE}/visited/{FIRST_SPAN}",
            )
        ),
    ),
    Case(
        "a tag from a table",
        put("poi_tags", {}, evidence_id=table_evidence(A, 2)),
        fails(
            (
                "tags",
                "poi_tags",
                "evidence_id",
                f"season:autumn/{LAKE}/visited/{table_evidence(A, 2)}",
            )
        ),
    ),
    Case(
        "a tag of another place",
        put("poi_tags", {}, poi_id=PARK),
        fails(("tags", "poi_tags", "poi_id", f"season:autumn/{PARK}/visited/{FIRST_SPAN}")),
    ),
    Case(
        "a tag that says nothing",
        add(
            "context_tags",
            {},
            poi_id=TEMPLE,
            duration_min_min=None,
            duration_max_min=None,
            duration_evidence_id=None,
            description=None,
            description_evidence_id=None,
        ),
        fails(("tags_proven", "context_tags", "context_id", f"any:any/{TEMPLE}")),
    ),
    Case(
        "an arrival that nobody advises",
        put("context_tags", {}, arrive="07:30"),
        fails(
            ("tags_proven", "context_tags", "arrive", TAGGED_PARK),
            ("tags_from_facts", "context_tags", "arrive", TAGGED_PARK),
        ),
    ),
    Case(
        "a place described in no words of its passage",
        put("context_tags", {}, description="Willow Bank Park is a loud park."),
        fails(("descriptions", "context_tags", "description", TAGGED_PARK)),
    ),
    Case(
        "a description of sixty words",
        put("context_tags", {}, description="so " * 60),
        fails(("descriptions", "context_tags", "description", TAGGED_PARK)),
    ),
    Case(
        "a written description with a year of its own",
        put(
            "context_tags",
            {},
            tagged_by="model",
            description="A park of 1905.",
            description_evidence_id=span_evidence(A, "route_en", 30, 12),
        ),
        fails(
            ("descriptions", "context_tags", "description", TAGGED_PARK),
            (
                "evidence_used",
                "evidence",
                "evidence_id",
                span_evidence(A, "route_en", SAID_AT, len(SAID)),
            ),
        ),
    ),
    Case(
        "winter hours in the tag of any time",
        put(
            "context_tags",
            {},
            hours_osm="Tu-Su 09:00-16:00",
            hours_weekly=weekly_spans("Tu-Su 09:00-16:00"),
            hours_evidence_id=span_evidence(A, "route_zh", 200, 5),
        ),
        fails(("tags_from_facts", "context_tags", "hours_osm", TAGGED_PARK)),
    ),
    Case(
        "a tag of no candidate",
        put(
            "context_tags",
            {},
            poi_id=PIER,
            duration_min_min=None,
            duration_max_min=None,
            duration_evidence_id=None,
        ),
        fails(("tags_of_candidates", "context_tags", "poi_id", f"any:any/{PIER}")),
    ),
    Case(
        "a stay of a minute more",
        put("poi_facts", {"fact_id": STAY}, duration_max_min=181),
        fails(("fact_values", "poi_facts", "duration_max_min", STAY)),
    ),
    Case(
        "a context of no taxonomy",
        add(
            "contexts",
            {"context_kind": "season"},
            context_id="season:monsoon",
            context_code="monsoon",
        ),
        fails(("contexts", "contexts", "context_code", f"{A.city_id}/season:monsoon")),
    ),
    Case(
        "a context under another name",
        put("contexts", {"context_kind": "season"}, name_zh="冬季"),
        fails(("contexts", "contexts", "name_zh", f"{A.city_id}/season:autumn")),
    ),
    Case(
        "a context under another English name",
        put("contexts", {"context_kind": "season"}, name_en="fall"),
        fails(("contexts", "contexts", "name_en", f"{A.city_id}/season:autumn")),
    ),
    Case(
        "a context under another's id",
        add("contexts", {"context_kind": "season"}, context_id="season:winter"),
        fails(("contexts", "contexts", "context_id", f"{A.city_id}/season:winter")),
    ),
    Case(
        "popularity that skips a rank",
        put("poi_popularity", {"rank": 3}, rank=4),
        fails(("tags", "poi_popularity", "rank", f"any:any/{PARK}")),
    ),
    Case(
        "the second more popular than the first",
        put("poi_popularity", {"rank": 2}, score=2.5),
        fails(("tags", "poi_popularity", "score", f"any:any/{MUSEUM}")),
    ),
    # Documents and people
    Case(
        "a copy of itself",
        put("documents", {"path": "notes/copy.md"}, near_duplicate_of=A.doc("copy")),
        fails(("documents", "documents", "near_duplicate_of", f"{A.city_id}/{A.doc('copy')}")),
    ),
    Case(
        "a copy of a copy",
        put("documents", {"path": "notes/route_en.md"}, near_duplicate_of=A.doc("copy")),
        fails(
            ("documents", "documents", "near_duplicate_of", f"{A.city_id}/{A.doc('route_en')}"),
            ("trajectory_once", "query_trajectories", "trajectory_id", f"tprag-{A.slug}-3d/2"),
            ("trajectory_once", "query_trajectories", "trajectory_id", f"tprag-{A.slug}-any/2"),
        ),
    ),
    Case(
        "a phone number in a title",
        put("documents", {"path": "notes/copy.md"}, title="微信同号13912345678"),
        fails(("personal_data", "documents", "title", f"{A.city_id}/{A.doc('copy')}")),
    ),
    Case(
        "an address in quarantine",
        put("quarantine", {}, payload='{"by":"someone@example.org"}'),
        fails(("personal_data", "quarantine", "payload", SET_ASIDE)),
    ),
    Case(
        "an identity number as a name",
        put("hotels", {}, name_zh="客舍110101199003074518"),
        fails(("personal_data", "hotels", "name_zh", f"hotel_{A.slug}_1")),
    ),
]

NEAR_MISSES = [
    Case(
        "a city's centre at the other end of the market",
        put("cities", {}, **at(A.lat + 0.04, A.lon)),
    ),
    Case(
        "a hotel an hour away",
        both(put("hotels", SECOND_HOTEL, **at(A.lat + 1.0, A.lon)), NO_WITNESS),
    ),
    Case(
        "a hotel that cannot be found",
        both(put("hotels", SECOND_HOTEL, lat=None, lon=None, h3_cell=None), NO_WITNESS),
    ),
    Case("one name, two places", _second_lake("月影湖", 0.005)),
    Case("two names, one place", _second_lake("镜湖亭", 0.0)),
    Case("a distance rounded otherwise", _a_little_longer),
    Case("a road twice as long", _road(2.0)),
    Case("no clusters at all", without_space(lambda book: None)),
    Case(
        "all noise on four days",
        both(
            drop("stay_clusters", {"n_days_planned": 4}),
            every(
                "clusters",
                lambda row: {
                    "cluster": -1 if row["n_days_planned"] == 4 else row["cluster"],
                    "epsilon_m": 50.0 if row["n_days_planned"] == 4 else row["epsilon_m"],
                },
            ),
        ),
    ),
    Case("a fare of every line", put("metro_fares", {}, line=None)),
    Case("a distant platform", put("metro_edges", {}, distance_m=1500.0)),
    Case(
        "a name known in English only",
        both(
            put("pois", {"poi_id": PIER}, name_zh=None, name_zh_origin="unknown"),
            drop("poi_origins", {"poi_id": PIER, "poi_field": "name_zh"}),
        ),
    ),
    Case("a quote that the licence allows", _quote("f280", 280)),
    Case("a mention to review", put("poi_mentions", {"name": "无名小店"}, resolution="review")),
    Case(
        "open all night",
        _restated(
            HOURS,
            value="18:00-02:00",
            hours_osm="18:00-02:00",
            hours_weekly=weekly_spans("18:00-02:00"),
        ),
    ),
    Case(
        "a visit as long as the day",
        _restated(STAY, value="9.5", duration_min_min=570, duration_max_min=570),
    ),
    Case("a price with a city pass", _with_a_pass()),
    Case("a price of whole yuan", _restated(PRICE, value="40", price_cents=4000)),
    Case("entry is free", _restated(PRICE, value="0", price_cents=0)),
    Case("a shortest visit unknown", _restated(STAY, value="3", duration_min_min=None)),
    Case(
        "a table's fact with a date",
        put("poi_facts", {"fact_id": HOURS}, source_date=dt.date(2024, 1, 1)),
    ),
    Case(
        "a title with an order number",
        put("documents", {"path": "notes/copy.md"}, title="No. 1391234567 and @lake"),
    ),
    Case("a hotel with a year", put("hotels", {}, name_zh="1990年代客舍 2024")),
    Case(
        "a place of no category",
        both(
            put("pois", PARK_ROW, category=None, base_type=None),
            *(drop("poi_origins", {**PARK_ROW, "poi_field": f}) for f in ("category", "base_type")),
        ),
    ),
    Case(
        "equal scores", put("poi_popularity", {"context_id": "season:autumn", "rank": 3}, score=0.5)
    ),
]
