"""The LLM engine, which works with any OpenAI-compatible endpoint and keeps every answer in a
ledger.
"""

from __future__ import annotations

from extractors.llm.engine import OpenAIEngine
from extractors.llm.errors import BudgetSpent, EngineStopped, Unanswered
from extractors.llm.ledger import Ledger
from extractors.llm.money import TokenPrices
from extractors.llm.settings import LLMSettings

__all__ = [
    "BudgetSpent",
    "EngineStopped",
    "LLMSettings",
    "Ledger",
    "OpenAIEngine",
    "TokenPrices",
    "Unanswered",
]
