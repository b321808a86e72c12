"""``tripbed review sample``: draw rows for people to judge, always the same for a snapshot."""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from flows.console import print_json
from flows.errors import SettingsError
from flows.review.samples.claims import Claim, read_claims
from flows.review.samples.files import check_form, hidden, key_of, write_rows
from flows.review.samples.passages import ClaimPassages, DocumentTexts
from flows.review.samples.places import SnapshotPlaces
from flows.review.samples.planting import Planter
from flows.review.samples.sentences import say
from schemas.ids import digest
from warehouse.read import Snapshot

#: Fewer planted rows than these tell nothing of a reader.
LEAST_PLANTED = 3


def sample(
    path: Path, table: str, n: int, seed: str | None, planted: float,
    folders: Sequence[Path], workspace: Path | None, out: Path, as_json: bool,
) -> None:  # fmt: skip
    """Write a sample and say what it holds. Raises SettingsError, CorpusError, SnapshotError."""
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
    # A row that is drawn is taken only where no other is left: its two versions would show it.
    wrong = list(islice(Planter(claims, places, passages, chosen).plant([*rest, *drawn]), wanted))
    if len(wrong) < wanted:
        raise SettingsError(
            f"only {len(wrong)} of {wanted} wrong rows can be made from {len(claims)} rows of"
            f" {table}: its cities have too few places or values; choose a snapshot with more"
        )
    rows = [*((c, False) for c in drawn), *((c, True) for c in wrong)]
    rows.sort(key=lambda row: digest(chosen, "order", row[0].row_id, str(row[1])))
    name = f"{snapshot_id}/{table}/{len(rows)}/{digest(chosen, str(n), str(planted))}"
    write_rows([_make_row(name, i, *row, places, passages) for i, row in enumerate(rows, 1)], out)
    _say(out, name, claims, drawn, len(wrong), places, as_json)


class Drawn(Protocol):
    """What can be drawn: a claim, a row."""

    @property
    def row_id(self) -> str: ...
    @property
    def city_id(self) -> str: ...


One = TypeVar("One", bound=Drawn)


def in_turn(claims: Iterable[One], seed: str) -> list[One]:
    """Claims of all cities in turn, in an order by the seed:
    every beginning is as even as can be.
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
    """A row of the file."""
    passage, document = passages.of(claim)
    pois = [claim.said[part] for part in ("poi_id", "parent_poi_id") if claim.said.get(part)]
    sources = "; ".join(line for line in map(places.line, claim.evidence) if line)
    return {
        "number": number, "claim": say(claim, places),
        "passage": passage or f"(no document, but {sources or 'rows of sources, see the places'})",
        "place": "\n".join(places.describe(poi, hide=claim.table) for poi in pois),
        "document": document, "verdict": "", "remark": "", "reader": "",
        "city": places.city(claim.city_id), "row_id": hidden(claim.row_id), "sample": name,
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
        return
    told = ", ".join(f"{city} {count}" for city, count in cities.items())
    sys.stdout.write(
        f"{out}: {len(drawn)} of {len(claims):,} rows ({told}) and {planted} planted wrong ones\n"
        "readers fill in verdict (right, wrong or unsure) and remark, each in a copy; then run "
        "`tripbed review score FILES`\n"
    )
