"""``tripbed queries standard``: what seed queries are made of, by rules and, if asked, by a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from extractors.tasks.query_tasks import QueryStandard, SeedQueries
from flows.errors import SettingsError
from flows.models.engines import engine_named
from flows.queries.files import read_lines
from flows.settings.environment import Settings
from flows.settings.profile import load_profile
from queries.drawing import sample
from queries.standard import Induced, induce
from queries.tprag import strata
from schemas.tasks import Engine, Unanswered

#: Seeds that a model is shown at most.
SEEDS_SHOWN = 100


def standard_of(path: Path, profile: str, engine: str, settings: Settings) -> dict[str, Any]:
    """Elements, their words and the patterns of the seeds, and what of a profile's plan they lack.

    An engine other than the rules adds ``by_engine``: its elements, each word of which stands in a
    seed. Raises SettingsError for files without a query.
    """
    if not path.exists():
        raise SettingsError(f"{path}: no such file or folder")
    seeds = [text for _, text in read_lines(path)]
    if not seeds:
        raise SettingsError(f"{path}: no seed query: give a text file with one query a line")
    asked = load_profile(profile).queries
    induced = induce(seeds)
    facts = {**induced.facts(), "unmet": induced.unmet(strata(asked.days, asked.constraint_kinds))}
    return (
        facts
        if engine == "rules"
        else {**facts, **_by_engine(induced, engine_named(engine, settings))}
    )


def _by_engine(induced: Induced, engine: Engine) -> dict[str, Any]:
    texts = [*(reading.text for reading in induced.readings), *induced.unread]
    shown = tuple(sample(texts, SEEDS_SHOWN, "seeds"))
    try:
        answer = engine.run(QueryStandard(), SeedQueries(queries=shown))
    except Unanswered as failed:
        return {"by_engine": None, "reason": failed.reason}
    elements = [{"name": e.name, "words": list(e.words)} for e in answer.output.elements]
    return {"by_engine": elements, "ungrounded_words": len(answer.ungrounded)}
