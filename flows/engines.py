"""Engines by name. One engine a process: its budget, its pace and its ledger are shared."""

from __future__ import annotations

import os
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from flows.settings import SettingsError
from schemas.tasks import Engine

if TYPE_CHECKING:
    from extractors.llm import Prices

ENGINES = ("rules", "openai")

#: Where answers of an LLM are kept; a path, or an address that SQLAlchemy knows.
LEDGER = "TRIPBED_LEDGER"
#: US dollars for a million tokens in and out.
PRICES = ("TRIPBED_PRICE_IN", "TRIPBED_PRICE_OUT")


@lru_cache(maxsize=2)
def engine_named(name: str) -> Engine:
    """The engine of this name. Raises SettingsError for an unknown one or one not set up."""
    if name == "rules":
        from extractors.rules import RulesEngine

        return RulesEngine()
    if name == "openai":
        return _openai()
    raise SettingsError(f"no engine is called {name!r}: there is {', '.join(ENGINES)}")


def engine_identity(name: str) -> str:
    """What of an engine its answers depend on; part of every shard's key. Holds no secret."""
    if name != "openai":
        return name
    from extractors.llm import OpenAIEngine

    engine = engine_named(name)
    assert isinstance(engine, OpenAIEngine)
    return str(engine.identity())


def _openai() -> Engine:
    from pydantic import ValidationError

    from extractors.llm import EngineStopped, Ledger, LLMSettings, OpenAIEngine

    ledger = os.environ.get(LEDGER, ".tripbed/ledger.sqlite")
    try:
        settings = LLMSettings()
        prices = _prices(local=settings.is_loopback)
        settings = settings.model_copy(update={"prices": prices})
        return OpenAIEngine(settings, Ledger(ledger))
    except EngineStopped as error:
        raise SettingsError(str(error)) from None
    except ValidationError as error:
        problem = error.errors()[0]
        raise SettingsError(
            f"the engine openai is not set up: {problem['loc']}: {problem['msg']}. Set "
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
    return Prices(usd_per_mtok_in=Decimal(dollars_in), usd_per_mtok_out=Decimal(dollars_out))
