"""The messages of findings are part of the format: published snapshots contain them."""

from __future__ import annotations

import hashlib
import json

from schemas.findings import MESSAGES

#: SHA-256 of the messages so far. The gate ``findings`` compares the messages in a snapshot
#: with ours, so another wording would reject every older snapshot.
PUBLISHED = "c96dfed54e4550ccee08159f8a5e6ec80bc67d65a2f7f7998bfdecca0ea0c49a"


def test_messages_are_those_of_published_snapshots() -> None:
    content = json.dumps(MESSAGES, ensure_ascii=False, sort_keys=True)
    assert hashlib.sha256(content.encode()).hexdigest() == PUBLISHED
