"""Make requests to a host take turns, with waits between them."""

from __future__ import annotations

import asyncio
import email.utils
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from sources.web.fetch_types import FetchSettings

_MAX_BACKOFF_S = 60.0
_MADE_UP_SHARE = 0.1


class Hosts:
    """Gives turns: so many requests at once in all and to a host, and time between their starts.

    The time is counted from the moment when a request may really start.
    """

    def __init__(self, per_host_concurrency: int, concurrency: int) -> None:
        self._per_host = per_host_concurrency
        self._free = asyncio.Semaphore(concurrency)
        self._free_of_host: dict[str, asyncio.Semaphore] = {}
        self._gates: dict[str, asyncio.Lock] = {}
        self._next_start: dict[str, float] = {}

    @asynccontextmanager
    async def turn(
        self, host: str, delay_s: float, *, is_strict: bool = False
    ) -> AsyncIterator[None]:
        """Wait for a turn at a host and hold it.

        A start that came late by itself is made up for by at most a tenth of the delay, so that
        the rate is what the delay permits on the average and never more. ``is_strict`` where the
        host stated the delay: then no two starts are closer.
        """
        free_of_host = self._free_of_host.setdefault(host, asyncio.Semaphore(self._per_host))
        now = asyncio.get_running_loop().time
        async with free_of_host:
            async with self._gates.setdefault(host, asyncio.Lock()):
                while (wait_s := self._next_start.get(host, 0.0) - now()) > 0:
                    await asyncio.sleep(wait_s)
                await self._free.acquire()
                late_s = now() - self._next_start.get(host, now())
                made_up_s = 0.0 if is_strict else min(late_s, _MADE_UP_SHARE * delay_s)
                self._next_start[host] = now() + delay_s - made_up_s
            try:
                yield
            finally:
                self._free.release()

    def pause(self, host: str, wait_s: float) -> None:
        """Start nothing at a host for so long: it said so, or it failed."""
        earliest = asyncio.get_running_loop().time() + wait_s
        self._next_start[host] = max(self._next_start.get(host, 0.0), earliest)


def retry_wait_s(retry_after: str | None, attempt: int, settings: FetchSettings) -> float | None:
    """Seconds until the next try; None where the server asks for more than the limit.

    Retry-After (seconds or a date) counts where it is given, else exponential backoff.
    """
    asked = _retry_after_s(retry_after)
    if asked is not None:
        return asked if asked <= settings.max_retry_after_s else None
    return min(settings.backoff_s * 2.0 ** (attempt - 1), _MAX_BACKOFF_S)


def _retry_after_s(value: str | None) -> float | None:
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        when = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
