"""Sends requests to a map service: limits the rate, retries, and interprets errors."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from geocoding.geocoders.base import (
    GeocoderAnswer,
    GeocoderQuestion,
    GeocoderReply,
    Outcome,
    PlacePoint,
    judge_answers,
)

#: Seconds to wait for a connection and for an answer; attempts per question; first pause.
TIMEOUT_S = 10.0
TRIES = 3
FIRST_PAUSE_S = 1.0


class TransportProblem(Exception):
    """Raised if a map service does not answer a question; ``outcome`` shows what to do next."""

    def __init__(self, outcome: Outcome, message: str):
        self.outcome, self.message = outcome, message
        super().__init__(message)


@dataclass
class Service:
    """An HTTP service with at most ``per_second`` requests a second, three attempts and no
    redirects.

    After a quota error or a refusal, no more requests are sent, and every later question gets the
    outcome in ``stopped``.
    """

    base_url: str
    per_second: float
    headers: Mapping[str, str] = field(default_factory=dict)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    sent: int = 0
    stopped: TransportProblem | None = None
    _next: float = 0.0

    def __post_init__(self) -> None:
        self._client = httpx.Client(
            base_url=self.base_url, headers=dict(self.headers), timeout=TIMEOUT_S
        )

    def get(self, path: str, accept: Callable[[Any], TransportProblem | None]) -> Any:
        """Return the JSON answer for a path with its query.

        ``accept`` checks whether the answer contains an error from the service.

        The request is repeated after a failed connection, a 5xx status or a temporary limit. Raises
        TransportProblem.
        """
        if self.stopped is not None:
            raise self.stopped
        pause, last = FIRST_PAUSE_S, TransportProblem("outage", "not asked")
        for attempt in range(TRIES):
            if attempt:
                self.sleep(pause)
                pause *= 2
            try:
                return self._once(path, accept)
            except TransportProblem as problem:
                if problem.outcome in ("quota", "denied"):
                    self.stopped = problem
                    raise
                if problem.outcome == "malformed":
                    raise
                last = problem
        raise last

    def _once(self, path: str, accept: Callable[[Any], TransportProblem | None]) -> Any:
        self._wait()
        self.sent += 1
        try:
            response = self._client.get(path)
        except httpx.HTTPError as error:
            raise TransportProblem("outage", f"no answer: {type(error).__name__}") from None
        if response.status_code == 429:
            raise TransportProblem("quota", "too many requests (429)")
        if response.status_code in (401, 403):
            raise TransportProblem("denied", f"refused ({response.status_code})")
        if response.status_code != 200:
            raise TransportProblem("outage", f"status {response.status_code}")
        try:
            answer = response.json()
        except ValueError:
            raise TransportProblem("malformed", "the answer is not JSON") from None
        if (problem := accept(answer)) is not None:
            raise problem
        return answer

    def _wait(self) -> None:
        """Wait until at least 1 / ``per_second`` seconds have passed since the last request."""
        now = self.clock()
        if now < self._next:
            self.sleep(self._next - now)
        self._next = max(now, self._next) + 1.0 / self.per_second


class WebGeocoder(ABC):
    """A geocoder that asks a map service; if the service fails, the reply's outcome says how."""

    def search(self, question: GeocoderQuestion) -> GeocoderReply:
        """Return the places that have the requested name."""
        try:
            return judge_answers(question, self.find(question))
        except TransportProblem as problem:
            return GeocoderReply(problem.outcome, message=problem.message)

    def reverse(self, point: PlacePoint) -> GeocoderReply:
        """Return the address at a point and the places around it."""
        try:
            near, address = self.find_around(point)
        except TransportProblem as problem:
            return GeocoderReply(problem.outcome, message=problem.message)
        return GeocoderReply("found" if near else "nothing", tuple(near), address)

    @abstractmethod
    def find(self, question: GeocoderQuestion) -> list[GeocoderAnswer]:
        """Return the service's answers for a name. Raises TransportProblem if the service fails."""

    @abstractmethod
    def find_around(self, point: PlacePoint) -> tuple[list[GeocoderAnswer], str]:
        """Return the address of a point and the places around it. Raises TransportProblem if the
        service fails.
        """


def rows_in(rows: Any, what: str) -> list[Mapping[str, Any]]:
    """Return a list of objects from an answer.

    Raises TransportProblem if the value is not a list of objects.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise TransportProblem("malformed", f"no list of {what} in the answer")
    return rows


def text(value: Any) -> str | None:
    """Return a string from an answer, or None if the value is an empty list or a blank string."""
    return value.strip() or None if isinstance(value, str) else None
