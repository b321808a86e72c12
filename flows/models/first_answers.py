"""End a run at once when the model gives no usable answer."""

from __future__ import annotations

from typing import Any

from extractors.llm import EngineStopped, Ledger, LLMSettings
from flows.models.counting import PricedEngine
from schemas.tasks import Grounded, In, Out, Task, Unanswered

#: Items without an answer in the asked form, of none that had one, that are a model's own fault.
#: One may be a document's: it is set aside, and the build goes on.
_ENOUGH = 2
#: Reasons that say that the endpoint does not answer what is asked, whatever the document.
_FORM = frozenset({"broken JSON", "wrong JSON", "empty", "unfinished", "refused by the endpoint"})


class WatchedEngine(PricedEngine):
    """The engine ``openai``, stopped where its first answers show that it answers nothing."""

    def __init__(self, settings: LLMSettings, ledger: Ledger, *, run_id: str | None) -> None:
        super().__init__(settings, ledger, run_id=run_id)
        self._useless: dict[str, None] = {}
        self._has_answered = False

    def run(self, task: Task[In, Out], item: In) -> Grounded[Out]:
        """As the engine does; raises EngineStopped where no item has had a usable answer."""
        try:
            answer = super().run(task, item)
        except Unanswered as failed:
            if not self._has_answered and failed.reason in _FORM:
                self._count(item, failed.reason)
            raise
        self._has_answered = True
        return answer

    def _count(self, item: Any, reason: str) -> None:
        document = getattr(item, "document", None)
        self._useless[getattr(document, "doc_id", repr(item))] = None
        if len(self._useless) < _ENOUGH:
            return
        if any(total.good for total in self._ledger.summary()):
            self._has_answered = True  # it did in another run
            return
        raise EngineStopped(
            f"the model returned no answer in the requested format ({reason}). Is "
            "OPENAI_BASE_URL an endpoint for chat completions, and OPENAI_MODEL one of its models? "
            "`tripbed doctor` tests it, `tripbed ledger export --status failed --with-answers"
            " --out FILE` shows what came, and `tripbed ledger prune --status failed --yes` lets"
            " the next build ask again"
        )
