"""Answers of search APIs, kept by the content of their request: what was asked is not paid twice.

One JSON file an answer, written whole. It holds the request without its key, and the answer as
it came, so that a reader that is mended reads it again for nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from sources.web.providers.base import ApiAnswer, ApiRequest

_KEPT_HEADERS = ("content-type", "content-language", "x-ratelimit-remaining", "retry-after")


class Answers:
    """A folder of answers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, provider: str, request: ApiRequest) -> ApiAnswer | None:
        """The answer to a request that was kept, None where there is none."""
        path = self._path(provider, request)
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if kept["request"] != json.loads(json.dumps(request.public)):
            return None
        return ApiAnswer(kept["status"], kept["headers"], kept["answer"])

    def put(self, provider: str, request: ApiRequest, answer: ApiAnswer) -> None:
        """Keep an answer."""
        path = self._path(provider, request)
        path.parent.mkdir(parents=True, exist_ok=True)
        headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        kept = {
            "request": request.public, "status": answer.status, "headers": headers,
            "answer": answer.data,
        }  # fmt: skip
        aside = path.with_suffix(".part")
        aside.write_text(json.dumps(kept, ensure_ascii=False, sort_keys=True), encoding="utf-8")
        os.replace(aside, path)

    def _path(self, provider: str, request: ApiRequest) -> Path:
        return self._folder / provider / request.key[:2] / f"{request.key}.json"
