"""Run one process of ``benchmarks.budget``: four threads ask a model until the budget is spent.

    python -m benchmarks.budget_worker '{"url": ..., "ledger": ..., "run_id": ..., ...}'

The exit code is 3 if the budget is spent, and 0 if all documents were read within the budget.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from decimal import Decimal
from threading import Lock

from extractors.llm import BudgetSpent, Ledger, LLMSettings, OpenAIEngine, TokenPrices, accounts
from extractors.tasks import TrajectoryExtraction
from schemas.documents import Document, GivenBlock
from schemas.tasks import DocumentInput

PRICES = TokenPrices(usd_per_mtok_in=Decimal("0.5"), usd_per_mtok_out=Decimal("2"))
THREADS = 4
BUDGET_SPENT = 3


@dataclass(frozen=True)
class Orders:
    """The settings of a process; the names of its documents contain ``part``."""

    url: str
    ledger: str
    run_id: str
    part: str
    budget_tokens: int | None = None
    budget_usd: str | None = None
    documents: int = 10_000
    lease_s: int = 2

    def command(self) -> list[str]:
        """Return the command that starts a process with these settings."""
        return [sys.executable, "-m", "benchmarks.budget_worker", json.dumps(asdict(self))]

    def items(self) -> Iterator[DocumentInput]:
        """Yield short documents that no other process has."""
        for number in range(self.documents):
            lines = ["一天计划", f"上午逛青鹭寺，下午去望潮阁。{self.part} {number}"]
            rows: list[GivenBlock] = [("paragraph", 0, line, False) for line in lines]
            name = f"{self.part}-{number}"
            found = Document.from_texts(name, f"{name}.md", rows, lang="zh")
            yield DocumentInput(document=found, city="海棠湾")


def engine_for(orders: Orders) -> OpenAIEngine:
    """Return the engine for a process."""
    settings = LLMSettings(
        base_url=orders.url, model="counting", prices=PRICES, max_tokens=200, backoff_s=0.01,
        attempts=8, concurrency=2 * THREADS, read_timeout_s=20, max_wait_s=10,
        budget_tokens=orders.budget_tokens,
        budget_usd=None if orders.budget_usd is None else Decimal(orders.budget_usd),
    )  # fmt: skip
    return OpenAIEngine(settings, Ledger(orders.ledger), run_id=orders.run_id)


def main() -> None:
    """Ask the model with four threads until the budget is spent or all documents are read."""
    orders = Orders(**json.loads(sys.argv[1]))
    accounts.LEASE_SECONDS = orders.lease_s
    engine, task, items = engine_for(orders), TrajectoryExtraction(), orders.items()
    one_at_a_time = Lock()

    def spend() -> bool:
        """Ask the model about each document in turn; return whether the budget ran out."""
        try:
            while True:
                with one_at_a_time:
                    item = next(items, None)
                if item is None:
                    return False
                engine.run(task, item)
        except BudgetSpent:
            return True

    with ThreadPoolExecutor(THREADS) as pool:
        threads = [pool.submit(spend) for _ in range(THREADS)]
    ends = [thread.result() for thread in threads]
    sys.exit(BUDGET_SPENT if True in ends else 0)


if __name__ == "__main__":
    main()
