"""Measure the time and peak memory for reading a made-up GTFS feed of any size into tables.

python -m benchmarks.gtfs --stop-times 2000000
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from flows.open.fetch import fetch, wish
from flows.settings.environment import Settings
from schemas.cities import find_city

_CITY = "Lisbon"
_STOPS_A_LINE = 40
_SIDE_DEG = 0.1
_HEADS = {
    "stops": "stop_id,stop_name,stop_lat,stop_lon,zone_id",
    "routes": "route_id,route_short_name,route_type",
    "trips": "route_id,service_id,trip_id",
    "stop_times": "trip_id,arrival_time,departure_time,stop_id,stop_sequence",
}


def rows_of(stop_times: int, lines: int) -> Iterator[tuple[str, str]]:
    """Yield the file names and rows of a feed that has parallel lines across the city, with trips
    throughout the day.
    """
    city = find_city(_CITY)
    for line in range(lines):
        yield "routes", f"r{line},{line},3"
        for n in range(_STOPS_A_LINE):
            lat = city.lat - _SIDE_DEG + 2 * _SIDE_DEG * line / lines
            lon = city.lon - _SIDE_DEG + 2 * _SIDE_DEG * n / _STOPS_A_LINE
            yield "stops", f"s{line}-{n},Stop {line}-{n},{lat:.5f},{lon:.5f},A"
    for number in range(stop_times // _STOPS_A_LINE):
        line, start = number % lines, 18_000 + number // lines * 97 % 68_000
        yield "trips", f"r{line},all,t{number}"
        for n in range(_STOPS_A_LINE):
            at = start + n * 90
            text = f"{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}"
            yield "stop_times", f"t{number},{text},{text},s{line}-{n},{n + 1}"


def write_feed(path: Path, stop_times: int, lines: int) -> None:
    """Write the feed as a zip archive, row by row."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: (Path(folder) / f"{name}.txt").open("w") for name in _HEADS}
        for name, head in _HEADS.items():
            files[name].write(f"{head}\n")
        for name, row in rows_of(stop_times, lines):
            files[name].write(f"{row}\n")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, handle in files.items():
                handle.close()
                archive.write(handle.name, f"{name}.txt")
            archive.writestr(
                "calendar_dates.txt", "service_id,date,exception_type\nall,20261201,1\n"
            )
            archive.writestr("fare_attributes.txt", "fare_id,price,currency_type\none,2.00,EUR\n")


def main() -> None:
    """Take the measurements and print them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stop-times", type=int, default=2_000_000)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument(
        "--feed", type=Path, help="feed to import; if the file is missing, a feed is written to it"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = args.feed or Path(folder) / "feed.zip"
        if not path.is_file():
            write_feed(path, args.stop_times, args.lines)
            if args.feed is not None:
                sys.stdout.write(
                    f"the feed was written to {path}: run the command again to measure its import\n"
                )
                return
        city = find_city(_CITY)
        box = (city.lon - 0.2, city.lat - 0.2, city.lon + 0.2, city.lat + 0.2)
        started = time.monotonic()
        asked = wish(
            [f"gtfs={path}"], [_CITY], ",".join(f"{side:.3f}" for side in box),
            Path(folder) / "archive", Settings.unset(), offline=False, refresh=False,
        )  # fmt: skip
        found = fetch(asked, Path(folder) / "tables")
        account = found.cities[city.slug]["providers"][0]
        told = {
            "rows": account["rows"], "kept": account["kept"],
            "stations": found.cities[city.slug]["tables"]["metro_stations"]["rows"],
            "seconds": round(time.monotonic() - started, 1),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }  # fmt: skip
        sys.stdout.write(f"{json.dumps(told)}\n")


if __name__ == "__main__":
    main()
