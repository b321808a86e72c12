"""Prices, and the purse that a request must fit before it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from threading import Condition

from pydantic import BaseModel, ConfigDict, Field

from extractors.llm.errors import BudgetSpent

_MICRO = 1_000_000


class Prices(BaseModel):
    """USD per million tokens, which is the same figure as micro-USD per token."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    usd_per_mtok_in: Decimal = Field(ge=0)
    usd_per_mtok_out: Decimal = Field(ge=0)
    usd_per_mtok_cached: Decimal | None = Field(
        default=None, ge=0, description="input that the provider had cached; None: as other input"
    )

    @property
    def free(self) -> bool:
        """Whether every token costs nothing."""
        return not (self.usd_per_mtok_in or self.usd_per_mtok_out or self.usd_per_mtok_cached)

    def cost_micro_usd(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> int:
        """Cost of a request, rounded up; cached tokens are part of ``tokens_in``."""
        cached_price = self.usd_per_mtok_cached
        if cached_price is None:
            cached_price = self.usd_per_mtok_in
        cached = min(tokens_cached, tokens_in)
        cost = (
            (tokens_in - cached) * self.usd_per_mtok_in
            + cached * cached_price
            + tokens_out * self.usd_per_mtok_out
        )
        return int(cost.to_integral_value(ROUND_CEILING))


@dataclass(frozen=True)
class Usage:
    """Tokens of one request as its endpoint counted them."""

    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0


@dataclass
class Reservation:
    """What a request may cost at most, until it is known what it did cost."""

    tokens: int
    micro_usd: int

    def settle(self, tokens: int, micro_usd: int) -> None:
        """Replace the bound by the real figures."""
        self.tokens, self.micro_usd = tokens, micro_usd


class Purse:
    """Two budgets, either of which may be absent. Shared by threads.

    A request enters with an upper bound of its tokens. Where the bound does not fit beside what
    is spent and in flight, the request waits for those in flight, and is refused when there are
    none. So a budget is never broken, whatever the number of threads.
    """

    def __init__(
        self, prices: Prices, budget_usd: Decimal | None, budget_tokens: int | None
    ) -> None:
        self._prices = prices
        self._most_micro_usd = None if budget_usd is None else int(budget_usd * _MICRO)
        self._most_tokens = budget_tokens
        self._flying: list[Reservation] = []
        self._changed = Condition()
        self.tokens = 0
        self.micro_usd = 0
        self.batch_tokens = 0
        self.batch_micro_usd = 0

    @contextmanager
    def reserve(self, tokens_in: int, tokens_out: int) -> Iterator[Reservation]:
        """Hold room for a request; raises BudgetSpent when it would not fit.

        What the block leaves in the reservation is spent: settle it, or the bound counts.
        """
        cost = self._prices.cost_micro_usd(tokens_in, tokens_out)
        held = Reservation(tokens_in + tokens_out, cost)
        with self._changed:
            while problem := self._problem(held):
                if not self._flying:
                    raise BudgetSpent(problem)
                self._changed.wait()
            self._flying.append(held)
        try:
            yield held
        finally:
            with self._changed:
                self._flying = [other for other in self._flying if other is not held]
                self.tokens += held.tokens
                self.micro_usd += held.micro_usd
                self._changed.notify_all()

    def problem(self, tokens_in: int, tokens_out: int) -> str | None:
        """Why so many tokens would break a budget now, or None."""
        with self._changed:
            cost = self._prices.cost_micro_usd(tokens_in, tokens_out)
            return self._problem(Reservation(tokens_in + tokens_out, cost))

    def count_batch(self, usage: Usage | None) -> None:
        """Add what one answer of a batch took; its reservation is settled with the sum."""
        if usage is not None:
            cost = self._prices.cost_micro_usd(
                usage.tokens_in, usage.tokens_out, usage.tokens_cached
            )
            self.batch_tokens += usage.tokens_in + usage.tokens_out
            self.batch_micro_usd += cost

    def _problem(self, wanted: Reservation) -> str | None:
        tokens = self.tokens + sum(held.tokens for held in self._flying)
        cost = self.micro_usd + sum(held.micro_usd for held in self._flying)
        if self._most_tokens is not None and tokens + wanted.tokens > self._most_tokens:
            return (
                f"the budget of {self._most_tokens} tokens would be broken: {self.tokens} are "
                f"spent, the next request may take {wanted.tokens}"
            )
        if self._most_micro_usd is not None and cost + wanted.micro_usd > self._most_micro_usd:
            return (
                f"the budget of {self._most_micro_usd / _MICRO:.6f} USD would be broken: "
                f"{self.micro_usd / _MICRO:.6f} are spent, the next request may cost "
                f"{wanted.micro_usd / _MICRO:.6f}"
            )
        return None
