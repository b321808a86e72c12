"""Defines the verdict of a gate, which ``validators`` returns and the table ``gates`` contains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GateResult:
    """The verdict of one gate."""

    gate_id: str
    level: str
    severity: str
    passed: bool
    n_failed: int
    message: str
    table: str | None = None

    def row(self) -> dict[str, Any]:
        """Return the verdict as a row of the table ``gates``."""
        return dict(vars(self))


def no_error(verdicts: Iterable[GateResult]) -> bool:
    """Check whether all gates of severity error passed."""
    return all(verdict.passed for verdict in verdicts if verdict.severity == "error")
