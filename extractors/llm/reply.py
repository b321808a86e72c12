"""Reads how a chat completion ended, and then its content."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from extractors.llm.errors import Failed
from extractors.llm.money import Usage


@dataclass(frozen=True)
class EndpointReply:
    """An endpoint's answer; ``error`` is the error code if the endpoint refused this request."""

    content: str | None
    finish_reason: str | None
    refusal: str | None
    error: str | None
    usage: Usage | None
    likely: dict[str, float] | None = None  # log-probabilities of the possible first tokens


def read_reply(raw: str) -> EndpointReply:
    """Read a response body in any form; parts that are missing are None."""
    try:
        body = _mapping(json.loads(raw))
    except (ValueError, RecursionError):
        body = {}
    choices = body.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message = _mapping(choice.get("message"))
    error = body.get("error")
    if error is not None:
        error = _text(_mapping(error).get("code")) or _text(_mapping(error).get("type")) or "error"
    return EndpointReply(
        content=_text(message.get("content")),
        finish_reason=_text(choice.get("finish_reason")),
        refusal=_text(message.get("refusal")),
        error=error,
        usage=_usage(_mapping(body.get("usage"))),
        likely=_likely(_mapping(choice.get("logprobs")).get("content")),
    )


def answer_of(reply: EndpointReply, one_word: bool = False) -> dict[str, Any]:
    """Return the JSON object in a complete answer.

    Raises Failed, with the reason, if the answer contains no JSON object.

    A one-word answer is not JSON, so it is returned with its probabilities.
    """
    if reply.error is not None:
        raise Failed("refused by the endpoint", reply.error, final=True)
    if reply.refusal or reply.finish_reason == "content_filter":
        raise Failed("refusal", reply.refusal or "content filter")
    if one_word and (reply.content or reply.likely):
        return {"word": reply.content or "", "likely": reply.likely}
    if reply.finish_reason == "length":
        raise Failed("truncated")
    if reply.content is None or not reply.content.strip():
        raise Failed("empty")
    if reply.finish_reason != "stop":
        raise Failed("unfinished", f"finish reason {reply.finish_reason!r}")
    try:
        answer = json.loads(_remove_fence(reply.content), parse_constant=_no_number)
        json.dumps(answer, ensure_ascii=False).encode()  # fails for half a surrogate pair
    except (ValueError, RecursionError) as error:
        raise Failed("broken JSON", str(error)) from None
    if not isinstance(answer, dict):
        raise Failed("wrong JSON", f"a {type(answer).__name__} instead of an object")
    return answer


def _remove_fence(content: str) -> str:
    """Return the content without the code fence that models often put around JSON."""
    text = content.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text.split("\n", 1)[1][:-3]
    return text


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _usage(found: dict[str, Any]) -> Usage | None:
    tokens_in, tokens_out = (
        _count(found.get(name)) for name in ("prompt_tokens", "completion_tokens")
    )
    if tokens_in is None or tokens_out is None:
        return None
    cached = _count(_mapping(found.get("prompt_tokens_details")).get("cached_tokens"))
    return Usage(tokens_in, tokens_out, cached or 0)


def _likely(tokens: Any) -> dict[str, float] | None:
    """Return the alternatives to an answer's first token, if the endpoint reports them."""
    first = _mapping(tokens[0]) if isinstance(tokens, list) and tokens else {}
    rows = first.get("top_logprobs")
    found = {
        row["token"]: float(row["logprob"])
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict)
        and isinstance(row.get("token"), str)
        and isinstance(row.get("logprob"), int | float)
    }
    return found or None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
