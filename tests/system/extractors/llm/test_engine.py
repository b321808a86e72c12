"""The engine against an endpoint that misbehaves by script: what is sent, kept and raised."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from extractors.llm import EngineStopped, Ledger, OpenAIEngine, Unanswered
from extractors.llm.ledger import LedgerEntry
from extractors.tasks import RouteReading, TrajectoryExtraction
from schemas.tasks import DocumentInput, Engine
from tests.support.extractors.llm.fixtures import INVENTED, document, good
from tests.support.extractors.llm.server import Endpoint, Step, completion, refused

Make = Callable[..., OpenAIEngine]
TASK = TrajectoryExtraction()


def stops(engine: OpenAIEngine, item: DocumentInput) -> list[tuple[int, int, str]]:
    """Day, order and name of the visits that the engine reads, each checked at its span."""
    output: Any = engine.run(TASK, item).output
    assert isinstance(output, RouteReading)
    visits = output.route.visits if output.route else ()
    text = item.document.text
    assert all(text[v.span.start : v.span.end] == v.name for v in visits)
    return [(v.day, v.order, v.name) for v in visits]


EXPECTED = [(1, 1, "青鹭寺"), (1, 2, "望潮阁"), (2, 1, "石门古街")]


def entries(ledger: Ledger) -> list[LedgerEntry]:
    """All rows, first samples first."""
    with ledger._engine.connect() as connection:
        from extractors.llm.ledger import _REQUESTS

        rows = connection.execute(_REQUESTS.select().order_by(_REQUESTS.c.sample)).all()
    return [LedgerEntry(**row._mapping) for row in rows]


def test_a_good_answer_is_read_and_the_request_carries_a_bounded_schema(
    endpoint: Endpoint, engine_of: Make, ledger: Ledger
) -> None:
    endpoint.script = [good()]
    engine = engine_of()
    assert isinstance(engine, Engine)
    assert engine.name == "openai"
    assert stops(engine, document()) == EXPECTED
    body = endpoint.bodies[0]
    wanted = body["response_format"]["json_schema"]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("small", 0.0, 3000)
    assert wanted["schema"]["properties"]["days"]["maxItems"] == 4
    assert "青鹭寺" in body["messages"][-1]["content"]
    (entry,) = entries(ledger)
    assert (entry.status, entry.finish_reason, entry.sample) == ("good", "stop", 0)
    assert (entry.tokens_in, entry.tokens_out, entry.tokens_cached) == (100, 20, 40)
    assert entry.cost_micro_usd == 90  # 100 x 0.5 + 20 x 2
    assert engine.spent == (120, 90)


def test_the_second_run_sends_nothing(endpoint: Endpoint, engine_of: Make) -> None:
    endpoint.script = [good()]
    first = engine_of().run(TASK, document())
    again = engine_of()
    assert again.run(TASK, document()) == first
    assert endpoint.count == 1
    assert again.spent == (0, 0)


def test_another_model_or_sampling_is_another_request(endpoint: Endpoint, engine_of: Make) -> None:
    endpoint.otherwise = good()
    for changes in ({}, {"model": "large"}, {"temperature": 0.3}, {"max_tokens": 99}):
        engine_of(**changes).run(TASK, document())
    assert endpoint.count == 4


BAD = {
    "refusal": completion(None, refusal="I will not read this."),
    "filter": completion("", finish="content_filter"),
    "empty": completion(""),
    "truncated": completion('{"days": [{"day": 1, "vis', finish="length"),
    "unfinished": completion('{"days": [], "reason": "no"}', finish="tool_calls"),
    "broken": completion('{"days": ['),
    "not a number": completion('{"days": [], "reason": NaN}'),
    "half a surrogate": completion('{"days": [], "reason": "\\ud800"}'),
    "list": completion("[1, 2]"),
    "wrong form": completion('{"stops": ["青鹭寺"]}'),
    "wrong types": completion('{"days": [{"day": "one", "visits": [{"name": "青鹭寺"}]}]}'),
    "invented names": completion(json.dumps(INVENTED)),
    "no completion": Step(body="<html>gateway</html>"),
    "no choices": Step(body={"choices": []}),
}
REASONS = {
    "filter": "refusal", "broken": "broken JSON", "not a number": "broken JSON",
    "half a surrogate": "broken JSON", "list": "wrong JSON", "wrong form": "wrong JSON",
    "wrong types": "wrong JSON", "invented names": "ungrounded", "no completion": "empty",
    "no choices": "empty",
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_answer_is_repaired_in_a_fresh_context(
    kind: str, endpoint: Endpoint, engine_of: Make, ledger: Ledger
) -> None:
    endpoint.script = [BAD[kind], good()]
    assert stops(engine_of(), document()) == EXPECTED
    first, second = endpoint.bodies
    assert first["messages"] == second["messages"]
    assert (first["seed"], second["seed"]) == (0, 1)
    assert second["max_tokens"] == (6000 if kind == "truncated" else 3000)
    bad, fine = entries(ledger)
    assert (bad.status, bad.reason) == ("failed", REASONS.get(kind, kind))
    assert ledger.find_recorded(bad.key) == bad
    assert (fine.status, fine.reason, fine.sample) == ("good", "", 1)
    assert stops(engine_of(), document()) == EXPECTED
    assert endpoint.count == 2


@pytest.mark.parametrize("kind", BAD)
def test_after_two_repairs_the_item_is_unanswered_and_the_raw_answers_are_kept(
    kind: str, endpoint: Endpoint, engine_of: Make, ledger: Ledger
) -> None:
    endpoint.otherwise = BAD[kind]
    for _run in range(2):
        with pytest.raises(Unanswered) as caught:
            engine_of().run(TASK, document())
        assert caught.value.reason == REASONS.get(kind, kind)
        body = BAD[kind].body
        assert caught.value.raw == (body if isinstance(body, str) else json.dumps(body))
        assert "青鹭寺" not in f"{caught.value} {caught.value!r}"
    asked = 2 if kind == "truncated" else 3  # a third answer would be cut as well
    assert endpoint.count == asked
    assert [entry.status for entry in entries(ledger)] == ["failed"] * asked


def test_a_partly_grounded_answer_is_an_answer(endpoint: Endpoint, engine_of: Make) -> None:
    mixed = {"days": [{"day": 1, "visits": [{"name": "青鹭寺"}, {"name": "碧云塔"}]}]}
    endpoint.script = [completion(json.dumps(mixed))]
    answer = engine_of().run(TASK, document())
    assert [u.what for u in answer.ungrounded] == ["碧云塔"]
    assert endpoint.count == 1


def test_a_changed_parser_reads_the_recorded_answer_for_free(
    endpoint: Endpoint, engine_of: Make, ledger: Ledger
) -> None:
    class Older(TrajectoryExtraction):
        def parse(self, raw: dict[str, Any], item: DocumentInput) -> RouteReading:
            raise ValueError("a form that the older parser does not know")

    endpoint.otherwise = good()
    with pytest.raises(Unanswered):
        engine_of().run(Older(), document())
    assert stops(engine_of(), document()) == EXPECTED
    assert endpoint.count == 3
    assert [entry.status for entry in entries(ledger)] == ["good", "failed", "failed"]


def test_a_rate_limit_is_waited_for_and_is_no_attempt(
    endpoint: Endpoint, engine_of: Make, ledger: Ledger, waits: list[float]
) -> None:
    limits = [refused(429, "slow down", "rate_limit_exceeded", Retry_After="0.7")] * 3
    endpoint.script = [*limits, good()]
    assert stops(engine_of(attempts=1), document()) == EXPECTED
    assert entries(ledger)[0].attempts == 1
    assert 0.6 < max(waits) <= 0.7


def test_a_rate_limit_without_end_stops_the_run(endpoint: Endpoint, engine_of: Make) -> None:
    endpoint.otherwise = refused(429, "come back tomorrow", Retry_After="86400")
    with pytest.raises(EngineStopped, match="come back tomorrow"):
        engine_of().run(TASK, document())
    assert endpoint.count == 1


@pytest.mark.parametrize(
    "trouble",
    [
        refused(500, "oops"),
        refused(503, "busy"),
        Step(reset=True),
        Step(body=good().body, cut=True),
        Step(delay_s=0.8, body={}),
    ],
    ids=["500", "503", "reset", "cut", "timeout"],
)
def test_passing_trouble_is_tried_again_with_growing_pauses(
    trouble: Step, endpoint: Endpoint, engine_of: Make, ledger: Ledger, waits: list[float]
) -> None:
    endpoint.script = [trouble, trouble, good()]
    assert stops(engine_of(read_timeout_s=0.3), document()) == EXPECTED
    assert entries(ledger)[0].attempts == 3
    assert waits == [1.0, 2.0]


def test_lasting_trouble_leaves_the_item_unanswered_and_then_stops_the_run(
    endpoint: Endpoint, engine_of: Make, ledger: Ledger
) -> None:
    endpoint.otherwise = refused(500, "the model fell over")
    engine = engine_of(attempts=2)
    for number in (1, 2):
        with pytest.raises(Unanswered, match="status 500"):
            engine.run(TASK, document(number))
    with pytest.raises(EngineStopped, match="the model fell over"):
        engine.run(TASK, document(3))
    assert endpoint.count == 6
    assert entries(ledger) == []  # no answer came: a later run asks again


STOPPERS = {
    "bad key": refused(401, "Incorrect API key provided", "invalid_api_key"),
    "unknown model": refused(404, "The model `small` does not exist", "model_not_found"),
    "forbidden": refused(403, "Country not supported"),
    "quota": refused(429, "You exceeded your current quota", "insufficient_quota"),
    "balance": refused(402, "Insufficient Balance"),
    "no schemas": refused(400, "response_format is not supported", "unsupported_parameter"),
}


@pytest.mark.parametrize("kind", STOPPERS)
def test_what_fails_for_all_stops_at_once_in_the_words_of_the_provider(
    kind: str, endpoint: Endpoint, engine_of: Make, waits: list[float]
) -> None:
    endpoint.otherwise = STOPPERS[kind]
    engine = engine_of()
    words = STOPPERS[kind].body["error"]["message"]
    for number in (1, 2):
        with pytest.raises(EngineStopped, match=words):
            engine.run(TASK, document(number))
    assert endpoint.count == 1
    assert waits == []


def test_a_quota_spent_in_the_middle_stops_too(endpoint: Endpoint, engine_of: Make) -> None:
    endpoint.script = [good(), refused(400, "Hard limit reached", "billing_hard_limit_reached")]
    engine = engine_of()
    engine.run(TASK, document())
    with pytest.raises(EngineStopped, match="Hard limit reached"):
        engine.run(TASK, document(1))
    assert engine.run(TASK, document()).ungrounded == ()  # what is recorded is still served


def test_an_unreachable_endpoint_stops_at_once(engine_of: Make, waits: list[float]) -> None:
    engine = engine_of(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(EngineStopped, match="cannot be reached"):
        engine.run(TASK, document())
    assert waits == []


def test_a_request_that_is_refused_alone_leaves_only_its_item_unanswered(
    endpoint: Endpoint, engine_of: Make, ledger: Ledger
) -> None:
    too_long = refused(400, "maximum context length is 8192 tokens", "context_length_exceeded")
    endpoint.script = [too_long, good(), refused(400, "max_tokens is too large"), good()]
    engine = engine_of()
    with pytest.raises(Unanswered, match="refused by the endpoint") as caught:
        engine.run(TASK, document(1))
    assert "maximum context length" in caught.value.raw
    assert stops(engine, document(2)) == EXPECTED
    with pytest.raises(Unanswered, match="refused by the endpoint"):
        engine.run(TASK, document(3))
    assert stops(engine, document(4)) == EXPECTED
    assert endpoint.count == 4
    assert [entry.reason for entry in entries(ledger)].count("refused by the endpoint") == 1


def test_an_endpoint_without_schemas_is_asked_for_less(endpoint: Endpoint, engine_of: Make) -> None:
    fenced = good().body["choices"][0]["message"]["content"]
    endpoint.script = [completion(f"```json\n{fenced}\n```")] * 2
    assert stops(engine_of(answer_format="text"), document()) == EXPECTED
    assert stops(engine_of(answer_format="json_object"), document()) == EXPECTED
    assert "response_format" not in endpoint.bodies[0]
    assert endpoint.bodies[1]["response_format"] == {"type": "json_object"}


def test_the_same_request_from_many_threads_is_sent_once(
    endpoint: Endpoint, engine_of: Make
) -> None:
    endpoint.otherwise = Step(body=good().body, delay_s=0.1)
    engine = engine_of()
    seen: list[list[tuple[int, int, str]]] = []
    threads = [
        threading.Thread(target=lambda n=n: seen.append(stops(engine, document(n % 2))))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [EXPECTED] * 8
    assert endpoint.count == 2


def test_usage_that_was_not_counted_stays_unknown_but_is_charged_at_its_bound(
    endpoint: Endpoint, engine_of: Make, ledger: Ledger
) -> None:
    body = {k: v for k, v in good().body.items() if k != "usage"}
    endpoint.script = [Step(body=body)]
    engine = engine_of()
    engine.run(TASK, document())
    (entry,) = entries(ledger)
    assert (entry.tokens_in, entry.cost_micro_usd) == (None, None)
    assert engine.spent[0] > 3000
    assert ledger.summary()[0].uncounted == 1
