"""Places that Chinese sentences say somebody visits: objects of such verbs, and joined names."""

from __future__ import annotations

import re

from extractors.rules.common.chinese import (
    EVERYDAY,
    GENERIC,
    STRONG,
    is_proper_name,
    is_turned,
    plausible,
    stops,
    suffix_of,
)
from extractors.rules.common.dictionary import cut_words, frequency, tag
from extractors.rules.common.lines import DocumentNames, Line, hit_at
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.items import is_sentence

#: An ending that is the start of another word here ("观景", "门票", "城市").
GOES_ON = re.compile(
    "观[景光赏看测望察影]|海[盗鲜军]|门[票口]|谷道|山脉|山腰|城市|园区|村民|馆[藏长员]|山[水路区]|岛[民上]|塔[吊楼]"
)


def objects(
    line: Line, places: list[tuple[int, int, str]], meals: bool, names: DocumentNames
) -> None:
    """The object of "去、逛、来到…" when it is a name without a telling ending."""
    text = line.text
    for i, (a, _, word) in enumerate(places):
        if not zh.VISIT.search(text[max(0, a - 6) : a]) or stops(word):
            continue
        last = i
        while (
            last + 1 < len(places)
            and not stops(places[last + 1][2])
            and places[last + 1][1] - a <= 8
        ):
            last += 1
        b = places[last][1]
        name = text[a:b]
        if len(name) < 2 or not plausible(name) or is_turned(text, b):
            continue
        if is_sentence(name) or meals or suffix_of(name):
            continue
        if not is_proper_name(name) and not (_GOES.search(text[:a]) and _rare(name)):
            continue
        sure = _SEEN.match(text, b) or (_ARRIVED.search(text[:a]) and text[b : b + 1] in "，。,")
        town = name in names.text.split("\n", 1)[0]  # the page is about it
        went = not town and _WENT.search(text[:a]) and _THERE.match(text, b)
        firm = (
            bool(tag(name))
            if went
            else sure and (not tag(name) or bool(_rare(name) and _SEEN.match(text, b)))
        )
        names.hits.append(hit_at(line, a, b, "verb" if firm else "object"))


_GONE_TO = re.compile(
    r"(?:(?<![过出上下])去了?|来?到了?|前往|参观了?|游览了?|途[经径]|[经路穿]过了?|逛了?|登上|走进"
    r"|进入)(?P<n>[^\W\d_a-zA-Z]{2,7}?(?:" + "|".join(STRONG) + "))"
)
_BUILT = re.compile("(?:公园|博物[馆院]|纪念馆|美术馆|艺术馆|神社|教堂|牌坊)$")
TALE = re.compile(
    "^[逛看玩上下]|[的了是在我你他她个一这那着过吃没不很也就和与及去到来看爬骑]|附近|旁边|每|某|各|有"
)


def add_visited(line: Line, names: DocumentNames) -> None:
    """What stands between a verb of visiting and a sure ending, however its words are cut."""
    taken = [(h.start, h.end) for h in names.hits if h.line == line.index]
    for match in _GONE_TO.finditer(line.text):
        a, b = match.span("n")
        name = match["n"]
        if any(s < line.start + b and line.start + a < e for s, e in taken):
            continue
        if TALE.search(name) or name in GENERIC:
            continue
        if not plausible(name, listed=bool(_BUILT.search(name))):
            continue
        if (
            not is_turned(line.text, b)
            and not is_sentence(name)
            and not GOES_ON.match(line.text, b - 1)
        ):
            names.hits.append(hit_at(line, a, b, "verb"))


_AND_NEXT = re.compile(r"\s*(?:和|与|及|以及|还有|、)\s*(?=[\u4e00-\u9fff]{2})")


def add_coordinated(line: Line, names: DocumentNames) -> None:
    """What "和" or "、" joins to the object of a verb of visiting, if it can be a name."""
    here = [h for h in names.hits if h.line == line.index and h.source == "verb"]
    while here:
        hit = here.pop(0)
        joined = _AND_NEXT.match(line.text, hit.end - line.start)
        if not joined:
            continue
        a = b = joined.end()
        for word in cut_words(line.text[a : a + 10]):
            if stops(word) or b - a > 6:
                break
            b += len(word)
        name = line.text[a:b]
        if len(name) < 2 or not plausible(name) or is_sentence(name) or is_turned(line.text, b):
            continue
        if (tag(name) or suffix_of(name)) and (is_proper_name(name) or _rare(name)):
            new = hit_at(line, a, b, "verb")
            names.hits.append(new)
            here.append(new)


#: Verbs whose object is a place, never a person or a thing.
_GOES = re.compile(
    "(?:去|(?<![看见想遇感听碰找买得做吃拍收])到|逛|来到|前往|抵达|直奔|途经|路过|登上)了?$"
)


_WENT = re.compile(
    "(?:去了|(?<![看见想遇感听碰找买得做吃拍收])到了|逛了|来到了?|前往|路过了?|途经|直达)$"
)
_THERE = re.compile("[，。、！,；（(]|和|与|及|[看逛玩转走]|附近|打卡|拍|$")


def _rare(name: str) -> bool:
    """Whether the dictionary holds a name as a rare noun or as that of a person."""
    if tag(name) in ("nr", "nrt", "nrfg"):
        return len(name) > 2 or frequency(name) < EVERYDAY
    return tag(name)[:1] == "n" and len(name) > 1 and frequency(name) < EVERYDAY


#: "去 X 看了一眼", "至 X，": the object is gone to beyond doubt.
_SEEN = re.compile("(?:看|逛|玩|转|走|游)(?:了|一|逛|玩|转)")
_ARRIVED = re.compile(r"(?:^|[，。；])[又乃遂便复]*(?:至|往游|游|抵达?|到达|来到|登上)$")
