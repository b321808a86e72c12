"""Recognises reworded Chinese names: names with fillers, variant characters, or short or double
forms.

A reworded name may also contain a mistake: a word that sounds similar, a character that looks
similar, or words in a different order.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from geocoding import lexicon
from geocoding.names import PlaceName, pinyin
from geocoding.verdicts import NameVerdict, same_unless_far, within
from schemas.chinese_words import cut_words

#: Kinds that contain sights of their own, and the kinds of these sights.
_IN_FRONT = lexicon.LANDSCAPE | {"temple"}
_SIGHTS = (
    lexicon.LANDSCAPE | lexicon.NATURAL | {"cave", "spring", "peak", "bridge", "gate", "tower"}
)
#: Kinds that may also precede a name: ancient town X.
_IN_FRONT_TOO = ("古镇", "古城", "古村", "古街", "老街")
#: The fewest characters of names that sound alike, and the fewest characters before the kind of
#: place if one of them may be wrong.
_HEARD, _MISTYPED = 3, 4
#: The fewest characters of a name in which two words may be swapped.
_REORDERED = 6
#: Characters that distinguish things of one sort, so one for another is no slip.
_TELLING = lexicon.OTHER_ONE | frozenset("一二三四五六七八九十0123456789甲乙丙丁")


def compare_rewording(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare names with fillers, variant characters, short forms, or double names."""
    plain_a, plain_b = without_fillers(a.bare), without_fillers(b.bare)
    if plain_a == plain_b and len(plain_a) >= 2:
        return same_unless_far(a, b, d, 0.88, "equal but for a filler")
    cores = {without_fillers(a.core), without_fillers(b.core)}
    of_city = a.core != b.core and a.ending != b.ending and bool(a.city or b.city)
    if (
        len(cores) == 1
        and len(max(cores)) >= 2
        and not of_city
        and lexicon.are_synonyms(a.ending, b.ending)
    ):
        return same_unless_far(a, b, d, 0.82, "equal but for a filler and a like ending")
    if len(a.bare) >= 3 and pinyin(a.bare) == pinyin(b.bare):
        return same_unless_far(a, b, d, 0.8, "written otherwise, spoken alike")
    short, long = sorted((a, b), key=lambda n: len(n.bare))
    if _kind_last(a.bare) in (b.bare, b.core) or _kind_last(b.bare) in (a.bare, a.core):
        return same_unless_far(a, b, d, 0.85, "the kind in front and behind")
    if within(d, 2_500.0) and _lacks_kind(short.bare, long.bare):
        return same_unless_far(a, b, d, 0.9, "equal but for the kind of what stands in front")
    if (stretch := _section(a, b, d)) is not None:
        return stretch
    apart = bool(short.elsewhere) != bool(long.elsewhere)
    if within(d, 300.0) and not (apart and d is None) and is_short_form(short, long):
        return same_unless_far(a, b, d, 0.75, "a short form of the other name")
    if within(d, 300.0) and is_cut_form(short, long):
        return same_unless_far(a, b, d, 0.7, "the other name says more of its sort")
    if within(d, 300.0) and is_acronym(short, long):
        return same_unless_far(a, b, d, 0.72, "a character or more of every word")
    if is_double(long, short) and within(d, 500.0):
        verdict = NameVerdict("parent-of", 0.6, "a double name and one of its halves")
        return verdict if long is a else verdict.turn()
    return None


def _kind_last(text: str) -> str | None:
    """Move a word such as "ancient town" or "old street" from the front of a name to the end;
    return None if this is not possible.
    """
    kind = next((kind for kind in _IN_FRONT_TOO if text.startswith(kind)), None)
    is_name = kind is not None and len(text) - len(kind) >= len(kind)
    return text[len(kind) :] + kind if kind is not None and is_name else None


def _lacks_kind(short: str, long: str) -> bool:
    """Check whether the longer name only adds "hill", "lake" or "temple" to the beginning that both
    names share.

    Both names must end with a sight that is part of a hill, lake or temple (X hill cave, X cave). A
    name that ends with a park or museum does not count, because the park or museum may belong to a
    different place.
    """
    for cut in range(2, len(short) - 1):
        front, rest = short[:cut], short[cut:]
        if not (long.startswith(front) and long.endswith(rest)) or len(long) <= len(short):
            continue
        said, sight = lexicon.ending(long[: len(long) - len(rest)]), lexicon.ending(rest)
        is_kind = said is not None and said[0] == long[cut : len(long) - len(rest)]
        if is_kind and said and said[1].code in _IN_FRONT and sight and sight[1].code in _SIGHTS:
            return True
    return False


def _section(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict | None:
    """Compare the name of the city's own wall or river with the name of one of its sections."""
    if (
        a.kind is None
        or b.kind is None
        or a.kind.code != b.kind.code
        or a.kind.code not in lexicon.LINEAR
        or not within(d, 5_000.0)
    ):
        return None
    verdict = NameVerdict("parent-of", 0.6, f"a section of the {a.kind.code}")
    if a.city and a.city == a.core:
        return verdict
    return verdict.turn() if b.city and b.city == b.core else None


def says_city_and_kind(front: str, name: PlaceName) -> bool:
    """Check whether only the city and a kind of place precede the name, as in CITY garden X
    garden.
    """
    rest = front.removeprefix(name.city) or front
    found = lexicon.ending(rest)
    return found is not None and found[0] == rest and len(rest) > 1


def without_fillers(text: str) -> str:
    """Return a name without the words that official forms add and popular forms leave out."""
    for filler in lexicon.FILLERS:
        text = text.replace(filler, "")
    return text


def is_double(long: PlaceName, short: PlaceName) -> bool:
    """Check whether one name stands for two places and the other for one of the two (X Y tower, Y
    tower; XY lanes, X lane).
    """
    if len(short.bare) == 2 and len(long.bare) == 3:
        if long.bare[0] in lexicon.OTHER_ONE | lexicon.SAME_ONE:
            return False
        halves = (long.bare[0] + long.bare[-1], long.bare[1:])
        return short.bare in halves and all(lexicon.ending(half) is not None for half in halves)
    if len(short.core) != 1 or len(long.core) != 2 or short.kind is None:
        return False
    return (
        long.ending == short.ending
        and short.core in long.core
        and not set(long.core) & (lexicon.OTHER_ONE | lexicon.SAME_ONE)
    )


def is_cut_form(short: PlaceName, long: PlaceName) -> bool:
    """Check whether the longer name only adds the type or owner of the place, at the front or
    inside the name.

    For example, X forest zoo only adds a word to X zoo. Only words typical of official names may
    follow the shorter name, unless the shorter name has three or more characters. The shorter name
    must not be followed by the name of a different place.
    """
    core, whole = short.core, long.core
    if len(core) < 2 or short.ending != long.ending or not short.ending or short.city == core:
        return False
    if core not in whole:
        return _lacks_middle(core, whole)
    front, _, behind = whole.partition(core)
    official = behind in lexicon.AREA_WORDS
    if not behind or not (official or len(core) >= 3):
        return False
    if official:
        return front.endswith(lexicon.OWNERS) or not lexicon.ending(front)
    ends = (behind[:cut] for cut in range(2, len(behind) + 1))
    return not lexicon.ending(front) and not any(map(lexicon.ending, ends))


def _lacks_middle(core: str, whole: str) -> bool:
    """Check whether the shorter name only leaves out a piece inside the longer one (A B site, A
    site), where A has at least 3 characters.
    """
    return any(
        whole.startswith(core[:cut]) and whole.endswith(core[cut:])
        for cut in range(3, len(core) - 1)
    )


def is_acronym(short: PlaceName, long: PlaceName) -> bool:
    """Check whether the shorter name has one or more characters of every word in the longer
    name's core.
    """
    core, whole = short.core, long.core
    if (
        short.ending != long.ending
        or not short.ending
        or len(core) < 3
        or core[0] != whole[:1]
        or len(whole) < 2 * len(core)
        or short.city == core
    ):
        return False
    return _takes_from_each(core, cut_words(whole))


def _takes_from_each(text: str, parts: list[str]) -> bool:
    if not parts or not text:
        return not parts and not text
    return any(
        _in_order(text[:cut], parts[0]) and _takes_from_each(text[cut:], parts[1:])
        for cut in range(1, len(text) + 1)
    )


def _in_order(some: str, text: str) -> bool:
    """Check whether these characters occur in the text in this order."""
    rest = iter(text)
    return all(character in rest for character in some)


def is_short_form(short: PlaceName, long: PlaceName) -> bool:
    """Check whether the shorter name keeps some words of the longer one, in full or as first
    characters.

    The ending may lose its beginning, or may be reduced to its first character like any other word.
    """
    text = short.bare
    if (
        len(text) < 2
        or short.is_generic
        or len(long.bare) < len(text) + 2
        or (short.city and short.city == short.core)
        or lexicon.ending(short.core) is not None
    ):
        return False
    words = cut_words(long.core)
    if any(_is_place(word) and word[0] not in short.core for word in words):
        return False
    if short.ending and long.ending.endswith(short.ending):
        words += [w for w in (long.ending.removesuffix(short.ending),) if w]
        return len(words) >= 2 and len(short.core) >= 2 and _keeps(short.core, words)
    return len(text) <= 5 and bool(words and long.ending) and _keeps(text, [*words, long.ending])


def _is_place(word: str) -> bool:
    """Check whether a word inside a name is the name of a place by itself."""
    found = lexicon.ending(word)
    return found is not None and len(word) >= 3 and found[1].scale >= lexicon.BUILDING


def _keeps(text: str, words: list[str]) -> bool:
    """Check whether the text consists of some of the words in order, in full or as first
    characters.
    """
    return not text or any(
        text.startswith(form) and _keeps(text[len(form) :], words[at + 1 :])
        for at, word in enumerate(words)
        for form in {word, word[0], word[-2:] if len(word) == 3 else word}
    )


def common_piece(one: str, two: str) -> str:
    """Return the longest run of consecutive characters that two texts have in common."""
    best = ""
    for start in range(len(one)):
        end = start + len(best) + 1
        while end <= len(one) and one[start:end] in two:
            best = one[start:end]
            end += 1
    return best


def as_spelled_in(a: PlaceName, b: PlaceName) -> PlaceName | None:
    """Correct the mistake in the first name according to the second name; return None if there
    is no mistake.
    """
    for wanted in dict.fromkeys((b.bare, b.core)):
        if (run := _slip(a.bare, wanted)) is not None:
            return _rewritten(a, run, wanted)
    return None


def is_reordered(a: PlaceName, b: PlaceName) -> bool:
    """Check whether two long names have the same characters but two words in a different order."""
    one, two = a.bare, b.bare
    if len(one) != len(two) or len(one) < _REORDERED or sorted(one) != sorted(two):
        return False
    differ = [i for i, (x, y) in enumerate(zip(one, two, strict=True)) if x != y]
    start, end = differ[0], differ[-1] + 1
    piece = one[start:end]
    return any(piece[cut:] + piece[:cut] == two[start:end] for cut in range(1, len(piece)))


@lru_cache(maxsize=100_000)
def _slip(text: str, wanted: str) -> str | None:
    """Return the part of a text that is a misspelled form of a name, or None."""
    if len(wanted) < _HEARD or wanted in text:
        return None
    runs = (text[i : i + len(wanted)] for i in range(len(text) - len(wanted) + 1))
    return next((run for run in runs if _is_slip(run, wanted)), None)


def _is_slip(run: str, wanted: str) -> bool:
    wrong = [(x, y) for x, y in zip(run, wanted, strict=True) if x != y]
    if not wrong or any({x, y} & _TELLING for x, y in wrong) or len(wrong) == len(wanted):
        return False
    if all(pinyin(x) == pinyin(y) for x, y in wrong):
        return True
    ending = (lexicon.ending(wanted) or ("",))[0]
    is_long = len(wanted) - len(ending) >= _MISTYPED
    return is_long and len(wrong) == 1 and _sounds_like(*wrong[0])


def _sounds_like(one: str, other: str) -> bool:
    """Check whether the pinyin of two characters differs by at most one letter."""
    return Levenshtein.distance(pinyin(one), pinyin(other), score_cutoff=1) <= 1


def _rewritten(name: PlaceName, run: str, wanted: str) -> PlaceName:
    """Return the name with one run of characters replaced and the ending unchanged."""
    bare = name.bare.replace(run, wanted, 1)
    found = lexicon.ending(bare)
    ending, kind = found if found else ("", None)
    return replace(
        name, raw=name.raw.replace(run, wanted, 1), text=name.text.replace(run, wanted, 1),
        main=name.main.replace(run, wanted, 1), bare=bare, core=bare[: len(bare) - len(ending)],
        ending=ending, kind=kind,
    )  # fmt: skip
