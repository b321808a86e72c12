"""``tripbed city``, and names of cities that are looked up before anything is begun."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import holidays
import pytest

from flows.places.city import city_facts, next_holidays
from schemas.cities import find_city
from schemas.festivals import public_holidays
from tests.support.flows.running import run

DAY = dt.date(2026, 11, 22)


def test_facts_of_a_city() -> None:
    facts = city_facts(find_city("Porto"), DAY)
    assert facts["city_id"] == "gn2735943"
    assert (facts["country"], facts["region"]) == ("Portugal", "Porto")
    assert (facts["time_zone"], facts["currency"]) == ("Europe/Lisbon", "EUR")
    assert facts["lat"] == pytest.approx(41.15, abs=0.01)
    assert facts["population"] > 200_000
    assert facts["public_holidays"][0] == {
        "date": "2026-12-01",
        "name": "Restoration of Independence Day",
    }
    assert facts["public_holidays"][3]["date"] == "2027-01-01", "the year goes on"


def test_other_cities_of_that_name_say_what_to_write() -> None:
    others = city_facts(find_city("Springfield"), DAY)["other_cities"]
    assert len(others) > 20
    assert others[0]["write"] == "Springfield, Massachusetts"
    assert "154,341 people" in others[0]["described"]
    for other in (*others[:4], others[-1]):
        assert find_city(other["write"]).city_id == other["city_id"]


def test_holidays_are_unknown_where_the_library_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_args: object, **_kwargs: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(holidays, "country_holidays", none)
    # What was read before is kept: here nothing was.
    monkeypatch.setattr("flows.places.city.public_holidays", public_holidays.__wrapped__)
    assert next_holidays("PT", DAY) is None
    outcome = run("city", "Porto")
    assert outcome.code == 0
    assert "next public holidays in the country: unknown" in outcome.out


def test_what_is_printed() -> None:
    outcome = run("city", "威尼斯")
    assert outcome.code == 0
    for text in ("Venice / 威尼斯", "gn3164603", "Italy (IT)", "Europe/Rome", "EUR", "Venice, US"):
        assert text in outcome.out
    facts = json.loads(run("city", "Venice, Florida", "--json").out)
    assert (facts["city_id"], facts["region"]) == ("gn4176380", "Florida")


@pytest.mark.parametrize("name", ["Bali", "Qwxzyv"])
def test_a_doubtful_name_is_wrong_input(name: str) -> None:
    outcome = run("city", name, "--json")
    assert outcome.code == 2
    assert repr(name) in json.loads(outcome.out)["error"]
    assert repr(name) in outcome.err


@pytest.mark.parametrize(
    "command",
    [
        ("build", "--documents", "no-such-folder"), ("publish", "--tables", "no-such-folder"),
        ("extract", "--documents", "no-such-folder", "--out", "lines.jsonl"),
        ("tables", "audit", "no-such-folder"), ("queries", "build", "--out", "queries"),
    ],
    ids=lambda command: " ".join(command[:2]),
)  # fmt: skip
def test_the_city_is_looked_up_before_anything_else(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run(*command, "--city", "hangzhou", "--city", "Bali")
    assert outcome.code == 2
    assert "'Bali' is ambiguous" in outcome.err
    assert list(tmp_path.iterdir()) == [], "nothing was begun"
