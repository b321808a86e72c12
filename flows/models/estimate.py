"""``tripbed estimate``: requests, tokens and cost by task before anything is sent.

Tokens are counted on real documents with the tokenizer of OpenAI's models: a request is built as
it would be sent, and its answer is taken to be as long as what the rules read in its place.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path

from rich.console import Console
from rich.table import Table

from flows.errors import SettingsError
from flows.models.recorded import RECORDED_SHARING, recorded_costs
from flows.models.request_costs import Cost, Counted, costs_of, document_tasks
from flows.models.sharing import Sharing, measured
from flows.settings.environment import Settings
from flows.settings.profile import Profile, load_profile
from queries.tprag import strata

#: Most tokens a query: a tenth of what TP-RAG's construction took (section 1 and appendix A).
AIM_TOKENS = 42_000
#: What a cascade sends in the place of the tasks on documents: shown, and not in the sums.
_OF_A_CASCADE = "poi_review"


@dataclass(frozen=True)
class Line:
    """One task's share of a query: requests and tokens, with sharing and without any."""

    task: str
    requests: float
    tokens_in: float
    tokens_out: float
    alone: float


def plan(
    profile: Profile, sharing: Sharing, costs: dict[str, Cost], asked: Sequence[str]
) -> list[Line]:
    """What each task takes for one query of the family ``tprag``; ``asked`` are those of which a
    build asks a document."""
    wanted = profile.documents
    read = wanted.per_poi_search + wanted.per_route_search
    read += wanted.inquiries_per_query * wanted.per_inquiry
    places = min(profile.candidates.maximum_per_query, max(1, profile.candidates.per_query))
    routes = profile.trajectories.per_query
    contexts = 1 + sharing.tags_per_place
    times: dict[str, tuple[float, float]] = {
        # task: (times a query with sharing, times a query where every query did its own)
        **dict.fromkeys((*asked, _OF_A_CASCADE), (read / sharing.documents, read)),
        "poi_purification": (places / sharing.places, places),
        "context_tagging": (contexts * places / sharing.places, places),
        "attraction_classification": (places / sharing.places, places),
        "translation": (places / sharing.places, places),
        "trajectory_denoising": (routes / sharing.trajectories, routes),
        "query_writing": (1, 1),
        "sub_query_rewriting": (2 + wanted.inquiries_per_query / sharing.places,
                                2 + wanted.inquiries_per_query),
        "consistency_judgement": (1, 1),
        "popularity_ranking": (1 / max(1.0, sharing.places), 1),
    }  # fmt: skip
    lines = []
    for task, (shared, alone) in times.items():
        cost = costs[task]
        lines.append(
            Line(
                task, shared * cost.requests, shared * cost.tokens_in, shared * cost.tokens_out,
                alone * (cost.tokens_in + cost.tokens_out),
            )
        )  # fmt: skip
    return lines


def least_sharing(lines: Sequence[Line], asked: Sequence[str]) -> float | None:
    """By how many queries a document must be shared for the aim to hold; None where it cannot."""
    alone = sum(line.alone for line in lines if line.task in asked)
    others = sum(x.tokens_in + x.tokens_out for x in lines if x.task not in asked)
    return round(alone / (AIM_TOKENS - others), 1) if others < AIM_TOKENS else None


def estimate(
    profile_name: str, documents: Sequence[Path], snapshot: Path | None,
    price_in: Decimal | None, price_out: Decimal | None, settings: Settings, as_json: bool,
) -> None:  # fmt: skip
    """Print the estimate. Raises SettingsError or CorpusError."""
    profile = load_profile(profile_name)
    if "tprag" not in profile.families:
        raise SettingsError(f"the profile {profile.name} asks no model: it has no tprag queries")
    sharing = measured(snapshot) if snapshot else RECORDED_SHARING
    is_one = bool(settings.llm_one_request)
    asked = document_tasks(by_one_request=is_one)
    counted = (
        costs_of(documents, by_one_request=is_one)
        if documents
        else recorded_costs(by_one_request=is_one)
    )
    lines = plan(profile, sharing, counted.costs, asked)
    queries = _queries(profile)
    prices = _prices(price_in, price_out, settings)
    sent = [line for line in lines if line.task != _OF_A_CASCADE]
    total_in, total_out = sum(x.tokens_in for x in sent), sum(x.tokens_out for x in sent)
    alone = sum(line.alone for line in sent)
    cost = None if prices is None else (total_in * prices[0] + total_out * prices[1]) / 1e6
    found = {
        "profile": profile.name, "queries_a_city": queries, "sharing": asdict(sharing),
        "counted_on": counted.source, "documents": _documents(counted, lines, queries, asked[0]), "tasks": [asdict(line) for line in lines],
        "tokens_a_query": round(total_in + total_out), "tokens_a_query_unshared": round(alone), "aim": AIM_TOKENS,
        "least_document_sharing": least_sharing(sent, asked),
        "usd_a_query": None if cost is None else round(cost, 6),
    }  # fmt: skip
    if as_json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
        return
    _show(found, lines, queries, cost)


def _documents(
    counted: Counted, lines: Sequence[Line], queries: int, first: str
) -> dict[str, float]:
    """What a document takes, how many a city reads, and how far off the mean of these may be;
    ``first`` is the first task on a document."""
    cost = counted.costs[first]
    shared = next(line.requests for line in lines if line.task == first)
    read = max(1.0, queries * shared / max(cost.requests, 0.01))
    return {
        "tokens_mean": round(counted.documents.mean), "tokens_low": round(counted.documents.low),
        "tokens_high": round(counted.documents.high), "a_city": round(read),
        "margin": round(counted.documents.margin(read), 3),
    }  # fmt: skip


def _show(found: dict[str, object], lines: list[Line], queries: int, cost: float | None) -> None:
    table = Table("task", "requests a city", "tokens in a query", "out", "unshared",
                  title=f"{found['profile']}: {queries} queries a city")  # fmt: skip
    for line in lines:
        table.add_row(
            line.task, f"{line.requests * queries:.0f}", f"{line.tokens_in:.0f}",
            f"{line.tokens_out:.0f}", f"{line.alone:.0f}",
        )  # fmt: skip
    Console().print(table)
    sharing, documents = found["sharing"], found["documents"]
    assert isinstance(sharing, dict)
    assert isinstance(documents, dict)
    money = "unknown: give --price-in and --price-out" if cost is None else f"{cost:.4f} USD"
    sys.stdout.write(
        f"tokens a query: {found['tokens_a_query']} ({found['tokens_a_query_unshared']} without "
        f"any sharing)\ncost a query: {money}\n"
        f"shared ({sharing['source']}): a document by {sharing['documents']} queries, a place by "
        f"{sharing['places']}, a trajectory by {sharing['trajectories']}; "
        f"{sharing['places_per_context']} places a context, {sharing['tags_per_place']} contexts "
        f"a place\n{found['aim']} tokens a query hold while a document is shared by "
        f"{found['least_document_sharing']} queries or more\ncounted with o200k on {found['counted_on']}: "
        f"a document takes {documents['tokens_mean']} tokens, from {documents['tokens_low']} to "
        f"{documents['tokens_high']} (80 of 100)\nthe {documents['a_city']} documents of a city may "
        f"take {100 * documents['margin']:.0f} % more or less than these: name them with --documents\n"
    )


def _queries(profile: Profile) -> int:
    return len(strata(profile.queries.days, profile.queries.constraint_kinds))


def _prices(
    price_in: Decimal | None, price_out: Decimal | None, settings: Settings
) -> tuple[float, float] | None:
    """Dollars for a million tokens in and out: the options, else the settings'."""
    dollars_in = settings.price_in if price_in is None else price_in
    dollars_out = settings.price_out if price_out is None else price_out
    if dollars_in is None or dollars_out is None:
        return None
    return float(dollars_in), float(dollars_out)
