"""Checks a command's options and settings before anything slow is imported or started.

This module imports only fast modules, so it reports a mistake within a second.
"""

from __future__ import annotations

import difflib
import re
from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo, available_timezones

from flows.errors import SettingsError
from flows.settings.environment import Settings, load_settings
from flows.settings.profile import load_profile
from schemas.addresses import is_loopback

ENGINES = ("rules", "openai", "cascade")
#: The layouts of structured sources that ``sources.tables.registry`` can read.
TABLES_FORMATS = ("tripbed", "traveleval", "overture", "osm", "mapped")


def check_settings(
    engine: str,
    profile: str,
    tables_format: str,
    usd: float | None = None,
    tokens: int | None = None,
) -> Settings:
    """Return this machine's settings for a build, with the budget for one run.

    Raises SettingsError if the engine, profile or layout does not exist, if a variable is wrong, or
    if the model is not set up.
    """
    check_engine(engine)
    check_layout(tables_format)
    load_profile(profile)
    settings = load_settings()
    if engine != "rules":
        check_model(settings)
    return settings.with_budget(usd, tokens)


def check_engine(name: str) -> None:
    """Raise SettingsError if there is no engine with this name."""
    if name not in ENGINES:
        raise SettingsError(f"no engine is called {name!r}: choose one of {', '.join(ENGINES)}")


def check_layout(name: str) -> None:
    """Raise SettingsError if there is no layout of tables with this name."""
    if name not in TABLES_FORMATS:
        raise SettingsError(
            f"no tables format is called {name!r}: choose one of {', '.join(TABLES_FORMATS)}"
        )


def check_model(settings: Settings) -> None:
    """Raise SettingsError if no model is named, or if its price is unknown."""
    if not (settings.openai_model or "").strip():
        raise SettingsError(
            "the engine openai is not set up: OPENAI_MODEL is empty. "
            "Set OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY"
        )
    model_prices(settings)


def model_prices(settings: Settings) -> tuple[Decimal, Decimal]:
    """Return the prices of a million input tokens and a million output tokens in US dollars.

    A model on this machine is free. Raises SettingsError if a price is unknown.
    """
    free = Decimal(0) if is_loopback(settings.openai_base_url or "") else None
    given = [
        price if price is not None else free for price in (settings.price_in, settings.price_out)
    ]
    if given[0] is None or given[1] is None:
        raise SettingsError(
            "the price of the model is unknown: set TRIPBED_PRICE_IN and TRIPBED_PRICE_OUT to "
            "US dollars per million tokens"
        )
    return given[0], given[1]


def check_cron(expression: str) -> str:
    """Return the cron expression if it has five fields and matches a date.

    Raises SettingsError if the expression is invalid or matches no date.
    """
    # Imported only when something is scheduled.
    from cronsim import CronSim, CronSimError

    told = f"{expression!r} is not a cron expression"
    advice = (
        'give the minute, hour, day, month and weekday, such as "0 3 * * *" for every day at 3:00'
    )
    if len(expression.split()) != 5 or re.search(r"LW|\dL", expression.upper()):
        raise SettingsError(f"{told}: {advice}")
    try:
        next(CronSim(expression, datetime(2026, 1, 1)))
    except CronSimError as error:
        raise SettingsError(f"{told} ({error}): {advice}") from None
    except StopIteration:
        raise SettingsError(f"{expression!r} never matches a date: {advice}") from None
    return expression


def check_time_zone(name: str) -> str:
    """Return the name of a time zone.

    Raises SettingsError, which lists similar names, if the time zone does not exist.
    """
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # ZoneInfo raises all of them for unknown names
        known = sorted(available_timezones())
    else:
        return name
    near = difflib.get_close_matches(name, known, 3)
    ends = [zone for zone in known if name and zone.lower().endswith(f"/{name.lower()}")]
    hint = ", ".join(dict.fromkeys([*ends[:3], *near])) or "Asia/Shanghai, Europe/Lisbon, UTC"
    raise SettingsError(f"no time zone is called {name!r}: choose a name such as {hint}")


#: Seconds in which a Prefect server must answer.
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
    import httpx  # imported only if there is a server to ask

    try:
        address = f"{url.rstrip('/')}/health"
        return httpx.get(address, timeout=_TIMEOUT_SECONDS, trust_env=False).is_success
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
