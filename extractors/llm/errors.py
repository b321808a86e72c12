"""The ways in which an LLM engine fails: for one item, for all of them, or for lack of money."""

from __future__ import annotations

from schemas.tasks import Unanswered

__all__ = ["BudgetSpent", "EngineStopped", "Failed", "Unanswered"]


class EngineStopped(Exception):
    """What fails for every item: bad key, unknown model, unreachable endpoint, quota spent.

    The message carries the provider's own words. Nobody goes on with another engine.
    """


class BudgetSpent(EngineStopped):
    """The next request could break a budget. What is answered is kept; the rest is pending."""


class Failed(Exception):
    """One answer is not usable. ``final``: another sample of the request would not help."""

    def __init__(self, reason: str, detail: str = "", *, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail
        self.final = final
