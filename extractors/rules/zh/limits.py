"""Finds words that limit a value in Chinese sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors.rules.common.limits import LimitWords, Range
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.zh")

_M = r"(?<!\d)(?:1[0-2]|0?[1-9])"
_YEAR = re.compile(
    rf"(?P<a>{_M})\s*月?(?:(?P<first>\d{{1,2}})[日号])?\s*(?:[-–—~～至到]|——)+\s*(?:次年|翌年"
    rf"|第二年)?"
    rf"(?P<b>{_M})\s*月(?:(?P<last>\d{{1,2}})[日号])?"
    rf"|(?P<list>(?:{_M}月?[、和])+{_M}月(?!\d))"
    rf"|(?P<one>{_M})月份?(?=门票|票价|期间|开放|免费)"
    r"|(?P<p>[旺淡]季)"
    r"|(?P<s>[春夏秋冬])(?:季|令时|天(?=[^，。；]{0,4}(?:门票|票价|开放|营业|免费|闭)))"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_DAY = r"(?:周|星期|礼拜)[一二三四五六日天]"
_WEEK = re.compile(
    rf"(?P<end>周末|双休日)|(?P<work>工作日|平日)|(?<![上下本这])(?P<a>{_DAY})"
    rf"(?P<more>(?:\s*[-–—~～至到、和及]\s*(?:周|星期|礼拜)?[一二三四五六日天])*)(?!\s*(?:闭|休"
    rf"|不))"
)
_DAYS = dict(
    zip("一二三四五六日天", ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Sun"), strict=True)
)


def _years(text: str) -> Iterator[tuple[Range, str | None]]:
    """Yield the range and form of each season or period of months; the form is None if a period
    begins or ends within a month.
    """
    for match in _YEAR.finditer(text):
        if match["s"]:
            yield match.span(), _SEASONS[match["s"]]
        elif match["p"]:
            yield match.span(), "peak season" if match["p"] == "旺季" else "off season"
        elif match["list"] or match["one"]:
            names = [_MONTHS[int(n) - 1] for n in re.findall(r"\d+", match[0])]
            yield match.span(), ", ".join(names)
        elif int(match["first"] or 1) != 1 or int(match["last"] or 31) < 28:
            yield match.span(), None
        else:
            a, b = int(match["a"]), int(match["b"])
            yield (
                match.span(),
                "always" if (a, b) == (1, 12) else f"{_MONTHS[a - 1]}-{_MONTHS[b - 1]}",
            )


def _weeks(text: str) -> Iterator[tuple[Range, str | None]]:
    """Return weekdays as ``Tue-Sun`` or ``Sat, Sun``."""
    for match in _WEEK.finditer(text):
        if match["end"] or match["work"]:
            yield match.span(), "Sat-Sun" if match["end"] else "Mon-Fri"
            continue
        days = [_DAYS[sign] for sign in re.findall("[一二三四五六日天]", match[0])]
        is_range = len(days) == 2 and re.search("[-–—~～至到]", match["more"]) is not None
        when = "-".join(days) if is_range else ", ".join(days)
        yield match.span(), "always" if when == "Mon-Sun" else when


LIMITS = LimitWords(
    audiences={
        "adult": re.compile(r"(?<!未)成年?人|大人|全价|普通票"),
        "child": re.compile(
            r"儿童|小孩|孩子|孩童|小朋友|婴幼儿|学龄前|未成年人?|1\.\d\s*米(?:以下)?|"
            r"(?<!\d)(?:\d|1[0-8])周?岁(?:以下|及以下|以内)"
        ),
        "student": re.compile(r"(?:大|中|小)?学生证?|研究生"),
        "senior": re.compile(r"老年?人|老年证|长者|[6-9]\d(?:周?岁)?(?:以上|及以上)"),
    },
    years=_years,
    weeks=_weeks,
    others=re.compile(_LISTS.either("further_conditions")),
    reserved=re.compile(
        r"(?:(?<![无不])[需须]要?|(?<![需不])要|必须|凭|仅限|只限|只接[待受]|只能"
        r"|实行)[^，。；（）()]{0,8}?预[约定订]"
        r"|预约制|(?<!免)预约(?:参观|入园|入馆|观众)"
    ),
    combined=re.compile(r"联程?票|套票|(?<!普)通票"),
    only=re.compile(r"仅限|只限|仅供|仅对"),
    excepted=re.compile(
        r"除[^，。；（）()除]{1,20}?[外](?!国)|[^，。；（）()]{0,24}(?:除外|不闭馆?|照常开放|顺延)"
        r"|除法定节假日"
    ),
    valued=re.compile(
        r"(?:成人|儿童|学生|老人)[:：\s]*\d|免费|免票|半价|折|优惠|元|块|[¥￥]|\d\s*[:：]\s*\d"
    ),
    parts=re.compile(r"[，；;。！？!?|｜]|,(?!\d)"),
    opens=re.compile(r"\W*(?:对|凭|持|每?逢?)"),
    joins=None,
    headed=re.compile(r"门票|票价|票种|价格|时间"),
    behind=4,
    near=24,
)
