"""The error for open data that could not be fetched."""

from __future__ import annotations

from typing import Literal

from sources.tables.intake import TableError

Code = Literal["rate_limited", "server_error", "timeout", "unreachable", "refused", "too_large"]


class OpenDataError(TableError):
    """Data that cannot be had, or is not what it should be; the message says what to do."""


class RequestUnanswered(OpenDataError):
    """A request that was not answered.
    ``code`` says whether a smaller one, or waiting, may help.
    """

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code: Code = code
