"""The part of a machine's settings that concerns the providers of open data."""

from __future__ import annotations

from flows.settings.environment import Settings
from sources.open.settings import OpenSettings


def open_settings(settings: Settings) -> OpenSettings:
    """Those of the settings that the providers need."""
    given = {name: getattr(settings, name) for name in OpenSettings.model_fields}
    return OpenSettings.model_validate({k: v for k, v in given.items() if v is not None})
