"""Define errors for open data that cannot be fetched or read."""

from __future__ import annotations

from typing import Literal

from sources.tables.intake import TableError

Code = Literal["rate_limited", "server_error", "timeout", "unreachable", "refused", "too_large"]


class OpenDataError(TableError):
    """Raised if open data cannot be fetched or is invalid; the message explains what to do."""


class RequestUnanswered(OpenDataError):
    """Raised if a request is not answered; ``code`` shows whether waiting or a smaller box may
    help.
    """

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code: Code = code
