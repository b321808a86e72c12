"""Makes stable ids and hashes, which depend only on the content."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest(*parts: str, length: int = 16) -> str:
    """Return the first ``length`` hex digits of the SHA-256 hash of all parts combined."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode()).hexdigest()[:length]


def canonical_json(value: Any) -> str:
    """Format a value as JSON with sorted keys and no spaces; equal values give equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def doc_id(raw_sha256: str) -> str:
    """Make the id of a document from the SHA-256 hash of its bytes."""
    return f"d{raw_sha256[:20]}"


def poi_id(anchor: str) -> str:
    """Make the id of a place from its anchor (see ``geocoding``)."""
    return f"poi_{digest(anchor)}"


def span_evidence_id(city_id: str, doc: str, start: int, end: int) -> str:
    """Make the evidence id of a span in a document, for one city."""
    return f"ev_{digest('document', city_id, doc, str(start), str(end), length=20)}"


def row_evidence_id(city_id: str, file: str, line: int) -> str:
    """Make the evidence id of a row in a source table, for one city."""
    return f"ev_{digest('table', city_id, file, str(line), length=20)}"


#: The values of a mention that ``mention_id`` takes, in this order.
SAID_OF_MENTION = (
    "city_id", "doc_id", "start", "end", "name", "role", "day", "order", "reason_start",
    "reason_end",
)  # fmt: skip


def mention_id(*said: str | int | None) -> str:
    """Make the id of a mention from the values in ``SAID_OF_MENTION``.

    The id does not depend on which place the mention is linked to.
    """
    if len(said) != len(SAID_OF_MENTION):
        raise ValueError(
            f"a mention must have {len(SAID_OF_MENTION)} parts, but this one has {len(said)}"
        )
    return f"m_{digest(*map(str, said))}"


def comparison_id(evidence: str, other: str, verdict: str, score: float, reason: str) -> str:
    """Make the id of a comparison from its decision and the evidence for its two rows."""
    return f"cmp_{digest(evidence, other, verdict, f'{score:.3f}', reason)}"


def quarantine_id(
    city_id: str, stage: str, table: str, row_id: str, check: str, message: str, payload: str
) -> str:
    """Make the id of a quarantined row from all information that is recorded about it."""
    return f"q_{digest(city_id, stage, table, row_id, check, message, payload)}"


def text_sha256(text: str) -> str:
    """Return the SHA-256 hash of a text's UTF-8 bytes as hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()
