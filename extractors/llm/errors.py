"""How an LLM engine fails: for one item, for all of them, or for want of money."""

from __future__ import annotations


class EngineStopped(Exception):
    """What fails for every item: bad key, unknown model, unreachable endpoint, quota spent.

    The message carries the provider's own words. Nobody goes on with another engine.
    """


class BudgetSpent(EngineStopped):
    """The next request could break a budget. What is answered is kept; the rest is pending."""


class Unanswered(Exception):
    """One item has no usable answer, after its repairs. The caller quarantines it.

    ``reason`` is a short fixed phrase and the only thing printed; ``detail`` (the parser's
    words) and ``raw`` (the last raw response) may quote the document: keep them out of logs.
    """

    def __init__(self, reason: str, raw: str = "", detail: str = "") -> None:
        super().__init__(reason, raw, detail)
        self.reason = reason
        self.raw = raw
        self.detail = detail

    def __str__(self) -> str:
        return self.reason

    def __repr__(self) -> str:
        return f"Unanswered({self.reason!r})"


class Failed(Exception):
    """One answer is not usable. ``final``: another sample of the request would not help."""

    def __init__(self, reason: str, detail: str = "", *, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail
        self.final = final
