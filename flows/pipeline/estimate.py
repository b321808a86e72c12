"""Estimates the requests, tokens and cost of each task, for the command ``tripbed estimate``.

The estimate runs the build in a scratch folder, up to the last stage that uses a model. The engine
of this build counts each request instead of sending it, and answers the request by rules. As in a
real build, answers that are already in the ledger cost nothing.
"""

from __future__ import annotations

import sys
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import SecretStr
from rich.console import Console
from rich.table import Table

from extractors.llm import Ledger
from extractors.llm.accounts import Figures
from extractors.read import TASK_NAMES
from flows.console import build_progress, print_json
from flows.errors import SettingsError
from flows.models.counting import CountingEngine
from flows.models.engines import counting, ledger_place, model_settings
from flows.pipeline.graph import DirectExecutor, shard_total, submit_all
from flows.pipeline.request import BuildRequest
from flows.pipeline.run import list_documents
from flows.pipeline.shards import Workspace
from flows.pipeline.stages.base import Inputs
from flows.queries.reword import rewrite
from flows.settings.environment import Settings
from flows.settings.profile import GeocodingSettings
from schemas.nouns import count_noun
from sources.web.providers.base import Answers

#: The most tokens that all tasks together may use per query. Building TP-RAG took about 426,000
#: (section 1, appendix A).
AIM_TOKENS = 10_000
#: The last stage that may ask a model.
_LAST = "tagging"
#: Tasks whose requests depend on documents alone: more documents mean more requests, but more
#: queries do not.
_OF_DOCUMENTS = TASK_NAMES | {"poi_review", "consistency_judgement", "link_review"}


@dataclass(frozen=True)
class Estimate:
    """The requests that a build would send to models, by task, and how many queries share a
    document.

    ``pairs`` counts each document once for every query that uses it. ``used`` is the number of
    different documents in ``pairs``.
    """

    tasks: Mapping[str, Figures]
    queries: int
    documents: int
    pairs: int
    used: int

    @property
    def tokens(self) -> int:
        """Add up all tokens, input and output."""
        return sum(f.tokens_in + f.tokens_out for f in self.tasks.values())

    @property
    def sharing(self) -> float:
        """Compute how many queries use a document on average."""
        return self.pairs / max(1, self.used)

    @property
    def tokens_a_document(self) -> float:
        """Compute the average number of tokens needed to read one document."""
        mine = [f for task, f in self.tasks.items() if task in _OF_DOCUMENTS]
        return sum(f.tokens_in + f.tokens_out for f in mine) / max(1, self.documents)

    def tokens_a_query(self, sharing: float) -> float:
        """Compute how many tokens a query would need if each document were used by ``sharing``
        queries.
        """
        fixed = self.tokens - self.tokens_a_document * self.documents
        read = self.pairs / max(1, self.queries) / sharing
        return fixed / max(1, self.queries) + read * self.tokens_a_document

    def least_sharing(self) -> float | None:
        """Return how many queries must share a document to meet the target, or None if no number is
        enough.
        """
        read = self.pairs / max(1, self.queries) * self.tokens_a_document
        fixed = self.tokens_a_query(1.0) - read
        return round(read / (AIM_TOKENS - fixed), 1) if fixed < AIM_TOKENS else None


def estimate(
    request: BuildRequest, price_in: Decimal | None, price_out: Decimal | None, as_json: bool,
    *, searches: bool = False,
) -> None:  # fmt: skip
    """Print the estimate; ``searches`` shows whether the build searches the web for documents.

    Raises SettingsError if the settings do not allow an estimate, and CorpusError if the documents
    cannot be read.
    """
    if request.engine == "rules":
        raise SettingsError(
            "--engine rules does not use a model: choose --engine openai or cascade"
        )
    is_priced = None not in (
        request.settings.price_in if price_in is None else price_in,
        request.settings.price_out if price_out is None else price_out,
    )
    inputs = replace(request, settings=_set_prices(request.settings, price_in, price_out)).inputs()
    with build_progress(shard_total(inputs, _LAST), quiet=as_json) as done:
        found = estimate_requests(inputs, request.settings, done, searches=searches)
    facts = _facts(request, found, is_priced=is_priced)
    if as_json:
        print_json(facts)
    else:
        _show(facts, found, is_priced=is_priced)


def estimate_requests(
    inputs: Inputs, settings: Settings, done: Any = lambda ref: None, *, searches: bool = False
) -> Estimate:
    """Estimate the requests that a build from the given inputs would send; ``settings`` names the
    build's ledger.
    """
    run_id = f"estimate-{uuid.uuid4().hex}"
    profile = inputs.profile.model_copy(update={"geocoding": GeocodingSettings()})
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        # Every stage gets this scratch ledger, so no stage writes to the ledger that is paid for.
        own = inputs.settings.model_copy(update={"ledger": SecretStr(str(folder / "none.sqlite"))})
        inputs = replace(inputs, profile=profile, settings=own, run_id=run_id)
        engine = CountingEngine(
            model_settings(own), Ledger(folder / "counted.sqlite"), _open_held(settings)
        )
        workspace = Workspace(folder / "workspace")
        workspace.prepare()
        executor = DirectExecutor(workspace, done)
        with counting(run_id, engine):
            submit_all(executor, inputs, list_documents(inputs), last=_LAST)
            if searches:
                _rewrite(executor, inputs, Answers(folder / "answers"))
        return _sum_tasks(executor, {task: tally.spent for task, tally in engine.tallies.items()})


def _rewrite(executor: DirectExecutor, inputs: Inputs, answers: Answers) -> None:
    """Ask the engine for sub-queries, as the stage ``sub_queries`` does in builds that search the
    web.
    """
    cities = {city.slug: city for city in inputs.cities}
    for ref in executor.finish():
        if ref.stage == "queries":
            rows = executor.workspace.load(ref)["queries"].filter(pl.col("family") == "tprag")
            rewrite(rows.to_dicts(), cities[ref.shard], inputs.engine, inputs.settings, answers,
                    offline=False, run_id=inputs.run_id)  # fmt: skip


def _sum_tasks(executor: DirectExecutor, tasks: Mapping[str, Figures]) -> Estimate:
    queries = documents = 0
    used = []
    for ref in executor.finish():
        queries += ref.rows["queries"] if ref.stage == "queries" else 0
        documents += ref.rows["meta"] if ref.stage == "corpus" else 0
        if ref.stage in ("retrieve", "answers"):
            used.append(
                executor.workspace.load(ref)["query_documents"]
                .select("query_id", "doc_id")
                .unique()
            )
    pairs = pl.concat(used).unique()
    return Estimate(tasks, queries, documents, pairs.height, pairs["doc_id"].n_unique())


def _open_held(settings: Settings) -> Ledger | None:
    """Open the ledger that the build would use; return None if there is no ledger yet."""
    place = ledger_place(settings)
    return Ledger(place) if "://" in place or Path(place).is_file() else None


def _set_prices(
    settings: Settings, price_in: Decimal | None, price_out: Decimal | None
) -> Settings:
    """Complete the settings so that requests can be prepared.

    If the model's name or price is not set, the name is empty and the price is zero.
    """
    taken = settings.price_in if price_in is None else price_in
    gave = settings.price_out if price_out is None else price_out
    given = {
        "openai_model": settings.openai_model or "unnamed",
        "openai_api_key": settings.openai_api_key or SecretStr("none"),
        "price_in": taken if taken is not None else Decimal(0),
        "price_out": gave if gave is not None else Decimal(0),
        "budget_usd": None,
        "budget_tokens": None,
    }
    return settings.model_copy(update=given)


def _facts(request: BuildRequest, found: Estimate, *, is_priced: bool) -> dict[str, Any]:
    total = sum(found.tasks.values(), Figures())
    usd = total.micro_usd / 1e6 if is_priced else None
    queries = max(1, found.queries)
    return {
        "profile": request.profile, "engine": request.engine, "queries": found.queries,
        "documents": found.documents,
        "tasks": [{"task": task, **asdict(figures)} for task, figures in found.tasks.items()],
        **asdict(total), "micro_usd": total.micro_usd if is_priced else None,
        "tokens_a_query": round(found.tokens / queries),
        "tokens_a_query_unshared": round(found.tokens_a_query(1.0)), "aim": AIM_TOKENS,
        "tokens_a_document": round(found.tokens_a_document),
        "document_sharing": round(found.sharing, 2),
        "least_document_sharing": found.least_sharing(),
        "usd": usd, "usd_a_query": None if usd is None else round(usd / queries, 6),
    }  # fmt: skip


def _show(facts: dict[str, Any], found: Estimate, *, is_priced: bool) -> None:
    table = Table("task", "requests", "tokens in", "out", "tokens per query", "USD",
                  title=f"{facts['profile']}: {count_noun(found.queries, 'query')}, "
                        f"{count_noun(found.documents, 'document')}")  # fmt: skip
    for task, f in found.tasks.items():
        usd = f"{f.micro_usd / 1e6:.4f}" if is_priced else ""
        a_query = (f.tokens_in + f.tokens_out) / max(1, found.queries)
        table.add_row(task, f"{f.requests:,}", f"{f.tokens_in:,}", f"{f.tokens_out:,}",
                      f"{a_query:.0f}", usd)  # fmt: skip
    Console().print(table)
    money = "unknown: give --price-in and --price-out"
    if is_priced:
        money = f"{facts['usd']:.4f} USD, {facts['usd_a_query']:.6f} per query"
    least = facts["least_document_sharing"]
    holds = (
        f"if {least} or more queries share each document"
        if least
        else "even if no two queries share a document"
    )
    sys.stdout.write(
        f"tokens per query: {facts['tokens_a_query']} ({facts['tokens_a_query_unshared']} if no two"
        f" queries shared a document)\ncost: {money}\non average, {facts['document_sharing']}"
        f" queries use the same document, and reading a document takes {facts['tokens_a_document']}"
        f" tokens\n{AIM_TOKENS} tokens per query are enough {holds}\n"
    )
