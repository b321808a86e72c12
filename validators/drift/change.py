"""A change found in a source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """Something that is not as it was, or as it should be; ``level`` is WARNED or REFUSED.

    ``check`` is what ``--accept-drift TABLE.CHECK`` names; ``message`` begins with the source.
    """

    table: str
    column: str
    check: str
    level: int
    value: str
    message: str
