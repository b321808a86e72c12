"""Limits requests with two token buckets, a shared pause and a limit on requests in flight."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock


class _Bucket:
    """A token bucket that holds one minute's allowance and refills steadily; its level can become
    negative.
    """

    def __init__(self, per_minute: int | None, now: float) -> None:
        self._per_minute = per_minute
        self._level = float(per_minute or 0)
        self._at = now

    def wait_s(self, amount: float, now: float) -> float:
        """Return the seconds until the bucket contains this amount."""
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
    """Lets a request be sent as soon as the limits per minute allow it.

    Threads may share a ``Pace``.
    """

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
        """Wait until a request may be sent; a request for more tokens than the limit per
        minute waits until the bucket is full.
        """
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
        """Give back the tokens that a request reserved but did not use."""
        with self._lock:
            self._tokens.take(used - taken)

    def pause(self, seconds: float) -> None:
        """Stop all requests for a while because the endpoint asked for a pause."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock() + seconds)


class Slots:
    """Limits the requests in flight; good answers raise the limit by one, and problems halve it.

    The limit starts at half of ``most`` and stays between 1 and ``most``. A problem that affects
    many requests at the same time counts only once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.limit = max(1, (most + 1) // 2)
        self._flying, self._good = 0, 0
        self._halved_at = -1.0
        self._changed = Condition()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a free slot and occupy the slot."""
        with self._changed:
            while self._flying >= self.limit:
                self._changed.wait()
            self._flying += 1
        try:
            yield
        finally:
            with self._changed:
                self._flying -= 1
                self._changed.notify_all()

    def went_well(self) -> None:
        """Count an answered request; when the count reaches the limit, raise the limit by one and
        restart the count.
        """
        with self._changed:
            self._good += 1
            if self._good >= self.limit < self._most:
                self.limit, self._good = self.limit + 1, 0
                self._changed.notify_all()

    def went_wrong(self) -> None:
        """Record a request that met a rate limit, a timeout or a broken server."""
        with self._changed:
            now = time.monotonic()
            if now - self._halved_at >= 1.0 or self._halved_at < 0:
                self.limit, self._good, self._halved_at = max(1, self.limit // 2), 0, now


class Expected:
    """Predicts how many tokens a request will use, based on earlier requests.

    The budget is charged with the upper bound for each request. If the limit per minute were also
    charged with upper bounds, half of this limit would stay unused.
    """

    _WEIGHT = 0.2

    def __init__(self) -> None:
        self._share = 1.0
        self._lock = Lock()

    def of(self, bound: int) -> int:
        """Return the expected number of tokens for a request with this upper bound."""
        with self._lock:
            return max(1, min(bound, round(bound * self._share)))

    def learn(self, bound: int, used: int) -> None:
        """Record how many tokens a request actually used."""
        with self._lock:
            self._share += self._WEIGHT * (used / max(1, bound) - self._share)
