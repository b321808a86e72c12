"""Find engines by name. Each process uses one engine per run.

The threads of a process share the engine's limits on requests per minute. All processes of a run
share its budget through the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from flows.errors import SettingsError
from flows.settings.checks import check_engine, model_prices
from flows.settings.environment import Settings, variable_of
from schemas.tasks import Engine

if TYPE_CHECKING:
    from extractors.llm import LLMSettings, OpenAIEngine
    from extractors.llm.accounts import TaskTally
    from extractors.rules import RulesEngine

#: The ledger's path if the settings name no other.
LEDGER = ".tripbed/ledger.sqlite"
#: Names of our settings, with the name of each one in the settings of the engine ``openai``.
_FIELDS = {
    "openai_base_url": "base_url",
    "openai_model": "model",
    "openai_api_key": "api_key",
    "llm_answer_format": "answer_format",
    "llm_strict_schema": "strict_schema",
    "llm_temperature": "temperature",
    "llm_max_tokens": "max_tokens",
    "llm_limit_name": "limit_name",
    "llm_requests_per_minute": "requests_per_minute",
    "llm_tokens_per_minute": "tokens_per_minute",
    "llm_concurrency": "concurrency",
    "llm_read_timeout": "read_timeout_s",
    "llm_batch": "batch",
    "budget_usd": "budget_usd",
    "budget_tokens": "budget_tokens",
}


#: Engines that replace the model in an estimate, by the run's id.
_COUNTING: dict[str, Engine] = {}


@contextmanager
def counting(run_id: str, engine: Engine) -> Iterator[None]:
    """For one run of this process, replace the model with an engine that sends no requests."""
    _COUNTING[run_id] = engine
    try:
        yield
    finally:
        del _COUNTING[run_id]


@lru_cache(maxsize=4)
def engine_named(name: str, settings: Settings, run_id: str | None = None) -> Engine:
    """Return the engine with this name. The engine's costs are charged to the run.

    If ``run_id`` is not given, this process counts as one run. Raises SettingsError if the engine
    is unknown or not set up.
    """
    check_engine(name)
    if name == "rules":
        return _rules()
    if name == "openai":
        return _COUNTING.get(run_id or "") or _openai(settings, run_id)
    # The client of OpenAI takes a second to import.
    from extractors.cascade import CascadeEngine

    return CascadeEngine(_rules(), engine_named("openai", settings, run_id))


def model_of(name: str) -> str | None:
    """Return the engine for tasks that only a model can do; return None for the engine
    ``rules``."""
    return None if name == "rules" else "openai"


def engine_identity(name: str, settings: Settings) -> str:
    """Return the settings that an engine's answers depend on, without secrets.

    The engine's settings are part of every shard's key.
    """
    if name == "rules":
        return name
    identity = str(_model(settings).identity())
    return identity if name == "openai" else f"{name} {identity}"


def read_spent(name: str, settings: Settings, run_id: str | None = None) -> tuple[int, int]:
    """Return the tokens and the micro-USD that this process has spent in a run so far."""
    return (0, 0) if name == "rules" else _model(settings, run_id).spent


def tallies(name: str, settings: Settings, run_id: str | None) -> Mapping[str, TaskTally]:
    """For each task in a run, return the expected and the actual requests, tokens and costs.

    The engine ``rules`` sends no requests.
    """
    return {} if name == "rules" else _model(settings, run_id).tallies


def count_failed(name: str, settings: Settings, run_id: str | None = None) -> int:
    """Count the model's failed answers in the ledger, for all runs."""
    return 0 if name == "rules" else _model(settings, run_id).failed_answers


def ledger_place(settings: Settings) -> str:
    """Return the ledger's path or its SQLAlchemy address."""
    return settings.ledger.get_secret_value() if settings.ledger else LEDGER


def _model(settings: Settings, run_id: str | None = None) -> OpenAIEngine:
    return cast("OpenAIEngine", engine_named("openai", settings, run_id))


@lru_cache(maxsize=1)
def _rules() -> RulesEngine:
    """Return the engine ``rules``."""
    # The word lists take half a second to load.
    from extractors.rules import RulesEngine

    return RulesEngine()


def _openai(settings: Settings, run_id: str | None) -> Engine:
    # The client of OpenAI takes a second to import.
    from extractors.llm import EngineStopped, Ledger
    from flows.models.counting import WatchedEngine

    try:
        return WatchedEngine(
            model_settings(settings), Ledger(ledger_place(settings)), run_id=run_id
        )
    except EngineStopped as error:
        raise SettingsError(str(error)) from None


def model_settings(settings: Settings) -> LLMSettings:
    """Return the settings for the model, with its prices. Raises SettingsError if a setting or a
    price is wrong.
    """
    # The client of OpenAI takes a second to import.
    from extractors.llm import LLMSettings
    from extractors.llm.money import TokenPrices

    given = {theirs: getattr(settings, ours) for ours, theirs in _FIELDS.items()}
    try:
        chosen = LLMSettings.model_validate({k: v for k, v in given.items() if v is not None})
        taken, gave = model_prices(settings)
        prices = TokenPrices(usd_per_mtok_in=taken, usd_per_mtok_out=gave)
        return chosen.model_copy(update={"prices": prices})
    except ValidationError as error:
        problem = error.errors()[0]
        variables = {theirs: variable_of(ours) for ours, theirs in _FIELDS.items()}
        where = str(problem["loc"][0]) if problem["loc"] else "settings"
        raise SettingsError(
            f"the engine openai is not set up: {variables.get(where, where)}: {problem['msg']}. "
            "Set OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY"
        ) from None
