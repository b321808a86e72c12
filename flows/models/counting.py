"""Count requests as they would be sent, answering each as the rules would.

The engine is the one that asks a model, with its lookups, parts and repairs; only the endpoint is
left out. So an estimate is what a build would send, and not a formula beside it.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from extractors.llm import Ledger, LLMSettings, OpenAIEngine
from extractors.llm.accounts import Figures
from extractors.llm.endpoint import Received
from extractors.llm.engine import first_sample
from extractors.llm.ledger import LedgerEntry
from extractors.llm.money import Usage, request_tokens, tokens
from flows.models.stand_ins import stand_in
from schemas.tasks import Grounded, In, Out, Task


class PricedEngine(OpenAIEngine):
    """The engine ``openai``, which notes for its run what each new request is expected to take.

    What a request takes beside it, a repair among them, is no part of what was expected.
    """

    def __init__(self, settings: LLMSettings, ledger: Ledger, *, run_id: str | None = None) -> None:
        super().__init__(settings, ledger, run_id=run_id)
        self._asked = threading.local()
        self._noted: set[str] = set()

    def _answer(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        self._asked.item = item
        return super()._answer(task, item)

    def _expect(self, task: Task[Any, Any], body: dict[str, Any]) -> tuple[str, Usage]:
        """The answer that stands in for the model's, and the tokens of both."""
        answer = stand_in(task, self._asked.item)
        said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return said, Usage(request_tokens(body), tokens(said))

    def _send(
        self, task: Task[In, Out], body: dict[str, Any], sample: int, key: str
    ) -> LedgerEntry:
        # Where batches are handed in a request comes here once for each of them.
        if sample == first_sample(self._asked.item) and key not in self._noted:
            self._noted.add(key)
            _said, usage = self._expect(task, body)
            cost = self._endpoint.prices.cost(usage).micro_usd
            figures = Figures(1, usage.tokens_in, usage.tokens_out, cost)
            self._tallies.add(task.name, "expected", figures)
        return super()._send(task, body, sample, key)


class CountingEngine(PricedEngine):
    """Counts requests and sends none.
    What ``held`` knows is answered from there, as a build does.
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
