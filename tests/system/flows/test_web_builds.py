"""One command from a city's name, a search engine and a model to a snapshot, on our own web."""

from __future__ import annotations

import hashlib
import json
import socket
import sqlite3
from collections import Counter
from datetime import date

import polars as pl
import pytest

from flows.pipeline import readings
from tests.support.flows.looking import PROFILE, Looking, stages
from tests.support.flows.running import checksums, run
from tests.support.sources.web.own.engine import changed, gone, pages, said
from tests.support.sources.web.own.texts import texts
from warehouse.records import Attraction
from warehouse.sandbox import Sandbox

#: Nobody can have these: forbidden by robots.txt, not there, a picture, nothing.
NOT_HAD = {
    "guide/staff/plan": "robots", "guide/lost": "http_status", "old/map": "content_type",
    "old/empty": "empty",
}  # fmt: skip


def n_read(city: Looking, name: str = "a") -> int:
    """How many texts were read in a workspace."""
    with sqlite3.connect(city.folder / name / readings.READINGS_FILE) as store:
        (number,) = store.execute("SELECT count(*) FROM readings").fetchone()
    return int(number)


def test_every_document_leads_back_to_its_address_its_search_and_its_dates(
    reference: Looking,
) -> None:
    documents, found = reference.table("documents"), reference.table("query_documents")
    assert found.height > 40
    assert found.join(documents, on="doc_id", how="anti").is_empty()
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


def test_what_a_query_has_leads_back_to_an_address_a_span_and_a_date(reference: Looking) -> None:
    """Its documents, places, trajectories, tags and facts: each row, by the tables alone."""
    documents = reference.table("documents").select(
        "doc_id", "url", "fetched_on", "published_on", "modified_on", "modified_by"
    )
    assert documents.select("url", "fetched_on").null_count().row(0) == (0, 0)
    query = reference.table("queries")["query_id"].item()
    found, places, routes = (
        reference.table(table).filter(query_id=query)
        for table in ("query_documents", "query_pois", "query_trajectories")
    )
    spans = reference.table("evidence").filter(evidence_kind="document")
    mentions = reference.table("poi_mentions")
    stops = (
        routes.join(reference.table("trajectories"), on="trajectory_id", how="left")
        .explode("noisy_visits").select("doc_id", pl.col("noisy_visits").struct.unnest())
    )  # fmt: skip
    facts, tags = reference.table("poi_facts"), reference.table("poi_tags")
    of_documents = tags.filter(~pl.col("tag").str.starts_with("type:"))
    for rows, by, among in (
        (found, "doc_id", documents),
        (places, "poi_id", mentions),
        (stops, "doc_id", documents),
        (stops, "evidence_id", spans),
        (mentions, "evidence_id", spans),
        (facts, "evidence_id", spans),
        (of_documents, "evidence_id", spans),
        (spans, "doc_id", documents),
    ):
        assert rows.height
        assert rows.join(among, on=by, how="anti").is_empty()
    told = {document.doc_id: document.text for document in texts().values()}
    for row in spans.to_dicts():
        words = told[row["doc_id"]][row["start"] : row["end"]]
        assert hashlib.sha256(words.encode()).hexdigest() == row["quote_sha256"]
    for row in mentions.to_dicts():
        assert told[row["doc_id"]][row["start"] : row["end"]] == row["name"]
    own = pl.when(pl.col("modified_by") != "server").then("modified_on")
    dates = documents.select("doc_id", date=pl.max_horizontal("published_on", own))
    for rows in (facts, of_documents):
        dated = rows.join(spans.join(dates, on="doc_id"), on="evidence_id", how="left")
        assert dated.filter(pl.col("source_date").ne_missing(pl.col("date"))).is_empty()
        assert dated["date"].drop_nulls().len()


def test_every_address_is_accounted_for_in_words(reference: Looking) -> None:
    told = reference.list_given()
    assert set(told) == set(pages(1)), "every page was found"
    for at, reason in NOT_HAD.items():
        assert (told[at]["status"], told[at]["reason"]) == ("set_aside", reason)
        assert told[at]["why"]
    for row in (*said()["copies"], *said()["redirects"]):
        assert told[row["at"]]["reason"] == "same_bytes"
    aside = reference.table("quarantine").filter(pl.col("stage") == "fetch")
    assert {reference.at(url) for url in aside["row_id"]} == set(NOT_HAD)


def test_a_second_run_asks_nobody_and_offline_gives_the_same_bytes(
    built: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No page, no search, no answer of the model: also away from every network."""
    first = checksums(built.snapshot())
    again = built.build("--json")
    assert again.code == 0
    assert built.n_asked == 0
    assert all(stage["reused"] == stage["shards"] for stage in stages(again).values())
    with monkeypatch.context() as patch:
        for name in ("socket", "socketpair", "create_connection", "getaddrinfo"):
            patch.setattr(socket, name, _refuse)
        away = built.build("--offline", name="b", archive="a")
    assert away.code == 0, away
    assert checksums(built.snapshot("b")) == first


def _refuse(*args: object, **kwargs: object) -> None:
    raise AssertionError("a socket was opened")


def test_a_third_run_asks_for_and_reads_what_changed_only(built: Looking) -> None:
    assert built.model is not None
    first, n_before = checksums(built.snapshot()), n_read(built)
    facts_before = built.table("poi_facts")
    assert built.build("--refresh").code == 0
    assert set(built.web.list_requests(200)) <= NOT_HAD.keys(), (
        "all pages that are had were asked conditionally"
    )
    assert built.model.count == 0
    assert checksums(built.snapshot()) == first, "nothing changed"
    built.web.edition = 2
    assert built.build().code == 0
    assert built.n_asked == 0, "nobody is asked without --refresh"
    assert built.build("--refresh").code == 0
    assert "guide/staff/plan" not in built.web.list_requests(), "robots.txt is obeyed"
    assert set(built.web.list_requests(200)) - NOT_HAD.keys() == changed()
    assert set(built.web.list_requests(404)) == {*gone(), "guide/lost"}
    assert max(Counter(built.web.list_requests()).values()) <= 2, (
        "a page, and the redirect that leads to it"
    )
    shown = built.model.list_requests("document_reading")
    assert n_read(built) - n_before == len(changed()) == len(shown) == 10
    assert {at for at in changed() if any(pages(2)[at].title in text for text in shown)} == (
        changed()
    )
    documents = {built.at(row["url"]): row for row in built.table("documents").to_dicts()}
    assert {at for at, row in documents.items() if row["gone_on"]} == gone()
    assert len(gone()) == 3
    told = built.list_given()
    assert all("what it said before is kept" in told[at]["why"] for at in gone())
    modified = {at for at, row in documents.items() if row["modified_by"] == "head"}
    assert modified == changed() & documents.keys()
    for at in modified:
        assert str(documents[at]["modified_on"]) == pages(2)[at].changed
    assert built.table("poi_facts").height == facts_before.height
    assert (_price(built, 0), _price(built, 1)) == (4000, 4500), "of two prices the newer holds"
    built.build()
    assert built.n_asked == 0


def _price(built: Looking, number: int) -> int | None:
    """What a garden costs in a snapshot, the first or the second that was published."""
    found = sorted(
        (path for path in (built.folder / "a-out").glob("s*") if path.is_dir()),
        key=lambda path: path.stat().st_mtime_ns,
    )
    assert len(found) == 2
    (place,) = Sandbox(found[number]).select("shaoxing", "attractions", "name_zh", "==", "沈园")
    assert isinstance(place, Attraction)
    return place.price_cents


def test_a_profile_says_after_how_many_days_it_is_looked_at_again(built: Looking) -> None:
    profile = built.folder / "own.yaml"
    profile.write_text(PROFILE.replace("documents: {", "documents: {refresh_after_days: 7, "))
    built.build()
    assert built.n_asked == 0
    profile.write_text(PROFILE.replace("documents: {", "documents: {refresh_after_days: 0, "))
    built.build()
    assert built.web.searches() > 0
    assert set(built.web.list_requests(200)) <= NOT_HAD.keys()


def test_a_retrieval_is_the_same_stages_stopped_early(city: Looking) -> None:
    out = city.folder / "found"
    arguments = [*city.arguments()]
    arguments[0] = "retrieve"
    at = arguments.index("--out")
    arguments[at : at + 3] = ["--out", str(out), "--json"]
    with city.at_hand():
        told = run(*arguments)
    assert told.code == 0, told
    (row,) = json.loads(told.out)
    assert row["documents"] == row["stored"] + row["quarantined"] + row["pending"] == len(pages(1))
    documents = pl.read_parquet(out / "shaoxing" / "documents.parquet")
    assert {city.at(url) for url in documents["url"]} == set(pages(1))
    assert not (city.folder / "a" / readings.READINGS_FILE).exists(), "nothing was read yet"
    assert city.build().code == 0
    assert city.web.answered == [], "the build goes on where the retrieval stopped"
