"""Translates names of places into English, with an engine that knows what places are called.

Names are asked for in batches that stay: a new name changes one batch, and the ledger still holds
the answers for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from extractors.ask_all import ask_all
from extractors.batches import cut_batches
from extractors.tasks import Translation
from extractors.tasks.name_tasks import TranslationRequest, Translations
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
    for request, answer in zip(requests, ask_all(engine, Translation(), requests), strict=True):
        if isinstance(answer, Unanswered):
            found.unanswered |= dict.fromkeys(request.texts, answer.reason)
        else:
            found.known |= _english(answer.output)
    return found


def _requests(city: str, names: Iterable[str]) -> Iterator[TranslationRequest]:
    for batch in cut_batches(sorted(set(names)), str, MOST_NAMES, MEAN_NAMES):
        yield TranslationRequest(source="zh", city=city, texts=batch)


def _english(output: Translations) -> dict[str, str | None]:
    """English by Chinese name."""
    return {
        part.text: part.translation if part.origin in ("known", "translated") else None
        for part in output.texts
    }
