"""Rounds of looking, days that are believed, and answers that are new enough."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from sources.web.main_text import parse
from sources.web.metadata import document_meta
from sources.web.pages import http_day, judge_date
from sources.web.providers.base import Answers, ApiAnswer, ApiRequest
from sources.web.rounds import end_round, enter_round

DAY = date(2026, 5, 1)


class TestRounds:
    """A round begins when it is wanted, and ends when everything was asked."""

    def test_the_first_asks_for_the_unknown_only(self, tmp_path: Path) -> None:
        first = enter_round(tmp_path, "a", refresh=True)
        assert (first.number, first.since, first.ended) == (1, None, None)
        assert enter_round(tmp_path, "a") == first

    def test_a_refresh_follows_a_round_that_has_ended(self, tmp_path: Path) -> None:
        first = enter_round(tmp_path, "a")
        assert enter_round(tmp_path, "a", refresh=True) == first, "it goes on"
        end_round(tmp_path, "a", first)
        second = enter_round(tmp_path, "a", refresh=True)
        assert second.number == 2
        assert second.since is not None
        assert second.since > datetime.fromisoformat(first.began)
        assert enter_round(tmp_path, "a") == second
        assert enter_round(tmp_path, "b").number == 1, "another city's rounds are its own"

    def test_it_follows_by_age(self, tmp_path: Path) -> None:
        first = enter_round(tmp_path, "a")
        end_round(tmp_path, "a", first)
        assert enter_round(tmp_path, "a", days=7).number == 1
        assert enter_round(tmp_path, "a", days=0).number == 2

    def test_who_may_not_ask_begins_none(self, tmp_path: Path) -> None:
        assert enter_round(tmp_path / "none", "a", new=False).number == 1
        assert not (tmp_path / "none").exists()
        end_round(tmp_path, "a", enter_round(tmp_path, "a"))
        assert enter_round(tmp_path, "a", refresh=True, new=False).number == 1


@pytest.mark.parametrize(
    ("stated", "fetched_on", "known"),
    [
        (DAY, DAY, True),
        (DAY + timedelta(days=1), DAY, True),
        (DAY + timedelta(days=2), DAY, False),
        (DAY + timedelta(days=2), None, True),
    ],
)
def test_a_day_after_the_day_of_fetching_is_not_believed(
    stated: date, fetched_on: date | None, known: bool
) -> None:
    day, by, doubt = judge_date(stated, "head", fetched_on)
    assert (day, by) == ((stated, "head") if known else (None, None))
    assert (doubt is None) == known
    assert known or f"states the date {stated}" in str(doubt)


def test_a_day_of_http_is_read() -> None:
    assert http_day("Fri, 01 May 2026 23:30:00 GMT") == DAY
    assert http_day("yesterday") is None
    assert http_day(None) is None


def test_each_date_says_where_it_stands() -> None:
    front = b"---\ndate: 2024-03-01\nupdated: 2025-04-02\n---\n# A\n\ntext"
    found = document_meta(parse(front, "a.md"))
    assert (found.published_on, found.published_by) == (date(2024, 3, 1), "front_matter")
    assert (found.modified_on, found.modified_by) == (date(2025, 4, 2), "front_matter")
    head = (
        b'<html><head><meta property="article:published_time" content="2024-03-01"><meta'
        b' property="article:modified_time"'
        b' content="2025-04-02"></head><body><p>text</p></body></html>'
    )
    found = document_meta(parse(head, "a.html"))
    assert (found.published_by, found.modified_by) == ("head", "head")
    found = document_meta(parse(b"# A\n\ntext", "2024-03-01-a.md"))
    assert (found.published_by, found.modified_by) == ("file_name", None)


def test_an_answer_is_new_enough_or_not(tmp_path: Path) -> None:
    answers, request = Answers(tmp_path), ApiRequest("GET", "http://a.net/", {"q": "x"})
    before = datetime.now(UTC)
    answers.put("searxng", request, ApiAnswer(200, {}, {"results": []}))
    assert answers.get("searxng", request, before) is not None
    assert answers.get("searxng", request, before + timedelta(hours=1)) is None
    assert answers.get("searxng", request) is not None
