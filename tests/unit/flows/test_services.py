"""What ``tripbed doctor`` says of a model and of geocoders, without a server."""

from __future__ import annotations

import asyncio
import shutil
from collections import namedtuple
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from flows.serving.doctor import geocoder_checks, machine_checks, model_check
from flows.settings.environment import Settings

KEY = "sk-never-to-be-seen"
SET = Settings.unset(
    openai_base_url="http://127.0.0.1:9/v1", openai_model="m", openai_api_key=SecretStr(KEY)
)
LIST = {"data": [{"id": "m"}, {"id": "other"}]}


def _answers(monkeypatch: pytest.MonkeyPatch, status: int, body: object) -> None:
    def get(url: str, headers: dict[str, str], **_: object) -> httpx.Response:
        assert url == "http://127.0.0.1:9/v1/models"
        assert headers == {"Authorization": f"Bearer {KEY}"}
        given = {"json": body} if isinstance(body, dict) else {"text": str(body)}
        return httpx.Response(status, request=httpx.Request("GET", url), **given)

    monkeypatch.setattr(httpx, "get", get)


@pytest.mark.parametrize(
    ("status", "body", "state", "words"),
    [
        (200, LIST, "ok", "has m"),
        (200, {"data": [{"id": "other"}]}, "warning", "not offer the model 'm'; it offers other"),
        (200, "<html>", "warning", "ends in /v1"),
        (200, {"data": None}, "warning", "not with a list of models"),
        (404, LIST, "warning", "not with a list of models (404)"),
        (401, {}, "error", "refuses the key"),
    ],
)  # fmt: skip
def test_what_an_endpoint_answers(
    status: int, body: object, state: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _answers(monkeypatch, status, body)
    check = model_check(SET, offline=False)
    assert (check.state, check.is_reachable) == (state, True)
    assert words in check.detail
    assert KEY not in check.detail


def test_an_endpoint_that_is_not_there() -> None:
    check = model_check(SET, offline=False)
    assert (check.state, check.is_reachable) == ("error", False)
    assert "OPENAI_BASE_URL" in check.detail


def test_nothing_is_asked_offline() -> None:
    assert model_check(SET, offline=True).state == "ok"
    assert model_check(Settings.unset(), offline=False).is_configured is False
    half = Settings.unset(openai_base_url="https://example.org")
    assert model_check(half, offline=False).state == "error"


def test_geocoders() -> None:
    settings = Settings.unset(contact="me", nominatim_url="http://127.0.0.1:9")
    found = asyncio.run(geocoder_checks(settings, offline=False))
    told = {check.name: (check.is_configured, check.is_reachable) for check in found}
    assert told == {
        "geocoder gazetteer": (True, True), "geocoder amap": (False, None),
        "geocoder baidu": (False, None), "geocoder nominatim": (True, False),
    }  # fmt: skip


@pytest.mark.parametrize(("free", "state"), [(1_900_000_000, "warning"), (2_100_000_000, "ok")])
def test_the_disk(free: int, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workspace that does not exist yet is asked for by the folder that will hold it."""
    usage = namedtuple("usage", "total used free")
    asked: list[Path] = []

    def told(folder: Path) -> usage:
        asked.append(folder)
        return usage(10**12, 0, free)

    monkeypatch.setattr(shutil, "disk_usage", told)
    [disk] = [check for check in machine_checks(tmp_path / "a" / "b") if check.name == "disk"]
    assert disk.state == state
    assert f"{free / 1e9:.1f} GB free" in disk.detail
    assert asked == [tmp_path]
