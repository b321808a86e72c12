"""The engine ``openai``, in which a language model behind an HTTP endpoint carries out the tasks.

Before sending a request, the engine looks it up in the ledger. The engine also commits each answer
to the ledger before using the answer. Whether an answer is accepted depends only on the recorded
answer and on the task's code. A run that was killed can therefore continue without paying again,
and a changed parser can read old answers for free.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Condition
from typing import Any, cast

from pydantic import BaseModel

from extractors.hostile import guard_item
from extractors.llm.accounts import Figures, TaskTally
from extractors.llm.answers import answer_schema, without_text_bounds
from extractors.llm.batch import Batches, Wanted
from extractors.llm.endpoint import Endpoint, Received
from extractors.llm.errors import EngineStopped, Failed, Unanswered
from extractors.llm.ledger import Ledger, LedgerEntry, request_key
from extractors.llm.reply import answer_of, read_reply
from extractors.llm.settings import LLMSettings
from extractors.passages import DIVISIBLE, Passages, halves, join_outputs, lay_back, nothing, parts
from extractors.tasks import ONE_WORD
from schemas.ids import canonical_json
from schemas.tasks import DocumentInput, Grounded, In, Out, Task, Ungrounded

#: An unusable answer is followed by at most so many further samples.
MAX_REPAIRS = 2
#: A chat template adds at most so many tokens to a message.
_TEMPLATE_TOKENS = 32
#: A document whose answer was cut off twice is halved at most so many times.
_MOST_HALVINGS = 3
#: The most alternatives to a word that such endpoints return.
_ALTERNATIVES = 20
#: The endpoint counts as down after so many batches without an answer.
_IDLE_BATCHES = 3


class Awaited(Exception):
    """Raised for a request that will be answered as part of a batch."""


class OpenAIEngine:
    """The engine that carries out every task that has a prompt. Threads may share an engine."""

    name = "openai"

    def __init__(
        self, settings: LLMSettings, ledger: Ledger, sleep: Callable[[float], None] = time.sleep,
        *, run_id: str | None = None,
    ) -> None:  # fmt: skip
        """Create an engine; all engines with the same ``run_id`` (other than None) share a budget,
        even across processes.

        Raises EngineStopped if the token prices or the key are missing.
        """
        problem = settings.price_problem()
        if problem or settings.prices is None:
            raise EngineStopped(problem or "no prices")
        self._settings = settings
        self._ledger = ledger
        run_id = run_id or uuid.uuid4().hex
        account = ledger.account(run_id)
        self._tallies = ledger.tallies(run_id)
        self._endpoint = Endpoint(settings, settings.prices, account, sleep)
        self._busy: set[str] = set()
        self._freed = Condition()
        self._sleep = sleep
        self._awaited: dict[str, Wanted] | None = None

    @property
    def failed_answers(self) -> int:
        """Return the number of answers from all runs that the ledger records as failed."""
        return sum(total.failed for total in self._ledger.summary())

    @property
    def spent(self) -> tuple[int, int]:
        """Return how many tokens this engine's own requests used, and their cost in micro-USD."""
        spent = self._endpoint.purse.spent
        return spent.tokens, spent.micro_usd

    @property
    def tallies(self) -> Mapping[str, TaskTally]:
        """Return the expected and actual requests, tokens and costs of the whole run, by task."""
        return self._tallies.by_task()

    def identity(self) -> str:
        """Return the settings that affect answers (endpoint, model, sampling), without the key."""
        return str(self._settings.identity())

    @property
    def concurrency(self) -> int:
        """Return how many requests may be in flight at once, which is also a good number of
        threads.
        """
        return self._settings.concurrency

    @property
    def uses_batches(self) -> bool:
        """Check whether it is worth passing many items to ``prefetch`` together."""
        return self._settings.batch

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Process one item. Only the passages in a document that matter to the task are sent.

        Raises Unanswered if even the repairs give no usable answer; the item then goes to
        quarantine. Raises BudgetSpent if a request could exceed the budget; the item is then
        pending. Raises EngineStopped for an error that affects every item.
        """
        if isinstance(item, DocumentInput) and issubclass(task.output_model, DIVISIBLE):
            whole, safe = cast("Task[DocumentInput, Out]", task), guard_item(item)
            return self._by_parts(whole, safe, parts(task.name, safe), 0)
        return self._answer(task, item)

    def _by_parts(
        self, task: Task[DocumentInput, Out], item: DocumentInput, found: list[Passages], cut: int
    ) -> Grounded[Out]:
        """Process a document in parts; if a part gets no answer, set it aside under its number."""
        if not found:
            return task.check(item, cast("Out", nothing(task.output_model, item.document)))
        answers: list[BaseModel] = []
        aside: list[Ungrounded] = []
        failure: Unanswered | Awaited | None = None
        for number, part in enumerate(found, 1):
            try:
                answer = self._part(task, part, cut)
            except Awaited as later:
                failure = later
            except Unanswered as failed:
                failure = failure or failed
                what = f"{task.name}, part {number} of {len(found)}"
                aside.append(Ungrounded(what=what, why=failed.reason))
            else:
                answers.append(lay_back(answer.output, part))
                aside.extend(answer.ungrounded)
        if failure and (isinstance(failure, Awaited) or not answers):
            raise failure
        final = task.check(item, cast("Out", join_outputs(answers, item.document.text)))
        return Grounded(output=final.output, ungrounded=(*aside, *final.ungrounded))

    def _part(self, task: Task[DocumentInput, Out], part: Passages, cut: int) -> Grounded[Out]:
        """Process one part; if the answer is cut off even at twice the usual limit, process each
        half of the part separately.
        """
        try:
            return self._answer(task, part.item)
        except Unanswered as failed:
            smaller = halves(task.name, part.item) if failed.reason == "truncated" else []
            if cut >= _MOST_HALVINGS or len(smaller) < 2:
                raise
            return self._by_parts(task, part.item, smaller, cut + 1)

    def _answer(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Process one item with one request and its repairs."""
        messages = task.prompt(item)
        cuts, last, failure = 0, "", Failed("empty")
        first = first_sample(item)
        asked = request_body(self._settings, task, item, messages, first)
        with self._alone(request_key({}, asked, first)):
            for sample in range(first, first + 1 + MAX_REPAIRS):
                body = request_body(self._settings, task, item, messages, sample, cuts)
                entry = self._entry(task, body, sample)
                try:
                    return self._judge(task, item, entry)
                except Failed as found:
                    failure, last = found, entry.raw
                cuts += failure.reason == "truncated"
                if failure.final or cuts > 1:
                    break
        raise Unanswered(failure.reason, last, failure.detail) from None

    def prefetch(self, jobs: Sequence[tuple[Task[Any, Any], Any]]) -> None:
        """Get the answers for many items through the Batch API if the settings enable batches.

        Later, ``run`` finds these answers in the ledger. Further batches contain repairs, requests
        about halves of parts, and requests that an earlier batch left unanswered. Raises
        BudgetSpent and EngineStopped in the same cases as ``run``; also raises EngineStopped if
        several batches in a row return no answers.
        """
        if not self._settings.batch:
            return
        place = self._settings.endpoint["host_sha256"]
        batches = Batches(
            self._endpoint,
            self._ledger,
            place,
            self._keep,
            self._sleep,
            self._settings.batch_poll_s,
        )
        idle = 0
        while wanted := self._missing(jobs):
            idle = 0 if batches.fetch(wanted) else idle + 1
            if idle >= _IDLE_BATCHES:
                raise EngineStopped(f"{idle} batches in a row returned no answer")

    def _missing(self, jobs: Sequence[tuple[Task[Any, Any], Any]]) -> list[Wanted]:
        """Return the requests that the items need next and that are not in the ledger."""
        self._awaited = {}
        try:
            for task, item in jobs:
                with suppress(Awaited, Unanswered):
                    self.run(task, item)
            return list(self._awaited.values())
        finally:
            self._awaited = None

    def close(self) -> None:
        """Close the connections to the endpoint; the ledger stays open."""
        self._endpoint.close()

    def _entry(self, task: Task[In, Out], body: dict[str, Any], sample: int) -> LedgerEntry:
        """Return the ledger's entry for a request; if there is none, ask the endpoint and commit
        the answer.
        """
        key = request_key(self._settings.endpoint, body, sample)
        return self._ledger.find_recorded(key) or self._send(task, body, sample, key)

    def _send(
        self, task: Task[In, Out], body: dict[str, Any], sample: int, key: str
    ) -> LedgerEntry:
        """Ask the endpoint and commit the answer, or leave the request to a batch."""
        bound, most = input_bound(body), body[self._settings.limit_name]
        if self._awaited is not None:
            self._awaited[key] = Wanted(key, task.name, task.version, sample, body, bound, most)
            raise Awaited
        self._ledger.sending(key)
        received = self._endpoint.ask(body, bound, most)
        return self._keep(task.name, task.version, sample, key, received)

    def _keep(
        self, task: str, version: int, sample: int, key: str, received: Received
    ) -> LedgerEntry:
        reply, usage = read_reply(received.raw), received.usage
        try:
            answer_of(reply, task in ONE_WORD)
            reason = ""
        except Failed as failure:
            reason = failure.reason
        cost = self._endpoint.prices.cost(usage).micro_usd if usage else None
        taken = (usage.tokens_in, usage.tokens_out, cost or 0) if usage else (0, 0, 0)
        self._tallies.add(task, "spent", Figures(1, *taken))
        return self._ledger.record(
            LedgerEntry(
                key=key,
                task=task,
                task_version=version,
                model=self._settings.model,
                sample=sample,
                status="failed" if reason else "good",
                reason=reason,
                raw=received.raw,
                finish_reason=reply.finish_reason[:40] if reply.finish_reason else None,
                tokens_in=usage.tokens_in if usage else None,
                tokens_out=usage.tokens_out if usage else None,
                tokens_cached=usage.tokens_cached if usage else None,
                cost_micro_usd=cost,
                latency_ms=received.latency_ms,
                attempts=received.attempts,
            )
        )

    def _judge(self, task: Task[In, Out], item: In, entry: LedgerEntry) -> Grounded[Out]:
        """Parse and check a recorded answer, and correct its status in the ledger."""
        try:
            grounded = ground_answer(task, item, entry.raw)
        except Failed as failure:
            if (entry.status, entry.reason) != ("failed", failure.reason):
                self._ledger.mark(entry.key, "failed", failure.reason)
            raise
        if entry.status != "good":
            self._ledger.mark(entry.key, "good")
        return grounded

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Keep two threads from sending the same request."""
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


def ground_answer(task: Task[In, Out], item: In, raw: str) -> Grounded[Out]:
    """Return those claims in a raw response that are supported by the document.

    Raises Failed if no claim is left.
    """
    answer = answer_of(read_reply(raw), task.name in ONE_WORD)
    try:
        output = task.parse(answer, item)
    except ValueError as error:
        raise Failed("wrong JSON", str(error)) from None
    grounded = task.check(item, output)
    if grounded.ungrounded and not _says_anything(grounded.output):
        raise Failed("ungrounded", f"none of the {len(grounded.ungrounded)} claims has evidence")
    return grounded


def first_sample(item: BaseModel) -> int:
    """Return the sample number for an item's first request; a higher ``draw`` gives a new number,
    and therefore a new answer.
    """
    draw: int = getattr(item, "draw", 0)
    return draw * (1 + MAX_REPAIRS)


def input_bound(body: dict[str, Any]) -> int:
    """Return the highest possible number of input tokens for a request; each token has at least one
    byte.
    """
    size = len(canonical_json([body["messages"], body.get("response_format")]).encode())
    return size + _TEMPLATE_TOKENS * (1 + len(body["messages"]))


def _says_anything(output: BaseModel) -> bool:
    """Check whether an output contains any claims, which are the pydantic models in its lists."""
    return any(
        _says_anything(value)
        if isinstance(value, BaseModel)
        else isinstance(value, tuple) and any(isinstance(part, BaseModel) for part in value)
        for _name, value in output
    )


def request_body(
    settings: LLMSettings, task: Task[In, Out], item: In, messages: list[dict[str, str]],
    sample: int = 0, cuts: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """Return the request as it is sent. A repair sends the same messages with a new ``sample``."""
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": messages,
        settings.limit_name: settings.max_tokens * 2**cuts,
    }
    if task.name in ONE_WORD:
        body[settings.limit_name] = 1
        if settings.logprobs:
            body.update(logprobs=True, top_logprobs=_ALTERNATIVES)
    elif settings.answer_format == "json_schema":
        schema = answer_schema(task, item)
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
