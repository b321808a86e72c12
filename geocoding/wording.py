"""Find other wordings of one Chinese name: fillers, short forms, double names, shared pieces."""

from __future__ import annotations

from geocoding import lexicon
from geocoding.names import PlaceName


def without_fillers(text: str) -> str:
    """A name without the words that official forms put in and popular ones leave out."""
    for filler in lexicon.FILLERS:
        text = text.replace(filler, "")
    return text


def is_double(long: PlaceName, short: PlaceName) -> bool:
    """A name of two things of one kind, and one of them: X Y tower, Y tower; XY lanes, X lane."""
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
    """Whether the long name says of what sort or whose the short one is, in front or within.

    X zoo, X forest zoo: only words that official names put in may stand behind the name itself,
    unless three characters of it agree, and no other place.
    """
    core, whole = short.core, long.core
    if len(core) < 2 or short.ending != long.ending or not short.ending:
        return False
    if short.city and short.city == core:
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
    """Whether one piece within the whole is left out: A B site, A site;
    A keeps three characters.
    """
    return any(
        whole.startswith(core[:cut]) and whole.endswith(core[cut:])
        for cut in range(3, len(core) - 1)
    )


def is_acronym(short: PlaceName, long: PlaceName) -> bool:
    """Whether the short name takes a character or more of every word of a long name's core."""
    core, whole = short.core, long.core
    if short.ending != long.ending or not short.ending or len(core) < 3:
        return False
    if core[0] != whole[:1] or len(whole) < 2 * len(core) or (short.city and short.city == core):
        return False
    # jieba takes a quarter of a second to import.
    import jieba

    jieba.setLogLevel(60)
    return _takes_from_each(core, [*jieba.cut(whole, HMM=False)])


def _takes_from_each(text: str, parts: list[str]) -> bool:
    if not parts or not text:
        return not parts and not text
    return any(
        _in_order(text[:cut], parts[0]) and _takes_from_each(text[cut:], parts[1:])
        for cut in range(1, len(text) + 1)
    )


def _in_order(some: str, text: str) -> bool:
    """Whether the characters stand in the text in this order."""
    rest = iter(text)
    return all(character in rest for character in some)


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
    # jieba takes a quarter of a second to import.
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
    """Whether the text is made of some of the words, in order,
    each whole or its first character.
    """
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
