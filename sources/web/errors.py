"""Define errors for documents and folders that cannot be read."""

from __future__ import annotations

from typing import Literal

ReasonCode = Literal["too_large", "binary", "encoding", "empty", "unreadable"]


class UnreadableDocument(Exception):
    """Raised if a document cannot be read; that document is set aside, and the others are still
    read.
    """

    def __init__(self, reason_code: ReasonCode, message: str) -> None:
        super().__init__(message)
        self.reason_code: ReasonCode = reason_code
        self.message = message


class CorpusError(Exception):
    """Raised if a folder of documents cannot be used; the message explains what to do."""
