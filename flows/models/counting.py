"""Engines that calculate the cost of requests or stop if a model gives no usable answers.

``CountingEngine`` counts requests without sending them, and answers each request by rules. Apart
from having no endpoint, ``CountingEngine`` works in the same way as the engine that uses a model.
An estimate counts the same requests that a build would send.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from extractors.llm import EngineStopped, Ledger, LLMSettings, OpenAIEngine
from extractors.llm.accounts import Figures
from extractors.llm.endpoint import Received
from extractors.llm.engine import first_sample
from extractors.llm.ledger import LedgerEntry
from extractors.llm.money import Usage, request_tokens, tokens
from flows.models.stand_ins import stand_in
from schemas.tasks import Grounded, In, Out, Task, Unanswered


class PricedEngine(OpenAIEngine):
    """A variant of the engine ``openai`` that records the expected tokens and cost of new requests.

    The expected figures do not include requests to repair an invalid answer.
    """

    def __init__(self, settings: LLMSettings, ledger: Ledger, *, run_id: str | None = None) -> None:
        super().__init__(settings, ledger, run_id=run_id)
        self._asked = threading.local()
        self._noted: set[str] = set()

    def _answer(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        self._asked.item = item
        return super()._answer(task, item)

    def _expect(self, task: Task[Any, Any], body: dict[str, Any]) -> tuple[str, Usage]:
        """Return a substitute for the model's answer, and the numbers of tokens in the request and
        the answer.
        """
        answer = stand_in(task, self._asked.item)
        said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return said, Usage(request_tokens(body), tokens(said))

    def _send(
        self, task: Task[In, Out], body: dict[str, Any], sample: int, key: str
    ) -> LedgerEntry:
        # If batches are used, the same request is sent here once for each batch.
        if sample == first_sample(self._asked.item) and key not in self._noted:
            self._noted.add(key)
            _said, usage = self._expect(task, body)
            cost = self._endpoint.prices.cost(usage).micro_usd
            figures = Figures(1, usage.tokens_in, usage.tokens_out, cost)
            self._tallies.add(task.name, "expected", figures)
        return super()._send(task, body, sample, key)


class CountingEngine(PricedEngine):
    """An engine that counts requests but sends none.

    A request is not counted if the ledger ``held`` already contains its answer, because a build
    would not send the request either.
    """

    def __init__(self, settings: LLMSettings, ledger: Ledger, held: Ledger | None = None) -> None:
        super().__init__(settings.model_copy(update={"batch": False, "concurrency": 1}), ledger)
        self._held = held

    def _send(
        self, task: Task[In, Out], body: dict[str, Any], sample: int, key: str
    ) -> LedgerEntry:
        known = self._held.find_recorded(key) if self._held else None
        if known is not None:
            return known
        said, usage = self._expect(task, body)
        message = {"role": "assistant", "content": said}
        raw = json.dumps({"choices": [{"finish_reason": "stop", "message": message}]})
        return self._keep(task.name, task.version, sample, key, Received(raw, usage, 0, 1))


#: The number of items without a usable answer after which the build stops, if no other item has
#: had one. A single item may fail because of its document; it is set aside, and the build goes on.
_ENOUGH = 2
#: Reasons that show that the endpoint does not answer in the requested format.
_FORM = frozenset({"broken JSON", "wrong JSON", "empty", "unfinished", "refused by the endpoint"})


class WatchedEngine(PricedEngine):
    """A variant of the engine ``openai`` that stops if none of the first answers is usable."""

    def __init__(self, settings: LLMSettings, ledger: Ledger, *, run_id: str | None) -> None:
        super().__init__(settings, ledger, run_id=run_id)
        self._useless: dict[str, None] = {}
        self._has_answered = False

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """Answer a task. Raises EngineStopped if no item so far has a usable answer."""
        try:
            answer = super().run(task, item)
        except Unanswered as failed:
            if not self._has_answered and failed.reason in _FORM:
                self._count(item, failed.reason)
            raise
        self._has_answered = True
        return answer

    def _count(self, item: Any, reason: str) -> None:
        self._useless[getattr(getattr(item, "document", None), "doc_id", repr(item))] = None
        if len(self._useless) < _ENOUGH:
            return
        if any(total.good for total in self._ledger.summary()):
            self._has_answered = True  # the model has answered in another run
            return
        raise EngineStopped(
            f"the model returned no answer in the requested format ({reason}). Is "
            "OPENAI_BASE_URL an endpoint for chat completions, and OPENAI_MODEL one of its models? "
            "`tripbed doctor` tests the endpoint, `tripbed ledger export --status failed"
            " --with-answers --out FILE` shows the answers, and `tripbed ledger prune --status"
            " failed --yes` lets the next build send the requests again"
        )
