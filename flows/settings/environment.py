"""Defines a machine's settings: where services are, what they may cost, and every secret.

A command or a flow reads the settings from the environment once, when it begins, and passes them
on. No other code reads or writes the environment. Settings that decide what is built are in the
profile instead.
"""

from __future__ import annotations

import os
import re
from decimal import Decimal
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from flows.errors import SettingsError

Part = TypeVar("Part", bound=BaseModel)
#: Packages whose variables keep their own names, without the prefix of tripbed.
_FOREIGN = ("openai_", "prefect_")
#: Prefect's settings unless the user sets them: no telemetry, and enough time to start.
_QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
}


def variable_of(field: str) -> str:
    """Return the environment variable for a field, such as ``TRIPBED_LEDGER`` for ``ledger``."""
    name = field.upper()
    return name if field.startswith(_FOREIGN) else f"TRIPBED_{name}"


def _unset(what: str, words: str = "not set", **bounds: Any) -> Any:
    """Define an optional field; ``words`` describes what is used if the field is not set."""
    return Field(default=None, description=what, json_schema_extra={"unset": words}, **bounds)


class Settings(BaseSettings):
    """All settings of a machine; ``Settings.unset()`` leaves all of them unset."""

    model_config = SettingsConfigDict(
        alias_generator=variable_of, env_ignore_empty=True, extra="ignore", frozen=True,
        hide_input_in_errors=True,
    )  # fmt: skip

    openai_base_url: str | None = _unset(
        "address of the API that the engine openai uses; any compatible endpoint works", "OpenAI's"
    )
    openai_model: str | None = _unset("name of the model that the engine openai uses")
    openai_api_key: SecretStr | None = _unset("key for the API that the engine openai uses")
    # The address of a database may contain its password.
    ledger: SecretStr | None = _unset(
        "file in which the models' answers are kept, or SQLAlchemy address of a PostgreSQL "
        "database that stores them",
        ".tripbed/ledger.sqlite",
    )
    price_in: Decimal | None = _unset(
        "price in US dollars per million input tokens",
        "0 for a server on this machine, otherwise required",
        ge=0,
    )
    price_out: Decimal | None = _unset(
        "price in US dollars per million output tokens",
        "0 for a server on this machine, otherwise required",
        ge=0,
    )
    budget_usd: Decimal | None = _unset("maximum cost of a run in US dollars", "no limit", ge=0)
    budget_tokens: int | None = _unset(
        "maximum number of tokens (input and output together) that a run may use", "no limit", ge=0
    )
    llm_concurrency: int | None = _unset(
        "maximum number of requests that may be sent to the model at the same time", "8", gt=0
    )
    llm_requests_per_minute: int | None = _unset(
        "maximum number of requests that may be sent to the model per minute", "no limit", gt=0
    )
    llm_tokens_per_minute: int | None = _unset(
        "maximum number of tokens (input and output together) that may be used per minute",
        "no limit",
        gt=0,
    )
    llm_max_tokens: int | None = _unset(
        "maximum number of tokens in an answer from the model; each time an answer is "
        "cut off, this maximum is doubled for the next attempt",
        "3000",
        gt=0,
    )
    llm_temperature: float | None = _unset("sampling temperature of the model", "0", ge=0, le=2)
    llm_read_timeout: float | None = _unset(
        "number of seconds to wait for an answer from the model", "300", gt=0
    )
    llm_answer_format: str | None = _unset(
        "format that the model's answers must have: json_schema, json_object or text",
        "json_schema",
    )
    llm_limit_name: str | None = _unset(
        "name of the endpoint's parameter that limits the length of an answer: "
        "max_tokens or max_completion_tokens",
        "max_tokens",
    )
    llm_strict_schema: bool | None = _unset(
        "whether to use OpenAI's strict mode for JSON schemas: true or false", "false"
    )
    llm_batch: bool | None = _unset(
        "if set to 1, the requests of a stage are sent in batches; endpoints that "
        "accept batches charge half the usual price for them",
        "requests are sent one by one",
    )
    llm_one_request: bool | None = _unset(
        "if set to 1, each document is read with one request instead of three, which "
        "halves the number of tokens; small models work better with three requests",
        "three requests",
    )
    searxng_url: str | None = _unset("address of your SearXNG instance")
    brave_key: SecretStr | None = _unset("key for Brave's search API")
    brave_url: str | None = _unset("address of Brave's search API", "Brave's")
    baidu_key: SecretStr | None = _unset("key for Baidu's AI search API")
    baidu_url: str | None = _unset("address of Baidu's search API", "Baidu's")
    mediawiki_url: str | None = _unset(
        "address of your own MediaWiki site",
        "the wikis (one per language) of the site in TRIPBED_MEDIAWIKI_SITE",
    )
    mediawiki_site: str | None = _unset(
        "site whose wikis (one per language) are searched", "wikivoyage.org"
    )
    allow_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description=(
            "hosts inside your own network, separated by commas, from which tripbed may fetch pages"
        ),
        json_schema_extra={"unset": "none"},
    )
    delay_s: float | None = _unset(
        "minimum time between two requests to the same host, in seconds", "1", ge=0
    )
    ca_file: str | None = _unset(
        "file with the certificates that tripbed trusts", "the system's certificates"
    )
    amap_key: SecretStr | None = _unset("key for Amap's geocoder")
    amap_secret: SecretStr | None = _unset(
        "secret for signing requests to Amap's geocoder, if your key requires signed requests"
    )
    baidu_map_key: SecretStr | None = _unset("key for Baidu's geocoder")
    baidu_map_secret: SecretStr | None = _unset(
        "secret for signing requests to Baidu's geocoder, if your key requires signed requests"
    )
    contact: str | None = _unset(
        "your e-mail address or the address of your web page; tripbed sends this contact to every "
        "server, and Nominatim requires a contact"
    )
    amap_url: str | None = _unset("address of Amap's geocoder", "Amap's")
    baidu_map_url: str | None = _unset("address of Baidu's geocoder", "Baidu's")
    nominatim_url: str | None = _unset("address of your own Nominatim server", "the public server")
    geocodes: str = Field(
        default=".tripbed/geocodes.sqlite",
        description="file in which builds store the geocoders' answers",
    )
    reviews: SecretStr | None = _unset(
        "SQLAlchemy address of the database in which reviewers' decisions are kept",
        "review_decisions.jsonl beside the snapshots",
    )
    overture_url: str | None = _unset(
        "address of Overture's S3 bucket, or of a copy on a server that lists files in the same "
        "format as S3",
        "Overture's",
    )
    overture_release: str | None = _unset(
        "release of Overture to use, such as 2026-10-21.0", "the newest release"
    )
    overpass_url: str | None = _unset(
        "address of an Overpass interpreter", "the public interpreter"
    )
    overpass_timeout_s: int | None = _unset(
        "maximum duration of a query to the Overpass interpreter, in seconds", "180", gt=0
    )
    gtfs_feed: str | None = _unset(
        "path or web address of a GTFS feed", "the feed that --from gtfs=FILE names"
    )
    gtfs_licence: str | None = _unset(
        "licence of the GTFS feed; feeds do not state their own licence", "unknown"
    )
    storage: str | None = _unset(
        "address of a storage service that several machines share, such as s3://bucket/folder",
        "the local workspace",
    )
    dask: str | None = _unset(
        "address of a Dask scheduler, or the number of workers to start",
        "this machine only; see --workers",
    )
    webhook_url: SecretStr | None = _unset(
        "web address to which tripbed reports the end of each flow run"
    )
    prefect_api_url: str | None = _unset(
        "address of the API of your Prefect server", "a server for this run only"
    )
    prefect_home: str | None = _unset(
        "folder in which Prefect keeps its own database", "~/.prefect"
    )

    @field_validator(
        "openai_base_url", "searxng_url", "brave_url", "baidu_url", "mediawiki_url", "amap_url",
        "baidu_map_url", "nominatim_url", "prefect_api_url", "webhook_url", "overture_url",
        "overpass_url",
    )  # fmt: skip
    @classmethod
    def _is_web_address(cls, value: SecretStr | str | None) -> SecretStr | str | None:
        """Check that a value is a web address.

        The message never shows the value, because the value may contain a key.
        """
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if text is not None and not is_web_address(text):
            raise ValueError("is not an address like http://HOST:PORT/PATH")
        return value

    @field_validator("dask")
    @classmethod
    def _is_scheduler(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"\d+|[a-z]+://[^\s/:]+:\d+/?", value):
            raise ValueError("is neither an address like tcp://HOST:8786 nor a number of workers")
        return value

    @field_validator("storage")
    @classmethod
    def _is_storage(cls, value: str | None) -> str | None:
        if value is not None and "://" not in value:
            raise ValueError(f"{value!r} is not a storage address like s3://bucket/folder")
        return value

    @field_validator("ca_file")
    @classmethod
    def _is_file(cls, value: str | None) -> str | None:
        if value is not None and not os.path.isfile(value):
            raise ValueError("is not the path of a file")
        return value

    @field_validator("allow_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    @classmethod
    def unset(cls, **given: Any) -> Settings:
        """Return settings with only the given fields set; the environment is not read."""
        made: Settings = cls.model_construct(**given)
        return made

    def with_budget(self, usd: float | None, tokens: int | None) -> Settings:
        """Return the settings, with the budget for one run if a budget is given."""
        given = {"budget_usd": None if usd is None else Decimal(str(usd)), "budget_tokens": tokens}
        return self.model_copy(update={k: v for k, v in given.items() if v is not None})

    def part(self, model: type[Part]) -> Part:
        """Return the settings that are fields of a pydantic model, as an instance of this model."""
        given = {name: getattr(self, name) for name in model.model_fields}
        return model.model_validate({k: v for k, v in given.items() if v is not None})

    def show(self) -> dict[str, str]:
        """Return every variable with its value as text; for a secret, show only whether it is
        set."""
        return {variable_of(name): self._show(name) for name in type(self).model_fields}

    def _show(self, name: str) -> str:
        value = getattr(self, name)
        if value is None or value == ():
            return unset_words(name)
        if isinstance(value, SecretStr):
            return "set, not shown"
        return " ".join(value) if isinstance(value, tuple) else str(value)


#: The settings that a caller passes on if it has no settings of a machine.
NO_SETTINGS = Settings.unset()


def is_web_address(text: str) -> bool:
    """Check whether a text is an HTTP address with a host and, if it has one, a valid port."""
    try:
        parts = urlsplit(text.strip())
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def unset_words(field: str) -> str:
    """Describe in words what is used if a field is not set."""
    info = Settings.model_fields[field]
    extra = info.json_schema_extra
    return str(extra["unset"] if isinstance(extra, dict) else info.default)


def load_settings() -> Settings:
    """Read this process's settings from its environment.

    Commands, flows and hooks call this function once, when they begin. Raises SettingsError, which
    names every variable that is wrong.
    """
    try:
        return Settings()
    except ValidationError as error:
        wrong = sorted(
            f"{problem['loc'][0]}: {problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors(include_input=False)
        )
        raise SettingsError("; ".join(wrong)) from None


def quiet_prefect() -> None:
    """Turn off Prefect's telemetry and all messages except errors, before Prefect is imported."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)


def limit_polars(threads: int) -> None:
    """Set the number of polars threads before polars is imported, unless the user has set it."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
