"""The environment variables that tripbed reads: what belongs to a machine, and every secret.

What belongs to a snapshot stands in its profile instead, since it decides what is built.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """One variable; ``default`` in words, with its unit. A secret is never printed."""

    name: str
    what: str
    default: str = "not set"
    secret: bool = False

    def shown(self) -> str:
        """Its value for people: of a secret only that it is set."""
        value = os.environ.get(self.name)
        if not value:
            return self.default
        return "set, not shown" if self.secret else value


VARIABLES: tuple[Variable, ...] = (
    Variable("OPENAI_BASE_URL", "API of the engine openai; any endpoint of that kind", "OpenAI's"),
    Variable("OPENAI_MODEL", "model of the engine openai"),
    Variable("OPENAI_API_KEY", "key of that endpoint", secret=True),
    Variable("TRIPBED_LEDGER", "where answers are kept: a file, or an SQLAlchemy address of PostgreSQL", ".tripbed/ledger.sqlite", secret=True),
    Variable("TRIPBED_PRICE_IN", "US dollars for a million tokens in", "0 on this machine, else asked for"),
    Variable("TRIPBED_PRICE_OUT", "US dollars for a million tokens out", "0 on this machine, else asked for"),
    Variable("TRIPBED_BUDGET_USD", "US dollars that a run may cost", "no limit"),
    Variable("TRIPBED_BUDGET_TOKENS", "tokens, in and out, that a run may use", "no limit"),
    Variable("TRIPBED_LLM_CONCURRENCY", "requests in flight", "8"),
    Variable("TRIPBED_LLM_REQUESTS_PER_MINUTE", "requests a minute", "no limit of ours"),
    Variable("TRIPBED_LLM_TOKENS_PER_MINUTE", "tokens a minute", "no limit of ours"),
    Variable("TRIPBED_LLM_MAX_TOKENS", "tokens of one answer; doubled when it was cut", "3000"),
    Variable("TRIPBED_LLM_TEMPERATURE", "sampling temperature", "0"),
    Variable("TRIPBED_LLM_READ_TIMEOUT", "seconds until an answer must be there", "300"),
    Variable("TRIPBED_LLM_ANSWER_FORMAT", "json_schema, json_object or text", "json_schema"),
    Variable("TRIPBED_LLM_LIMIT_NAME", "how the endpoint calls the limit of an answer: max_tokens or max_completion_tokens", "max_tokens"),
    Variable("TRIPBED_LLM_STRICT_SCHEMA", "OpenAI's strict mode: true or false", "false"),
    Variable("TRIPBED_LLM_BATCH", "send the requests of a stage as batches, for half the price where an endpoint has them: 1", "one by one"),
    Variable("TRIPBED_SEARXNG_URL", "address of your SearXNG instance"),
    Variable("TRIPBED_BRAVE_KEY", "key of Brave's search API", secret=True),
    Variable("TRIPBED_BAIDU_KEY", "key of Baidu's AI search API", secret=True),
    Variable("TRIPBED_AMAP_KEY", "key of Amap's geocoder", secret=True),
    Variable("TRIPBED_AMAP_SECRET", "secret that signs requests to it, where the key asks for one", secret=True),
    Variable("TRIPBED_BAIDU_MAP_KEY", "key of Baidu's geocoder", secret=True),
    Variable("TRIPBED_BAIDU_MAP_SECRET", "secret that signs requests to it, where the key asks for one", secret=True),
    Variable("TRIPBED_CONTACT", "your address, which Nominatim asks for"),
    Variable("TRIPBED_AMAP_URL", "address under which Amap's geocoder is reached", "Amap's"),
    Variable("TRIPBED_BAIDU_MAP_URL", "address under which Baidu's geocoder is reached", "Baidu's"),
    Variable("TRIPBED_NOMINATIM_URL", "address of your own Nominatim", "the public one"),
    Variable("TRIPBED_GEOCODES", "file in which a build keeps the answers of geocoders", ".tripbed/geocodes.sqlite"),
    Variable("TRIPBED_REVIEWS", "SQLAlchemy address of a database of reviewers' decisions", "review_decisions.jsonl beside the snapshots", secret=True),
    Variable("TRIPBED_STORAGE", "address of storage that machines share, such as s3://bucket/folder", "the local workspace"),
    Variable("TRIPBED_DASK", "address of a Dask scheduler, or a number of workers to start", "threads of this process"),
    Variable("TRIPBED_WEBHOOK_URL", "address that is told how a flow run ended", secret=True),
    Variable("PREFECT_API_URL", "API of your Prefect server", "a server for the run alone"),
    Variable("PREFECT_HOME", "where Prefect keeps its own database", "~/.prefect"),
)  # fmt: skip
