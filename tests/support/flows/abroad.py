"""Small cities abroad, with tables and documents of our own:
Lisbon has trains, New York has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_SIGHTS = "name_en,lat,lon,types,price,currency,opening_hours"
_ROOMS = (("single", 0.8), ("king", 1.0), ("double", 1.1), ("family", 1.6))


@dataclass(frozen=True)
class Abroad:
    """One city's inputs: lines of its tables, sights by day for its documents."""

    city: str
    currency: str
    sights: tuple[str, ...]
    hotels: tuple[tuple[str, float, float, int, str], ...]
    meals: tuple[str, ...]
    trains: tuple[str, ...] = ()
    hub: str = ""

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Tables and documents below a folder."""
        tables, pages = folder / "tables", folder / "pages"
        tables.mkdir(parents=True)
        pages.mkdir()
        rooms = [
            f"{name},{lat},{lon},{feature},{kind},{round(price * share)},{self.currency},5"
            for name, lat, lon, price, feature in self.hotels
            for kind, share in _ROOMS
        ]
        _lines(tables / "gazetteer.csv", _SIGHTS, self.sights)
        head = "name_en,lat,lon,feature,room_type,price,currency,stock"
        _lines(tables / "hotels.csv", head, rooms)
        head = "name_en,lat,lon,cuisine,price,currency,opening_hours"
        _lines(tables / "restaurants.csv", head, self.meals)
        if self.trains:
            head = "train_id,from_city,from_station,to_city,to_station,departure,arrival,price,currency"
            _lines(tables / "trains.csv", head, self.trains)
            _lines(tables / "hubs.csv", "city,name,lat,lon", [self.hub])
        names = [line.split(",")[0] for line in self.sights]
        for number in range(3):
            a, b, c, d, e = (names[(number + k) % len(names)] for k in range(5))
            (pages / f"page{number}.md").write_text(
                f"# Two days in {self.city}\n\n## Day 1\n\nIn the morning we visited {a}, then"
                f" walked to {b}. In the afternoon we went to {c}.\n\n## Day 2\n\nWe started at {d}"
                f" and visited {e} after lunch.\n",
                encoding="utf-8",
            )
        return tables, pages


def _lines(path: Path, head: str, lines: list[str] | tuple[str, ...]) -> None:
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


LISBON = Abroad(
    "Lisbon", "EUR",
    (
        "Belem Tower,38.6916,-9.2160,historic_site,8,EUR,Tu-Su 09:30-18:00; PH off",
        "Jeronimos Monastery,38.6979,-9.2068,historic_site,12,EUR,Mo-Su 10:00-18:00",
        "Sao Jorge Castle,38.7139,-9.1335,historic_site,15,EUR,Mo-Su 09:00-21:00; Dec 25 off",
        "National Tile Museum,38.7246,-9.1139,museum_memorial,8,EUR,Tu-Su 10:00-18:00",
        "Gulbenkian Museum,38.7371,-9.1537,museum_memorial,10,EUR,10:00-18:00",
        "Maritime Museum,38.6975,-9.2083,museum_memorial,7,EUR,10:00-17:00",
        "Estrela Garden,38.7146,-9.1590,park,0,EUR,24/7",
        "Eduardo VII Park,38.7290,-9.1530,park,0,EUR,24/7",
    ),
    (
        ("Chiado Corner Hotel", 38.7108, -9.1420, 140, "gym"),
        ("Alfama Rooms", 38.7120, -9.1290, 75, ""),
        ("Avenida Grand", 38.7200, -9.1460, 210, "gym"),
    ),
    (
        "Marisqueira do Cais,38.7060,-9.1450,seafood,32,EUR,12:00-23:00",
        "Peixe Fresco,38.7090,-9.1400,seafood,25,EUR,12:00-22:00",
        "Mar e Sal,38.7115,-9.1365,seafood,28,EUR,12:00-22:00",
        "Cafe da Graca,38.7170,-9.1310,cafe,7,EUR,09:00-20:00",
    ),
    (
        "AP 120,Porto,Campanha,Lisbon,Oriente,06:47,09:30,25,EUR",
        "AP 127,Lisbon,Oriente,Porto,Campanha,18:09,20:52,25,EUR",
        "IC 520,Porto,Campanha,Lisbon,Oriente,07:38,10:46,20,EUR",
        "IC 523,Lisbon,Oriente,Porto,Campanha,19:39,22:47,20,EUR",
    ),
    "Lisbon,Oriente,38.7679,-9.0990",
)  # fmt: skip

NEW_YORK = Abroad(
    "New York City", "USD",
    (
        "Central Park,40.7812,-73.9665,park,0,USD,06:00-24:00",
        "High Line,40.7480,-74.0048,park,0,USD,07:00-22:00",
        "Bryant Park,40.7536,-73.9832,park,0,USD,07:00-22:00",
        "Museum of Modern Art,40.7614,-73.9776,museum_memorial,30,USD,10:30-17:30",
        "Metropolitan Museum of Art,40.7794,-73.9632,museum_memorial,30,USD,10:00-17:00",
    ),
    (("Midtown Arms", 40.7560, -73.9860, 260, ""),),
    ("Village Espresso,40.7330,-74.0010,cafe,9,USD,07:00-19:00",),
)  # fmt: skip
