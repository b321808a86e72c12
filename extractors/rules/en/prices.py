"""Reads prices from columns or labelled lines, each with the group of people to which it
applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors.rules.common.lines import ranges_between
from extractors.rules.common.statements import (
    YUAN_MARKS,
    Limits,
    Statement,
    number_text,
    price_value,
)
from extractors.rules.en.limits import LIMITS
from schemas.money import NUMBER, MoneyAmount, amounts, currencies, number_of
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.en")

_FREE = re.compile(
    r"\b(?:free(?!\s+(?:on|every|for|from|after|with|under|first|wi-?fi))|no (?:charge|fee)"
    r"|gratis)\b",
    re.IGNORECASE,
)
_FREE_FOR = re.compile(
    r"\bfree\s+for\s+(?P<who>[^,;/()|]{3,40})|(?P<group>[^,;/()|]{3,40}?)\s+(?:enter |go "
    r"|are )?free\b",
    re.IGNORECASE,
)
#: A number that is a price because its header has a currency sign, and the group it applies to.
_GROUP = (
    r"adults?|child(?:ren)?|kids?|students?|seniors?|residents?|nationals?|citizens?|locals?"
    r"|foreigners?|visitors?|concessions?|reduced"
)
_BARE = re.compile(
    rf"\s*(?:(?P<before>{_GROUP})\s*:?\s+)?(?:from\s+|about\s+|approx\.?\s+|~\s*)?"
    rf"(?P<n>\d{{1,3}}(?:,\d{{3}})+|\d{{1,7}}(?:[.,]\d{{1,2}})?)\s*(?P<behind>{_GROUP})?\s*",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:boat|ferry|bus|taxi|minivan|driver|car|shared|hire|private|night|guide|audio ?guides?"
    r"|parking|locker|bike|train|funicular|cable car|lift|elevator)\b",
    re.IGNORECASE,
)
#: Bare ages; reductions for no particular group; and parts with a price of their own.
_YOUNG = re.compile(
    r"\b(?:under|below|age[sd]?|up to|ages?)\s*(?:\d{1,2}\s*(?:-|–|to)\s*)?(?:[2-9]|1[0-7])\b"
    r"|\b\d{1,2}\s*(?:-|–)\s*1?\d\s*(?:yrs?|years?)\b|\bniñ[oa]s?\b|\byouth\b|\bteens?\b",
    re.IGNORECASE,
)
_REDUCED = re.compile(
    r"\b(?:reduced|concessions?|discount(?:ed)?|residents?|locals?|nationals?|citizens?|famil(?:y"
    r"|ies)|groups?|members?|foreigners?|aquarium|planetarium|exhibitions?|roof|terrace|dome|crypt"
    r"|treasury)\b",
    re.IGNORECASE,
)
#: A price applies to the group named before it, or else to the group named after it.
_PIECE_END = re.compile(r"[,;/|]|\s[–—]\s|\band\b", re.IGNORECASE)
_MOST = 10_000_000
_MOST_PRICES = 12


def prices_in(text: str, header: str = "") -> Iterator[Statement]:
    """Return all prices in a cell under ``header``, or in a labelled line; offsets are relative to
    the text.

    A bare number is a price if the header has a currency sign. If a price applies only under
    certain conditions, its evidence is the whole text.
    """
    for found in _prices(text, header):
        yield found if found.limits == Limits() else found._replace(told=(0, len(text)))


def _prices(text: str, header: str) -> Iterator[Statement]:
    found = [a for a in _amounts(text) if 0 <= a.value <= _MOST and not _in_range(text, a)]
    several = len(found) > 1
    for at, amount in enumerate(found[:_MOST_PRICES]):
        start = found[at - 1].end if at else 0
        end = found[at + 1].start if at + 1 < len(found) else len(text)
        before, behind = text[start : amount.start], text[amount.end : end]
        own = _own_words(before, behind, is_first=at == 0)
        beside = re.split(r"[,;|()]", behind)[0]
        if not _OF_OTHERS.search(f"{own} {beside}"):
            yield _statement(amount, _limits(own, header) if not several else _one_of(own, header))
    if found:
        yield from _free_groups(text)
        return
    if mark := next(iter(_marks(header)), ""):
        bare = [_BARE.fullmatch(text, *piece) for piece in _pieces(text)]
        if all(bare):
            for match in filter(None, bare):
                amount = MoneyAmount(number_of(match["n"]), mark, *match.span("n"))
                own = f"{match['before'] or ''} {match['behind'] or ''}"
                if amount.value <= _MOST:
                    yield _statement(amount, _limits(own, header))
            return
    free = _FREE.search(text)
    group = _FREE_FOR.search(text)
    if group and _limits(group[0], "") != Limits():
        yield from _free_groups(text)
    elif free:
        yield Statement("ticket_price_cny", "0", *free.span(), _limits("", header))


def _amounts(text: str) -> list[MoneyAmount]:
    """Return the amounts in a text about money, including amounts whose currency codes are also
    words.
    """
    found = list(amounts(text))
    taken = [(a.start, a.end) for a in found]
    for match in _CODED.finditer(text):
        code, number = (match["a"] or match["d"]), (match["b"] or match["c"])
        is_new = not any(a < match.end() and match.start() < b for a, b in taken)
        if code in currencies() and is_new:
            found.append(MoneyAmount(number_of(number), code, *match.span()))
    return sorted(found, key=lambda amount: amount.start)


_CODED = re.compile(
    rf"\b(?P<a>[A-Z]{{3}})\s?(?P<b>{NUMBER})|(?<![\w.,])(?P<c>{NUMBER})\s?(?P<d>[A-Z]{{3}})\b"
)


def _pieces(text: str) -> list[tuple[int, int]]:
    """Split a cell at its commas and semicolons, and return the range of each piece."""
    cuts = [m.span() for m in re.finditer(r";|,(?!\d{3}(?!\d))", text)][:_MOST_PRICES]
    return ranges_between(cuts, 0, len(text))


def _own_words(before: str, behind: str, *, is_first: bool) -> str:
    """Return the words that belong to an amount: those before it in the same piece, or those
    after it.
    """
    left = _PIECE_END.split(before)[-1]
    left = before if is_first and not left.strip() else left
    own = re.split(r"[()]", left)[-1] if ")" in left else left
    if _limits(own, "") != Limits():
        return own
    right = re.match(r"\s*(?:[(]([^()]*)[)]|([^,;/|()]*))", behind)
    words = (right[1] or right[2] or "") if right else ""
    opens_next = _PIECE_END.match(behind.strip()[:1]) is not None
    return own if opens_next else f"{own} {words}"


def _one_of(own: str, header: str) -> Limits:
    """Return the limits of one of several prices.

    If these limits are no more than "adult", the words that belong only to this price are added as
    a further condition.
    """
    limits = _limits(own, header)
    plain = limits._replace(audience=None) == Limits() and limits.audience in (None, "adult")
    told = " ".join(_WORD.findall(_PLAIN.sub(" ", own)))
    return limits.further_by(told) if plain and told else limits


#: Words beside a price that do not distinguish it from other prices.
_PLAIN = re.compile(rf"\b(?:{_LISTS.either('plain_price_words')})\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")


def _limits(words: str, header: str) -> Limits:
    """Return who pays a price and when it applies; words for a reduction are kept as written."""
    for told in (words, header):
        limits = _whom(told)
        reduced = _REDUCED.search(told)
        limits = limits.further_by(reduced[0]) if reduced else limits
        if limits == Limits():
            said = told.strip(" ,;:()")
            times = [t for reader in (LIMITS.years, LIMITS.weeks) for t in reader(said)]
            limits = limits.at(times[-1][1], said, times[-1][0]) if times else limits
        if limits != Limits():
            return limits
    return Limits()


def _whom(words: str) -> Limits:
    """Return the group of people named by the words."""
    for audience, pattern in LIMITS.audiences.items():
        if pattern.search(words):
            return Limits(audience=audience)
    return Limits(audience="child") if _YOUNG.search(words) else Limits()


def _free_groups(text: str) -> Iterator[Statement]:
    for match in _FREE_FOR.finditer(text):
        limits = _limits(match["who"] or match["group"], "")
        if limits != Limits():
            yield Statement("ticket_price_cny", "0", *match.span(), limits)


def _statement(amount: MoneyAmount, limits: Limits) -> Statement:
    if amount.mark.strip().casefold() in YUAN_MARKS:
        value = number_text(float(amount.value))
        return Statement("ticket_price_cny", value, amount.start, amount.end, limits)
    return Statement("ticket_price", price_value(amount), amount.start, amount.end, limits)


def marks_in(text: str) -> list[str]:
    """Return the currency signs beside the amounts in a cell, as written."""
    return [amount.mark.strip() for amount in _amounts(text)]


def _marks(header: str) -> list[str]:
    """Return the currency signs in the header of a column ("Admission (EUR)")."""
    return [a.mark for word in re.findall(r"[^\s()\[\]/,]+", header) for a in _amounts(f"1 {word}")]


def _in_range(text: str, amount: MoneyAmount) -> bool:
    """Check whether an amount directly follows a minus sign, in which case it is not a price."""
    before = text[max(0, amount.start - 1) : amount.start]
    return before in ("-", "−") and not re.search(r"\w\s*-$", text[: amount.start])
