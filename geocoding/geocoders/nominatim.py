"""Queries Nominatim (OpenStreetMap) at most once per second; coordinates are WGS 84.

The public service's usage policy requires at most one request per second, and a User-Agent that
names the application and a way to contact its user.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from geocoding.geocoders.base import GeocoderAnswer, GeocoderQuestion, PlacePoint, place_answer
from geocoding.geocoders.transport import Service, TransportProblem, WebGeocoder, text
from schemas.cities import City

BASE_URL = "https://nominatim.openstreetmap.org"
PER_SECOND = 1.0
#: Half the side, in degrees, of the box around a city that answers must be in.
_BOX_DEG = 2.0


class Nominatim(WebGeocoder):
    """A Nominatim server.

    The server's operators can contact the user at the address ``contact``.
    """

    name = "nominatim"

    def __init__(
        self, contact: str, base_url: str = BASE_URL, service: Service | None = None
    ) -> None:
        if not contact.strip():
            raise ValueError(
                "nominatim needs a contact for its User-Agent: an e-mail address or a web page"
            )
        headers = {"User-Agent": f"tripbed/0.1 ({contact.strip()})"}
        self.service = service or Service(base_url, PER_SECOND, headers)

    def find(self, question: GeocoderQuestion) -> list[GeocoderAnswer]:
        """Return places with this name; if a city is given, return only places in a box around
        the city.
        """
        parameters = {
            "q": question.name, "format": "jsonv2", "limit": "20", "addressdetails": "1",
            "namedetails": "1", "accept-language": "zh,en",
        }  # fmt: skip
        city = question.city
        if city is not None:
            west, east = city.lon - _BOX_DEG, city.lon + _BOX_DEG
            south, north = city.lat - _BOX_DEG, city.lat + _BOX_DEG
            parameters["viewbox"] = f"{west:.4f},{north:.4f},{east:.4f},{south:.4f}"
            parameters["bounded"] = "1" if question.city_only else "0"
            parameters["countrycodes"] = city.country_code.lower()
        found = self.service.get(f"/search?{urlencode(parameters)}", _list_problem)
        return [answer for row in found for answer in _answers(row, city)]

    def find_around(self, point: PlacePoint) -> tuple[list[GeocoderAnswer], str]:
        """Return what Nominatim finds at a point."""
        query = urlencode(
            {"lat": f"{point.lat:.6f}", "lon": f"{point.lon:.6f}", "format": "jsonv2",
             "addressdetails": "1", "namedetails": "1", "accept-language": "zh,en"}
        )  # fmt: skip
        found = self.service.get(f"/reverse?{query}", _object_problem)
        if "error" in found:
            return [], str(found["error"])
        return _answers(found, None)[:1], text(found.get("display_name")) or ""


def _object_problem(answer: Any) -> TransportProblem | None:
    is_place = isinstance(answer, dict)
    return None if is_place else TransportProblem("malformed", "the answer is not a place")


def _list_problem(answer: Any) -> TransportProblem | None:
    if isinstance(answer, list) and all(isinstance(row, dict) for row in answer):
        return None
    return TransportProblem("malformed", "the answer is not a list of places")


def _answers(row: Mapping[str, Any], city: City | None) -> list[GeocoderAnswer]:
    """Return one place under each of its names, starting with the main name."""
    try:
        found = place_answer(float(row["lat"]), float(row["lon"]), "wgs84", city)
    except (KeyError, TypeError, ValueError):
        raise TransportProblem("malformed", "a place without coordinates") from None
    if found is None:
        return []
    details, address = row.get("namedetails"), row.get("address")
    others = details.values() if isinstance(details, dict) else ()
    names = dict.fromkeys(n for n in (text(row.get("name")), *map(text, others)) if n)
    place = address if isinstance(address, dict) else {}
    kind = f"{row.get('category', '')}:{row.get('type', '')}".strip(":") or None
    return [
        GeocoderAnswer(
            name, found[0], found[1], "wgs84", Nominatim.name,
            f"{row.get('osm_type', '')}/{row.get('osm_id', '')}", text(row.get("display_name")),
            text(place.get("city")), kind, note=found[2],
        )
        for name in names
    ]  # fmt: skip
