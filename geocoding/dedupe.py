"""Decides which rows are the same place, and which places are parts of others.

Only confident verdicts count, because a false merge loses a place, whereas a missed merge only
leaves a duplicate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from geocoding.blocking import Located, candidate_pairs
from geocoding.lexicon import COMPOUND, SPREAD_M
from geocoding.names import name_key
from geocoding.pairs import NameVerdict, compare
from schemas.geo import distance_m

#: The lowest confidence for one place, and for a place that is part of another.
MERGE_SCORE = 0.85
PARENT_SCORE = 0.75
#: Rows with different names are merged only within this distance (metres).
MERGE_WITHIN_M = 300.0
#: The lowest confidence for two certainly different places.
STRANGER_SCORE = 0.8


@dataclass(frozen=True)
class Decision:
    """A pair of positions (lower first), the verdict on the pair, and the distance between the
    places.
    """

    first: int
    second: int
    verdict: NameVerdict
    distance_m: float | None


def decide(places: Sequence[Located]) -> list[Decision]:
    """Return the verdicts on all candidate pairs, sorted by position."""
    pairs = ((i, j, between_m(places[i], places[j])) for i, j in candidate_pairs(places))
    return [Decision(i, j, relate(places[i], places[j], away_m), away_m) for i, j, away_m in pairs]


def between_m(a: Located, b: Located) -> float | None:
    """Return the distance in metres, or None if one of the places has no coordinates."""
    if a.lat is None or a.lon is None or b.lat is None or b.lon is None:
        return None
    return float(distance_m(a.lat, a.lon, b.lat, b.lon))


def relate(a: Located, b: Located, distance: float | None) -> NameVerdict:
    """Return the verdict on two places, considering all their names."""
    verdict = compare(a.names[0], b.names[0], distance)
    if verdict.label == "same" or not _share_name(a, b):
        return verdict
    if distance is None or distance <= SPREAD_M[COMPOUND]:
        return NameVerdict("same", 0.9, "a name of one is another name of the other")
    return verdict


def _share_name(a: Located, b: Located) -> bool:
    return bool({name_key(n.raw) for n in a.names} & {name_key(n.raw) for n in b.names})


def clusters(places: Sequence[Located], decisions: Sequence[Decision]) -> list[list[int]]:
    """Return positions grouped by place; each group and the list of groups are in ascending order.

    The most certain pairs are joined first. Two groups stay apart if any two of their members are
    certainly different places. A chain of similar places therefore never joins two places that are
    certainly different. A place without coordinates that fits two groups equally well joins neither
    of them.
    """
    group = {position: {position} for position in range(len(places))}
    same = [d for d in decisions if _joins(places, d)]
    ambiguous = _ambiguous(places, same)
    for decision in sorted(same, key=lambda d: (-d.verdict.score, d.first, d.second)):
        one, two = group[decision.first], group[decision.second]
        is_open = one is not two and not {decision.first, decision.second} & ambiguous
        if not is_open or any(_are_strangers(places[i], places[j]) for i in one for j in two):
            continue
        one |= two
        for position in two:
            group[position] = one
    return sorted({id(members): sorted(members) for members in group.values()}.values())


def _joins(places: Sequence[Located], decision: Decision) -> bool:
    verdict, distance = decision.verdict, decision.distance_m
    if verdict.label != "same" or verdict.score < MERGE_SCORE:
        return False
    is_near = distance is not None and distance <= MERGE_WITHIN_M
    return is_near or _share_name(places[decision.first], places[decision.second])


def _are_strangers(a: Located, b: Located) -> bool:
    verdict = relate(a, b, between_m(a, b))
    return verdict.label != "same" and verdict.score >= STRANGER_SCORE


def _ambiguous(places: Sequence[Located], same: Sequence[Decision]) -> set[int]:
    """Return the places without coordinates that match two different places."""
    partners: dict[int, list[int]] = {}
    for decision in same:
        for one, other in ((decision.first, decision.second), (decision.second, decision.first)):
            if places[one].lat is None and places[other].lat is not None:
                partners.setdefault(one, []).append(other)
    return {
        position
        for position, others in partners.items()
        if any(_are_strangers(places[i], places[j]) for i in others for j in others if i < j)
    }


def parents(places: Sequence[Located], decisions: Sequence[Decision]) -> dict[int, Decision]:
    """Return the most specific container of each place, using confident verdicts and avoiding
    cycles.

    The most certain container is chosen. Among equally certain containers, the one with the longest
    name is chosen, and then the nearest one.
    """
    options: dict[int, list[tuple[float, int, float, int, Decision]]] = {}
    for decision in decisions:
        if decision.verdict.score < PARENT_SCORE:
            continue
        whole, part = decision.first, decision.second
        if decision.verdict.label == "part-of":
            whole, part = part, whole
        elif decision.verdict.label != "parent-of":
            continue
        length = len(places[whole].names[0].bare)
        distance = decision.distance_m if decision.distance_m is not None else float("inf")
        rank = (-decision.verdict.score, -length, distance, whole, decision)
        options.setdefault(part, []).append(rank)
    chosen: dict[int, int] = {}
    found: dict[int, Decision] = {}
    for part in sorted(options):
        for *_, whole, decision in sorted(options[part], key=lambda o: o[:4]):
            if not _reaches(whole, part, chosen):
                chosen[part], found[part] = whole, decision
                break
    return found


def _reaches(start: int, goal: int, parent: dict[int, int]) -> bool:
    """Check whether the second place is the first place itself or one of its containers."""
    while start != goal and start in parent:
        start = parent[start]
    return start == goal
