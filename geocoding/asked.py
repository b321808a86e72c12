"""Judge a listed pair of names also by its order: the whole comes first, the part second.

Only ``tripbed match`` uses this; deduplication and resolution compare names alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from geocoding import lexicon
from geocoding.containment import weigh_pair
from geocoding.lexicon import AREA, BUILDING, PART
from geocoding.names import PlaceName
from geocoding.verdicts import NameVerdict

#: So close (metres) a smaller kind of place is a part whatever else is weighed.
_AT_ITS_POINT_M = 40.0
#: Confidence that a second name from which the first goes on is its short form.
_SHORT_NAME = 0.65
#: From this reach (metres) a kind holds gates, halls and bridges of its own.
_HOLDS_PARTS_M = 150.0
#: Kinds that a sight of another kind may be called in full: its area, museum or park.
_NAMED_FOR = frozenset({"scenic", "resort", "museum", "memorial", "park"})
#: Parts of the landscape about a building.
_OUTSIDE = frozenset({"peak", "cave", "spring", "causeway", "bridge", "trail"})
#: Shares of other names, and of other places, that the names alone take for the same place:
#: pairs with one point of samples five to seven at first sight, and of the lists.
_FOUND, _MISTAKEN = 0.65, 0.03
#: A list counts as so many pairs more, of which this share is found to be the same.
_DOUBT, _USUAL = 8.0, 0.25
#: No list makes it surer than this that its pairs ask of other names.
_SUREST = 0.98
#: So sure a pair whose names say nothing has to be.
_ENOUGH = 0.55


@dataclass(frozen=True)
class AskedPair:
    """One pair of a list. ``one_point``: two Chinese names in one city, one with coordinates."""

    verdict: NameVerdict
    one_point: bool


def as_asked(
    a: PlaceName, b: PlaceName, distance_m: float | None, verdict: NameVerdict
) -> NameVerdict:
    """The verdict on a pair that somebody wrote down, the whole first.

    Where names say nothing, kinds and distance are weighed. A second name that the first goes
    on from, without a point of its own, is the first one's short name.
    """
    if distance_m is not None:
        open_ = verdict.guess and a.lang == b.lang == "zh"
        if not open_ or (verdict.label == "parent-of" and distance_m <= _AT_ITS_POINT_M):
            return verdict
        return weigh_pair(a, b, distance_m)
    if verdict.label == "different" and _is_in_area(a, b):
        return NameVerdict("parent-of", 0.5, "a smaller sight asked of an area", guess=True)
    if verdict.label == "different" and verdict.guess and _is_part(a, b):
        return NameVerdict("parent-of", 0.5, "a part asked of what has such parts", guess=True)
    is_branch = bool(a.brackets) and not b.brackets and a.bare == b.bare and a.tail == b.tail
    is_short = verdict.label == "part-of" and not a.tail and not _is_thing_of(a, b)
    if is_short or (verdict.label == "different" and is_branch):
        return NameVerdict("same", _SHORT_NAME, f"{verdict.why}; short for it")
    return verdict


def _is_thing_of(a: PlaceName, b: PlaceName) -> bool:
    """Whether the first, which goes on from the second, is something of its own there: a part of
    it, a branch, a museum in a hotel or street; or is no longer a name than the second.
    """
    if a.lang == b.lang == "zh" and len(a.bare) <= len(b.bare):
        return True
    if any(map(lexicon.is_branch, a.brackets)):
        return True
    if a.kind is None or (b.kind is not None and b.kind.scale == PART):
        return False
    if a.brackets:
        return False
    if b.kind is not None and a.kind.code not in _NAMED_FOR and a.kind is not b.kind:
        return True
    in_it = b.kind is not None and b.kind.code in lexicon.HOLDS_MUSEUM and a.kind.code == "museum"
    return in_it or (a.kind.scale == PART and a.kind.code != "branch")


def _is_in_area(a: PlaceName, b: PlaceName) -> bool:
    """Whether the first is named as a scenic area and the second a sight of a smaller kind."""
    is_area = a.kind is not None and a.kind.code in ("scenic", "resort")
    return is_area and not a.tail and b.kind is not None and b.scale < AREA


def _is_part(a: PlaceName, b: PlaceName) -> bool:
    """Whether the first is of a kind that holds sights of the second's smaller kind.

    An area holds all that is smaller, a park or palace its gates, halls and bridges, and a
    temple those of them that are built.
    """
    if a.lang == b.lang == "zh" or a.kind is None or b.kind is None or a.scale <= b.scale:
        return False
    if lexicon.HOLDS_M.get(a.kind.code, 0.0) < _HOLDS_PARTS_M:
        return False
    return a.scale == AREA or (
        b.scale == PART and (a.scale > BUILDING or b.kind.code not in _OUTSIDE)
    )


def share_of_other_names(pairs: Sequence[AskedPair]) -> float:
    """Share of the pairs with one point that ask of another name, by those that names tell.

    The adjusted count of Forman (2008, Quantifying counts and costs via classification): the
    share that is found, corrected by how many are found and how many mistaken.
    """
    asked = [pair.verdict for pair in pairs if pair.one_point]
    found = sum(verdict.label == "same" for verdict in asked)
    share = (found + _USUAL * _DOUBT) / (len(asked) + _DOUBT)
    return min(_SUREST, max(0.0, (share - _MISTAKEN) / (_FOUND - _MISTAKEN)))


def as_listed(pair: AskedPair, share: float) -> NameVerdict:
    """The verdict where names say nothing, one place has no point, and the list asks of names."""
    verdict = pair.verdict
    if not pair.one_point or not verdict.guess:
        return verdict
    missed, told_apart = share * (1 - _FOUND), (1 - share) * (1 - _MISTAKEN)
    sure = missed / (missed + told_apart)
    if sure < _ENOUGH:
        return verdict
    why = f"unlike names, one without a point: {share:.0%} of such pairs of this list are one place"
    return replace(verdict, label="same", score=sure, why=why)
