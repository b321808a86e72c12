"""The part of a machine's settings that concerns search and fetching."""

from __future__ import annotations

from flows.settings.environment import Settings
from sources.web.settings import WebSettings


def web_settings(settings: Settings) -> WebSettings:
    """Those of the settings that search and fetching need."""
    given = {name: getattr(settings, name) for name in WebSettings.model_fields}
    return WebSettings.model_validate({k: v for k, v in given.items() if v is not None})
