"""The command ``tripbed review sample``, which draws rows for people to check.

The same snapshot and the same seed always give the same rows.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from flows.console import print_json
from flows.errors import SettingsError
from flows.review.samples.claims import Claim, read_claims
from flows.review.samples.files import check_form, hide_id, key_of, write_rows
from flows.review.samples.passages import ClaimPassages, DocumentTexts
from flows.review.samples.sentences import SnapshotPlaces, say, term_of
from schemas.ids import digest
from schemas.place_names import fold
from warehouse.read import Snapshot

#: The smallest number of planted rows that shows whether a reviewer is careful.
LEAST_PLANTED = 3


def sample(
    path: Path, table: str, n: int, seed: str | None, planted: float,
    folders: Sequence[Path], workspace: Path | None, out: Path, as_json: bool,
) -> None:  # fmt: skip
    """Write a sample of rows, and print what it contains.

    Raises SettingsError if no sample can be drawn or the file cannot be written, CorpusError if a
    folder of documents cannot be read, and SnapshotError if the snapshot cannot be read.
    """
    check_form(out)
    snapshot = Snapshot(path)
    claims = read_claims(snapshot, table)
    snapshot_id = snapshot.manifest.snapshot_id()
    chosen = seed if seed is not None else snapshot_id
    places, passages = (
        SnapshotPlaces(snapshot),
        ClaimPassages(snapshot, DocumentTexts(folders, workspace)),
    )
    ordered = in_turn(claims, chosen)
    drawn, rest = ordered[:n], ordered[n:]
    wanted = max(LEAST_PLANTED, math.ceil(planted * len(drawn)))
    # A drawn row is changed only if no other row is left, because two versions would show it.
    wrong = list(islice(Planter(claims, places, passages, chosen).plant([*rest, *drawn]), wanted))
    if len(wrong) < wanted:
        raise SettingsError(
            f"the sample needs {wanted} planted wrong rows, but only {len(wrong)} can be made from"
            f" the {len(claims)} rows of {table}, because the snapshot's cities have too few places"
            " or values: choose a snapshot with more rows"
        )
    rows = [*((c, False) for c in drawn), *((c, True) for c in wrong)]
    rows.sort(key=lambda row: digest(chosen, "order", row[0].row_id, str(row[1])))
    name = f"{snapshot_id}/{table}/{len(rows)}/{digest(chosen, str(n), str(planted))}"
    write_rows([_make_row(name, i, *row, places, passages) for i, row in enumerate(rows, 1)], out)
    _say(out, name, claims, drawn, len(wrong), places, as_json)


class Drawn(Protocol):
    """A claim or a row that can be drawn for a sample."""

    @property
    def row_id(self) -> str: ...
    @property
    def city_id(self) -> str: ...


One = TypeVar("One", bound=Drawn)


def in_turn(claims: Iterable[One], seed: str) -> list[One]:
    """Order the claims by the seed, taking the cities in turn.

    The first claims are therefore spread evenly across the cities, however many are drawn.
    """
    of_city: dict[str, list[tuple[str, One]]] = defaultdict(list)
    for claim in claims:
        of_city[claim.city_id].append((digest(seed, claim.row_id), claim))
    turns = [
        (turn, digest(seed, city), claim)
        for city, keyed in of_city.items()
        for turn, (_, claim) in enumerate(sorted(keyed, key=lambda pair: (pair[0], pair[1].row_id)))
    ]
    return [claim for _, _, claim in sorted(turns, key=lambda found: found[:2])]


def _make_row(
    name: str,
    number: int,
    claim: Claim,
    planted: bool,
    places: SnapshotPlaces,
    passages: ClaimPassages,
) -> dict[str, Any]:
    """Return a row for the sample file."""
    passage, document = passages.of(claim)
    pois = [claim.said[part] for part in ("poi_id", "parent_poi_id") if claim.said.get(part)]
    sources = "; ".join(line for line in map(places.line, claim.evidence) if line)
    return {
        "number": number, "claim": say(claim, places),
        "passage": passage or f"(no document; see {sources or 'the source rows of the places'})",
        "place": "\n".join(places.describe(poi, hide=claim.table) for poi in pois),
        "document": document, "verdict": "", "remark": "", "reader": "",
        "city": places.city(claim.city_id), "row_id": hide_id(claim.row_id), "sample": name,
        "key": key_of(name, number, planted),
    }  # fmt: skip


def _say(
    out: Path,
    name: str,
    claims: list[Claim],
    drawn: list[Claim],
    planted: int,
    places: SnapshotPlaces,
    as_json: bool,
) -> None:
    cities = dict(sorted(Counter(places.city(claim.city_id) for claim in drawn).items()))
    if as_json:
        print_json({
            "path": str(out), "sample": name, "rows": len(drawn), "of": len(claims),
            "planted": planted, "cities": cities,
        })  # fmt: skip
    else:
        by_city = ", ".join(f"{city} {count}" for city, count in cities.items())
        print(
            f"{out}: {len(drawn)} of {len(claims):,} rows ({by_city}) and {planted} planted wrong"
            " rows\neach reviewer fills in the columns verdict (right, wrong or unsure) and remark"
            " in a copy of the file; then run `tripbed review score FILES`"
        )


#: The parts of a claim that are replaced to make it wrong; in other tables, it is the passage.
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
#: Fields with numbers as values, which can be compared with the numbers in a passage.
_IN_FIGURES = ("opening_hours", "last_admission", "ticket_price", "duration_hours")
_FIGURE = re.compile(r"(\d+)(?:([.:：])(\d+))?")
#: The maximum number of other values that are tried for one claim.
_TRIED = 40


class Planter:
    """Makes wrong claims from the claims of one table. The same seed gives the same claims."""

    def __init__(
        self, claims: list[Claim], places: SnapshotPlaces, passages: ClaimPassages, seed: str
    ):
        self._places, self._passages, self._seed = places, passages, seed
        self._true = {_said_key(claim) for claim in claims}
        self._alike: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        for claim in claims:
            self._alike[claim.city_id, claim.group].append(claim)

    def plant(self, claims: Iterable[Claim]) -> Iterator[Claim]:
        """Yield a wrong version of each claim for which such a version can be made."""
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
                if _said_key(made) not in self._true and self._differs(claim, part, value, passage):
                    yield made

    def _elsewhere(self, claim: Claim) -> Iterator[Claim]:
        """Yield the claim with passages from other claims in the city, which do not support this
        claim."""
        alike = self._alike[claim.city_id, claim.group]
        other = {c.evidence: c for c in alike if _said_key(c) != _said_key(claim)}
        for evidence in self._shuffle(claim, other):
            if evidence != claim.evidence:
                yield Claim(
                    claim.table, claim.row_id, claim.city_id, claim.group, claim.said, evidence
                )

    def _shuffle(self, claim: Claim, values: Iterable[Any]) -> list[Any]:
        return sorted(values, key=lambda v: digest(self._seed, claim.row_id, str(v)))

    def _others(self, claim: Claim, part: str) -> list[Any]:
        """Return different values for a part of a claim.

        For a place, the values are other places in the city, if possible of the same type.
        """
        if part == "poi_id":
            here = self._places.in_documents(claim.city_id)
            kind = self._places.type(claim.said["poi_id"])
            return [poi for poi in here if self._places.type(poi) == kind] or here
        alike = self._alike[claim.city_id, claim.group]
        return sorted({c.said[part] for c in alike} - {claim.said[part]})

    def _differs(self, claim: Claim, part: str, value: Any, passage: str) -> bool:
        """Check that a value makes the claim wrong, and that the passage does not support the
        value.
        """
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
    """Check whether a value has a number that the passage does not contain.

    A duration must also be outside the range in the claim.
    """
    mine, other, told = map(_figures, (claim.said["value"], value, passage))
    if claim.said["fact_field"] == "duration_hours":
        return max(mine) < min(other) or max(other) < min(mine)
    return bool(other - told - {figure + 12 for figure in told})


def _figures(text: str) -> set[float]:
    """Return the numbers in a text; times of day are returned in hours."""
    return {
        float(f"{whole}.{part or 0}") if sign == "." else int(whole) + int(part or 0) / 60
        for whole, sign, part in _FIGURE.findall(text)
    }


def _said_key(claim: Claim) -> tuple[str, str, str]:
    """Return a key that is equal for two claims with the same content in the same city."""
    return claim.city_id, claim.group, str(sorted(claim.said.items(), key=lambda item: item[0]))
