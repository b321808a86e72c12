"""Decides whether the author of a Chinese document visited, avoided or only mentioned a place."""

from __future__ import annotations

import re

from extractors.rules.common.chinese import is_city
from extractors.rules.common.lines import Hit, HitContext, Line, around, context_of
from extractors.rules.zh import lexicon as words

#: Words about another journey than the one described.
_PAST = re.compile(r"上次|上回|去年|前年|前几年|小时候|\d{2,4}年的?时候")


def tells_visit(hit: Hit, line: Line) -> bool:
    """Check whether the words beside a hit show that somebody goes, went or should go to the
    place.
    """
    c = context_of(hit, line)
    if words.NOT_GONE.search(c.before):
        return False
    if words.TURN.search(around(hit, c)[0]):
        return True
    return bool(words.VISIT.search(c.before) or words.AFTER_VISIT.match(c.after))


def tells_worth(hit: Hit, line: Line) -> bool:
    """Check whether a clause begins with a place and describes it."""
    c = context_of(hit, line)
    return not c.before.strip(" “「") and bool(words.JUDGED.match(c.after))


def vote(hit: Hit, c: HitContext, in_day: bool) -> str:
    """Return what the words around a hit say about its place, so that ``assign_roles`` can count
    them.
    """
    near = c.before[-10:] + c.after[:10]
    clause = c.before + c.after
    if c.line.kind == "quote":
        return "aside"
    if hit.source in ("chain", "lead", "heading"):
        return "rejected" if hit.source == "chain" and words.REJECT.match(c.after[:6]) else "stop"
    remark = c.line.kind == "table_row" and "|" in c.line.text[: hit.start - c.line.start]
    if remark or words.WAYS.match(c.line.text):
        return "aside"  # a remark in a table about something else
    gone = bool(words.VISIT.search(c.before)) and not words.NOT_GONE.search(c.before)
    apart = len(c.sentence) < 40 and not gone
    if words.REJECT.search(near) or (apart and words.REJECT.search(c.sentence)):
        return "rejected"
    if hit.source in ("gazetteer", "suffix", "echo") and words.TRANSPORT_LINE.search(c.sentence):
        return "aside"
    before, after = around(hit, c)
    if hit.start - c.line.start <= 1 and words.PRESENTS.match(after):
        return "told"  # the passage introduces it
    if words.TURN.search(before) or words.THEN_VISIT.match(after):
        return "visit"
    if _PAST.search(before) or words.BEEN.search(c.before) or words.BEEN_THERE.match(c.after):
        return "past"
    if _beside_the_point(hit, c):
        return "aside"
    if words.NOT_GONE.search(c.before):
        return "rejected"
    if words.VISIT.search(c.before) or words.AFTER_VISIT.match(c.after):
        return "visit"
    if words.RECOMMEND.search(clause):
        return "tip"
    return "told" if in_day else "outside"


def _beside_the_point(hit: Hit, c: HitContext) -> bool:
    """Check whether a name appears only in a comparison, a location or an alias of something else,
    or concerns a different town or the past.
    """
    is_renamed = words.ALIAS.search(c.sentence[: max(0, c.sentence.find(hit.name))])
    is_compared = words.ASIDE.search(c.before + c.after) or words.COMPARED.search(c.before)
    if is_renamed or is_compared or words.NO_VISIT.match(c.after):
        return True
    elsewhere = re.search(r"([\u4e00-\u9fff]{2,3})的$", c.before)
    if hit.source == "suffix" and elsewhere and is_city(elsewhere[1][-2:]):
        return True
    gone = words.VISIT.search(c.before) or words.AFTER_VISIT.match(c.after)
    told = hit.source in ("suffix", "echo") or (hit.source == "verb" and not gone)
    return told and bool(words.HISTORY.search(c.sentence))


def in_first_person(text: str, title: str) -> bool:
    """Check whether a document describes what its author did."""
    size = max(1, len(text))
    told = len(re.findall(r"我们?", text)) * 250 > size and text.count("了") * 150 > size
    named = bool(re.search(r"游记|日记|之行|之旅|流水账|见闻", title)) and not re.search(
        "攻略|计划|规划", title
    )
    told_things = text.count("了")
    advice = len(re.findall("建议|推荐|攻略|预约|注意", text))
    many = told_things * 140 > size and told_things >= max(4, 2 * advice)
    classical = len(re.findall("[余予吾遂乃甚颇矣]|也。|食于|返寓", text)) * 60 > size
    return told or many or classical or (named and len(re.findall("我|了", text)) >= 4)
