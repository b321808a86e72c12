"""Plan the queries in the tprag family, which are short search-engine queries about one city.

A city in China has one generic query and one query for each of 21 constraints. Each of these 22
queries is planned four times: without a number of days, and for 3, 4 and 5 days. A city therefore
has 88 queries (TP-RAG, appendix A.1 and tables 2 and 3). Cities in other countries have the
holidays of their own country. Cities near the equator have no seasons.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from queries.calendar import resolve
from queries.drawing import pick
from queries.grounding import Offer
from queries.home import terms_at, terms_of
from queries.wording import forms_of
from schemas.arrow import frame
from schemas.cities import City, find_city
from schemas.ids import canonical_json, digest
from schemas.mainland import MAINLAND
from schemas.taxonomy import CONSTRAINTS, Term

#: Trip lengths of the published queries in days; None means that no length is given.
PUBLISHED_DAYS: tuple[int | None, ...] = (None, 3, 4, 5)

_ZH_NUMBERS = "零一二三四五六七八九十"
#: The splits with their cumulative shares in percent.
_SPLITS = ((70, "train"), (80, "validation"), (100, "test"))


_FORMS = {"zh": forms_of("tprag_zh"), "en": forms_of("tprag_en")}
_PUBLISHED_HOLIDAYS = terms_at(MAINLAND, "", 35.0)["holiday"]


@dataclass(frozen=True)
class Stratum:
    """A stratum, defined by an optional constraint and an optional number of days."""

    kind: str
    term: Term | None
    n_days: int | None

    @property
    def constraint_code(self) -> str | None:
        """Return the code of the constraint, or None for the generic query."""
        return self.term.code if self.term else None

    @property
    def name(self) -> str:
        """Return the name of the stratum, as used in ids and reports."""
        days = f"{self.n_days}d" if self.n_days else "any"
        return f"{self.constraint_code or 'generic'}-{days}"


def strata(
    days: Sequence[int | None] = PUBLISHED_DAYS,
    kinds: Sequence[str] | None = None,
    terms: Mapping[str, Sequence[Term]] | None = None,
) -> tuple[Stratum, ...]:
    """Return the strata for a city in a fixed order; ``kinds`` limits the kinds of constraints.

    ``terms`` are the constraints that apply to the city (see ``queries.home``); by default, they
    are the published constraints.
    """
    asked = terms_at(MAINLAND, "", 35.0) if terms is None else terms
    cells: list[tuple[str, Term | None]] = [("generic", None)]
    cells += [(kind, term) for kind in CONSTRAINTS for term in asked[kind]]
    wanted = set(kinds) if kinds is not None else {"generic", *CONSTRAINTS}
    return tuple(
        Stratum(kind, term, n_days) for kind, term in cells if kind in wanted for n_days in days
    )


def text_zh(city: City, stratum: Stratum) -> str:
    """Write the query in Chinese, in the published form (重庆春季三日游) or in another common
    form.
    """
    number = _zh_number(stratum.n_days) if stratum.n_days else ""
    term = stratum.term.zh if stratum.term else ""
    return _form("zh", city, stratum).format(n=number, city=city.name_zh or city.name_en, term=term)


def write_published_zh(row: Mapping[str, Any]) -> str:
    """Write a planned query in the published Chinese form, such as 重庆春季三日游."""
    city, code = find_city(row["city_id"]), row["constraint_code"]
    terms = CONSTRAINTS.get(row["constraint_kind"], ()) if code else ()
    local = terms_of(city).get(row["constraint_kind"], ()) if code else ()
    term = next((t.zh for t in (*local, *terms) if t.code == code), "")
    trip = f"{_zh_number(row['n_days'])}日游" if row["n_days"] else "旅游"
    return f"{city.name_zh or city.name_en}{term}{trip}"


def text_en(city: City, stratum: Stratum) -> str:
    """Write the query in English, in forms that people use; TP-RAG has no English form."""
    term = stratum.term.en if stratum.term else ""
    return _form("en", city, stratum).format(n=stratum.n_days, city=city.name_en, term=term)


def _form(lang: str, city: City, stratum: Stratum) -> str:
    """Choose a form for the constraint; if there is none for this constraint, choose one for its
    kind.
    """
    days, forms = "some" if stratum.n_days else "none", _FORMS[lang]
    is_local = stratum.kind == "holiday" and stratum.term not in _PUBLISHED_HOLIDAYS
    kind = "festival" if is_local and ("festival", days) in forms else stratum.kind
    own = forms.get((stratum.constraint_code or "generic", days)) or forms[kind, days]
    return pick(own, "tprag", city.city_id, stratum.name)


def plan_queries(
    city: City,
    days: Sequence[int | None] = PUBLISHED_DAYS,
    kinds: Sequence[str] | None = None,
    year: int | None = None,
) -> pl.DataFrame:
    """Return the planned queries for a city as rows of ``queries``, with all counts set to zero.

    If a year is given, the structure also contains the dates of the season or holiday. Raises
    ValueError if there is no Chinese word for a number of days.
    """
    return frame(
        "queries", [row_of(city, stratum, year) for stratum in strata(days, kinds, terms_of(city))]
    )


def mark_unmet(rows: list[dict[str, Any]], offer: Offer | None) -> list[dict[str, Any]]:
    """Note in the structure of a row if the city's tables cannot meet its category or season.

    If there are no tables, nothing is noted, because queries in this family are based on documents.
    """
    for row in rows:
        kind, code = row["constraint_kind"], row["constraint_code"]
        lacking = offer is not None and (
            (kind == "poi_category" and code not in offer.categories)
            or (kind == "season" and not offer.types_in(code))
        )
        if lacking:
            structure = {**json.loads(row["structure"]), "ungrounded": [code]}
            row["structure"] = canonical_json(structure)
    return rows


def row_of(city: City, stratum: Stratum, year: int | None) -> dict[str, Any]:
    """Return the row for a query.

    Raises ValueError if there is no Chinese word for the number of days.
    """
    query_id = f"tprag-{city.slug}-{stratum.name}"
    structure: dict[str, Any] = {
        "city": city.city_id,
        "constraint": stratum.constraint_code,
        "constraint_kind": stratum.kind,
        "days": stratum.n_days,
    }
    when = resolve(stratum.kind, stratum.constraint_code, year, city) if year else None
    if when:
        structure["when"] = {
            "first": when.first, "last": when.last,
            "days_off": [*when.days_off] if when.days_off else None,
        }  # fmt: skip
    return {
        "query_id": query_id,
        "city_id": city.city_id,
        "family": "tprag",
        "constraint_kind": stratum.kind,
        "constraint_code": stratum.constraint_code,
        "n_days": stratum.n_days,
        "text_zh": text_zh(city, stratum),
        "text_en": text_en(city, stratum),
        "structure": canonical_json(structure),
        "stratum": f"{stratum.kind}/{stratum.name}",
        "split": _split(city, stratum),
        "status": "pending_documents",
        "n_trajectories": 0,
        "n_candidates": 0,
    }


def _split(city: City, stratum: Stratum) -> str:
    """Return the split of a query; queries that differ only in the number of days share a split."""
    bucket = int(digest("split", city.city_id, stratum.constraint_code or "generic"), 16) % 100
    return next(name for limit, name in _SPLITS if bucket < limit)


def _zh_number(n_days: int) -> str:
    if not 1 <= n_days <= 10:
        raise ValueError(
            f"there is no Chinese text for a trip of {n_days} days: tprag trips have 1 to 10 days"
        )
    return _ZH_NUMBERS[n_days]
