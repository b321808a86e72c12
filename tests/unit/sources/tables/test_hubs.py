"""Stations and airports of the traveleval layout."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.geo import distance_m, wgs84_to_gcj02
from sources.tables.traveleval import read_traveleval
from tests.unit.sources.tables.conftest import Source, kinds, train

HERE = (30.2900, 120.2100)


def poi_json(source: Source, entries: object) -> None:
    source.write("poi/hangzhou/poi.json", json.dumps(entries, ensure_ascii=False))


def entry(name: str) -> dict[str, Any]:
    return {"name": name, "position": list(wgs84_to_gcj02(*HERE))}


def test_a_station_that_a_train_names_is_a_hub_in_wgs84(source: Source) -> None:
    source.trains(train())
    start = source.read().trains["origin_station"][0]
    poi_json(source, [entry("一处别的地方"), entry(start)])
    row = source.read().hubs.row(0, named=True)
    assert (row["name"], row["datum_original"], row["source_line"]) == (start, "gcj02", 2)
    assert distance_m(row["lat"], row["lon"], *HERE) < 1


def test_a_place_that_no_connection_names_is_no_hub(source: Source) -> None:
    source.trains(train())
    poi_json(source, [entry("一处别的地方")])
    imported = source.read()
    assert imported.hubs.height == 0
    assert ("mark", "hub_without_coordinates") in kinds(imported, "hubs")


def test_a_hub_without_a_position_is_set_aside(source: Source) -> None:
    source.trains(train())
    start = source.read().trains["origin_station"][0]
    poi_json(source, [{"name": start, "position": None}])
    imported = source.read()
    assert imported.hubs.height == 0
    assert imported.quarantine.filter(imported.quarantine["table"] == "hubs").height == 1


def test_a_hub_far_outside_the_city_is_set_aside(source: Source) -> None:
    source.trains(train())
    start = source.read().trains["origin_station"][0]
    near, far = entry(start), entry(start)
    far["position"] = [near["position"][0] + 8, near["position"][1]]
    poi_json(source, [far])
    imported = source.read()
    assert imported.quarantine.filter(table="hubs")["check"].to_list() == ["hub_of_another_city"]


def test_a_source_without_the_file_says_so(source: Source) -> None:
    assert ("mark", "file_missing") in kinds(source.read(), "hubs")


def test_a_file_that_is_no_list_is_refused(source: Source) -> None:
    poi_json(source, {"name": "x"})
    with pytest.raises(Exception, match="a list of names and positions"):
        read_traveleval(source.directory, source.city)
