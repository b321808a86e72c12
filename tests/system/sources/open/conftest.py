"""A release of Overture on a local server, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shapely

from flows.open.fetch import FetchedPlaces, fetch, wish
from flows.settings.environment import Settings
from tests.support.sources.open import made
from tests.support.sources.open.servers import Asked, bucket

Run = Callable[..., FetchedPlaces]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Fetch the small city from providers of this machine."""

    def fetched(
        sources: str,
        out: str = "tables",
        *,
        city: str = "Évora",
        bbox: str | None = None,
        offline: bool = False,
        refresh: bool = False,
        **settings: Any,
    ) -> FetchedPlaces:
        # Servers outside are never asked by a test: what is not given leads nowhere.
        nowhere = {"overture_url": "http://127.0.0.1:9", "overpass_url": "http://127.0.0.1:9"}
        given = Settings.unset(**{"delay_s": 0.0, **nowhere, **settings})
        asked = wish([sources], [city], bbox, tmp_path / "archive", given,
                     offline=offline, refresh=refresh)  # fmt: skip
        return fetch(asked, tmp_path / out)

    return fetched


PLACES = [
    made.place("Museu da Pedra", "museum", websites=["x"]),
    made.place("Museu da Pedra", "museum", made.LAT + 0.0002, id="id-again"),
    made.place("Hotel do Sol", "hotel", made.LAT + 0.01),
    made.place("Tasca Verde", "portuguese_restaurant", made.LAT - 0.01),
    made.place("Estação Velha", "train_station", made.LAT, made.LON - 0.02),
    made.place("Clínica", "dentist"),
    made.place("Fechado", "museum", operating_status="permanently_closed"),
    made.place("Outside the corner", "museum", made.LAT + 0.045, made.LON + 0.045),
    made.place("Far away", "museum", 60.0, 10.0),
    made.place("New words", "x", categories=None, id="id-new", taxonomy={
        "primary": "wax_museum", "hierarchy": ["arts_and_entertainment", "museum", "wax_museum"],
        "alternates": None}),
]  # fmt: skip


@pytest.fixture
def release(tmp_path: Path) -> Iterator[Asked]:
    """A bucket with an old release and a new one."""
    region = shapely.box(made.LON - 1, made.LAT - 1, made.LON + 1, made.LAT + 1)
    divisions = [made.division("Évora", made.boundary()), made.division("Évora", region, "region"),
                 made.division("Portugal", region, "country")]  # fmt: skip
    made.write_release(tmp_path / "bucket", PLACES, divisions)
    made.write_release(tmp_path / "bucket", PLACES[:1], divisions, release="2026-09-23.1")
    with bucket(tmp_path / "bucket", page_size=1) as server:
        yield server
