"""Rows of schema.org data behind the main text of a page."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from sources.web.main_text import parse_document
from sources.web.schema_org import schema_org_blocks


def page(*data: Any, body: str = "") -> str:
    scripts = "".join(
        f'<script type="application/ld+json">{d if isinstance(d, str) else json.dumps(d)}</script>'
        for d in data
    )
    return (
        f"<html><head>{scripts}</head><body><p>schema.org says it all here.</p>{body}</body></html>"
    )


def rows(*data: Any, body: str = "") -> list[str]:
    blocks = schema_org_blocks(page(*data, body=body))
    return [block.text for block in blocks if block.kind == "table_row"][1:]


def museum(**stated: Any) -> dict[str, Any]:
    return {"@context": "https://schema.org", "@type": "Museum", "name": "Salt Museum", **stated}


def offer(price: Any, currency: str = "EUR", **more: Any) -> dict[str, Any]:
    return {"@type": "Offer", "price": price, "priceCurrency": currency, **more}


def test_a_sight_is_a_row_of_the_document_with_its_offsets() -> None:
    data = museum(
        openingHours="Mo-Sa 10:00-18:00",
        offers=offer("12"),
        geo={"latitude": 1.5, "longitude": "2.25"},
        address={"addressLocality": "Testford"},
    )
    document = parse_document(page(data).encode(), "a.html")
    row = "Salt Museum | Mon-Sat 10:00-18:00 | 12.00 EUR | Testford | 1.50000, 2.25000"
    block = next(block for block in document.blocks if block.text == row)
    assert document.text[block.start : block.start + len(row)] == row


def test_a_page_without_data_is_the_same_as_before() -> None:
    assert schema_org_blocks("<html><body><p>Nothing stated.</p></body></html>") == []


@pytest.mark.parametrize(
    "price", [-1, "-1", 1e308, "1e308", float("nan"), "NaN", "twelve", True, None, [], {}]
)
def test_a_price_that_can_be_none_is_left_out(price: Any) -> None:
    assert rows(museum(offers=offer(price))) == ["Salt Museum |  |  |  | "]


def test_money_that_nobody_pays_with_is_left_out() -> None:
    assert rows(museum(offers=offer(5, "XXQ"))) == ["Salt Museum |  |  |  | "]


def test_hours_of_some_weeks_are_not_those_of_the_year() -> None:
    special = {
        "opens": "01:00",
        "closes": "02:00",
        "validFrom": "2026-12-24",
        "dayOfWeek": "Monday",
    }
    plain = {"opens": "10:00", "closes": "18:00", "dayOfWeek": ["Monday", "Tuesday", "Wednesday"]}
    found = rows(museum(openingHoursSpecification=[special, plain]))
    assert found == ["Salt Museum | Mon-Wed 10:00-18:00 |  |  | "]


@pytest.mark.parametrize(
    ("lat", "lon"), [(91, 0), (0, 181), ("x", 0), (float("inf"), 0), (None, 3)]
)
def test_a_point_beyond_the_globe_is_left_out(lat: Any, lon: Any) -> None:
    found = rows(museum(geo={"latitude": lat, "longitude": lon}))
    assert found == ["Salt Museum |  |  |  | "]


def test_hotels_meals_and_the_site_itself_are_no_sights() -> None:
    others = [
        {**museum(offers=offer(5)), "@type": kind}
        for kind in ("Hotel", "Restaurant", "Organization", "Product")
    ]
    assert rows(*others) == []


def test_cells_hold_no_tags_and_no_marks_of_cells() -> None:
    assert rows(museum(name="<b>Salt</b> | Museum", offers=offer(5)))[0].startswith(
        "Salt / Museum | "
    )


def test_days_of_a_trip_are_its_trips() -> None:
    stops = [{"@type": "Place", "name": name} for name in ("Salt Museum", "Mossgate Park")]
    trips = [{"@type": "TouristTrip", "itinerary": [stop]} for stop in stops]
    assert rows({"@context": "https://schema.org", "@type": "TouristTrip", "subTrip": trips}) == [
        "1 | Salt Museum", "2 | Mossgate Park",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{"@context":"https://schema.org","@graph":['
        + ",".join([json.dumps(museum())] * 50_000)
        + "]}",
        '{"@type":' * 10_000 + '"Museum"' + "}" * 10_000,
        "[" * 10_000 + "]" * 10_000,
        '{"a":' * 900 + json.dumps(museum(offers=offer(5))) + "}" * 900,
        "{not json",
        '{"@type":"Museum","name":' + "9" * 5_000 + "}",
    ],
    ids=["5 MB", "deep objects", "deep lists", "deep museum", "no json", "endless number"],
)
def test_hostile_json_is_bounded_and_the_page_is_read(text: str) -> None:
    begun = time.process_time()
    assert rows(text) == []
    assert "says it all" in parse_document(page(text).encode(), "a.html").text
    assert time.process_time() - begun < 4


def test_thousands_of_sights_are_some_hundred_rows() -> None:
    many = [{**museum(offers=offer(5)), "name": f"Museum {n}"} for n in range(3_000)]
    assert len(rows(many)) == 200


def test_nested_microdata_is_bounded() -> None:
    item = '<div itemscope itemtype="https://schema.org/Museum"><b itemprop="name">Salt Museum</b>'
    body = item * 2_000 + "</div>" * 2_000
    begun = time.process_time()
    assert len(rows(body=body)) <= 1
    assert time.process_time() - begun < 4


def test_cells_that_span_a_million_columns_stay_one_cell() -> None:
    table = (
        '<table><tr><td colspan="1000000" rowspan="1000000">Salt Museum</td><td>9</td></tr></table>'
    )
    document = parse_document(
        f"<html><body><p>Long enough.</p>{table}</body></html>".encode(), "a.html"
    )
    assert len(document.text) < 100
