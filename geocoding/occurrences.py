"""Whether words in a text mean another place than the one to which their name was linked.

A document's names are linked by all their forms together, the best form deciding. Of these each
occurrence is asked once more by itself: the old street of a temple is not the temple, and one
house not the next.
"""

from __future__ import annotations

from collections.abc import Iterable

from geocoding import lexicon
from geocoding.names import PlaceName, name_key
from geocoding.pairs import compare

#: Kinds that lie at a sight and bear its name.
_LINED = frozenset({"street", "mall", "square"})
_SETTLED = frozenset({"town", "village"})


def is_another(written: PlaceName, names: Iterable[PlaceName]) -> bool:
    """Whether a written name is none of a place's names, nor a short form of one.

    Names in two languages are only parted by a kind that the place does not have.
    """
    known = list(names)
    key = name_key(written.raw)
    if any(name_key(name.raw) == key for name in known):
        return False
    if written.lang != "zh" or not any(name.lang == "zh" for name in known):
        return _is_lined(written, known) and not any(written.lang == n.lang for n in known)
    own = [name for name in known if name.lang == "zh"]
    if written.elsewhere and not any(name.elsewhere for name in own):
        return True
    if any(compare(written, name).label == "same" for name in own):
        return _is_lined(written, own) or _is_museum_of_open_land(written, own)
    is_own_word = not written.is_generic or key != written.bare
    if is_own_word and any(_is_short_of(key, name_key(name.raw)) for name in own):
        return False
    is_area = written.ending in lexicon.GENERIC
    if is_area and any(len(name.bare) > 1 and name.bare in written.bare for name in own):
        return False
    return not (written.kind is not None and written.kind.code in _SETTLED)


def _is_lined(written: PlaceName, known: list[PlaceName]) -> bool:
    """Whether a name says a street or a square, and every name of the place another kind."""
    if written.kind is None or written.kind.code not in _LINED:
        return False
    return all(name.kind is not None and name.kind.code not in _LINED for name in known)


def _is_museum_of_open_land(written: PlaceName, known: list[PlaceName]) -> bool:
    """Whether a name is a museum's, and the place a wall, a hill or a water."""
    if written.kind is None or written.kind.code != "museum":
        return False
    open_land = lexicon.LANDSCAPE | lexicon.LINEAR
    return all(name.kind is not None and name.kind.code in open_land for name in known)


def _is_short_of(short: str, long: str) -> bool:
    """Whether a name's characters stand in this order in a longer one."""
    rest = iter(long)
    return len(short) < len(long) and all(sign in rest for sign in short)
