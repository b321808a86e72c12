"""Weighs the evidence that a name in a Chinese document belongs to a sight that the author visits.

The rules use endings, lists and verbs. On new documents, the rules miss a third of the sights, and
a third of what they find is wrong. Therefore, a logistic model with general evidence judges the
rules' results and every other string that may be a name. The weights of the model were fitted to
documents that were not used when the rules were written (``python -m benchmarks.name_weights``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from extractors.rules.common.days import Days
from extractors.rules.common.grouping import Sight
from extractors.rules.common.lines import Hit, Line, hit_at
from extractors.rules.zh.candidates import NameCandidate, candidates
from extractors.rules.zh.evidence import Evidence, RulesPage, evidence
from extractors.text import fold
from schemas.reading import Route
from schemas.word_lists import Lists

_WEIGHTS = Lists("extractors.rules.zh").weights("name_weights")
_BIAS, _KEPT, _ADDED = (_WEIGHTS[name] for name in ("(bias)", "(kept)", "(added)"))


@dataclass(frozen=True)
class WeighedSights:
    """The positions of sights, and the sights that the rules missed."""

    sights: frozenset[tuple[int, int]]
    further: tuple[Hit, ...]


def judge(
    lines: Sequence[Line],
    days: Days,
    kind: str,
    places: Sequence[Sight],
    route: Route | None,
    none: frozenset[str],
) -> WeighedSights:
    """Weigh every name in a document; of two overlapping names, accept at most one.

    Names that come from a gazetteer or from a different reader are accepted without weighing. Names
    in ``none`` (folded), which a different reader rejected, are left out.
    """
    found, page = weighable(lines, days, kind, places, route)
    weighed = [(evidence(c, page), c) for c in found if fold(c.name) not in none]
    likely = sorted(
        (-score, c.name, c) for what, c in weighed
        if (score := odds(what)) >= bar(what)
    )  # fmt: skip
    given = [p for p in places if p.standard or "told" in p.sources]
    sights = {(hit.start, hit.end) for place in given for hit in place.hits}
    taken = {at for start, end in sights for at in range(start, end)}
    further: list[Hit] = []
    for _score, name, candidate in likely:
        free = [h for h in _hits(candidate, lines) if taken.isdisjoint(range(h.start, h.end))]
        taken.update(at for hit in free for at in range(hit.start, hit.end))
        sights.update((hit.start, hit.end) for hit in free)
        if name not in page.forms:
            further.extend(free)
    return WeighedSights(frozenset(sights), tuple(sorted(further, key=lambda h: (h.start, h.end))))


def weighable(
    lines: Sequence[Line], days: Days, kind: str, places: Sequence[Sight], route: Route | None
) -> tuple[list[NameCandidate], RulesPage]:
    """Return the candidates in a document and the evidence that they share."""
    known = [
        (hit.line, hit.start - lines[hit.line].start, hit.end - lines[hit.line].start)
        for place in places for hit in place.hits
    ]  # fmt: skip
    found = candidates(lines, known)
    stops = frozenset((v.span.start, v.span.end) for v in (route.visits if route else ()))
    return found, RulesPage.of(lines, days, kind, places, stops, found)


def bar(found: Evidence) -> float:
    """Return the log odds that a name must reach to be accepted.

    A name that the rules count only as a mention is never accepted.
    """
    if "active" in found:
        return _KEPT
    return math.inf if "by rules" in found else _ADDED


def odds(found: Evidence) -> float:
    """Return the log odds that a name belongs to a sight that the author visits."""
    return _BIAS + math.fsum(_WEIGHTS.get(name, 0.0) * value for name, value in found.items())


def _hits(candidate: NameCandidate, lines: Sequence[Line]) -> list[Hit]:
    return [hit_at(lines[seen.line], seen.start, seen.end, "judged") for seen in candidate.seen]
