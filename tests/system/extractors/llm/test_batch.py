"""The Batch API behind the same call: one file up, what came ingested, the rest handed in again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from extractors.llm import (
    BudgetSpent,
    EngineStopped,
    Ledger,
    LLMSettings,
    OpenAIEngine,
    TokenPrices,
)
from extractors.llm.engine import input_bound
from extractors.llm.money import Spending, TokenAmount
from extractors.read import read_all, read_in_one_form
from extractors.tasks import TrajectoryExtraction
from tests.support.extractors.llm.fixtures import KEY, ROUTE, document
from tests.support.extractors.llm.server import completion

TASK = TrajectoryExtraction()


class Provider:
    """A provider of batches, in this process; ``misses`` names what each batch leaves out."""

    def __init__(self) -> None:
        self.uploads: list[list[dict[str, Any]]] = []
        self.batches: list[dict[str, Any]] = []
        self.files: dict[str, str] = {}
        self.misses: list[Callable[[int], bool]] = []
        self.answers: list[str] = []
        self.polls = 0
        self.refuse: tuple[int, str] | None = None
        self.untold = False

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request of the client."""
        path = request.url.path.removeprefix("/v1")
        if self.refuse:
            status, words = self.refuse
            return httpx2.Response(status, json={"error": {"message": words, "code": "x"}})
        if path == "/files":
            body = request.read().decode()
            lines = [
                json.loads(line) for line in body.splitlines() if line.startswith('{"custom_id"')
            ]
            self.uploads.append(lines)
            return httpx2.Response(200, json=_file(f"in-{len(self.uploads)}"))
        if path == "/batches" and request.method == "GET":
            return httpx2.Response(
                200, json={"object": "list", "data": self.batches, "has_more": False}
            )
        if path == "/batches":
            return httpx2.Response(200, json=self._make(json.loads(request.read())))
        if path.startswith("/batches/"):
            self.polls += 1
            batch = next(b for b in self.batches if b["id"] == path.split("/")[-1])
            state = "in_progress" if self.polls % 2 else "completed"
            return httpx2.Response(200, json={**batch, "status": state})
        return httpx2.Response(200, text=self.files[path.split("/")[2]])

    def _make(self, asked: dict[str, Any]) -> dict[str, Any]:
        number = len(self.batches) + 1
        lines = self.uploads[int(asked["input_file_id"].split("-")[1]) - 1]
        missing = self.misses.pop(0) if self.misses else (lambda _n: False)
        content = self.answers.pop(0) if self.answers else json.dumps(ROUTE, ensure_ascii=False)
        good, bad = [], []
        for n, line in enumerate(lines):
            if missing(n):
                error = {"status_code": 500, "body": {"error": {"message": "gone"}}}
                bad.append({"custom_id": line["custom_id"], "response": error})
            else:
                body = completion(content).body
                good.append(
                    {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}}
                )
        if self.untold:
            self.untold = False
            del good[0], good[0]["response"]["body"]["usage"]
        self.files[f"out-{number}"] = "\n".join(json.dumps(row) for row in reversed(good))
        self.files[f"err-{number}"] = "\n".join(json.dumps(row) for row in bad)
        batch = {
            "id": f"b{number}",
            "object": "batch",
            "status": "validating",
            "created_at": 1,
            "completion_window": "24h",
            "endpoint": asked["endpoint"],
            "metadata": asked["metadata"],
            "input_file_id": asked["input_file_id"],
            "output_file_id": f"out-{number}",
            "error_file_id": f"err-{number}",
        }
        self.batches.append(batch)
        return batch


def _file(name: str) -> dict[str, Any]:
    return {"id": name, "object": "file", "bytes": 1, "created_at": 1, "filename": "f",
            "purpose": "batch", "status": "processed"}  # fmt: skip


@pytest.fixture
def provider() -> Provider:
    """A provider that answers all."""
    return Provider()


@pytest.fixture
def make(provider: Provider, ledger: Ledger) -> Callable[..., OpenAIEngine]:
    """Engines whose client talks to the provider."""

    def build(*, run_id: str | None = None, **changes: Any) -> OpenAIEngine:
        prices = TokenPrices.model_validate({"usd_per_mtok_in": "0.5", "usd_per_mtok_out": "2"})
        settings = LLMSettings(
            base_url="https://batch.example/v1",
            api_key=SecretStr(KEY),
            model="small",
            prices=prices,
            batch=True,
            **changes,
        )
        engine = OpenAIEngine(settings, ledger, sleep=lambda _s: None, run_id=run_id)
        http = httpx2.Client(transport=httpx2.MockTransport(provider))
        engine._endpoint.client = engine._endpoint.client.with_options(http_client=http)
        return engine

    return build


class Killed(BaseException):
    """A process ends here."""


def killed(*_args: Any) -> None:
    """End as a process that is killed."""
    raise Killed


def jobs(number: int) -> list[Any]:
    """Items of different documents."""
    return [(TASK, document(n)) for n in range(number)]


def test_a_batch_answers_what_run_then_finds_in_the_ledger(
    provider: Provider, make: Callable[..., OpenAIEngine]
) -> None:
    engine = make()
    engine.prefetch(jobs(5))
    assert [len(lines) for lines in provider.uploads] == [5]
    line = provider.uploads[0][0]
    assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
    assert engine.spent == (5 * 120, 5 * 90)
    for task, item in jobs(5):
        assert len(engine.run(task, item).output.route.visits) == 3
    again = make()
    again.prefetch(jobs(5))
    assert len(provider.uploads) == 1
    assert again.spent == (0, 0)


def test_what_a_batch_left_out_is_handed_in_again_by_its_custom_id(
    provider: Provider, make: Callable[..., OpenAIEngine]
) -> None:
    provider.misses = [lambda n: n % 2 == 0]
    make().prefetch(jobs(5))
    first, second = provider.uploads
    assert [line["custom_id"] for line in second] == [line["custom_id"] for line in first[::2]]


def test_a_bad_answer_is_repaired_in_the_next_batch(
    provider: Provider, make: Callable[..., OpenAIEngine]
) -> None:
    provider.answers = ["{broken"]
    engine = make()
    engine.prefetch(jobs(2))
    assert [len(lines) for lines in provider.uploads] == [2, 2]
    assert provider.uploads[1][0]["body"]["seed"] == 1
    assert engine.run(*jobs(1)[0]).output.route is not None


def test_a_killed_run_polls_the_batch_that_it_handed_in(
    provider: Provider, make: Callable[..., OpenAIEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make()
    monkeypatch.setattr(engine, "_sleep", killed)
    with pytest.raises(Killed):
        engine.prefetch(jobs(3))
    assert len(provider.batches) == 1
    make().prefetch(jobs(3))
    assert len(provider.batches) == 1


def test_a_batch_handed_in_just_before_a_crash_is_found_by_its_mark(
    provider: Provider, make: Callable[..., OpenAIEngine], ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def crash(*_args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "batch", crash)
        with pytest.raises(KeyboardInterrupt):
            make().prefetch(jobs(3))
    make().prefetch(jobs(3))
    assert len(provider.batches) == 1


def test_a_budget_stops_before_the_upload(
    provider: Provider, make: Callable[..., OpenAIEngine]
) -> None:
    with pytest.raises(BudgetSpent):
        make(budget_tokens=1000).prefetch(jobs(2))
    assert provider.uploads == []
    with pytest.raises(BudgetSpent):
        make(budget_tokens=9000).prefetch(jobs(200))
    assert 0 < sum(map(len, provider.uploads)) < 200


def test_a_killed_runs_batch_is_settled_by_who_brings_it(
    provider: Provider, make: Callable[..., OpenAIEngine], ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Until then it counts at its bound, for the run that handed it in and for no other."""
    engine = make(run_id="r", budget_tokens=100_000)
    monkeypatch.setattr(engine, "_sleep", killed)
    with pytest.raises(Killed):
        engine.prefetch(jobs(3))
    run = ledger.account("r")
    assert run.spending().in_flight.tokens > 3 * 3000
    other = make(run_id="other", budget_tokens=100_000)
    other.prefetch(jobs(3))
    assert run.spending() == Spending(TokenAmount(3 * 120, 3 * 90), TokenAmount(), TokenAmount())
    assert ledger.account("other").spending().spent == TokenAmount()
    assert len(provider.batches) == 1


def test_what_a_batch_does_not_tell_counts_at_its_bound(
    provider: Provider, make: Callable[..., OpenAIEngine], ledger: Ledger
) -> None:
    """One answer without figures, and one request that no file names."""
    engine = make(run_id="r", budget_tokens=100_000)
    provider.untold = True
    engine.prefetch(jobs(3))
    bound = max(
        input_bound(line["body"]) + line["body"]["max_tokens"] for line in provider.uploads[0]
    )
    spent = ledger.account("r").spending().spent.tokens
    assert 2 * 120 + 1.9 * bound < spent <= 2 * 120 + 2 * bound
    assert engine.spent[0] == spent


def test_a_batch_noted_without_its_bounds_is_brought_in(
    provider: Provider, make: Callable[..., OpenAIEngine], ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """As a ledger of before notes it."""
    engine = make()
    monkeypatch.setattr(engine, "_sleep", killed)
    with pytest.raises(Killed):
        engine.prefetch(jobs(2))
    with ledger._engine.begin() as connection:
        (text,) = connection.execute(sa.text("select requests from batches")).one()
        old = [row[:4] for row in json.loads(text)["requests"]]
        connection.execute(sa.text("update batches set requests = :old"), {"old": json.dumps(old)})
    again = make()
    again.prefetch(jobs(2))
    assert again.run(*jobs(1)[0]).output.route is not None
    assert len(provider.batches) == 1


def test_a_refused_upload_stops_in_the_words_of_the_provider_and_costs_nothing(
    provider: Provider, make: Callable[..., OpenAIEngine], ledger: Ledger
) -> None:
    provider.refuse = (403, "batches are not allowed for this project")
    engine = make(run_id="r", budget_tokens=100_000)
    with pytest.raises(EngineStopped, match="not allowed for this project"):
        engine.prefetch(jobs(1))
    assert ledger.account("r").spending() == Spending(TokenAmount(), TokenAmount(), TokenAmount())


def test_batches_that_bring_nothing_stop_the_run(
    provider: Provider, make: Callable[..., OpenAIEngine]
) -> None:
    provider.misses = [lambda _n: True] * 9
    with pytest.raises(EngineStopped, match="returned no answer"):
        make().prefetch(jobs(1))


def test_documents_are_read_by_batches_behind_the_same_call(
    provider: Provider, make: Callable[..., OpenAIEngine]
) -> None:
    read = list(read_all(make(), [document(n) for n in range(3)], read_in_one_form))
    assert [item.document.doc_id for item, _r, _u in read] == ["d0", "d1", "d2"]
    assert all(reading.trips for _i, reading, _u in read)
