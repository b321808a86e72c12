"""Profiles of published size: their figures, and destinations by their people."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.queries.build import build_queries
from flows.settings.profile import load_profile
from schemas.cities import find_city, most_populous


@pytest.mark.parametrize(
    ("name", "cities", "queries"), [("tripscore-full", 897, 4_593), ("triptailor-full", 40, 3_848)]
)
def test_a_profile_of_full_size_has_the_figures_of_its_paper(
    name: str, cities: int, queries: int
) -> None:
    asked = load_profile(name).queries
    named = {find_city(city).city_id for city in asked.cities}
    assert len(named) + asked.most_populous == cities
    assert (asked.tripscore if name == "tripscore-full" else asked.triptailor).queries == queries


def test_the_most_populous_cities_have_names_of_their_own() -> None:
    cities = most_populous(897)
    assert len({city.city_id for city in cities}) == 897
    for names in ([c.name_zh for c in cities], [c.name_en for c in cities]):
        assert len(set(names)) == len(names)
    people = [city.population for city in cities]
    assert people == sorted(people, reverse=True)


def test_queries_to_them_are_planned_without_tables_and_read_back(tmp_path: Path) -> None:
    profile = tmp_path / "few.yaml"
    profile.write_text(
        "name: few\nfamilies: [tripscore]\nqueries: {most_populous: 30, tripscore: {queries:"
        " 90}}\n",
        "utf-8",
    )
    report = build_queries(str(profile), tmp_path / "out", None, "tripbed")
    found = report["families"]["tripscore"]
    assert (found["kept"], found["quarantined"], len(found["destinations"])) == (90, 0, 30)
    assert report["strata_met"]
