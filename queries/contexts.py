"""Finds the seasons, holidays and kinds of traveller that a text mentions, with their positions.

Only words count: a context that the text does not name is unknown, never guessed. Months count in
titles and headings, where they date the journey; in running text they may be opening hours.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from queries.home import terms_of
from schemas.cities import City
from schemas.documents import Block, Document
from schemas.festivals import festival_of
from schemas.seasons import NORTHERN_MONTHS, season_months, season_of
from schemas.taxonomy import COMPACTNESS, HOLIDAYS, SEASONS, TRAVELLERS, Term

#: Kind of a hit that names a month: which season that is, the city's hemisphere decides.
MONTH = "month"
#: Weight of a hit in a title or heading against one in running text.
HEADING_WEIGHT = 3
_HEADINGS = ("title", "heading")
_KINDS: tuple[tuple[str, tuple[Term, ...]], ...] = (
    ("season", SEASONS),
    ("holiday", HOLIDAYS),
    ("traveller", TRAVELLERS),
    ("compactness", COMPACTNESS),
)
_UNLESS_AFTER = {
    "new_year": r"(?<!Chinese )(?<!Lunar )(?<!Jewish )", "easter": r"(?<!Orthodox )",
}  # fmt: skip
_UNLESS_FOLLOWED_BY = {"spring": r"(?! festival| tour)", "qingming": r"(?!上河)"}
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


#: Years of which a moving holiday is taken to fall in every month that it may.
_YEARS = range(2020, 2031)


@cache
def _holiday_months(code: str) -> frozenset[int]:
    """Months of which a holiday may take days."""
    spans = [festival_of(code).span(year) for year in _YEARS]
    return frozenset(
        (first + dt.timedelta(days=n)).month
        for first, last in spans
        for n in range((last - first).days + 1)
    )


_SHORT_MONTHS = {name[:3]: number for number, name in enumerate(_EN_MONTHS, 1)}


def contexts_of(valid_when: str, city: City) -> tuple[str, ...]:
    """Ids of the seasons and holidays of which every day lies within a fact's validity.

    ``valid_when`` is a season, months (``Apr-Oct``), or several of these parted by commas; what
    is said in another form (weekdays, days of a month) is of no context.
    """
    lat, seasons = city.lat, NORTHERN_MONTHS
    months: set[int] = set()
    for part in re.split(r",\s*", valid_when.strip().lower()):
        if part in seasons:
            months |= {*season_months(part, lat)}
            continue
        ends = [_SHORT_MONTHS.get(end) for end in part.split("-")]
        first, last = ends[0], ends[-1]
        if first is None or last is None or len(ends) > 2:
            return ()
        months |= {(first - 1 + k) % 12 + 1 for k in range((last - first) % 12 + 1)}
    within = [
        f"season:{season}" for season in sorted(seasons)
        if (own := {*season_months(season, lat)}) and own <= months
    ]  # fmt: skip
    return (
        *within,
        *(
            f"holiday:{term.code}"
            for term in terms_of(city)["holiday"]
            if _holiday_months(term.code) <= months
        ),
    )


@dataclass(frozen=True)
class ContextHit:
    """One place of a document that names a context, or a month that dates the journey."""

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
            after = _UNLESS_AFTER.get(term.code, "")
            before = _UNLESS_FOLLOWED_BY.get(term.code, "")
            form = f"{after}(?:{'|'.join(parts)}){before}"
            found.append((kind, term.code, re.compile(form, re.IGNORECASE)))
    return tuple(found)


def context_hits(document: Document) -> Iterator[ContextHit]:
    """Every place where the document names a context, in order of kind, code and offset."""
    for kind, code, pattern in _patterns():
        for block in document.blocks:
            for match in pattern.finditer(block.text):
                yield _hit(kind, code, block, match)
    for block in document.blocks:
        if block.kind in _HEADINGS:
            for match in _MONTH.finditer(block.text):
                month = match["number"] or _EN_MONTHS.index(match["name"].lower()) + 1
                yield _hit(MONTH, str(int(month)), block, match)


def _hit(kind: str, code: str, block: Block, match: re.Match[str]) -> ContextHit:
    weight = HEADING_WEIGHT if block.kind in _HEADINGS else 1
    start, end = (block.start + offset for offset in match.span())
    return ContextHit(kind, code, start, end, weight, block.kind == "title")


def at_home(kind: str, code: str, city: City) -> tuple[str, str] | None:
    """The context of a city that a hit stands for: a month is a season by the city's hemisphere,
    and a holiday that nobody keeps there is none."""
    if kind == MONTH:
        season = season_of(int(code), city.lat)
        return None if season is None else ("season", season)
    terms = terms_of(city).get(kind, ())
    return (kind, code) if any(term.code == code for term in terms) else None
