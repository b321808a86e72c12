"""The engine with a real model behind an OpenAI-compatible server, where one is running."""

from __future__ import annotations

import os
from decimal import Decimal
from typing import Any

import pytest

from extractors.llm import Ledger, LLMSettings, OpenAIEngine, TokenPrices, Unanswered
from extractors.tasks import PoiExtraction, TrajectoryExtraction
from schemas.tasks import Grounded
from tests.support.extractors.llm.fixtures import document

URL = os.environ.get("TRIPBED_LLM_URL", "")
TASKS = (PoiExtraction(), TrajectoryExtraction())
FREE = TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))


@pytest.mark.llm
@pytest.mark.skipif(
    not URL, reason="no model server: set TRIPBED_LLM_URL, e.g. http://host:port/v1"
)
def test_a_real_model_is_asked_once_and_only_what_stands_in_the_document_is_kept(
    ledger: Ledger,
) -> None:
    settings = LLMSettings(
        base_url=URL,
        model=os.environ.get("TRIPBED_LLM_MODEL", "local"),
        prices=FREE,
        max_tokens=300,
    )
    first = OpenAIEngine(settings, ledger)
    outcomes = [outcome(first, task) for task in TASKS]
    assert any(isinstance(found, Grounded) for found in outcomes), outcomes
    assert first.spent[0] > 0
    assert all(total.requests > 0 == total.uncounted for total in ledger.summary())
    again = OpenAIEngine(settings, ledger)
    assert [outcome(again, task) for task in TASKS] == outcomes
    assert again.spent == (0, 0)


def outcome(engine: OpenAIEngine, task: Any) -> Grounded[Any] | str:
    """What a task reads, or why it reads nothing: small models fail often, in known ways."""
    item = document()
    try:
        found = engine.run(task, item)
    except Unanswered as failure:
        return failure.reason
    text = item.document.text
    for mention in getattr(found.output, "mentions", ()):
        assert text[mention.span.start : mention.span.end] == mention.name
    return found
