"""Invented GTFS feeds of the small city: two lines, a train, fares, and ways to break them."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.support.sources.open.made import LAT, LON

#: Beja, to which the made train goes.
BEJA = (38.01506, -7.86323)
#: Stops from west to east on the green line, and from south to north on the blue one.
STOPS = {
    "w1": ("West Gate", 0.0, -0.03),
    "w2": ("Mill", 0.0, -0.015),
    "mid-g": ("Market", 0.0, 0.0),
    "e1": ("East Gate", 0.0, 0.02),
    "s1": ("South Park", -0.03, 0.0),
    "n1": ("North Hill", 0.03, 0.0),
}
DAY = ("20260901", "20261231")


def _lines(*rows: str) -> str:
    return "\n".join(rows) + "\n"


def _trips(
    line: str, stops: tuple[str, ...], starts: range, hop_s: int
) -> tuple[list[str], list[str]]:
    """Trips there and back from each start (minutes after midnight), a hop as long as another."""
    trips, times = [], []
    for start in starts:
        for way, course in enumerate((stops, stops[::-1])):
            trip = f"{line}-{start}-{way}"
            trips.append(f"{line},week,{trip},{way}")
            for n, stop in enumerate(course):
                at = start * 60 + n * hop_s
                text = f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}"
                times.append(f"{trip},{text},{text},{stop},{n + 1}")
    return trips, times


def feed(**changed: str | bytes | None) -> dict[str, str | bytes]:
    """The files of a good feed by name without ``.txt``; a change of None leaves one out."""
    green = _trips("green", ("w1", "w2", "mid-g", "e1"), range(360, 1440, 20), 240)
    blue = _trips("blue", ("s1", "mid-b", "n1"), range(365, 1440, 30), 300)
    night = (
        ["green,week,late,0"],
        [
            f"late,{t},{t},{s},{n}"
            for n, (t, s) in enumerate(
                (("23:55:00", "w1"), ("23:59:00", "w2"), ("24:03:00", "mid-g"), ("24:07:00", "e1")),
                1,
            )
        ],
    )
    files: dict[str, str | bytes | None] = {
        "agency": _lines(
            "agency_id,agency_name,agency_url,agency_timezone",
            "a,Made Transit,http://127.0.0.1/,Europe/Lisbon",
        ),
        "feed_info": _lines(
            "feed_publisher_name,feed_publisher_url,feed_lang,feed_version",
            "Made Publisher,http://127.0.0.1/,pt,7",
        ),
        "calendar": _lines(
            "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date",
            f"week,1,1,1,1,1,0,0,{DAY[0]},{DAY[1]}",
            f"end,0,0,0,0,0,1,1,{DAY[0]},{DAY[1]}",
        ),
        "calendar_dates": _lines("service_id,date,exception_type", "week,20261201,2"),
        "stops": _lines(
            "stop_id,stop_name,stop_lat,stop_lon,zone_id,location_type,parent_station",
            *(
                f"{key},{name},{LAT + north:.5f},{LON + east:.5f},{'B' if key == 'n1' else 'A'},0,"
                + ("market" if key == "mid-g" else "")
                for key, (name, north, east) in STOPS.items()
            ),
            f"mid-b,Market platform 2,{LAT:.5f},{LON:.5f},A,0,market",
            f"market,Market,{LAT:.5f},{LON:.5f},A,1,",
            f"door,Market door,{LAT:.5f},{LON:.5f},,2,market",
            f"rail,Évora Station,{LAT:.5f},{LON - 0.01:.5f},R,0,",
            f"beja,Beja Station,{BEJA[0]},{BEJA[1]},R,0,",
            "abroad,Badajoz,38.8794,-6.9707,,0,",
        ),
        "routes": _lines(
            "route_id,agency_id,route_short_name,route_long_name,route_type",
            "green,a,G,Green line,0",
            "blue,a,B,Blue line,3",
            "ic,a,IC,Intercity,2",
        ),
        "trips": _lines(
            "route_id,service_id,trip_id,direction_id",
            *green[0],
            *blue[0],
            *night[0],
            "green,end,weekend,0",
            "ic,week,ic1,0",
            "ic,week,ic2,1",
            "ic,week,ic3,1",
            "ic,week,ic4,0",
        ),
        "stop_times": _lines(
            "trip_id,arrival_time,departure_time,stop_id,stop_sequence",
            *green[1],
            *blue[1],
            *night[1],
            "weekend,10:00:00,10:00:00,w1,1",
            "weekend,10:10:00,10:10:00,w2,2",
            "ic1,08:00:00,08:05:00,rail,1",
            "ic1,09:05:00,09:05:00,beja,2",
            "ic2,23:30:00,23:30:00,beja,1",
            "ic2,24:40:00,24:45:00,rail,2",
            "ic2,25:50:00,25:50:00,abroad,3",
            "ic3,07:00:00,07:00:00,beja,1",
            "ic3,08:10:00,08:15:00,rail,2",
            "ic4,19:00:00,19:00:00,rail,1",
            "ic4,20:10:00,20:10:00,beja,2",
        ),
        "transfers": _lines(
            "from_stop_id,to_stop_id,transfer_type,min_transfer_time", "mid-g,mid-b,2,120"
        ),
        "fare_attributes": _lines(
            "fare_id,price,currency_type,payment_method,transfers,transfer_duration",
            "one,1.50,EUR,0,1,3600",
            "two,2.30,EUR,0,1,3600",
            "train,9.10,EUR,0,0,",
        ),
        "fare_rules": _lines(
            "fare_id,route_id,origin_id,destination_id",
            "one,,A,A",
            "two,,A,B",
            "two,,B,A",
            "train,ic,R,R",
        ),
    }
    files.update(changed)
    return {name: text for name, text in files.items() if text is not None}


def write(path: Path, files: Mapping[str, str | bytes], folder: str = "") -> Path:
    """The files as a zip."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"{folder}{name}.txt", text)
    return path
