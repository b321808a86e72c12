"""Uses the Baidu Maps Web API for place search (v2) and reverse geocoding (v3). Coordinates are
BD-09.

Parameters, signature, fields and status codes follow the service's public documentation:
``/place/v2/search`` with ``region`` and ``city_limit``, ``/reverse_geocoding/v3/``; ``sn`` is the
MD5 of the quoted path, query and secret key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from geocoding.geocoders.base import GeocoderAnswer, GeocoderQuestion, PlacePoint, place_answer
from geocoding.geocoders.transport import Service, TransportProblem, WebGeocoder, rows_in, text
from schemas.cities import City

BASE_URL = "https://api.map.baidu.com"
PER_SECOND = 3.0
#: Characters that the signature leaves unquoted.
_SAFE = "/:=&?#+!$,;'@()*[]"
_QUOTA = frozenset({4, 301, 302})
_MOMENTARY = frozenset({1, 401, 402})
_REFUSED = range(200, 300)


class BaiduGeocoder(WebGeocoder):
    """Baidu's Web API. ``secret`` is used to sign the requests if the key requires signatures."""

    name = "baidu"

    def __init__(
        self, key: str, secret: str | None = None, base_url: str = BASE_URL,
        service: Service | None = None,
    ) -> None:  # fmt: skip
        self._key, self._secret = key, secret
        self.service = service or Service(base_url, PER_SECOND)

    def find(self, question: GeocoderQuestion) -> list[GeocoderAnswer]:
        """Return places with this name.

        The service needs a region, so the whole country is used if no city is given.
        """
        city = question.city
        region = (city.name_zh or city.name_en) if city else "全国"
        parameters = {
            "query": question.name, "region": region, "scope": "1", "page_size": "20",
            "ret_coordtype": "bd09ll",
            "city_limit": "true" if city and question.city_only else "false",
        }  # fmt: skip
        rows = rows_in(self._ask("/place/v2/search", parameters).get("results"), "places")
        return [answer for row in rows if (answer := _answer(row, city)) is not None]

    def find_around(self, point: PlacePoint) -> tuple[list[GeocoderAnswer], str]:
        """Return the address of a point and the places around it, in the service's order."""
        parameters = {
            "location": f"{point.lat:.6f},{point.lon:.6f}", "coordtype": "wgs84ll",
            "extensions_poi": "1", "ret_coordtype": "bd09ll",
        }  # fmt: skip
        result = self._ask("/reverse_geocoding/v3/", parameters).get("result")
        if not isinstance(result, dict):
            raise TransportProblem("malformed", "no result in the answer")
        rows = rows_in(result.get("pois") or [], "places")
        answers = (_answer(row, None, "point", "y", "x") for row in rows)
        return [a for a in answers if a is not None], text(result.get("formatted_address")) or ""

    def _ask(self, path: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        every = {**parameters, "output": "json", "ak": self._key}
        request = f"{path}?{'&'.join(f'{k}={quote(v, safe=_SAFE)}' for k, v in every.items())}"
        if self._secret:
            request += f"&sn={signature(request, self._secret)}"
        return dict(self.service.get(request, _problem))


def signature(request: str, secret: str) -> str:
    """Return the MD5 of the quoted path with its query and the secret key."""
    return hashlib.md5(quote_plus(f"{request}{secret}").encode(), usedforsecurity=False).hexdigest()


def _problem(answer: Any) -> TransportProblem | None:
    status = answer.get("status") if isinstance(answer, dict) else None
    if not isinstance(status, int):
        return TransportProblem("malformed", "the answer has no status")
    if status == 0:
        return None
    words = f"{answer.get('message', '')} ({status})"
    if status in _QUOTA:
        return TransportProblem("quota", words)
    if status in _MOMENTARY:
        return TransportProblem("outage", words)
    is_denied = status in (3, 5, 101, 102) or status in _REFUSED
    return TransportProblem("denied" if is_denied else "malformed", words)


def _answer(
    row: Mapping[str, Any], city: City | None, at: str = "location", lat: str = "lat",
    lon: str = "lng",
) -> GeocoderAnswer | None:  # fmt: skip
    """Return one place, or None if it has no name or its coordinates are not on the globe.

    The answer to a reverse look-up gives the point under a different key, as x and y.
    """
    name, location = text(row.get("name")), row.get(at)
    if name is None or location is None:
        return None
    try:
        found = place_answer(float(location[lat]), float(location[lon]), "bd09", city)
    except (KeyError, TypeError, ValueError):
        raise TransportProblem("malformed", f"no location: {location!r}") from None
    if found is None:
        return None
    address = text(row.get("address")) or text(row.get("addr"))
    return GeocoderAnswer(
        name, found[0], found[1], "bd09", BaiduGeocoder.name, text(row.get("uid")), address,
        text(row.get("city")), text(row.get("tag")), note=found[2],
    )  # fmt: skip
