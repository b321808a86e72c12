"""Find the seasons, holidays and kinds of traveller that a text mentions, with the positions of the
mentions.

A context is never guessed: the text must name it. Names of months count only in titles and
headings, where they show when the trip took place. Outside titles and headings, a month may be part
of opening hours.
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

#: The kind of a hit for a month; its season depends on the hemisphere of the city.
MONTH = "month"
#: Weight of a hit in a title or heading; a hit in running text has the weight 1.
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


#: Years that are used to find the months in which a moving holiday can fall.
_YEARS = range(2020, 2031)


@cache
def _holiday_months(code: str) -> frozenset[int]:
    """Return all months in which a day of the holiday can fall."""
    spans = [festival_of(code).span(year) for year in _YEARS]
    return frozenset(
        (first + dt.timedelta(days=n)).month
        for first, last in spans
        for n in range((last - first).days + 1)
    )


_SHORT_MONTHS = {name[:3]: number for number, name in enumerate(_EN_MONTHS, 1)}


def contexts_of(valid_when: str, city: City) -> tuple[str, ...]:
    """Return the ids of the seasons and holidays during which a fact is valid from beginning to
    end.

    ``valid_when`` contains seasons and months (``Apr-Oct``), separated by commas. If ``valid_when``
    has any other form, such as weekdays or days of a month, no contexts are returned.
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
    """A passage in a document that names a context, or the month of the trip."""

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
    """Yield every passage in a document that names a context, with its kind, code and position."""
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
    """Return the kind and code of the context that a hit refers to in a city, or None if there is
    none.

    A month is converted to a season, depending on the city's hemisphere. A holiday that is not
    celebrated in the city does not count as a context.
    """
    if kind == MONTH:
        season = season_of(int(code), city.lat)
        return None if season is None else ("season", season)
    terms = terms_of(city).get(kind, ())
    return (kind, code) if any(term.code == code for term in terms) else None
