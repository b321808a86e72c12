"""Errors from an LLM engine that affect one item or all items, or report that the budget is
spent.
"""

from __future__ import annotations

from schemas.tasks import Unanswered

__all__ = ["BudgetSpent", "EngineStopped", "Failed", "Unanswered"]


class EngineStopped(Exception):
    """Raised for an error that affects every item, such as a bad key, an unknown model or no quota.

    The message contains the provider's own words. No other engine takes over.
    """


class BudgetSpent(EngineStopped):
    """Raised if the next request could exceed a budget.

    The answers received so far are kept, and the other items are pending.
    """


class Failed(Exception):
    """Raised if an answer is not usable; ``final`` means that another sample would not help."""

    def __init__(self, reason: str, detail: str = "", *, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail
        self.final = final
