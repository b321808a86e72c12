"""The Batch API: many requests in one file, answers within a day at a lower price.

A batch is noted in the ledger, so that a killed run polls it instead of paying again. What came is
committed line by line under its custom id, which is the request's key; what did not come (expired,
server errors) stays missing and is handed in again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

import openai

from extractors.llm.endpoint import Endpoint, Received
from extractors.llm.errors import BudgetSpent, EngineStopped
from extractors.llm.ledger import Ledger
from extractors.llm.reply import read_reply

logger = logging.getLogger(__name__)

_ENDED = {"completed", "failed", "expired", "cancelled"}
_URL: Literal["/v1/chat/completions"] = "/v1/chat/completions"


@dataclass(frozen=True)
class Wanted:
    """A request that no answer is recorded for, with the bounds of its tokens."""

    key: str
    task: str
    version: int
    sample: int
    body: dict[str, Any]
    tokens_in: int
    tokens_out: int


Keep = Callable[[str, int, int, str, Received], object]


class Batches:
    """Hands batches in, waits for them and commits what they bring."""

    def __init__(
        self, endpoint: Endpoint, ledger: Ledger, place: str, keep: Keep,
        sleep: Callable[[float], None], poll_s: float,
    ) -> None:  # fmt: skip
        self._endpoint, self._ledger, self._place = endpoint, ledger, place
        self._keep, self._sleep, self._poll_s = keep, sleep, poll_s

    def fetch(self, wanted: list[Wanted]) -> int:
        """Bring answers for some of what is wanted; returns how many were committed.

        Raises BudgetSpent where not one request fits a budget, EngineStopped for what fails for
        all, in the provider's words.
        """
        try:
            came = sum(self._waited_for(batch) for batch in self._ledger.open_batches(self._place))
            if came:
                return came  # what is still missing is asked for in the next round
            return self._handed_in(wanted)
        except openai.APIStatusError as error:
            self._endpoint.stop("the batch was refused", error)
        except openai.APIConnectionError:
            raise EngineStopped("the endpoint cannot be reached for a batch") from None

    def _handed_in(self, wanted: list[Wanted]) -> int:
        some = self._affordable(wanted)
        lines = "".join(
            json.dumps(
                {"custom_id": w.key, "method": "POST", "url": _URL, "body": w.body},
                ensure_ascii=False,
            ) + "\n"
            for w in some
        )  # fmt: skip
        tokens_in, tokens_out = sum(w.tokens_in for w in some), sum(w.tokens_out for w in some)
        mark = sha256(lines.encode()).hexdigest()
        with self._endpoint.purse.reserve(tokens_in, tokens_out) as held:
            batch_id = self._same(mark) or self._created(lines, mark)
            about = [(w.key, w.task, w.version, w.sample) for w in some]
            self._ledger.batch(batch_id, self._place, json.dumps(about))
            for w in some:
                self._ledger.sending(w.key)
            spent = (self._endpoint.purse.batch_tokens, self._endpoint.purse.batch_micro_usd)
            came = self._waited_for(batch_id)
            purse = self._endpoint.purse
            held.settle(purse.batch_tokens - spent[0], purse.batch_micro_usd - spent[1])
        return came

    def _affordable(self, wanted: list[Wanted]) -> list[Wanted]:
        """The first requests that fit the budgets together."""
        some: list[Wanted] = []
        tokens_in = tokens_out = 0
        for w in wanted:
            problem = self._endpoint.purse.problem(
                tokens_in + w.tokens_in, tokens_out + w.tokens_out
            )
            if problem and not some:
                raise BudgetSpent(problem)
            if problem:
                break
            some.append(w)
            tokens_in, tokens_out = tokens_in + w.tokens_in, tokens_out + w.tokens_out
        return some

    def _same(self, mark: str) -> str | None:
        """A batch of these requests that was handed in before a crash could note it."""
        try:
            for batch in self._endpoint.client.batches.list(limit=100):
                alive = batch.status not in ("failed", "expired", "cancelled", "cancelling")
                ours = (batch.metadata or {}).get("tripbed") == mark
                if alive and ours and not self._ledger.knows_batch(batch.id):
                    return batch.id
        except openai.APIStatusError as error:
            if error.status_code not in (404, 405, 501):
                raise
        return None

    def _created(self, lines: str, mark: str) -> str:
        client = self._endpoint.client
        file = client.files.create(file=("requests.jsonl", lines.encode()), purpose="batch")
        batch = client.batches.create(
            input_file_id=file.id, endpoint=_URL, completion_window="24h",
            metadata={"tripbed": mark},
        )  # fmt: skip
        return batch.id

    def _waited_for(self, batch_id: str) -> int:
        """Poll a batch to its end and commit what it brought."""
        about = {
            row[0]: row for row in json.loads(self._ledger.open_batches(self._place)[batch_id])
        }
        while True:
            batch = self._endpoint.client.batches.retrieve(batch_id)
            if batch.status in _ENDED:
                break
            logger.info("batch is %s; asked again in %.0f s", batch.status, self._poll_s)
            self._sleep(self._poll_s)
        came = 0
        for file_id in (batch.output_file_id, batch.error_file_id):
            for key, received in self._lines(file_id):
                if key in about:
                    _key, task, version, sample = about[key]
                    self._keep(task, version, sample, key, received)
                    came += 1
        self._ledger.close_batch(batch_id, batch.status)
        return came

    def _lines(self, file_id: str | None) -> Iterator[tuple[str, Received]]:
        """Answers in a file of results: bodies, and refusals of single requests."""
        text = self._endpoint.client.files.content(file_id).text if file_id else ""
        for line in text.splitlines():
            try:
                row = json.loads(line)
                key, response = str(row["custom_id"]), row.get("response") or {}
                status, body = int(response.get("status_code", 0)), response.get("body")
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # a broken line leaves its request missing
            if status == 200 or status in (400, 413, 422):
                raw = json.dumps(body, ensure_ascii=False)
                usage = read_reply(raw).usage
                self._endpoint.purse.count_batch(usage)
                yield key, Received(raw, usage, 0, 1)
