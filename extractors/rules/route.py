"""Finds the single route in a document: which places are stops, on which day and in which order."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass

from extractors.journeys import is_calendar
from extractors.rules.common.chinese import is_city, strong
from extractors.rules.common.days import Days
from extractors.rules.common.grouping import Sight
from extractors.rules.common.lines import Hit, Line, context_of, lines_below
from extractors.rules.en.capitals import is_place
from extractors.rules.en.denials import is_denied, names_another, withdrawn
from extractors.rules.en.roles import is_walk
from extractors.rules.roles import judge_role, tells_visit
from extractors.rules.zh.lexicon import MEAL_LABEL, PARTS
from extractors.rules.zh.roles import tells_worth
from schemas.reading import DocumentKind, Route, RouteStop, Span
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules")

#: In an open area, the single scenes are the stops; a gated sight is one stop.
_OPEN = re.compile(
    r"湖|岛|古镇|古城|风景(?:名胜)?区|街区|沟|lake|island|old town|scenic", re.IGNORECASE
)
_SEQUENCE = re.compile(
    r"然后|接着|之后|随后|下一站|最后|先后|出发|第一站|一日游|来到|到了|走到|再往|往回走|参观完"
    r"|逛完|next stop|we then|after (?:that|lunch|this)|today|moved on",
    re.IGNORECASE,
)

#: Words before a place that is only seen, compared, or used to give a distance.
_IN_SIGHT = re.compile(r"(?:" + _LISTS.either("in_sight_words") + r")\S{0,3}$")
#: Words about a place that is described and not visited.
_DESCRIBED = re.compile(r"^(?:之间|的|是|为|以[东西南北]|始建|前身|初建|附近|旁边)")
#: A Chinese clause that leads to its stop has at most so many characters before the name.
_LEAD_IN = 6

#: The story of a single day without day marks has at most so many characters.
_ONE_DAY = 8000


@dataclass(frozen=True)
class RuleStop:
    """A place that is a stop on a day, with the hit that shows this."""

    day: int
    place: Sight
    hit: Hit
    listed: bool


def build_route(
    places: list[Sight], lines: list[Line], days: Days, kind: DocumentKind, lang: str
) -> tuple[Route | None, str]:
    """Return the route, or None and the reason why there is no route."""
    of_line = days.of_line
    if not days.marks and not days.cells and days.serial is None:
        text = "\n".join(line.text for line in lines)
        cues = len(_SEQUENCE.findall(text))
        if len(text) > _ONE_DAY:
            return None, "the text does not mark days, and is too long for a single day"
        headed = sum("heading" in place.sources for place in places)
        told = kind == "diary" and (lang != "zh" or cues > 0 or headed > 1)
        told = told or (lang == "en" and kind == "guide" and is_walk(lines))
        if not told and not (days.stated == 1 and _one_chain(places)):
            return None, "the text gives neither days nor an order of visits"
        if lang == "en" and _towns(lines) > 1:
            return None, "the sections cover several towns"
        of_line = tuple([1] * len(lines))
    further = _further(lines)
    if further.issuperset(mark.line for mark in days.marks):
        further = frozenset()
    if _is_calendar(lines, days):
        return None, "the text says what to do on each weekday"
    if _alternatives(days) or _plans([line for line in lines if line.index not in further]):
        return None, "the text offers several routes to choose from"
    of_line = tuple(None if i in further else day for i, day in enumerate(of_line))
    stops = _stops(places, lines, days, of_line, lang)
    short = kind == "diary" and not days.marks and sum(line.is_head for line in lines) < 3
    if lang == "en" and short and len({s.place.number for s in stops}) < 2:
        stops = _find_told(places, lines, of_line)
    by_day = {day: _day_order([s for s in stops if s.day == day]) for day in {s.day for s in stops}}
    visits = [
        RouteStop(day=day, order=order, name=stop.hit.name, standard=stop.place.standard,
              span=Span(start=stop.hit.start, end=stop.hit.end))
        for day in sorted(by_day)
        for order, stop in enumerate(by_day[day], start=1)
    ]  # fmt: skip
    alone = lang == "zh" and not days.marks and days.serial is None
    if alone and (len(visits) > _MOST_A_DAY or _many_cities(lines)):
        return None, "the text does not mark days, and its route does not fit into one day"
    if alone and len(visits) > 1 and _SEVERAL_DAYS.search("\n".join(line.text for line in lines)):
        return None, "the text covers several days without marking them"
    if alone and not visits:
        visits = _of_title(places, lines)
    titled = lines[0].kind == "title" and bool(visits) and visits[0].name in lines[0].text
    if not visits or (alone and len(visits) < 2 and not titled):
        return None, "no stops"
    return Route(visits=tuple(visits)), ""


def _is_calendar(lines: list[Line], days: Days) -> bool:
    """Check whether a page's title shows that it is a calendar of weekdays, which is not a
    journey.
    """
    title = lines[0].text if lines and lines[0].kind == "title" else ""
    return is_calendar(title, [lines[mark.line].text for mark in days.marks])


def _one_chain(places: list[Sight]) -> bool:
    """Check whether there are at least two stops in chains, all on the same line, so that this line
    plans a single day.
    """
    chained = [hit.line for place in places for hit in place.hits if hit.source == "chain"]
    return len(chained) > 1 and len(set(chained)) == 1


def _towns(lines: list[Line]) -> int:
    """Return the number of headings that consist only of the name of a city."""
    return len({line.text.strip().lower() for line in lines if line.kind == "heading"
                and is_place(line.text.strip().title())})  # fmt: skip


def _alternatives(days: Days) -> bool:
    """Check whether the days restart at day 1 more than once, as on a page with several proposals.

    If a page has both a list of days and passages about the same days, the list is not a separate
    proposal. In that case, the list is the plan, and the passages describe how the journey went.
    """
    passages = [mark.day for mark in days.marks if not mark.listed]
    passages = passages or [mark.day for mark in days.marks]
    return sum(b < a for a, b in itertools.pairwise(passages) if b <= 1) >= 2


_SEVERAL_DAYS = re.compile(
    r"[两二三四五六七八九\d]\s*天(?:的[^，。]{0,6})?(?:之旅|旅[行程]|行程)|(?:玩|呆|待"
    r"|逛)了[^，。]{0,3}[两二三四五六七八九2-9]\s*天|这[些几]天"
)
#: One day has at most so many stops; more without day marks are a list or a longer journey.
_MOST_A_DAY = 12


def _many_cities(lines: list[Line]) -> bool:
    """Check whether headings name three or more cities, in which case the page is not about one
    day.
    """
    heads = {line.text.strip() for line in lines if line.kind == "heading" or line.strong}
    return sum(is_city(text) for text in heads) > 2


def _of_title(places: list[Sight], lines: list[Line]) -> list[RouteStop]:
    """Return the visited place in the title if there is only one, for use if the story of a day
    names no other stop.
    """
    if lines[0].kind != "title":
        return []
    named = [
        (place, hit) for place in places if place.role == "visited"
        for hit in place.hits[:1] if hit.line == 0
    ]  # fmt: skip
    if len(named) != 1:
        return []
    place, hit = named[0]
    span = Span(start=hit.start, end=hit.end)
    return [RouteStop(day=1, order=1, name=hit.name, standard=place.standard, span=span)]


_LENGTH = re.compile(
    r"\b(\d{1,2}|one|two|three|four|five|six|seven)[- ]days?\b|([一二两三四五六七\d])[日天]游",
    re.IGNORECASE,
)


def _plans(lines: list[Line]) -> bool:
    """Check whether headings offer journeys of different lengths ("2-day visit", "3-day visit")."""
    found = (_LENGTH.search(line.text) for line in lines if line.kind == "heading")
    return len({(m[1] or m[2]).lower() for m in found if m}) > 1


_FURTHER = re.compile(
    r"\b(?:options?|optional|extended|extensions?|alternatives?|longer|more (?:time|days))\b|备选"
    r"|延长|更多时间|其他(?:方案|路线)",
    re.IGNORECASE,
)


def _further(lines: list[Line]) -> frozenset[int]:
    """Return the lines in sections that offer journeys of a different length from the main
    journey.
    """
    found: set[int] = set()
    for line in lines:
        if line.kind != "heading" or not _FURTHER.search(line.text):
            continue
        section = [line, *lines_below(line, lines)]
        if any(_LENGTH.search(part.text) for part in section if part.kind == "heading"):
            found.update(part.index for part in section)
    return frozenset(found)


def _find_superseded(days: Days) -> set[int]:
    """Return the lines of day lists that are replaced by a later list of the same days."""
    listed = [mark for mark in days.marks if mark.listed]
    if len(listed) == len(days.marks):
        return set()
    begins = [i for i, m in enumerate(listed) if i and m.day < listed[i - 1].day]
    return {mark.line for mark in listed[: begins[-1]]} if begins else set()


def _after_nights(stops: list[RuleStop], heads: set[int]) -> list[RuleStop]:
    """Drop the stop at the start of a day's heading if the previous day's heading ended with the
    same stop.
    """
    kept: list[RuleStop] = []
    last: RuleStop | None = None  # last stop of the heading above
    line = -1
    current: RuleStop | None = None
    for stop in stops:
        if stop.hit.line not in heads:
            kept.append(stop)
            continue
        if stop.hit.line != line:
            last, line = current, stop.hit.line
            if last is not None and last.place is stop.place and last.day != stop.day:
                continue
        current = stop
        kept.append(stop)
    return kept


_CHOICE = re.compile(r"\W*(?:路线|线路|方案)\s*[一二三四五\dA-C]")


def _choices(lines: list[Line], of_line: tuple[int | None, ...]) -> set[int]:
    """Return the lines that offer alternative routes through one sight on a day ("路线一 …
    路线二 …").
    """
    found: dict[int, list[int]] = {}
    for line in lines:
        day = of_line[line.index]
        if day is not None and not line.is_head and _CHOICE.match(line.text):
            found.setdefault(day, []).append(line.index)
    return {index for rows in found.values() if len(rows) > 1 for index in rows}


def _stops(
    places: list[Sight], lines: list[Line], days: Days, of_line: tuple[int | None, ...], lang: str
) -> list[RuleStop]:
    listed = {mark.line for mark in days.marks if mark.listed}
    heads = {mark.line for mark in days.marks}
    old = _find_superseded(days) | _choices(lines, of_line)
    found: list[RuleStop] = []
    back = withdrawn(places, lines, of_line, days) if lang == "en" else frozenset()
    for place in places:
        if place.role not in ("visited", "recommended") or place.number in back:
            continue
        for hit in place.hits:
            day = of_line[hit.line] if not days.cells else days.at(hit.line, hit.start)
            if day is None or hit.line in old or not _is_stop(hit, place, lines[hit.line], lang):
                continue
            found.append(RuleStop(day, place, hit, hit.line in listed or hit.line in heads))
    found.sort(key=lambda s: (s.hit.start, s.hit.end))
    found = _after_nights(found, heads)
    if not days.marks:
        found = _of_sections(found, lines)
    return _only_chains(_without_parts(_without_lone_parts(found, lang), heads), lines)


def _find_told(
    places: list[Sight], lines: list[Line], of_line: tuple[int | None, ...]
) -> list[RuleStop]:
    """Return the visited places in a one-day diary in which at most one place is a stop."""
    found = []
    for place in places:
        told = [
            h for h in place.hits if judge_role(h, lines[h.line], "en") in ("stop", "visit", "told")
        ]
        hit = min(told, key=lambda h: h.start, default=None)
        day = of_line[hit.line] if hit else None
        if place.role == "visited" and hit and day is not None:
            found.append(RuleStop(day, place, hit, False))
    return sorted(found, key=lambda s: (s.hit.start, s.hit.end))


def _of_sections(stops: list[RuleStop], lines: list[Line]) -> list[RuleStop]:
    """Drop stops below a sight's heading if a day has one heading for each sight.

    In that case, the stops below a heading are parts of the sight in the heading.
    """
    heads = {s.hit.line: s.place.number for s in stops if s.hit.source == "heading"}
    levels = Counter(lines[i].level for i in heads)
    if not levels or levels.most_common(1)[0][1] < 3:
        return stops
    level = levels.most_common(1)[0][0]
    of_line: dict[int, int | None] = {}
    current: int | None = None
    for line in lines:
        if line.is_head and line.level <= level:
            current = heads.get(line.index)
        of_line[line.index] = current
    return [
        s for s in stops
        if of_line[s.hit.line] is None or s.hit.line in heads
    ]  # fmt: skip


def _without_lone_parts(stops: list[RuleStop], lang: str) -> list[RuleStop]:
    """Keep halls, gates and other parts as stops only if a list names them or the day has no
    other stops.
    """

    def minor(stop: RuleStop) -> bool:
        told = stop.hit.source not in ("chain", "heading", "lead")
        return (
            lang == "zh" and told and bool(PARTS.search(stop.hit.name)) and not stop.place.standard
        )

    full = Counter(s.day for s in stops if not minor(s))
    return [
        s for s in stops
        if not minor(s) or full[s.day] < (2 if strong(s.hit.name) else 1)
    ]  # fmt: skip


def _is_stop(hit: Hit, place: Sight, line: Line, lang: str) -> bool:
    if lang == "en" and (is_denied(hit, line) or names_another(hit, line)):
        return False
    if hit.source in ("chain", "heading", "lead"):
        return True
    if line.kind == "quote" or (
        lang == "zh" and MEAL_LABEL.match(line.text) and "可以" not in line.text
    ):
        return False
    if tells_visit(hit, line, lang) or (lang == "zh" and tells_worth(hit, line)):
        return True
    # A known place in the story of a day is a stop, unless the words beside it say otherwise.
    if place.standard is None or judge_role(hit, line, lang) not in ("visit", "told"):
        return False
    words = context_of(hit, line)
    if lang == "zh" and (len(words.before) > _LEAD_IN or _DESCRIBED.match(words.after)):
        return False
    return not _IN_SIGHT.search(words.before)


def _without_parts(stops: list[RuleStop], heads: set[int]) -> list[RuleStop]:
    """Keep the scenes of an open area rather than the area, but a gated sight rather than its
    parts.

    If a sight is named only in the heading of the day, its parts in a list replace it.
    """
    told = {(s.day, s.place.standard) for s in stops if s.hit.line not in heads}
    listed = {(s.day, s.place.parent) for s in stops if s.hit.source in ("chain", "lead")}
    here = {(s.day, s.place.standard) for s in stops}
    areas = {key for s in stops if (key := (s.day, s.place.parent))[1] and _OPEN.search(key[1])}
    areas |= {key for key in listed & here if key[1] and key not in told}
    return [
        s for s in stops
        if (s.day, s.place.standard) not in areas
        and not (s.place.parent and (s.day, s.place.parent) in here - areas)
    ]  # fmt: skip


def _only_chains(stops: list[RuleStop], lines: list[Line]) -> list[RuleStop]:
    """If a day has a chain or a list, keep only the stops that the chain or list contains."""

    def set_out(stop: RuleStop) -> bool:
        in_list = stop.hit.source == "lead" and lines[stop.hit.line].kind == "list_item"
        return (stop.hit.source == "chain" or in_list) and not stop.listed

    chained: dict[int, set[int]] = {}
    rows: dict[int, Counter[int]] = {}
    for stop in stops:
        if stop.hit.source == "chain" and not stop.listed:
            chained.setdefault(stop.day, set()).add(id(stop.place))
            rows.setdefault(stop.day, Counter())[stop.hit.line] += 1

    def is_noted(stop: RuleStop) -> bool:
        """Check whether the stop is in one of a day's notes, which count as a list does."""
        single = max(rows[stop.day].values()) == 1
        return single and lines[stop.hit.line].kind == "list_item" and not stop.listed

    return [s for s in stops if len(chained.get(s.day, ())) < 2 or set_out(s) or is_noted(s)]


def _day_order(stops: list[RuleStop]) -> list[RuleStop]:
    """Return the stops on one day in text order, each once, including stops that only a day list
    names.
    """
    told = _once([s for s in stops if not s.listed])
    listed = _once([s for s in stops if s.listed])
    if not told:
        return listed
    order = list(told)
    seen = {id(s.place) for s in order}
    previous = -1
    for stop in listed:
        if id(stop.place) in seen:
            previous = max(previous, next(i for i, s in enumerate(order) if s.place is stop.place))
            continue
        previous += 1
        order.insert(previous, stop)
    return order


def _once(stops: list[RuleStop]) -> list[RuleStop]:
    first: dict[int, RuleStop] = {}
    for stop in stops:
        first.setdefault(id(stop.place), stop)
    return list(first.values())
