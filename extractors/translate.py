"""Translates names of places into English, using an engine that knows the places' common English
names.

A new name changes only one batch, so the ledger can still supply the answers for all other batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from extractors.ask_all import ask_all
from extractors.batches import cut_batches
from extractors.tasks import Translation
from extractors.tasks.name_tasks import TranslationRequest, Translations
from schemas.tasks import Engine, Unanswered

#: Names in one request: at most so many, and about so many on average.
MOST_NAMES, MEAN_NAMES = 60, 30


@dataclass
class EnglishNames:
    """The English name for each Chinese name (None if unknown), and the reason for each name
    without an answer.
    """

    known: dict[str, str | None] = field(default_factory=dict)
    unanswered: dict[str, str] = field(default_factory=dict)


def translate_names(engine: Engine, city: str, names: Iterable[str]) -> EnglishNames:
    """Return English names for the places in a city; several requests may be sent at once."""
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
    """Return the English name for each Chinese name."""
    return {
        part.text: part.translation if part.origin in ("known", "translated") else None
        for part in output.texts
    }
