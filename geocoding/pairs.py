"""Are two names one place, two places, or a place and its part? Scored, with the reason.

The one scorer behind pair lists, deduplication, hierarchy and resolution. It knows names,
kinds of place and a distance; it knows no single place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from geocoding import lexicon
from geocoding.lexicon import AREA, BUILDING, COMPOUND, PART, REACH_M, SPREAD_M
from geocoding.names import PlaceName, pinyin
from geocoding.translation import align

Relation = Literal["same", "different", "parent-of", "part-of"]


@dataclass(frozen=True)
class Verdict:
    """What two names are to each other. ``score`` is the confidence in the label, 0 to 1.

    ``parent-of``: the first contains the second; ``part-of``: the other way round.
    """

    label: Relation
    score: float
    why: str

    def turned(self) -> Verdict:
        """The verdict for the two names in the other order."""
        other: dict[Relation, Relation] = {"parent-of": "part-of", "part-of": "parent-of"}
        return Verdict(other.get(self.label, self.label), self.score, self.why)


def compare(a: PlaceName, b: PlaceName, distance_m: float | None = None) -> Verdict:
    """Verdict on two names in one city; the distance is None where a coordinate is missing."""
    if a.lang == "zh" and b.lang == "zh":
        return _chinese(a, b, distance_m)
    if a.lang == "zh":
        return _translated(a, b, distance_m)
    if b.lang == "zh":
        return _translated(b, a, distance_m).turned()
    return _latin(a, b, distance_m)


def _within(distance_m: float | None, limit_m: float) -> bool:
    return distance_m is None or distance_m <= limit_m


def _same(a: PlaceName, b: PlaceName, distance_m: float | None, score: float, why: str) -> Verdict:
    """``same`` unless the distance speaks against it."""
    limit = SPREAD_M[max(a.scale, b.scale)]
    if distance_m is None or distance_m <= limit:
        return Verdict("same", score if distance_m is None else min(0.99, score + 0.03), why)
    return Verdict("different", 0.8, f"{why}, but {distance_m / 1000:.1f} km apart")


# --- Chinese ---------------------------------------------------------------------------------


def _chinese(a: PlaceName, b: PlaceName, d: float | None) -> Verdict:
    for rule in (_equal, _divided, _contained, _same_core, _reworded):
        verdict = rule(a, b, d)
        if verdict is not None:
            return verdict
    return _strangers(a, b, d)


def _equal(a: PlaceName, b: PlaceName, d: float | None) -> Verdict | None:
    """Equal names, and names in brackets."""
    if a.main == b.main or (a.bare == b.bare and a.tail == b.tail):
        if a.brackets == b.brackets:
            return _same(a, b, d, 0.95, "equal names")
        return _bracketed(a, b, d)
    for one, other in ((a, b), (b, a)):
        if any(other.main == x or other.bare == x for x in one.brackets if not _is_branch(x)):
            return _same(a, b, d, 0.93, "one name stands in brackets after the other")
    return None


def _is_branch(text: str) -> bool:
    found = lexicon.ending(text)
    return bool(found and found[1].scale == PART) or text.endswith(("馆", "店", "路", "站", "校区", "层", "系列", "厅"))


def _bracketed(a: PlaceName, b: PlaceName, d: float | None) -> Verdict:
    """Equal but for what stands in brackets."""
    if a.brackets and b.brackets:
        return Verdict("different", 0.92, "two branches: the brackets differ")
    branch = next(x for x in (*a.brackets, *b.brackets))
    if not _is_branch(branch):
        return _same(a, b, d, 0.9, "equal but for an addition in brackets")
    if d is not None and d <= 300:
        return Verdict("same", 0.85, "equal but for a branch in brackets, close by")
    return Verdict("different", 0.7, "a branch with its own name in brackets")


def _divided(a: PlaceName, b: PlaceName, d: float | None) -> Verdict | None:
    """Names divided by a dash: X-Y lies in X; X-Y and X-Z are siblings."""
    if a.tail and b.tail:
        if a.bare == b.bare:
            return Verdict("different", 0.9, "two parts of one place")
        return None
    if not a.tail and not b.tail:
        return None
    whole, part = (a, b) if b.tail else (b, a)
    if part.tail in (whole.main, whole.bare):
        return _same(a, b, d, 0.88, "the name after the dash")
    head = whole.bare == part.bare or _droppable_core(whole) == _droppable_core(part)
    if head:
        verdict = Verdict("parent-of", 0.95, "the name before the dash")
        return verdict if whole is a else verdict.turned()
    return None


def _droppable_core(name: PlaceName) -> str:
    """The name without an ending that says nothing."""
    return name.core if name.ending in lexicon.GENERIC and len(name.core) >= 2 else name.bare


def _contained(a: PlaceName, b: PlaceName, d: float | None) -> Verdict | None:
    """One whole name stands inside the other."""
    if a.bare == b.bare:
        return None
    turned = len(a.bare) > len(b.bare)
    short, long = (b, a) if turned else (a, b)
    if len(short.bare) < 2 or short.bare not in long.bare or _only_kind(short):
        return None
    if long.bare.startswith(short.bare):
        verdict = _prefix(short, long, long.bare[len(short.bare) :], d)
    elif long.bare.endswith(short.bare):
        verdict = _suffix(short, long, long.bare[: -len(short.bare)], d)
    else:
        verdict = _inside(short, long, d)
    return verdict.turned() if verdict and turned else verdict


def _only_kind(name: PlaceName) -> bool:
    return name.is_generic


def _prefix(short: PlaceName, long: PlaceName, rest: str, d: float | None) -> Verdict | None:
    """The long name goes on after the short one."""
    if rest in lexicon.GENERIC:
        return _same(short, long, d, 0.92, f"equal but for the generic ending {rest}")
    if rest[0] in "及和与":
        return _same(short, long, d, 0.8, "the short name and something beside it")
    if rest in lexicon.SOFT:
        limit = 150.0 if long.scale == BUILDING else 500.0 if long.scale == COMPOUND else 2_500.0
        if _within(d, limit):
            return _same(short, long, d, 0.85, f"equal but for the ending {rest}")
        if long.ending in lexicon.BESIDE:
            return Verdict("different", 0.7, f"{rest} lies apart")
        return Verdict("parent-of", 0.7, f"{rest} of the first, {d:.0f} m away")
    if rest in lexicon.BESIDE or (long.ending in lexicon.BESIDE and short.scale <= BUILDING):
        return Verdict("different", 0.75, f"{rest} carries the name of its neighbour")
    limit = max(2 * REACH_M[short.scale], 1_500.0)
    if not _within(d, limit):
        return Verdict("different", 0.6, f"shared beginning, {d:.0f} m apart")
    return Verdict("parent-of", 0.85, f"the second adds {rest} to the first")


def _suffix(short: PlaceName, long: PlaceName, front: str, d: float | None) -> Verdict | None:
    """The long name has something in front of the short one."""
    if front in lexicon.SAME_ONE or front in lexicon.DESCRIPTIONS or front in lexicon.FILLERS:
        return _same(short, long, d, 0.9, f"equal but for {front} in front")
    if len(front) == 1 and front in lexicon.OTHER_ONE:
        return Verdict("different", 0.85, f"{front} in front makes another place")
    if len(short.core) < 2 and short.kind is not None:
        if len(front) == 1 and _within(d, 500.0):
            return Verdict("part-of", 0.6, "a double name and one of its halves")
        if short.kind.code in lexicon.LINEAR:
            return Verdict("parent-of", 0.6, f"a section of the {short.kind.code}")
        return None
    if _within(d, 1_000.0):
        return _same(short, long, d, 0.75, f"equal but for {front} in front")
    return None


def _inside(short: PlaceName, long: PlaceName, d: float | None) -> Verdict | None:
    if _within(d, 1_500.0) and len(short.bare) >= 2:
        return Verdict("parent-of", 0.65, "the second holds the name of the first")
    return None


def _same_core(a: PlaceName, b: PlaceName, d: float | None) -> Verdict | None:
    """Equal names with different endings, and names that begin with the other's core."""
    if a.core == b.core and len(a.core) >= 2 and a.kind and b.kind:
        return _two_endings(a, b, d)
    for one, other, turned in ((a, b, False), (b, a, True)):
        if not _begins_with_core(one, other):
            continue
        if _within(d, 2 * REACH_M[one.scale]):
            verdict = Verdict("parent-of", 0.75, f"the second stands in {one.core}")
            return verdict.turned() if turned else verdict
    return None


def _begins_with_core(one: PlaceName, other: PlaceName) -> bool:
    droppable = one.ending in lexicon.GENERIC or one.ending in lexicon.SOFT
    return (
        droppable
        and len(one.core) >= 2
        and other.bare.startswith(one.core)
        and other.bare != one.bare
        and one.scale > other.scale
    )


def _two_endings(a: PlaceName, b: PlaceName, d: float | None) -> Verdict:
    assert a.kind and b.kind
    if a.kind.code == b.kind.code:
        return _same(a, b, d, 0.85, f"{a.ending} and {b.ending} are one kind")
    loose = lexicon.GENERIC | lexicon.SOFT
    if a.ending in loose and b.ending in loose:
        if _within(d, 200.0):
            return _same(a, b, d, 0.78, f"equal but for {a.ending} and {b.ending}")
        if a.scale != b.scale or a.ending in lexicon.GENERIC or b.ending in lexicon.GENERIC:
            first = (a.ending in lexicon.GENERIC, a.scale) >= (b.ending in lexicon.GENERIC, b.scale)
            return Verdict("parent-of" if first else "part-of", 0.65, f"{b.ending} in {a.ending}")
    for one, other, turned in ((a, b, False), (b, a, True)):
        if one.ending in loose and len(one.ending) > 1 and one.scale > other.scale:
            verdict = Verdict("parent-of", 0.7, f"{other.ending} of {one.core}")
            return verdict.turned() if turned else verdict
    return Verdict("different", 0.8, f"{a.ending} is not {b.ending}")


def _reworded(a: PlaceName, b: PlaceName, d: float | None) -> Verdict | None:
    """Short forms, variant characters, fillers, a name in front of one of another kind."""
    plain_a, plain_b = _without_fillers(a.bare), _without_fillers(b.bare)
    if plain_a == plain_b and len(plain_a) >= 2:
        return _same(a, b, d, 0.88, "equal but for a filler")
    if len(a.bare) >= 3 and pinyin(a.bare) == pinyin(b.bare):
        return _same(a, b, d, 0.8, "written otherwise, spoken alike")
    if _is_short_form(a.bare, b.bare) and _within(d, 150.0):
        return _same(a, b, d, 0.72, "a short form of the other name")
    joint = _is_double(a, b) or _is_double(b, a)
    if joint and _within(d, 500.0):
        return Verdict("parent-of" if len(a.bare) > len(b.bare) else "part-of", 0.6,
                       "a double name and one of its halves")  # fmt: skip
    return _shared_piece(a, b, d)


def _without_fillers(text: str) -> str:
    for filler in lexicon.FILLERS:
        text = text.replace(filler, "")
    return text


def _is_double(long: PlaceName, short: PlaceName) -> bool:
    """钟鼓楼 names two towers: one more character, the rest in order, the same ending."""
    one, two = long.bare, short.bare
    return (
        len(two) == 2
        and len(one) == 3
        and one[-1] == two[-1]
        and one[0] == two[0]
        and lexicon.ending(one) is not None
    )


def _is_short_form(one: str, two: str) -> bool:
    """Whether the shorter text abbreviates the longer: first characters of its words.

    Every word of the long name that gives a character gives its first, or the last
    character is the last of both (解放碑 for ...解放纪念碑).
    """
    short, long = sorted((one, two), key=len)
    if not 2 <= len(short) <= 5 or len(long) < len(short) + 2 or not _subsequence(short, long):
        return False
    import jieba

    jieba.setLogLevel(60)
    pieces = [w for w in jieba.cut(long, HMM=False)]
    firsts = "".join(w[0] for w in pieces)
    if _subsequence(short, firsts) and len(pieces) >= 2:
        return True
    return short[-1] == long[-1] and any(len(w) >= 2 and short.startswith(w) for w in pieces)


def _subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(c in rest for c in short)


def _shared_piece(a: PlaceName, b: PlaceName, d: float | None) -> Verdict | None:
    """Names that share a proper part, close together."""
    if d is None or a.kind is None or b.kind is None:
        return None
    piece = _common_piece(a.core, b.core)
    if len(piece) < 2:
        return None
    if len(piece) >= 3 and a.kind.code == b.kind.code and d <= 100:
        return Verdict("same", 0.75, f"both are named {piece}, {d:.0f} m apart")
    if a.scale != b.scale and d <= REACH_M[max(a.scale, b.scale)]:
        label: Relation = "parent-of" if a.scale > b.scale else "part-of"
        return Verdict(label, 0.62, f"both are named {piece}, {d:.0f} m apart")
    return None


def _common_piece(one: str, two: str) -> str:
    """Longest common run of characters."""
    best = ""
    for start in range(len(one)):
        end = start + len(best) + 1
        while end <= len(one) and one[start:end] in two:
            best = one[start:end]
            end += 1
    return best


def _strangers(a: PlaceName, b: PlaceName, d: float | None) -> Verdict:
    """Names that share nothing: only a part of the right kind, close by, can belong."""
    if d is None:
        return Verdict("different", 0.85, "different names")
    larger, smaller, turned = (b, a, True) if b.scale > a.scale else (a, b, False)
    if larger.scale > smaller.scale and d <= REACH_M[larger.scale] / 2:
        verdict = Verdict("parent-of", 0.5, f"a {_word(smaller)} {d:.0f} m from a {_word(larger)}")
        return verdict.turned() if turned else verdict
    return Verdict("different", 0.85, f"different names, {d:.0f} m apart")


def _word(name: PlaceName) -> str:
    return name.kind.code if name.kind else "sight"


# --- Across languages ------------------------------------------------------------------------


def _translated(zh: PlaceName, en: PlaceName, d: float | None) -> Verdict:
    """A Chinese and a Latin name."""
    if any(_folded_equal(bracket, en) for bracket in zh.brackets):
        return _same(zh, en, d, 0.95, "the name stands in brackets")
    if pinyin(zh.bare) == "".join(en.words) or pinyin(zh.main) == "".join(en.words):
        return _same(zh, en, d, 0.92, "the pinyin of the name")
    if not en.words:
        return Verdict("different", 0.9, "nothing to compare")
    text = zh.bare
    found = align(text, en.words)
    core_end = len(_droppable_core(zh))
    core_share = found.zh_share(0, len(zh.core)) if zh.core else 1.0
    whole_share = found.zh_share(0, core_end)
    if found.en_share == 1.0 and core_share >= 0.5 and whole_share >= 0.5:
        rest = _uncovered_tail(found.zh_covered)
        if rest and not _may_drop(text[len(text) - rest :]):
            return Verdict("parent-of", 0.65, "the name goes on").turned()
        return _same(zh, en, d, 0.7 + 0.2 * min(core_share, whole_share), "a translation")
    return Verdict("different", 0.8, f"translation covers {found.en_share:.0%} and {whole_share:.0%}")


def _uncovered_tail(covered: tuple[bool, ...]) -> int:
    count = 0
    for flag in reversed(covered):
        if flag:
            break
        count += 1
    return count


def _may_drop(rest: str) -> bool:
    return rest in lexicon.GENERIC or rest in lexicon.SOFT


def _folded_equal(text: str, name: PlaceName) -> bool:
    return "".join(c for c in text if c.isalnum()) == "".join(c for c in name.text if c.isalnum())


def _latin(a: PlaceName, b: PlaceName, d: float | None) -> Verdict:
    """Two names in Latin letters."""
    if a.tail or b.tail:
        if not (a.tail and b.tail) and a.words == b.words:
            verdict = Verdict("parent-of", 0.95, "the name before the dash")
            return verdict if b.tail else verdict.turned()
    one, two = "".join(a.words), "".join(b.words)
    if one == two:
        return _same(a, b, d, 0.95, "equal names")
    if sorted(a.words) == sorted(b.words):
        return _same(a, b, d, 0.9, "equal words")
    return Verdict("different", 0.8, "different names")
