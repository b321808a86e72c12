"""Finds sights in Chinese headings and captions, and at the start of items and table rows."""

from __future__ import annotations

import re
from typing import Literal

from extractors.rules.common.chinese import (
    EVERYDAY,
    GENERIC,
    LISTED,
    is_decoy,
    is_proper_name,
    is_turned,
    stops,
    strong,
    suffix_of,
    telling,
)
from extractors.rules.common.dictionary import cut_words, frequency, tag
from extractors.rules.common.lines import DocumentNames, Line, hit_at
from extractors.rules.zh import lexicon as zh
from extractors.rules.zh.items import PAIR, item, names_in, parts, unwrap

_SEVERAL = re.compile(r"[、/／和]|\s[-–—~～]\s")
_NO_SIGHT = re.compile(r"[票车费餐舱房]$|往返|单程")


def nameish(
    name: str, text: str, whole: bool = False, loose: bool | Literal["told"] = True
) -> bool:
    """Check whether a heading, caption or label is the name of a sight and not a phrase.

    ``whole`` means that the heading, caption or label contains nothing but the name. ``loose``
    accepts an unknown word that the text repeats; if ``loose`` is "told", a word that occurs only
    twice is accepted only if the text also says that somebody is there or goes there.
    """
    if (
        name in LISTED
        or strong(name)
        or tag(name) in ("ns", "nt")
        or (whole and suffix_of(name) and len(name) <= 6)
    ):
        return True
    if suffix_of(name):
        return is_proper_name(name) and telling(name)
    person = tag(name) in ("nr", "nrt", "nrfg")  # or a place that the dictionary tags as a person
    if not loose or (tag(name) and not person) or len(name) > 6 or text.count(name) < 2:
        return False
    if not person and (loose != "told" or text.count(name) > 2):
        return True
    return bool(re.search(f"[在去到逛来游往至从]了?{re.escape(name)}", text))


def logistics(heading: str) -> bool:
    return bool(zh.LOGISTICS.search(heading)) and len(heading) <= 12 and not suffix_of(heading)


def _shop(name: str, text: str) -> bool:
    """Check whether people in the text eat, drink or buy something at a place whose name does
    not show what it is.
    """
    if suffix_of(name) or name in LISTED:
        return False
    bare = re.escape(name)
    return bool(
        re.search(
            rf"(?:吃|点|喝|买)了?的?[^，。；\n]{{0,4}}{bare}|{bare}[^，。；\n]{{0,5}}(?:青旅|民宿"
            rf"|酒店|客栈|旅舍|吃|喝|餐厅|饭店|饭馆|面馆|咖啡|买|店)|一[家间]{bare}",
            text,
        )
    )


def heading(line: Line, meals: bool, names: DocumentNames) -> None:
    """Add the names in a short heading, without the numbering or mottoes around them."""
    if len(line.text) > 30 or logistics(line.text):
        return
    whole = line.text.strip()
    if (
        is_decoy(whole)
        and len(whole) < 5
        and re.search(
            rf"{re.escape(whole)}[，,]?[^。，\n]{{0,10}}(?:位于|坐落|始建|又名|曾称"
            rf"|是一[座个][^。，]{{0,8}}[岛镇山湖])",
            names.text,
        )
    ):
        a = line.text.find(whole)
        names.hits.append(hit_at(line, a, a + len(whole), "heading"))
    for a, b in names_in(line.text, 0, len(line.text)):
        name = line.text[a:b]
        if meals and not strong(name):
            continue
        if nameish(name, names.text, whole=b - a >= len(line.text.strip()) - 4):
            if _shop(name, names.text):
                names.decoys.append((line.start + a, name))
            else:
                names.hits.append(hit_at(line, a, b, "heading"))


_TITLE_PART = re.compile(r"[^|｜•·・:：,，、\-—–《》「」【】（）()\s]+")


def add_title_name(line: Line, names: DocumentNames) -> None:
    """Add a name that is part of the title if the text mentions the name again."""
    parts = [m.span() for m in _TITLE_PART.finditer(line.text)]
    for a, b in parts:
        found = item(line.text, a, b)
        if found is None:
            continue
        name = line.text[slice(*found)]
        known = suffix_of(name) or (len(parts) > 1 and len(name) > 2 and is_proper_name(name))
        if known and names.text.count(name) > 2 and nameish(name, names.text, whole=True):
            names.hits.append(hit_at(line, *found, "heading"))


def _can_name(line: Line) -> bool:
    """Check whether a heading is short and each of its parts could be a name."""
    text = line.text.strip()
    ranges = parts(text, 0, spaced=False)
    return len(text) <= 16 and bool(ranges) and all(item(text, a, b) for a, b in ranges)


#: Dictionary tags of places, and of persons (which are sometimes places).
_PLACE_TAGS = ("ns", "nr", "nrt")


def beside_sights(lines: list[Line], names: DocumentNames) -> None:
    """Add headings that contain no known name, if other headings of the same level name sights."""
    named_heads = {h.line for h in names.hits if h.source == "heading"}
    groups: dict[tuple[int, int], list[Line]] = {}
    above = [-1] * 8
    for line in lines:
        if line.kind == "heading":
            groups.setdefault((line.level, above[line.level - 1]), []).append(line)
            above[line.level :] = [line.index] * (8 - line.level)
    for group in groups.values():
        sure = sum(line.index in named_heads for line in group)
        likely = sum(
            tag(line.text.strip()) in _PLACE_TAGS and line.index not in named_heads
            for line in group
        )
        open_ones = [line for line in group if line.index not in named_heads and _can_name(line)]
        if sure < 2 or 3 * (sure + likely) < 2 * (sure + len(open_ones)):
            continue
        for line in open_ones:
            several = names_in(line.text, 0, len(line.text))
            if len(several) > 1 and all(2 <= b - a <= 6 for a, b in several):
                names.hits.extend(hit_at(line, a, b, "heading") for a, b in several)
                continue
            found = item(line.text, 0, len(line.text))
            if found and frequency(line.text[slice(*found)]) > EVERYDAY:
                continue
            shop = found and _shop(line.text[slice(*found)], names.text)
            if found and 2 <= found[1] - found[0] <= 6 and not logistics(line.text) and not shop:
                names.hits.append(hit_at(line, *found, "heading"))


def lead(line: Line, label: re.Match[str] | None, names: DocumentNames) -> None:
    """Add a line that consists of a name, or add the name that begins a list item ("X：…",
    "X。…").
    """
    text = line.text
    several = names_in(text, 0, len(text)) if len(text) <= 40 and _SEVERAL.search(text) else []
    sure = [nameish(text[a:b], names.text) for a, b in several]
    paired = PAIR.search(text) or "和" in text
    again = all(
        s or (paired and suffix_of(text[a:b]) and names.text.count(text[a:b]) > 1)
        for s, (a, b) in zip(sure, several, strict=True)
    )
    if len(several) > 1 and any(sure) and again:
        names.hits.extend(hit_at(line, a, b, "lead") for a, b in several if not is_turned(text, b))
        return
    if len(text) <= 14 and not re.search(r"[，。！？]", text):
        found = item(text, *unwrap(text))
        told: bool | Literal["told"] = "told" if line.kind == "paragraph" else True
        name = text[slice(*found)] if found else ""
        if found and nameish(name, names.text, loose=told) and not _shop(name, names.text):
            names.hits.append(hit_at(line, *found, "lead"))
        return
    end = label.end(1) if label else None
    if end is None and line.kind in ("list_item", "table_row"):
        match = re.match(r"^\s*([^，。：:；！？|]{2,14})[。，|]", text)
        end = _opening_sight(text) or (match.end(1) if match else None)
    if end is None:
        return
    found = item(text, 0, end)
    if found is None or is_turned(text, found[1]):
        return
    if nameish(text[slice(*found)], names.text, whole=line.kind == "list_item", loose=False):
        names.hits.append(hit_at(line, *found, "lead"))


def _opening_sight(text: str) -> int | None:
    """Return the end of a sight's name at the start of an item, such as 观音庙 in "观音庙烧香"."""
    end = len(text) - len(text.lstrip())
    for word in cut_words(text[:16])[:4]:
        end += len(word)
        name = text[:end].strip()
        if stops(word):
            return None
        if (
            strong(name)
            and len(name.removesuffix(suffix_of(name))) > 1
            and name not in GENERIC
            and not is_decoy(text[:16])
        ):
            return end
    return None


def row(line: Line, names: DocumentNames) -> None:
    """Add the first cell of each row in a table of sights."""
    close = line.text.find("|")
    for found in names_in(line.text, 0, close) if close > 0 else ():
        if not _NO_SIGHT.search(line.text[slice(*found)]):
            names.hits.append(hit_at(line, *found, "lead"))
