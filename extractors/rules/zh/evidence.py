"""Collects evidence on whether a string in a Chinese document is a sight that its author visits.

Each piece of evidence is a number with a name. The numbers show how the string is formed, which
words and lines surround it, what the rules decided about it, and the kind of the document.
``weighing`` combines the numbers.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from extractors.rules.common.chinese import (
    is_city,
    is_decoy,
    is_proper_name,
    is_turned,
    plausible,
    stops,
    strong,
    suffix_of,
    telling,
)
from extractors.rules.common.days import Days
from extractors.rules.common.dictionary import cut_words, frequency, tag
from extractors.rules.common.grouping import Sight
from extractors.rules.common.lines import Line
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.candidates import NameCandidate, Seen

#: So many occurrences are considered; more would not change the result.
_MOST_SEEN = 6
#: The words of ``_NEAR`` count within so many characters before and after a string.
_WINDOW = 14
_NEAR = {
    name: re.compile(words)
    for name, words in {
        "eat": "吃|饭|餐|味|喝|咖啡|菜|面馆|小吃|早茶",
        "sleep": "住|酒店|客栈|民宿|宾馆|旅馆|入住",
        "ride": "号线|公交|地铁|打车|坐车|班车|公里|km|高铁|火车|航班|下车|分钟|自驾|骑",
        "like": "像|比|如同|类似|不如|相比|堪比|媲美|一样|似的|之一",
        "beside": "附近|旁边|对面|远处|隔壁|不远|周边|远眺|眺望|俯瞰|望[见到去]|看[见到]",
        "past": "上次|以前|去年|曾经|小时候|年前|当年|之前|上一次|想起|记得|那时",
        "history": r"\d{3,4}年|公元|世纪|[唐宋元明清汉隋]|建于|修建|重建|皇帝|相传|传说|历史|诗",
        "plan": "计划|打算|原本|本来|想去|准备|下次|以后|有机会",
        "not": "没|未|不[去想能会再]|无法|放弃|取消|错过|可惜|遗憾",
        "lies": "位于|坐落|地处|境内|交界|方向|东北|西北|东南|西南|之间|地址",
        "price": "元|门票|票价|¥|￥|免费|预约",
        "clock": r"\d{1,2}[:：]\d{2}|\d点|上午|下午|早上|晚上|傍晚|中午",
        "we": "我|咱",
        "done": "了",
        "see": "看|拍|逛|玩|游|参观|走|爬|登|漫步",
        "arrive": "来到|到达|抵达|前往|直奔|去了|到了|进入|走进|路过|经过|途经",
        "tip": "推荐|建议|值得|可以去|必去|适合|不妨",
        "called": "叫|名为|称|所谓|意为",
        "work": "公司|工作|上班|大学|同学|学校",
        "story": "电影|电视剧|歌|小说|书|作品|《|游戏",
    }.items()
}
_HAN = re.compile(r"[\u4e00-\u9fffA-Za-z0-9·]")
_OPENS = ' ·-*#“"「【[0123456789.、（('
_CLOSES = ' 。，,.！!”"」】])）；;:：'
_BEFORE_MARK = re.compile(r"[，。、,;；：:！!？（(“「\-—→>]\s*$")
_AFTER_MARK = re.compile(r"\s*[，。、,;；：:！!？）)”」\-—→>]")
_AFTER_LABEL = re.compile(r"\s*[：:（(]")
_DASH_BEFORE, _DASH_AFTER = re.compile(r"[-—–→>]\s*$"), re.compile(r"\s*[-—–→>]")

Evidence = dict[str, float]


@dataclass
class RulesPage:
    """A document as read by the rules, with counts of its candidates."""

    lines: Sequence[Line]
    days: Days
    kind: str
    places: Sequence[Sight]
    stops: frozenset[tuple[int, int]]  # spans of the stops on the rules' route
    counts: dict[str, int] = field(default_factory=dict)
    forms: dict[str, Sight] = field(default_factory=dict)
    covered: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    about: Evidence = field(default_factory=dict)

    @classmethod
    def of(
        cls, lines: Sequence[Line], days: Days, kind: str, places: Sequence[Sight],
        stops: frozenset[tuple[int, int]], found: Iterable[NameCandidate],
    ) -> RulesPage:  # fmt: skip
        """Collect all evidence that the candidates in one document share."""
        page = cls(lines, days, kind, places, stops)
        page.counts = {c.name: len(c.seen) for c in found}
        covered: dict[int, set[tuple[int, int]]] = defaultdict(set)
        for place in places:
            for hit in place.hits:
                page.forms.setdefault(_read_written(hit.start, hit.end, lines[hit.line]), place)
                for at in range(hit.start, hit.end):
                    covered[at].add((hit.start, hit.end))
        page.covered = dict(covered)
        page.about = _about(page)
        return page


def _read_written(start: int, end: int, line: Line) -> str:
    """Return a hit's name as it is spelt in its line, which uses simplified characters."""
    return line.text[start - line.start : end - line.start]


def _active(place: Sight) -> bool:
    return place.role in ("visited", "recommended")


def _about(page: RulesPage) -> Evidence:
    """Return the kind of a document and what the rules found in it."""
    size = max(1, sum(len(line.text) + 1 for line in page.lines))
    going = [p for p in page.places if _active(p)]

    def share(found: Iterable[bool]) -> float:
        return sum(found) / max(1, len(going))

    return {
        f"page {page.kind}": 1.0,
        "page size": math.log(size) / 4,
        "page days": float(bool(page.days.marks)),
        "page day marks": math.log1p(len(page.days.marks)),
        "page density": min(3.0, len(page.places) * 200 / size),
        "page active": len(going) / max(1, len(page.places)),
        "page places": math.log1p(len(page.places)) / 2,
        "page headings": math.log1p(sum(line.kind == "heading" for line in page.lines)) / 2,
        "page set out": share(p.structural for p in going),
        "page chains": share("chain" in p.sources for p in going),
        "page leads": share("lead" in p.sources for p in going),
        "page by ending": share(p.sources <= {"suffix", "echo"} for p in going),
        "page route": float(bool(page.stops)),
    }


def evidence(candidate: NameCandidate, page: RulesPage) -> Evidence:
    """Return all evidence for one candidate; missing evidence has the value 0."""
    found = dict(page.about)
    found.update(_weigh_name(candidate.name))
    found.update(_where(candidate, page))
    found.update(_by_rules(candidate.name, page))
    seen = candidate.seen[:_MOST_SEEN]
    for one in seen:
        for name in _beside(one, page):
            found[name] = found.get(name, 0.0) + 1 / len(seen)
    return found


@lru_cache(maxsize=1 << 15)
def _weigh_name(name: str) -> Evidence:
    """Describe how a name is formed: its ending, its stem, and the dictionary's information on
    both.
    """
    ending = suffix_of(name)
    stem = name.removesuffix(ending) if ending else name
    words, inner = cut_words(name), cut_words(stem) if stem else []
    told: Evidence = {
        "ending": float(bool(ending)),
        "sure ending": float(strong(name)),
        "ending length": len(ending) / 2,
        f"length {min(len(name), 7)}": 1.0,
        "no stem": float(not stem),
        "stem of one": float(len(stem) == 1),
        "unknown stem": float(len(stem) > 1 and not tag(stem)),
        "stem frequency": math.log1p(frequency(stem)) / 5 if stem else 0.0,
        "single characters": sum(len(w) == 1 for w in inner) / 4,
        "only single characters": float(bool(inner) and all(len(w) == 1 for w in inner)),
        "frequency": math.log1p(frequency(name)) / 5,
        "words": min(len(words), 6) / 3,
        f"first word {_class(words[0])}": 1.0,
        f"word {_kind(tag(name))}": float(bool(tag(name))),
        "unknown": float(not tag(name)),
        "breaks": float(any(map(stops, words))),
        "breaks first": float(stops(words[0])),
        "breaks more": sum(map(stops, words)) / 3,
        "city in it": float(any(map(is_city, words))),
        "city first": float(is_city(words[0]) and len(words) > 1),
        "digit": float(any(c.isdigit() for c in name)),
        "latin": float(bool(re.search("[A-Za-z]", name))),
        "numeral first": float(name[0] in "一二三四五六七八九十两几"),
        "decoy": float(is_decoy(name)),
        "plausible": float(plausible(name)),
        "plausible in lists": float(plausible(name, listed=True)),
        "telling": float(telling(name)),
        "proper": float(is_proper_name(name)),
    }
    if tag(stem):
        told[f"stem {_kind(tag(stem))}"] = 1.0
    for kind in {_kind(tag(word)) for word in inner if tag(word)}:
        told[f"in stem {kind}"] = 1.0
    return told


def _kind(mark: str) -> str:
    """Return a coarse part of speech for a tag from the dictionary."""
    return mark if mark in ("ns", "nt", "nz") else mark[:1]


@lru_cache(maxsize=1 << 15)
def _class(word: str) -> str:
    """Return the category of a word, which is either next to a name or the first word of a name."""
    if not word:
        return "none"
    if not _HAN.search(word):
        return "mark"
    return _kind(tag(word)) or ("character" if len(word) == 1 else "unknown")


def _where(candidate: NameCandidate, page: RulesPage) -> Evidence:
    """Return how often a string occurs in each kind of position, including inside longer
    strings.
    """
    name, seen, counts = candidate.name, candidate.seen, page.counts
    times = len(seen)
    first = seen[0]
    last = page.lines[-1]
    before = Counter(
        page.lines[s.line].text[s.start - 1 : s.start] if s.start else "" for s in seen
    )
    after = Counter(page.lines[s.line].text[s.end : s.end + 1] for s in seen)
    longer = Counter(s.before + name for s in seen if _HAN.search(s.before))
    shorter = "".join(cut_words(name)[1:])
    return {
        "times": math.log(times),
        "once": float(times == 1),
        "lines": math.log(len({s.line for s in seen})),
        "position": (page.lines[first.line].start + first.start)
        / max(1, last.start + len(last.text)),
        "unlike before": len(before) / times if times > 1 else 0.5,
        "unlike after": len(after) / times if times > 1 else 0.5,
        "two before": float(times > 1 and len(before) > 1),
        "shorter is more": math.log((counts[shorter] + 1) / times) if shorter in counts else 0.0,
        "shorter stands": float(shorter in counts and len(shorter) > 1),
        "shorter by rules": float(shorter in page.forms and len(shorter) > 1),
        "longer as often": max(longer.values(), default=0) / times if times > 1 else 0.0,
        "longer by rules": float(any(form in page.forms for form in longer)),
    }


def _by_rules(name: str, page: RulesPage) -> Evidence:
    """Return what the rules decided about exactly this string."""
    place = page.forms.get(name)
    sure, visited = strong(name), page.kind
    if place is None:
        return {f"not by rules in {visited}": 1.0, "sure ending, not by rules": float(sure)}
    told: Evidence = {"by rules": 1.0, f"by rules in {visited}": 1.0, f"role {place.role}": 1.0}
    told |= {f"by {source}": 1.0 for source in place.sources}
    told["by ending alone"] = float(
        "suffix" in place.sources and not place.sources & {"chain", "lead", "heading", "verb"}
    )
    if _active(place):
        told["active"] = told[f"active in {visited}"] = 1.0
    told["stop"] = float(any((hit.start, hit.end) in page.stops for hit in place.hits))
    return told


def _beside(seen: Seen, page: RulesPage) -> Iterable[str]:
    """Return the names of the conditions that an occurrence meets."""
    line = page.lines[seen.line]
    text, a, b = line.text, seen.start, seen.end
    head, rest = text[:a], text[b:]
    around = f"{text[max(0, a - _WINDOW) : a]} {text[b : b + _WINDOW]}"
    yield f"after {_class(seen.before)}"
    yield f"before {_class(seen.after)}"
    yield f"in {line.kind}"
    yield from (f"near {name}" for name, words in _NEAR.items() if words.search(around))
    opens, closes = not head.strip(_OPENS), not rest.strip(_CLOSES)
    over = {
        span for at in range(line.start + a, line.start + b) for span in page.covered.get(at, ())
    }
    start, end = line.start + a, line.start + b
    holds = {
        "opens the line": opens,
        "closes the line": closes,
        "is the line": opens and closes,
        "short line": len(text) < 20,
        "long line": len(text) > 150,
        "strong line": line.strong,
        "in a day": page.days.of_line[line.index] is not None,
        "after 的": head.endswith("的"),
        "before 的": rest.startswith("的"),
        "after a mark": bool(_BEFORE_MARK.search(head)),
        "before a mark": bool(_AFTER_MARK.match(rest)),
        "labels": bool(_AFTER_LABEL.match(rest)),
        "after 在": head[-1:] in ("在", "于", "从", "离", "到") and bool(head),
        "before 里": rest[:1] in ("里", "上", "内", "中", "边", "旁", "下") and bool(rest),
        "gone to": bool(zh.VISIT.search(text[max(0, a - 6) : a])),
        "joined before": bool(head) and head[-1] in "、和与及",
        "joined after": bool(rest) and rest[0] in "、和与及",
        "dash before": bool(_DASH_BEFORE.search(head)),
        "dash after": bool(_DASH_AFTER.match(rest)),
        "quoted": bool(head) and head[-1] in "“「『《【",
        "turned": is_turned(text, b),
        "over a name": bool(over),
        "within a name": any(s <= start and e >= end and e - s > b - a for s, e in over),
        "around a name": any(s >= start and e <= end and e - s < b - a for s, e in over),
    }
    yield from (name for name, true in holds.items() if true)
