"""Check that the model and the geocoders are configured and answer, at no cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from flows.errors import SettingsError
from flows.settings.checks import check_model
from flows.settings.environment import Settings, variable_of
from geocoding.geocoders import amap, baidu, nominatim

_TIMEOUT_S = 5.0
_OPENAI = "https://api.openai.com/v1"

State = Literal["ok", "warning", "error"]


@dataclass(frozen=True)
class ServiceCheck:
    """One line: what was looked at, how it is, and what to do where it is not well."""

    name: str
    state: State
    detail: str
    is_configured: bool | None = None
    is_reachable: bool | None = None


def model_check(settings: Settings, *, offline: bool) -> ServiceCheck:
    """Whether a model is named and its endpoint lists it: a request without tokens."""
    name = "model"
    if not settings.openai_model and not settings.openai_base_url:
        detail = (
            "not configured: set OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY to read with "
            "a model"
        )
        return ServiceCheck(name, "warning", detail, False)
    try:
        check_model(settings)
    except SettingsError as error:
        return ServiceCheck(name, "error", str(error), False)
    address = (settings.openai_base_url or _OPENAI).rstrip("/")
    host = urlsplit(address).netloc.rpartition("@")[2]
    if offline:
        return ServiceCheck(name, "ok", f"{settings.openai_model} on {host}; not contacted", True)
    key = settings.openai_api_key
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    answer, why = _ask(f"{address}/models", headers)
    if answer is None:
        detail = f"{host} {why}: start the endpoint, or fix OPENAI_BASE_URL"
        return ServiceCheck(name, "error", detail, True, False)
    return _judge(str(settings.openai_model), host, answer)


def _judge(model: str, host: str, answer: httpx.Response) -> ServiceCheck:
    """What the list of models says of the one that is named."""
    name = "model"
    if answer.status_code in (401, 403):
        detail = f"{host} refuses the key ({answer.status_code}): set OPENAI_API_KEY"
        return ServiceCheck(name, "error", detail, True, True)
    known = _models(answer)
    if known is None:
        detail = (
            f"{host} answers, but not with a list of models ({answer.status_code}): does "
            "OPENAI_BASE_URL end in /v1?"
        )
        return ServiceCheck(name, "warning", detail, True, True)
    if model not in known:
        shown = ", ".join(known[:5]) or "none"
        detail = f"{host} has no model {model!r}: it lists {shown}"[:300]
        return ServiceCheck(name, "warning", detail, True, True)
    return ServiceCheck(name, "ok", f"{host} has {model}", True, True)


def _models(answer: httpx.Response) -> list[str] | None:
    """Names of an endpoint's models; None where the answer is no such list."""
    try:
        listed: Any = answer.json()["data"] if answer.is_success else None
        return [str(entry["id"]) for entry in listed]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def geocoder_checks(settings: Settings, *, offline: bool) -> list[ServiceCheck]:
    """The gazetteer, and each geocoder on the web: its account, and whether its host answers."""
    asked = (
        ("amap", "amap_key", settings.amap_url or amap.BASE_URL),
        ("baidu", "baidu_map_key", settings.baidu_map_url or baidu.BASE_URL),
        ("nominatim", "contact", settings.nominatim_url or nominatim.BASE_URL),
    )
    own = ServiceCheck("geocoder gazetteer", "ok", "needs nothing but files", True, True)
    return [own, *(_geocoder(*which, settings, offline=offline) for which in asked)]


def _geocoder(
    name: str, field: str, url: str, settings: Settings, *, offline: bool
) -> ServiceCheck:
    called = f"geocoder {name}"
    if not getattr(settings, field):
        return ServiceCheck(called, "warning", f"not configured: set {variable_of(field)}", False)
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    if offline:
        return ServiceCheck(called, "ok", f"configured ({host}); not contacted", True)
    answer, why = _ask(f"{parts.scheme}://{host}/", {})
    detail = f"configured; {host} {why or 'answers'}"
    return ServiceCheck(called, "ok" if answer else "warning", detail, True, answer is not None)


def _ask(url: str, headers: dict[str, str]) -> tuple[httpx.Response | None, str]:
    """An answer whatever its status, or why there is none."""
    try:
        return httpx.get(url, headers=headers, timeout=_TIMEOUT_S, trust_env=False), ""
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return None, f"can't be reached ({type(error).__name__})"
