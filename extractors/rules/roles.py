"""What a document does with a place: visited, recommended, mentioned or rejected."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from extractors.rules import lexicon_en as en
from extractors.rules import lexicon_zh as zh
from extractors.rules.days import Days
from extractors.rules.grouping import Place
from extractors.rules.lines import Hit, Line
from extractors.rules.words_zh import is_city
from schemas.reading import DocumentKind, Role

_BREAK = re.compile(r"[。！？!?；;\n]|\.(?=\s|$)")
_CLAUSE = re.compile(r"[，,。！？!?；;：:\n（）()]|\.(?=\s|$)| — ")


@dataclass(frozen=True)
class Context:
    """The words around a hit."""

    before: str  # of its clause
    after: str
    sentence: str
    line: Line


def context_of(hit: Hit, line: Line) -> Context:
    """Clause and sentence around a hit; before a row of joined names for each of them."""
    first = hit.start if hit.row is None else hit.row
    a, b = first - line.start, hit.end - line.start
    text = line.text
    opens = max((m.end() for m in _BREAK.finditer(text, 0, a)), default=0)
    closes = next((m.start() for m in _BREAK.finditer(text, b)), len(text))
    clause = max((m.end() for m in _CLAUSE.finditer(text, 0, a)), default=0)
    ends = next((m.start() for m in _CLAUSE.finditer(text, b)), len(text))
    return Context(text[clause:a], text[b:ends], text[opens:closes], line)


def told_visit(hit: Hit, line: Line, lang: str) -> bool:
    """Whether the words beside a hit tell that one goes, went or should go there."""
    c = context_of(hit, line)
    words = zh if lang == "zh" else en
    if words.NOT_GONE.search(c.before):
        return False
    if lang == "zh" and zh.TURN.search(_around(hit, c)[0]):
        return True
    return bool(words.VISIT.search(c.before) or words.AFTER_VISIT.match(c.after))


def _around(hit: Hit, c: Context) -> tuple[str, str]:
    """What stands in the sentence before and after a hit."""
    before, _, after = c.sentence.partition(hit.name)
    return before, after


def told_worth(hit: Hit, line: Line) -> bool:
    """Whether a clause opens with a place and says how it was."""
    c = context_of(hit, line)
    return not c.before.strip(" “「") and bool(zh.JUDGED.match(c.after))


def judged(hit: Hit, line: Line, lang: str) -> str:
    """What the words beside a hit within a day's tale make of it."""
    judge = _judge_zh if lang == "zh" else _judge_en
    return judge(hit, context_of(hit, line), True)


def assign_roles(
    places: list[Place], lines: list[Line], days: Days, kind: DocumentKind, lang: str
) -> None:
    """Set the role of every place; all its mentions share it."""
    done: Role = "visited" if kind == "diary" else "recommended"
    judge = _judge_zh if lang == "zh" else _judge_en
    wished = _wished(lines) if kind == "diary" else frozenset()
    for place in places:
        place.role = _role(place, lines, days, done, judge, wished)


def _wished(lines: list[Line]) -> frozenset[int]:
    """Lines below an English heading over what the author has yet to see."""
    found: set[int] = set()
    for line in lines:
        if line.kind == "heading" and en.WISHES.search(line.text):
            for below in lines[line.index + 1 :]:
                if below.kind == "heading" and below.level <= line.level:
                    break
                found.add(below.index)
    return frozenset(found)


def _role(
    place: Place, lines: list[Line], days: Days, done: Role,
    judge: Callable[[Hit, Context, bool], str], wished: frozenset[int],
) -> Role:  # fmt: skip
    """Weigh the evidence of all occurrences: a stop wins over a rejection, that over a mention."""
    votes: list[str] = []
    listed = False  # a row of names outside of the days names it
    for hit in place.hits:
        line = lines[hit.line]
        if hit.line in wished:
            continue
        in_day = days.of_line[hit.line] is not None or bool(not days.marks)
        votes.append(judge(hit, context_of(hit, line), in_day))
        listed = listed or (votes[-1] == "outside" and hit.row is not None)
    against, told = votes.count("rejected"), votes.count("visit") + votes.count("told")
    if "past" in votes and "stop" not in votes and "visit" not in votes:
        return "mentioned"
    if against and "stop" not in votes and against >= told and against > votes.count("visit"):
        return "rejected"
    if "stop" in votes or "visit" in votes:
        return "rejected" if against >= 2 and "visit" not in votes else done
    if "tip" in votes:
        return "recommended"
    if "told" in votes:
        return done
    if listed and done == "recommended":  # a plan's notes on its sights list their parts
        return done
    return "mentioned"


#: Another journey than the one that is told.
_PAST = re.compile(r"上次|上回|去年|前年|前几年|小时候|\d{2,4}年的?时候")


def _judge_zh(hit: Hit, c: Context, in_day: bool) -> str:
    near = c.before[-10:] + c.after[:10]
    clause = c.before + c.after
    if c.line.kind == "quote":
        return "aside"
    if hit.source in ("chain", "lead", "heading"):
        return "rejected" if hit.source == "chain" and zh.REJECT.match(c.after[:6]) else "stop"
    remark = c.line.kind == "table_row" and "|" in c.line.text[: hit.start - c.line.start]
    if remark or zh.WAYS.match(c.line.text):
        return "aside"  # a remark in a table on something else, the way to a sight
    gone = bool(zh.VISIT.search(c.before)) and not zh.NOT_GONE.search(c.before)
    apart = len(c.sentence) < 40 and not gone
    if zh.REJECT.search(near) or (apart and zh.REJECT.search(c.sentence)):
        return "rejected"
    if hit.source in ("gazetteer", "suffix", "echo") and zh.TRANSPORT_LINE.search(c.sentence):
        return "aside"
    before, after = _around(hit, c)
    if hit.start - c.line.start <= 1 and zh.PRESENTS.match(after):
        return "told"  # the passage presents it
    if zh.TURN.search(before) or zh.THEN_VISIT.match(after):
        return "visit"
    if _PAST.search(before) or zh.BEEN.search(c.before) or zh.BEEN_THERE.match(c.after):
        return "past"
    if _beside_the_point(hit, c):
        return "aside"
    if zh.NOT_GONE.search(c.before):
        return "rejected"
    if zh.VISIT.search(c.before) or zh.AFTER_VISIT.match(c.after):
        return "visit"
    if zh.RECOMMEND.search(clause):
        return "tip"
    return "told" if in_day else "outside"


def _beside_the_point(hit: Hit, c: Context) -> bool:
    """Whether a name only compares, locates, renames or belongs to another town or to the past."""
    if zh.ALIAS.search(c.sentence[: max(0, c.sentence.find(hit.name))]):
        return True
    if zh.NO_VISIT.match(c.after):
        return True
    if zh.ASIDE.search(c.before + c.after) or zh.COMPARED.search(c.before):
        return True
    elsewhere = re.search(r"([\u4e00-\u9fff]{2,3})的$", c.before)
    if hit.source == "suffix" and elsewhere and is_city(elsewhere[1][-2:]):
        return True
    gone = zh.VISIT.search(c.before) or zh.AFTER_VISIT.match(c.after)
    told = hit.source in ("suffix", "echo") or (hit.source == "verb" and not gone)
    return told and bool(zh.HISTORY.search(c.sentence))


#: "headed towards": going there, not looking there.
_TOWARDS = re.compile(
    r"\b(?:head(?:ed|ing)?|walked|made (?:our|my) way)(?: \w+)? towards?(?: the)?\s*$"
)


def _judge_en(hit: Hit, c: Context, in_day: bool) -> str:
    if en.REJECT.search(c.before[-30:] + " # " + c.after[:45]):
        return "rejected"
    if re.search(r"[—–-] (?:avoid|skip)\b", c.sentence.split(hit.name, 1)[-1][:80]):
        return "rejected"
    if hit.source == "logistics":
        return "aside"
    if hit.source in ("chain", "lead", "heading"):
        return "stop"
    if en.PRAISED.match(c.after):
        return "tip"
    if en.FOR_A_MEAL.match(c.after):
        return "aside"
    if en.ASIDE.search(c.before[-28:]) and not _TOWARDS.search(c.before):
        return "aside"
    if en.VISIT.search(c.before) or en.AFTER_VISIT.match(c.after):
        return "visit"
    return "told"


def kind_of(lines: list[Line], days: Days, lang: str) -> DocumentKind:
    """Whether a document tells a journey, plans one by days, or advises."""
    text = "\n".join(line.text for line in lines)
    title = lines[0].text if lines else ""
    size = max(1, len(text))
    if lang == "zh":
        told = len(re.findall(r"我们?", text)) * 250 > size and text.count("了") * 150 > size
        named = bool(re.search(r"游记|日记|之行|之旅|流水账|见闻", title)) and not re.search(
            "攻略|计划|规划", title
        )
        told_things = text.count("了")
        advice = len(re.findall("建议|推荐|攻略|预约|注意", text))
        many = told_things * 140 > size and told_things >= max(4, 2 * advice)
        classical = len(re.findall("[余予吾遂乃甚颇矣]|也。|食于|返寓", text)) * 60 > size
        first_person = told or many or classical or (named and len(re.findall("我|了", text)) >= 4)
    else:
        persons = re.findall(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|us)\b", text)
        past = re.findall(r"\b(?:was|were|went|had|got|took|saw|came|made|\w{2,}ed)\b", text)
        first_person = len(persons) * 300 > size and len(past) * 350 > size
        # "Headed to …. Visited …": a diary without its "we"
        opening = re.findall(r"(?:^|[.!?]\s+)(?:[A-Z][a-z]+ed|Went|Took|Got|Saw|Had|Ate)\s", text)
        first_person = first_person or (len(opening) >= 3 and len(opening) * 250 > size)
    if first_person:
        return "diary"
    return "route" if days.marks or days.serial is not None else "guide"
