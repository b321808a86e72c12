"""Convert a reading into the form of the labels, so that the two can be compared."""

from __future__ import annotations

from typing import Any

from extractors.own_readings.written import write_reading
from schemas.document_reading import DocumentReading
from schemas.documents import Document


def as_labels(reading: DocumentReading, document: Document) -> dict[str, Any]:
    """Return a reading in the same form as the labels: its sights, and the stops that were visited.

    The labels do not contain planned sights. If a document contains only plans, a planned sight
    counts as recommended. If the document also describes a journey, a planned sight counts as
    mentioned. The labels give prices only in yuan.
    """
    labels = write_reading(_without_stops_from_afar(reading), document)
    is_told = any(not trip.is_planned for trip in reading.trips)
    for poi in labels["pois"]:
        if poi["role"] == "planned":
            poi["role"] = "mentioned" if is_told else "recommended"
    labels["pois"] = [poi for poi in labels["pois"] if poi["what"] == "sight"]
    labels["facts"] = [
        {**fact, "field": "ticket_price_cny"} if fact["field"] == "ticket_price" else fact
        for fact in labels["facts"]
        if fact["field"] != "ticket_price" or not fact["value"][-1:].isalpha()
    ]
    return labels


def _without_stops_from_afar(reading: DocumentReading) -> DocumentReading:
    trips = tuple(
        trip.model_copy(
            update={
                "days": tuple(
                    day.model_copy(
                        update={"stops": tuple(s for s in day.stops if not s.is_seen_from_afar)}
                    )
                    for day in trip.days
                )
            }
        )
        for trip in reading.trips
    )
    return reading.model_copy(update={"trips": trips})
