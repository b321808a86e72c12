"""What becomes of a question in every case that the services document."""

from __future__ import annotations

import datetime as dt
import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote

import pytest

from geocoding.geocoders import GeocoderQuestion, PlacePoint, ask_all
from geocoding.geocoders.amap import Amap
from geocoding.geocoders.baidu import BaiduGeocoder
from geocoding.geocoders.cache import AnswerCache
from geocoding.geocoders.nominatim import Nominatim
from geocoding.geocoders.transport import Service
from schemas.geo import distance_m, from_wgs84, wgs84_to_gcj02
from tests.support.geocoding.builders import CITY
from tests.support.geocoding.geocoders.services import (
    amap_error,
    amap_ok,
    amap_poi,
    baidu_ok,
    baidu_place,
    serving,
)

TEMPLE = GeocoderQuestion("灵峰寺", CITY)
LAT, LON = 30.01, 110.02
GCJ = wgs84_to_gcj02(LAT, LON)
BD = from_wgs84(LAT, LON, "bd09")


class Paced:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, [0.0]

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def service(url: str, per_second: float = 100.0, **headers: str) -> tuple[Service, Paced]:
    paced = Paced()
    made = Service(url, per_second, headers, sleep=paced.sleep, clock=lambda: paced.now)
    return made, paced


def amap(url: str, secret: str | None = None) -> Amap:
    return Amap("k1", secret, service=service(url)[0])


def baidu(url: str, secret: str | None = None) -> BaiduGeocoder:
    return BaiduGeocoder("k2", secret, service=service(url)[0])


def near(lat: float, lon: float) -> bool:
    return float(distance_m(lat, lon, LAT, LON)) < 1.0


def test_amap_answers_in_wgs84_with_signature_and_city_limit() -> None:
    poi = amap_poi("灵峰寺", f"{GCJ[1]:.6f},{GCJ[0]:.6f}")
    with serving(lambda path, p: (200, amap_ok(poi, amap_poi("竹篮巷", "110.1,30.1")))) as server:
        reply = amap(server.url, "s1").search(TEMPLE)
        path, sent, _, _ = server.seen[0]
    assert reply.outcome == "found"
    assert reply.best is not None
    assert near(reply.best.lat, reply.best.lon)
    assert (reply.best.datum_original, reply.best.provider) == ("gcj02", "amap")
    assert reply.best.address is None
    assert path == "/v3/place/text"
    assert (sent["city"], sent["citylimit"], sent["keywords"]) == ("云州", "true", "灵峰寺")
    signed = "&".join(f"{k}={v}" for k, v in sorted(sent.items()) if k != "sig")
    assert sent["sig"] == hashlib.md5(f"{signed}s1".encode()).hexdigest()


def test_baidu_answers_in_wgs84_with_signature_and_city_limit() -> None:
    with serving(lambda path, p: (200, baidu_ok(baidu_place("灵峰寺", *BD)))) as server:
        reply = baidu(server.url, "s2").search(TEMPLE)
        path, sent, _, raw = server.seen[0]
    assert reply.best is not None
    assert near(reply.best.lat, reply.best.lon)
    assert reply.best.datum_original == "bd09"
    assert path == "/place/v2/search"
    assert (sent["region"], sent["city_limit"], sent["query"]) == ("云州", "true", "灵峰寺")
    request, _, sn = raw.partition("&sn=")
    quoted = quote(unquote(request), safe="/:=&?#+!$,;'@()*[]")
    assert sn == hashlib.md5(quote_plus(f"{quoted}s2").encode()).hexdigest()


def test_nominatim_is_identified_and_slow() -> None:
    row = {
        "lat": str(LAT), "lon": str(LON), "name": "灵峰寺", "osm_type": "way", "osm_id": 7,
        "category": "amenity", "type": "place_of_worship", "display_name": "灵峰寺, 云州",
        "namedetails": {"name:en": "Lingfeng Temple"}, "address": {"city": "云州市"},
    }  # fmt: skip
    with serving(lambda path, p: (200, [row])) as server:
        paced = Paced()
        geocoder = Nominatim("mail@example.org", server.url)
        geocoder.service.sleep, geocoder.service.clock = paced.sleep, lambda: paced.now
        replies = [
            geocoder.search(GeocoderQuestion(n, CITY)) for n in ("灵峰寺", "Lingfeng Temple")
        ]
        headers = server.seen[0][2]
    assert [reply.outcome for reply in replies] == ["found", "found"]
    assert sum(paced.slept) == pytest.approx(1.0)
    assert headers["User-Agent"] == "tripbed/0.1 (mail@example.org)"
    with pytest.raises(ValueError, match="contact"):
        Nominatim(" ")


@pytest.mark.parametrize(
    ("body", "outcome", "requests"),
    [
        (amap_error("10003", "DAILY_QUERY_OVER_LIMIT"), "quota", 1),
        (amap_error("10044", "USER_DAILY_QUERY_OVER_LIMIT"), "quota", 1),
        (amap_error("10021", "CUQPS_HAS_EXCEEDED_THE_LIMIT"), "outage", 3),
        (amap_error("10016", "SERVER_IS_BUSY"), "outage", 3),
        (amap_error("10007", "INVALID_USER_SIGNATURE"), "denied", 1),
        (amap_error("20000", "INVALID_PARAMS"), "malformed", 1),
        ("<html>busy</html>", "malformed", 1),
        ({"pois": []}, "malformed", 1),
        ({"status": "1", "pois": "none"}, "malformed", 1),
        (amap_ok(amap_poi("灵峰寺", "here")), "malformed", 1),
        (amap_ok(), "nothing", 1),
        (amap_ok(amap_poi("竹篮巷", "110.0,30.0")), "nothing", 1),
        (amap_ok(amap_poi("灵峰寺", "0,0")), "nothing", 1),
    ],
)
def test_amap_refusals(body: Any, outcome: str, requests: int) -> None:
    with serving(lambda path, p: (200, body)) as server:
        assert amap(server.url).search(TEMPLE).outcome == outcome
        assert len(server.seen) == requests


@pytest.mark.parametrize(
    ("status", "outcome", "requests"),
    [(4, "quota", 1), (302, "quota", 1), (401, "outage", 3), (1, "outage", 3), (211, "denied", 1),
     (5, "denied", 1), (2, "malformed", 1)],
)  # fmt: skip
def test_baidu_refusals(status: int, outcome: str, requests: int) -> None:
    with serving(lambda path, p: (200, {"status": status, "message": "no"})) as server:
        assert baidu(server.url).search(TEMPLE).outcome == outcome
        assert len(server.seen) == requests


@pytest.mark.parametrize(
    ("status", "outcome"), [(500, "outage"), (429, "quota"), (403, "denied"), (302, "outage")]
)
def test_statuses(status: int, outcome: str) -> None:
    with serving(lambda path, p: (status, "{}")) as server:
        assert amap(server.url).search(TEMPLE).outcome == outcome


def test_an_outage_that_ends_is_no_outage() -> None:
    answers = iter([(503, ""), (200, amap_ok(amap_poi("灵峰寺", "110.0,30.0")))])
    with serving(lambda path, p: next(answers)) as server:
        assert amap(server.url).search(TEMPLE).outcome == "found"


def test_a_server_that_is_not_there_is_an_outage() -> None:
    with serving(lambda path, p: (200, {})) as server:
        url = server.url
    assert amap(url).search(TEMPLE).outcome == "outage"


def test_after_a_quota_nothing_more_is_sent() -> None:
    with serving(lambda path, p: (200, amap_error("10003", "over"))) as server:
        geocoder = amap(server.url)
        replies = ask_all(
            geocoder, [TEMPLE, GeocoderQuestion("竹篮巷", CITY), GeocoderQuestion("青莲湖", CITY)]
        )
        assert len(server.seen) == 1
    assert [reply.outcome for reply in replies] == ["quota"] * 3


def test_two_places_of_one_name_are_not_guessed() -> None:
    pois = [amap_poi("灵峰寺", "110.000000,30.000000"), amap_poi("灵峰寺", "110.400000,30.300000")]
    with serving(lambda path, p: (200, amap_ok(*pois))) as server:
        reply = amap(server.url).search(TEMPLE)
    assert reply.outcome == "ambiguous"
    assert reply.best is None
    assert len(reply.answers) == 2


def test_two_answers_at_one_place_are_one() -> None:
    pois = [amap_poi("灵峰寺", "110.000000,30.000000"), amap_poi("灵峰寺", "110.000500,30.000000")]
    with serving(lambda path, p: (200, amap_ok(*pois))) as server:
        assert amap(server.url).search(TEMPLE).outcome == "found"


def test_swapped_coordinates_are_put_right_and_said() -> None:
    with serving(lambda path, p: (200, amap_ok(amap_poi("灵峰寺", "30.01,110.02")))) as server:
        best = amap(server.url).search(TEMPLE).best
    assert best is not None
    assert float(distance_m(best.lat, best.lon, LAT, LON)) < 1_000
    assert best.note == "latitude and longitude were swapped"


def test_lasting_answers_are_asked_once_and_dated(tmp_path: Path) -> None:
    day = dt.date(2026, 3, 1)
    body: dict[str, Any] = {"now": amap_ok(amap_poi("灵峰寺", "110.0,30.0"))}
    asked = [TEMPLE, TEMPLE, GeocoderQuestion("竹篮巷", CITY), GeocoderQuestion("灵峰寺", None)]
    with serving(lambda path, p: (200, body["now"])) as server:
        cache = AnswerCache(tmp_path / "answers.sqlite", today=lambda: day)
        first = ask_all(amap(server.url), asked, cache)
        assert len(server.seen) == 3
        cache.close()
        body["now"] = amap_error("10003", "over")
        later = AnswerCache(tmp_path / "answers.sqlite", today=lambda: dt.date(2027, 1, 1))
        again = ask_all(amap(server.url), asked, later)
        assert len(server.seen) == 3
    assert again == first
    assert [reply.outcome for reply in again] == ["found", "found", "nothing", "found"]
    assert {reply.asked_on for reply in again} == {"2026-03-01"}
    assert b"k1" not in (tmp_path / "answers.sqlite").read_bytes()


def test_a_new_cache_is_opened_by_many_threads_at_once(tmp_path: Path) -> None:
    def work(place: Path) -> None:
        cache = AnswerCache(place)
        cache.note_wanting(CITY.city_id)
        cache.close()

    for round_ in range(40):
        place = tmp_path / f"{round_}.sqlite"
        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(work, place) for _ in range(8)]:
                done.result()
        cache = AnswerCache(place)
        assert cache.times_wanting(CITY.city_id) == 8
        cache.close()


def test_an_outage_is_not_kept_and_nothing_is_lost(tmp_path: Path) -> None:
    def answer(path: str, parameters: dict[str, str]) -> tuple[int, Any]:
        if parameters["keywords"] == "竹篮巷":
            return 500, ""
        return 200, amap_ok(amap_poi(parameters["keywords"], "110.0,30.0"))

    names = ["灵峰寺", "竹篮巷", "青莲湖"]
    with serving(answer) as server:
        cache = AnswerCache(tmp_path / "answers.sqlite")
        replies = ask_all(amap(server.url), [GeocoderQuestion(n, CITY) for n in names], cache)
    assert [reply.outcome for reply in replies] == ["found", "outage", "found"]
    assert len(cache) == 2


def test_reverse() -> None:
    regeo = {
        "status": "1", "info": "OK", "infocode": "10000",
        "regeocode": {
            "formatted_address": "云州市湖区", "pois": [amap_poi("灵峰寺", f"{GCJ[1]},{GCJ[0]}")],
        },
    }  # fmt: skip
    back = {
        "status": 0,
        "result": {
            "formatted_address": "云州市湖区",
            "pois": [{"name": "灵峰寺", "point": {"x": BD[1], "y": BD[0]}, "addr": "灵峰路"}],
        },
    }
    osm = {"lat": str(LAT), "lon": str(LON), "name": "灵峰寺", "display_name": "灵峰寺, 云州"}
    bodies = {"/v3/geocode/regeo": regeo, "/reverse_geocoding/v3/": back, "/reverse": osm}
    with serving(lambda path, p: (200, bodies[path])) as server:
        geocoders = (
            amap(server.url),
            baidu(server.url),
            Nominatim("mail@example.org", service=service(server.url)[0]),
        )
        replies = [ask_all(g, [PlacePoint(LAT, LON)])[0] for g in geocoders]
        sent = [parameters for _, parameters, _, _ in server.seen]
    for reply in replies:
        assert reply.best is not None
        assert near(reply.best.lat, reply.best.lon)
    assert sent[0]["location"] == f"{GCJ[1]:.6f},{GCJ[0]:.6f}"
    assert sent[1]["coordtype"] == "wgs84ll"
