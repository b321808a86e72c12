"""Turns at a host, and how long to wait before asking again."""

from __future__ import annotations

import asyncio
import email.utils
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from sources.web.fetch_types import FetchSettings

_MAX_BACKOFF_S = 60.0


class Hosts:
    """Gives turns: so many requests at once to a host, and so much time between their starts."""

    def __init__(self, per_host_concurrency: int) -> None:
        self._concurrency = per_host_concurrency
        self._free: dict[str, asyncio.Semaphore] = {}
        self._next_start: dict[str, float] = {}

    @asynccontextmanager
    async def turn(self, host: str, delay_s: float) -> AsyncIterator[None]:
        """Wait for a turn at a host and hold it."""
        free = self._free.setdefault(host, asyncio.Semaphore(self._concurrency))
        async with free:
            now = asyncio.get_running_loop().time()
            start = max(now, self._next_start.get(host, now))
            self._next_start[host] = start + delay_s
            await asyncio.sleep(start - now)
            yield


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
