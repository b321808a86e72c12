"""Splits chains, day lists, headings and captions in Chinese documents into names of sights."""

from __future__ import annotations

import re

from extractors.rules.common.chinese import (
    GENERIC,
    IN_NAMES,
    LISTED,
    STOP_WORDS,
    is_decoy,
    plausible,
    stops,
    strong,
    suffix_of,
    telling,
)
from extractors.rules.common.dictionary import cut_places, cut_words, frequency, tag
from extractors.rules.common.lines import ranges_between
from extractors.rules.zh import lexicon as zh
from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.zh")

ARROW = re.compile(r"\s*(?:→|⟶|➡️?|➔|➜|=>|->|-->|»|⇒|▶|›|\$\\(?:rightarrow|to)\$)\s*")
_DASHES = re.compile(r"\s*(?:-{2,}|—+|–+|－+|~{2,}|[-＞>]|～)\s*")
_AND = re.compile(
    r"[、，,;；/／+＋&＆|｜\\]|(?<=\S)\s+[-–—~～]\s+(?=\S)"
    r"|(?<=[\u4e00-\u9fff])和(?=[\u4e00-\u9fff])|以及"
    r"|(?<=[\u4e00-\u9fff])[-—–]{1,2}(?=[\u4e00-\u9fff])"
)
_AND_SPACE = re.compile(_AND.pattern + r"|\s+")
_BRACKETS = re.compile(r"[（(【\[][^（()）】\]]*[)）】\]]?")
_QUOTES = ">→“”\"'「」『』《》‘’【】*#`_~ 　:：。.！!？?,，;；-—–·|｜&+"
_LEAD_VERB = re.compile(rf"(?:{_LISTS.either('opening_words')})\s*[:：]?\s*")
_TAIL = re.compile(rf"(?:{_LISTS.either('closing_words')})$")


#: "A question? - an author - a site | its motto" cites a page; its dashes do not join stops.
_CITED = re.compile(r"[？?]|[-—][^-—]*[|｜][^-—]*[-—]")
#: Words that are this frequent are everyday words.
_FREQUENT = 300
PAIR = re.compile(r"\s[-–—~～]\s")
_ACTIVITY = re.compile(
    r"体验(?!馆)|或者|租|买|坐(?!佛)|乘|索道[上下]|滑道|缆车[上下]|回[^民龙音雁澜]|返|换|取|还"
    r"|看(?!守)|带|拍|喝|睡|等|收拾|办理|从|在|由"
)


def parts(text: str, start: int, spaced: bool) -> list[tuple[int, int]]:
    """Return the ranges of the single names in a list such as "A、B 和 C" that begins at
    ``start``.
    """
    blank = _BRACKETS.sub(lambda m: "、" * len(m.group()), text)
    ranges, begin = [], 0
    for match in (*(_AND_SPACE if spaced else _AND).finditer(blank), None):
        if match and match.group() == "和" and not _joins(blank, begin, match.start()):
            continue
        stop = match.start() if match else len(blank)
        if blank[begin:stop].strip():
            ranges.append((start + begin, start + stop))
        begin = match.end() if match else stop
    return ranges


def _joins(text: str, begin: int, at: int) -> bool:
    """Check whether the 和 at ``at`` joins two names rather than being part of one ("和平",
    "崇和门").
    """
    right = re.split(_AND.pattern + r"|[ 。！!]", text[at + 1 :], maxsplit=1)[0]
    if len(text[begin:at].strip()) < 2 or len(right) < 2:
        return False
    first = max(begin, at - 4)
    for start, end, word in cut_places(text[first : at + 5]):
        if start <= at - first < end:
            return word == "和" or (at == first + start and _two_names(text[begin:at], right))
    return True


def _two_names(left: str, right: str) -> bool:
    """Check whether both sides of a 和 inside a longer word are names ("…广场和静…寺")."""
    return bool(suffix_of(left) and suffix_of(right)) and plausible(left) and plausible(right)


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range of a name without the punctuation, times and verbs around it."""
    before = None
    while before != (start, end) and start < end:
        before = (start, end)
        while start < end and text[start] in _QUOTES:
            start += 1
        while end > start and text[end - 1] in _QUOTES:
            end -= 1
        lead = _LEAD_VERB.match(text, start, end)
        if lead and lead.end() < end and end - lead.end() >= 2:
            start = lead.end()
        tail = _TAIL.search(text, start, end)
        if tail and tail.start() - start >= 2:
            end = tail.start()
    return start, end


def unwrap(text: str) -> tuple[int, int]:
    """Return the range of a line, leaving out any brackets that enclose the whole line."""
    inner = re.fullmatch(r"\s*[（(【\[]([^（()）【】\[\]]+)[）)】\]]\W*", text)
    return inner.span(1) if inner else (0, len(text))


def item(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the range of the sight's name in a part of a text, or None if the part contains other
    text.
    """
    if re.search(r"吃(?!一条街|.?街)", text[start:end]):
        return None
    start, end = trim(text, start, end)
    start += _opening_words(text[start:end])
    name = text[start:end]
    if _ACTIVITY.match(name) or _nameless(name) or PAIR.search(name) or _BLANK.search(name):
        return None
    named = plausible(name, listed=True) and not is_sentence(name) and not _everyday(name)
    return (start, end) if name in LISTED or named else None


def _opening_words(name: str) -> int:
    """Return the total length of the verbs and particles before a name that ends like a sight's
    name.
    """
    if tag(name) or not suffix_of(name):
        return 0
    dropped = 0
    words = cut_words(name)
    for i, word in enumerate(words[:-1]):
        rest = name[dropped + len(word) :]
        opens = stops(word) if len(word) > 1 else word in _OPENERS and len(words[i + 1]) > 1
        kept = len(rest) > 1 and rest not in GENERIC and suffix_of(rest)
        if word in IN_NAMES or not opens or not kept:
            break
        dropped += len(word)
    return dropped


def _nameless(name: str) -> bool:
    """Check whether a name is only verbs followed by a word for a kind of place ("进去景区")."""
    kind = suffix_of(name)
    stem = name.removesuffix(kind)
    return (
        bool(stem)
        and not tag(name)
        and kind in GENERIC
        and all(len(w) > 1 and tag(w) == "v" for w in cut_words(stem))
    )


_OPENERS = frozenset("从去到在逛来爬看赏游就")


def _everyday(name: str) -> bool:
    """Check whether a string without a distinctive ending consists of everyday words or an
    action.
    """
    if suffix_of(name) or tag(name):
        return False
    words = cut_words(name)
    action = any(len(w) > 1 and tag(w) == "v" and stops(w) for w in words)
    return action or all(len(w) > 1 and frequency(w) > _FREQUENT for w in words)


_COUNT = re.compile(
    r"[零一二两三四五六七八九十百千万几数半多\d]+[个只条次天日位名人年月元点分层楼号站口家件杯碗份块片座处段步遍趟种些张小]*"
)


#: Words that occur in statements and not in names.
_TELLING = frozenset({
    "的", "了", "是", "在", "我", "你", "不", "没", "有", "吃", "买", "很", "着", "也", "就", "去",
    "住", "吧", "呢", "吗", "啊", "呀", "后", "直接", "和", "与", "及",
})  # fmt: skip


def is_sentence(name: str) -> bool:
    """Check whether a string is a statement rather than the name of a sight."""
    if len(name) <= 3:
        words = cut_words(name)
        if (
            len(words) > 1
            and not suffix_of(name)
            and tag(words[0]) == "v"
            and tag(words[-1])[:1] in tuple("mqtvf")
        ):
            return True
        if tag(name) == "m" and not _COUNT.fullmatch(name):
            return False
        return bool(tag(name)) and tag(name)[0] in "vadrmtpc" and not suffix_of(name)
    words = cut_words(name)
    if words[0] in STOP_WORDS and words[0] not in IN_NAMES and not suffix_of(name):
        return True
    if suffix_of(name) in ("小吃街", "美食街", "步行街") or name.endswith("吃街"):
        return False
    inner = _TELLING
    if strong(name):
        inner = inner - {"后", "和", "与"}
    if bool(inner & set(words)) or (
        len(words) > 2 and all(stops(w) for w in words[1:-1]) and not suffix_of(name)
    ):
        return True
    return (
        any(
            len(w) > 1 and (tag(w) == "v" or w in STOP_WORDS) and stops(w)
            for w in words[:-1]
            if not (strong(name) and tag(w)[:1] != "v")
        )
        and len(name) > 5
    )


#: Remarks that make a stop of a chain a place for a meal or the night.
_NIGHT = re.compile(r"[（(](?:[早午晚中]?餐?|住?宿?|[/、,， ])+[）)]")


def chain(text: str) -> list[tuple[int, int]]:
    """Return the ranges of the stops in a chain ("A → B、C -> D", "A--B--C"), or nothing if
    there is no chain.
    """
    for mark, least in ((ARROW, 1), (_DASHES, 2)):
        cuts = list(mark.finditer(text))
        if mark is _DASHES:
            cuts = [c for c in cuts if not _inside_number(text, c)]
        if len(cuts) == 1 and not text[: cuts[0].start()].strip():
            continue  # an arrow as a bullet
        if len(cuts) < least:
            continue
        segments = ranges_between((cut.span() for cut in cuts), 0, len(text))
        if mark is _DASHES and (not _evenly_short(text, segments) or _CITED.search(text)):
            continue
        first = segments[0]
        plain = _BRACKETS.sub(lambda m: " " * len(m.group()), text[first[0] : first[1]])
        label = max(plain.rfind(c) for c in "：:，,。；")
        if label >= 0:
            segments[0] = (first[0] + label + 1, first[1])
        last = segments[-1]
        if close := re.search(r"[。；;！!]", text[last[0] : last[1]]):
            segments[-1] = (last[0], last[0] + close.start())
        return segments
    return []


def _inside_number(text: str, match: re.Match[str]) -> bool:
    left, right = text[: match.start()][-1:], text[match.end() :][:1]
    return left.isdigit() or right.isdigit() or (left.isascii() and left.isalpha())


def _evenly_short(text: str, segments: list[tuple[int, int]]) -> bool:
    inner = [text[a:b].strip() for a, b in segments[1:-1]]
    return bool(inner) and all(0 < len(_BRACKETS.sub("", part)) <= 12 for part in inner)


_BLANK = re.compile(r"(?<=[\u4e00-\u9fff]{2})\s+(?=[\u4e00-\u9fff]{2})")
_WORDS = re.compile(r"[\u4e00-\u9fffA-Za-z0-9·]{2,12}(?:[（(][^（()）]*[)）])?")


def in_blanks(text: str) -> bool:
    """Check whether a text is a row of words separated by blanks, and most of the words look like
    names of sights.
    """
    row = text.split()
    if len(row) < 2 or not all(_WORDS.fullmatch(part) for part in row):
        return False
    plain = [_BRACKETS.sub("", part) for part in row]
    kinds = [bool(suffix_of(p) and plausible(p)) or tag(p) in _NAME_TAGS for p in plain]
    return sum(kinds) > 1 and 3 * sum(kinds) >= 2 * len(row)


def names_in(text: str, start: int, end: int, spaced: bool = True) -> list[tuple[int, int]]:
    """Return the ranges of the names in a part of a text that lists one sight or several."""
    stop = re.split("[（(]", text[start:end], maxsplit=1)[0].strip()
    if _NIGHT.search(text, start, end) and not suffix_of(stop):
        return []
    found = [item(text, a, b) for a, b in parts(text[start:end], start, spaced)]
    return [single for part in found if part for single in split(text, *part)]


_NAME_TAGS = ("ns", "nt", "nz", "nr", "nrt")


def split(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Split two names that are written without a separator ("鼓楼河坊街")."""
    name = text[start:end]
    if len(name) < 5 or tag(name):
        return [(start, end)]
    for _start, at, _word in cut_places(name)[:-1]:
        left, right = name[:at], name[at:]
        if (
            suffix_of(left)
            and suffix_of(right)
            and (tag(left) or left in LISTED)
            and len(right) > 2
            and right[0] not in "一二三四五六七八九十"
            and plausible(right)
            and not zh.PARTS.search(right)
            and (left in LISTED or plausible(left))
            and (tag(right) in _NAME_TAGS or (not tag(right) and telling(right)))
        ):
            return [(start, start + at), (start + at, end)]
    return [(start, end)]


def stop_name(text: str, start: int, end: int) -> bool:
    """Check whether a stop in a chain is a hotel, a station, a meal or the like."""
    start, end = trim(text, start, end)
    return is_decoy(text[start:end])
