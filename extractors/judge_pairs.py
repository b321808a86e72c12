"""Asks a model how the two names in each pair are related, with several pairs per request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from extractors.ask_all import ask_all
from extractors.batches import cut_batches
from extractors.tasks import PairJudgement
from extractors.tasks.pair_judgement import NamedPair, NamedPairs, PairAnswer
from schemas.tasks import Engine, Unanswered

#: Pairs in one request: at most so many, and about so many on average.
MOST_PAIRS, MEAN_PAIRS = 30, 20


@dataclass
class JudgedPairs:
    """The judgements on pairs, and the reasons why the other pairs have no judgement."""

    known: dict[NamedPair, PairAnswer] = field(default_factory=dict)
    unanswered: dict[NamedPair, str] = field(default_factory=dict)
    requests: int = 0


def judge_pairs(engine: Engine, pairs: Iterable[NamedPair]) -> JudgedPairs:
    """Return the engine's judgement on each pair; several requests are sent at once if the engine
    allows it.
    """
    ordered = sorted(set(pairs), key=_key)
    requests = [NamedPairs(pairs=b) for b in cut_batches(ordered, _key, MOST_PAIRS, MEAN_PAIRS)]
    found = JudgedPairs(requests=len(requests))
    for request, answer in zip(requests, ask_all(engine, PairJudgement(), requests), strict=True):
        if isinstance(answer, Unanswered):
            found.unanswered |= dict.fromkeys(request.pairs, answer.reason)
            continue
        told = {one.number: one for one in answer.output.pairs}
        for number, pair in enumerate(request.pairs, 1):
            if number in told:
                found.known[pair] = told[number]
            else:
                found.unanswered[pair] = "left out"
    return found


def _key(pair: NamedPair) -> str:
    return pair.model_dump_json()
