"""Compares two Chinese names that no other rule covers: names that share a piece, or names of
places near each other.
"""

from __future__ import annotations

from itertools import takewhile

from geocoding import lexicon
from geocoding.lexicon import AREA, BUILDING, PART, REACH_M
from geocoding.names import PlaceName
from geocoding.rewording import common_piece
from geocoding.verdicts import NameVerdict, Relation


def compare_pieces(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare two names that share a distinctive part and whose places are close together."""
    if _siblings(a, b):
        return NameVerdict("different", 0.75, "two parts of one place")
    if d is None or a.kind is None or b.kind is None:
        return None
    piece = common_piece(a.core, b.core)
    return _near_namesakes(a, b, d, piece) if len(piece) >= 2 else None


def _siblings(a: PlaceName, b: PlaceName) -> bool:
    """Check whether both names begin with the name of the same place, including the word for its
    kind.
    """
    same = (one == two for one, two in zip(a.bare, b.bare, strict=False))
    front = a.bare[: sum(takewhile(bool, same))]
    found = lexicon.ending(front)
    if found is None or len(front) - len(found[0]) < 2 or found[1].scale < BUILDING:
        return False
    return len(found[0]) > 1 and front not in (a.bare, b.bare)


def _near_namesakes(a: PlaceName, b: PlaceName, d: float, piece: str) -> NameVerdict | None:
    assert a.kind is not None
    assert b.kind is not None
    is_whole = piece in (a.core, b.core)
    if len(piece) >= 3 and d <= 100 and is_whole and lexicon.are_synonyms(a.ending, b.ending):
        return NameVerdict("same", 0.75, f"both are named {piece}, {d:.0f} m apart")
    if a.scale != b.scale and d <= REACH_M[max(a.scale, b.scale)] / 3:
        label: Relation = "parent-of" if a.scale > b.scale else "part-of"
        return NameVerdict(label, 0.62, f"both are named {piece}, {d:.0f} m apart")
    if d <= 20 and a.kind.code == b.kind.code and len(a.bare) != len(b.bare):
        return NameVerdict("parent-of", 0.5, f"both are named {piece}, at one point")
    return None


def strangers(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict:
    """Compare two names that have nothing in common, and check whether one sight may be inside the
    other.
    """
    if d is None:
        return NameVerdict("different", 0.85, "different names", guess=True)
    for one, other, turned in ((a, b, False), (b, a, True)):
        if _holds(one, other, d):
            why = f"{_word(other)} {d:.0f} m from a {_word(one)}"
            verdict = NameVerdict("parent-of", 0.5, why, guess=True)
            return verdict.turn() if turned else verdict
    return NameVerdict("different", 0.85, f"different names, {d:.0f} m apart", guess=True)


def _holds(one: PlaceName, other: PlaceName, d: float) -> bool:
    """Check whether the first sight, judging by its kind, can contain the second sight at this
    distance.
    """
    natural = other.kind is not None and other.kind.code in lexicon.NATURAL
    if natural and not (one.kind and one.kind.code in lexicon.HOLDS_NATURE):
        return False
    if one.scale <= other.scale and not natural and not (d <= 5 and other.kind is None):
        return False
    limit = lexicon.HOLDS_M.get(one.kind.code, 0.0) if one.kind else lexicon.HOLDS_UNKNOWN_M
    if one.kind and one.kind.code == "museum" and one.scale > BUILDING:
        limit = lexicon.HOLDS_M["palace"]
    return d <= (limit if natural or other.scale == PART or one.scale == AREA else 0.4 * limit)


def _word(name: PlaceName) -> str:
    return name.kind.code if name.kind else "sight"
