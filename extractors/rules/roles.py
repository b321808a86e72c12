"""Decides what a document says about a place: that it is visited, recommended, mentioned or
rejected.
"""

from __future__ import annotations

from collections.abc import Callable

from extractors.rules.common.days import Days
from extractors.rules.common.grouping import Sight
from extractors.rules.common.lines import Hit, HitContext, Line, context_of
from extractors.rules.en import roles as en
from extractors.rules.zh import roles as zh
from schemas.reading import DocumentKind, Role


def tells_visit(hit: Hit, line: Line, lang: str) -> bool:
    """Check whether the words beside a place's name show that somebody goes, went or should go
    there.
    """
    told = zh.tells_visit if lang == "zh" else en.tells_visit
    return told(hit, line)


def judge_role(hit: Hit, line: Line, lang: str) -> str:
    """Judge a place's role by the words beside its name, assuming that the text describes a day of
    a trip.
    """
    vote = zh.vote if lang == "zh" else en.vote
    return vote(hit, context_of(hit, line), True)


def assign_roles(
    places: list[Sight], lines: list[Line], days: Days, kind: DocumentKind, lang: str
) -> None:
    """Set the role of every place; all mentions of a place share one role."""
    done: Role = "visited" if kind == "diary" else "recommended"
    vote = zh.vote if lang == "zh" else en.vote
    wished = en.find_wished_lines(lines) if kind == "diary" else frozenset()
    for place in places:
        place.role = _role(place, lines, days, done, vote, wished)


def _role(
    place: Sight, lines: list[Line], days: Days, done: Role,
    vote: Callable[[Hit, HitContext, bool], str], wished: frozenset[int],
) -> Role:  # fmt: skip
    """Weigh all occurrences: a stop outweighs a rejection, which outweighs a mention."""
    votes: list[str] = []
    listed = False  # it is in a row of names outside the days
    for hit in place.hits:
        line = lines[hit.line]
        if hit.line in wished:
            continue
        in_day = days.of_line[hit.line] is not None or bool(not days.marks)
        votes.append(vote(hit, context_of(hit, line), in_day))
        listed = listed or (votes[-1] == "outside" and hit.row is not None)
    against, told = votes.count("rejected"), votes.count("visit") + votes.count("told")
    if "denied" in votes and not {"stop", "visit", "told", "tip"} & set(votes):
        return "rejected"
    if "past" in votes and "stop" not in votes and "visit" not in votes:
        return "mentioned"
    if against and "stop" not in votes and against >= told and against > votes.count("visit"):
        return "rejected"
    if "stop" in votes or "visit" in votes:
        return "rejected" if against >= 2 and "visit" not in votes else done
    if "tip" in votes:
        return "recommended"
    # Notes below a plan list parts of its sights.
    return done if "told" in votes or (listed and done == "recommended") else "mentioned"


def kind_of(lines: list[Line], days: Days, lang: str) -> DocumentKind:
    """Return whether a document describes a journey, plans a journey day by day, or gives
    advice.
    """
    text = "\n".join(line.text for line in lines)
    title = lines[0].text if lines else ""
    if zh.in_first_person(text, title) if lang == "zh" else en.in_first_person(text):
        return "diary"
    return "route" if days.marks or days.cells or days.serial is not None else "guide"
