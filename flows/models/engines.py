"""Engines by name, one per run and process.

The threads of a process share the pace of an engine. All processes that work for the run share its
budget, through the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from flows.errors import SettingsError
from flows.settings.checks import check_engine, model_prices
from flows.settings.environment import Settings, variable_of
from schemas.tasks import Engine

if TYPE_CHECKING:
    from extractors.llm import LLMSettings
    from extractors.llm.accounts import TaskTally
    from extractors.rules import RulesEngine

#: Where answers of an LLM are kept without another word.
LEDGER = ".tripbed/ledger.sqlite"
#: Fields of the model engine's settings by ours.
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


#: Engines that stand in for the model in a run: an estimate's, by the run's id.
_COUNTING: dict[str, Engine] = {}


@contextmanager
def counting(run_id: str, engine: Engine) -> Iterator[None]:
    """Let an engine that sends nothing stand in for the model in one run, in this process."""
    _COUNTING[run_id] = engine
    try:
        yield
    finally:
        del _COUNTING[run_id]


@lru_cache(maxsize=4)
def engine_named(name: str, settings: Settings, run_id: str | None = None) -> Engine:
    """The engine of this name. Raises SettingsError for an unknown one or one not set up.

    What it spends counts for the run; without one, this process is a run of its own.
    """
    check_engine(name)
    if name == "rules":
        return _rules()
    if name == "openai":
        return _COUNTING.get(run_id or "") or _openai(settings, run_id)
    # As above, and the client of OpenAI.
    from extractors.cascade import CascadeEngine

    return CascadeEngine(_rules(), engine_named("openai", settings, run_id))


def model_of(name: str) -> str | None:
    """The engine that asks the model of an engine, for tasks that no rule carries out; None of
    rules.
    """
    return None if name == "rules" else "openai"


def engine_identity(name: str, settings: Settings) -> str:
    """What of an engine its answers depend on; part of every shard's key. Holds no secret."""
    if name == "rules":
        return name
    identity = str(_model(settings).identity())
    return identity if name == "openai" else f"{name} {identity}"


def read_spent(name: str, settings: Settings, run_id: str | None = None) -> tuple[int, int]:
    """Tokens and micro-USD that this process has paid for in a run so far; rules are free."""
    if name == "rules":
        return 0, 0
    paid: tuple[int, int] = _model(settings, run_id).spent
    return paid


def tallies(name: str, settings: Settings, run_id: str | None) -> Mapping[str, TaskTally]:
    """What a run was expected to take of the model and took, by task; rules take nothing."""
    if name == "rules":
        return {}
    found: Mapping[str, TaskTally] = _model(settings, run_id).tallies
    return found


def count_failed(name: str, settings: Settings, run_id: str | None = None) -> int:
    """Answers of the model that the ledger counts as failed, of all runs; rules have none."""
    return 0 if name == "rules" else int(_model(settings, run_id).failed_answers)


def ledger_place(settings: Settings) -> str:
    """Where the ledger is: a path, or an address that SQLAlchemy knows."""
    return settings.ledger.get_secret_value() if settings.ledger else LEDGER


def _model(settings: Settings, run_id: str | None = None) -> Any:
    """The engine ``openai``, whose class takes a second to import."""
    return engine_named("openai", settings, run_id)


@lru_cache(maxsize=1)
def _rules() -> RulesEngine:
    """The engine ``rules``."""
    # Its word lists take half a second to load.
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
    """The settings of the model, with its prices. Raises SettingsError for what is wrong."""
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
