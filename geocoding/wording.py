"""Other wordings of one Chinese name: fillers, short forms, double names, shared pieces."""

from __future__ import annotations

from geocoding import lexicon
from geocoding.names import PlaceName


def without_fillers(text: str) -> str:
    """A name without the words that official forms put in and popular ones leave out."""
    for filler in lexicon.FILLERS:
        text = text.replace(filler, "")
    return text


def is_double(long: str, short: str) -> bool:
    """A name of two things in three characters, and one of them: X Y tower, Y tower."""
    if len(short) != 2 or len(long) != 3 or long[0] in lexicon.OTHER_ONE | lexicon.SAME_ONE:
        return False
    halves = (long[0] + long[-1], long[1:])
    return short in halves and all(lexicon.ending(half) is not None for half in halves)


def is_short_form(short: PlaceName, long: PlaceName) -> bool:
    """Whether the short name keeps some of the long one's words, whole or by first character.

    The ending may lose its beginning, or be cut to its first character like any word.
    """
    text = short.bare
    if (
        len(text) < 2
        or short.is_generic
        or len(long.bare) < len(text) + 2
        or (short.city and short.city == short.core)
    ):
        return False
    if lexicon.ending(short.core) is not None:
        return False
    import jieba

    jieba.setLogLevel(60)
    words = [*jieba.cut(long.core, HMM=False)]
    if any(_is_place(word) and word[0] not in short.core for word in words):
        return False
    if short.ending and long.ending.endswith(short.ending):
        words += [w for w in (long.ending.removesuffix(short.ending),) if w]
        return len(words) >= 2 and len(short.core) >= 2 and _keeps(short.core, words)
    return len(text) <= 5 and bool(words and long.ending) and _keeps(text, [*words, long.ending])


def _is_place(word: str) -> bool:
    """Whether a word within a name is a place of its own."""
    found = lexicon.ending(word)
    return found is not None and len(word) >= 3 and found[1].scale >= lexicon.BUILDING


def _keeps(text: str, words: list[str]) -> bool:
    """Whether the text is made of some of the words, in order, each whole or its first character."""
    if not text:
        return True
    return any(
        text.startswith(form) and _keeps(text[len(form) :], words[at + 1 :])
        for at, word in enumerate(words)
        for form in {word, word[0], word[-2:] if len(word) == 3 else word}
    )


def common_piece(one: str, two: str) -> str:
    """Longest common run of characters."""
    best = ""
    for start in range(len(one)):
        end = start + len(best) + 1
        while end <= len(one) and one[start:end] in two:
            best = one[start:end]
            end += 1
    return best
