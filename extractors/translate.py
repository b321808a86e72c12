"""Translates names of places into English, with an engine that knows what places are called.

Names are asked for in batches that stay: a new name changes one batch, and the ledger still holds
the answers for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from extractors.batches import cut_batches
from extractors.tasks import Translation
from extractors.tasks.name_tasks import TranslationRequest
from schemas.tasks import Engine, Unanswered

#: Names of one request: at most so many, and about so many in the mean.
MOST_NAMES, MEAN_NAMES = 60, 30


@dataclass
class EnglishNames:
    """English names by Chinese name, None where the engine knows none; and names without an answer,
    each with the reason."""

    known: dict[str, str | None] = field(default_factory=dict)
    unanswered: dict[str, str] = field(default_factory=dict)


def translate_names(engine: Engine, city: str, names: Iterable[str]) -> EnglishNames:
    """What places of a city are called in English; an engine that can is asked several at once."""
    found = EnglishNames()
    requests = list(_requests(city, names))
    workers = max(1, int(getattr(engine, "concurrency", 1)))
    with ThreadPoolExecutor(workers, thread_name_prefix="translating") as pool:
        answers = pool.map(lambda request: _answer(engine, request), requests)
        for request, answer in zip(requests, answers, strict=True):
            if isinstance(answer, str):
                found.unanswered |= dict.fromkeys(request.texts, answer)
            else:
                found.known |= answer
    return found


def _requests(city: str, names: Iterable[str]) -> Iterator[TranslationRequest]:
    for batch in cut_batches(sorted(set(names)), str, MOST_NAMES, MEAN_NAMES):
        yield TranslationRequest(source="zh", city=city, texts=batch)


def _answer(engine: Engine, request: TranslationRequest) -> dict[str, str | None] | str:
    """English by Chinese name, or why there is no answer."""
    try:
        output = engine.run(Translation(), request).output
    except Unanswered as error:
        return error.reason
    return {
        part.text: part.translation if part.origin in ("known", "translated") else None
        for part in output.texts
    }
