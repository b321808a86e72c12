"""The rules engine."""

from __future__ import annotations

from extractors.rules.engine import RulesEngine

__all__ = ["RulesEngine"]
