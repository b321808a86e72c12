"""Checks that a text really states a fact, and that the fact's place and kind of value are right.

The module also decides which conditions really limit a fact. For example, a ticket can be free even
if it has to be booked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence, Set

from extractors.descriptions import tells
from flows.pipeline.stages.base import Row
from flows.pipeline.stages.sentences import is_real, sentence_of

#: Start and end of each name in a document, in order, with its place. If the place is unknown, the
#: third value still distinguishes the names.
Names = Sequence[tuple[int, int, str]]

#: Marks words that only begin like a name, such as a street that is named after a temple.
ANOTHER = ""
#: A stay at a sight shorter than this number of minutes is not believed.
SHORTEST_STAY_MIN = 10
#: The number of characters before a value in which its subject may be named.
_BEFORE = 24
_ON_THE_WAY = re.compile(
    r"全程|车程|路程|行程|步行|走路|乘坐|打车|骑行|开车|地铁|高铁|公交|排队|"
    r"\b(?:by (?:bus|car|train|metro|taxi)|drive|ride|walk|walking|transfer|flight|queue)\b",
    re.IGNORECASE,
)
#: Things that have their own price, apart from the ticket of a sight.
_EXTRAS = re.compile(
    r"往返|单程|电梯|索道|缆车|观光车|摆渡|大巴|专线|船票|游船|小吃|停车|讲解|租|寄存|"
    r"\b(?:bus|shuttle|cable ?car|elevator|lift|parking|audio guide|boat|bar|locker|rent\w*)\b",
    re.IGNORECASE,
)
_FREE_THING = re.compile(
    r"^\s*(?:entry|admission)?\s*to most|^(?:免费)?的(?!景|公园|博物|展|\W)|^\s*(?:wi-?fi|map"
    r"|shuttle|snacks?)\b",
    re.I,
)
_HAS_UNIT = re.compile(r"\d|小时|钟头|分钟|hours?|minutes?|mins?\b", re.IGNORECASE)
_STAYS = re.compile(
    r"逛|玩|游|参观|需要?|建议|预留|安排|"
    r"\b(?:spend|spent|allow|need|takes?|explor\w+|visit\w*|duration)\b",
    re.IGNORECASE,
)
#: A clause about walking around a place, whatever the clause before says about the way there.
_GOES_ABOUT = re.compile(r"逛|游览|参观|游玩|\b(?:explore|see it all)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[，,;；。]")
#: A stay for which the text gives only an upper limit, or one that each place of a list takes.
_LESS = re.compile(r"(?:不到|不足|至多|\b(?:less than|under)\b)\s*$", re.IGNORECASE)
_EACH = re.compile(r"^\s*(?:each\b|each of)", re.IGNORECASE)
#: A line about one of several routes through a sight.
_ROUTE = re.compile(r"^\W*(?:路线|线路|route)\s*[一二三四五六\d]", re.IGNORECASE)
#: A price that is the end of a range, a guess, or the price of a pass.
_RANGE_BEFORE = re.compile(r"\d\s*[-–—~～+]\s*$")
_GUESSED = re.compile(r"[几数多]十|十几|几百|数百")
_PASS = re.compile(r"[月年季联套通]$")
_VISA = re.compile(r"\bvisa[\s-]*$", re.IGNORECASE)
#: Hours of one session in the day, not of the place.
_SESSION = re.compile(r"[日夜早晚午]场|场次|\bsession\b", re.IGNORECASE)
#: Activities at a place of the same name; their hours and prices are not those of the sight.
_ACTIVITY = re.compile(r"\s*(?:滑雪|滑冰|漂流|温泉|高尔夫|酒店|民宿|餐厅|饭店)")
#: A statement that the author doubts, or that was true only in the past.
_DOUBTED = re.compile(
    r"存疑|貌似|原(?:开放|营业|票价|门票)|\b(?:reportedly|supposedly|used to)\b", re.I
)
#: What makes a season the best one: the word itself, or something to see in this season.
_BEST = re.compile(
    r"最佳|最好|最美|最适合|适合|推荐|值得|首选|任何时候都|赏|红叶|银杏|樱花|梅花|桃花|荷花|桂花|"
    r"\b(?:best|ideal|perfect|beautiful|recommended|great|peak|foliage|blossoms?|flowers?"
    r"|bloom\w*)\b",
    re.IGNORECASE,
)
#: A line of facts under the name of a place, a line about its location, and the most characters of
#: a line that begins with the name of a place and counts as a heading.
_LABELLED = re.compile(
    r"^\W*(?:门票|票价|开放时间|营业时间|游玩时间|建议游玩|admission|duration|time needed|time"
    r"|cost|entrance|"
    r"hours|opening hours|best time)\s*[:：|]",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^\W*(?:地址|位置|交通|address|location|metro)\s*[:：|]", re.IGNORECASE)
_HEAD_LINE, _LEAD = 60, re.compile(r"^[\W\d_]*$")
#: A sentence of a description that gives a price, hours, a stay or a time and nothing else.
_BARE = re.compile(
    r"^\W*(?:(?:¥|￥|\$|€|£)?\s*\d[\d.,]*\s*(?:rmb|cny|yuan|元)\b|hours \d|"
    r"(?:allow|visit|arrive|go|come|great at|best (?:at|in))\s+"
    r"(?:[\d–-]+|before|early|at|in|sunrise|sunset|late|morning|afternoon)\b)",
    re.IGNORECASE,
)
#: A line of advice that begins with the time to arrive.
_COME = re.compile(
    r"^\W*(?:visit|come|go|arrive|great|best|good)\s+(?:(?:at|in|around|the)\s+)*"
    r"(?:early|late|sunrise|sunset|dusk|dawn|morning|evening)",
    re.IGNORECASE,
)
_OPENS_AT = re.compile(r"入园时间|entry time", re.IGNORECASE)
_SLOT = re.compile(
    r"^.{0,4}(?:为一个|一个)?(?:时段|一班|一趟|间隔)|^\s*(?:slots?|intervals?)\b", re.I
)


def misread(row: Row, values: Row, text: str, names: Names, kin: Set[str] = frozenset()) -> str:
    """Return the name of the check that a fact from the rules fails, or "" if the fact passes.

    ``row`` contains the place (poi_id) and the range of the text that states the fact. ``values``
    are the fact's typed columns. ``kin`` contains the place itself and its parts.
    """
    start, end = row["start"], row["end"]
    first, last = sentence_of(text, start, end)
    sentence, quote = text[first:last], text[start:end]
    if check := find_unstated(row, text):
        return check
    if not _is_of_its_place({row["poi_id"], *kin}, (first, last), start, text, names):
        return "another_place"
    before = _without_names(text, first, start, names)[-_BEFORE:]
    after = text[end : end + _BEFORE]
    if "price_cents" in values:
        return _price(quote, before, after)
    if row["field"] == "opening_hours" and _SESSION.search(f"{before[-4:]}{quote}"):
        return "of_something_else"
    if not values.get("duration_min_min"):
        return ""
    if _ROUTE.match(sentence):
        return "travel_time"
    return _stay(values["duration_min_min"], quote, before, after)


def find_unstated(row: Row, text: str) -> str:
    """Return the name of the check that a fact from any reader fails, or "" if the fact passes.

    A wish, a doubt or a question does not state a fact. A text states an arrival time only if it
    recommends that time. A text states a season only if it calls the season the best or describes
    what makes it attractive. A person or a model understands which place and thing a value belongs
    to. Rules recognise only that certain words are close to each other.
    """
    sentence = text[slice(*sentence_of(text, row["start"], row["end"]))]
    is_stated = is_real(sentence) and not _DOUBTED.search(sentence)
    if row["field"] == "arrival_time":
        is_stated = is_stated and _is_advised(sentence)
    if row["field"] == "season":
        is_stated = is_stated and bool(_BEST.search(sentence))
    return "" if is_stated else "not_stated"


def _is_of_its_place(
    own: Set[str], sentence: tuple[int, int], start: int, text: str, names: Names
) -> bool:
    """Check whether a sentence is about the place.

    A sentence that names places must name the given place or one of its parts. If the sentence
    names no place, the last name before the sentence must belong to the given place or one of its
    parts.
    """
    said = text[slice(*sentence)]
    ends = _CLAUSE.search(text, start) if _LABELLED.match(said) else None
    last = min(sentence[1], ends.start() if ends else sentence[1])
    here = {place for at, end, place in names if sentence[0] <= at and end <= last}
    if here:
        return bool(here & own)
    before = [name for name in names[: bisect_right(names, (start, 0, ""))] if name[2] != ANOTHER]
    if not before:
        return True
    if _LABELLED.match(said) or _BARE.match(said):
        line = text.rfind("\n", 0, start) + 1
        heads = [name for name in before if _heads_its_line(text, name[0], line)]
        if heads and heads[-1][2] in own:
            return True
        before = [
            name
            for name in before
            if not _ADDRESS.match(text[text.rfind("\n", 0, name[0]) + 1 : name[0]])
        ]
    if not before:
        return False
    _, end, place = before[-1]
    return place in own and not _ACTIVITY.match(text, end)


def _heads_its_line(text: str, at: int, line: int) -> bool:
    """Check whether a name begins a line, or is on a line that is short enough to be a heading."""
    first, last = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    is_short = (last if last >= 0 else len(text)) - first <= _HEAD_LINE
    return (is_short or first == line) and bool(_LEAD.match(text[first:at]))


def _is_advised(sentence: str) -> bool:
    """Check whether a sentence recommends a time to visit, instead of reporting when somebody
    visited."""
    if tells(sentence, "best time") or _COME.match(sentence) or _OPENS_AT.search(sentence):
        return True
    return tells(sentence, "advice to arrive") and not tells(sentence, "own story")


def _without_names(text: str, first: int, end: int, names: Names) -> str:
    """Return a range of text with names replaced by dots, so that "Walking Street" does not count
    as a walk.
    """
    part = list(text[first:end])
    for at, until, _ in names[bisect_right(names, (first, 0, "")) :]:
        if at >= end:
            break
        part[at - first : min(until, end) - first] = "·" * (min(until, end) - at)
    return "".join(part)


def _price(quote: str, before: str, after: str) -> str:
    if _RANGE_BEFORE.search(before) or _GUESSED.search(quote):
        return "unreadable_value"
    is_extra = _EXTRAS.search(before) or _EXTRAS.search(quote)
    is_pass = quote.startswith("票") and _PASS.search(before)
    if is_extra or is_pass or _VISA.search(before) or _FREE_THING.search(after):
        return "of_something_else"
    return ""


def _is_on_the_way(quote: str, before: str, after: str) -> bool:
    """Check whether a duration is the time needed to travel to a place.

    If the clause with the duration also mentions a visit, travel in earlier clauses is ignored.
    """
    clause = _CLAUSE.split(before)[-1]
    if _GOES_ABOUT.search(clause + _CLAUSE.split(after)[0]):
        before = clause
    return bool(_ON_THE_WAY.search(before) or _ON_THE_WAY.search(quote))


def _stay(least_min: int, quote: str, before: str, after: str) -> str:
    if least_min < SHORTEST_STAY_MIN:
        return "implausible_value"
    if _is_on_the_way(quote, before, after):
        return "travel_time"
    if _SLOT.search(after) or _EACH.search(after) or _LESS.search(before):
        return "not_stated"
    is_told = _HAS_UNIT.search(quote) or _STAYS.search(before) or _STAYS.search(quote)
    return "" if is_told else "not_stated"


#: How and until when a visit is booked; this changes neither the price nor the opening hours.
_BOOKING = re.compile(
    r"(?:提前|需要?|须|请|可|在)?[^,，;；、]{0,12}(?:预约|预订|订票)|"
    r"(?:with |by |requires? |needs? )?(?:an? )?(?:advance |online |time-slot |timed )*"
    r"(?:booking|reservation|reserve|book)(?: required| needed| online| ahead| in advance)*",
    re.IGNORECASE,
)
#: Holidays on which a place may open on its day off; the day off in all other weeks stays.
_HOLIDAYS = re.compile(
    r"(?:除了?|遇|不含)?(?:国家|法定|公共)?(?:节?假日|节日)(?:除外|照常开放|不休)?|"
    r"(?:except |unless )?(?:on )?(?:a )?(?:public |national )?holidays?",
    re.IGNORECASE,
)


def limit_of(field: str, condition: str | None) -> str | None:
    """Return the parts of a condition that limit the fact in a field, joined with "; ", or None."""
    free = [_BOOKING, _HOLIDAYS] if field == "closed_days" else [_BOOKING]
    parts = [part for part in (condition or "").split("; ") if part]
    return "; ".join(p for p in parts if not any(form.fullmatch(p) for form in free)) or None
