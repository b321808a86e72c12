"""One command from a city's name and a search engine to a snapshot, on a web of our own."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from flows.pipeline import readings
from tests.conftest import ROOT
from tests.support.flows.looking import PROFILE, Looking, looking, stages
from tests.support.flows.running import checksums
from tests.support.sources.web.own.engine import changed, gone, pages, said
from warehouse.records import Attraction
from warehouse.sandbox import Sandbox

#: Nobody can have these: forbidden by robots.txt, not there, a picture, nothing.
NOT_HAD = {
    "guide/staff/plan": "robots", "guide/lost": "http_status", "old/map": "content_type",
    "old/empty": "empty",
}  # fmt: skip
#: The command line without the second between two searches.
QUICKLY = (
    "from sources.web.providers.searxng import SearXNG\n"
    "SearXNG.min_interval_s = 0.0\n"
    "from flows.cli import main\n"
    "main()\n"
)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Looking]:
    """The web, and a first build from it; not to be built in again."""
    with (
        pytest.MonkeyPatch.context() as patch,
        looking(tmp_path_factory.mktemp("web") / "city", patch) as found,
    ):
        told = found.build()
        assert told.code == 0, told
        yield found


@pytest.fixture
def city(reference: Looking, tmp_path: Path) -> Looking:
    """A folder in which nothing was built yet, and the web as it was at first."""
    return reference.elsewhere(tmp_path / "city")


@pytest.fixture
def built(reference: Looking, tmp_path: Path) -> Looking:
    """A folder in which the first build was made."""
    return reference.elsewhere(tmp_path / "city", built=True)


def n_read(city: Looking, name: str = "a") -> int:
    """How many texts were read in a workspace."""
    with sqlite3.connect(city.folder / name / readings.FILE) as store:
        (number,) = store.execute("SELECT count(*) FROM readings").fetchone()
    return int(number)


def test_every_document_leads_back_to_its_address_its_search_and_its_dates(
    reference: Looking,
) -> None:
    documents, found = reference.table("documents"), reference.table("query_documents")
    assert found.height > 40
    spans = reference.table("evidence").filter(pl.col("evidence_kind") == "document")
    assert spans.height > 100
    for rows in (found, spans):
        assert rows.join(documents, on="doc_id", how="anti").is_empty()
    asked = set(reference.table("sub_queries")["sub_query_id"])
    assert set(found["sub_query_id"]) | set(documents["sub_query_id"]) <= asked
    assert set(found["provider"]) <= {"searxng", "corpus"}
    assert set(documents["provider"]) == {"searxng"}
    assert documents["found_rank"].null_count() == 0
    today = date.today()
    for row in documents.to_dicts():
        page = pages(1)[reference.at(row["url"])]
        stated = None if page.trait == "future" else page.on
        assert abs((row["fetched_on"] - today).days) <= 1
        assert str(row["published_on"]) == str(stated), page.at
        assert row["published_by"] == ("head" if stated else None)
        assert (row["lang"], row["gone_on"]) == (page.lang, None)
        assert reference.at(row["final_url"]) == (page.to or page.at)
        has_server_date = page.at.startswith("trips/")
        assert row["modified_by"] == ("server" if has_server_date else None), page.at


def test_facts_and_tags_have_the_date_of_their_document(reference: Looking) -> None:
    dates = dict(reference.table("documents").select("doc_id", "published_on").iter_rows())
    spans = dict(reference.table("evidence").select("evidence_id", "doc_id").iter_rows())
    n_dated = 0
    for table in ("poi_facts", "poi_tags"):
        rows = reference.table(table).to_dicts()
        assert rows, table
        for row in rows:
            if row["evidence_id"] in spans and spans[row["evidence_id"]] is not None:
                assert row["source_date"] == dates[spans[row["evidence_id"]]]
                n_dated += row["source_date"] is not None
    assert n_dated > 10


def test_every_address_is_accounted_for_in_words(reference: Looking) -> None:
    told = reference.given()
    assert set(told) == set(pages(1)), "every page was found"
    for at, reason in NOT_HAD.items():
        assert (told[at]["status"], told[at]["reason"]) == ("set_aside", reason)
        assert told[at]["why"]
    for row in (*said()["copies"], *said()["redirects"]):
        assert told[row["at"]]["reason"] == "same_bytes"
    assert "states the date 2099-01-01" in told["lists/future"]["why"]
    aside = reference.table("quarantine").filter(pl.col("stage") == "fetch")
    assert {reference.at(url) for url in aside["row_id"]} == set(NOT_HAD)


def test_orders_to_a_machine_order_nothing(reference: Looking) -> None:
    names = reference.table("pois").select("name_zh", "name_en").to_dicts()
    assert not [row for row in names if "水晶" in str(row) or "Crystal" in str(row)]
    prices = reference.table("poi_facts").drop_nulls("price_cents")["price_cents"].to_list()
    assert prices
    assert 100 not in prices


def test_a_second_run_asks_nobody_and_offline_gives_the_same_bytes(
    built: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = checksums(built.snapshot())
    again = built.build("--json")
    assert again.code == 0
    assert built.web.answered == []
    assert all(stage["reused"] == stage["shards"] for stage in stages(again).values())
    with monkeypatch.context() as patch:
        for name in ("socket", "socketpair", "create_connection", "getaddrinfo"):
            patch.setattr(socket, name, _refuse)
        away = built.build("--offline", name="b", archive="a")
    assert away.code == 0, away
    assert checksums(built.snapshot("b")) == first


def _refuse(*args: object, **kwargs: object) -> None:
    raise AssertionError("a socket was opened")


def test_a_refresh_takes_and_reads_what_changed_only(built: Looking) -> None:
    first, n_before = checksums(built.snapshot()), n_read(built)
    facts_before = built.table("poi_facts")
    assert built.build("--refresh").code == 0
    assert set(built.web.asked(200)) <= NOT_HAD.keys(), (
        "all pages that are had were asked conditionally"
    )
    assert checksums(built.snapshot()) == first, "nothing changed"
    built.web.edition = 2
    assert built.build().code == 0
    assert built.web.answered == [], "nobody is asked without --refresh"
    assert built.build("--refresh").code == 0
    assert "guide/staff/plan" not in built.web.asked(), "robots.txt is obeyed"
    assert set(built.web.asked(200)) - NOT_HAD.keys() == changed()
    assert set(built.web.asked(404)) == {*gone(), "guide/lost"}
    assert max(Counter(built.web.asked()).values()) <= 2, (
        "a page, and the redirect that leads to it"
    )
    assert n_read(built) - n_before == len(changed()) == 10
    documents = {built.at(row["url"]): row for row in built.table("documents").to_dicts()}
    assert {at for at, row in documents.items() if row["gone_on"]} == gone()
    assert len(gone()) == 3
    told = built.given()
    assert all("what it said before is kept" in told[at]["why"] for at in gone())
    modified = {at for at, row in documents.items() if row["modified_by"] == "head"}
    assert modified == changed() & documents.keys()
    for at in modified:
        assert str(documents[at]["modified_on"]) == pages(2)[at].changed
    assert built.table("poi_facts").height == facts_before.height
    built.build()
    assert built.web.answered == []


def test_of_two_prices_the_newer_holds(built: Looking) -> None:
    assert _price(Sandbox(built.snapshot())) == 4000
    built.web.edition = 2
    assert built.build("--refresh").code == 0
    assert _price(Sandbox(built.snapshot())) == 4500


def _price(box: Sandbox) -> int | None:
    (place,) = box.select("shaoxing", "attractions", "name_zh", "==", "沈园")
    assert isinstance(place, Attraction)
    return place.price_cents


def test_a_profile_says_after_how_many_days_it_is_looked_at_again(built: Looking) -> None:
    profile = built.folder / "own.yaml"
    profile.write_text(PROFILE.replace("documents: {", "documents: {refresh_after_days: 7, "))
    built.build()
    assert built.web.answered == []
    profile.write_text(PROFILE.replace("documents: {", "documents: {refresh_after_days: 0, "))
    built.build()
    assert built.web.searches() > 0
    assert set(built.web.asked(200)) <= NOT_HAD.keys()


def test_a_search_that_finds_nothing_says_so(city: Looking) -> None:
    city.web.finds = False
    told = city.build()
    assert told.code == 2
    assert "the search found nothing for Shaoxing (searxng)" in told.err
    assert "--documents" in told.err
    assert not (city.folder / "a-out").exists()


def test_a_quota_that_ends_in_the_middle_loses_nothing(city: Looking) -> None:
    city.web.quota = 9
    told = city.build()
    assert told.code == 2
    assert "the quota of searxng is spent: 1 of 6 searches were done" in told.err
    assert "nothing was published" in told.err
    assert "run again: it goes on there" in told.err
    assert not (city.folder / "a-out").exists()
    before = [
        path for host, path, status in city.web.answered if host == "search" and status == 200
    ]
    city.web.quota = None
    assert city.build().code == 0
    after = [path for host, path, status in city.web.answered if host == "search"]
    assert len(before) == 9
    assert not set(before) & set(after), "what was answered is not asked again"


def test_a_search_engine_that_is_down_publishes_nothing(city: Looking) -> None:
    city.web.down = {"search"}
    told = city.build()
    assert told.code == 2
    assert "no search was answered (searxng can't be reached" in told.err
    assert "run again later" in told.err
    assert not (city.folder / "a-out").exists()


def test_a_web_that_is_down_takes_nothing_away(built: Looking) -> None:
    first = checksums(built.snapshot())
    built.web.down = set(said()["hosts"])
    told = built.build("--refresh")
    assert told.code == 0, "what was there stays"
    assert "warning: 6 searches had no new answer; what was answered before stands" in told.out
    assert checksums(built.snapshot()) == first
    built.web.down = set()
    assert built.build().code == 0, "the round goes on"
    assert built.web.searches() > 0
    assert set(built.web.asked(200)) <= NOT_HAD.keys()
    assert checksums(built.snapshot()) == first
    built.build()
    assert built.web.answered == []


def test_pages_of_a_host_that_is_down_wait_and_come_later(
    city: Looking, reference: Looking
) -> None:
    city.web.down = {"notes"}
    assert city.build().code == 0
    waiting = {
        at for at, row in city.given().items() if row["status"] == "waiting" and not row["cities"]
    }
    notes = {at for at in pages(1) if at.startswith("notes/")}
    assert notes <= waiting
    city.web.down = set()
    assert city.build().code == 0
    assert set(city.web.asked()) == {*notes, "old/shaoxing"}
    assert city.web.searches() == 0
    assert _rows(city.snapshot()) == _rows(reference.snapshot())


def _rows(snapshot: Path) -> dict[str, str]:
    """Checksums of the tables, without the verdicts: they compare with the snapshot before."""
    return {
        path: made
        for path, made in checksums(snapshot).items()
        if path.startswith("data/") and "gates" not in path
    }


@pytest.mark.parametrize("answers", [3, 25, 60])
def test_killed_in_the_middle_it_goes_on_to_the_same_bytes(
    city: Looking, reference: Looking, answers: int
) -> None:
    city.web.forget()
    build = subprocess.Popen(
        [sys.executable, "-c", QUICKLY, *city.arguments()],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, **city.environment},
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while len(city.web.answered) < answers and build.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
    build.send_signal(signal.SIGKILL)
    assert build.wait() == -signal.SIGKILL
    before = Counter(city.web.answered)
    told = city.build("--json")
    assert told.code == 0, told
    assert checksums(city.snapshot()) == checksums(reference.snapshot())
    again = [
        key for key in (Counter(city.web.answered) & before)
        if key[1] != "/robots.txt" and key[2] == 200
    ]  # fmt: skip
    assert len(again) <= len(said()["hosts"]), "only what was in flight is asked again"


def test_a_retrieval_is_the_same_stages_stopped_early(city: Looking) -> None:
    out = city.folder / "found"
    arguments = [*city.arguments()]
    arguments[0] = "retrieve"
    at = arguments.index("--out")
    arguments[at : at + 3] = ["--out", str(out), "--json"]
    from tests.support.flows.running import run

    told = run(*arguments)
    assert told.code == 0, told
    (row,) = json.loads(told.out)
    assert row["documents"] == row["stored"] + row["quarantined"] + row["pending"] == len(pages(1))
    documents = pl.read_parquet(out / "shaoxing" / "documents.parquet")
    assert {city.at(url) for url in documents["url"]} == set(pages(1))
    assert n_read_nothing(city)
    assert city.build().code == 0
    assert city.web.answered == [], "the build goes on where the retrieval stopped"


def n_read_nothing(city: Looking) -> bool:
    """Whether nothing was read yet."""
    return not (city.folder / "a" / readings.FILE).exists()
