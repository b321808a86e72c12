"""Counts the tokens of a request as OpenAI's models do (o200k), without a network."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from schemas.ids import canonical_json

#: Tokens that frame a message, and the start of the answer (OpenAI's cookbook on counting).
_A_MESSAGE, _THE_ANSWER = 3, 3


@lru_cache(maxsize=1)
def _encoding() -> Any:
    # Its tables take a second to load.
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


def tokens(text: str) -> int:
    """Tokens of a text."""
    return len(_encoding().encode_ordinary(text))


def request_tokens(body: dict[str, Any]) -> int:
    """Tokens in of a chat request: its messages, and the schema that the endpoint is given."""
    count = _THE_ANSWER
    for message in body["messages"]:
        count += _A_MESSAGE + tokens(message["role"]) + tokens(message["content"])
    wanted = body.get("response_format")
    return count + (tokens(canonical_json(wanted)) if wanted else 0)


def answer_tokens(answer: Any) -> int:
    """Tokens out of an answer in JSON."""
    return tokens(json.dumps(answer, ensure_ascii=False))
