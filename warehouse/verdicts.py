"""Verdicts of gates, as ``validators`` gives them and a snapshot's table ``gates`` holds them."""

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
        """The verdict as a row of the table ``gates``."""
        return dict(vars(self))


def no_error(verdicts: Iterable[GateResult]) -> bool:
    """Whether no gate of severity error failed."""
    return all(verdict.passed for verdict in verdicts if verdict.severity == "error")
