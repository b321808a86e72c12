"""Make wrong claims from true ones, with a part of another row of the same city.

Whoever reads the passage sees that such a claim is wrong; whoever does not, may not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from flows.review.samples.claims import Claim
from flows.review.samples.passages import ClaimPassages
from flows.review.samples.places import SnapshotPlaces
from flows.review.samples.sentences import term_of
from schemas.ids import digest
from schemas.place_names import fold

#: Parts of a claim that may be another's. Of other tables the passage is another's.
_SWAPPED = {
    "poi_mentions": ("poi_id",),
    "poi_facts": ("poi_id", "value"),
    "conditional_facts": ("poi_id", "value"),
    "poi_tags": ("poi_id", "context_id"),
    "context_tags": ("poi_id",),
    "poi_popularity": ("poi_id",),
    "poi_hierarchy": ("parent_poi_id",),
    "poi_aliases": ("alias",),
    "pois": ("poi_id",),
    "trajectories": ("poi_id", "day"),
}
#: Fields whose values are figures: whether a passage tells them can be seen.
_IN_FIGURES = ("opening_hours", "last_admission", "ticket_price", "duration_hours")
_FIGURE = re.compile(r"(\d+)(?:([.:：])(\d+))?")
#: Values of another row that are tried for one claim.
_TRIED = 40


class Planter:
    """Makes wrong claims of the claims of one table; equal seeds make equal ones."""

    def __init__(
        self, claims: list[Claim], places: SnapshotPlaces, passages: ClaimPassages, seed: str
    ):
        self._places, self._passages, self._seed = places, passages, seed
        self._true = {_key(claim) for claim in claims}
        self._alike: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        for claim in claims:
            self._alike[claim.city_id, claim.group].append(claim)

    def plant(self, claims: Iterable[Claim]) -> Iterator[Claim]:
        """A wrong claim of each of these of which one can be made."""
        for claim in claims:
            made = next(self._wrong(claim), None)
            if made is not None:
                yield made

    def _wrong(self, claim: Claim) -> Iterator[Claim]:
        if claim.table not in _SWAPPED:
            yield from self._elsewhere(claim)
            return
        passage = self._passages.of(claim)[0]
        for part in self._shuffle(claim, _SWAPPED[claim.table]):
            for value in islice(self._shuffle(claim, self._others(claim, part)), _TRIED):
                made = claim.but(part, value)
                if _key(made) not in self._true and self._differs(claim, part, value, passage):
                    yield made

    def _elsewhere(self, claim: Claim) -> Iterator[Claim]:
        """The claim with the passage of another row of the city that says something else."""
        alike = self._alike[claim.city_id, claim.group]
        other = {c.evidence: c for c in alike if _key(c) != _key(claim)}
        for evidence in self._shuffle(claim, other):
            if evidence != claim.evidence:
                yield Claim(
                    claim.table, claim.row_id, claim.city_id, claim.group, claim.said, evidence
                )

    def _shuffle(self, claim: Claim, values: Iterable[Any]) -> list[Any]:
        return sorted(values, key=lambda v: digest(self._seed, claim.row_id, str(v)))

    def _others(self, claim: Claim, part: str) -> list[Any]:
        """What could stand in a part: of places those of the city,
        of the same type if there are.
        """
        if part == "poi_id":
            here = self._places.in_documents(claim.city_id)
            kind = self._places.type(claim.said["poi_id"])
            return [poi for poi in here if self._places.type(poi) == kind] or here
        alike = self._alike[claim.city_id, claim.group]
        return sorted({c.said[part] for c in alike} - {claim.said[part]})

    def _differs(self, claim: Claim, part: str, value: Any, passage: str) -> bool:
        """Whether another value makes the claim wrong, and the passage does not tell it too."""
        if part in ("poi_id", "parent_poi_id"):
            mine = [claim.said[p] for p in ("poi_id", "parent_poi_id") if p in claim.said]
            apart = all(self._places.are_apart(poi, value) for poi in mine)
            return apart and not any(
                name in fold(passage) for name in self._places.list_names(value)
            )
        if part == "alias":
            called, alias = self._places.list_names(claim.said["poi_id"]), fold(value)
            return not any(alias in name or name in alias for name in called)
        if part == "context_id":
            term = term_of(value)
            words = (term.zh, term.en, *term.words)
            return not any(fold(word) in fold(passage) for word in words if word)
        if part == "value":
            return claim.said["fact_field"] in _IN_FIGURES and figures_differ(claim, value, passage)
        return True


def figures_differ(claim: Claim, value: str, passage: str) -> bool:
    """Whether a value has a figure that the passage lacks;
    a stay also none of the claim's range.
    """
    mine, other, told = map(_figures, (claim.said["value"], value, passage))
    if claim.said["fact_field"] == "duration_hours":
        return max(mine) < min(other) or max(other) < min(mine)
    afternoon = {figure + 12 for figure in told}
    return bool(other - told - afternoon)


def _figures(text: str) -> set[float]:
    """The numbers of a text; clock times in hours."""
    return {
        float(f"{whole}.{part or 0}") if sign == "." else int(whole) + int(part or 0) / 60
        for whole, sign, part in _FIGURE.findall(text)
    }


def _key(claim: Claim) -> tuple[str, str, str]:
    """What a claim says, where: two rows of one key say the same."""
    return claim.city_id, claim.group, str(sorted(claim.said.items(), key=lambda item: item[0]))
