"""What a world says of its places."""

from __future__ import annotations

from pathlib import Path

from tests.support.warehouse.exporting import HANGZHOU, ROWS, write_snapshot
from validators.plans.world import read_world
from warehouse.read import Snapshot


def test_a_code_of_two_vocabularies_has_the_name_of_its_own(tmp_path: Path) -> None:
    """``other`` is a type of attraction and a cuisine, with different Chinese names."""
    sights = [{**row, "base_type": "other"} for row in ROWS["pois"]["hangzhou"]]
    meals = [{**row, "cuisine": "other"} for row in ROWS["restaurants"]["hangzhou"]]
    path = write_snapshot(
        tmp_path / "odd", {"pois": {"hangzhou": sights}, "restaurants": {"hangzhou": meals}}
    )
    world = read_world(Snapshot(path), HANGZHOU.city_id)
    assert {"其它"} <= world.find("attraction", "古塔")[0].types
    assert world.find("restaurant", "面馆")[0].types == {"其他"}
