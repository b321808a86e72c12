"""Finds sights in Chinese sentences by the endings of their names.

The module also finds names that are introduced, or that are the subject of a sentence about a
sight. The module ``visits`` finds names that are objects of verbs, and places in enumerations.
"""

from __future__ import annotations

import re

from extractors.rules.common.chinese import (
    EVERYDAY,
    GENERIC,
    IN_NAMES,
    is_decoy,
    is_proper_name,
    is_turned,
    noun,
    plausible,
    proper,
    stops,
    strong,
    suffix_of,
    telling,
)
from extractors.rules.common.dictionary import cut_places, cut_words, frequency, tag
from extractors.rules.common.lines import DocumentNames, Line, hit_at
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.items import is_sentence, split
from extractors.rules.zh.visits import (
    GOES_ON,
    TALE,
    add_coordinated,
    add_enumerated,
    add_visited,
    objects,
)


def running_names(line: Line, meals: bool, names: DocumentNames) -> None:
    """Add names that have a sight's ending or are the object of a verb of visiting."""
    if line.is_head:
        return
    places = cut_places(line.text)
    for i, (_, end, word) in enumerate(places):
        if i + 1 < len(places) and suffix_of(places[i + 1][2]) == places[i + 1][2]:
            continue  # the name continues
        if suffix_of(word) or suffix_of(line.text[:end]):
            begin = _with_verb(line.text, places, _find_left(places, i))
            if not GOES_ON.match(line.text, end - 1):
                _try_suffix(line, places[begin][0], end, meals, names)
    objects(line, places, meals, names)
    if not meals:
        _add_presented(line, names)
        add_visited(line, names)
        add_coordinated(line, names)
        _add_introduced(line, names)
        add_enumerated(line, names)


def _find_left(places: list[tuple[int, int, str]], i: int) -> int:
    """Find the name that ends with word ``i``, and return the index of the name's first word."""
    begin, length = i, len(places[i][2])
    while begin > 0:
        word = places[begin - 1][2]
        if (stops(word) and not _inner_he(places, begin)) or length + len(word) > 12:
            break
        begin -= 1
        length += len(word)
    return begin


def _with_verb(text: str, places: list[tuple[int, int, str]], begin: int) -> int:
    """Return the index of a name's first word, which may be a verb ("望…台") if the name follows a
    verb of visiting.
    """
    if begin and len(places[begin - 1][2]) == 1 and places[begin - 1][2] in IN_NAMES:
        a = places[begin - 1][0]
        if places[begin - 1][2] in "望观听问卧聚断归思怀飞迎" and zh.VISIT.search(
            text[max(0, a - 6) : a]
        ):
            return begin - 1
    return begin


def _is_joined(line: Line, a: int, names: DocumentNames) -> bool:
    """Check whether a name is joined, as in a list, to an earlier name that is the object of a
    verb.
    """
    return any(
        hit.line == line.index
        and hit.source == "verb"
        and re.fullmatch(r"\s*(?:和|与|及|以及|还有|、)\s*", line.text[hit.end - line.start : a])
        for hit in names.hits[-3:]
    )


def _inner_he(places: list[tuple[int, int, str]], i: int) -> bool:
    """Check whether the word before ``i`` is a 和 that belongs to a name of three characters
    ("清和塔").
    """
    if i < 2 or places[i - 1][2] != "和" or len(places[i][2]) > 1 or len(places[i - 2][2]) > 1:
        return False
    return not stops(places[i - 2][2]) and (i == 2 or stops(places[i - 3][2]))


def _odd(text: str, a: int, b: int) -> bool:
    """Check whether a visited place has a sight's ending, although its name consists of everyday
    words.
    """
    name = text[a:b]
    stem = name.removesuffix(suffix_of(name))
    if not zh.WENT_TO.search(text[:a]) or tag(name) or not plausible(name, listed=True):
        return False
    known = stem in GENERIC or tag(stem)[:1] in ("s", "f", "a", "t", "r", "m", "d")
    is_gate = re.search("[东西南北正后侧]门", name)
    return bool(stem) and not known and not is_gate and not TALE.search(name)


_REGION = re.compile(
    r"(?:中国)?(?:[\u4e00-\u9fff]{2,3}省[\u4e00-\u9fff]{2,4}市(?:[\u4e00-\u9fff]{2,3}[区县])?"
    r"|[\u4e00-\u9fff]{2,4}市[\u4e00-\u9fff]{2,3}[区县])"
)


def _behind_region(text: str, a: int, b: int) -> int:
    """Return the start of a name, leaving out any province, town and district before it."""
    region = _REGION.match(text, a, b)
    rest = region.end() if region else a
    bare = text[rest:b]
    return rest if len(bare) > 2 and bare not in GENERIC and telling(bare) else a


def _try_suffix(line: Line, a: int, b: int, meals: bool, names: DocumentNames) -> None:
    text = line.text
    while a < b and text[a] in " -—·":
        a += 1
    a += text[a - 1 : a + 1] in ("到达", "抵达") if a else 0
    a = _behind_region(text, a, b)
    name = text[a:b]
    if not (plausible(name) or _odd(text, a, b)) or meals:
        if is_decoy(name) and len(name) > 2:
            names.decoys.append((line.start + a, name))
        return
    if re.search("[参旁围]观$", name):
        return
    if is_turned(text, b):
        names.decoys.append((line.start + a, name))
        return
    visited = bool(zh.VISIT.search(text[max(0, a - 6) : a]) or zh.TURN.search(text[:a]))
    quoted = a > 0 and text[a - 1] in "“「『" and text[b : b + 1] in "”」』"
    presented = bool(zh.PRESENTS.match(text[b:])) and not re.search(r"[^。！？“「\s]$", text[:a])
    stem = name.removesuffix(suffix_of(name))
    verbal = len(name) == 2 and not tag(name) and tag(stem)[:1] == "v"  # "靠海"
    if verbal or stem in ("", name) or is_sentence(name):
        return
    backed = visited or quoted or presented or _is_joined(line, a, names)
    if strong(name):
        good = backed or telling(name)
    else:
        part = suffix_of(stem) and len(stem) > 2 and telling(stem)
        twice = names.text.count(name) > (1 if len(name) > 2 else 2)
        rare = backed and tag(name)[:1] in ("n", "") and frequency(name) < EVERYDAY
        short = len(name) == 2 and tag(name) not in ("", "ns", "nt", "nz", "nr") and not rare
        good = (
            not short
            and (is_proper_name(name) or rare)
            and (
                backed
                or (tag(name) in ("ns", "nt", "nz") and name[-1] not in "江河海")
                or (telling(name) and (part or twice or _is_placed(text, a, b)))
            )
        )
    if good:
        for start, end in split(text, a, b):
            names.hits.append(hit_at(line, start, end, "verb" if backed else "suffix"))


#: Words that show that a name is a place's: "有座 X", "的 X 就", "X 门票", "X 里面".
_PLACE_BEFORE = re.compile(
    r"(?:附近的|旁边的|隔壁的|对面的|著名的|有名的|传说中的|有一?[座个处片条间栋]|[一这那]座|名为"
    r"|名叫|叫做|辟为)$"
)
_PLACE_AFTER = re.compile(
    r"(?:的)?(?:门票|票价|门口|门前|里面|里边|里|内|上|下山|下来|前|后面|后方|旁边?|附近|周边|对面"
    r"|一带|景区|台阶|入口|出口)|开放|讲解|排队|游玩|游览|参观|打卡|拍照|逛|位于|坐落"
    r"|[人游][人客]?(?:很|太|不|也)?多|也?[是很挺真蛮超]|就[颇很]|[，,](?:晚上|夜晚|白天|真的?|很"
    r"|太|非常|超)"
)


def _is_placed(text: str, a: int, b: int) -> bool:
    """Check whether the words beside a name treat it as a place."""
    return (
        b - a > 2
        and proper(text[a:b])
        and bool(_PLACE_BEFORE.search(text[:a]) or _PLACE_AFTER.match(text, b))
    )


def _add_presented(line: Line, names: DocumentNames) -> None:
    """Add the subject of a line that introduces a sight ("X 位于 …", "X，是著名的景点")."""
    text = line.text
    match = re.match(
        r"\W{0,2}([\u4e00-\u9fff]{2,8}?)[”」]?(?=[，,]?(?:应该)?(?:位于|坐落|始建|又名|又称|是))",
        text,
    )
    if match is None or not zh.PRESENTS.match(text[match.end() :].removeprefix("应该")):
        return
    name = match[1]
    whole = plausible(name) and not is_sentence(name) and not any(stops(w) for w in cut_words(name))
    if whole and (suffix_of(name) or (not tag(name) and names.text.count(name) > 1)):
        names.hits.append(hit_at(line, match.start(1), match.end(1), "verb"))


#: "一座博物馆，名字叫做 X" introduces a place by its name.
_NAMED = re.compile(
    r"(?:[一这那两三几][座个处片条间栋]|地方|名字)[^，。；！？]{0,10}?[，,]?(?:它的)?(?:名字"
    r"|名称)?(?:就?叫[做作]|名叫|名为|名曰"
    r"|就?叫(?=[“「『\"]))[“「『\"]?(?P<n>[\u4e00-\u9fff]{2,8}?)(?=[”」』\"，。；！？、,（(的\s]"
    r"|$)"
)
_NOT_PLACE = re.compile(r"[人家菜店族神种款项]|餐|饭|小吃|同学|朋友")


def _add_introduced(line: Line, names: DocumentNames) -> None:
    """Add a place whose name the sentence explicitly introduces."""
    for match in _NAMED.finditer(line.text):
        name = match["n"]
        if _NOT_PLACE.search(match.group()[: -len(name)]) or is_decoy(name) or name in GENERIC:
            continue
        if plausible(name, listed=True) and not is_sentence(name) and noun(name):
            names.hits.append(hit_at(line, match.start("n"), match.end("n"), "verb"))
