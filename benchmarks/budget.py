"""Check whether a run stays within its budget even if some of its processes are killed.

    python -m benchmarks.budget --write

Each run has two processes with four threads each, which send requests to a simulated model server.
The ledger is stored in SQLite or PostgreSQL. The benchmark kills a process (SIGKILL) at random
moments and starts it again in the same run. The server bills each request that arrives, up to the
maximum cost of the request, even if nobody reads the answer. Some answers are lost on their way to
the process. The billed amount must not exceed the budget. In control runs, each process has its own
budget. The control runs show that the check can fail.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.budget_worker import BUDGET_SPENT, PRICES, THREADS, Orders
from benchmarks.report import table, write_section
from extractors.llm import Ledger
from extractors.llm.engine import input_bound
from extractors.llm.ledger import LedgerEntry
from extractors.llm.money import Budget, TokenAmount, Usage
from extractors.llm.purse import Purse
from tests.support import servers
from tests.support.extractors.llm.server import Endpoint, Step, completion, refused, serving

_ROOT = Path(__file__).resolve().parents[1]
_PROCESSES = 2
_TOKENS, _USD = 300_000, Decimal("0.2")
#: Seconds to wait for the requests of a killed process (30 outside this benchmark).
_LEASE_S = 2
_ANSWER = '{"days": [], "reason": ""}'


class Till(Endpoint):
    """A server that bills 30 to 100 % of a request's maximum cost when the request arrives."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__()
        self.draw, self.billed, self.served = draw, TokenAmount(), 0

    def next_step(self, body: dict[str, Any], key: str | None) -> Step:
        """Bill and answer a request.

        One request in fifty is refused and not billed. One request in fifty is billed, but its
        answer is lost.
        """
        del key
        with self.lock:
            share, luck, delay_s = self.draw.uniform(0.3, 1), self.draw.random(), self.draw.random()
            if luck < 0.02:
                return refused(500, "try again")
            used = (int(input_bound(body) * share), int(body["max_tokens"] * share))
            self.billed += PRICES.cost(Usage(*used))
            self.served += 1
        if luck < 0.04:
            return Step(reset=True)
        return replace(completion(_ANSWER, tokens=used), delay_s=0.02 + 0.06 * delay_s)


@dataclass(frozen=True)
class BudgetOutcome:
    """One run: its budget, the amount billed, and the amount in the ledger."""

    budget: Budget
    billed: TokenAmount
    counted: TokenAmount
    requests: int
    kills: int
    seconds: float

    @property
    def broken(self) -> bool:
        """Check whether the server billed more than the budget."""
        return not self.budget.allows(self.billed)

    @property
    def hidden(self) -> bool:
        """Check whether the server billed more than the ledger recorded."""
        return self.billed.tokens > self.counted.tokens

    def share(self, amount: TokenAmount) -> float:
        """Return an amount as a share of the budget."""
        if self.budget.tokens is not None:
            return amount.tokens / self.budget.tokens
        return amount.micro_usd / (self.budget.micro_usd or 1)


def one_run(
    ledger: str, draw: random.Random, kills: int, tokens: int | None, usd: Decimal | None,
    *, shared: bool = True,
) -> BudgetOutcome:  # fmt: skip
    """Spend a budget with two processes; kill and restart a process ``kills`` times.

    If ``shared`` is False, as in control runs, every process has its own run.
    """
    run_id, budget = uuid.uuid4().hex, Budget.of(usd, tokens)
    began = time.monotonic()
    with serving(Till(draw)) as till:
        assert isinstance(till, Till)
        orders = [
            Orders(
                till.base_url, ledger, run_id if shared else f"{run_id}-{part}", f"{run_id} {part}",
                tokens, None if usd is None else str(usd), lease_s=_LEASE_S,
            )
            for part in range(_PROCESSES)
        ]  # fmt: skip
        children = [start(order) for order in orders]
        try:
            killed = _kill(children, orders, till, budget, draw, kills)
            ends = [child.wait(600) for child in children]
        finally:
            for child in children:
                child.kill()
        if set(ends) != {BUDGET_SPENT}:
            raise RuntimeError(f"the exit codes are {ends}, but each must be {BUDGET_SPENT}")
        return BudgetOutcome(
            budget, till.billed, _read_counted(ledger, {order.run_id for order in orders}),
            till.served, killed, time.monotonic() - began,
        )  # fmt: skip


def start(orders: Orders) -> subprocess.Popen[bytes]:
    """Start a process with the given settings."""
    return subprocess.Popen(orders.command(), cwd=_ROOT)


def _kill(
    children: list[subprocess.Popen[bytes]], orders: list[Orders], till: Till, budget: Budget,
    draw: random.Random, kills: int,
) -> int:  # fmt: skip
    """Kill and restart processes while they spend the budget; return the number of kills."""
    killed = 0
    for moment in sorted(draw.uniform(0, 0.95) for _ in range(kills)):
        while any(child.poll() is None for child in children):
            share = till.billed.tokens / budget.tokens if budget.tokens is not None else (
                till.billed.micro_usd / (budget.micro_usd or 1)
            )  # fmt: skip
            if share >= moment:
                break
            time.sleep(0.005)
        time.sleep(draw.uniform(0, 0.1))
        number = draw.randrange(len(children))
        if children[number].poll() is None:
            children[number].kill()
            children[number].wait()
            children[number] = start(orders[number])
            killed += 1
    return killed


def _read_counted(ledger: str, runs: set[str]) -> TokenAmount:
    """Return the amount that the ledger charges to the budget at the end."""
    held, total = Ledger(ledger), TokenAmount()
    for run_id in runs:
        now = held.account(run_id).spending()
        total += now.spent + now.in_flight
    held.close()
    return total


def runs(ledger: str, number: int, kills: int, *, shared: bool = True) -> list[BudgetOutcome]:
    """Make several runs, whose budgets are alternately in tokens and in dollars."""
    found = []
    for seed in range(number):
        tokens, usd = (_TOKENS, None) if seed % 2 == 0 else (None, _USD)
        outcome = one_run(ledger, random.Random(seed), kills, tokens, usd, shared=shared)
        print(f"run {seed}: {outcome}", flush=True)
        found.append(outcome)
    return found


def row_of(name: str, outcomes: list[BudgetOutcome]) -> list[object]:
    """Return a table row with runs, kills, requests and percentages of the budget."""
    billed = [outcome.share(outcome.billed) for outcome in outcomes]
    counted = [outcome.share(outcome.counted) for outcome in outcomes]
    return [
        name, len(outcomes), sum(o.kills for o in outcomes), sum(o.requests for o in outcomes),
        sum(o.broken for o in outcomes), sum(o.hidden for o in outcomes),
        f"{100 * max(billed):.1f} %", f"{100 * sum(billed) / len(billed):.1f} %",
        f"{100 * max(counted):.1f} %",
    ]  # fmt: skip


def cost_row(name: str, ledger: str, threads: int, number: int = 200) -> list[object]:
    """Measure how many milliseconds a request takes without a budget, and how many a budget adds to
    the time.
    """
    held = Ledger(ledger)
    purse = Purse(PRICES, Budget(tokens=10**12), held.account(uuid.uuid4().hex), 10)

    def keep_answer(_number: int) -> None:
        key = uuid.uuid4().hex
        held.find_recorded(key)
        held.sending(key)
        held.record(LedgerEntry(key, "t", 1, "m", 0, "good", "", "{}", "stop", 1, 1, 0, 1, 1, 1))

    def reserve_room(_number: int) -> None:
        with purse.reserve(1000, 200) as room:
            room.settle(TokenAmount(100, 90))

    def each_ms(work: Callable[[int], None]) -> str:
        rounds = []
        with ThreadPoolExecutor(threads) as pool:
            for _ in range(5):
                began = time.perf_counter()
                list(pool.map(work, range(number)))
                rounds.append(1000 * (time.perf_counter() - began) / number)
        return f"{min(rounds):.2f}"

    found = [name, threads, each_ms(keep_answer), each_ms(reserve_room)]
    held.close()
    return found


@contextmanager
def ledgers() -> Iterator[dict[str, str]]:
    """Create a ledger in SQLite and, if PostgreSQL is installed, a second one in PostgreSQL."""
    with tempfile.TemporaryDirectory() as place:
        found = {"SQLite": str(Path(place) / "ledger.sqlite")}
        if servers.postgres_programs() is None:
            print("PostgreSQL is not installed: install it with apt-get install postgresql")
            yield found
            return
        with servers.postgres(Path(place)) as address:
            yield found | {"PostgreSQL": f"postgresql+psycopg://{address}"}


def main() -> None:
    """Run the measurements and print the results; with ``--write``, also write them to the docs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--kills", type=int, default=4, help="maximum number of kills in each run")
    parser.add_argument("--only", choices=["runs", "costs"])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    bodies = {}
    with ledgers() as places:
        if options.only != "runs":
            bodies["What a budget costs a request"] = costs_told(places)
        if options.only != "costs":
            bodies["One budget for a run"] = runs_told(places, options.runs, options.kills)
    for title, body in bodies.items():
        print(f"{title}\n\n{body}")
        if options.write:
            write_section(title, "python -m benchmarks.budget --write", body)


def runs_told(places: dict[str, str], number: int, kills: int) -> str:
    """Return the section about the runs with a shared budget and about the control runs."""
    rows = [row_of(name, runs(ledger, number, kills)) for name, ledger in places.items()]
    alone = runs(places["SQLite"], max(2, number // 5), kills, shared=False)
    rows.append(row_of("one budget per process (SQLite)", alone))
    head = ["ledger", "runs", "kills", "requests billed", "runs over budget",
        "runs in which the server billed more than the ledger counted",
            "most billed", "mean billed", "most counted"]  # fmt: skip
    return (
        "Each run has several processes, which send requests to a simulated model server. The"
        " benchmark kills the processes (SIGKILL) at random moments and restarts them. The"
        " simulated server bills every request that it receives, even if no process reads the"
        " answer. A run is over budget if the server billed more than the budget.\n\n"
        f"Each run uses {_PROCESSES} processes with {THREADS} threads each. Half of the runs have a"
        f" budget of {_TOKENS:,} tokens, and the other half have a budget of {_USD} USD. The last"
        " three columns show percentages of the budget.\n\n" + table(head, rows)
    )


def costs_told(places: dict[str, str]) -> str:
    """Return the section about the milliseconds per request."""
    busy = os.getloadavg()[0]
    rows = [
        cost_row(name, ledger, threads)
        for name, ledger in places.items()
        for threads in (1, _PROCESSES * THREADS)
    ]
    return (
        "The table shows the time per request in milliseconds. Each figure is the duration of the"
        " fastest of five rounds, divided by the 200 requests in a round. If a run has no budget,"
        " the ledger only looks up each request and stores its answer. If a run has a budget, the"
        " ledger also reserves the maximum cost of each request and later records its actual cost."
        f" Before the run, the load average of the machine was {busy:.0f}.\n\n"
        + table(["ledger", "threads", "without a budget", "the budget adds"], rows)
    )


if __name__ == "__main__":
    main()
