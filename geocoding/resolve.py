"""A name of a text among the places of one city: linked, for review, or left unresolved."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from geocoding.blocking import own_keys
from geocoding.index_rows import IndexRows, index_rows
from geocoding.names import NameReader, PlaceName, name_key, pinyin
from geocoding.pairs import compare
from geocoding.places import Places
from schemas.cities import City

#: From LINKED up a name is the place; from REVIEW up a person should look.
LINKED, REVIEW = 0.8, 0.6
#: From here on one place may be meant, if something besides the names says so.
_LIKELY = 0.65
#: A second place this close behind the best one makes the name ambiguous.
_MARGIN = 0.03
#: Fuzzy candidates: how many, and from which similarity (0-100) on.
_FUZZY_LIMIT, _FUZZY_CUTOFF = 8, 60.0


class NameIndex:
    """Names of a city's places, by every key under which a surface name may ask for them.

    ``exact`` holds the places by the key of each name, ``standard`` by that of their own names,
    ``folded`` by the folded name, in the order of the rows.
    """

    def __init__(self, rows: IndexRows, city: City) -> None:
        self.reader = NameReader.of(city)
        self.exact: dict[str, set[str]] = {}
        self.standard: dict[str, set[str]] = {}
        self.folded: dict[str, set[str]] = {}
        self._names: dict[str, list[str]] = {}
        columns = rows.names.select("poi_id", "name", "name_key", "main", "is_standard")
        for poi_id, name, key, main, is_standard in columns.iter_rows():
            self._names.setdefault(poi_id, []).append(name)
            self.exact.setdefault(key, set()).add(poi_id)
            self.folded.setdefault(main, set()).add(poi_id)
            if is_standard:
                self.standard.setdefault(key, set()).add(poi_id)
        self._places = rows.names["poi_id"].to_list()
        runs = rows.keys["key"].rle().struct.unnest()
        self._keys: list[str] = runs["value"].to_list()
        self._starts = [0, *runs["len"].cum_sum()]
        self._name_rows, self._is_word = (
            rows.keys["name_row"].to_numpy(),
            rows.keys["is_word"].to_numpy(),
        )

    @classmethod
    def of(cls, places: Places, city: City) -> NameIndex:
        """Index over the names and aliases of all places."""
        return cls(index_rows(places, city), city)

    def names_of(self, poi_id: str) -> list[PlaceName]:
        """The names of a place, taken apart."""
        return [self.reader.read(name) for name in self._names[poi_id]]

    def candidates(self, name: PlaceName) -> list[str]:
        """Places that a name may stand for, by shared keys, words, and likeness; sorted."""
        # Only needed here, and not at every start.
        from rapidfuzz import fuzz, process

        asked = own_keys(name) | {"".join(name.words), pinyin(name.bare)}
        if name.lang == "zh":
            asked |= {name.bare[start:] for start in range(1, len(name.bare) - 1)}
        found = {poi_id for key in asked for poi_id in self._under(key)}
        votes: Counter[str] = Counter()
        for word in name.words:
            votes.update(self._under(word, is_word=True))
        found |= {poi_id for poi_id, n in votes.items() if 2 * n >= len(name.words)}
        close = process.extract(
            name.main, list(self.folded), scorer=fuzz.ratio, limit=_FUZZY_LIMIT,
            score_cutoff=_FUZZY_CUTOFF,
        )  # fmt: skip
        for main, _, _ in close:
            found |= self.folded[main]
        return sorted(found)

    def _under(self, key: str, *, is_word: bool = False) -> set[str]:
        """The places that have a key, or have it as a word."""
        at = bisect_left(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            return set()
        rows = slice(self._starts[at], self._starts[at + 1])
        found = self._name_rows[rows]
        return {self._places[row] for row in (found[self._is_word[rows]] if is_word else found)}


@dataclass(frozen=True)
class Found:
    """What a name was found to be; ``rivals`` are places between which the name does not choose.

    ``margin`` is how far the score of the next best place is behind; 1 where no other fits.
    ``likely`` is the one place that the names let it be and that is not sure by them alone.
    """

    poi_id: str | None
    score: float
    why: str
    rivals: tuple[str, ...] = ()
    margin: float = 1.0
    likely: str | None = None

    @property
    def resolution(self) -> str:
        """linked, review or unresolved."""
        if self.poi_id is not None:
            return "linked"
        return "review" if self.score >= REVIEW else "unresolved"


def resolve_name(index: NameIndex, raw: str) -> Found:
    """The place of a city that a name stands for: by name, else by comparing it with others."""
    exact = index.exact.get(name_key(raw), set()) if name_key(raw) else set()
    if len(exact) > 1:  # a place's own name outranks another's alias
        exact = index.standard.get(name_key(raw), set()) or exact
    if len(exact) == 1:
        return Found(next(iter(exact)), 1.0, "the name is known")
    if exact:
        rivals = tuple(sorted(exact))
        return Found(None, 0.7, f"{len(exact)} places bear the name", rivals, margin=0.0)
    ranked = _ranked(index, index.reader.read(raw))
    if not ranked:
        return Found(None, 0.0, "no known place is near the name")
    best = ranked[0]
    score, poi_id, why = best.score, best.poi_id, best.why
    margin = score - ranked[1].score if len(ranked) > 1 else 1.0
    if score < REVIEW:
        return Found(None, score, why, margin=margin)
    rivals = tuple(other.poi_id for other in ranked if other.score > score - _MARGIN)
    if len(rivals) > 1:
        why = f"{why}; {len(rivals) - 1} more fit as well"
        return Found(None, min(score, 0.79), why, rivals if score >= LINKED else (), margin)
    others = tuple(other.poi_id for other in ranked[1:] if other.score >= REVIEW)
    if score >= LINKED:
        return Found(poi_id, score, why, others, margin)
    likely = poi_id if best.is_whole and score >= _LIKELY and not others else None
    return Found(None, score, why, others, margin, likely)


class _Candidate(NamedTuple):
    """A place that a name may be. ``is_whole``: by the names' rules, and not by one of which the
    name is the beginning: that is often a part or a branch."""

    score: float
    poi_id: str
    why: str
    is_whole: bool


def _ranked(index: NameIndex, name: PlaceName) -> list[_Candidate]:
    """Candidates that the name may be, best first."""
    if name.is_generic:
        return []
    found = []
    for poi_id in index.candidates(name):
        candidate = _best(name, poi_id, index.names_of(poi_id))
        if candidate.score > 0:
            found.append(candidate)
    return sorted(found, key=lambda f: (-f.score, f.poi_id))


def _best(name: PlaceName, poi_id: str, known: Iterable[PlaceName]) -> _Candidate:
    """Confidence that the name is one of a place's names, and the reason of the best one."""
    best = _Candidate(0.0, poi_id, "", False)
    for other in known:
        verdict = compare(name, other)
        is_same = verdict.label == "same"
        score = verdict.score if is_same else _likeness(name, other)
        if score > best.score:
            is_whole = is_same and not (other.tail or other.raw.startswith(name.raw))
            best = _Candidate(score, poi_id, f"{other.raw}: {verdict.why}", is_whole)
    return best


def _likeness(name: PlaceName, other: PlaceName) -> float:
    """Likeness of spelling where no rule speaks: never enough to link, at most for review."""
    # Only needed here, and not at every start.
    from rapidfuzz import fuzz

    if name.lang != other.lang or name.tail or other.tail or len(name.main) < 4:
        return 0.0
    if name.kind and other.kind and name.kind.code != other.kind.code:
        return 0.0
    ratio = fuzz.ratio(name.main, other.main) / 100
    return min(0.75, ratio - 0.1) if ratio >= 0.75 else 0.0
