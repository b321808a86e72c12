"""Manages the run's budget in one process, and reserves money before a request is sent."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Lock, Thread

import sqlalchemy as sa

from extractors.llm import accounts
from extractors.llm.accounts import SpendingAccount
from extractors.llm.errors import BudgetSpent
from extractors.llm.money import Budget, Spending, TokenAmount, TokenPrices

logger = logging.getLogger(__name__)

#: Seconds between two checks whether other processes left room: first pause, longest pause.
_PAUSES = (0.05, 1.0)


@dataclass
class Reservation:
    """The highest possible cost of requests, reserved until their actual cost is known."""

    amount: TokenAmount
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    #: Whether the reservation outlives this process, so that another one may settle it.
    left_open: bool = False

    def settle(self, cost: TokenAmount) -> None:
        """Replace the highest possible cost of a reservation by the actual cost."""
        self.amount, self.left_open = cost, False


class Purse:
    """A budget that all threads and processes of a run share.

    Each request is entered with an upper bound on its cost. If the free part of the budget is below
    this bound, the request waits until requests in flight, in any living process, free some money.
    If the money would not suffice even after all requests in flight had freed theirs, the request
    is refused. The budget is therefore never exceeded, however many threads and processes work for
    the run.
    """

    def __init__(
        self, prices: TokenPrices, budget: Budget, account: SpendingAccount, patience_s: float
    ) -> None:
        """Create a purse whose requests give up if the spending has not changed for ``patience_s``
        seconds while they wait.
        """
        self._prices, self._budget, self._account = prices, budget, account
        self._binds = budget.binds(prices)
        self._patience_s = patience_s
        self._pulse = _Pulse(account.renew)
        self._changed = Condition()
        #: What this process's own requests have cost; lost ones count at their highest cost.
        self.spent = TokenAmount()

    @contextmanager
    def reserve(self, tokens_in: int, tokens_out: int) -> Iterator[Reservation]:
        """Reserve a request's highest possible cost. Raises BudgetSpent if the budget is too low.

        The block must settle the reservation; otherwise, the highest possible cost is booked.
        """
        with self.reserve_first([(tokens_in, tokens_out)]) as (_one, held):
            yield held

    @contextmanager
    def reserve_first(
        self, requests: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, Reservation]]:
        """Reserve money for as many requests, counted from the first, as the budget allows, and
        yield their number.

        ``requests`` are pairs with the highest numbers of input and output tokens. Raises
        BudgetSpent if the budget does not allow a single request.
        """
        number, held = self._take([self._prices.price_at_most(*request) for request in requests])
        try:
            yield number, held
        finally:
            self._pulse.remove(held.id)
            with self._changed:
                self.spent += held.amount
            if self._binds and not held.left_open:
                self.settle(held.id, held.amount)

    def settle(self, reservation: str, cost: TokenAmount) -> None:
        """Book the actual cost of a reservation; another process may have made the reservation."""
        self._account.settle(reservation, cost)
        with self._changed:
            self._changed.notify_all()

    def _take(self, bounds: Sequence[TokenAmount]) -> tuple[int, Reservation]:
        waiting, number = _Waiting(self._patience_s), len(bounds)
        while True:
            held = Reservation(sum(bounds[:number], TokenAmount()))
            if not self._binds or self._account.hold(held.id, held.amount, self._budget):
                break
            now = self._account.spending()
            number = self._fitting(now, bounds)
            if number == 0:
                self._wait_or_refuse(now, bounds[0], waiting)
                number = len(bounds)
        if self._binds:
            self._pulse.add(held.id)
        return number, held

    def _fitting(self, now: Spending, bounds: Sequence[TokenAmount]) -> int:
        """Return how many requests, counted from the first, fit into the budget together."""
        total = now.spent + now.in_flight
        for number, bound in enumerate(bounds):
            total += bound
            if not self._budget.allows(total):
                return number
        return len(bounds)

    def _wait_or_refuse(self, now: Spending, bound: TokenAmount, waiting: _Waiting) -> None:
        if not self._budget.allows(now.spent + bound) or waiting.is_too_long(now):
            raise BudgetSpent(self._budget.refusal(now, bound))
        with self._changed:
            self._changed.wait(waiting.pause())


class _Waiting:
    """Decides how long a request pauses while it waits for money, and when it gives up."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._seen: Spending | None = None
        self._until = 0.0
        self._pause = _PAUSES[0]

    def is_too_long(self, now: Spending) -> bool:
        """Check whether the run's spending has been unchanged for too long."""
        if now != self._seen:
            self._seen, self._until = now, time.monotonic() + self._patience_s
        return time.monotonic() > self._until

    def pause(self) -> float:
        """Return the number of seconds until the next check."""
        pause, self._pause = self._pause, min(2 * self._pause, _PAUSES[1])
        return pause


class _Pulse:
    """Shows other processes that this process is alive while it has reservations."""

    def __init__(self, renew: Callable[[Sequence[str]], None]) -> None:
        self._renew = renew
        self._held: set[str] = set()
        self._lock = Lock()
        self._thread: Thread | None = None

    def add(self, reservation: str) -> None:
        """Add a reservation to those that are kept alive."""
        with self._lock:
            self._held.add(reservation)
            if self._thread is None:
                self._thread = Thread(target=self._beat, name="budget", daemon=True)
                self._thread.start()

    def remove(self, reservation: str) -> None:
        """Stop keeping a reservation alive when it is settled or left to other processes."""
        with self._lock:
            self._held.discard(reservation)

    def _beat(self) -> None:
        while True:
            time.sleep(accounts.LEASE_SECONDS / 4)
            with self._lock:
                held = sorted(self._held)
                if not held:
                    self._thread = None
                    return
            try:
                self._renew(held)
            except sa.exc.SQLAlchemyError as error:
                logger.warning(
                    "the ledger could not record that this run is still alive: %s", error
                )
