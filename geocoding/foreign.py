"""Compares names in Latin letters, either pinyin or translations, with one another and with
Chinese names.
"""

from __future__ import annotations

import re

from geocoding import lexicon
from geocoding.names import PlaceName, pinyin, words
from geocoding.translation import (
    Alignment,
    align,
    align_spelled,
    glosses,
    is_known,
    split_compounds,
    translations,
)
from geocoding.verdicts import NameVerdict, same_unless_far
from schemas.word_lists import Lists

_LISTS = Lists("geocoding")

#: English words that some translators add and others leave out.
_WEAK = frozenset(_LISTS.words("weak_words"))


#: Shares of words and characters from which long names agree, and the fewest words of such names.
_MOSTLY, _MANY_WORDS = 0.74, 3
_SYLLABLE = re.compile(rf"(?:[bpmfdtnlgkhjqxrzcsyw]|zh|ch|sh)?(?:{_LISTS.either('pinyin_finals')})")


def compare_translated(zh: PlaceName, en: PlaceName, d: float | None) -> NameVerdict:
    """Return the verdict on a Chinese and a Latin name.

    ``d`` is the distance between the places in metres, or None if it is unknown.
    """
    if any(words(bracket) == words(en.main) for bracket in zh.brackets):
        return same_unless_far(zh, en, d, 0.95, "the name stands in brackets")
    if not en.words:
        return NameVerdict("different", 0.9, "nothing to compare")
    spelled = "".join(en.words)
    if not zh.tail and spelled in (pinyin(zh.bare), pinyin(zh.main)):
        return same_unless_far(zh, en, d, 0.92, "the pinyin of the name")
    verdict = _align(zh, en, d)
    if verdict.label == "same" and zh.tail:
        return NameVerdict("part-of", 0.85, "the name before the dash")
    return verdict


def _align(zh: PlaceName, en: PlaceName, d: float | None) -> NameVerdict:
    said, found = _best_alignment(zh, en)
    start = len(zh.city) if not any(found.zh_covered[: len(zh.city)]) else 0
    core_share = found.zh_share(start, len(zh.core)) if len(zh.core) > start else 1.0
    missing = {word for word, hit in zip(said, found.en_covered, strict=True) if not hit}
    ending_hit = found.zh_share(len(zh.core), len(zh.bare)) == 1.0 if zh.ending else True
    why = f"translation: {found.en_share:.0%} of the words, {core_share:.0%} of the core"
    if not any(found.zh_covered) or (en.is_generic and start):
        return NameVerdict("different", 0.85, why, guess=not any(found.zh_covered))
    if core_share == 1.0:
        return _core_covered(zh, en, d, missing, ending_hit, why)
    if not missing and core_share >= 0.5 and found.zh_covered[start]:
        if _goes_on(zh, found.zh_covered):
            return NameVerdict("part-of", 0.65, "the Chinese name goes on")
        return same_unless_far(zh, en, d, round(0.6 + 0.3 * core_share, 2), why)
    tail = found.zh_covered[start : len(zh.core)]
    is_part = en.kind is not None and en.kind.scale < lexicon.COMPOUND and len(en.words) > 1
    if not missing and zh.ending in lexicon.GENERIC and is_part and tail[-1:] == (True,):
        return NameVerdict("parent-of", 0.65, "the area is named after the sight")
    inner = lexicon.ending(zh.core)
    is_area = (
        inner is not None and inner[1].scale >= lexicon.COMPOUND and zh.ending in lexicon.GENERIC
    )
    if not missing and is_area and sum(tail) >= 3 and all(tail[tail.index(True) :]):
        return same_unless_far(zh, en, d, 0.65, f"{why}; more stands in front")
    if not missing and len(en.words) >= 2 and core_share >= 1 / 3 and ending_hit:
        return same_unless_far(zh, en, d, 0.62, why)
    mostly = min(found.en_share, core_share) >= _MOSTLY and ending_hit
    if mostly and sum(found.en_covered) >= _MANY_WORDS:
        return same_unless_far(zh, en, d, 0.62, why)
    if _all_but_last(en, found, core_share):
        return same_unless_far(zh, en, d, 0.6, f"{why}; the last word is another one")
    if ending_hit and _is_brand(zh, en, start):
        return same_unless_far(zh, en, d, 0.62, f"{why}; the first word is a name of its own")
    if core_share < 1.0 and _covers_landscape(zh, found, start):
        return _core_covered(zh, en, d, missing, ending_hit, why)
    return NameVerdict("different", 0.8, why)


def _all_but_last(en: PlaceName, found: Alignment, core_share: float) -> bool:
    """Check whether a long name matches except for its last English word, which names no kind of
    place.
    """
    missing = [i for i, hit in enumerate(found.en_covered) if not hit]
    is_last = missing == [len(found.en_covered) - 1] and en.kind is None
    return is_last and len(found.en_covered) > _MANY_WORDS and core_share >= _MOSTLY


def _is_brand(zh: PlaceName, en: PlaceName, start: int) -> bool:
    """Check whether everything matches except the first word, which is a brand written in two
    scripts.

    A brand is neither a translation nor the pinyin of a different name. A brand spelled according
    to a different dialect may end like the pinyin of the Chinese brand, but it has more syllables.
    """
    said, found = en.words, align(zh.bare, zh.ending, en.words)
    missing = [i for i, hit in enumerate(found.en_covered) if not hit and said[i] not in _WEAK]
    open_ = [i for i in range(start, len(zh.bare)) if not found.zh_covered[i]]
    if missing != [0] or not 2 <= len(open_) <= 3 or open_ != [*range(start, start + len(open_))]:
        return False
    if len(said[0]) < 5 or is_known(said[0]) or not any(found.en_covered):
        return False
    if not re.fullmatch(f"(?:{_SYLLABLE.pattern})+", said[0]):
        return True
    syllables = _SYLLABLE.findall(said[0])
    return len(syllables) > len(open_) and said[0].endswith(pinyin(zh.bare[open_[-1]]))


def _covers_landscape(zh: PlaceName, found: Alignment, start: int) -> bool:
    """Check whether the English name covers the core of a scenic area's name, except for the word
    for a hill or lake.
    """
    inner = lexicon.ending(zh.core)
    if zh.ending not in lexicon.GENERIC or inner is None or inner[1].code not in lexicon.LANDSCAPE:
        return False
    covered = found.zh_covered[start : len(zh.core)]
    return sum(covered) >= 2 and len(covered) - sum(covered) == len(inner[0])


def _best_alignment(zh: PlaceName, en: PlaceName) -> tuple[tuple[str, ...], Alignment]:
    """Return the words of the English name and their alignment, in the variant that fits best.

    Three variants are tried: the words as written, the words with compounds split, and the words
    with the city's other name as one word.
    """
    readings = dict.fromkeys((en.words, split_compounds(en.words), words(en.main)))
    found = [(said, align(zh.bare, zh.ending, said)) for said in readings]
    return max(found, key=lambda f: (f[1].zh_share(0, len(zh.bare)), f[1].en_share))


def _core_covered(
    zh: PlaceName, en: PlaceName, d: float | None, missing: set[str], ending_hit: bool, why: str
) -> NameVerdict:
    """Compare two names if the English name covers the Chinese core; the remaining words decide."""
    inner = lexicon.ending(zh.core)
    after_part = inner and inner[1] is en.kind and en.kind.scale == lexicon.PART
    if after_part and not ending_hit and zh.ending not in lexicon.GENERIC and missing <= _WEAK:
        return NameVerdict("parent-of", 0.65, f"{zh.ending} named after the {en.ending}")
    if not missing:
        return _all_said(zh, en, d, ending_hit, why)
    extra = _kind_of(missing)
    if (why_same := _same_with_more(zh, en, missing, extra, ending_hit)) is not None:
        return same_unless_far(zh, en, d, why_same[0], f"{why}; {why_same[1]}")
    if zh.ending in lexicon.GENERIC and (en.kind or extra):
        return NameVerdict("parent-of", 0.65, f"a sight named after {zh.core}")
    if not extra and zh.ending in lexicon.GENERIC:
        return same_unless_far(zh, en, d, 0.62, f"{why}; the English name says what it is")
    if not extra and len(missing) == 1 and ending_hit and _spells_whole(zh, en) and zh.ending:
        return same_unless_far(zh, en, d, 0.6, f"{why}; the pinyin and a word that names no kind")
    if not extra and len(missing) == 1 and len(en.words) > _MANY_WORDS and ending_hit:
        return same_unless_far(zh, en, d, 0.65, f"{why}; one word more")
    at_hill = zh.kind is not None and zh.kind.code in lexicon.LANDSCAPE
    is_small = extra is not None and extra.code not in {*lexicon.PUBLIC, "lodging"}
    if at_hill and is_small and _scale_of(missing) == lexicon.BUILDING:
        return NameVerdict("parent-of", 0.62, f"a sight named after {zh.core}")
    if extra is not None and extra.scale == lexicon.PART:
        return NameVerdict("parent-of", 0.65, "a part of the place")
    return NameVerdict("different", 0.8, why)


def _all_said(
    zh: PlaceName, en: PlaceName, d: float | None, ending_hit: bool, why: str
) -> NameVerdict:
    """Compare two names if every English word, except perhaps the ending, has a Chinese
    counterpart.
    """
    if ending_hit or lexicon.is_loose(zh.ending, zh.kind) or not zh.ending:
        return same_unless_far(zh, en, d, 0.9 if ending_hit else 0.82, why)
    inner = lexicon.ending(zh.core)
    of_area = inner is not None and inner[1] is en.kind and inner[1].scale >= lexicon.COMPOUND
    if zh.kind and (zh.kind.scale == lexicon.PART or (of_area and zh.ending not in lexicon.BESIDE)):
        return NameVerdict("part-of", 0.7, f"{zh.ending} of the place")
    return NameVerdict("different", 0.7, f"{zh.ending} is not said")


def _same_with_more(
    zh: PlaceName,
    en: PlaceName,
    missing: set[str],
    extra: lexicon.NameKind | None,
    ending_hit: bool,
) -> tuple[float, str] | None:
    """Return the confidence and the reason if the words without a counterpart do not change the
    place's meaning.
    """
    if _scale_of(missing) >= lexicon.COMPOUND and zh.kind is None:
        return 0.75, "one adds its kind"
    if missing <= _WEAK and ending_hit:
        return 0.82, "words that come and go"
    meanings = {
        frozenset(phrase)
        for last in (zh.core[-1:], zh.ending)
        for phrase in (*glosses().get(last, ()), *translations(last))
    }
    if frozenset(missing) in meanings and (ending_hit or lexicon.is_loose(zh.ending, zh.kind)):
        return 0.85, "one says its kind twice"
    if extra is not None and (ending_hit or not zh.ending) and _is_soft(missing):
        return 0.75, "one adds its kind"
    if extra is not None and ending_hit and _spells_whole(zh, en) and extra.scale > lexicon.PART:
        return 0.82, "the pinyin with its kind"
    return None


def _goes_on(zh: PlaceName, covered: tuple[bool, ...]) -> bool:
    """Check whether anything but optional endings follows the last covered part."""
    last = max(index for index, hit in enumerate(covered) if hit)
    loose = zh.ending if zh.ending in lexicon.GENERIC else ""
    rest = zh.bare[last + 1 :].removesuffix(loose)
    return bool(rest) and rest not in lexicon.GENERIC and rest not in lexicon.SOFT


def _spells_whole(zh: PlaceName, en: PlaceName) -> bool:
    """Check whether the English name begins with the whole Chinese name in pinyin."""
    return "".join(en.words).startswith(pinyin(zh.bare))


def _kind_of(missing: set[str]) -> lexicon.NameKind | None:
    kinds = (kind for name, kind in lexicon.EN_KINDS.items() if set(words(name)) == missing)
    return next(kinds, None)


def _scale_of(missing: set[str]) -> int:
    """Return the scale of the kind of place that the words name, or -1 if they name no kind."""
    kind = _kind_of(missing)
    return -1 if kind is None else kind.scale


def _is_soft(missing: set[str]) -> bool:
    return any(set(words(name)) == missing for name in lexicon.SOFT_EN)


def compare_latin(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict:
    """Return the verdict on two Latin names.

    ``d`` is the distance between the places in metres, or None if it is unknown.
    """
    if bool(a.tail) != bool(b.tail) and a.words == b.words:
        verdict = NameVerdict("parent-of", 0.95, "the name before the dash")
        return verdict if b.tail else verdict.turn()
    if a.tail != b.tail:
        return NameVerdict("different", 0.85, "parts of their own")
    if "".join(a.words) == "".join(b.words):
        return same_unless_far(a, b, d, 0.95, "equal names")
    if sorted(a.words) == sorted(b.words):
        return same_unless_far(a, b, d, 0.9, "equal words")
    if a.is_generic or b.is_generic:
        return NameVerdict("different", 0.85, "one names only a kind")
    if a.core == b.core and a.kind and b.kind:
        return _latin_endings(a, b, d)
    if any(_says_where(one, other) for one, other in ((a, b), (b, a))):
        return same_unless_far(a, b, d, 0.82, "one says where it lies")
    for one, other, turned in ((a, b, False), (b, a, True)):
        if set(one.words) < set(other.words):
            verdict = _latin_longer(one, other, d)
            return verdict.turn() if turned else verdict
    return _latin_spelled(a, b, d)


def _says_where(long: PlaceName, short: PlaceName) -> bool:
    """Check whether the longer name consists of the shorter name (of two or more words), the word
    "in" and a location.
    """
    head, where, _ = long.main.partition(" in ")
    return bool(where) and len(short.words) > 1 and words(head) == short.words


def _latin_endings(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict:
    codes = {name.kind.code for name in (a, b) if name.kind}
    one_market = ("market" in a.ending) == ("market" in b.ending)
    if one_market and (len(codes) == 1 or codes <= _WORSHIP):
        return same_unless_far(a, b, d, 0.85, f"{a.ending} and {b.ending} are one kind")
    return NameVerdict("different", 0.75, f"{a.ending} is not {b.ending}")


_WORSHIP = frozenset({"temple", "shrine"})


def _latin_longer(short: PlaceName, long: PlaceName, d: float | None) -> NameVerdict:
    """Compare two names if the longer one contains all words of the shorter one and additional
    words.
    """
    extra = set(long.words) - set(short.words)
    if extra <= _WEAK or _is_soft(extra):
        return same_unless_far(short, long, d, 0.82, f"equal but for {' '.join(sorted(extra))}")
    kind = _kind_of(extra)
    if long.kind is not None and short.words == long.words[: len(short.words)]:
        if kind is not None and kind.scale > lexicon.PART and short.kind is None:
            return same_unless_far(short, long, d, 0.75, "the kind is added")
        return NameVerdict("parent-of", 0.7, "the second goes on after the first")
    return NameVerdict("different", 0.7, "more words, another place")


def _latin_spelled(a: PlaceName, b: PlaceName, d: float | None) -> NameVerdict:
    """Compare two names if one is in pinyin and the other is translated."""
    for one, other in ((a, b), (b, a)):
        found = align_spelled(one.words, other.words)
        if found.en_share == 1.0 and found.zh_share(0, len(found.zh_covered)) >= 0.6:
            return same_unless_far(a, b, d, 0.75, "one spells what the other translates")
    unlike = not set(a.words) & set(b.words)
    return NameVerdict("different", 0.8, "different names", guess=unlike)
