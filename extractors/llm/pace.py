"""The pace of requests: two token buckets, a shared pause, and a limit on requests in flight."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock


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


class Slots:
    """How many requests may be in flight: one more after good answers, half after trouble.

    Starts in the middle and stays between 1 and ``most``. Trouble that comes at once from many
    requests counts once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.limit = max(1, (most + 1) // 2)
        self._flying, self._good = 0, 0
        self._halved_at = -1.0
        self._changed = Condition()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Hold one of the places, waiting for it."""
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
        """A request was answered; after as many as may fly, one more may."""
        with self._changed:
            self._good += 1
            if self._good >= self.limit < self._most:
                self.limit, self._good = self.limit + 1, 0
                self._changed.notify_all()

    def went_wrong(self) -> None:
        """A request met a limit, a timeout or a broken server."""
        with self._changed:
            now = time.monotonic()
            if now - self._halved_at >= 1.0 or self._halved_at < 0:
                self.limit, self._good, self._halved_at = max(1, self.limit // 2), 0, now


class Expected:
    """Tokens that a request will probably take, learnt from those that came back.

    The purse holds a bound; a minute's allowance filled with bounds would stay half unused.
    """

    _WEIGHT = 0.2

    def __init__(self) -> None:
        self._share = 1.0
        self._lock = Lock()

    def of(self, bound: int) -> int:
        """Expected tokens of a request with this bound."""
        with self._lock:
            return max(1, min(bound, round(bound * self._share)))

    def learn(self, bound: int, used: int) -> None:
        """Note what a request really took."""
        with self._lock:
            self._share += self._WEIGHT * (used / max(1, bound) - self._share)
