"""Recognise a Chinese name written with a slip: a like sound, a similar sign, or another order."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from geocoding import lexicon
from geocoding.names import PlaceName, pinyin

#: Fewest characters that are heard to be one name, and fewest before the kind of place among
#: which one may be wrong.
_HEARD, _MISTYPED = 3, 4
#: Fewest characters of which two words may change places.
_REORDERED = 6
#: Signs that tell one thing from the next of its sort: no slip of one for another.
_TELLING = lexicon.OTHER_ONE | frozenset("一二三四五六七八九十0123456789甲乙丙丁")


def as_spelled_in(a: PlaceName, b: PlaceName) -> PlaceName | None:
    """The first name with its slip mended as the second has it; None where it shows none."""
    for wanted in dict.fromkeys((b.bare, b.core)):
        run = _slip(a.bare, wanted)
        if run is not None:
            return _rewritten(a, run, wanted)
    return None


def is_reordered(a: PlaceName, b: PlaceName) -> bool:
    """Whether two long names have the same characters, two words of them in another order."""
    one, two = a.bare, b.bare
    if len(one) != len(two) or len(one) < _REORDERED or sorted(one) != sorted(two):
        return False
    differ = [i for i, (x, y) in enumerate(zip(one, two, strict=True)) if x != y]
    start, end = differ[0], differ[-1] + 1
    piece = one[start:end]
    return any(piece[cut:] + piece[:cut] == two[start:end] for cut in range(1, len(piece)))


@lru_cache(maxsize=100_000)
def _slip(text: str, wanted: str) -> str | None:
    """The run of a text that is a name written with a slip; None where there is none."""
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
    """Whether two signs differ by one letter of their sound."""
    return Levenshtein.distance(pinyin(one), pinyin(other), score_cutoff=1) <= 1


def _rewritten(name: PlaceName, run: str, wanted: str) -> PlaceName:
    """The name with a run of it written otherwise; its ending stays."""
    bare = name.bare.replace(run, wanted, 1)
    found = lexicon.ending(bare)
    ending, kind = found if found else ("", None)
    return replace(
        name, raw=name.raw.replace(run, wanted, 1), text=name.text.replace(run, wanted, 1),
        main=name.main.replace(run, wanted, 1), bare=bare, core=bare[: len(bare) - len(ending)],
        ending=ending, kind=kind,
    )  # fmt: skip
