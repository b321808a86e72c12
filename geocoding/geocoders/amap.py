"""Uses the Amap (Gaode) Web Service v3 for place search and reverse geocoding. Coordinates are
GCJ-02.

Parameters, signature, fields and error codes follow the service's public documentation:
``/v3/place/text`` with ``city`` and ``citylimit``, ``/v3/geocode/regeo``; ``sig`` is the MD5 of the
sorted parameters followed by the private key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from geocoding.geocoders.base import GeocoderAnswer, GeocoderQuestion, PlacePoint, place_answer
from geocoding.geocoders.transport import Service, TransportProblem, WebGeocoder, rows_in, text
from schemas.cities import City
from schemas.geo import wgs84_to_gcj02

BASE_URL = "https://restapi.amap.com"
PER_SECOND = 3.0
_QUOTA = frozenset({"10003", "10010", "10044", "10045", "40000", "40003"})
_MOMENTARY = frozenset(
    {"10004", "10014", "10015", "10016", "10017", "10019", "10020", "10021", "20003"}
)
_DENIED = frozenset(
    {"10001", "10002", "10005", "10006", "10007", "10008", "10009", "10011", "10012", "10013",
     "10026", "10041", "40001", "40002"}
)  # fmt: skip


class Amap(WebGeocoder):
    """Amap's Web Service.

    ``secret`` is used to sign the requests if the key requires signatures.
    """

    name = "amap"

    def __init__(
        self, key: str, secret: str | None = None, base_url: str = BASE_URL,
        service: Service | None = None,
    ) -> None:  # fmt: skip
        self._key, self._secret = key, secret
        self.service = service or Service(base_url, PER_SECOND)

    def find(self, question: GeocoderQuestion) -> list[GeocoderAnswer]:
        """Return places with this name, restricted to the city if one is given."""
        parameters = {"keywords": question.name, "offset": "20", "page": "1"}
        if question.city is not None:
            parameters["city"] = question.city.name_zh or question.city.name_en
            parameters["citylimit"] = "true" if question.city_only else "false"
        rows = rows_in(self._ask("/v3/place/text", parameters).get("pois"), "pois")
        return [answer for row in rows if (answer := _answer(row, question.city)) is not None]

    def find_around(self, point: PlacePoint) -> tuple[list[GeocoderAnswer], str]:
        """Return the address of a point and the places around it, nearest first."""
        lat, lon = wgs84_to_gcj02(point.lat, point.lon)
        parameters = {"location": f"{lon:.6f},{lat:.6f}", "extensions": "all", "radius": "200"}
        code = self._ask("/v3/geocode/regeo", parameters).get("regeocode")
        if not isinstance(code, dict):
            raise TransportProblem("malformed", "no regeocode in the answer")
        answers = (_answer(row, None) for row in rows_in(code.get("pois"), "pois"))
        return [a for a in answers if a is not None], text(code.get("formatted_address")) or ""

    def _ask(self, path: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        every = {**parameters, "key": self._key, "output": "JSON"}
        if self._secret:
            every["sig"] = signature(every, self._secret)
        return dict(self.service.get(f"{path}?{urlencode(every)}", _problem))


def signature(parameters: Mapping[str, str], secret: str) -> str:
    """Return the MD5 of the ``k=v`` pairs (sorted by name, joined with ``&``) followed by the
    private key.
    """
    joined = "&".join(f"{key}={value}" for key, value in sorted(parameters.items()))
    return hashlib.md5(f"{joined}{secret}".encode(), usedforsecurity=False).hexdigest()


def _problem(answer: Any) -> TransportProblem | None:
    if not isinstance(answer, dict) or "status" not in answer:
        return TransportProblem("malformed", "the answer has no status")
    if str(answer["status"]) == "1":
        return None
    code, info = str(answer.get("infocode", "")), str(answer.get("info", ""))
    if code in _QUOTA:
        return TransportProblem("quota", f"{info} ({code})")
    if code in _MOMENTARY:
        return TransportProblem("outage", f"{info} ({code})")
    return TransportProblem("denied" if code in _DENIED else "malformed", f"{info} ({code})")


def _answer(row: Mapping[str, Any], city: City | None) -> GeocoderAnswer | None:
    """Return one place, or None if it has no name or its coordinates are not on the globe."""
    name, location = text(row.get("name")), text(row.get("location"))
    if name is None or location is None:
        return None
    try:
        lon, lat = map(float, location.split(","))
    except ValueError:
        raise TransportProblem("malformed", f"no location: {location!r}") from None
    found = place_answer(lat, lon, "gcj02", city)
    if found is None:
        return None
    return GeocoderAnswer(
        name, found[0], found[1], "gcj02", Amap.name, text(row.get("id")),
        text(row.get("address")), text(row.get("cityname")), text(row.get("type")), note=found[2],
    )  # fmt: skip
