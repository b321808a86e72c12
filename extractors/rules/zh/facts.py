"""Finds statements in Chinese sentences: hours, prices, durations, seasons and arrival times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors.evidence import zh_number
from extractors.rules.common.limits import limit_statements
from extractors.rules.common.statements import (
    Sentence,
    Statement,
    clock,
    clock_range,
    hours_text,
    number_text,
    other_amounts,
    price_value,
    unique,
)
from extractors.rules.zh.limits import LIMITS
from schemas.reading import FactField
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.zh")

_N = r"\d+(?:\.\d+)?|[零一二两三四五六七八九十百]+"
_T = r"\d{1,2}\s*(?:[:：.]\s*\d{2}|[点时](?:\s*(?:\d{1,2}\s*分?|半|一刻))?)"
_TO = r"\s*(?:[-–—~～至到]|——)+\s*"
_PRICE = re.compile(
    rf"(?:门票|票价|成人票?)\s*[：:]?\s*(?:成人|全价)?\s*[¥￥]\s*(?P<c>{_N})"
    rf"|(?:门票吧?[，,](?=[才只仅约])|门票|票价|[全成大普半]?[成通]?[人价]?票|入园|联票|套票"
    rf"|通票)[^，。；\d零一二两三四五六七八九十]{{0,8}}?(?P<a>{_N})\s*(?:元|块|人民币|rmb"
    rf"|r(?![a-z])|¥)"
    rf"|(?P<b>{_N})\s*(?:元|块钱?|rmb)(?:的|/人|一人|每人|一张)*[^，。；]{{0,8}}?(?:门票|票(?!务))",
    re.IGNORECASE,
)
#: Words before or after an amount in another currency that make it a ticket price.
_TICKET_BEFORE = re.compile(
    r"(?:门票|票价|[全成大普半]?[成通]?[人价]?票|入园|入场费?|联票|套票|通票"
    r"|参观费)[^，。；\d]{0,8}$"
)
_TICKET_BEHIND = re.compile(r"(?:的|/人|一人|每人|一张)*[^，。；\d]{0,4}?(?:门票|票(?!务))")
_BARE_PRICE = re.compile(r"(?:门票|票价)\s*[：:]?\s*(\d{1,4})(?=\s*(?:[，。；,]|$))")
_TAIL_PRICE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*(?:元|rmb)(?:/人)?\s*$", re.IGNORECASE)
_FREE = re.compile(
    r"(?:门票|入园|参观|预约|开放|进入|票|景区|全程|可以|是|都)[^，。；]{0,8}?(?:免费|免票|不要钱"
    r"|不收费)|免费(?:门票|入园|参观|开放|景点|进|游览|领票|预约|的(?:景点|公园|博物馆))"
    r"|[免不]要?门票|无需门票|不用门票"
)
_NO_PRICE = re.compile(_LISTS.either("prices_of_other_things"))
_HOURS = re.compile(rf"(?P<a>{_T}){_TO}(?:次日)?(?P<c>{_T})")
_HOURS_CUE = re.compile(
    r"(?P<entry>入园时间|入场时间|预约时段)|开放|营业|开馆|开园|通车时间|^\W*时间\s*[：:]\s*"
    r"|参观时间|游览时间|景区时间"
)
_BRACKETED = re.compile(r"[（(]\s*(\d{1,2}[.:：]\d{2})\s*[-–~至]\s*(\d{1,2}[.:：]\d{2})\s*[)）]")
_SHOWS = re.compile(
    r"(?P<part>晚上|下午|上午|每晚)?\s*(?P<a>\d{1,2})\s*[点:：]\s*(?P<am>\d{2})?\s*(?:和|、"
    r"|，)\s*(?P<b>\d{1,2})\s*[点:：]\s*(?P<bm>\d{2})?\s*(?:两|各|2)?(?:场|各一场)"
)
_LAST = re.compile(
    rf"(?:最[晚后迟]|截止|停止)(?:入园|入馆|入场|检票|售票"
    rf"|进[入场馆园])(?:时间)?[^，。；\d]{{0,6}}?(?P<a>{_T})|(?P<b>{_T})\s*(?:后|以后|就"
    rf"|之后)?(?:停止|截止)(?:入|检|售|进)"
)
_CLOSED = re.compile(
    r"(?:每)?逢?(?:周|星期|礼拜)(?P<a>[一二三四五六日天])(?:[^，。；]{0,6}(?:闭|不对外开放|不开放"
    r"|休馆|休息|不开|关[门闭馆园]))|(?:闭馆|闭园|休馆)[^，。；]{0,6}(?:周"
    r"|星期)(?P<b>[一二三四五六日天])"
)
_LONG = re.compile(
    rf"(?P<a>{_N}|半)\s*(?:来|几)?\s*(?P<half1>个半)?(?:{_TO}(?P<b>{_N}))?\s*(?P<more>个多|多个"
    rf"|多)?\s*(?P<ge>个)?(?P<half2>半)?\s*(?P<unit>小时|钟头|分钟|h(?![a-z]))(?P<half3>半)?"
)
_BARE_LONG = re.compile(
    rf"[（(]\s*(?:大?约|建议|游玩|预计)*\s*(?={_LONG.pattern}(?:左右)?\s*[)）])"
)
_LONG_CUE = re.compile(_LISTS.either("visit_length_cues"))
_NO_LONG = re.compile(_LISTS.either("lengths_of_other_things"))
_WHOLE = re.compile(
    r"(?:逛|玩|待|呆|参观|游览|游玩|花|坐|戴|看|需要?|安排)(?:了|上|完|个"
    r"|够)?[^，。；]{0,6}?(?P<w>一整天|整整一天|一上午|一下午|一个上午|一个下午|半天|大半天|半日"
    r"|一天|一晚上?|一个晚上)|(?P<v>半日游|一日游)"
)
_WHOLE_HOURS = {"晚": "3", "午": "4", "半": "4"}
_AT = re.compile(
    rf"(?P<t>{_T})\s*(?:左右|多|前后|整)?[^，。；\d]{{0,6}}?(?:就?开始(?:逛|游|爬|参观)|到达?了?"
    rf"|抵达|入园|进园|入场|集合|开始(?:逛|游)|出发去)"
)
#: A line of a schedule that is about a ride, a bed or a meal.
_UNDERWAY = re.compile(
    r"乘车|坐车|开车|驱车|车程|出发|启程|入住|用餐|早餐|午餐|晚餐|早饭|午饭|晚饭"
)
_WAS = re.compile(
    rf"到达?[^，。；\d]{{1,10}}(?:就|都)?(?:已经?是?|时已?是?)(?:早上|上午|中午|下午|傍晚"
    rf"|晚上)?(?P<t>{_T}|[一二三四五六七八九十两]+[点时](?:多|半|钟)?)"
)
_BEST_PART = re.compile(
    r"(?:适合|建议|最好|推荐|最佳(?:游览|观赏|拍照|参观)?时间[是为：:]?|记得"
    r"|一定要)[^，。；]{0,4}?(?P<p>清晨|早上|早晨|上午|中午|下午|傍晚|黄昏|日落(?:时分|前)?"
    r"|日出(?:前|时)?|晚上|夜晚|夜里)(?:时|来|去|前往|游览|参观|再|过来|的时候|$|，|。)|(?P<q>清晨"
    r"|傍晚|黄昏|日落|晚上|夜晚)(?:的时候)?(?:来|去|前往)?(?:最美|最好看|最佳|最合适|最漂亮"
    r"|最热闹)"
)
_PARTS = {
    "清晨": "early morning",
    "早上": "morning",
    "早晨": "morning",
    "上午": "morning",
    "中午": "noon",
    "下午": "afternoon",
    "傍晚": "dusk",
    "黄昏": "dusk",
    "日落": "sunset",
    "日出": "sunrise",
    "晚上": "evening",
    "夜晚": "evening",
    "夜里": "night",
}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_SEASON = re.compile(
    r"(?:最佳|最好|最适合|最美|适合|黄金)[^，。；]{0,8}?(?P<a>[春夏秋冬])(?:[季天日](?!气))"
    r"|(?P<b>[春夏秋冬])[季天日色雪](?:[^，。；]{0,8}?)(?:最美|最佳|最好|最浓|来赏|来看|称著|闻名"
    r"|著称|好去处|来最|绝美|赏)"
)
_ALL_YEAR = re.compile(r"一年四季|四季(?:皆宜|都|如)")
_DAYS = dict(
    zip("一二三四五六日天", ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Sun"], strict=True)
)
_MEAL = re.compile(r"^\W*(?:早|午|晚|中)[餐饭]|^\W*住宿|^\W*交通|^\W*人均")


def statements(sentence: Sentence, named: bool) -> list[Statement]:
    """Return all statements about a place in a sentence."""
    text = sentence.text
    if _MEAL.match(sentence.line.text):
        return []
    found = [
        *_prices(sentence, named),
        *_hours(text, named, bool(_HOURS_LABEL.match(sentence.line.text))),
        *_durations(text),
    ]
    found += [
        Statement("closed_days", _DAYS[match["a"] or match["b"]], *match.span())
        for match in _CLOSED.finditer(text)
    ]
    found += [
        Statement("last_admission", time, *match.span())
        for match in _LAST.finditer(text)
        if (time := clock(match["a"] or match["b"], text[: match.start()]))
    ]
    found += [*_arrivals(sentence, named), *(_seasons(text) if named else ())]
    return limit_statements(unique(found), sentence, LIMITS)


def _prices(sentence: Sentence, named: bool) -> list[Statement]:
    text = sentence.text
    found: list[Statement] = []
    for match in _PRICE.finditer(text):
        around = text[max(0, match.start() - 8) : match.end() + 2]
        if not _NO_PRICE.search(around):
            value = match["a"] or match["b"] or match["c"]
            price = number_text(float(value) if value[0].isdigit() else zh_number(value))
            found.append(Statement("ticket_price_cny", price, *match.span()))
    for other in other_amounts(text):
        around = text[max(0, other.start - 8) : other.end + 2]
        before, after = text[max(0, other.start - 16) : other.start], text[other.end :]
        is_ticket = _TICKET_BEFORE.search(before) or _TICKET_BEHIND.match(after)
        if is_ticket and not _NO_PRICE.search(around):
            found.append(Statement("ticket_price", price_value(other), other.start, other.end))
    bare = _BARE_PRICE.search(text) if not found else None
    if bare:
        found.append(Statement("ticket_price_cny", bare[1], *bare.span()))
    free = _FREE.search(text)
    if free and not _NO_PRICE.search(free.group()):
        found.append(Statement("ticket_price_cny", "0", *free.span()))
    tail = _TAIL_PRICE.search(text)
    listed = sentence.line.kind == "list_item" and len(text) < 60
    if tail and not found and named and listed and not _NO_PRICE.search(text):
        found.append(Statement("ticket_price_cny", number_text(float(tail[1])), *tail.span()))
    return found


_PASSABLE = re.compile(r"\s*(?:可|才|均)?(?:通行|开放|营业|可通)")
_HOURS_LABEL = re.compile(r"\W*[\u4e00-\u9fff]{0,3}(?:开放|营业|开馆|开园)时间")


def _hours(text: str, named: bool, labelled: bool) -> list[Statement]:
    """Return opening hours; in a ``labelled`` line, every range counts as opening hours."""
    found: list[Statement] = []
    for match in _HOURS.finditer(text):
        before = text[max(0, match.start() - 14) : match.start()]
        cues = list(_HOURS_CUE.finditer(before))
        behind = _PASSABLE.match(text, match.end())
        span = clock_range(match["a"], match["c"], before)
        if span is None or not (
            cues or labelled or behind or (found and text[match.start() - 1] not in "（(")
        ):
            continue
        start = max(0, match.start() - 14) + cues[-1].start() if cues else match.start()
        is_arrival = cues and cues[-1]["entry"]
        field: FactField = "arrival_time" if is_arrival else "opening_hours"
        found.append(Statement(field, span, start, match.end()))
    bracketed = _BRACKETED.search(text)
    if bracketed and named and not found and not _TRAVELS.search(_clause(text, bracketed)):
        span = clock_range(bracketed[1], bracketed[2], "")
        found += [Statement("opening_hours", span, *bracketed.span())] if span else []
    if shows := _SHOWS.search(text):
        part = shows["part"] or ""
        times = [clock(f"{shows[k]}:{shows[k + 'm'] or '00'}", part) for k in ("a", "b")]
        if all(times):
            found.append(
                Statement("opening_hours", ", ".join(t for t in times if t), *shows.span())
            )
    return found


_TRAVELS = re.compile(r"[飞车航转船铁返]|[-—~→]")


def _clause(text: str, match: re.Match[str]) -> str:
    """Return the text before a match in the same clause."""
    return re.split(r"[，。；、→]", text[: match.start()])[-1]


def _durations(text: str) -> Iterator[Statement]:
    alone = {match.end() for match in _BARE_LONG.finditer(text)}
    for match in _LONG.finditer(text):
        around = text[max(0, match.start() - 14) : match.end() + 6]
        bare = match.start() in alone
        if not bare and (not _LONG_CUE.search(around) or _NO_LONG.search(around)):
            continue
        if value := _length(match):
            yield Statement("duration_hours", value, *match.span())
    whole = _WHOLE.search(text)
    if whole and whole["w"] and not _NO_LONG.search(text[max(0, whole.start() - 6) : whole.end()]):
        value = next((v for k, v in _WHOLE_HOURS.items() if k in whole["w"]), "8")
        yield Statement("duration_hours", value, *whole.span())


_HAN_DIGITS = "零一二三四五六七八九"


def _length(match: re.Match[str]) -> str | None:
    if re.fullmatch("[一二三四五六七八九]{2}", match["a"]) and not match["b"]:
        first_digit, last_digit = (_HAN_DIGITS.index(c) for c in match["a"])
        if last_digit == first_digit + 1:  # "六七个小时"
            return hours_text(first_digit, last_digit)
    first = 0.5 if match["a"] == "半" else _number(match["a"])
    if match["unit"] == "分钟":
        return hours_text(first / 60, _number(match["b"]) / 60 if match["b"] else None)
    if match["half1"] or match["half2"] or match["half3"]:
        first += 0.5
    if match["more"] and not match["b"]:
        return hours_text(first, first + 1)
    value = hours_text(first, _number(match["b"]) if match["b"] else None)
    return value if first <= 12 else None


def _number(text: str) -> float:
    return float(text) if text[0].isdigit() else zh_number(text)


def _arrivals(sentence: Sentence, named: bool) -> Iterator[Statement]:
    text = sentence.text
    lead = re.match(rf"\W*(?P<t>{_T})(?:{_TO}{_T})?(?!\s*(?:小时|元))", text)
    if (
        lead
        and named
        and sentence.clock
        and not sentence.line.is_head
        and sentence.line.kind != "quote"
    ):
        travels = bool(_UNDERWAY.search(text))
        dated = travels or ("." in lead["t"] and lead.end("t") == lead.end())  # "07.10", a day
        time = None if dated else clock(lead["t"], "")
        if time:
            yield Statement("arrival_time", time, *lead.span())
    elif named or "集合" in text:
        at = _AT.search(text) or _WAS.search(text)
        time = clock(at["t"], text[max(0, at.start() - 3) : at.start()]) if at else None
        if at and time:
            yield Statement("arrival_time", time, *at.span())
    best = _BEST_PART.search(text)
    if best and named:
        word = best["p"] or best["q"]
        value = next(v for k, v in _PARTS.items() if word.startswith(k))
        yield Statement("arrival_time", value, *best.span())


def _seasons(text: str) -> Iterator[Statement]:
    if match := _SEASON.search(text):
        yield Statement("season", _SEASONS[match["a"] or match["b"]], *match.span())
    if always := _ALL_YEAR.search(text):
        yield Statement("season", "all year", *always.span())
