"""Names that documents have for places of tables: aliases, and names in English."""

from __future__ import annotations

import polars as pl
import pytest

from geocoding.places import TablePlaces, places_from_tables
from geocoding.surface_forms import FORMS, with_surface_forms
from tests.support.geocoding.builders import CITY, attraction, attractions

TABLE = (attraction(1, "望湖塔"), attraction(2, "青莲寺", 900.0, name_en="Lotus Temple"))


@pytest.fixture
def places() -> TablePlaces:
    return places_from_tables(attractions(*TABLE), CITY)


def forms(places: TablePlaces, *rows: tuple[int, str, str, int]) -> pl.DataFrame:
    """Rows of (document, form, the place's own name, score)."""
    ids = dict(places.pois.select("name_zh", "poi_id").iter_rows())
    made = [
        {"doc_id": f"d{doc}", "name": name, "poi_id": ids[of], "score": score,
         "evidence_id": f"ev_{doc}_{name}"}
        for doc, name, of, score in rows
    ]  # fmt: skip
    return pl.DataFrame(made, schema=FORMS, orient="row")


def names(places: TablePlaces) -> tuple[set[tuple[str, str]], dict[str, str | None]]:
    """Aliases by the place's name, and English names."""
    zh = dict(places.pois.select("poi_id", "name_zh").iter_rows())
    aliases = {(zh[p], a) for p, a in places.aliases.select("poi_id", "alias").iter_rows()}
    return aliases, dict(places.pois.select("name_zh", "name_en").iter_rows())


def test_the_english_name_of_most_documents_is_the_places(places: TablePlaces) -> None:
    told = forms(places, (1, "Lake View Tower", "望湖塔", 90), (2, "Lake View Tower", "望湖塔", 90),
                 (3, "Wanghu Pagoda", "望湖塔", 92), (4, "Blue Lotus Temple", "青莲寺",
                 90))  # fmt: skip
    found = with_surface_forms(places, told)
    aliases, english = names(found)
    assert english == {"望湖塔": "Lake View Tower", "青莲寺": "Lotus Temple"}
    assert aliases == {("望湖塔", "Wanghu Pagoda"), ("青莲寺", "Blue Lotus Temple")}
    row = found.origins.filter(pl.col("evidence_id") == "ev_1_Lake View Tower")
    assert row["poi_field"].to_list() == ["name_en"]
    assert found.pois.filter(name_zh="望湖塔")["name_en_origin"].item() == "original"


@pytest.mark.parametrize("score", [82, 89, 100])
def test_what_is_not_sure_or_was_decided_by_another_form_is_no_name(
    places: TablePlaces, score: int
) -> None:
    found = with_surface_forms(places, forms(places, (1, "湖边的塔", "望湖塔", score)))
    assert names(found)[0] == set()


def test_a_form_that_two_places_bear_is_neithers_name(places: TablePlaces) -> None:
    told = forms(
        places, (1, "湖塔", "望湖塔", 95), (2, "湖塔", "青莲寺", 95), (3, "青莲寺", "望湖塔", 95)
    )
    assert names(with_surface_forms(places, told))[0] == set()
