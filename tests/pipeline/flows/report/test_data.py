"""What the report says, against rows that are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.report.figures import histogram
from flows.report.render import collect
from flows.report.texts import clean
from schemas.cities import find_city
from tests.support.flows.report.snapshots import Rows, city_rows, write


@pytest.fixture(scope="module")
def data(snapshot: Path) -> dict[str, Any]:
    return collect(snapshot)


@pytest.fixture(scope="module")
def city(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["cities"][0]
    assert found["slug"] == "hangzhou"
    return found


def by_name(city: dict[str, Any], name: str) -> dict[str, Any]:
    (poi,) = [poi for poi in city["pois"] if poi.get("name_zh") == name]
    return dict(poi)


def test_bars_begin_at_their_edge() -> None:
    assert histogram([0, 1, 1999, 2000, 99_999], (0, 1, 2000)) == [1, 2, 2]


def test_prices_take_the_latest_statement_of_a_place(city: dict[str, Any]) -> None:
    # Mirror Lake: 30 yuan in 2025, 60 in 2026; the temple is free; the hall is unknown.
    assert city["histograms"]["poi_price"] == [1, 0, 0, 1, 0, 0, 0]


def test_a_hotel_counts_once_with_its_cheapest_room(city: dict[str, Any]) -> None:
    assert city["histograms"]["hotel_price"] == [0, 1, 0, 0, 0, 0]


def test_open_hours_are_counted_by_hour_of_the_week(city: dict[str, Any]) -> None:
    assert city["open_hours"]["known"] == 1
    opened = [hour for hour, places in enumerate(city["open_hours"]["open"]) if places]
    assert opened == [day * 24 + hour for day in range(5) for hour in range(8, 18)]


def test_a_night_out_wraps_into_monday(tmp_path: Path) -> None:
    rows = city_rows("hangzhou")
    (hours,) = [fact for fact in rows["poi_facts"] if fact["fact_field"] == "opening_hours"]
    hours["hours_weekly"] = [{"weekday": 6, "open_min": 1320, "close_min": 1440 + 150}]
    (city,) = collect(write(tmp_path, {"hangzhou": rows}))["cities"]
    opened = [hour for hour, places in enumerate(city["open_hours"]["open"]) if places]
    assert opened == [0, 1, 2, 166, 167]


def test_known_shares_count_places_and_their_floor(city: dict[str, Any]) -> None:
    known = {(table, field): rest for table, field, *rest in city["known"]}
    assert known["pois", "name_en"] == [2, 3, 0.5]
    assert known["pois", "lat"] == [2, 3, None]
    assert known["pois", "trend_types"] == [0, 3, None]
    assert known["poi_facts", "ticket_price"] == [2, 3, None]
    assert known["documents", "licence_hint"] == [1, 2, None]


def test_the_plan_is_the_profile_s(city: dict[str, Any]) -> None:
    assert len(city["plan"]) == len(city["queries"]) == 10
    assert ["season", "winter", 3] in city["plan"]


def test_a_family_without_strata_has_no_plan(tmp_path: Path) -> None:
    path = write(
        tmp_path, {"hangzhou": city_rows("hangzhou")}, profile={"families": ["traveleval"]}
    )
    assert collect(path)["cities"][0]["plan"] is None


def test_quarantine_counts_all_and_shows_some(city: dict[str, Any]) -> None:
    (reason,) = city["quarantine"]
    assert (reason["stage"], reason["check"], reason["n"]) == ("pois", "unknown_place", 7)
    assert len(reason["examples"]) == 5


def test_merges_name_the_place_and_the_original(city: dict[str, Any]) -> None:
    assert city["merges"]["names"] == [[["镜湖", "Mirror Lake"], ["Looking-glass Lake"]]]
    assert city["merges"]["documents"] == [["blogs/copy.md", "blogs/route.md"]]


def test_a_place_carries_parents_facts_and_where_it_is_known_from(city: dict[str, Any]) -> None:
    lake = by_name(city, "镜湖")
    (temple,) = [poi for poi in city["pois"] if "parents" in poi]
    assert city["pois"][temple["parents"][0]] == lake
    assert lake["origin"] == "gazetteer.csv:2"
    assert ["ticket_price", "always", "60 CNY", 1, "2026-01-01"] in lake["facts"]
    assert lake["clusters"] == [0] * 6
    assert "at" not in by_name(city, "abcgnp.exe")


def test_a_trajectory_leads_from_place_to_place(city: dict[str, Any]) -> None:
    (route,) = city["trajectories"]
    assert [day for day, _ in route["stops"]] == [1, 2]
    assert city["pois"][route["stops"][0][1]]["name_zh"] == "镜湖"
    assert route["edits"] == [1, 1]
    assert (route["queries"], route["best"], route["way"]) == (1, 1, [1234, 1200])


def test_sources_by_folder_and_file(city: dict[str, Any]) -> None:
    (folder,) = city["documents"]
    assert (folder["from"], folder["n"], folder["without_licence"]) == ("blogs/", 2, 1)
    assert folder["licences"] == ["CC BY 4.0"]
    assert city["files"] == [["gazetteer.csv", "pois", 1], ["hotels.csv", "hotels", 1]]


def test_a_train_is_counted_at_one_city(tmp_path: Path) -> None:
    tables = {slug: city_rows(slug) for slug in ("hangzhou", "suzhou")}
    tables["hangzhou"]["trains"] = [
        _train("1", "hangzhou", "suzhou"),
        _train("2", "suzhou", "hangzhou"),
        _train("3", "beijing", "suzhou"),
    ]
    cities = collect(write(tmp_path, tables))["cities"]
    assert [city["rows"]["trains"] for city in cities] == [1, 2]


def _train(number: str, origin: str, destination: str) -> dict[str, Any]:
    return {
        "train_id": number, "origin_city_id": find_city(origin).city_id,
        "destination_city_id": find_city(destination).city_id, "train_no": f"G{number}",
        "origin_station": "a", "destination_station": "b", "departure_min": 1, "arrival_min": 61,
        "arrival_day_offset": 0, "duration_min": 60, "is_simulated": False,
        "source_file": "trains.csv", "source_line": 2,
    }  # fmt: skip


def test_accounts_follow_the_order_of_the_stages(city: dict[str, Any]) -> None:
    assert city["stage_counts"] == [
        ["pois", "pois", 12, 3, 2, 7, 0],
        ["queries", "queries", 10, 10, 0, 0, 0],
    ]


def test_other_layers_of_the_map(tmp_path: Path) -> None:
    rows = city_rows("hangzhou")
    key, lake = rows["cities"][0]["city_id"], rows["pois"][0]["poi_id"]
    document = rows["documents"][0]["doc_id"]
    rows["evidence"].append(
        {
            "evidence_id": f"ev_{'1' * 20}",
            "city_id": key,
            "evidence_kind": "document",
            "doc_id": document,
            "start": 0,
            "end": 2,
            "quote_sha256": "0" * 64,
        }
    )
    rows["pois"][1]["evidence_id"] = f"ev_{'1' * 20}"
    rows["poi_tags"] = [
        {
            "poi_id": lake,
            "city_id": key,
            "context_id": context,
            "tag": "visited",
            "evidence_id": f"ev_{n * 20}",
        }
        for context, n in (("season:winter", "1"), ("season:winter", "2"), ("any:any", "3"))
    ]
    rows["restaurants"] = [
        {
            "restaurant_id": str(n),
            "city_id": key,
            "name_zh": "面馆",
            "lat": lat,
            "lon": 120.0 if lat else None,
            "datum_original": "gcj02",
            "price_cents": 2_500,
            "currency": "JPY",
            "dishes": [],
            "is_simulated": True,
            "source_file": "r.csv",
            "source_line": n,
        }
        for n, lat in ((2, 30.123456), (3, None))
    ]
    rows["metro_stations"] = [
        {
            "station_id": f"s{n}",
            "city_id": key,
            "line": "1",
            "sequence": n,
            "name": f"站{n}",
            "lat": 30.0 + n,
            "lon": 120.0,
            "datum_original": "gcj02",
            "source_file": "m.json",
            "source_line": n,
        }
        for n in (2, 1)
    ]
    path = write(tmp_path, {"hangzhou": rows})
    (path / "run.json").unlink()
    data = collect(path)
    (city,) = data["cities"]
    assert by_name(city, "镜湖")["tags"] == [["season:winter", 2], ["any:any", 1]]
    assert "blogs/route.md" in {poi.get("origin") for poi in city["pois"]}
    assert city["restaurants"] == [[30.12346, 120.0, "面馆", "", None, 2_500, "JPY"]]
    assert city["metro"] == [["1", [[31.0, 120.0, "站1"], [32.0, 120.0, "站2"]]]]
    assert ["restaurants", 2, 2] in city["simulated"]
    assert data["run"] == {}


def test_gates_come_failed_first(data: dict[str, Any]) -> None:
    assert [gate["gate_id"] for gate in data["gates"]] == ["known_share", "key_unique"]


def test_a_city_without_rows_is_still_shown(tmp_path: Path) -> None:
    bare: Rows = {"cities": [find_city("hangzhou").row()]}
    (city,) = collect(write(tmp_path, {"hangzhou": bare}, run={}))["cities"]
    assert city["pois"] == city["trajectories"] == city["quarantine"] == []
    assert city["open_hours"]["known"] == 0


def test_texts_lose_what_does_not_show() -> None:
    assert clean("a\u202eb\u0007 \n c\u200d") == "ab c"
    assert clean("x" * 500) == "x" * 159 + "…"
    assert clean(None) == ""


def test_documents_that_were_given_are_counted_and_shown_unused_first(data: dict[str, Any]) -> None:
    assert data["given"]["counts"] == [3, 1, 1, 1]
    statuses = [row[1] for row in data["given"]["rows"]]
    assert statuses == ["set_aside", "waiting", "used"]
    assert data["given"]["rows"][2][3] == ["hangzhou", "suzhou"]
    assert data["given"]["n_problems"] == 1


def test_nobody_misses_chinese_names_abroad(tmp_path: Path) -> None:
    def fields(slug: str) -> set[str]:
        rows = city_rows(slug)
        for row in rows["pois"]:
            row["name_zh"] = None
        (city,) = collect(write(tmp_path / slug, {slug: rows}))["cities"]
        return {field for table, field, *_ in city["known"] if table == "pois"}

    assert fields("hangzhou") - fields("lisbon") == {"name_zh"}
