"""Checks the model, search, open data, geocoders, versions, disk and clock (``tripbed doctor``).

Keys are never printed.
"""

from __future__ import annotations

import asyncio
import json
import platform
import shutil
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from flows.errors import SettingsError
from flows.settings.checks import check_model
from flows.settings.environment import Settings, variable_of
from geocoding.geocoders import amap, baidu, nominatim
from sources.open.provider import OpenProvider
from sources.open.registry import PROVIDERS
from sources.open.settings import OpenSettings
from sources.web.fetch import open_client
from sources.web.fetch_types import FetchSettings
from sources.web.guard import ForbiddenUrl, check_url
from sources.web.providers.registry import APIS, ProviderEntry
from sources.web.settings import WebSettings

_TIMEOUT_S = 5.0
_OPENAI = "https://api.openai.com/v1"

State = Literal["ok", "warning", "error"]


@dataclass(frozen=True)
class ServiceCheck:
    """One line in the report: what was checked, its state, and what to do about a problem."""

    name: str
    state: State
    detail: str
    is_configured: bool | None = None
    is_reachable: bool | None = None


def model_check(settings: Settings, *, offline: bool) -> ServiceCheck:
    """Check that a model is configured and its endpoint lists it; the request uses no tokens."""
    name = "model"
    if not settings.openai_model and not settings.openai_base_url:
        return ServiceCheck(
            name,
            "warning",
            "not configured: set OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY to read "
            "documents with a model",
            False,
        )
    try:
        check_model(settings)
    except SettingsError as error:
        return ServiceCheck(name, "error", str(error), False)
    address = (settings.openai_base_url or _OPENAI).rstrip("/")
    host = urlsplit(address).netloc.rpartition("@")[2]
    if offline:
        return ServiceCheck(name, "ok", f"{settings.openai_model} on {host} (not contacted)", True)
    key = settings.openai_api_key
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    try:
        answer = httpx.get(
            f"{address}/models", headers=headers, timeout=_TIMEOUT_S, trust_env=False
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        why = f"{host} cannot be reached ({type(error).__name__})"
        detail = f"{why}: start the endpoint, or fix OPENAI_BASE_URL"
        return ServiceCheck(name, "error", detail, True, False)
    return _judge(str(settings.openai_model), host, answer)


def _judge(model: str, host: str, answer: httpx.Response) -> ServiceCheck:
    """Check whether the endpoint's list of models contains the configured model."""
    known = _models(answer)
    state: State = "warning"
    if answer.status_code in (401, 403):
        state = "error"
        detail = f"{host} refuses the key ({answer.status_code}): set OPENAI_API_KEY"
    elif known is None:
        detail = (
            f"{host} answers, but not with a list of models ({answer.status_code}): check "
            "that OPENAI_BASE_URL ends in /v1"
        )
    elif model not in known:
        listed = ", ".join(known[:5]) or "none"
        detail = f"{host} does not offer the model {model!r}; it offers {listed}"[:300]
    else:
        state, detail = "ok", f"{host} has {model}"
    return ServiceCheck("model", state, detail, True, True)


def _models(answer: httpx.Response) -> list[str] | None:
    """Return the names of an endpoint's models, or None if the answer is not a list of models."""
    try:
        listed: Any = answer.json()["data"] if answer.is_success else None
        return [str(entry["id"]) for entry in listed]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


async def geocoder_checks(settings: Settings, *, offline: bool) -> list[ServiceCheck]:
    """Check the gazetteer, and the account and host of each geocoder on the web."""
    asking = settings.part(OpenSettings).asking

    async def check(name: str, field: str, url: str) -> ServiceCheck:
        called = f"geocoder {name}"
        if not getattr(settings, field):
            return ServiceCheck(
                called, "warning", f"not configured: set {variable_of(field)}", False
            )
        return await _contact(called, url, asking(url), "configured; ", offline=offline)

    own = ServiceCheck("geocoder gazetteer", "ok", "needs only files", True, True)
    return [
        own,
        await check("amap", "amap_key", settings.amap_url or amap.BASE_URL),
        await check("baidu", "baidu_map_key", settings.baidu_map_url or baidu.BASE_URL),
        await check("nominatim", "contact", settings.nominatim_url or nominatim.BASE_URL),
    ]


_PACKAGES = (
    "httpx", "h2", "protego", "warcio", "lxml", "bm25s", "polars", "pyarrow", "pandera", "prefect",
    "great-expectations", "shapely", "osmium",
)  # fmt: skip
_LEAST_FREE_BYTES = 2_000_000_000
_EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)


def doctor(workspace: Path, settings: Settings, *, offline: bool, as_json: bool) -> int:
    """Print every check; return 2 if a check found an error, and 0 otherwise."""
    checks = [
        model_check(settings, offline=offline),
        *asyncio.run(_check_providers(settings.part(WebSettings), offline=offline)),
        *asyncio.run(_open_data(settings.part(OpenSettings), offline=offline)),
        *asyncio.run(geocoder_checks(settings, offline=offline)),
        *machine_checks(workspace),
    ]
    if as_json:
        sys.stdout.write(json.dumps([asdict(check) for check in checks], ensure_ascii=False) + "\n")
    else:
        sys.stdout.writelines(
            f"{check.state:<8} {check.name:<22} {check.detail}\n" for check in checks
        )
    return 2 if any(check.state == "error" for check in checks) else 0


async def _check_providers(settings: WebSettings, *, offline: bool) -> list[ServiceCheck]:
    own = ServiceCheck("provider corpus", "ok", "needs only --documents", True, True)
    asked = [provider_check(entry, settings, offline=offline) for entry in APIS]
    return [own, *await asyncio.gather(*asked)]


async def provider_check(
    entry: ProviderEntry, settings: WebSettings, *, offline: bool
) -> ServiceCheck:
    """Check whether a provider is configured and whether its host answers.

    A single request without a key is sent to the host's root address, so the check costs nothing.
    """
    name = f"provider {entry.name}"
    url = entry.url(settings)
    if entry.make(settings) is None or url is None:
        return ServiceCheck(name, "warning", f"not configured: set {entry.needs}", False)
    return await _contact(name, url, settings.asking(url), "configured; ", offline=offline)


async def _open_data(settings: OpenSettings, *, offline: bool) -> list[ServiceCheck]:
    """Check whether the providers of open data answer.

    A provider that reads files needs no host.
    """

    async def check(provider: OpenProvider) -> ServiceCheck:
        name, url = f"open data {provider.name}", provider.url(settings)
        if url is None:
            return ServiceCheck(name, "ok", "needs only its files", True)
        return await _contact(name, url, settings.asking(url), "", offline=offline)

    return [*await asyncio.gather(*map(check, PROVIDERS.values()))]


async def _contact(
    name: str, url: str, asking: FetchSettings, before: str, *, offline: bool
) -> ServiceCheck:
    """Check whether the host of a configured service answers one request without a key."""
    host = urlsplit(url).netloc.rpartition("@")[2]
    if offline:
        return ServiceCheck(name, "ok", f"configured ({host}), but not contacted", True)
    reachable, why = await _reaches(url, asking)
    detail = f"{before}{host} {'answers' if reachable else why}"
    return ServiceCheck(name, "ok" if reachable else "warning", detail, True, reachable)


async def _reaches(url: str, asking: FetchSettings) -> tuple[bool, str]:
    parts = urlsplit(url)
    try:
        root = check_url(f"{parts.scheme}://{parts.netloc}/", asking.allow_hosts).url
        async with asyncio.timeout(_TIMEOUT_S), open_client(asking) as client:
            await client.head(root)
    except ForbiddenUrl as error:
        return False, f"must not be contacted: {error.message}"
    except (TimeoutError, httpx.HTTPError) as error:
        return False, f"cannot be reached ({type(error).__name__})"
    return True, ""


def machine_checks(workspace: Path) -> list[ServiceCheck]:
    """Check Python, packages, disk and clock."""
    version = platform.python_version()
    is_new = sys.version_info >= (3, 11)
    checks = [
        ServiceCheck(
            "python",
            "ok" if is_new else "error",
            version if is_new else f"{version}: Python 3.11 or newer is needed",
        )
    ]
    for package in _PACKAGES:
        try:
            checks.append(ServiceCheck(f"package {package}", "ok", metadata.version(package)))
        except metadata.PackageNotFoundError:
            checks.append(ServiceCheck(f"package {package}", "error", "is missing: run make setup"))
    checks += [_disk(workspace), _clock()]
    return checks


def _disk(workspace: Path) -> ServiceCheck:
    folder = next(path for path in (workspace, *workspace.absolute().parents) if path.exists())
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:.1f} GB free for {workspace}"
    if free < _LEAST_FREE_BYTES:
        return ServiceCheck(
            "disk", "warning", f"{detail}: free some space, or choose a different --workspace"
        )
    return ServiceCheck("disk", "ok", detail)


def _clock() -> ServiceCheck:
    """Check the clock, because a wrong date would make the dates in the archive wrong."""
    now = datetime.fromtimestamp(time.time(), UTC)
    if now < _EARLIEST:
        return ServiceCheck(
            "clock",
            "error",
            f"shows {now.date()}: set the correct time, because archives record when pages were "
            "fetched",
        )
    return ServiceCheck("clock", "ok", now.strftime("%Y-%m-%d %H:%M UTC"))
