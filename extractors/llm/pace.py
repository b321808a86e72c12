"""Requests and tokens a minute: two token buckets and a common pause."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class _Bucket:
    """Holds one minute's allowance and refills evenly; may be overdrawn when settled."""

    def __init__(self, per_minute: int | None, now: float) -> None:
        self._per_minute = per_minute
        self._level = float(per_minute or 0)
        self._at = now

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until the amount is there."""
        if self._per_minute is None:
            return 0.0
        self._level = min(
            self._per_minute, self._level + (now - self._at) * self._per_minute / 60.0
        )
        self._at = now
        lacking = min(amount, self._per_minute) - self._level
        return max(0.0, lacking * 60.0 / self._per_minute)

    def take(self, amount: float) -> None:
        self._level -= amount


class Pace:
    """Lets a request go when the minute has room for it. Shared by threads."""

    def __init__(
        self,
        requests_per_minute: int | None,
        tokens_per_minute: int | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._requests = _Bucket(requests_per_minute, clock())
        self._tokens = _Bucket(tokens_per_minute, clock())
        self._paused_until = 0.0
        self._lock = Lock()

    def take(self, tokens: int) -> None:
        """Wait for one request's room. A request above a whole minute's tokens waits for one."""
        while True:
            with self._lock:
                now = self._clock()
                wait = max(
                    self._requests.wait_s(1, now),
                    self._tokens.wait_s(tokens, now),
                    self._paused_until - now,
                )
                if wait <= 0:
                    self._requests.take(1)
                    self._tokens.take(tokens)
                    return
            self._sleep(wait)

    def settle(self, taken: int, used: int) -> None:
        """Give back what a request took and did not use."""
        with self._lock:
            self._tokens.take(used - taken)

    def pause(self, seconds: float) -> None:
        """Let nobody go for a while: the endpoint asked for it."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock() + seconds)
