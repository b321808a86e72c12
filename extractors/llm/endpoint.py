"""Sends a request to an OpenAI-compatible endpoint, and retries as long as an answer is
possible.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn

import httpx2
import openai

from extractors.llm.accounts import SpendingAccount
from extractors.llm.errors import EngineStopped, Unanswered
from extractors.llm.money import Budget, TokenAmount, TokenPrices, Usage
from extractors.llm.pace import Expected, Pace, Slots
from extractors.llm.purse import Purse
from extractors.llm.reply import read_reply
from extractors.llm.settings import LLMSettings

logger = logging.getLogger(__name__)

_QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
#: Codes and types of errors with which an endpoint refuses only this request.
_OF_ONE_REQUEST = {
    "context_length_exceeded", "exceed_context_size_error", "content_filter",
    "content_policy_violation", "invalid_prompt", "string_above_max_length",
}  # fmt: skip
_AGAIN = {408, 409, 425, 429}
#: The endpoint counts as down after so many consecutive requests without an answer.
_DOWN_AFTER = 3
_SHORTEST_WAIT_S = 0.5
#: A batch is answered within a day or expires.
_BATCH_SECONDS = 86_400.0
#: Shorter keys are placeholders for local servers, and may be ordinary words.
_SHORTEST_SECRET = 8


@dataclass(frozen=True)
class Received:
    """The body of the answer to a request."""

    raw: str
    usage: Usage | None
    latency_ms: int
    attempts: int


class Endpoint:
    """An endpoint with its budget and its request rate; threads may share it."""

    def __init__(
        self, settings: LLMSettings, prices: TokenPrices, account: SpendingAccount,
        sleep: Callable[[float], None],
    ) -> None:  # fmt: skip
        self._settings = settings
        self.prices = prices
        self._key = settings.api_key.get_secret_value() if settings.api_key else ""
        if not self._key and not settings.is_loopback:
            raise EngineStopped("no key for this endpoint: set api_key or OPENAI_API_KEY")
        # These libraries log addresses and headers if the root logger's level is DEBUG.
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        timeout = httpx2.Timeout(settings.read_timeout_s, connect=settings.connect_timeout_s)
        self._http = httpx2.Client(timeout=timeout, trust_env=not settings.is_loopback)
        #: Also used for uploads; its answers must not be logged.
        self.client = openai.OpenAI(
            base_url=settings.base_url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=timeout,
            http_client=self._http,
        )
        budget = Budget.of(settings.budget_usd, settings.budget_tokens)
        self.purse = Purse(prices, budget, account, _longest_s(settings))
        self._pace = Pace(settings.requests_per_minute, settings.tokens_per_minute, sleep=sleep)
        self.slots = Slots(settings.concurrency)
        self._expected = Expected()
        self._sleep = sleep
        self._has_answered, self._unanswered_in_a_row = False, 0
        self._stopped: EngineStopped | None = None

    def ask(self, body: dict[str, Any], tokens_in: int, tokens_out: int) -> Received:
        """Get the answer to a request that uses at most ``tokens_in`` and ``tokens_out`` tokens.

        Raises EngineStopped for an error that affects all requests, BudgetSpent if the request
        could exceed the budget, and Unanswered if no attempt was answered.
        """
        with self.slots.one():
            attempt, waited, backoff = 1, 0.0, self._settings.backoff_s
            while True:
                if self._stopped:
                    raise EngineStopped(*self._stopped.args)
                try:
                    return self._try(body, tokens_in, tokens_out, attempt)
                except openai.RateLimitError as error:
                    self.slots.went_wrong()
                    waited += self._wait_for_room(error, waited)
                except (openai.APIConnectionError, openai.APIStatusError) as error:
                    self.slots.went_wrong()
                    attempt += 1
                    self._again_or_give_up(attempt, backoff, error)
                    backoff *= 2

    def _try(self, body: dict[str, Any], tokens_in: int, tokens_out: int, attempt: int) -> Received:
        """Send a request; if the answer is lost, charge the highest possible cost, because the
        request may have been billed.
        """
        with self.purse.reserve(tokens_in, tokens_out) as held:
            bound, expected = held.amount.tokens, self._expected.of(held.amount.tokens)
            self._pace.take(expected)
            began = time.monotonic()
            try:
                response = self.client.chat.completions.with_raw_response.create(**body)
                raw = response.http_response.text
            except openai.APIStatusError as error:
                held.settle(TokenAmount())
                self._pace.settle(expected, 0)
                raw = self._read_refusal(error)
            except openai.APIConnectionError as error:
                if _never_left(error):
                    held.settle(TokenAmount())
                raise
            else:
                self._has_answered, self._unanswered_in_a_row = True, 0
                self.slots.went_well()
            usage = read_reply(raw).usage
            if usage:
                cost = self.prices.cost(usage)
                held.settle(cost)
                self._pace.settle(expected, cost.tokens)
                self._expected.learn(bound, cost.tokens)
            latency_ms = round((time.monotonic() - began) * 1000)
            return Received(self._clean(raw), usage, latency_ms, attempt)

    def _read_refusal(self, error: openai.APIStatusError) -> str:
        """Return the body of the answer if only this request is refused; otherwise, stop all
        requests or raise the error again.

        If the endpoint has answered other requests, an unknown error code also counts as a refusal
        of this request only.
        """
        kinds = {error.code, error.type}
        status = error.status_code
        if status == 413 or (status in (400, 422) and kinds & _OF_ONE_REQUEST):
            return error.response.text
        quota_spent = status == 402 or (status < 500 and kinds & _QUOTA)
        if status in (400, 422) and self._has_answered and not quota_spent:
            self._give_up("refused by the endpoint", error)
        if quota_spent or not (status in _AGAIN or status >= 500):
            self.stop(f"the endpoint answered {status}", error)
        raise error

    def stop(self, problem: str, error: openai.APIStatusError | None) -> NoReturn:
        """Stop this and all later requests, quoting the provider's own words if there are any."""
        words = f": {self._words(error)}" if error else ""
        self._stopped = EngineStopped(problem + words)
        raise self._stopped from None

    def _check_reachable(self, error: openai.APIConnectionError) -> None:
        if _never_left(error):
            cause = error.__cause__
            words = self._clean(str(cause)) or type(cause).__name__
            self.stop(f"the endpoint cannot be reached: {words}", None)

    def _again_or_give_up(
        self,
        attempt: int,
        backoff: float,
        failed: openai.APIConnectionError | openai.APIStatusError,
    ) -> None:
        """Wait for the next attempt, or give up on the item or the endpoint after the last
        attempt.
        """
        if isinstance(failed, openai.APIStatusError):
            error, problem = failed, f"no answer: status {failed.status_code}"
        else:
            self._check_reachable(failed)
            error, problem = None, "no answer: timeout or broken connection"
        if attempt <= self._settings.attempts:
            asked = retry_after_s(error.response.headers) if error else None
            wait = min(backoff if asked is None else asked, self._settings.max_wait_s)
            logger.info("%s; try %d in %.1f s", problem, attempt, wait)
            self._sleep(wait)
            return
        self._give_up(problem, error)

    def _give_up(self, problem: str, error: openai.APIStatusError | None) -> NoReturn:
        """Leave an item unanswered; after several unanswered items in a row, stop all requests."""
        self._unanswered_in_a_row += 1
        if self._unanswered_in_a_row >= _DOWN_AFTER:
            self.stop(f"{_DOWN_AFTER} requests in a row failed: {problem}", error)
        raise Unanswered(problem, self._clean(error.response.text) if error else "") from None

    def _wait_for_room(self, error: openai.RateLimitError, waited: float) -> float:
        """Pause all threads for as long as the endpoint asks, and return the pause in seconds."""
        asked = retry_after_s(error.response.headers)
        wait = min(30.0, 1.0 + waited) if asked is None else max(asked, _SHORTEST_WAIT_S)
        if waited + wait > self._settings.max_wait_s:
            self.stop(f"rate-limited for more than {self._settings.max_wait_s:.0f} s", error)
        logger.info("rate-limited; trying again in %.1f s", wait)
        self._pace.pause(wait)
        return wait

    def _words(self, error: openai.APIStatusError) -> str:
        """Return the provider's own words on one line, without the key."""
        body = error.body
        found = body.get("message") if isinstance(body, dict) else body
        return self._clean(" ".join(str(found or error.response.text).split())[:300])

    def _clean(self, text: str) -> str:
        is_secret = len(self._key) >= _SHORTEST_SECRET
        return text.replace(self._key, "[key]") if is_secret else text

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._http.close()


def _never_left(error: openai.APIConnectionError) -> bool:
    """Check whether the request was never sent because no connection could be made."""
    return isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)


def _longest_s(settings: LLMSettings) -> float:
    """Return the longest time, in seconds, that a batch or one attempt at a request can take."""
    request_s = settings.connect_timeout_s + settings.read_timeout_s + settings.max_wait_s
    return max(request_s, _BATCH_SECONDS) if settings.batch else request_s


def retry_after_s(headers: httpx2.Headers) -> float | None:
    """Return the wait, in seconds, that a Retry-After header in any form asks for, or None."""
    milliseconds = headers.get("retry-after-ms")
    value = headers.get("retry-after", "").strip()
    with suppress(ValueError):
        return max(0.0, float(milliseconds) / 1000 if milliseconds else float(value))
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
