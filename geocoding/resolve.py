"""Looks up a name among the places in a city: links the name, sends it to review, or leaves it
unresolved.

All forms of a name in a document are linked to the same place, which the best-fitting form
determines. Each occurrence is then checked individually, because its wording may show that it
refers to a different place. Examples of different places are the old street near a temple, or a
house with a different number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from geocoding import lexicon
from geocoding.name_index import NameIndex
from geocoding.names import PlaceName, name_key
from geocoding.pairs import compare

#: From LINKED on, a name means the place; from REVIEW on, a person should check it.
LINKED, REVIEW = 0.8, 0.6
#: From this score on, a place may be meant if there is evidence besides the names.
_LIKELY = 0.65
#: Highest score of an inexact name; length of a short name; roads named after their quarter.
_UNSURE, _SHORT = 0.79, 2
_ROADS = ("大街", "大道", "路")
#: A second place within this score of the best one makes the name ambiguous.
_MARGIN = 0.03
#: Kinds that are at a sight and have its name.
_LINED = frozenset({"street", "mall", "square"})
_SETTLED = frozenset({"town", "village"})


@dataclass(frozen=True)
class Resolution:
    """The result of looking up a name; ``rivals`` are other places that fit the name equally well.

    ``margin`` is the lead over the next best score, or 1 if no other place fits. ``likely`` is the
    place that the name probably means, if no other place fits but the name alone is not enough for
    a link.
    """

    poi_id: str | None
    score: float
    why: str
    rivals: tuple[str, ...] = ()
    margin: float = 1.0
    likely: str | None = None

    @property
    def resolution(self) -> str:
        """Return the outcome of the look-up: linked, review or unresolved."""
        if self.poi_id is not None:
            return "linked"
        return "review" if self.score >= REVIEW else "unresolved"


def resolve_name(index: NameIndex, raw: str) -> Resolution:
    """Find the place in a city that a name means, by an equal name or else by comparing names."""
    keys = [name_key(raw)] if name_key(raw) else []
    exact = index.bearing(keys)
    if len(exact) > 1:  # a place's own name outranks another's alias
        exact = index.bearing(keys, own=True) or exact
    namesakes = _of_the_city(index, raw) - exact if len(exact) == 1 else set()
    if namesakes:
        exact = exact | namesakes
    if len(exact) == 1:
        return Resolution(next(iter(exact)), 1.0, "the name is known")
    if exact:
        rivals = tuple(sorted(exact))
        return Resolution(None, 0.7, f"{len(exact)} places bear the name", rivals, margin=0.0)
    ranked = _rank_candidates(index, index.reader.read(raw))
    if not ranked:
        return Resolution(None, 0.0, "no known place is near the name")
    best = ranked[0]
    branches = index.branches_of(keys[0]) if keys and best.score < LINKED else set()
    if len(branches) > 1 and best.poi_id in branches:
        why = f"{len(branches)} branches bear the name"
        return Resolution(None, 0.7, why, tuple(sorted(branches)), margin=0.0)
    score, poi_id, why = best.score, best.poi_id, best.why
    margin = score - ranked[1].score if len(ranked) > 1 else 1.0
    if score < REVIEW:
        return Resolution(None, score, why, margin=margin)
    rivals = tuple(other.poi_id for other in ranked if other.score > score - _MARGIN)
    if len(rivals) > 1:
        why = f"{why}; {len(rivals) - 1} more fit as well"
        return Resolution(None, min(score, 0.79), why, rivals if score >= LINKED else (), margin)
    others = tuple(other.poi_id for other in ranked[1:] if other.score >= REVIEW)
    if score >= LINKED:
        return Resolution(poi_id, score, why, others, margin)
    likely = poi_id if best.is_whole and score >= _LIKELY and not others else None
    return Resolution(None, score, why, others, margin, likely)


def _of_the_city(index: NameIndex, raw: str) -> set[str]:
    """Return the places in a city whose names are the city's name followed by this name."""
    fronts = (f"{city}{word}" for city in index.reader.city_zh for word in ("", "市"))
    return set(index.bearing([name_key(front + raw) for front in fronts]))


class _Candidate(NamedTuple):
    """A place that a name may mean, with the confidence and the reason.

    ``is_whole`` is True if the rules match the whole name rather than only its beginning.

    If only the beginning of a name matches, the name often means a part or a branch.
    """

    score: float
    poi_id: str
    why: str
    is_whole: bool


def candidates_for(index: NameIndex, forms: Iterable[str]) -> list[str]:
    """Return the places that a name may mean in any of its forms, starting with the most
    similar.
    """
    best: dict[str, float] = {}
    for form in forms:
        for found in _rank_candidates(index, index.reader.read(form)):
            best[found.poi_id] = max(found.score, best.get(found.poi_id, 0.0))
    return sorted(best, key=lambda poi_id: (-best[poi_id], poi_id))


def _rank_candidates(index: NameIndex, name: PlaceName) -> list[_Candidate]:
    """Return the candidates that the name may mean, sorted from best to worst."""
    if name.is_generic:
        return []
    found = (_best(name, poi_id, index.names_of(poi_id)) for poi_id in index.candidates(name))
    return sorted((one for one in found if one.score > 0), key=lambda f: (-f.score, f.poi_id))


def _best(name: PlaceName, poi_id: str, known: Iterable[PlaceName]) -> _Candidate:
    """Return the confidence that the name is one of a place's names, and the reason for the best
    match.
    """
    best = _Candidate(0.0, poi_id, "", False)
    for other in known:
        verdict = compare(name, other)
        is_same = verdict.label == "same"
        is_part = verdict.label == "part-of" and verdict.score >= LINKED
        score = verdict.score if is_same else 0.0 if is_part else _likeness(name, other)
        if is_same and _is_loosely_said(name, other):
            score = min(score, _UNSURE)
        if score > best.score:
            is_whole = is_same and not (other.tail or other.raw.startswith(name.raw))
            best = _Candidate(score, poi_id, f"{other.raw}: {verdict.why}", is_whole)
    return best


def _is_loosely_said(name: PlaceName, other: PlaceName) -> bool:
    """Check whether a name may mean the area that a place is named after, or one of many places,
    rather than the place itself.

    The check fails if the place's name has no word for its kind. A Chinese name passes if it has
    more than two characters and no word for its kind, and the place is a park or road whose name
    begins with it. A Chinese name of an island passes for a park whose name begins with it. A
    Chinese name of at most two characters passes if the place's name is a province, city, district
    or town followed by it. A name in another language passes if it is a river's and the place is a
    park.
    """
    if other.kind is None:
        return False
    is_park = other.kind.code == "park" or other.ending.endswith("公园")
    if name.lang != "zh":
        return is_park and name.kind is not None and name.kind.code == "river"
    rest = other.bare.removeprefix(name.bare)
    if rest != other.bare and rest:
        if name.kind is None:
            return len(name.bare) > _SHORT and (is_park or rest in _ROADS)
        return is_park and name.kind.code == "island"
    front = other.bare.removesuffix(name.bare)
    return len(name.bare) <= _SHORT and front != other.bare and lexicon.is_region(front)


def _likeness(name: PlaceName, other: PlaceName) -> float:
    """Return a score for the similarity of two spellings, which is used if no rule applies and is
    never enough for a link.
    """
    # Only needed here, and not at every start.
    from rapidfuzz import fuzz

    is_asked = name.lang == other.lang and not (name.tail or other.tail) and len(name.main) >= 4
    if not is_asked or (name.kind and other.kind and name.kind.code != other.kind.code):
        return 0.0
    ratio = fuzz.ratio(name.main, other.main) / 100
    return min(0.75, ratio - 0.1) if ratio >= 0.75 else 0.0


def is_another(written: PlaceName, names: Iterable[PlaceName]) -> bool:
    """Check whether a name from a text is neither one of a place's names nor a short form of one.

    If the place has no name in the language of the text, the name counts as different only if it
    belongs to a street, mall or square and the place's names show a different kind.
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
    """Check whether a name belongs to a street, mall or square, while the place's names show a
    different kind of place.
    """
    if written.kind is None or written.kind.code not in _LINED:
        return False
    return all(name.kind is not None and name.kind.code not in _LINED for name in known)


def _is_museum_of_open_land(written: PlaceName, known: list[PlaceName]) -> bool:
    """Check whether a name belongs to a museum, although the place is a wall, a hill or a body
    of water.
    """
    if written.kind is None or written.kind.code != "museum":
        return False
    open_land = lexicon.LANDSCAPE | lexicon.LINEAR
    return all(name.kind is not None and name.kind.code in open_land for name in known)


def _is_short_of(short: str, long: str) -> bool:
    """Check whether the characters of a name occur in this order in a longer name."""
    rest = iter(long)
    return len(short) < len(long) and all(sign in rest for sign in short)
