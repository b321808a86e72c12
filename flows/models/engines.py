"""Engines by name. One engine a process: its budget, its pace and its ledger are shared."""

from __future__ import annotations

import os
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING

from flows.errors import SettingsError
from schemas.tasks import Engine

if TYPE_CHECKING:
    from extractors.llm import Prices

ENGINES = ("rules", "openai", "cascade")

#: Where answers of an LLM are kept; a path, or an address that SQLAlchemy knows.
LEDGER = "TRIPBED_LEDGER"
#: US dollars for a million tokens in and out.
PRICES = ("TRIPBED_PRICE_IN", "TRIPBED_PRICE_OUT")
#: Further settings of the model engine, by the variable that holds each.
SETTINGS = {
    "TRIPBED_LLM_ANSWER_FORMAT": "answer_format",
    "TRIPBED_LLM_STRICT_SCHEMA": "strict_schema",
    "TRIPBED_LLM_TEMPERATURE": "temperature",
    "TRIPBED_LLM_MAX_TOKENS": "max_tokens",
    "TRIPBED_LLM_LIMIT_NAME": "limit_name",
    "TRIPBED_LLM_REQUESTS_PER_MINUTE": "requests_per_minute",
    "TRIPBED_LLM_TOKENS_PER_MINUTE": "tokens_per_minute",
    "TRIPBED_LLM_CONCURRENCY": "concurrency",
    "TRIPBED_LLM_READ_TIMEOUT": "read_timeout_s",
    "TRIPBED_LLM_BATCH": "batch",
    "TRIPBED_BUDGET_USD": "budget_usd",
    "TRIPBED_BUDGET_TOKENS": "budget_tokens",
}


@lru_cache(maxsize=4)
def engine_named(name: str) -> Engine:
    """The engine of this name. Raises SettingsError for an unknown one or one not set up."""
    if name == "rules":
        from extractors.rules import RulesEngine

        return RulesEngine()
    if name == "openai":
        return _openai()
    if name == "cascade":
        from extractors.cascade import CascadeEngine
        from extractors.rules import RulesEngine

        return CascadeEngine(RulesEngine(), engine_named("openai"))
    raise SettingsError(f"no engine is called {name!r}: there is {', '.join(ENGINES)}")


def engine_identity(name: str) -> str:
    """What of an engine its answers depend on; part of every shard's key. Holds no secret."""
    if name == "rules":
        return name
    from extractors.llm import OpenAIEngine

    engine = engine_named("openai")
    assert isinstance(engine, OpenAIEngine)
    return str(engine.identity()) if name == "openai" else f"{name} {engine.identity()}"


def spent(name: str) -> tuple[int, int]:
    """Tokens and micro-USD that this process has paid for since it started; rules are free."""
    if name == "rules":
        return 0, 0
    from extractors.llm import OpenAIEngine

    engine = engine_named("openai")
    assert isinstance(engine, OpenAIEngine)
    return engine.spent


def ledger_place() -> str:
    """Where the ledger is: a path, or an address that SQLAlchemy knows."""
    return os.environ.get(LEDGER) or ".tripbed/ledger.sqlite"


def _openai() -> Engine:
    from pydantic import ValidationError

    from extractors.llm import EngineStopped, Ledger, LLMSettings, OpenAIEngine

    chosen = {field: os.environ[name] for name, field in SETTINGS.items() if os.environ.get(name)}
    try:
        settings = LLMSettings.model_validate(chosen)
        prices = _prices(local=settings.is_loopback)
        settings = settings.model_copy(update={"prices": prices})
        return OpenAIEngine(settings, Ledger(ledger_place()))
    except EngineStopped as error:
        raise SettingsError(str(error)) from None
    except ValidationError as error:
        problem = error.errors()[0]
        fields = {field: name for name, field in SETTINGS.items()}
        where = str(problem["loc"][0]) if problem["loc"] else "settings"
        raise SettingsError(
            f"the engine openai is not set up: {fields.get(where, where)}: {problem['msg']}. Set "
            "OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY"
        ) from None


def _prices(*, local: bool) -> Prices:
    from extractors.llm import Prices

    free = "0" if local else None
    dollars_in, dollars_out = (os.environ.get(name, free) for name in PRICES)
    if dollars_in is None or dollars_out is None:
        raise SettingsError(
            f"the price of the model is unknown: set {PRICES[0]} and {PRICES[1]} to US dollars "
            "for a million tokens"
        )
    try:
        return Prices(usd_per_mtok_in=Decimal(dollars_in), usd_per_mtok_out=Decimal(dollars_out))
    except (InvalidOperation, ValueError):
        raise SettingsError(f"{PRICES[0]} and {PRICES[1]} must be numbers of 0 or more") from None
