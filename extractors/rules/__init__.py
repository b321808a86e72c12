"""The engine ``rules``: reads documents without a model."""

from __future__ import annotations

from extractors.rules.engine import RulesEngine

__all__ = ["RulesEngine"]
