"""Finds out whether the words around a span are a question, a denial, data or something else.

A sentence ends at the end of its line, so each title, item and table row is a separate sentence.
Some lines contain only data about a place, such as prices, hours, metro lines or how to book:
``Clock Hall | 10 | line 1 | 8:00-17:00``. A line of data does not recommend the place, just as a
table of thirty sights does not recommend all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.documents import Block

_ENDS = re.compile(r"[。！？!?\n]|\.(?=\s|$)")
_ASKS = re.compile(r"[？?]")
#: Words that deny the word that follows directly.
_DENIES = re.compile(
    r"(?:不适合|不建议|不推荐|不要在?|避开|避免|没有|不是|非|除了)$|"
    r"\b(?:not|no|avoid|except|never|rather than|instead of)\s+(?:(?:for|in|the|during|with)\s+)*$",
    re.IGNORECASE,
)
#: Words for a plan, a wish or a lapse of memory: the event did not happen, or is not known.
_UNREAL = re.compile(
    r"下次|以后再|等着|期待|没去|没有去|没能|未能|错过|忘记|忘了|不记得|记不清|不确定|"
    r"\b(?:next time|did ?n[o']t (?:go|see|visit)|not sure|can ?n[o']t remember|forg[oe]t)\b",
    re.IGNORECASE,
)
#: Rules about tickets and hours, in which a season or kind of traveller only limits price or hours.
_RULES = re.compile(
    r"票|凭|证|优惠|免费|半价|周岁|开放时间|营业|预约|"
    r"\b(?:tickets?|discount|concession|free|opening|admission|entry|booking)\b|\d{1,2}[:：]\d{2}",
    re.IGNORECASE,
)
#: Words that show that people travel and are not just seen by the author.
_TOGETHER = re.compile(
    r"(?:带着?|陪着?|和|跟|与|携|适合|领着?|我们|一家)[^，,。；;]{0,6}$|"
    r"\b(?:with|for|bring(?:ing)?|our|my|took|taking)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_TRIP = re.compile(
    r"^[^，,。；;]{0,4}(?:游|行|出行|出游|旅行|旅游|遛|之旅|的好去处|友好)|"
    r"^\s*(?:friendly|trip|travell?ers?|holiday|vacation)\b",
    re.IGNORECASE,
)
#: Words that turn a place's name into the name of an app, an account, a business, a road, a bridge,
#: an old street or a station.
_APP = re.compile(r"[^，,。\n]{0,8}(?:app\b|公众号|服务号|小程序|官网|website\b)", re.IGNORECASE)
_ACCOUNT = re.compile(r"(?:公众号|微信号|服务号|小程序)\s*[：:“\"「]?\s*$")
_BUSINESS = re.compile(
    r"(?:小吃|饭店|酒店|宾馆|餐厅|菜馆|烤鸭|客栈|民宿|青旅|店（|隧道|桥|老街|地铁站|公交站|高铁站)|"
    r"[（(](?:地铁|公交|高铁|轻轨)站|[^\s，,。（(、]{0,10}店[）)]"
    r"|[\u4e00-\u9fff]{2,8}店(?![铺家里主])|"
    r"[\u4e00-\u9fff]{3,8}(?:园|馆|中心|基地)(?![\u4e00-\u9fff])|"
    r"\s(?:hotel|hostel|restaurant|cafe|tunnel|station)\b",
    re.IGNORECASE,
)
#: A song, poem or book with the name of a place is not the place.
_WORK_BEFORE = re.compile(r"(?:唱|吟|诵|弹奏|演奏|题写|默写|一首|一曲|名诗|名作)[「“\"'《]?$|《$")
_WORK_AFTER = re.compile(r"》|[」”\"']?(?:诗碑|诗句|一诗|一曲|一词|这首|的诗)")
#: Words for a kind of ticket, the parts of a sight, a title on another page, or a quoted source.
_TICKET = re.compile(r"[联套门]票[^|\n]*[（(][^）)\n]*$")
_TICKET_AFTER = re.compile(
    r"(?:[^|，,。\n]{0,6}[）)])?\s*门票\s*\||(?:[（(][^）)\n]{0,20}[）)])?\s*(?:参观)?(?:门票"
    r"|票价)\s*[:：]?\s*\d"
)
_MADE_OF = re.compile(r"(?:由|包括|包含|分为)[^。！？\n]{0,40}$")
_MADE_WITH = re.compile(r"[（(](?:内?含|包括|包含)[^）)\n]{0,40}$")
_MADE_AFTER = re.compile(r"[^。！？\n]{0,20}(?:组成|构成|三部分|两部分|几部分)")
_ELSEWHERE = re.compile(r"[^\n]{0,80}\s-\s[^\n]{1,30}的?(?:回答|文章)?\s-\s*知乎")
_QUOTES = re.compile(r"[\u4e00-\u9fff》]{2}(?:云|曰|记云|志云|载)\s*[：:，,「“][^\n]*$")
#: Words for what is near a hotel, and for what is passed on the way.
_LODGING = re.compile(
    r"(?:酒店|宾馆|客栈|民宿|青旅)[^。！？\n]{0,60}(?:位于|地处|坐落|距离?|毗邻|紧邻|步行|仅|交通)|"
    r"近在咫尺|数步之遥|^\W*nearby\s*:",
    re.IGNORECASE,
)
_PASSED = re.compile(
    r"(?:高铁|火车|列车|动车|飞机|大巴)[^。！？\n]{0,12}(?:过|经|途经|掠过)$|"
    r"\b(?:drove|train|bus)\b[^.!?\n]{0,20}\bpast\s+(?:the\s+)?$",
    re.IGNORECASE,
)
#: Words that say that a place was closed when the author came.
_SHUT = re.compile(
    r"[^。！？\n欲游往去]{0,14}(?:(?:方|正在?|还在?)(?:整修|维修|修缮|装修|施工)|大门紧闭"
    r"|已经?关门|进不去|没能?进|吃了?闭门羹)|"
    r"[^.!?\n]{0,20}\b(?:was closed|were closed|closed for)\b",
    re.IGNORECASE,
)
#: Words for a journey in another year that the author mentions in passing.
_EARLIER = re.compile(
    r"(?:(?:19|20)\d\d\s*年|上一?次|几年前|多年前)[^。！？\n]{0,14}(?:来过|去过|到过|来了?一次)"
)
_BOARDS = re.compile(r"\s*(?:地铁站|公交站|站)?\s*(?:乘坐|换乘|转乘|上车)")
#: Headings above titles of other pages.
_SOURCES = re.compile(
    r"^\W*(?:sources?|references?|further reading|参考(?:资料|文献|链接)?|相关(?:链接|网站|文章)"
    r"|资料来源)\W*$",
    re.IGNORECASE,
)
#: Words that use a place only to say where another place is.
_LOCATES_BEFORE = re.compile(
    r"(?:距离?|离|毗邻|邻近|靠近|挨着)$|距离[^，,。；;]{1,20}、$|"
    r"\b(?:near|next to|close to|opposite|beside|walking distance (?:from|to|of))\s+(?:\w+ and )?$",
    re.IGNORECASE,
)
_LOCATES_AFTER = re.compile(
    r"(?:边上?|旁边?|附近|隔壁|脚下|之外|对面|的距离|相邻|(?:[^，,。\n]{1,8})?(?:一起|一道)?并称"
    r"|齐名|相媲美|乘坐|坐车|上车|联成|相连|相望|遥相)"
)
#: The number of characters before and after a word in which other words may change its meaning.
_NEAR = 24


def sentence_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and the end of the sentence that contains a span, or of all sentences that
    the span covers.
    """
    before = [match.end() for match in _ENDS.finditer(text, max(0, start - 400), start)]
    after = _ENDS.search(text, end)
    return (before[-1] if before else max(0, start - 400)), (after.end() if after else len(text))


def is_one_sentence(text: str, first: int, last: int) -> bool:
    """Check that no sentence ends between two offsets."""
    return not _ENDS.search(text[first:last])


def is_real(sentence: str) -> bool:
    """Check that a sentence is not a question, a wish, a plan for later or an uncertain memory."""
    return not _ASKS.search(sentence) and not _UNREAL.search(sentence)


def is_denied(text: str, start: int) -> bool:
    """Check whether the words before an offset deny the words after it."""
    return bool(_DENIES.search(text[max(0, start - _NEAR) : start]))


def is_part_of_name(text: str, start: int, end: int) -> bool:
    """Check whether a place's name is only part of the name of an app, an account or a business.

    The result is also True if the name is that of a song, a poem or a book.
    """
    before = text[max(0, start - _NEAR) : start]
    is_work = _WORK_BEFORE.search(before) or _WORK_AFTER.match(text, end)
    return bool(
        is_work or _APP.match(text, end) or _BUSINESS.match(text, end) or _ACCOUNT.search(before)
    )


def only_locates(text: str, start: int, end: int) -> bool:
    """Check whether a name is used only to locate something else, or only in a comparison."""
    before = text[max(0, start - _NEAR) : start].rsplit("\n", 1)[-1]
    return bool(
        _LOCATES_BEFORE.search(before)
        or _LOCATES_AFTER.match(text, end)
        or _PASSED.search(before)
        or _LODGING.search(text[slice(*sentence_of(text, start, end))])
    )


def only_describes(text: str, start: int, end: int) -> bool:
    """Check whether a name is only part of a description.

    For example, the name may be part of a ticket's name, of another page's title or of a
    quotation's source, or may be listed among the parts of a sight.
    """
    line = text[max(0, start - 80) : start].rsplit("\n", 1)[-1]
    is_ticket = _TICKET.search(line) or _TICKET_AFTER.match(text, end)
    is_part = _MADE_WITH.search(line) or (_MADE_OF.search(line) and _MADE_AFTER.match(text, end))
    return bool(is_ticket or is_part or _ELSEWHERE.match(text, end) or _QUOTES.search(line))


def is_source_heading(heading: str) -> bool:
    """Check whether a heading is followed by titles of other pages."""
    return bool(_SOURCES.match(heading))


def was_shut(text: str, end: int) -> bool:
    """Check whether the words after a place's name say that the place was closed."""
    return bool(_SHUT.match(text, end))


def is_no_stop(text: str, start: int, end: int) -> bool:
    """Check whether a name refers to a boarding point, a song, or a place on an earlier journey."""
    first, last = sentence_of(text, start, end)
    before = text[max(0, start - _NEAR) : start]
    is_work = _WORK_BEFORE.search(before) or _WORK_AFTER.match(text, end)
    return bool(is_work or _BOARDS.match(text, end) or _EARLIER.search(text[first:last]))


def states_rules(sentence: str) -> bool:
    """Check whether a sentence is about tickets, discounts or hours."""
    return bool(_RULES.search(sentence))


def is_company(text: str, start: int, end: int) -> bool:
    """Check whether the people named in a span are fellow travellers, and not just people whom the
    author saw."""
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    line = before.rsplit("\n", 1)[-1]
    return bool(_TOGETHER.search(line) or _TRIP.search(after.split("\n", 1)[0]))


#: The most characters in a line of data, and the most of them that are in no listed word.
_LONGEST, _OTHER = 60, 0.34
_DATA_LABEL = re.compile(
    r"\s*(?:门票|票价|价格|成人票?|开放时间|营业时间|时间|地址|电话|交通|地铁|预约|"
    r"booking|tickets?|price|admission|hours|open|metro|address|phone|peak season|walk-up)\s*[:：]",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"[\W\d_]|元|人|次|免费?|全天|周[一二三四五六日末]|休|闭馆|号线|站|旺季|淡季|成人|学生|儿童"
    r"|老人|半价|门票|联票|"
    r"开放|时间|小时|分钟|[上下]午|\b(?:free|closed|open|daily|line|adults?|child(?:ren)?"
    r"|students?|seniors?|"
    r"cny|rmb|yuan|am|pm|mon|tue|wed|thu|fri|sat|sun|all day|hours?|min)\b",
    re.IGNORECASE,
)
#: The name of a file at the beginning of a line that describes the file's contents.
_FILE = re.compile(r"\W*[\w./-]+\.(?:md|html?|pdf|docx?|txt)\b")


def is_data(text: str) -> bool:
    """Check whether a line consists of numbers and labels, with hardly any other words."""
    if _DATA_LABEL.match(text):
        return True
    if len(text) > _LONGEST or not re.search(r"\d|免|free", text, re.IGNORECASE):
        return False
    return len(_WORDS.sub("", text)) <= _OTHER * len(text)


def stands_in_data(blocks: Sequence[Block], at: int, start: int, end: int) -> bool:
    """Check whether everything around a name in a block is data.

    The name may be in a table row, on the line above a line of data, or in an index entry in a
    file.
    """
    block = blocks[at]
    if _FILE.match(block.text):
        return True
    before, after = block.text[: start - block.start], block.text[end - block.start :]
    if block.kind == "table_row":
        rest = f"{before}|{after}".replace("|", " ").strip()
        return not rest or is_data(rest)
    is_bare = not re.sub(r"[\W\d_]", "", before + after)
    return is_bare and at + 1 < len(blocks) and is_data(blocks[at + 1].text)
