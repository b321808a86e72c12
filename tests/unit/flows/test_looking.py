"""Stages of a build that looks at the web: what they make of what was found. Nobody is asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.errors import SettingsError
from flows.pipeline.graph import WEB, list_needed, shard_total
from flows.pipeline.request import BuildRequest, describe_search, make_web
from flows.pipeline.stages import corpus, retrieve, search
from flows.pipeline.stages.base import Inputs, Job, Web
from flows.pipeline.stages.documents import list_found_pages
from flows.settings.environment import Settings
from flows.settings.profile import DocumentSettings, load_profile
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.cities import find_city
from schemas.ids import doc_id
from schemas.rows import SubQueriesRow

CITY = find_city("绍兴")
SHA = {name: f"{number:02x}" * 32 for number, name in enumerate(("one", "two", "nine"), 1)}


def address(url: str, sha: str | None = None, **more: Any) -> dict[str, Any]:
    outcome = "stored" if sha else "pending"
    return {
        "url": url,
        "final_url": url,
        "outcome": outcome,
        "robots": "allowed",
        "content_sha256": sha,
        "content_type": "text/html",
        "size_bytes": 9,
        "fetched_on": date(2026, 5, 1),
        **more,
    }


def addresses(*rows: dict[str, Any]) -> dict[str, pl.DataFrame]:
    return {"addresses": pl.DataFrame(list(rows), polars_schema_of(inner.ADDRESSES), orient="row")}


def hits(*rows: tuple[str, str, int, str, date | None]) -> dict[str, pl.DataFrame]:
    names = ("sub_query_id", "provider", "rank", "url", "published_on")
    made = [{**dict(zip(names, row, strict=True)), "title": None} for row in rows]
    return {"hits": pl.DataFrame(made, polars_schema_of(inner.HITS), orient="row")}


def test_the_best_addresses_of_a_query_within_the_bound_of_age() -> None:
    found = hits(
        ("sq_a", "brave", 1, "http://old.net/", date(2019, 1, 1)),
        ("sq_a", "brave", 2, "http://b.net/", None),
        ("sq_b", "brave", 1, "http://c.net/", date(2024, 1, 1)),
        ("sq_b", "searxng", 1, "http://b.net/", None),
    )["hits"].to_dicts()
    asked = [
        {"query_id": "q", "city_id": CITY.city_id, "purpose": "poi", "sub_query_id": key}
        for key in ("sq_a", "sq_b")
    ]
    limits = DocumentSettings(newest_after=date(2020, 1, 1), per_poi_search=2)
    chosen = search.choose_hits(asked, found, limits)
    assert [(row["rank"], row["url"]) for row in chosen] == [
        (1, "http://b.net/"), (2, "http://c.net/"),
    ]  # fmt: skip


def test_a_page_falls_into_the_bucket_of_its_bytes_once() -> None:
    fetched = addresses(
        address("http://a.net/", SHA["one"]), address("http://b.net/", SHA["nine"]),
        address("http://c.net/", SHA["one"]), address("http://d.net/"),
    )  # fmt: skip
    inputs = Inputs((CITY,), load_profile("folder"))
    made = {
        n: corpus.compute_pages(Job(inputs, None, f"{n:02d}"), {"fetch": [fetched]})
        for n in range(8)
    }
    urls = [url for frames in made.values() for url in frames["pages"]["url"]]
    assert sorted(urls) == ["http://a.net/", "http://b.net/"]
    (copy,) = [row for frames in made.values() for row in frames["copies"].to_dicts()]
    assert copy == {"path": "http://c.net/", "check": "same_bytes", "message": "http://a.net/"}


def test_a_document_keeps_the_best_of_its_hits() -> None:
    fetched = addresses(address("http://a.net/", SHA["one"], gone_on=date(2026, 5, 9)))
    found = hits(
        ("sq_b", "brave", 3, "http://a.net/", date(2024, 1, 1)),
        ("sq_a", "searxng", 2, "http://a.net/", date(2025, 1, 1)),
    )
    told = list_found_pages({"fetch": [fetched], "search": [found]})[doc_id(SHA["one"])]
    assert (told["provider"], told["sub_query_id"], told["found_rank"]) == ("searxng", "sq_a", 2)
    assert (told["stated_on"], told["gone_on"]) == (date(2025, 1, 1), date(2026, 5, 9))
    assert list_found_pages({}) == {}


@pytest.mark.slow
def test_hits_of_the_web_are_ranked_with_the_documents_at_hand() -> None:
    texts = pl.DataFrame({"doc_id": ["d1", "d2"], "text": ["沈园在绍兴", "杭州西湖"]})
    asked: list[SubQueriesRow] = [
        {"query_id": "q", "city_id": CITY.city_id, "purpose": "poi", "rank": 1,
         "sub_query_id": "sq_a", "text": "绍兴 沈园", "lang": "zh"}
    ]  # fmt: skip
    web = {
        "sq_a": [
            retrieve.RetrievedDocument("brave", "d2", 1),
            retrieve.RetrievedDocument("brave", "elsewhere", 2),
        ]
    }
    rows = retrieve.search(asked, texts, {"poi": 9}, {}, web)
    found = {row["doc_id"]: (row["provider"], row["found_rank"]) for row in rows}
    assert found == {"d1": ("corpus", 1), "d2": ("brave", 1)}
    assert {row["sub_query_id"] for row in rows} == {"sq_a"}


def test_a_build_without_a_search_has_no_stage_of_the_web() -> None:
    plain = Inputs((CITY,), load_profile("folder"))
    looking = Inputs((CITY,), load_profile("folder"), web=Web(("mediawiki",), Path("archive")))
    assert not WEB & list_needed(plain, "plans")
    assert list_needed(looking, "plans") - list_needed(plain, "plans") == WEB
    assert shard_total(looking) - shard_total(plain) == (1 + 1 + 8) + (1 + 1 + 4 * 8)
    assert "read" not in list_needed(looking, "corpus")


@pytest.mark.parametrize(
    ("names", "refresh", "offline", "message"),
    [
        (
            ["mediawiki"],
            True,
            True,
            "--refresh needs the network, but --offline forbids its use: give only one of the two",
        ),
        ([], True, False, "--refresh applies only .*: choose a search engine with --search"),
        ([], False, True, "--offline applies only .*: choose a search engine with --search"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    names: list[str], refresh: bool, offline: bool, message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        make_web(names, Path("a"), refresh=refresh, offline=offline, settings=Settings.unset())


def test_a_flow_is_told_where_to_look(tmp_path: Path) -> None:
    web = make_web(
        ["mediawiki", "mediawiki"], tmp_path / "a", refresh=True, offline=False,
        settings=Settings.unset(),
    )  # fmt: skip
    request = BuildRequest(
        ["绍兴"], [], None, "tripbed", "folder", "rules", Settings.unset(), web=web
    )
    assert describe_search(request) == {
        "search": ["mediawiki"], "archive": str(tmp_path / "a"), "refresh": True, "offline": False,
    }  # fmt: skip
    assert describe_search(replace(request, web=None)) == {}
    assert request.inputs().web == web, "a search stands for the documents that a profile needs"
