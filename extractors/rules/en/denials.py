"""Finds places that an English text rules out because they were only planned, passed by or
closed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from extractors.rules.common.days import Days
from extractors.rules.common.grouping import Sight
from extractors.rules.common.lines import Hit, Line
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.en")

_NOT = r"(?:(?:did|could|would|had|have|has|was|were)(?:n[’']t| not)|never)"
_GO = _LISTS.either("denied_verbs")
_UNDONE = _LISTS.either("undone_words")
#: "Not all of a place" is still a visit, and so is "had not been there before".
_PARTLY = (
    r"(?! (?:all|everything|much|the (?:whole|rest|half)|half|enough|every|any(?:thing)? else"
    r"|more)\b)"
)
#: A sentence that begins like this is about what was not done.
_LABEL = re.compile(
    r"^\W*(?:not (?:on|in|part of) (?:this|the|our|my) [\w ]{0,16}|(?:what )?(?:(?:we"
    r"|I) )?(?:skipped|left (?:out|off)|missed)|"
    r"disqualified|near misses|honou?rable mentions|next time|another time|for another (?:day|trip"
    r"|time))\s*:",
    re.IGNORECASE,
)
#: Words before a name that was only planned.
_MEANT = re.compile(
    r"\b(?:(?:had|[’']d) (?:also )?(?:meant|hoped|planned|intended|wanted|pencil+ed in|thought of"
    r"|talked of|considered)|meant to|"
    r"(?:was|were) (?:going|supposed|meant|tempted) to|pencil+ed in|(?:I|we) considered|toyed with"
    r"|thought (?:about|of)|talked of|no time for|"
    r"too (?:late|tired) (?:for|to)|in place of|instead of|rather than"
    r"|in lieu of)\b[^.;:!?]{0,60}$",
    re.IGNORECASE,
)
#: A wish or a plan, which counts as denied only if the text continues with a denial.
_WISHED = re.compile(
    r"\b(?:(?:wanted|hoped|planned|tried|intended|would have liked) to\b|(?:plan|schedule"
    r"|itinerary|programme|idea) (?:said|was|had|called for)\b)[^.;:!?]{0,60}$",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but|yet|however|though|although|except|instead|until)\b", re.IGNORECASE)
_NEXT_BUT = re.compile(
    r"^\W*(?:but|yet|however|instead|unfortunately|alas|sadly|no luck)\b", re.IGNORECASE
)
_UNGONE = re.compile(
    rf"\b{_NOT}\s+(?:even |actually |really |quite |ever |manage(?:d)? to |have time to "
    rf"|get (?:round |around )?to |bother (?:to|with) |want to )*(?:{_GO})\b"
    r"(?: (?:the|an?|our|any|that|this|to|into|inside|in|at|up|for|old|famous|nearby"
    r"|much of))*\s*[\"“*]*$",
    re.IGNORECASE,
)
_NONE = re.compile(r"\bno\s+$", re.IGNORECASE)
_NONE_FOR = re.compile(r"^\s+for (?:us|me)\b")
_SKIPS = re.compile(
    r"(?<!not )(?<!n[’']t )(?<!never )\b(?:skip(?:ped|ping)?|passed (?:up|on)|gave up on|ruled out"
    r"|left out|leaves? out|dropped|missed|cancelled|canceled)\s+(?:going to |visiting )?(?:the "
    r"|our |a |an )?[\"“*]*$",
    re.IGNORECASE,
)
#: Words after a name that say it was closed, or that the writers did not go.
_CLOSED = re.compile(
    rf"^[^,.;:!?]{{0,40}}?\b(?:was|were|turned out|proved|had been|being|remained|stayed|got"
    rf"|(?:has|have) been)(?: (?:to be|still|already|all|now|sadly|firmly"
    rf"|temporarily))* (?:{_UNDONE})\b"
    r"(?! (?:on|every|at|by|from|in|between|during|(?:mon|tues|wednes|thurs|fri|satur|sun)day))",
    re.IGNORECASE,
)
_WE_DID_NOT = re.compile(
    rf"^[^.;:!?]{{0,60}}?\b(?:I|we|he|she|they)(?:[’']d)? (?:(?:had to |sadly |then |simply "
    rf"|just )*(?:skip(?:ped)?|missed|passed (?:up|on)|gave (?:it )?(?:up|a miss)|left out|dropped"
    rf"|cancelled|canceled)\b|{_NOT} (?:manage to |have time to |get to "
    rf"|want to )*(?:{_GO})\b{_PARTLY})",
)
_BUT_CLOSED = re.compile(
    rf"^[^.;:!?]{{0,60}}?\b(?:but|yet|though|only) (?:(?:it|this|that|they) )?(?:was|were|is"
    rf"|are)(?: (?:still|already|all|sadly))* (?:{_UNDONE})\b",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"^[^.!?]{0,24}?\s*(?:[(–—:]|\s-\s)\s*(?:sadly |alas |unfortunately )?(?:did(?:n[’']t| not)"
    r"|dropped|skip(?:ped)?\b|cancelled|canceled|not done|never (?:made|got|went)|ran out of"
    r"|gave up|abandoned|rained off|next time|another (?:time|day))",
    re.IGNORECASE,
)
_WAITS = re.compile(
    r"^[^.;!?]{0,50}?\b(?:(?:remains?|stays?|is still) on (?:the|our|my) list|(?:will have|has"
    r"|had) to wait|for (?:another|next) (?:day|trip|time)|(?:was|were) left for)\b",
    re.IGNORECASE,
)
#: The next sentence may say so about the last place of the sentence before, or about all of them.
_NEXT = re.compile(
    rf"^\W*(?:(?:but|sadly|alas|unfortunately|however|so|well),? )?(?:(?:I|we|he"
    rf"|she) (?:{_NOT} (?:{_GO})(?=\s*(?:[.,;!]|$|because|as\b|since|on this|this time|there\b"
    rf"|today|inside))|have(?:n[’']t| not)\b(?! \w+ed)|skipped (?:it|them|that|both|this)"
    rf"|missed it|did neither|gave it a miss)|(?:it|that|this|they|both) (?:was|were"
    rf"|turned out)(?: (?:to be|still|already|all))* (?:{_UNDONE})\b(?! (?:on|every|at|by|from|in"
    rf"|between)))",
    re.IGNORECASE,
)
#: "The palace? Guards shook their heads: no visits that week."
_ASKED = re.compile(r"^[^.;:!?]{0,40}\?\s*(?P<next>[^.!?]*[.!?]?(?:\s*[^.!?]*)?)")
_ANSWERED = re.compile(
    r"^\W*(?:no|not|never|skip|closed|shut|next time|another)\b|\bno (?:public )?(?:visits?|entry"
    r"|admission|tickets?|chance|luck|thanks|way|time)\b|\b(?:closed|shut)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[!?](?!\))|[;\n]|\.(?=\s|$)")


def is_denied(hit: Hit, line: Line) -> bool:
    """Check whether the words around a name show that nobody went to the place."""
    text = line.text
    first = hit.start if hit.row is None else hit.row
    a, b = first - line.start, hit.end - line.start
    opens = max((m.end() for m in _ENDS.finditer(text, 0, a)), default=0)
    closes = next((m.start() for m in _ENDS.finditer(text, b)), len(text))
    before, after, follows = text[opens:a], text[b:closes], text[closes + 1 :]
    is_ungone = _UNGONE.search(before) and not re.match(r"[^,;]{0,20}\b(?:before|until)\b", after)
    is_none = _NONE.search(before) and _NONE_FOR.match(after)
    is_wish = _WISHED.search(before) and (_BUT.search(after) or _NEXT_BUT.match(follows))
    asked = _ASKED.match(text[b:])
    if (
        _LABEL.match(before)
        or _MEANT.search(before)
        or _SKIPS.search(before)
        or is_ungone
        or is_none
        or is_wish
        or any(sign.match(after) for sign in (_CLOSED, _WE_DID_NOT, _BUT_CLOSED, _NOTED, _WAITS))
        or (asked and _ANSWERED.search(asked["next"]))
    ):
        return True
    said = _NEXT.match(follows)
    is_last = re.search(r"\s[A-Z]\w{3,}", after) is None
    return said is not None and (is_last or "neither" in said[0])


def names_another(hit: Hit, line: Line) -> bool:
    """Check whether a name only describes or locates something else.

    Examples are "The Cloak, the Salt Museum's own branch" and "fireworks by the Salt Museum" in a
    row of a plan.
    """
    a, b = hit.start - line.start, hit.end - line.start
    before, after = line.text[:a], line.text[b:]
    of_it = re.match(r"[’']s\s", after) and re.search(r"[A-Z][\w*]+[*”\"]*,\s(?:the )?$", before)
    by_it = line.kind == "table_row" and re.search(r"\bby (?:the )?$", before)
    past_it = re.search(r"(?:^|[.!?,]\s+)[Pp]ast (?:the )?$", before)
    inside = re.match(r"[’']s (?:own )?(?:caf[eé]|restaurant|shop|store)\b", after)
    return bool(of_it or by_it or past_it or inside)


#: Words in a paragraph below a plan of days about a stop that was cancelled.
_UNDONE_LATER = re.compile(
    rf"\b(?:(?:was|were|being) (?:{_UNDONE})|{_NOT} (?:open\b|{_GO}\b{_PARTLY})|skipped|grounded"
    rf"|turned (?:round|around|back)|(?:remains?|stays?) on (?:the|our|my) list|gave (?:it )?up"
    rf"|rained off|ran out of (?:day|time|steam))",
    re.IGNORECASE,
)
#: A weekday on which a place is closed; this only matters to visitors on that day.
_CLOSED_ON = re.compile(
    r"(?:closed|shut|(?:isn[’']t|aren[’']t|not) open) (?:on |every )?(?P<day>mon|tue|wed|thu|fri"
    r"|sat|sun)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?:[^.!?\n]|\.(?=\S))+[.!?]?")
_LEAST_SHORT = 5


def withdrawn(
    places: Sequence[Sight], lines: Sequence[Line], of_line: Sequence[int | None], days: Days
) -> frozenset[int]:
    """Return the numbers of the places in a plan that the text below the plan rules out.

    The text below the plan may refer to a place by the first words of its name.
    """
    last = max((i for i, day in enumerate(of_line) if day is not None), default=len(lines))
    if not days.marks and not days.cells:
        return frozenset()
    below = [
        sentence[0]
        for line in lines[last + 1 :]
        if line.kind == "paragraph"
        for sentence in _SENTENCE.finditer(line.text)
    ]
    if not below:
        return frozenset()
    shorts = _short_names(places)
    found: set[int] = set()
    for sentence in below:
        named = {
            n for n, short in shorts.items() if re.search(rf"\b{re.escape(short)}\b", sentence)
        }
        if not named:
            continue
        on = _CLOSED_ON.search(sentence)
        if on:
            found |= {n for n in named if _falls_on(places[n], lines, on["day"])}
        elif _UNDONE_LATER.search(sentence) and len(named) == 1:
            found |= named
    return frozenset(found)


def _short_names(places: Sequence[Sight]) -> dict[int, str]:
    """Return the first words of every name, unless a different name begins with the same words."""
    firsts = {place.number: place.name.split()[0] for place in places}
    times = Counter(firsts.values())
    lone = {n for n, word in firsts.items() if times[word] == 1 and len(word) >= _LEAST_SHORT}
    return {p.number: firsts[p.number] if p.number in lone else p.name for p in places}


def _falls_on(place: Sight, lines: Sequence[Line], day: str) -> bool:
    """Check whether the plan visits a place on this weekday."""
    return any(
        re.match(rf"\W*{day}", lines[hit.line].text, re.IGNORECASE) is not None
        for hit in place.hits
    )
