"""Whether a place whose name continues another's is a part of it: how sure, and how far off."""

from __future__ import annotations

from geocoding import lexicon
from geocoding.lexicon import AREA, COMPOUND, PART
from geocoding.names import PlaceName


def prefix_score(short: PlaceName, rest: str) -> float:
    """How sure it is that what continues a name is a part of its bearer."""
    found = lexicon.ending(rest)
    if any(lexicon.is_branch(bracket) for bracket in short.brackets) or rest[0] in "市县区省镇":
        return 0.62
    if found is None:
        return 0.85
    kind = found[1]
    if short.kind is None:
        return 0.6 if kind.scale >= COMPOUND else 0.85
    if kind.code in lexicon.PUBLIC and short.scale == AREA:
        return 0.7
    if kind.code in ("scenic", "resort") and short.scale < AREA:
        return 0.62
    if short.scale == PART and kind.code not in lexicon.SMALL_PARTS:
        return 0.65
    return 0.85


def prefix_reach(short: PlaceName, rest: str) -> float:
    """How far (metres) a part may lie from the sight whose name it continues."""
    found = lexicon.ending(rest)
    if short.scale == AREA or (found and found[1].code in lexicon.SCATTERED):
        return max(8_000.0, runs(short.bare))
    if found and found[1].code == "branch":
        return 3_000.0
    return max(1_800.0, 2 * lexicon.HOLDS_M.get(short.kind.code if short.kind else "", 0.0))


def runs(name: str) -> float:
    """How far (metres) a river, lake or mountain of this name runs; 0 for all else."""
    found = lexicon.ending(name)
    return lexicon.RUNS_M.get(found[1].code, 0.0) if found and len(name) >= 3 else 0.0
