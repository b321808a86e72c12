"""Two invented cities: names, ids and what each of them holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemas.ids import (
    digest,
    doc_id,
    poi_id,
    row_evidence_id,
    span_evidence_id,
    text_sha256,
)

Row = dict[str, Any]


#: Rows of a table by partition: a city's slug, a pair of slugs, or None.
Book = dict[str, dict[str | None, list[Row]]]


@dataclass(frozen=True)
class Town:
    """An invented city; its places lie around the centre."""

    number: int
    slug: str
    zh: str
    en: str
    lat: float
    lon: float

    @property
    def city_id(self) -> str:
        """Id of the city, of a number that GeoNames does not use."""
        return f"gn{self.number}"

    def doc(self, name: str) -> str:
        """Id of one of the city's documents."""
        return doc_id(text_sha256(f"{self.slug}/{name}"))

    def point(self, name: str) -> tuple[float, float]:
        """Where one of the city's places lies that has coordinates."""
        _, _, north, east, *_ = PLACES[name]
        assert north is not None
        assert east is not None
        return self.lat + north, self.lon + east

    def poi(self, name: str) -> str:
        """Id of one of the city's places."""
        return poi_id(f"{self.slug}/{name}")

    def station(self, name: str) -> str:
        """Id of a metro station."""
        return f"{self.city_id}:{name}"


A = Town(900000001, "bihe", "碧河", "Bihe", 30.20, 120.10)


B = Town(900000002, "songlin", "松林", "Songlin", 31.10, 121.00)


#: Name: Chinese, English, north and east of the centre in degrees, category, type.
PLACES: dict[str, tuple[str, str | None, float | None, float | None, str | None, str | None]] = {
    "lake": ("月影湖", "Moonshade Lake", 0.010, 0.010, "natural_landscape", "natural_scenery"),
    "temple": ("古松寺", "Old Pine Temple", 0.020, 0.000, "religious_spiritual", "historic_site"),
    "hall": ("古松寺钟楼", "Bell Tower", 0.0202, 0.0003, "historical_cultural", "historic_site"),
    "park": ("柳岸公园", "Willow Bank Park", 0.000, 0.020, "leisure_recreation", "park"),
    "museum": (
        "水运博物馆",
        "Canal Museum",
        0.005,
        0.004,
        "historical_cultural",
        "museum_memorial",
    ),
    "pier": ("渔火码头", "Lantern Pier", 0.100, 0.100, "leisure_recreation", "park"),
    "dike": ("长风堤", "Longwind Dike", 0.101, 0.100, "leisure_recreation", "park"),
    "mill": ("老水磨坊", "Old Water Mill", 0.100, 0.101, "historical_cultural", "historic_site"),
    "reeds": ("芦苇荡", "Reed Marsh", 0.101, 0.101, "natural_landscape", "natural_scenery"),
    "hill": ("望潮山", "Tidewatch Hill", -0.100, 0.000, "natural_landscape", "natural_scenery"),
    "street": ("竹巷", None, None, None, None, None),
    "old_lake": ("月影湖景区", "Moonshade Lake Area", None, None, None, None),
}


#: Mentions in the two routes: document, start, place, surface name, role, day, order.
STOPS = (
    ("route_zh", 40, "lake", "月影湖", 1, 1),
    ("route_zh", 60, "temple", "古松寺", 1, 2),
    ("route_zh", 80, "park", "柳岸", 2, 1),
    ("route_zh", 100, None, "无名小店", 2, 2),
    ("route_en", 30, "museum", "Canal Museum", 1, 1),
    ("route_en", 70, "lake", "Moonshade Lake", 1, 2),
    ("route_en", 120, "park", "Willow Bank Park", 2, 1),
)


CANDIDATES = ("lake", "park", "temple", "museum", "hill")


#: Facts: place, field, validity, value, document and offset (None: a table's line).
FACTS = (
    ("lake", "opening_hours", "always", "08:00-17:30", None, 2),
    ("lake", "ticket_price", "always", "40.5", None, 2),
    ("lake", "duration_hours", "always", "1.5-3", None, 2),
    ("temple", "opening_hours", "Nov-Mar", "Tu-Su 09:00-16:00", "route_zh", 200),
    ("temple", "last_admission", "Nov-Mar", "15:30", "route_zh", 220),
    ("temple", "closed_days", "always", "Mon", "route_zh", 240),
    ("park", "season", "always", "spring, autumn", "route_en", 260),
    ("park", "duration_hours", "always", "2", "route_en", 280),
)


def table_evidence(town: Town, line: int) -> str:
    """Evidence of a line of the table of places."""
    return row_evidence_id(town.city_id, "places.csv", line)


def span_evidence(town: Town, doc: str, start: int, length: int) -> str:
    """Evidence of a span of a document."""
    return span_evidence_id(town.city_id, town.doc(doc), start, start + length)


def trajectory_id(town: Town, doc: str) -> str:
    """Id of the trajectory of a document."""
    return f"tr_{digest(town.city_id, town.doc(doc))}"


def fact_id(town: Town, place: str, field: str) -> str:
    """Id of a fact of the good snapshot."""
    when, value, doc, where = next(fact[2:] for fact in FACTS if fact[:2] == (place, field))
    proof = span_evidence(town, doc, where, 5) if doc else table_evidence(town, where)
    return f"fact_{digest(town.poi(place), field, when, value, proof)}"


#: What a child pays at the temple: the passage that tells when it is shut tells it too.
CHILD_PRICE = ("temple", "ticket_price", "always", "12", "route_zh", 240)


def conditional_fact_id(town: Town) -> str:
    """Id of the child's price."""
    place, field, when, value, doc, where = CHILD_PRICE
    proof = span_evidence(town, doc, where, 5)
    return f"f_{digest(town.poi(place), field, when, value, proof, 'child', '')}"


def connection_id(
    town: Town, other: Town, number: str = "G123", left: int = 1410, minutes: int = 70
) -> str:
    """Id of the train (G123) or flight (XX101) from a town to the other one."""
    kind = "train" if number[0] in "GK" else "flight"
    ends = (f"{town.zh}站", f"{other.zh}站")
    return f"{kind}_{digest(kind, number, *ends, str(left), str(minutes))}"
