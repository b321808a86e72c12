"""Translate a source's tags into taxonomy codes for types, categories, cuisines and features."""

from __future__ import annotations

import re
from functools import cache

from schemas.taxonomy import (
    BASE_TYPES,
    CATEGORY_OF_BASE_TYPE,
    CUISINES,
    NEAREST_CUISINE,
    RELIGIOUS_ENDINGS,
    TREND_TYPES,
    TRIPTAILOR_CUISINES,
    Term,
    by_zh,
    codes,
)
from sources.tables.intake import SourceRow

_BASE = {form: term.code for term in BASE_TYPES for form in (term.code, term.zh)}
_TREND = {form: term.code for term in TREND_TYPES for form in (term.code, term.zh)}
_TREND_ORDER = codes(TREND_TYPES)
_TRAILING_BRACKET = re.compile(r"\s*[(（\[][^()（）\[\]]*[)）\]]$")
#: A religious ending of one character that occurs in other names too; it counts only if the place
#: is a historic site.
_AMBIGUOUS_ENDING = "观"


def brace_list(row: SourceRow, column: str) -> list[str]:
    """Return the tags in a list in braces, ``{a;b}``; record incorrect braces and empty tags."""
    text = row.text(column)
    if text is None:
        row.mark("type_missing", f"{column} is empty")
        return []
    if not (text.startswith("{") and text.endswith("}")):
        row.fix("type_brackets", f"the list of tags is not in braces: {text}")
    tags = [tag.strip() for tag in text.strip("{}[]").split(";")]
    if "" in tags:
        row.fix("type_blank", f"the list contains an empty tag: {text}")
    return [tag for tag in tags if tag]


def attraction_types(row: SourceRow, tags: list[str]) -> tuple[str | None, list[str]]:
    """Return the first base type and all trend types among the tags, which are names or codes.

    Names are in Chinese. The trend types are in the order of the taxonomy.
    """
    known: list[str] = []
    for tag in tags:
        parts = [tag] if tag in _BASE or tag in _TREND else _run_together(tag)
        if parts is None:
            row.mark("type_unknown", f"not in the taxonomy: {tag}")
            continue
        if len(parts) > 1:
            row.fix("types_run_together", f"{tag} read as {' and '.join(parts)}")
        known.extend(parts)
    bases = list(dict.fromkeys(_BASE[tag] for tag in known if tag in _BASE))
    trends = {_TREND[tag] for tag in known if tag in _TREND}
    if tags and not bases:
        row.mark("base_type_missing", f"none of the tags is a base type: {', '.join(tags)}")
    if len(bases) > 1:
        row.mark("base_type_several", f"{bases[0]} is used, {', '.join(bases[1:])} is left out")
    if len(known) != len(set(known)):
        row.fix("type_repeated", f"a tag is repeated: {', '.join(known)}")
    return bases[0] if bases else None, [code for code in _TREND_ORDER if code in trends]


def _run_together(tag: str) -> list[str] | None:
    """Split a tag into the two known names that form it, or return None if this is impossible."""
    names = _BASE.keys() | _TREND.keys()
    halves = ([tag[:cut], tag[cut:]] for cut in range(1, len(tag)))
    return next((pair for pair in halves if names.issuperset(pair)), None)


def category_of(name_zh: str | None, name_en: str | None, base_type: str | None) -> str | None:
    """Return the TP-RAG category: religious if the name suggests it, otherwise the base type's
    category.
    """
    if _is_religious(name_zh, base_type) or _is_religious(name_en, base_type):
        return "religious_spiritual"
    return CATEGORY_OF_BASE_TYPE.get(base_type) if base_type else None


def _is_religious(name: str | None, base_type: str | None) -> bool:
    if not name:
        return False
    bare = _TRAILING_BRACKET.sub("", name).casefold()
    return any(
        bare.endswith(ending)
        for ending in RELIGIOUS_ENDINGS
        if ending != _AMBIGUOUS_ENDING or base_type == "historic_site"
    )


@cache
def _code_by_form(terms: tuple[Term, ...]) -> dict[str, str]:
    """Map the code, Chinese name and English name of each term, in lower case, to the term's
    code.
    """
    forms: dict[str, str] = {}
    for term in terms:
        for form in (term.code, term.zh, term.en):
            forms.setdefault(form.casefold(), term.code)
    return forms


def term_code(row: SourceRow, column: str, terms: tuple[Term, ...], kind: str) -> str | None:
    """Return the code for a cell that contains a code or a Chinese or English name.

    An unknown tag is marked, and the result is None.
    """
    text = row.text(column)
    if text is None:
        return None
    if text != row.cells[column]:
        row.fix(f"{kind}_spaces", f"spaces around {text}")
    code = _code_by_form(terms).get(text.casefold())
    if code is None:
        row.mark(f"{kind}_unknown", f"not in the taxonomy: {text}")
    return code


@cache
def _triptailor() -> dict[str, tuple[str, bool]]:
    """Return tripbed's code for each TripTailor cuisine, and whether both mean the same cuisine."""
    ours = by_zh(CUISINES)
    forms = {}
    for term in TRIPTAILOR_CUISINES:
        equal = ours[term.words[0]].code if term.words else None
        code = equal or NEAREST_CUISINE[term.code]
        for form in (term.code, term.zh, term.en):
            forms[form.casefold()] = (code, equal is not None)
    return forms


def cuisine_code(row: SourceRow, column: str) -> str | None:
    """Return the code for a cuisine from TravelEval's or TripTailor's list of cuisines.

    A cuisine that is in neither list is marked, and the result is None.
    """
    text = row.text(column)
    known = _triptailor().get(text.casefold()) if text else None
    if text is None or known is None or text.casefold() in _code_by_form(CUISINES):
        return term_code(row, column, CUISINES, "cuisine")
    code, is_equal = known
    if not is_equal:
        row.fix("cuisine_mapped", f"{text} read as {code}")
    return code
