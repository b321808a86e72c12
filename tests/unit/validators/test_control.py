"""The last split: rows in are rows kept and rows quarantined, whatever is wrong with them."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from schemas.arrow import frame, polars_schema
from schemas.tables import TABLES
from tests.counterexamples import good
from tests.counterexamples.good import A, Book
from validators.control import control

Tables = dict[str, pl.DataFrame]


@pytest.fixture
def book() -> Book:
    return good.book()


def split(book: Book) -> tuple[Tables, Tables, pl.DataFrame]:
    """Tables of one city before control, after it, and what was quarantined."""
    before = {name: frame(name, parts[A.slug]) for name, parts in book.items() if A.slug in parts}
    after, rejected = control(before, A.city_id)
    reporting = ("quarantine", "stage_counts")
    lost = sum(before[n].height - after[n].height for n in before if n not in reporting)
    assert lost == rejected.height
    assert rejected["quarantine_id"].is_unique().all()
    assert rejected.schema == polars_schema("quarantine")
    for name in before:
        assert after[name].schema == polars_schema(name)
    return before, after, rejected


def row(book: Book, table: str, **match: Any) -> dict[str, Any]:
    return next(r for r in book[table][A.slug] if all(r[k] == v for k, v in match.items()))


def test_good_rows_are_all_kept(book: Book) -> None:
    before, after, rejected = split(book)
    assert rejected.is_empty()
    assert all(before[name].equals(after[name]) for name in before)


@pytest.mark.parametrize(
    ("table", "values", "check"),
    [
        ("restaurants", {"price_cents": -1}, "minimum"),
        ("hotels", {"lat": 91.0}, "maximum"),
        ("hotels", {"datum_original": "mars"}, "codes"),
        ("restaurants", {"dishes": None}, "not_null"),
        ("city_stats", {"city_id": "shanghai"}, "pattern"),
    ],
)
def test_a_row_that_breaks_its_contract(
    book: Book, table: str, values: dict[str, Any], check: str
) -> None:
    broken = book[table][A.slug][-1]
    broken |= values
    _, after, rejected = split(book)
    (found,) = rejected.to_dicts()
    key = "/".join(str(broken[column]) for column in TABLES[table].key)
    assert (found["stage"], found["table"], found["row_id"]) == ("control", table, key)
    assert found["check"] == check
    assert str(next(iter(values.values()))) in found["message"] or values == {"dishes": None}
    assert json.loads(found["payload"])[next(iter(values))] == next(iter(values.values()))
    assert found["source_file"] == broken.get("source_file")
    assert after[table].height == len(book[table][A.slug]) - 1


def test_of_a_repeated_key_the_first_stays(book: Book) -> None:
    book["city_stats"][A.slug] *= 3
    _, after, rejected = split(book)
    assert after["city_stats"].height == 1
    assert rejected["check"].to_list() == ["key", "key"]


def test_a_place_geocoded_elsewhere(book: Book) -> None:
    """It goes, and with it all that refers to it."""
    row(book, "pois", poi_id=A.poi("museum"))["lat"] = A.lat - 20
    _, after, rejected = split(book)
    far = rejected.filter(check="far_from_city").to_dicts()
    assert [found["row_id"] for found in far] == [A.poi("museum")]
    assert "km from the city's centre" in far[0]["message"]
    referring = rejected.filter(check="reference")
    assert set(referring["table"]) == {
        "query_pois",
        "links",
        "poi_mentions",
        "poi_origins",
        "distances",
        "clusters",
        "poi_popularity",
    }
    assert A.poi("museum") not in after["query_pois"]["poi_id"]


def test_references_are_followed_to_the_end(book: Book) -> None:
    """A document that goes takes its evidence, which takes a fact; its trajectory takes a rank."""
    row(book, "documents", doc_id=A.doc("route_en"))["lang"] = "xx"
    _, after, rejected = split(book)
    by_table = dict(rejected.group_by("table").len().iter_rows())
    assert by_table["documents"] == 1
    for table in ("evidence", "poi_mentions", "trajectories", "query_documents"):
        assert by_table[table] >= 1
    assert by_table["poi_facts"] == 2, "two facts rest on its evidence"
    assert by_table["query_trajectories"] == 2, "its trajectory is gone"
    for name, definition in TABLES.items():
        for column, target in definition.references.items():
            other, _, other_column = target.partition(".")
            if name in after and other in after:
                known = after[other][other_column].implode()
                assert after[name].filter(~pl.col(column).is_in(known)).is_empty(), (name, column)


def test_what_names_a_row_that_is_gone_goes_with_it(book: Book) -> None:
    """The nearest station and the clusters of a hotel that is set aside."""
    hotel = book["hotels"][A.slug][0] | {"lat": 91.0}
    book["hotels"][A.slug][0] = hotel
    _, after, rejected = split(book)
    gone = rejected.filter(check="reference")
    assert dict(gone.group_by("table").len().iter_rows()) == {
        "nearest_stations": 1,
        "stay_clusters": 6,
    }
    for table in ("nearest_stations", "stay_clusters"):
        assert hotel["hotel_id"] not in after[table]["row_id"]


def test_equal_rows_give_equal_ids(book: Book) -> None:
    book["restaurants"][A.slug][0]["price_cents"] = -1
    book["city_stats"][A.slug] *= 3
    assert split(book)[2].equals(split(book)[2])


def test_a_broken_row_of_a_report_is_an_error_of_ours(book: Book) -> None:
    book["stage_counts"][A.slug][0]["rows_in"] = -5
    with pytest.raises(RuntimeError, match="stage_counts breaks its contract"):
        split(book)


def test_long_rows_are_cut(book: Book) -> None:
    book["hotels"][A.slug][-1] |= {"name_zh": "长" * 5000, "lat": 91.0}
    assert len(split(book)[2]["payload"][0]) == 2000
