"""Stable ids and hashes. Nothing random, nothing that depends on the process."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest(*parts: str, length: int = 16) -> str:
    """First ``length`` hex digits of the SHA-256 of the parts (joined so that no two collide)."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode()).hexdigest()[:length]


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spare space: equal values, equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def doc_id(raw_sha256: str) -> str:
    """Id of a document from the SHA-256 of its raw bytes."""
    return f"d{raw_sha256[:20]}"


def poi_id(anchor: str) -> str:
    """Id of a place from its anchor, see ``geocoding``."""
    return f"poi_{digest(anchor)}"


def span_evidence_id(city_id: str, doc: str, start: int, end: int) -> str:
    """Id of a document span as evidence within a city."""
    return f"ev_{digest('document', city_id, doc, str(start), str(end), length=20)}"


def row_evidence_id(city_id: str, file: str, line: int) -> str:
    """Id of a table row as evidence within a city."""
    return f"ev_{digest('table', city_id, file, str(line), length=20)}"


#: What a reader says of a mention, in the order in which ``mention_id`` takes it.
SAID_OF_MENTION = (
    "city_id", "doc_id", "start", "end", "name", "role", "day", "order", "reason_start",
    "reason_end",
)  # fmt: skip


def mention_id(*said: str | int | None) -> str:
    """Id of a mention from all that its reader said of it; what it was resolved to is no part."""
    if len(said) != len(SAID_OF_MENTION):
        raise ValueError(f"a mention has {len(SAID_OF_MENTION)} parts, not {len(said)}")
    return f"m_{digest(*map(str, said))}"


def comparison_id(evidence: str, other: str, verdict: str, score: float, reason: str) -> str:
    """Id of a comparison from its two rows and what was decided (score: three decimals)."""
    return f"cmp_{digest(evidence, other, verdict, f'{score:.3f}', reason)}"


def quarantine_id(
    city_id: str, stage: str, table: str, row_id: str, check: str, message: str, payload: str
) -> str:
    """Id of a quarantined row from all that is told of it."""
    return f"q_{digest(city_id, stage, table, row_id, check, message, payload)}"


def text_sha256(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, hex."""
    return hashlib.sha256(text.encode()).hexdigest()
