"""The ledger keeps what was paid, and nothing secret."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy.exc import OperationalError

from extractors.llm import EngineStopped, Ledger, LLMSettings, OpenAIEngine
from extractors.llm.ledger import LedgerEntry, Total, request_key
from extractors.tasks import TrajectoryExtraction
from schemas.sqlite import PATIENCE_SECONDS
from tests.support.extractors.llm.fixtures import KEY, TEXT, document, good
from tests.support.extractors.llm.server import Endpoint, Step, completion, refused

ENTRY = LedgerEntry(
    key="a" * 64, task="t", task_version=1, model="m", sample=0, status="good", reason="",
    raw="{}", finish_reason="stop", tokens_in=10, tokens_out=2, tokens_cached=3,
    cost_micro_usd=7, latency_ms=5, attempts=1,
)  # fmt: skip


def test_good_and_failed_answers_are_told_apart(ledger: Ledger) -> None:
    ledger.record(ENTRY)
    ledger.record(replace(ENTRY, key="b" * 64, status="failed", reason="empty"))
    assert ledger.find_recorded("a" * 64) == ENTRY
    failed = ledger.find_recorded("b" * 64)
    assert failed is not None
    assert (failed.status, failed.reason) == ("failed", "empty")
    assert ledger.find_recorded("c" * 64) is None


def test_the_first_answer_of_a_request_stays(ledger: Ledger) -> None:
    ledger.record(ENTRY)
    assert ledger.record(replace(ENTRY, raw='{"later": 1}')) == ENTRY
    assert ledger.find_recorded("a" * 64) == ENTRY


def test_summary_counts_failed_requests_and_what_they_cost(ledger: Ledger) -> None:
    ledger.record(ENTRY)
    ledger.record(replace(ENTRY, key="b" * 64, status="failed", reason="empty"))
    ledger.record(replace(ENTRY, key="c" * 64, task="s", tokens_in=None, tokens_out=None,
                          tokens_cached=None, cost_micro_usd=None))  # fmt: skip
    assert ledger.summary() == (
        Total("s", "m", 1, 1, 0, 0, 0, 0, 0, 1, 5),
        Total("t", "m", 2, 1, 1, 20, 4, 6, 14, 0, 10),
    )


def test_an_answer_is_on_disk_for_other_processes_as_soon_as_it_is_recorded(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.record(ENTRY)
    other = sqlite3.connect(tmp_path / "ledger.sqlite")
    assert other.execute("select raw from requests").fetchall() == [("{}",)]
    assert other.execute("pragma journal_mode").fetchone() == ("wal",)
    other.close()


@pytest.mark.usefixtures("all_cores")
def test_ledgers_opened_at_once_by_many_threads_lose_nothing(tmp_path: Path) -> None:
    def work(url: str, number: int) -> None:
        ledger = Ledger(url)
        for row in range(4):
            ledger.record(replace(ENTRY, key=f"{number}-{row}"))
        ledger.close()

    # One round met the refusal to switch the journal about once in sixteen.
    for round_ in range(40):
        url = f"sqlite:///{tmp_path / f'shared-{round_}.sqlite'}"
        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(work, url, number) for number in range(8)]:
                done.result()
        (total,) = Ledger(url).summary()
        assert total.requests == 32


def test_a_file_that_cannot_be_opened_is_refused_at_once(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(OperationalError, match="unable to open"):
        Ledger(f"sqlite:///{tmp_path / 'no such folder' / 'ledger.sqlite'}")
    assert time.monotonic() - started < PATIENCE_SECONDS / 2


def test_a_ledger_in_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="name a file"):
        Ledger("sqlite://")


def test_the_key_of_a_request_holds_all_that_answers_depend_on() -> None:
    here = LLMSettings(base_url="http://127.0.0.1:1/v1", model="m").endpoint
    there = LLMSettings(base_url="http://127.0.0.1:2/v1", model="m").endpoint
    body = {"model": "m", "messages": [{"role": "user", "content": "青"}], "seed": 0}
    first = request_key(here, body, 0)
    assert request_key(here, dict(reversed(body.items())), 0) == first
    others = {
        request_key(there, body, 0),
        request_key(here, body, 1),
        request_key(here, body | {"seed": 1}, 0),
        request_key(here, body | {"messages": []}, 0),
    }
    assert len(others | {first}) == 5
    assert "127.0.0.1" not in str(here)


def test_settings_show_no_key_and_take_none_in_an_address() -> None:
    settings = LLMSettings(model="m", base_url="http://127.0.0.1:9/v1/", api_key=SecretStr(KEY))
    assert settings.base_url == "http://127.0.0.1:9/v1"
    dumps = (repr(settings), str(settings), settings.model_dump_json(), str(settings.identity()))
    assert not any(KEY in text for text in dumps)
    assert "api_key" not in settings.model_dump()
    for address in (f"http://me:{KEY}@host/v1", f"http://host/v1?key={KEY}", KEY):
        with pytest.raises(ValueError, match="base_url") as caught:
            LLMSettings(base_url=address, model="m")
        assert KEY not in str(caught.value)
    with pytest.raises(ValueError, match="no model"):
        LLMSettings()


def test_a_key_is_asked_for_elsewhere_only(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    free = {"usd_per_mtok_in": 0, "usd_per_mtok_out": 0}
    remote = {"base_url": "https://llm.example/v1", "model": "m", "prices": free}
    with pytest.raises(EngineStopped, match="no key"):
        OpenAIEngine(LLMSettings.model_validate(remote), ledger)
    local = remote | {"base_url": "http://127.0.0.1:9/v1"}
    OpenAIEngine(LLMSettings.model_validate(local), ledger).close()


def test_no_key_and_no_document_in_logs_exceptions_or_files(
    endpoint: Endpoint,
    engine_of: Callable[..., OpenAIEngine],
    ledger: Ledger,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = completion(f"You sent Bearer {KEY}")
    limited = refused(429, f"slow down, {KEY}", Retry_After="0.5")
    endpoint.script = [echo, Step(reset=True), limited, refused(500, KEY), good()]
    engine = engine_of()
    engine.run(TrajectoryExtraction(), document())
    assert endpoint.keys == [f"Bearer {KEY}"] * 5
    endpoint.script = [refused(401, f"Incorrect API key provided: {KEY}")]
    with pytest.raises(EngineStopped, match=r"Incorrect API key provided: \[key\]") as caught:
        engine.run(TrajectoryExtraction(), document(1))
    assert caught.value.__cause__ is None
    printed = capfd.readouterr()
    text = f"{caught.getrepr()} {caplog.text} {printed.out} {printed.err}"
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert KEY not in text
    assert "content-length" not in caplog.text
    assert endpoint.base_url not in caplog.text
    assert TEXT[1] not in caplog.text + printed.out + printed.err
    assert files
    assert not any(KEY.encode() in data or b"Bearer sk" in data for data in files)
    assert any(b"You sent Bearer [key]" in data for data in files)
