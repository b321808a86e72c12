"""Places of which too little is known are asked about, and rankings count, on our own web."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from schemas.dates import date_documents
from schemas.ids import text_sha256
from sources.web.main_text import parse_document
from sources.web.providers.searxng import SearXNG
from tests.support.flows.killing import start
from tests.support.flows.looking import PROFILE, Looking, looking, stages
from tests.support.flows.running import checksums
from tests.support.forked import Command
from tests.support.sources.web.own.inquired import more_pages, written

#: So few documents a query that single places remain unknown, and three inquiries for its places.
OWN = PROFILE.replace("candidates: {per_query: 5}", "candidates: {per_query: 12}").replace(
    "per_poi_search: 60, per_route_search: 60, inquiries_per_query: 0",
    "per_poi_search: 10, per_route_search: 16, inquiries_per_query: 9",
)
#: Where a page that answers an inquiry may stand.
OFFICIAL = ("visit/", "bureau/")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Looking]:
    """The web with its further pages, and a first build from it; not to be built in again."""
    with more_pages(), looking(tmp_path_factory.mktemp("asked") / "city") as found:
        (found.folder / "own.yaml").write_text(OWN)
        told = found.build("--json")
        assert told.code == 0, told
        (found.folder / "told.json").write_text(told.out)
        yield found


@pytest.fixture
def city(reference: Looking, tmp_path: Path) -> Looking:
    """A folder in which nothing was built yet, and the web as it was at first."""
    return reference.elsewhere(tmp_path / "city")


@pytest.fixture
def built(reference: Looking, tmp_path: Path) -> Looking:
    """A folder in which the first build was made."""
    return reference.elsewhere(tmp_path / "city", built=True)


def asked_for(city: Looking) -> dict[str, str]:
    """Host and path of each page that inquiries alone found, by document."""
    rows = city.table("documents").filter(pl.col("fetched_for") == "inquiry")
    return {row["doc_id"]: city.at(row["url"]) for row in rows.to_dicts()}


def names(city: Looking) -> dict[str, str]:
    """Chinese names of the places."""
    return dict(city.table("pois").select("poi_id", "name_zh").iter_rows())


def test_places_that_lack_something_are_asked_about_within_the_budget(reference: Looking) -> None:
    asked = reference.table("sub_queries").filter(pl.col("purpose") == "inquiry")
    (counted,) = reference.table("stage_counts").filter(pl.col("stage") == "ask").to_dicts()
    told = json.loads((reference.folder / "told.json").read_text())
    assert asked.height == counted["rows_kept"] == told["places_asked_about"] == 9
    assert counted["rows_pending"] == told["places_not_asked_about"] > 0
    assert asked["text"].n_unique() == asked.height, "each place once"
    facts = reference.table("poi_facts").join(reference.table("evidence"), on="evidence_id")
    before = facts.filter(~pl.col("doc_id").is_in(list(asked_for(reference))))
    complete = [
        name for poi_id, name in names(reference).items()
        if {"opening_hours", "ticket_price"} <= set(before.filter(poi_id=poi_id)["fact_field"])
    ]  # fmt: skip
    assert complete
    assert not [text for text in asked["text"] for name in complete if name in text]


def test_the_budget_goes_to_the_places_that_matter_most(reference: Looking) -> None:
    asked = reference.table("sub_queries").filter(pl.col("purpose") == "inquiry").sort("rank")
    popular = dict(
        reference.table("poi_popularity")
        .filter(context_id="any:any")
        .select("poi_id", "score")
        .iter_rows()
    )
    scores = [
        next(score for poi_id, score in popular.items() if f" {names(reference)[poi_id]} " in text)
        for text in asked["text"]
    ]
    assert scores == sorted(scores, reverse=True)


def test_facts_of_answers_lead_back_to_address_span_and_date(reference: Looking) -> None:
    pages = asked_for(reference)
    assert {at for at in pages.values() if at.startswith(OFFICIAL)}
    spans = reference.table("evidence").filter(pl.col("doc_id").is_in(list(pages)))
    dates = dict(
        date_documents(reference.table("documents")).select("doc_id", "stated_on").iter_rows()
    )
    known, n_rows = reference.table("documents"), 0
    texts = {
        doc_id: parse_document(written(1)[at].html, f"{at}.html").text
        for doc_id, at in pages.items() if at in written(1)
    }  # fmt: skip
    for table in ("poi_facts", "poi_tags"):
        for row in reference.table(table).join(spans, on="evidence_id").to_dicts():
            assert row["source_date"] == dates[row["doc_id"]]
            assert known.filter(doc_id=row["doc_id"])["url"].item().startswith("http://")
            n_rows += 1
            if row["doc_id"] in texts:
                quote = texts[row["doc_id"]][row["start"] : row["end"]]
                assert row["quote_sha256"] == text_sha256(quote)
    assert n_rows > 10
    found = reference.table("query_documents").filter(pl.col("purpose") == "inquiry")
    assert set(pages) <= set(found["doc_id"])
    assert set(found["provider"]) == {"searxng"}


def test_answers_make_no_place_no_mention_no_stop_and_no_candidate(reference: Looking) -> None:
    pages = set(asked_for(reference))
    assert any(at.endswith("qingteng") for at in asked_for(reference).values()), "a page of a trip"
    for table in ("poi_mentions", "links", "unlinked_names", "trajectories"):
        assert not pages & set(reference.table(table)["doc_id"]), table
    others = reference.table("query_documents").filter(pl.col("purpose") != "inquiry")
    assert not pages & set(others["doc_id"])
    spans = reference.table("evidence").filter(pl.col("doc_id").is_in(list(pages)))
    for table in ("pois", "poi_aliases", "poi_hierarchy"):
        rows = reference.table(table)
        if "evidence_id" in rows.columns:
            assert rows.join(spans, on="evidence_id", how="semi").is_empty(), table
    assert "望江亭小院" not in str(names(reference))
    assert "状元楼" not in str(names(reference))
    tags = reference.table("poi_tags").join(spans, on="evidence_id")
    assert set(tags["tag"]) <= {"recommended"}
    told = {at: row for at, row in reference.list_given().items() if row["doc_id"] in pages}
    assert all("gives facts and tags, and nothing else" in row["why"] for row in told.values())


def test_orders_in_answers_order_nothing(reference: Looking) -> None:
    prices = reference.table("poi_facts").drop_nulls("price_cents")["price_cents"].to_list()
    assert 99900 not in prices
    assert 7700 not in prices, "robots.txt forbids the page"
    assert 3300 not in prices, "a price of a place that nobody knows"


def test_a_ranking_counts_by_rank_and_a_plain_list_does_not(reference: Looking) -> None:
    documents = reference.table("documents")
    at = {row["doc_id"]: reference.at(row["url"]) for row in documents.to_dicts()}
    rows = reference.table("poi_mentions").drop_nulls("list_rank").drop_nulls("poi_id")
    ranked: dict[str, dict[int, str]] = {}
    for row in rows.filter(pl.col("list_rank") > 0).to_dicts():
        ranked.setdefault(at[row["doc_id"]], {})[row["list_rank"]] = names(reference)[row["poi_id"]]
    assert ranked["ranks/ten"][1] == "兰亭"
    assert list(ranked["ranks/ten"].values()) == [
        "兰亭",
        "沈园",
        "鲁迅故里",
        "东湖",
        "柯岩",
        "大禹陵",
        "安昌古镇",
        "八字桥",
        "仓桥直街",
        "府山公园",
    ]
    assert not {"ranks/plain", "ranks/walk", "ranks/tips", "lists/en/free"} & set(ranked)
    wanted: defaultdict[str, float] = defaultdict(float)
    newest: dict[str, object] = {}
    dates = dict(date_documents(documents).select("doc_id", "stated_on").iter_rows())
    for (doc_id,), part in (
        reference.table("poi_mentions")
        .drop_nulls("poi_id")
        .sort("doc_id", "start")
        .group_by("doc_id", maintain_order=True)
    ):
        order = _positions(part.to_dicts())
        for poi_id, position in order.items():
            wanted[poi_id] += 1 / position
            newest[poi_id] = max(filter(None, [newest.get(poi_id), dates[doc_id]]), default=None)
    popular = reference.table("poi_popularity").filter(context_id="any:any")
    for row in popular.to_dicts():
        assert row["score"] == pytest.approx(wanted[row["poi_id"]], abs=1e-5)
        assert row["source_date"] == newest[row["poi_id"]]


def _positions(rows: list[dict[str, object]]) -> dict[str, int]:
    """The positions of a document's places, as docs/web.md says."""
    ranks: dict[str, int] = {}
    for row in rows:
        if row["list_rank"]:
            ranks.setdefault(str(row["poi_id"]), int(str(row["list_rank"])))
    last = max(ranks.values(), default=0)
    outside = {str(row["poi_id"]) for row in rows if row["list_rank"] is None}
    for row in rows:
        poi_id = str(row["poi_id"])
        if row["role"] in ("visited", "recommended") and poi_id in outside and poi_id not in ranks:
            last += 1
            ranks[poi_id] = last
    return ranks


def test_a_second_run_asks_nobody_and_offline_gives_the_same_bytes(built: Looking) -> None:
    first = checksums(built.snapshot())
    again = built.build("--json")
    assert again.code == 0
    assert built.web.answered == []
    assert all(stage["reused"] == stage["shards"] for stage in stages(again).values())
    assert built.build("--offline", name="b", archive="a").code == 0
    assert built.web.answered == []
    assert checksums(built.snapshot("b")) == first
    assert built.build(name="c", archive="a").code == 0, "a new workspace on the same archive"
    assert built.web.answered == []
    assert checksums(built.snapshot("c")) == first


def test_a_round_of_looking_asks_for_answers_with_conditions(built: Looking) -> None:
    before = built.table("poi_facts").height
    first = checksums(built.snapshot())
    assert built.build("--refresh").code == 0
    assert checksums(built.snapshot()) == first, "nothing changed"
    official = [at for at in built.web.list_requests(304) if at.startswith(OFFICIAL)]
    assert sorted(official) == sorted(set(official))
    assert len(official) >= 5
    built.web.edition = 2
    assert built.build("--refresh").code == 0
    again = {at for at in built.web.list_requests(200) if at.startswith(OFFICIAL)}
    assert again == {"bureau/fushan"}
    assert "bureau/qingteng" in built.web.list_requests(404)
    gone = built.table("documents").drop_nulls("gone_on")
    assert "bureau/qingteng" in {built.at(url) for url in gone["url"]}
    assert built.table("poi_facts").height >= before, "what a vanished page said stays"
    built.build()
    assert built.web.answered == []


def test_pages_of_a_host_that_is_down_wait_and_come_later(
    city: Looking, reference: Looking
) -> None:
    city.web.down = {"visit"}
    assert city.build().code == 0
    waiting = {at for at, row in city.list_given().items() if row["status"] == "waiting"}
    assert any(at.startswith("visit/") for at in waiting)
    city.web.down = set()
    assert city.build().code == 0
    assert city.web.searches() == 0
    assert all(at.startswith("visit/") for at in city.web.list_requests())
    assert _rows(city.snapshot()) == _rows(reference.snapshot())


def _rows(snapshot: Path) -> dict[str, str]:
    made = checksums(snapshot)
    return {p: m for p, m in made.items() if p.startswith("data/") and "gates" not in p}


Asked = Counter[tuple[str, str, int]]


@pytest.fixture(scope="module")
def before_asking(
    reference: Looking, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Looking, Asked]:
    """A build that was killed before it chose what to ask, and what it had been answered."""
    city = reference.elsewhere(tmp_path_factory.mktemp("before") / "city")
    build = start(city)
    _wait_for(city, build, "ask_search")
    build.kill()
    build.wait()
    shutil.rmtree(city.folder / "a" / "shards" / "ask")
    return city, Counter(city.web.answered)


@pytest.mark.parametrize("seed", range(6))
def test_killed_while_it_asks_it_goes_on_to_the_same_bytes(
    before_asking: tuple[Looking, Asked], reference: Looking, tmp_path: Path, seed: int
) -> None:
    """A moment in one of the new stages, at random; what was answered is not asked again."""
    stage = ("ask_search", "ask_fetch", "ask_corpus", "ask_read", "ask_link", "answers")[seed]
    wait = random.Random(f"killed {seed}").uniform(0.0, 0.15)
    begun, before = before_asking
    city = begun.elsewhere(tmp_path / "city", built=True)
    build = start(city)
    _wait_for(city, build, stage)
    time.sleep(wait)
    build.send_signal(signal.SIGKILL)
    assert build.wait() in (-signal.SIGKILL, 0)
    between = Counter(city.web.answered)
    assert _asked_again(between, before) == 0
    assert city.build("--json").code == 0
    assert checksums(city.snapshot()) == checksums(reference.snapshot())
    assert _asked_again(Counter(city.web.answered), before + between) <= 1, "under way at a host"


def _asked_again(now: Asked, before: Asked) -> int:
    """The largest number of pages that one host gave twice."""
    hosts = Counter(
        host for host, path, status in now & before if path != "/robots.txt" and status == 200
    )
    return max(hosts.values(), default=0)


def _wait_for(city: Looking, build: Command, stage: str) -> None:
    """Until the stage before one has finished."""
    order = (
        "ask",
        "ask_search",
        "ask_fetch",
        "ask_pages",
        "ask_corpus",
        "ask_read",
        "ask_link",
        "answers",
    )
    before = city.folder / "a" / "shards" / order[order.index(stage) - 1]
    deadline = time.monotonic() + 240
    while not any(before.glob("*/*/meta.json")) and build.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)


class TestPaid:
    """What a paid search answered is asked of nobody again."""

    @pytest.fixture(autouse=True)
    def _costs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(SearXNG, "is_paid", True)

    def test_not_in_a_round_nor_in_another_workspace(self, built: Looking) -> None:
        assert built.build("--refresh").code == 0
        assert built.web.searches() == 0
        assert built.web.list_requests(304), "pages are free"
        assert built.build("--refresh", name="b", archive="a").code == 0
        assert built.web.searches() == 0

    def test_not_after_a_quota_ended_in_the_middle_of_the_inquiries(self, city: Looking) -> None:
        city.web.quota = 14
        told = city.build()
        assert told.code == 2
        assert "the quota of searxng is used up" in told.err
        before = [
            path for host, path, status in city.web.answered if host == "search" and status == 200
        ]
        assert len(before) == 14
        assert not (city.folder / "a-out").exists()
        city.web.quota = None
        for option in ((), ("--refresh",)):
            assert city.build(*option).code == 0
            after = [path for host, path, _ in city.web.answered if host == "search"]
            assert not set(before) & set(after)
            before += after
        assert len(set(before)) == len(before)


class TestOwnReadings:
    """Readings that a user brings hold for pages too."""

    def test_by_address_and_by_the_hash_of_the_main_text(self, built: Looking) -> None:
        page = built.table("documents").filter(pl.col("url").str.contains(r"\.11:\d+/01$"))
        (answer,) = [at for at in asked_for(built).values() if at == "bureau/qingteng"]
        text = parse_document(written(1)[answer].html, f"{answer}.html").text
        lines = [
            {
                "doc": page["url"].item(),
                "kind": "diary",
                "facts": [],
                "trajectory": [],
                "pois": [{"name": "沈园", "role": "visited"}, {"name": "东湖", "role": "visited"}],
            },
            {
                "doc": hashlib.sha256(text.encode()).hexdigest(),
                "kind": "other",
                "trajectory": [],
                "pois": [{"name": "青藤书屋", "role": "mentioned"}],
                "facts": [
                    {
                        "poi": "青藤书屋",
                        "field": "duration_hours",
                        "value": "3",
                        "evidence": "08:30-16:30",
                    }
                ],
            },
            {"doc": "http://nowhere.example/", "kind": "other", "pois": []},
        ]
        file = built.folder / "own.jsonl"
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        told = built.build("--readings", str(file), "--json")
        assert told.code == 0, told
        assert built.web.answered == []
        assert json.loads(told.out)["readings"]["refused"] == 1, "the line of no document"
        readers = {at: row["reader"] for at, row in built.list_given().items()}
        assert readers["notes/01"] == readers["bureau/qingteng"] == "own"
        assert readers["notes/02"] == "rules"
        (doc_id,) = [key for key, at in asked_for(built).items() if at == "bureau/qingteng"]
        spans = built.table("evidence").filter(doc_id=doc_id)
        facts = built.table("poi_facts").join(spans, on="evidence_id")
        assert facts.select("fact_field", "value").rows() == [("duration_hours", "3")]
        assert "unreadable" not in re.sub(r"\s", "", told.err)
