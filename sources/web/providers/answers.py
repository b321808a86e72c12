"""Stored answers of search APIs, by request: nobody pays twice for the same search.

There is one JSON file per answer, in a folder or at its address. It holds the request without its
key and the raw answer, so that a corrected reader can read it again at no cost.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sources.web.providers.base import ApiAnswer, ApiRequest
from storage.shelf import shelf

_KEPT_HEADERS = ("content-type", "content-language", "x-ratelimit-remaining", "retry-after")


class Answers:
    """A folder of answers."""

    def __init__(self, folder: Path) -> None:
        self._shelf = shelf(folder)

    def get(
        self, provider: str, request: ApiRequest, since: datetime | None = None
    ) -> ApiAnswer | None:
        """The answer to a request that was kept, None where there is none, or none ``since``."""
        data = self._shelf.read(_key(provider, request))
        if data is None:
            return None
        kept = json.loads(data)
        if kept["request"] != json.loads(json.dumps(request.public)):
            return None
        if since is not None and _find_time(kept) < since:
            return None
        return ApiAnswer(kept["status"], kept["headers"], kept["answer"])

    def put(self, provider: str, request: ApiRequest, answer: ApiAnswer) -> None:
        """Keep an answer."""
        headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        kept = {
            "request": request.public, "status": answer.status, "headers": headers,
            "answer": answer.data, "asked_at": datetime.now(UTC).isoformat(),
        }  # fmt: skip
        text = json.dumps(kept, ensure_ascii=False, sort_keys=True)
        self._shelf.write(_key(provider, request), text.encode())


def _key(provider: str, request: ApiRequest) -> str:
    return f"{provider}/{request.key[:2]}/{request.key}.json"


def _find_time(kept: dict[str, Any]) -> datetime:
    """When an answer came; those of earlier versions do not say, and count as old."""
    return datetime.fromisoformat(kept.get("asked_at", "1970-01-01T00:00:00+00:00"))
