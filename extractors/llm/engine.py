"""The engine ``openai``: tasks carried out by a language model behind an HTTP endpoint.

A request is looked up in the ledger before it is sent, and its answer is committed there before
it is used. Judging an answer is a pure function of what was recorded and of the task's code: a
killed run goes on without paying again, and a changed parser reads the old answers for free.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Any

from pydantic import BaseModel

from extractors.llm.answers import answer_schema, without_text_bounds
from extractors.llm.endpoint import Endpoint
from extractors.llm.errors import EngineStopped, Failed, Unanswered
from extractors.llm.ledger import Entry, Ledger, request_key
from extractors.llm.reply import answer_of, read_reply
from extractors.llm.settings import LLMSettings
from schemas.ids import canonical_json
from schemas.reading import Span
from schemas.tasks import Grounded, In, Out, Task

#: Further samples after an answer that cannot be used.
MAX_REPAIRS = 2
#: Tokens that a chat template adds to a message, at most.
_TEMPLATE_TOKENS = 32


class OpenAIEngine:
    """Carries out every task that has a prompt. Safe to share by threads."""

    name = "openai"

    def __init__(
        self, settings: LLMSettings, ledger: Ledger, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Raises EngineStopped when the price of a token is not stated, or the key is missing."""
        problem = settings.price_problem()
        if problem or settings.prices is None:
            raise EngineStopped(problem or "no prices")
        self._settings = settings
        self._ledger = ledger
        self._endpoint = Endpoint(settings, settings.prices, sleep)
        self._busy: set[str] = set()
        self._freed = Condition()

    @property
    def spent(self) -> tuple[int, int]:
        """Tokens and micro-USD of this engine's own requests; the ledger's answers are free."""
        return self._endpoint.purse.tokens, self._endpoint.purse.micro_usd

    def identity(self) -> str:
        """What the answers depend on (endpoint, model, sampling), without a secret."""
        return str(self._settings.identity())

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer one item.

        Raises Unanswered when it has no usable answer after its repairs (quarantine it),
        BudgetSpent when a request could break a budget (it is pending), EngineStopped for what
        fails for every item.
        """
        messages = task.prompt(item)
        cuts, last, failure = 0, "", Failed("empty")
        with self._alone(request_key({}, self._body(task, messages, 0, 0), 0)):
            for sample in range(1 + MAX_REPAIRS):
                entry = self._entry(task, self._body(task, messages, sample, cuts), sample)
                try:
                    return self._judged(task, item, entry)
                except Failed as found:
                    failure, last = found, entry.raw
                if failure.final:
                    break
                cuts += failure.reason == "truncated"
        raise Unanswered(failure.reason, last, failure.detail) from None

    def close(self) -> None:
        """Close the connections; the ledger stays open."""
        self._endpoint.close()

    def _body(
        self, task: Task[In, Out], messages: list[dict[str, str]], sample: int, cuts: int
    ) -> dict[str, Any]:
        """The request as it is sent. A repair is another sample of it, not a longer talk."""
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": messages,
            settings.limit_name: settings.max_tokens * 2**cuts,
        }
        if settings.answer_format == "json_schema":
            schema = answer_schema(task)
            if settings.strict_schema:
                schema = without_text_bounds(schema)
            wanted = {"name": task.name, "strict": settings.strict_schema, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif settings.answer_format == "json_object":
            body["response_format"] = {"type": "json_object"}
        if settings.temperature is not None:
            body["temperature"] = settings.repair_temperature if sample else settings.temperature
            body["seed"] = sample
        return body

    def _entry(self, task: Task[In, Out], body: dict[str, Any], sample: int) -> Entry:
        """What the ledger holds for a request, or else what the endpoint answers, committed."""
        key = request_key(self._settings.endpoint, body, sample)
        known = self._ledger.recorded(key)
        if known:
            return known
        # A token is at least a byte long, so the size of the request bounds its tokens.
        size = len(canonical_json([body["messages"], body.get("response_format")]).encode())
        bound = size + _TEMPLATE_TOKENS * (1 + len(body["messages"]))
        received = self._endpoint.ask(body, bound, body[self._settings.limit_name])
        reply = read_reply(received.raw)
        try:
            answer_of(reply)
            reason = ""
        except Failed as failure:
            reason = failure.reason
        usage = received.usage
        return self._ledger.record(
            Entry(
                key=key,
                task=task.name,
                task_version=task.version,
                model=self._settings.model,
                sample=sample,
                status="failed" if reason else "good",
                reason=reason,
                raw=received.raw,
                finish_reason=reply.finish_reason[:40] if reply.finish_reason else None,
                tokens_in=usage.tokens_in if usage else None,
                tokens_out=usage.tokens_out if usage else None,
                tokens_cached=usage.tokens_cached if usage else None,
                cost_micro_usd=self._endpoint.cost(usage) if usage else None,
                latency_ms=received.latency_ms,
                attempts=received.attempts,
            )
        )

    def _judged(self, task: Task[In, Out], item: In, entry: Entry) -> Grounded[Out]:
        """Parse and check a recorded answer, and keep the ledger's judgement of it true."""
        try:
            grounded = grounded_answer(task, item, entry.raw)
        except Failed as failure:
            if (entry.status, entry.reason) != ("failed", failure.reason):
                self._ledger.mark(entry.key, "failed", failure.reason)
            raise
        if entry.status != "good":
            self._ledger.mark(entry.key, "good")
        return grounded

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Let no two threads send the same request."""
        with self._freed:
            while key in self._busy:
                self._freed.wait()
            self._busy.add(key)
        try:
            yield
        finally:
            with self._freed:
                self._busy.discard(key)
                self._freed.notify_all()


def grounded_answer(task: Task[In, Out], item: In, raw: str) -> Grounded[Out]:
    """What a raw response says and its document supports; raises Failed when that is nothing."""
    answer = answer_of(read_reply(raw))
    try:
        output = task.parse(answer, item)
    except ValueError as error:
        raise Failed("wrong JSON", str(error)) from None
    grounded = task.check(item, output)
    if grounded.ungrounded and not _has_span(grounded.output):
        raise Failed("ungrounded", f"nothing of {len(grounded.ungrounded)} claims has evidence")
    return grounded


def _has_span(value: Any) -> bool:
    """Whether any part of an output points to its evidence."""
    if isinstance(value, Span):
        return True
    if isinstance(value, BaseModel):
        return any(_has_span(part) for _name, part in value)
    if isinstance(value, list | tuple):
        return any(_has_span(part) for part in value)
    return False
