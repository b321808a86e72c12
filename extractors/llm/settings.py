"""Defines settings for the LLM engine. The key is a secret and is never printed, dumped or
hashed.
"""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator

from extractors.llm.money import TokenPrices
from schemas.addresses import is_loopback

OPENAI = "https://api.openai.com/v1"


class LLMSettings(BaseModel, frozen=True, extra="forbid", hide_input_in_errors=True):
    """Endpoint, model, sampling, limits and prices.

    Prices have no default: an engine does not start without them.
    """

    base_url: str = OPENAI
    api_key: SecretStr | None = Field(default=None, exclude=True, repr=False)
    model: str = Field(default="", validate_default=True)

    temperature: float | None = Field(
        default=0.0, ge=0, le=2, description="sampling temperature; if None, it is not sent"
    )
    repair_temperature: float = Field(
        default=0.4, ge=0, le=2, description="sampling temperature for further samples"
    )
    max_tokens: int = Field(
        default=3000,
        gt=0,
        description="highest number of tokens in one answer; doubled if the answer was cut off",
    )
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    answer_format: Literal["json_schema", "json_object", "text"] = "json_schema"
    strict_schema: bool = Field(
        default=False,
        description="whether to use OpenAI's strict mode, which does not support limits on texts",
    )

    logprobs: bool = Field(
        default=True,
        description="whether to request the probability of each word in one-word answers",
    )

    attempts: int = Field(
        default=4, ge=1, description="number of attempts after 5xx errors, timeouts and resets"
    )
    backoff_s: float = Field(
        default=1.0,
        ge=0,
        description="seconds before the second attempt; doubled for each further attempt",
    )
    connect_timeout_s: float = Field(default=10.0, gt=0)
    read_timeout_s: float = Field(default=300.0, gt=0)
    max_wait_s: float = Field(
        default=600.0,
        ge=0,
        description="longest time in seconds that a request waits for rate limits",
    )
    requests_per_minute: int | None = Field(default=None, gt=0)
    tokens_per_minute: int | None = Field(default=None, gt=0)
    concurrency: int = Field(default=8, gt=0, description="highest number of requests in flight")

    batch: bool = Field(
        default=False, description="whether to read documents through the Batch API"
    )
    batch_poll_s: float = Field(default=60.0, ge=0)

    prices: TokenPrices | None = None
    budget_usd: Decimal | None = Field(
        default=None, ge=0, description="highest cost of one run in US dollars"
    )
    budget_tokens: int | None = Field(
        default=None, ge=0, description="highest number of tokens that one run may use"
    )

    @field_validator("base_url")
    @classmethod
    def _plain_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url must be an http(s) address")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("base_url may only have a host and a path: give the key as api_key")
        return value.rstrip("/")

    @field_validator("model")
    @classmethod
    def _check_model(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("no model is set: name one in the settings or in OPENAI_MODEL")
        return value.strip()

    @property
    def is_loopback(self) -> bool:
        """Check whether the endpoint is on this machine."""
        return is_loopback(self.base_url)

    @property
    def endpoint(self) -> dict[str, str]:
        """Return the identity of the endpoint, with host and port hashed."""
        parts = urlsplit(self.base_url)
        place = f"{parts.scheme}://{parts.netloc.lower()}"
        return {
            "kind": "openai-chat",
            "host_sha256": hashlib.sha256(place.encode()).hexdigest(),
            "path": parts.path,
        }

    def identity(self) -> dict[str, Any]:
        """Return the settings that affect answers, for use in cache keys."""
        sampling = ("model", "temperature", "repair_temperature", "max_tokens", "limit_name",
                    "answer_format", "strict_schema", "logprobs")  # fmt: skip
        return {"endpoint": self.endpoint, **{name: getattr(self, name) for name in sampling}}

    def price_problem(self) -> str | None:
        """Return the reason why requests cannot be priced with these settings, or None if they can.

        Prices must be given even for a local server, where they are 0. If there is a budget in
        dollars, a server on another machine must not have a price of 0, because the budget would
        then never stop the run.
        """
        if self.prices is None:
            return (
                f"the price of {self.model!r} is unknown: give prices.usd_per_mtok_in and "
                "prices.usd_per_mtok_out (0 and 0 for a server of your own)"
            )
        if self.prices.free and self.budget_usd is not None and not self.is_loopback:
            return "with a price of 0 budget_usd would never stop the run: set budget_tokens"
        return None
