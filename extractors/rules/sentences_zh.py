"""Names of sights in Chinese sentences: by their ending, as objects of verbs, in enumerations."""

from __future__ import annotations

import re

from extractors.rules import lexicon_zh as zh
from extractors.rules.items_zh import is_sentence, split
from extractors.rules.lines import Line, Names, hit_at
from extractors.rules.words_zh import (
    EVERYDAY,
    cut,
    frequency,
    is_decoy,
    named,
    plausible,
    proper,
    stops,
    strong,
    suffix_of,
    tag,
    telling,
    turned,
)

#: An ending that is the start of another word here ("观景", "门票", "城市").
_GOES_ON = re.compile(
    "观[景光赏看测望察影]|门[票口]|城市|园区|村民|馆[藏长员]|山[水路区]|岛[民上]|塔[吊楼]"
)


def running_names(line: Line, meals: bool, names: Names) -> None:
    """Names in sentences: what ends like a sight, and objects of verbs of visiting."""
    if line.is_head:
        return
    words, at = cut(line.text), 0
    places = []
    for word in words:
        places.append((at, at + len(word), word))
        at += len(word)
    for i, (_, end, word) in enumerate(places):
        if i + 1 < len(places) and suffix_of(places[i + 1][2]) == places[i + 1][2]:
            continue  # the name goes on
        if suffix_of(word) or suffix_of(line.text[:end]):
            begin = _with_verb(line.text, places, _left(places, i))
            if not _GOES_ON.match(line.text, end - 1):
                _try_suffix(line, places[begin][0], end, meals, names)
    _objects(line, places, meals, names)
    if not meals:
        _gone_to(line, names)
        _coordinated(line, names)
        _introduced(line, names)
        _enumerated(line, names)


def _left(places: list[tuple[int, int, str]], i: int) -> int:
    """Index of the first word of the name that ends with word ``i``."""
    begin, length = i, len(places[i][2])
    while begin > 0:
        word = places[begin - 1][2]
        if (stops(word) and not _inner_he(places, begin)) or length + len(word) > 12:
            break
        begin -= 1
        length += len(word)
    return begin


def _with_verb(text: str, places: list[tuple[int, int, str]], begin: int) -> int:
    """The first word of a name that opens with a verb ("望…台") behind a verb of visiting."""
    if begin and len(places[begin - 1][2]) == 1 and places[begin - 1][2] in zh.IN_NAMES:
        a = places[begin - 1][0]
        if places[begin - 1][2] in "望观听问卧聚断归思怀飞迎" and zh.VISIT.search(
            text[max(0, a - 6) : a]
        ):
            return begin - 1
    return begin


def _joined(line: Line, a: int, names: Names) -> bool:
    """Whether a name goes on a row whose earlier name is the object of a verb of visiting."""
    return any(
        hit.line == line.index
        and hit.source == "verb"
        and re.fullmatch(r"\s*(?:和|与|及|以及|还有|、)\s*", line.text[hit.end - line.start : a])
        for hit in names.hits[-3:]
    )


def _inner_he(places: list[tuple[int, int, str]], i: int) -> bool:
    """Whether the word before ``i`` is a 和 inside a name of three characters ("清和塔")."""
    if i < 2 or places[i - 1][2] != "和" or len(places[i][2]) > 1 or len(places[i - 2][2]) > 1:
        return False
    return not stops(places[i - 2][2]) and (i == 2 or stops(places[i - 3][2]))


def _odd(text: str, a: int, b: int) -> bool:
    """Whether one goes to what ends like a sight, though its words are everyday ones."""
    name = text[a:b]
    stem = name.removesuffix(suffix_of(name))
    if not zh.WENT_TO.search(text[:a]) or tag(name) or not plausible(name, listed=True):
        return False
    if re.search("[东西南北正后侧]门", name):
        return False
    known = stem in zh.GENERIC or tag(stem)[:1] in ("s", "f", "a", "t", "r", "m", "d")
    return bool(stem) and not known and not _TALE.search(name)


_REGION = re.compile(
    r"(?:中国)?(?:[\u4e00-\u9fff]{2,3}省[\u4e00-\u9fff]{2,4}市(?:[\u4e00-\u9fff]{2,3}[区县])?|[\u4e00-\u9fff]{2,4}市[\u4e00-\u9fff]{2,3}[区县])"
)


def _behind_region(text: str, a: int, b: int) -> int:
    """Where a name begins behind the province, town and district that it lies in."""
    region = _REGION.match(text, a, b)
    rest = region.end() if region else a
    bare = text[rest:b]
    return rest if len(bare) > 2 and bare not in zh.GENERIC and telling(bare) else a


def _try_suffix(line: Line, a: int, b: int, meals: bool, names: Names) -> None:
    text = line.text
    while a < b and text[a] in " -—·":
        a += 1
    a = _behind_region(text, a, b)
    name = text[a:b]
    if not (plausible(name) or _odd(text, a, b)) or meals:
        if is_decoy(name) and len(name) > 2:
            names.decoys.append((line.start + a, name))
        return
    if turned(text, b):
        names.decoys.append((line.start + a, name))
        return
    visited = bool(zh.VISIT.search(text[max(0, a - 6) : a]))
    quoted = a > 0 and text[a - 1] in "“「『" and text[b : b + 1] in "”」』"
    presented = bool(zh.PRESENTS.match(text[b:])) and not re.search(r"[^。！？“「\s]$", text[:a])
    stem = name.removesuffix(suffix_of(name))
    if len(name) == 2 and not tag(name) and tag(stem)[:1] == "v":  # "靠海"
        return
    if stem in ("", name) or is_sentence(name):
        return
    backed = visited or quoted or presented or _joined(line, a, names)
    if strong(name):
        good = backed or telling(name)
    else:
        part = suffix_of(stem) and len(stem) > 2 and telling(stem)
        twice = names.text.count(name) > (1 if len(name) > 2 else 2)
        rare = backed and tag(name)[:1] in ("n", "") and frequency(name) < EVERYDAY
        short = len(name) == 2 and tag(name) not in ("", "ns", "nt", "nz", "nr") and not rare
        good = (
            not short
            and (named(name) or rare)
            and (
                backed
                or (tag(name) in ("ns", "nt", "nz") and name[-1] not in "江河海")
                or (telling(name) and (part or twice or _placed(text, a, b)))
            )
        )
    if good:
        for start, end in split(text, a, b):
            names.hits.append(hit_at(line, start, end, "verb" if backed else "suffix"))


#: What tells that a name is that of a place: "有座 X", "的 X 就", "X 门票", "X 里面".
_PLACE_BEFORE = re.compile(
    r"(?:附近的|旁边的|隔壁的|对面的|著名的|有名的|传说中的|有一?[座个处片条间栋]|[一这那]座|名为|名叫|叫做|辟为)$"
)
_PLACE_AFTER = re.compile(
    r"(?:的)?(?:门票|票价|门口|门前|里面|里边|里|内|上|下山|下来|前|后面|后方|旁边?|附近|周边|对面|一带|景区|台阶|入口|出口)|开放|讲解|排队|游玩|游览|参观|打卡|拍照|逛|位于|坐落|[人游][人客]?(?:很|太|不|也)?多|也?[是很挺真蛮超]|就[颇很]"
)


def _placed(text: str, a: int, b: int) -> bool:
    """Whether the words beside a name treat it as a place."""
    return (
        b - a > 2
        and proper(text[a:b])
        and bool(_PLACE_BEFORE.search(text[:a]) or _PLACE_AFTER.match(text, b))
    )


def _objects(line: Line, places: list[tuple[int, int, str]], meals: bool, names: Names) -> None:
    """The object of "去、逛、来到…" when it is a name without a telling ending."""
    text = line.text
    if not meals:
        _presented(line, names)
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
        if len(name) < 2 or not plausible(name) or turned(text, b):
            continue
        if is_sentence(name) or meals or suffix_of(name):
            continue
        if not named(name) and not (_GOES.search(text[:a]) and _rare(name)):
            continue
        sure = _SEEN.match(text, b) or (_ARRIVED.search(text[:a]) and text[b : b + 1] in "，。,")
        town = name in names.text.split("\n", 1)[0]  # the page is about it
        went = not town and _WENT.search(text[:a]) and _THERE.match(text, b)
        firm = bool(tag(name)) if went else sure and not tag(name)
        names.hits.append(hit_at(line, a, b, "verb" if firm else "object"))


_GONE_TO = re.compile(
    r"(?:(?<![过出上下])去了?|来?到了?|前往|参观了?|游览了?|途[经径]|[经路穿]过了?|逛了?|登上|走进|进入)(?P<n>[^\W\d_a-zA-Z]{2,7}?(?:"
    + "|".join(zh.STRONG)
    + "))"
)
_BUILT = re.compile("(?:公园|博物[馆院]|纪念馆|美术馆|艺术馆|神社|教堂|牌坊)$")
_TALE = re.compile(
    "^[逛看玩上下]|[的了是在我你他她个一这那着过吃没不很也就和与及去到来看爬骑]|附近|旁边|每|某|各|有"
)


def _gone_to(line: Line, names: Names) -> None:
    """What stands between a verb of visiting and a sure ending, however its words are cut."""
    taken = [(h.start, h.end) for h in names.hits if h.line == line.index]
    for match in _GONE_TO.finditer(line.text):
        a, b = match.span("n")
        name = match["n"]
        if any(s < line.start + b and line.start + a < e for s, e in taken):
            continue
        if _TALE.search(name) or name in zh.GENERIC:
            continue
        if not plausible(name, listed=bool(_BUILT.search(name))):
            continue
        if (
            not turned(line.text, b)
            and not is_sentence(name)
            and not _GOES_ON.match(line.text, b - 1)
        ):
            names.hits.append(hit_at(line, a, b, "verb"))


_AND_NEXT = re.compile(r"\s*(?:和|与|及|以及|还有|、)\s*(?=[\u4e00-\u9fff]{2})")


def _coordinated(line: Line, names: Names) -> None:
    """What "和" or "、" joins to the object of a verb of visiting, if it can be a name."""
    here = [h for h in names.hits if h.line == line.index and h.source == "verb"]
    while here:
        hit = here.pop(0)
        joined = _AND_NEXT.match(line.text, hit.end - line.start)
        if not joined:
            continue
        a = b = joined.end()
        for word in cut(line.text[a : a + 10]):
            if stops(word) or b - a > 6:
                break
            b += len(word)
        name = line.text[a:b]
        if len(name) < 2 or not plausible(name) or is_sentence(name) or turned(line.text, b):
            continue
        if (tag(name) or suffix_of(name)) and (named(name) or _rare(name)):
            new = hit_at(line, a, b, "verb")
            names.hits.append(new)
            here.append(new)


#: Verbs whose object is a place, never a person or a thing.
_GOES = re.compile("(?:去|到|逛|来到|前往|抵达|直奔|途经|路过|登上)了?$")


_WENT = re.compile("(?:去了|到了|逛了|来到了?|前往|路过了?|途经|直达)$")
_THERE = re.compile("[，。、！,；（(]|和|与|及|[看逛玩转走]|附近|打卡|拍|$")


def _rare(name: str) -> bool:
    """Whether the dictionary holds a name as a rare noun or as that of a person."""
    if tag(name) in ("nr", "nrt", "nrfg"):
        return len(name) > 2 or frequency(name) < EVERYDAY
    return tag(name)[:1] == "n" and len(name) > 1 and frequency(name) < EVERYDAY


#: "去 X 看了一眼", "至 X，": the object is gone to beyond doubt.
_SEEN = re.compile("(?:看|逛|玩|转|走|游)(?:了|一|逛|玩|转)")
_ARRIVED = re.compile(r"(?:^|[，。；])[又乃遂便复]*(?:至|往游|游|抵达?|到达|来到|登上)$")


def _presented(line: Line, names: Names) -> None:
    """The subject of a line that presents a sight ("X 位于 …", "X，是著名的景点")."""
    text = line.text
    match = re.match(
        r"\W{0,2}([\u4e00-\u9fff]{2,8}?)[”」]?(?=[，,]?(?:应该)?(?:位于|坐落|始建|又名|又称|是))",
        text,
    )
    if match is None or not zh.PRESENTS.match(text[match.end() :].removeprefix("应该")):
        return
    name = match[1]
    whole = plausible(name) and not is_sentence(name) and not any(stops(w) for w in cut(name))
    if whole and (suffix_of(name) or (not tag(name) and names.text.count(name) > 1)):
        names.hits.append(hit_at(line, match.start(1), match.end(1), "verb"))


#: "一座博物馆，名字叫做 X": a place that is introduced by its name.
_NAMED = re.compile(
    r"(?:[一这那两三几][座个处片条间栋]|地方|名字)[^，。；！？]{0,10}?[，,]?(?:它的)?(?:名字|名称)?(?:就?叫[做作]|名叫|名为|名曰|就?叫(?=[“「『\"]))[“「『\"]?(?P<n>[\u4e00-\u9fff]{2,8}?)(?=[”」』\"，。；！？、,（(的\s]|$)"
)
_NOT_PLACE = re.compile(r"[人家菜店族神种款项]|餐|饭|小吃|同学|朋友")


def _introduced(line: Line, names: Names) -> None:
    """A place whose name the sentence gives as such."""
    for match in _NAMED.finditer(line.text):
        name = match["n"]
        if _NOT_PLACE.search(match.group()[: -len(name)]) or is_decoy(name) or name in zh.GENERIC:
            continue
        if plausible(name, listed=True) and not is_sentence(name) and _noun(name):
            names.hits.append(hit_at(line, match.start("n"), match.end("n"), "verb"))


def _strongly(name: str) -> bool:
    """Whether a name of a row ends as only sights do, and does not open as a sentence does."""
    return strong(name) and tag(cut(name)[0])[:1] not in ("r", "c", "p")


_PART = re.compile(r"[^、，,；;：:。！？!?（）()/&＆\s]+")
_LONGEST_PART = 9
#: What joins the parts of a row: commas, or blanks.
_ROW_JOIN = re.compile(r"\s*[、，,/&＆]\s*|\s+")
_REMARK = re.compile(r"[（(]([^（()）]*)[）)]")
_OPENS_ROW = re.compile(r"^.*(?:[有是如像为去逛]|包括|例如|比如)(?=[\u4e00-\u9fff]{2})")
_STREET = re.compile("[路街巷里]$")


def _enumerated(line: Line, names: Names) -> None:
    """Runs of three or more short names in a sentence, when most of them are those of sights."""
    for group in _all_rows(line.text):
        run: list[tuple[int, int]] = []
        for a, b in group:
            found = _part(line.text, a, b)
            if run and not (found and found[0] == a):
                _add_run(line, run, names)
                run = []
            if found:
                run.append(found)
        if run:
            _add_run(line, run, names)


def _all_rows(text: str) -> list[list[tuple[int, int]]]:
    """The rows of a text without its remarks in brackets, and those inside of them."""
    rows = _short_rows(_REMARK.sub(lambda m: " " * len(m.group()), text))
    for remark in _REMARK.finditer(text):
        a = remark.start(1)
        rows += [[(a + b, a + c) for b, c in row] for row in _short_rows(remark[1])]
    return rows


def _short_rows(text: str) -> list[list[tuple[int, int]]]:
    """Three or more parts joined by commas, short but for the first, which words may open."""
    rows: list[list[tuple[int, int]]] = []
    end = -1
    for match in _PART.finditer(text):
        a, b = match.span()
        joined = end >= 0 and _ROW_JOIN.fullmatch(text, end, a) and b - a <= _LONGEST_PART
        if joined and rows:
            rows[-1].append((a, b))
        else:
            rows.append([(a, b)])
        end = b
    return [row for row in rows if len(row) > 2]


def _part(text: str, a: int, b: int) -> tuple[int, int] | None:
    """The name that a part of a row is, or ends with after "有", "包括" and the like."""
    lead = _OPENS_ROW.match(text[a:b])
    for start in (a, a + lead.end()) if lead else (a,):
        name = text[start:b]
        if not 2 <= len(name) <= 9 or not plausible(name, listed=True) or is_sentence(name):
            continue
        if name in zh.GENERIC or not (_noun(name) or _strongly(name)):
            continue
        return start, b
    return None


def bracketed_parts(line: Line, names: Names) -> None:
    """What the brackets behind a sight's name list, when most of it ends like sights do."""
    ends = {h.end - line.start for h in names.hits if h.line == line.index}
    for remark in _REMARK.finditer(line.text):
        if remark.start() not in ends:
            continue
        row = [(m.start() + remark.start(1), m.end() + remark.start(1))
               for m in _PART.finditer(remark[1])]  # fmt: skip
        kinds = [bool(suffix_of(line.text[a:b])) and b - a > 2 for a, b in row]
        whole = all(_part(line.text, a, b) == (a, b) for a, b in row)
        if len(row) > 1 and whole and 3 * sum(kinds) >= 2 * len(row):
            names.hits.extend(hit_at(line, a, b, "suffix") for a, b in row)


def _add_run(line: Line, run: list[tuple[int, int]], names: Names) -> None:
    if zh.ALIAS.search(line.text[: run[0][0] + 2]):
        return
    while len(run) > 2 and line.text[run[-1][0] - 1] in "，," and not _kind(line, run[-1]):
        run = run[:-1]
    sure = [_sure(line.text[a:b]) for a, b in run]
    likely = sum(s or _kind(line, r) for s, r in zip(sure, run, strict=True))
    if len(run) < 3 or not (sum(sure) > 1 or (any(sure) and likely > 2)) or 2 * likely < len(run):
        return
    for (a, b), certain in zip(run, sure, strict=True):
        name = line.text[a:b]
        if certain or _kind(line, (a, b)) or (named(name) and not tag(name)):
            for start, end in split(line.text, a, b):
                names.hits.append(hit_at(line, start, end, "suffix"))


def _sure(name: str) -> bool:
    """Whether a name of a row is that of a sight by itself."""
    kinds = strong(name) or tag(name) in ("ns", "nt")
    return kinds or bool(suffix_of(name) and telling(name))


def _kind(line: Line, part: tuple[int, int]) -> bool:
    """Whether a name of a row ends like one of a sight or a street."""
    name = line.text[slice(*part)]
    return len(name) > 2 and bool(suffix_of(name) or _STREET.search(name))


def _noun(name: str) -> bool:
    """Whether no word of a name, unless the dictionary holds it whole, is a verb or the like."""
    return bool(tag(name)) or not any(
        stops(word) for word in cut(name) if not (tag(word)[:1] == "a" and suffix_of(name))
    )
