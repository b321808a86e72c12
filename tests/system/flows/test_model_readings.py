"""Builds from what a model reads by one request a document: published; bad answers are said."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from benchmarks.llm_server import answer_to
from extractors.tasks import DocumentTask
from flows.models.engines import engine_named
from tests.support.extractors.llm.server import Endpoint, Step, completion, serving, task_of
from tests.support.flows import running
from warehouse.read import Snapshot

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_data_docs")]

#: What a reader of the two pages would answer, by words of the page. The first journey comes to the
#: garden again, which the page names once; the second has days without numbers and a day in two
#: parts.
ANSWERS: dict[str, dict[str, Any]] = {
    "苏州两日游": {
        "kind": "diary",
        "days": 2,
        "places": [
            "1|青石园|visited",
            "2|双桥古街|visited|shop",
            "3|云岩塔|visited",
            "4|湖东博物馆|visited",
            "5|听枫书院|visited",
            "6|柳浜码头|visited",
        ],
        "trips": [["1|第一天||1>2", "1|||3", "2|第二天||4>5>1>6"], ["plan", "1|||2>3", "2|||1"]],
        "facts": ["1|ticket_price|70||门票70元"],
    },
    "Two days in Suzhou": {
        "kind": "diary",
        "days": 2,
        "places": [
            "1|Cloudrock Pagoda|visited",
            "2|Twin Bridge Street|visited",
            "3|Bluestone Garden|visited",
            "4|East Lake Museum|visited",
            "5|Willow Creek Wharf|visited",
        ],
        "trips": [["|Day 1||1,2", "|Day 2||3>4>5>3"]],
        "facts": [],
    },
}
#: A city without documents, and a sight of its own.
NANJING = (
    "id,name_zh,name_en,category,lat,lon\nn,钟鼓台,Bell Terrace,historical_cultural,32.06,118.79\n"
)
#: Answers that are none, by a word of the page: the old form, half of one, a refusal, another page.
BAD = {
    "甲": completion(json.dumps({"kind": "route", "pois": [], "decoys": []})),
    "乙": completion('{"kind": "diary", "days": 2, "pla', finish="length"),
    "丙": completion("I cannot help with that."),
    "丁": completion("<html><body>502 Bad Gateway</body></html>"),
}


class ByPage(Endpoint):
    """Answers by the words of the page that a request shows; other tasks as the rules would."""

    @property
    def read(self) -> int:
        """Requests that asked for the reading of a document."""
        return [task_of(body) for body in self.bodies].count(DocumentTask.name)

    def next_step(self, body: dict[str, Any], key: str | None) -> Step:
        """The answer to a request."""
        with self.lock:
            self.bodies.append(body)
        if task_of(body) != DocumentTask.name:
            return completion(json.dumps(answer_to(body)))
        shown = body["messages"][-1]["content"]
        good = {
            words: completion(json.dumps(a, ensure_ascii=False)) for words, a in ANSWERS.items()
        }
        return next(step for words, step in {**good, **BAD}.items() if words in shown)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ByPage]:
    """A model that the environment names, asked once a document."""
    found = ByPage()
    engine_named.cache_clear()
    with serving(found):
        for name, value in (
            ("OPENAI_BASE_URL", found.base_url), ("OPENAI_MODEL", "m"), ("OPENAI_API_KEY", "k"),
            ("TRIPBED_LLM_ONE_REQUEST", "1"), ("TRIPBED_LEDGER", str(tmp_path / "ledger.sqlite")),
        ):  # fmt: skip
            monkeypatch.setenv(name, value)
        yield found
    engine_named.cache_clear()


def build(small: running.Inputs, folder: Path, *cities: str) -> running.Outcome:
    more = [option for city in cities for option in ("--city", city)]
    places = running.build_options(folder / "work", folder / "out")
    return running.run("build", *small.options(), *more, "--engine", "openai", *places)


def test_a_build_from_a_models_readings_publishes(
    small: running.Inputs, model: ByPage, tmp_path: Path
) -> None:
    """Also with a city that has no document."""
    header, *rows = running.GAZETTEER.splitlines()
    told = [f"{header},city", *(f"{row},suzhou" for row in rows), NANJING]
    (small.tables / "gazetteer.csv").write_text("\n".join(told) + "\n", encoding="utf-8")
    done = build(small, tmp_path, "nanjing")
    assert done.code == 0, done.out + done.err
    assert model.read == 2, "a document is asked about once, whatever the cities"
    snapshot = Snapshot((tmp_path / "out" / "latest").resolve())
    waiting = snapshot.table("queries").filter(pl.col("status") == "pending_documents")
    cities = {row["slug"]: row["city_id"] for row in snapshot.table("cities").to_dicts()}
    routes = snapshot.table("trajectories")
    assert set(routes["city_id"]) == {cities["suzhou"]}
    assert waiting.filter(city_id=cities["nanjing"]).height == 10, "its queries wait for documents"
    stops = sorted(
        [(visit["day"], visit["name"]) for visit in row["noisy_visits"]]
        for row in routes.to_dicts()
    )
    assert stops == [
        [
            (1, "Cloudrock Pagoda"),
            (1, "Twin Bridge Street"),
            (2, "Bluestone Garden"),
            (2, "East Lake Museum"),
            (2, "Willow Creek Wharf"),
            (2, "Bluestone Garden"),
        ],
        [
            (1, "青石园"),
            (1, "双桥古街"),
            (1, "云岩塔"),
            (2, "湖东博物馆"),
            (2, "听枫书院"),
            (2, "青石园"),
            (2, "柳浜码头"),
        ],
    ]
    prices = snapshot.table("poi_facts").filter(pl.col("evidence_id").is_not_null())
    assert "70" in set(prices.filter(fact_field="ticket_price")["value"])


def test_answers_that_are_none_are_said_and_nothing_is_lost(
    small: running.Inputs, model: ByPage, tmp_path: Path
) -> None:
    for name in BAD:
        text = f"# 苏州一日\n\n上午游览青石园,下午去{name}家。\n"
        (small.documents / f"{name}.md").write_text(text, encoding="utf-8")
    done = build(small, tmp_path)
    assert done.code == 0, done.out + done.err
    with sqlite3.connect(tmp_path / "ledger.sqlite") as ledger:
        counted = dict(
            ledger.execute(
                "select status, count(*) from requests where task = ? group by 1",
                [DocumentTask.name],
            )
        )
    assert (counted["good"], counted["failed"]) == (2, model.read - 2), "each answer is counted"
    snapshot = Snapshot((tmp_path / "out" / "latest").resolve())
    given = pl.read_parquet(snapshot.path / "quality" / "documents.parquet")
    told = dict(given.group_by("status").len().iter_rows())
    assert told == {"used": 2, "waiting": 4}, "no document vanishes"
    waiting = given.filter(status="waiting")["why"].to_list()
    for reason in ("broken JSON", "truncated", "wrong JSON"):
        assert any(reason in why for why in waiting), waiting
    assert snapshot.table("trajectories").height == 2, "the good answers stand"
