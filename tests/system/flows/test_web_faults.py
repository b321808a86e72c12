"""A web and a model that fail: said in plain words, nothing lost, nothing asked or paid twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from extractors.llm import Ledger
from tests.support.extractors.llm.server import Step, completion, task_of
from tests.support.flows.looking import Looking
from tests.support.flows.running import Outcome, checksums
from tests.support.sources.web.own.engine import pages, said
from tests.support.sources.web.own.texts import texts

READING = "document_reading"
#: How many texts there are to read at first.
N_TEXTS = sum("@" not in name for name in texts())
#: The warning about documents that the model could not read.
_UNREAD = r"warning: {} of \d+ documents could not be read completely, because the model gave no"
REFUSED = completion(None, refusal="I can't help with that.")
#: What a model makes up: a palace that stands on no page, and a price that none states.
INVENTED = {
    "kind": "diary", "days": 1,
    "places": ["1|水晶宫殿|visited", "2|沈园|visited", "3|Crystal Palace of Shaoxing|recommended"],
    "trips": [["1|||1>2>3"]],
    "facts": ["1|ticket_price|1||门票1元", "2|ticket_price|1||沈园门票1元"],
}  # fmt: skip
#: What it would say of a page about Hangzhou.
ELSEWHERE = {
    "kind": "diary", "days": 1,
    "places": ["1|西湖|visited||杭州", "2|灵隐寺|visited||杭州", "3|东湖|visited||杭州"],
    "trips": [["1|||1>2>3"]], "facts": ["1|ticket_price|0||西湖免费"],
}  # fmt: skip


def _answer(answer: dict[str, Any]) -> Step:
    return completion(json.dumps(answer, ensure_ascii=False))


def _has_nothing(city: Looking, told: Outcome, words: str) -> None:
    """A build that ended in plain words, and published nothing."""
    assert told.code == 2, told
    assert words in told.err
    assert "Traceback" not in told.err
    assert not (city.folder / "a-out").exists()


def test_a_search_that_finds_nothing_says_so(city: Looking) -> None:
    city.web.finds = False
    told = city.build()
    _has_nothing(city, told, "the search found nothing for Shaoxing (searxng)")
    assert "--documents" in told.err


def test_a_quota_that_ends_in_the_middle_loses_nothing(city: Looking, reference: Looking) -> None:
    city.web.quota = 9
    told = city.build()
    _has_nothing(city, told, "the quota of searxng is used up: ")
    assert re.search(r"used up: [1-9]\d* of \d+ searches were completed", told.err)
    assert "nothing was published" in told.err
    assert "run the build again; it continues where it stopped" in told.err
    before = [
        path for host, path, status in city.web.answered if host == "search" and status == 200
    ]
    city.web.quota = None
    assert city.build().code == 0
    after = [path for host, path, status in city.web.answered if host == "search"]
    assert len(before) == 9
    assert not set(before) & set(after), "what was answered is not asked again"
    assert checksums(city.snapshot()) == checksums(reference.snapshot())


def test_a_search_engine_that_is_down_publishes_nothing(city: Looking) -> None:
    city.web.down = {"search"}
    told = city.build()
    _has_nothing(city, told, "some searches failed (searxng can't be reached")
    assert "run the build again later" in told.err


def test_a_web_that_is_down_takes_nothing_away(built: Looking) -> None:
    first = checksums(built.snapshot())
    built.web.down = set(said()["hosts"])
    told = built.build("--refresh")
    assert told.code == 0, "what was there stays"
    assert re.search(
        r"warning: \d+ searches got no new answer; earlier answers were used instead", told.out
    )
    assert checksums(built.snapshot()) == first
    built.web.down = set()
    assert built.build().code == 0, "the round goes on"
    assert built.web.searches() > 0
    assert checksums(built.snapshot()) == first
    built.build()
    assert built.n_asked == 0


def test_pages_of_a_host_that_is_down_wait_and_come_later(
    city: Looking, reference: Looking
) -> None:
    city.web.down = {"notes"}
    assert city.build().code == 0
    waiting = {
        at
        for at, row in city.list_given().items()
        if row["status"] == "waiting" and not row["cities"]
    }
    notes = {at for at in pages(1) if at.startswith("notes/")}
    assert notes <= waiting
    city.web.down = set()
    assert city.build().code == 0
    assert set(city.web.list_requests()) == {*notes, "old/shaoxing"}
    assert city.web.searches() == 0
    assert _rows(city.snapshot()) == _rows(reference.snapshot())


def _rows(snapshot: Path) -> dict[str, str]:
    """Checksums of the tables, without the verdicts: they compare with the snapshot before."""
    files = checksums(snapshot).items()
    return {path: made for path, made in files if path[:5] == "data/" and "gates" not in path}


def test_a_network_that_is_gone_for_an_hour(city: Looking, reference: Looking) -> None:
    """It goes while the model reads; the build ends, and goes on when the network is back."""
    assert city.model is not None
    seen = city.model.bodies

    def fall(body: dict[str, Any]) -> Step | None:
        if sum(task_of(one) == READING for one in seen) > 20:
            city.web.down = set(said()["hosts"])
        return Step(reset=True) if city.web.down else None

    city.model.instead = fall
    _has_nothing(city, city.build(), "no answer: timeout or broken connection")
    fetched, answered = Counter(city.web.list_requests(200)), _answered(city)
    assert 0 < len(answered) < N_TEXTS
    _has_nothing(city, city.build(), "no answer: timeout or broken connection")
    city.web.down, city.model.instead = set(), None
    assert city.build().code == 0
    assert city.web.searches() == 0
    assert not fetched & Counter(city.web.list_requests(200))
    assert len(city.model.list_requests(READING)) == N_TEXTS - len(answered)
    assert checksums(city.snapshot()) == checksums(reference.snapshot())


def test_a_page_dated_in_the_future_has_no_date(reference: Looking) -> None:
    told = reference.list_given()["lists/future"]
    assert told["status"] == "used"
    assert "states the date 2099-01-01" in told["why"]
    (row,) = reference.table("documents").filter(doc_id=texts()["lists/future"].doc_id).to_dicts()
    assert row["published_on"] is row["published_by"] is None


def test_orders_to_a_machine_order_nothing(reference: Looking) -> None:
    assert reference.model is not None
    names = reference.table("pois").select("name_zh", "name_en").to_dicts()
    assert not [row for row in names if "水晶" in str(row) or "Crystal" in str(row)]
    prices = reference.table("poi_facts").drop_nulls("price_cents")["price_cents"].to_list()
    assert prices
    assert 100 not in prices


def _answered(city: Looking, task: str = READING) -> set[str]:
    """Requests of a task that have a usable answer in the ledger."""
    return {entry.key for entry in Ledger(city.ledger).entries(task, status="good")}


def _instead(city: Looking, steps: dict[str, Step]) -> None:
    """Let the model answer so for the pages of these titles, in any of its samples."""
    assert city.model is not None

    def answer(body: dict[str, Any]) -> Step | None:
        if task_of(body) != READING:
            return None
        text = body["messages"][-1]["content"]
        return next((step for title, step in steps.items() if title in text), None)

    city.model.instead = answer


@pytest.fixture(scope="module")
def misled(reference: Looking, tmp_path_factory: pytest.TempPathFactory) -> Looking:
    """A build whose model refuses one page, makes things up on two, and takes one for another
    city's."""
    city = reference.elsewhere(tmp_path_factory.mktemp("misled") / "city")
    _instead(
        city,
        {
            pages(1)["notes/09"].title: REFUSED,
            pages(1)["notes/07"].title: _answer(INVENTED),
            pages(1)["notes/14"].title: _answer(INVENTED),
            pages(1)["notes/04"].title: _answer(ELSEWHERE),
        },
    )
    told = city.build()
    assert told.code == 0, told
    assert re.search(_UNREAD.format(1), told.out)
    return city


def _set_aside(city: Looking, name: str) -> list[str]:
    """What was set aside of the reading of a page, a piece each."""
    problems = pl.read_parquet(city.snapshot() / "quality" / "reading_problems.parquet")
    return [str(row) for row in problems.filter(doc_id=texts()[name].doc_id).to_dicts()]


def test_what_a_model_makes_up_is_set_aside_piece_by_piece(misled: Looking) -> None:
    for row in misled.table("pois").select("name_zh", "name_en").to_dicts():
        assert "水晶" not in str(row)
        assert "Crystal" not in str(row)
    assert 100 not in misled.table("poi_facts")["price_cents"].to_list()
    mentions = misled.table("poi_mentions")
    for name in ("notes/07", "notes/14"):
        kept = mentions.filter(doc_id=texts()[name].doc_id)
        assert set(kept["name"]) == {"沈园"}, "what stands on the page is kept"
        aside = _set_aside(misled, name)
        assert len(aside) == 2 + 2 + 2, "two places, their stops, and two prices"
        assert any("水晶宫殿" in piece for piece in aside)


def test_an_answer_for_another_city_gives_that_city_nothing(misled: Looking) -> None:
    """Names that do not stand on the page are none; one that does is the place of this city."""
    page = texts()["notes/04"].doc_id
    assert set(misled.table("poi_mentions").filter(doc_id=page)["name"]) == {"东湖"}
    assert not [row for row in misled.table("pois").to_dicts() if "西湖" in str(row)]
    assert misled.table("trajectories").filter(doc_id=page).is_empty()
    aside = _set_aside(misled, "notes/04")
    assert all(any(name in piece for piece in aside) for name in ("西湖", "灵隐寺"))


def test_a_page_that_a_model_refuses_waits_and_is_said(misled: Looking, tmp_path: Path) -> None:
    row = misled.list_given()["notes/09"]
    assert (row["status"], row["reason"]) == ("waiting", "unanswered")
    assert row["why"].startswith("the model gave no usable answer (refus")
    city = misled.elsewhere(tmp_path / "city", built=True)
    assert city.model is not None
    assert city.build().code == 0
    assert city.n_asked == 0, "a refusal is paid once"
    Ledger(city.ledger).prune(status="failed")
    assert city.build().code == 0
    (shown,) = city.model.list_requests(READING)
    assert pages(1)["notes/09"].title in shown, "what was pruned is asked again, and nothing else"
    assert city.list_given()["notes/09"]["status"] == "used"


def test_a_model_that_refuses_everything_publishes_nothing(
    city: Looking, reference: Looking
) -> None:
    assert city.model is not None
    _instead(city, {"": REFUSED})
    told = city.build()
    assert told.code == 1
    assert re.search(_UNREAD.format(N_TEXTS), told.out)
    assert "Traceback" not in told.err
    assert not (city.folder / "a-out" / "latest").exists()
    assert (city.build().code, city.n_asked) == (1, 0), "a refusal is paid once"
    Ledger(city.ledger).prune(status="failed")
    city.model.instead = None
    assert city.build().code == 0
    assert city.web.answered == []
    assert checksums(city.snapshot()) == checksums(reference.snapshot())


def test_a_model_that_is_replaced_reads_anew_and_the_first_is_not_paid_again(
    built: Looking,
) -> None:
    assert built.model is not None
    first, answered = checksums(built.snapshot()), _answered(built)
    other = replace(built, model_name="another")
    _instead(other, {pages(1)["trips/l"].title: REFUSED})
    assert other.build().code == 0
    assert len(built.model.list_requests(READING)) == len(answered) + 2, "one is asked three times"
    assert other.web.answered == []
    assert other.list_given()["trips/l"]["reason"] == "unanswered", (
        "no answer of another model stands"
    )
    assert _answered(built) > answered
    assert built.build().code == 0
    assert built.n_asked == 0, "the first model's answers are kept"
    assert checksums(built.snapshot()) == first


def test_a_budget_that_ends_in_the_middle(city: Looking, reference: Looking) -> None:
    """The build stops before the request that would break it, and goes on when allowed more."""
    assert city.model is not None
    told = city.build("--budget-tokens", "40000")
    _has_nothing(city, told, "the budget of 40000 tokens would be exceeded")
    entries = list(Ledger(city.ledger).entries())
    assert 0 < sum((e.tokens_in or 0) + (e.tokens_out or 0) for e in entries) <= 40_000
    before, shown = _answered(city), set(city.model.list_requests(READING))
    assert 0 < len(before) < N_TEXTS
    told = city.build("--budget-tokens", "900000")
    assert told.code == 0, told
    assert city.web.answered == []
    assert len(city.model.list_requests(READING)) == len(_answered(city)) - len(before)
    assert not shown & set(city.model.list_requests(READING)), "nothing is paid twice"
    assert checksums(city.snapshot()) == checksums(reference.snapshot())
