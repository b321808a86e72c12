"""Compares Chinese names, which may be equal, divided by a dash, nested, reworded or unrelated."""

from __future__ import annotations

from dataclasses import replace

from geocoding import lexicon
from geocoding.lexicon import BUILDING, COMPOUND, REACH_M, NameKind
from geocoding.names import PlaceName, name_key
from geocoding.neighbours import compare_pieces, strangers
from geocoding.rewording import (
    as_spelled_in,
    compare_rewording,
    is_double,
    is_reordered,
    says_city_and_kind,
)
from geocoding.verdicts import (
    NameVerdict,
    prefix_reach,
    prefix_score,
    runs,
    same_unless_far,
    within,
)

#: A part named after its sight is accepted up to this distance (metres).
_DASH_REACH_M = 30_000.0
#: A shop that names its location in brackets is at most this far away from it (metres).
_BRANCH_REACH_M = 1_000.0
_AND = frozenset("及和与")
#: Words for a city's or province's own institutions, and numbers of things in a row.
_RANKS, _NUMBERS = frozenset("省市"), frozenset("一二三四五六七八九十")
#: A name of so many characters belongs to one place only; kinds of fenced places.
_TELLING, _OF_ITS_OWN = 4, frozenset({"park", "theme_park", "zoo", "botanical"})
#: Kinds that are at a place without being all of it.
_LINED = frozenset({"street", "mall", "square"})


def compare_chinese(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict:
    """Return the verdict on two Chinese names.

    ``d`` is the distance between the places in metres, or None if it is unknown.
    """
    return (
        _as_written(a, b, d) or _respelt(a, b, d) or compare_pieces(a, b, d) or strangers(a, b, d)
    )


def _as_written(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Return the verdict of the first rule that applies, assuming that both names are spelled
    correctly.
    """
    rules = (
        _equal,
        _compare_divided,
        _compare_view,
        _compare_contained,
        _same_core,
        compare_rewording,
    )
    return next((v for rule in rules if (v := rule(a, b, d)) is not None), None)


# --- Equal names -----------------------------------------------------------------------------


def _equal(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare two names if they are equal (with or without their brackets), or if one name is in
    the brackets of the other.
    """
    if name_key(a.raw) == name_key(b.raw):
        return same_unless_far(a, b, d, 0.95, "equal names")
    if a.bare == b.bare and a.tail == b.tail:
        if a.brackets == b.brackets:
            return same_unless_far(a, b, d, 0.95, "equal names")
        return _compare_brackets(a, b, d)
    for one, other in ((a, b), (b, a)):
        if one.city and not one.tail and one.bare == one.city + other.main and len(other.main) > 1:
            return same_unless_far(a, b, d, 0.88, "equal but for the city in front")
        named = (x for x in one.brackets if not lexicon.is_branch(x))
        if any(x in (other.main, other.bare) for x in named):
            if is_container(one, other) and f"原{other.main}" not in one.text:
                return _in_brackets(one, turned=one is b)
            return same_unless_far(a, b, d, 0.93, "one name stands in brackets after the other")
        if _branch_of(one, other, d):
            return _in_brackets(one, turned=one is b)
    return None


def _branch_of(part: PlaceName, whole: PlaceName, d: float | None) -> bool:
    """Check whether the brackets in a place's name show that it is a shop or hall of a nearby
    place.
    """
    is_far = d is not None and d > _BRANCH_REACH_M
    if is_far or whole.brackets or (part.kind and part.kind is whole.kind):
        return False
    shop = next((b.removesuffix("店") for b in part.brackets if b.endswith("店")), "")
    shop = next((shop.removeprefix(city) for city in part.here if shop.startswith(city)), shop)
    if shop.removesuffix("旗舰").strip() in (whole.main, whole.bare):
        return True
    if d is None:
        return len(whole.bare) >= 3 and shop.startswith(whole.bare)
    street = whole.core if lexicon.is_loose(whole.ending, whole.kind) else whole.bare
    return len(street) >= 3 and (shop.startswith(street) or shop.endswith(street))


def is_container(outside: PlaceName, inside: PlaceName) -> bool:
    """Check whether the brackets name the area around a place, rather than giving the place's
    other name.
    """
    alike = (outside.kind and outside.kind.code) == (inside.kind and inside.kind.code)
    return not alike and inside.scale > BUILDING


def _in_brackets(outside: PlaceName, *, turned: bool) -> NameVerdict:
    verdict = NameVerdict("part-of", 0.65, f"{outside.main} in what its brackets name")
    return verdict.turn() if turned else verdict


def _compare_brackets(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict:
    """Compare names that are equal except for their brackets."""
    if a.brackets and b.brackets:
        return NameVerdict("different", 0.92, "two branches: the brackets differ")
    branch = (*a.brackets, *b.brackets)[0]
    if not lexicon.is_branch(branch):
        return same_unless_far(a, b, d, 0.9, "equal but for an addition in brackets")
    whole = a if b.brackets else b
    found = lexicon.ending(branch)
    boats = whole.kind is not None and whole.kind.code == "boat"
    if branch.endswith("段") or (boats and found and found[1].code in lexicon.SCATTERED):
        verdict = NameVerdict("parent-of", 0.75, f"the part in brackets, {branch}")
        return verdict if whole is a else verdict.turn()
    if d is not None and d <= 300:
        return NameVerdict("same", 0.75, "equal but for a branch in brackets, close by")
    return NameVerdict("different", 0.7, "a branch with its own name in brackets")


# --- Names divided by a dash -----------------------------------------------------------------


def _compare_divided(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare names with a dash: X-Y is in X, while X-Y and X-Z are two parts of X."""
    if not a.tail and not b.tail:
        return None
    heads = compare_chinese(replace(a, tail=""), replace(b, tail=""), None)
    if a.tail and b.tail:
        why = "two parts of one place" if heads.label == "same" else "parts of different places"
        return NameVerdict("different", 0.9, why)
    whole, part = (a, b) if b.tail else (b, a)
    if part.tail in (whole.main, whole.bare):
        return same_unless_far(a, b, d, 0.8, "the name after the dash")
    is_lined = whole.kind is not None and whole.kind.code in _LINED
    goes_on = whole.bare != part.bare and whole.bare.startswith(part.bare)
    if is_lined and goes_on and (part.kind and part.kind.code) not in _LINED:
        return NameVerdict("different", 0.7, f"{whole.ending} is not all of the place")
    inside = "parent-of" if whole is a else "part-of"
    if heads.label == inside and within(d, _DASH_REACH_M) and not heads.guess:
        return replace(heads, score=0.62, why=f"{heads.why}; a part of it")
    if not within(d, _DASH_REACH_M) or not (heads.label == "same" or _widens(whole, part)):
        return NameVerdict("different", 0.75, "a part of another place")
    verdict = NameVerdict("parent-of", 0.95, "the name before the dash")
    return verdict if whole is a else verdict.turn()


def _widens(whole: PlaceName, head: PlaceName) -> bool:
    """Check whether ``whole`` is ``head`` plus only the word for an area or compound."""
    rest = whole.bare.removeprefix(head.bare)
    found = lexicon.ending(rest) if rest != whole.bare and rest else None
    return found is not None and found[1].scale >= COMPOUND and found[1].code not in _LINED


# --- One name inside the other ---------------------------------------------------------------


def _compare_contained(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare two names if one of them is contained in the other."""
    turned = len(a.bare) > len(b.bare)
    short, long = (b, a) if turned else (a, b)
    if short.is_generic and not short.city and not _is_the_long_one(short):
        return None
    outer = next((t for t in (long.bare, long.main) if short.bare in t and short.bare != t), None)
    if outer is None or len(short.bare) < 2:
        return None
    front, _, rest = outer.partition(short.bare)
    if not front:
        verdict = _prefix(short, long, rest, d)
    elif not rest:
        verdict = _suffix(short, front, long, d)
    else:
        verdict = _inside(short, long, rest, d)
    return verdict.turn() if verdict and turned else verdict


def _is_the_long_one(name: PlaceName) -> bool:
    """Check whether a name is that of a river or wall and is long enough (three or more characters)
    to mean a famous one.
    """
    return name.kind is not None and name.kind.code in lexicon.LINEAR and len(name.bare) >= 3


def _prefix(short: PlaceName, long: PlaceName, rest: str, d: float | None) -> NameVerdict | None:
    """Compare two names if the longer one begins with the shorter one."""
    if (verdict := _adds_nothing(short, long, rest, d)) is not None:
        return verdict
    if rest[0] in _AND and (lexicon.ending(rest) or ("",))[0] == rest[1:]:
        return same_unless_far(short, long, d, 0.8, "the short name and something beside it")
    is_area = f"{short.main}·" in long.text and long.ending in lexicon.GENERIC
    if rest[0] in _AND or (is_area and _is_nature(short, long)):
        return NameVerdict("part-of", 0.75, "one of the two that the name joins")
    if (verdict := _kind_again(short, long, rest, d)) is not None:
        return verdict
    if rest in lexicon.SOFT or _is_soft_area(rest):
        return _soft(short, long, rest, d)
    if lexicon.gains_street(short.kind, rest):
        return same_unless_far(short, long, d, 0.78, "a lane called a street")
    if short.kind is None and len(rest) == len(long.ending) - 1 and len(long.core) >= 2:
        return same_unless_far(short, long, d, 0.85, f"{long.ending} cut to its first character")
    if rest in lexicon.BESIDE or (long.ending in lexicon.BESIDE and short.scale <= BUILDING):
        return NameVerdict("different", 0.75, f"{rest} carries the name of its neighbour")
    if (
        long.ending in lexicon.GENERIC
        and short.kind
        and short.scale <= BUILDING
        and len(long.core) > len(short.bare) + 1
        and d is not None
    ):
        return NameVerdict("part-of", 0.65, "the area is named after the sight")
    if not within(d, prefix_reach(short, rest)):
        return NameVerdict("different", 0.6, f"shared beginning, {d or 0:.0f} m apart")
    return NameVerdict(
        "parent-of", prefix_score(short, rest), f"the second adds {rest} to the first"
    )


def _says_its_kind(short: PlaceName, long: PlaceName) -> bool:
    """Check whether the longer name only adds a word for a park or the like to a shorter name that
    does not say what kind of place it is.
    """
    if short.kind is not None or long.kind is None or len(short.bare) < _TELLING:
        return False
    return long.kind.code in _OF_ITS_OWN and not lexicon.is_region(short.bare)


def _is_here(short: PlaceName, long: PlaceName, rest: str) -> bool:
    """Check whether the longer name means the part of a long river or wall within the city."""
    is_long = short.kind is not None and short.kind.code in lexicon.LINEAR
    here = next((city for city in long.here if rest.startswith(city)), "")
    return is_long and bool(here) and rest.removeprefix(here) in lexicon.GENERIC


def _adds_nothing(
    short: PlaceName, long: PlaceName, rest: str, d: float | None
) -> NameVerdict | None:
    """Compare two names if the extra words of the longer name do not change which place it
    means.
    """
    if rest in lexicon.GENERIC:
        return same_unless_far(short, long, d, 0.92, f"equal but for the generic ending {rest}")
    if _is_here(short, long, rest):
        return same_unless_far(short, long, d, 0.75, f"{rest} of what is longer than the city")
    if rest in lexicon.VICINITY:
        return same_unless_far(short, long, d, 0.7, f"{rest} the same place")
    if _says_its_kind(short, long) and within(d, 100.0):
        return same_unless_far(short, long, d, 0.66, f"{rest} says what the first is")
    return None


def _kind_again(
    short: PlaceName, long: PlaceName, rest: str, d: float | None
) -> NameVerdict | None:
    """Compare two names if the shorter one ends with a word for a kind of place and the longer one
    adds another.
    """
    if short.kind is None or long.kind is None:
        return None
    if short.core == long.core and lexicon.are_synonyms(short.ending, long.ending):
        why = f"{short.ending} and {long.ending} are one kind"
        return same_unless_far(short, long, d, 0.85, why)
    if rest in (f"古{short.ending}", f"老{short.ending}"):
        return same_unless_far(short, long, d, 0.85, f"{rest} says its kind twice")
    if (short.kind.code, long.kind.code) == ("tower", "temple"):
        return NameVerdict("part-of", 0.7, "the temple is named after its tower")
    return None


def _is_nature(short: PlaceName, long: PlaceName) -> bool:
    """Check whether the shorter name or the core of the longer name ends with a word for a natural
    feature.
    """
    last = lexicon.ending(long.core)
    ends = last is not None and last[1].code in lexicon.NATURAL
    return ends or (short.kind is not None and short.kind.code in lexicon.NATURAL)


def _is_soft_area(rest: str) -> bool:
    """Check whether an optional ending such as "site" precedes the word for a scenic area."""
    found = lexicon.ending(rest)
    return (
        found is not None and found[0] in lexicon.GENERIC and rest[: -len(found[0])] in lexicon.SOFT
    )


def _soft(short: PlaceName, long: PlaceName, rest: str, d: float | None) -> NameVerdict:
    """Compare two names if the longer one adds an ending that popular names leave out."""
    scale = long.kind.scale if long.kind else long.scale
    of_nature = short.kind is not None and short.kind.code in lexicon.LANDSCAPE
    if of_nature and long.ending in lexicon.PARKS:
        scale = max(scale, short.scale)
    limit = 150.0 if scale == BUILDING else 800.0 if scale == COMPOUND else 2_500.0
    is_wall = long.kind is not None and long.kind.code == "wall"
    if of_nature and not is_wall and long.ending not in lexicon.PARKS:
        return NameVerdict("parent-of", 0.65, f"the {rest} of the first")
    in_sight = short.kind is not None and short.kind.code in lexicon.HOLDS_MUSEUM
    if in_sight and long.kind and long.kind.code == "museum" and (d is None or d > 60):
        return NameVerdict("parent-of", 0.75, f"the {rest} of the first")
    if within(d, limit):
        score = 0.88 if d is None or d <= 50 else 0.78
        return same_unless_far(short, long, d, score, f"equal but for the ending {rest}")
    if rest in lexicon.BESIDE:
        return NameVerdict("different", 0.7, f"{rest} lies apart")
    return NameVerdict("parent-of", 0.7, f"{rest} of the first, {d or 0:.0f} m away")


def _suffix(short: PlaceName, front: str, long: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare two names if the longer one ends with the shorter one."""
    if front in lexicon.SAME_ONE or front in lexicon.DESCRIPTIONS or front in lexicon.FILLERS:
        return same_unless_far(short, long, d, 0.9, f"equal but for {front} in front")
    if len(front) == 1 and front in lexicon.OTHER_ONE:
        return NameVerdict("different", 0.85, f"{front} in front makes another place")
    if front[-1] in _AND:
        return NameVerdict("part-of", 0.75, "one of the two that the name joins")
    if front.endswith(lexicon.OWNERS):
        return same_unless_far(short, long, d, 0.8, f"equal but for {front} in front")
    if front in lexicon.SHOWS:
        return NameVerdict("parent-of", 0.7, f"{front} at the first")
    if long.elsewhere and not short.elsewhere and (d is None or d > 300.0):
        return NameVerdict("different", 0.8, f"the one in {long.elsewhere}")
    is_other = front[-1] in lexicon.OTHER_ONE and not lexicon.is_region(front)
    if is_other and (d is None or d > 100.0):
        score = 0.65 if d is None else 0.7
        return NameVerdict("different", score, f"{front} in front makes another place")
    if len(short.core) < 2 and short.kind is not None:
        return _short_suffix(short, front, long, d)
    if short.city and short.city == short.core:
        return None
    if within(d, 1_000.0):
        score = 0.85 if _says_where(short, front) else 0.75
        return same_unless_far(short, long, d, score, f"equal but for {front} in front")
    return None


def _short_suffix(
    short: PlaceName, front: str, long: PlaceName, d: float | None
) -> NameVerdict | None:
    """Compare two names if the longer one ends with the shorter one and the shorter one has a core
    of at most one character.
    """
    if is_double(long, short) and within(d, 500.0):
        return NameVerdict("part-of", 0.6, "a double name and one of its halves")
    if len(front) > 1 and (short.core in _RANKS and lexicon.is_region(front)):
        return same_unless_far(short, long, d, 0.8, f"the one of {front}")
    if len(front) > 1 and short.core in _NUMBERS and short.scale > lexicon.PART:
        return same_unless_far(short, long, d, 0.65, f"equal but for {front} in front")
    if len(front) > 1 and (says_city_and_kind(front, long) or (d is not None and d <= 60.0)):
        return same_unless_far(short, long, d, 0.7, f"equal but for {front} in front")
    return None


def _says_where(name: PlaceName, front: str) -> bool:
    """Check whether the text before a complete name is only the name of a region, or only Latin
    letters.
    """
    if len(name.core if name.kind else name.bare) < 2:
        return False
    return front.isascii() or lexicon.is_region(front)


def _inside(short: PlaceName, long: PlaceName, rest: str, d: float | None) -> NameVerdict | None:
    front = long.bare.partition(short.bare)[0]
    if len(front) == 1 and front in lexicon.OTHER_ONE:
        return NameVerdict("different", 0.7, f"{front} in front makes another place")
    if front[-1:] in _AND:
        return NameVerdict("part-of", 0.75, "one of the two that the name joins")
    if rest in lexicon.GENERIC and within(d, 1_000.0) and _says_where(short, front):
        return same_unless_far(short, long, d, 0.82, f"equal but for {front} in front and {rest}")
    if _is_here(short, long, rest):
        return same_unless_far(short, long, d, 0.7, f"{rest} of what is longer than the city")
    is_area = short.kind is not None and short.scale >= COMPOUND and len(short.core) >= 2
    if rest in lexicon.GENERIC and is_area and within(d, 1_000.0) and not lexicon.ending(front):
        return same_unless_far(short, long, d, 0.72, f"equal but for {front} in front and {rest}")
    if long.ending in lexicon.GENERIC and rest == long.ending:
        return NameVerdict("part-of", 0.75, "the area is named after the sight")
    if rest in lexicon.SOFT and within(d, 150.0) and not lexicon.ending(front):
        return same_unless_far(short, long, d, 0.75, f"equal but for a name in front and {rest}")
    if within(d, 1_500.0):
        return NameVerdict("parent-of", 0.65, "the second holds the name of the first")
    return None


# --- Views, and slips of the pen -------------------------------------------------------------


def _compare_view(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare two names if one is the name of a famous view and begins with the other name.

    The other name may lack its beginning and its ending there.
    """
    for view, other in ((a, b), (b, a)):
        place = view.bare[:-2]
        if len(place) != 2 or view.bare[-2:] not in lexicon.SCENES or other.tail:
            continue
        if place in (other.bare, other.core) or other.core.endswith(place):
            return same_unless_far(a, b, d, 0.75, "a famous view, and what is seen")
    return None


def _respelt(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Return the verdict on two names after correcting a spelling mistake in one of them."""
    if is_reordered(a, b):
        return same_unless_far(a, b, d, 0.78, "the same words in another order")
    for one, other, turned in ((a, b, False), (b, a, True)):
        if (mended := as_spelled_in(one, other)) is not None:
            verdict = _as_written(mended, other, d)
            if verdict is None or verdict.label == "different":
                continue
            score = min(0.78, verdict.score - 0.05)
            verdict = replace(verdict, score=score, why=f"{verdict.why}, but for a slip")
            return verdict.turn() if turned else verdict
    return None


# --- Equal but for the ending ----------------------------------------------------------------


def _same_core(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare two names if they have the same core, or if one begins or ends with the other's
    core.
    """
    if a.core == b.core and len(a.core) >= 2 and a.kind and b.kind:
        return _two_endings(a, a.kind, b, b.kind, d)
    ends = len(min(a.core, b.core, key=len)) >= 2 and (
        a.core.endswith(b.core) or b.core.endswith(a.core)
    )
    if ends and {a.ending, b.ending} <= lexicon.GENERIC and within(d, 1_000.0):
        return same_unless_far(a, b, d, 0.7, "two areas, one with more in front")
    for one, other in ((a, b), (b, a)):
        front = other.bare.removesuffix(one.core)
        stands_alone = one.ending in lexicon.GENERIC and len(one.core) >= 3
        if stands_alone and front not in ("", other.bare) and lexicon.is_region(front):
            return same_unless_far(a, b, d, 0.75, f"the area, and {front} in front")
    for one, other, turned in ((a, b, False), (b, a, True)):
        if (verdict := _with_core(one, other, d)) is not None:
            return verdict.turn() if turned else verdict
    return None


def _with_core(one: PlaceName, other: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare two names if ``other`` contains the core of ``one`` and the ending of ``one`` can be
    left out, or if ``one`` is a scenic area whose name begins with the core of ``other``.
    """
    if _in_landscape(one, other, d):
        return NameVerdict("parent-of", 0.7, f"the second stands in {one.core}")
    if (
        len(one.core) < 2
        or one.core not in other.bare
        or one.brackets
        or not lexicon.is_loose(one.ending, one.kind)
    ):
        return None
    if one.ending in lexicon.GENERIC and one.core.endswith(other.bare) and one.core != other.bare:
        return NameVerdict("parent-of", 0.75, "the area is named after the sight")
    at_one_point = d is not None and d <= 30 and one.scale == other.scale
    areas = {one.ending, other.ending} <= lexicon.GENERIC
    goes_on = areas and d is not None and len(other.core) > len(one.core)
    smaller = one.scale > other.scale or at_one_point or goes_on
    is_near = within(d, max(2 * REACH_M[one.scale], runs(one.core)))
    if not other.bare.startswith(one.core) or not smaller or not is_near:
        return None
    public = other.kind is not None and other.kind.code in lexicon.PUBLIC
    sure = (
        one.ending in lexicon.GENERIC
        and not public
        and other.bare[len(one.core)] not in "市县区省镇"
    )
    return NameVerdict("parent-of", 0.75 if sure else 0.62, f"the second stands in {one.core}")


def _in_landscape(one: PlaceName, other: PlaceName, d: float | None) -> bool:
    """Check whether ``one`` is a scenic area whose name begins with the core of ``other``."""
    if one.ending not in lexicon.GENERIC or other.kind is None or one.core == other.core:
        return False
    public = other.kind.code in {*lexicon.PUBLIC, "lodging"}
    begins = len(other.core) >= 2 and one.core.startswith(other.core)
    return begins and other.scale <= BUILDING and not public and within(d, 3_000.0)


def _two_endings(
    a: PlaceName, a_kind: NameKind, b: PlaceName, b_kind: NameKind, d: float | None
) -> NameVerdict:
    if lexicon.are_synonyms(a.ending, b.ending):
        return same_unless_far(a, b, d, 0.85, f"{a.ending} and {b.ending} are one kind")
    quarter = a_kind.code == "street" == b_kind.code and _is_quarter(a) != _is_quarter(b)
    if quarter and within(d, 1_000.0):
        return same_unless_far(a, b, d, 0.72, "a street, and the quarter about it")
    if a.city and a.city == a.core:
        return NameVerdict("different", 0.8, f"the city's {a.ending} is not its {b.ending}")
    if lexicon.is_loose(a.ending, a_kind) and lexicon.is_loose(b.ending, b_kind):
        return _two_loose(a, b, d)
    if _is_housed(a, b, d):
        return NameVerdict("same", 0.65, f"the {b.ending} and the {a.ending} at one point")
    for one, kind, other, turned in ((a, a_kind, b, False), (b, b_kind, a, True)):
        public = other.kind is not None and other.kind.code in lexicon.PUBLIC
        is_area = len(one.ending) > 1 and lexicon.is_loose(one.ending, kind)
        if is_area and one.scale > other.scale and not (public and (d or 0.0) > REACH_M[one.scale]):
            verdict = NameVerdict("parent-of", 0.7, f"{other.ending} of {one.core}")
            return verdict.turn() if turned else verdict
    return NameVerdict("different", 0.8, f"{a.ending} is not {b.ending}", guess=d is not None)


def _is_quarter(name: PlaceName) -> bool:
    return name.ending.endswith(("街区", "风貌区"))


def _is_housed(a: PlaceName, b: PlaceName, d: float | None) -> bool:
    """Check whether a museum and the building that it is named after are at the same point."""
    codes = {name.kind.code for name in (a, b) if name.kind}
    is_house = a.scale == b.scale == BUILDING and not (a.city and a.city == a.core)
    return is_house and d is not None and d <= 30 and bool(codes & {"museum", "memorial"})


def _two_loose(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict:
    """Compare two names with optional endings: open areas count as the same place, but buildings do
    not.
    """
    inner = lexicon.ending(a.core)
    one_hill = inner is not None and inner[1].code in lexicon.LANDSCAPE and len(a.core) > 2
    is_near = (one_hill and within(d, 2_500.0)) or (
        within(d, 200.0) if {a.ending, b.ending} & lexicon.GENERIC else d is not None and d <= 200
    )
    if min(a.scale, b.scale) > BUILDING and is_near:
        return same_unless_far(a, b, d, 0.78, f"equal but for {a.ending} and {b.ending}")
    rank_a = (a.ending in lexicon.GENERIC, a.scale)
    rank_b = (b.ending in lexicon.GENERIC, b.scale)
    if rank_a == rank_b:
        return NameVerdict("different", 0.7, f"{a.ending} is not {b.ending}")
    return NameVerdict(
        "parent-of" if rank_a > rank_b else "part-of", 0.65, f"{b.ending}, {a.ending}"
    )
