"""Checks that the Prefect server at ``PREFECT_API_URL`` answers, before any work begins."""

from __future__ import annotations

import httpx

from flows.errors import SettingsError

_TIMEOUT_SECONDS = 3


def check_api(url: str) -> None:
    """Raise SettingsError if no Prefect server answers at this address."""
    if not api_answers(url):
        raise SettingsError(
            f"no Prefect server answers at PREFECT_API_URL={url}: start one with `prefect server "
            "start`, or unset the variable"
        )


def api_answers(url: str) -> bool:
    """Check whether a Prefect server answers at this address."""
    try:
        address = f"{url.rstrip('/')}/health"
        return httpx.get(address, timeout=_TIMEOUT_SECONDS, trust_env=False).is_success
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
