"""Answers of search APIs, kept by the content of their request: what was asked is not paid twice.

One JSON file an answer, written whole. It holds the request without its key, and the answer as
it came, so that a reader that is mended reads it again for nothing.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sources.web.providers.base import ApiAnswer, ApiRequest

_KEPT_HEADERS = ("content-type", "content-language", "x-ratelimit-remaining", "retry-after")


class Answers:
    """A folder of answers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(
        self, provider: str, request: ApiRequest, since: datetime | None = None
    ) -> ApiAnswer | None:
        """The answer to a request that was kept, None where there is none, or none ``since``."""
        path = self._path(provider, request)
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if kept["request"] != json.loads(json.dumps(request.public)):
            return None
        if since is not None and _asked_at(kept) < since:
            return None
        return ApiAnswer(kept["status"], kept["headers"], kept["answer"])

    def put(self, provider: str, request: ApiRequest, answer: ApiAnswer) -> None:
        """Keep an answer."""
        path = self._path(provider, request)
        path.parent.mkdir(parents=True, exist_ok=True)
        headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        kept = {
            "request": request.public, "status": answer.status, "headers": headers,
            "answer": answer.data, "asked_at": datetime.now(UTC).isoformat(),
        }  # fmt: skip
        aside = path.with_suffix(".part")
        aside.write_text(json.dumps(kept, ensure_ascii=False, sort_keys=True), encoding="utf-8")
        os.replace(aside, path)

    def _path(self, provider: str, request: ApiRequest) -> Path:
        return self._folder / provider / request.key[:2] / f"{request.key}.json"


def _asked_at(kept: dict[str, Any]) -> datetime:
    """When an answer came; those of earlier versions do not say, and count as old."""
    return datetime.fromisoformat(kept.get("asked_at", "1970-01-01T00:00:00+00:00"))
