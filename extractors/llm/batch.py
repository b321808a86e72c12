"""Sends many requests in one file through the Batch API, which answers within a day at a lower
price.

A batch is recorded in the ledger, so if a run is killed and restarted, it polls the batch instead
of paying for it again. Each answer is committed under its custom id, which is the request's key.
Requests without an answer (expired, server errors) are submitted again. The record identifies the
reservation of money for the batch. The process that fetches the batch can therefore charge the cost
to the run that submitted the batch.
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
from extractors.llm.errors import EngineStopped
from extractors.llm.ledger import Ledger
from extractors.llm.money import TokenAmount
from extractors.llm.reply import read_reply

logger = logging.getLogger(__name__)

_ENDED = {"completed", "failed", "expired", "cancelled"}
_URL: Literal["/v1/chat/completions"] = "/v1/chat/completions"


@dataclass(frozen=True)
class Wanted:
    """A request that has no recorded answer yet, together with its token limits."""

    key: str
    task: str
    version: int
    sample: int
    body: dict[str, Any]
    tokens_in: int
    tokens_out: int


class _Note:
    """The ledger's note about a batch: its requests, their token limits and the reservation of
    money.
    """

    def __init__(self, text: str) -> None:
        """Read a note; a note in the oldest form is a list of requests without limits."""
        note = json.loads(text)
        rows = note if isinstance(note, list) else note["requests"]
        self.reservation: str | None = None if isinstance(note, list) else note["reservation"]
        self.about: dict[str, tuple[str, int, int]] = {row[0]: tuple(row[1:4]) for row in rows}
        self.bounds: dict[str, tuple[int, int]] = {
            row[0]: tuple(row[4:]) for row in rows if len(row) > 4
        }

    @staticmethod
    def of(reservation: str, some: list[Wanted]) -> str:
        """Return the note for a submitted batch."""
        rows = [(w.key, w.task, w.version, w.sample, w.tokens_in, w.tokens_out) for w in some]
        return json.dumps({"reservation": reservation, "requests": rows})


@dataclass(frozen=True)
class _ResultLine:
    """An answer in a result file; if ``received`` is None, the request must be sent again."""

    key: str
    answered: bool
    received: Received | None


Keep = Callable[[str, int, int, str, Received], object]


class Batches:
    """Submits batches, waits for them and commits their answers."""

    def __init__(
        self, endpoint: Endpoint, ledger: Ledger, place: str, keep: Keep,
        sleep: Callable[[float], None], poll_s: float,
    ) -> None:  # fmt: skip
        self._endpoint, self._ledger, self._place = endpoint, ledger, place
        self._keep, self._sleep, self._poll_s = keep, sleep, poll_s

    def fetch(self, wanted: list[Wanted]) -> int:
        """Get answers to some of the wanted requests, and return the number of committed answers.

        Raises BudgetSpent if the budget does not allow a single request. Raises EngineStopped, with
        the provider's words, if an error affects all requests.
        """
        try:
            batches = self._ledger.open_batches(self._place).items()
            came = sum(self._wait_for(batch, _Note(text))[0] for batch, text in batches)
            # The next round asks for what is still missing.
            return came or self._hand_in(wanted)
        except openai.APIStatusError as error:
            self._endpoint.stop("the batch was refused", error)
        except openai.APIConnectionError:
            raise EngineStopped("the endpoint for the batch cannot be reached") from None

    def _hand_in(self, wanted: list[Wanted]) -> int:
        """Submit requests in order, as many as the budget allows, and wait for their answers."""
        bounds = [(w.tokens_in, w.tokens_out) for w in wanted]
        with self._endpoint.purse.reserve_first(bounds) as (number, held):
            some = wanted[:number]
            lines = "".join(map(_line, some))
            mark = sha256(lines.encode()).hexdigest()
            try:
                batch_id = self._same(mark) or self._create(lines, mark)
            except openai.APIStatusError as error:
                if error.status_code < 500:  # otherwise it may have been accepted
                    held.settle(TokenAmount())
                raise
            note = _Note.of(held.id, some)
            self._ledger.batch(batch_id, self._place, note)
            held.left_open = True
            for w in some:
                self._ledger.sending(w.key)
            came, cost = self._wait_for(batch_id, _Note(note))
            held.settle(cost)
        return came

    def _same(self, mark: str) -> str | None:
        """Find a batch that contains these requests but was not recorded because of a crash; return
        its id.
        """
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

    def _create(self, lines: str, mark: str) -> str:
        client = self._endpoint.client
        file = client.files.create(file=("requests.jsonl", lines.encode()), purpose="batch")
        batch = client.batches.create(
            input_file_id=file.id, endpoint=_URL, completion_window="24h",
            metadata={"tripbed": mark},
        )  # fmt: skip
        return batch.id

    def _wait_for(self, batch_id: str, note: _Note) -> tuple[int, TokenAmount]:
        """Poll a batch until it ends, commit its answers, and return their number and cost."""
        while True:
            batch = self._endpoint.client.batches.retrieve(batch_id)
            if batch.status in _ENDED:
                break
            logger.info("batch is %s; asked again in %.0f s", batch.status, self._poll_s)
            self._sleep(self._poll_s)
        came, cost, untold = 0, TokenAmount(), dict(note.bounds)
        for file_id in (batch.output_file_id, batch.error_file_id):
            for line in self._lines(file_id):
                if line.key in note.about and line.received:
                    task, version, sample = note.about[line.key]
                    self._keep(task, version, sample, line.key, line.received)
                    came += 1
                    cost += self._cost(line, note)
                untold.pop(line.key, None)
        if batch.status != "failed":  # the whole batch was refused
            cost = sum(map(self._price_at_most, untold.values()), cost)
        if note.reservation:
            self._endpoint.purse.settle(note.reservation, cost)
        self._ledger.close_batch(batch_id, batch.status)
        return came, cost

    def _cost(self, line: _ResultLine, note: _Note) -> TokenAmount:
        """Return the cost of an answer, or its highest possible cost if the provider reports no
        usage.
        """
        usage = line.received.usage if line.received else None
        if usage:
            return self._endpoint.prices.cost(usage)
        return (
            self._price_at_most(note.bounds.get(line.key, (0, 0)))
            if line.answered
            else TokenAmount()
        )

    def _price_at_most(self, tokens: tuple[int, int]) -> TokenAmount:
        return self._endpoint.prices.price_at_most(*tokens)

    def _lines(self, file_id: str | None) -> Iterator[_ResultLine]:
        """Read the response bodies and the refusals of individual requests from a result file."""
        text = self._endpoint.client.files.content(file_id).text if file_id else ""
        for line in text.splitlines():
            try:
                row = json.loads(line)
                key, response = str(row["custom_id"]), row.get("response") or {}
                status, body = int(response.get("status_code", 0)), response.get("body")
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # the request of a broken line stays unanswered
            received = None
            if status == 200 or status in (400, 413, 422):
                raw = json.dumps(body, ensure_ascii=False)
                received = Received(raw, read_reply(raw).usage, 0, 1)
            yield _ResultLine(key, status == 200, received)


def _line(wanted: Wanted) -> str:
    """Return a request as a line in the submitted file."""
    row = {"custom_id": wanted.key, "method": "POST", "url": _URL, "body": wanted.body}
    return json.dumps(row, ensure_ascii=False) + "\n"
