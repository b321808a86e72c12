"""A name of a text among the places of one city: linked, for review, or left unresolved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from geocoding.blocking import own_keys
from geocoding.glosses import glosses, longest_gloss
from geocoding.names import NameReader, PlaceName, name_key, pinyin
from geocoding.pairs import compare
from geocoding.places import Places
from schemas.cities import City

#: From LINKED up a name is the place; from REVIEW up a person should look.
LINKED, REVIEW = 0.8, 0.6
#: A second place this close behind the best one makes the name ambiguous.
_MARGIN = 0.03
#: Fuzzy candidates: how many, and from which similarity (0-100) on.
_FUZZY_LIMIT, _FUZZY_CUTOFF = 8, 60.0


@dataclass(frozen=True)
class NameIndex:
    """Names of the places, by every key under which a surface name may ask for them."""

    reader: NameReader
    names: dict[str, list[PlaceName]] = field(default_factory=lambda: defaultdict(list))
    exact: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    standard: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    keys: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    english: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    folded: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, places: Places, city: City) -> NameIndex:
        """Index over the names and aliases of all places."""
        index = cls(NameReader.of(city))
        for row in places.pois.iter_rows(named=True):
            for name in (row["name_zh"], row["name_en"]):
                if name:
                    index.add(row["poi_id"], name)
                    index.standard[name_key(name)].add(row["poi_id"])
        for row in places.aliases.iter_rows(named=True):
            index.add(row["poi_id"], row["alias"])
        return index

    def add(self, poi_id: str, raw: str) -> None:
        """Make a name of a place known."""
        name = self.reader.read(raw)
        self.names[poi_id].append(name)
        self.exact[name_key(raw)].add(poi_id)
        self.folded[name.main].add(poi_id)
        for key in own_keys(name):
            self.keys[key].add(poi_id)
        for word in _english_words(name):
            self.english[word].add(poi_id)

    def candidates(self, name: PlaceName) -> list[str]:
        """Places that a name may stand for, by shared keys, words, and likeness; sorted."""
        # Only needed here, and not at every start.
        from rapidfuzz import fuzz, process

        found: set[str] = set()
        asked = own_keys(name) | {"".join(name.words), pinyin(name.bare)}
        if name.lang == "zh":
            asked |= {name.bare[start:] for start in range(1, len(name.bare) - 1)}
        for key in asked:
            found |= self.keys.get(key, set()) | self.english.get(key, set())
        votes: dict[str, int] = defaultdict(int)
        for word in name.words:
            for poi_id in self.english.get(word, ()):
                votes[poi_id] += 1
        found |= {poi_id for poi_id, n in votes.items() if 2 * n >= len(name.words)}
        close = process.extract(
            name.main, list(self.folded), scorer=fuzz.ratio, limit=_FUZZY_LIMIT,
            score_cutoff=_FUZZY_CUTOFF,
        )  # fmt: skip
        for main, _, _ in close:
            found |= self.folded[main]
        return sorted(found)


def _english_words(name: PlaceName) -> set[str]:
    """Words by which an English name may ask for a place: its own, its pinyin, its translations."""
    if name.lang != "zh":
        return {*name.words, "".join(name.words)}
    text, found = name.bare, {pinyin(name.bare), pinyin(name.core)}
    for start in range(len(text)):
        for end in range(start + 1, min(len(text), start + longest_gloss()) + 1):
            found.update(word for phrase in glosses().get(text[start:end], ()) for word in phrase)
            if 2 <= end - start <= 4:
                found.add(pinyin(text[start:end]))
        found.add(pinyin(text[start]))
    return found - {""}


@dataclass(frozen=True)
class Found:
    """What a name was found to be; ``rivals`` are places between which the name does not choose.

    ``margin`` is how far the score of the next best place is behind; 1 where no other fits.
    """

    poi_id: str | None
    score: float
    why: str
    rivals: tuple[str, ...] = ()
    margin: float = 1.0

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
    score, poi_id, why = ranked[0]
    margin = score - ranked[1][0] if len(ranked) > 1 else 1.0
    if score < REVIEW:
        return Found(None, score, why, margin=margin)
    rivals = tuple(other[1] for other in ranked if other[0] > score - _MARGIN)
    if len(rivals) > 1:
        why = f"{why}; {len(rivals) - 1} more fit as well"
        return Found(None, min(score, 0.79), why, rivals if score >= LINKED else (), margin)
    others = tuple(other[1] for other in ranked[1:] if other[0] >= REVIEW)
    return Found(poi_id if score >= LINKED else None, score, why, others, margin)


def _ranked(index: NameIndex, name: PlaceName) -> list[tuple[float, str, str]]:
    """Candidates that the name may be, best first: score, place, reason."""
    if name.is_generic:
        return []
    found = []
    for poi_id in index.candidates(name):
        score, why = _best(name, index.names[poi_id])
        if score > 0:
            found.append((score, poi_id, why))
    return sorted(found, key=lambda f: (-f[0], f[1]))


def _best(name: PlaceName, known: Iterable[PlaceName]) -> tuple[float, str]:
    """Confidence that the name is one of a place's names, and the reason of the best one."""
    best, reason = 0.0, ""
    for other in known:
        verdict = compare(name, other)
        score = verdict.score if verdict.label == "same" else _likeness(name, other)
        if score > best:
            best, reason = score, f"{other.raw}: {verdict.why}"
    return best, reason


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
