"""Which seasons, holidays and kinds of traveller a text speaks of, with the places it does.

Only words count: a context that the text does not name is unknown, never guessed. Months count
in titles and headings, where they date the journey; in running text they may be opening hours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from schemas.documents import Document
from schemas.taxonomy import COMPACTNESS, HOLIDAYS, SEASONS, TRAVELLERS, Term

#: Weight of a hit in a title or heading against one in running text.
HEADING_WEIGHT = 3
_KINDS: tuple[tuple[str, tuple[Term, ...]], ...] = (
    ("season", SEASONS), ("holiday", HOLIDAYS), ("traveller", TRAVELLERS), ("compactness", COMPACTNESS),
)  # fmt: skip
_UNLESS_FOLLOWED_BY = {"spring": r"(?! festival| tour)", "qingming": r"(?!上河)"}
_SEASON_OF_MONTH = {
    month: season
    for season, months in {
        "spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "winter": (12, 1, 2),
    }.items()
    for month in months
}  # fmt: skip
#: Degrees from the equator within which a year has no four seasons.
_TROPIC = 15.0
_EN_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = re.compile(
    r"(?<![\d:.])(?P<number>1[0-2]|0?[1-9])\s*月|\b(?P<name>"
    + "|".join(_EN_MONTHS)
    + r")\b(?!\s+day)",
    re.IGNORECASE,
)


def season_of(month: int, lat: float) -> str | None:
    """The season of a month (1 to 12) at a latitude in degrees; near the equator there is none."""
    if abs(lat) < _TROPIC:
        return None
    return _SEASON_OF_MONTH[month if lat > 0 else (month + 5) % 12 + 1]


#: Months of which a holiday may take days.
_HOLIDAY_MONTHS = {
    "spring_festival": (1, 2), "qingming": (4,), "labor_day": (5,), "dragon_boat": (5, 6),
    "mid_autumn": (9, 10), "national_day": (10,),
}  # fmt: skip
_SHORT_MONTHS = {name[:3]: number for number, name in enumerate(_EN_MONTHS, 1)}


def contexts_of(valid_when: str, lat: float) -> tuple[str, ...]:
    """Ids of the seasons and holidays of which every day lies within a fact's validity.

    ``valid_when`` is a season, months (``Apr-Oct``), or several of these parted by commas; what
    is said in another form (weekdays, days of a month) is of no context.
    """
    seasons = {_SEASON_OF_MONTH[month] for month in _SEASON_OF_MONTH}
    months: set[int] = set()
    for part in re.split(r",\s*", valid_when.strip().lower()):
        if part in seasons:
            months |= {m for m in range(1, 13) if season_of(m, lat) == part}
            continue
        ends = [_SHORT_MONTHS.get(end) for end in part.split("-")]
        first, last = ends[0], ends[-1]
        if first is None or last is None or len(ends) > 2:
            return ()
        months |= {(first - 1 + k) % 12 + 1 for k in range((last - first) % 12 + 1)}
    within = [
        f"season:{season}" for season in sorted(seasons)
        if (own := {m for m in range(1, 13) if season_of(m, lat) == season}) and own <= months
    ]  # fmt: skip
    return (
        *within,
        *(f"holiday:{h}" for h, taken in _HOLIDAY_MONTHS.items() if {*taken} <= months),
    )


@dataclass(frozen=True)
class ContextHit:
    """One place of a document that names a context."""

    kind: str
    code: str
    start: int
    end: int
    weight: int
    is_title: bool = False


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    found = []
    for kind, terms in _KINDS:
        for term in terms:
            zh = {w for w in (term.zh, *term.words) if not w.isascii()}
            en = {w for w in (term.en, *term.words) if w.isascii()} - {"single"}
            parts = [re.escape(w) for w in sorted(zh, key=lambda w: (-len(w), w))]
            parts += [rf"\b{re.escape(w)}\b" for w in sorted(en, key=lambda w: (-len(w), w))]
            unless = _UNLESS_FOLLOWED_BY.get(term.code, "")
            found.append(
                (kind, term.code, re.compile(f"(?:{'|'.join(parts)}){unless}", re.IGNORECASE))
            )
    return tuple(found)


def context_hits(document: Document) -> Iterator[ContextHit]:
    """Every place where the document names a context, in order of kind, code and offset."""
    for kind, code, pattern in _patterns():
        for block in document.blocks:
            weight = HEADING_WEIGHT if block.kind in ("title", "heading") else 1
            for match in pattern.finditer(block.text):
                start = block.start + match.start()
                end, is_title = block.start + match.end(), block.kind == "title"
                yield ContextHit(kind, code, start, end, weight, is_title)
    yield from _month_hits(document)


def _month_hits(document: Document) -> Iterator[ContextHit]:
    for block in document.blocks:
        if block.kind not in ("title", "heading"):
            continue
        for match in _MONTH.finditer(block.text):
            month = (
                int(match["number"])
                if match["number"]
                else _EN_MONTHS.index(match["name"].lower()) + 1
            )
            start = block.start + match.start()
            code = _SEASON_OF_MONTH[month]
            end, is_title = block.start + match.end(), block.kind == "title"
            yield ContextHit("season", code, start, end, HEADING_WEIGHT, is_title)


def context_scores(document: Document) -> dict[tuple[str, str], int]:
    """Summed weight of the hits of each context that the document names."""
    scores: dict[tuple[str, str], int] = {}
    for hit in context_hits(document):
        scores[hit.kind, hit.code] = scores.get((hit.kind, hit.code), 0) + hit.weight
    return scores
