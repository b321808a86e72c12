"""Defines tokens and costs of requests, and the budget that a request must fit into before it is
sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, Field

from schemas.ids import canonical_json

_MICRO = 1_000_000


class TokenPrices(BaseModel, frozen=True, extra="forbid"):
    """Prices in USD per million tokens; the same figures are prices in micro-USD per token."""

    usd_per_mtok_in: Decimal = Field(ge=0)
    usd_per_mtok_out: Decimal = Field(ge=0)
    usd_per_mtok_cached: Decimal | None = Field(
        default=None,
        ge=0,
        description="price of input that the provider had cached; if None, the same as other input",
    )

    @property
    def free(self) -> bool:
        """Check whether all kinds of tokens are free."""
        return not (self.usd_per_mtok_in or self.usd_per_mtok_out or self.usd_per_mtok_cached)

    def cost_micro_usd(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> int:
        """Return the cost of a request, rounded up; cached tokens are part of ``tokens_in``."""
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

    def price_at_most(self, tokens_in: int, tokens_out: int) -> TokenAmount:
        """Return the highest possible cost of a request with at most this many tokens, cached or
        not.
        """
        costs = (self.cost_micro_usd(tokens_in, tokens_out, cached) for cached in (0, tokens_in))
        return TokenAmount(tokens_in + tokens_out, max(costs))

    def cost(self, usage: Usage) -> TokenAmount:
        """Return the actual cost of a request."""
        tokens_in, tokens_out = usage.tokens_in, usage.tokens_out
        micro_usd = self.cost_micro_usd(tokens_in, tokens_out, usage.tokens_cached)
        return TokenAmount(tokens_in + tokens_out, micro_usd)


@dataclass(frozen=True)
class Usage:
    """The tokens that one request used, as counted by its endpoint."""

    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0


@dataclass(frozen=True)
class TokenAmount:
    """A number of input and output tokens, and their cost."""

    tokens: int = 0
    micro_usd: int = 0

    def __add__(self, other: TokenAmount) -> TokenAmount:
        return TokenAmount(self.tokens + other.tokens, self.micro_usd + other.micro_usd)

    def __sub__(self, other: TokenAmount) -> TokenAmount:
        return TokenAmount(self.tokens - other.tokens, self.micro_usd - other.micro_usd)


@dataclass(frozen=True)
class Spending:
    """The amount that a run has spent, and the amount that its living processes have reserved for
    requests in flight.

    ``lost`` is the part of ``spent`` for requests that were in flight when their process died, at
    their highest possible cost.
    """

    spent: TokenAmount
    in_flight: TokenAmount
    lost: TokenAmount


@dataclass(frozen=True)
class Budget:
    """The highest amount that a run may spend; None means no limit."""

    tokens: int | None = None
    micro_usd: int | None = None

    @classmethod
    def of(cls, usd: Decimal | None, tokens: int | None) -> Budget:
        """Return a budget with a limit in dollars, in tokens, in both, or in neither."""
        return cls(tokens, None if usd is None else int(usd * _MICRO))

    def binds(self, prices: TokenPrices) -> bool:
        """Check whether requests at these prices can ever exceed the budget."""
        return self.tokens is not None or (self.micro_usd is not None and not prices.free)

    def allows(self, total: TokenAmount) -> bool:
        """Check whether the budget allows a run to spend this amount in total."""
        return (self.tokens is None or total.tokens <= self.tokens) and (
            self.micro_usd is None or total.micro_usd <= self.micro_usd
        )

    def refusal(self, now: Spending, wanted: TokenAmount) -> str:
        """Return the message for refusing a request that could cost up to ``wanted``."""
        total = now.spent + now.in_flight + wanted
        in_tokens = self.tokens is not None and total.tokens > self.tokens
        unit, verb = ("tokens", "take") if in_tokens else ("USD", "cost")

        def show(amount: TokenAmount) -> str:
            return str(amount.tokens) if in_tokens else f"{amount.micro_usd / _MICRO:.6f}"

        most = show(TokenAmount(self.tokens or 0, self.micro_usd or 0))
        lost = f", up to {show(now.lost)} of them on lost answers" if now.lost.tokens else ""
        flying = f", {show(now.in_flight)} are in flight" if now.in_flight.tokens else ""
        return (
            f"the budget of {most} {unit} would be exceeded: {show(now.spent)} are spent{lost}"
            f"{flying}, the next request may {verb} {show(wanted)}"
        )


#: Tokens around a message, and at the start of the answer (OpenAI's cookbook on counting).
_A_MESSAGE, _THE_ANSWER = 3, 3


@lru_cache(maxsize=1)
def _encoding() -> Any:
    # Loading its tables takes a second.
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


def tokens(text: str) -> int:
    """Return the number of tokens in a text."""
    return len(_encoding().encode_ordinary(text))


def request_tokens(body: dict[str, Any]) -> int:
    """Return the number of input tokens in a chat request, including the schema."""
    count = _THE_ANSWER
    for message in body["messages"]:
        count += _A_MESSAGE + tokens(message["role"]) + tokens(message["content"])
    wanted = body.get("response_format")
    return count + (tokens(canonical_json(wanted)) if wanted else 0)
