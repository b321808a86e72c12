"""The engine with a real model behind an OpenAI-compatible server, where one is running."""

from __future__ import annotations

import os
from decimal import Decimal

import pytest

from extractors.llm import Ledger, LLMSettings, OpenAIEngine, Prices
from extractors.llm.ledger import Total
from extractors.read import read_document
from tests.extractors.llm.conftest import document

URL = os.environ.get("TRIPBED_LLM_URL", "")
FREE = Prices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))


@pytest.mark.llm
@pytest.mark.skipif(
    not URL, reason="no model server: set TRIPBED_LLM_URL, e.g. http://host:port/v1"
)
def test_a_real_model_reads_a_document_and_is_asked_once(ledger: Ledger) -> None:
    settings = LLMSettings(
        base_url=URL, model=os.environ.get("TRIPBED_LLM_MODEL", "local"), prices=FREE
    )
    engine = OpenAIEngine(settings, ledger)
    item = document()
    reading, _ungrounded = read_document(engine, item)
    text = item.document.text
    assert {"青鹭寺", "望潮阁"} <= {mention.name for mention in reading.mentions}
    assert all(text[m.span.start : m.span.end] == m.name for m in reading.mentions)
    assert engine.spent[0] > 0
    totals = ledger.summary()
    assert all(isinstance(total, Total) and total.tokens_in > 0 for total in totals)
    again = OpenAIEngine(settings, ledger)
    assert read_document(again, item)[0] == reading
    assert again.spent == (0, 0)
