"""Finds names in the lists, day plans and labels of English documents."""

from __future__ import annotations

import re

from extractors.rules.common.lines import DocumentNames, Line, hit_at, ranges_between
from extractors.rules.en import lexicon as en
from extractors.rules.en.capitals import acceptable, candidates, head_of
from schemas.sight_words import PARTICLE

_STANDING = re.compile(
    r"\W*(?:the\s+)?(?P<n>[A-ZÀ-Ý][\w’'.\-]*(?:\s+(?:of|the|of the|and|&)\b(?=\s+[A-Z])"
    r"|\s+[A-ZÀ-Ý0-9][\w’'\-]*){0,6})"
    r"(?:\s+[\u4e00-\u9fff·]{2,12})?\s*(?:$|/|[(（](?:No\.|Lane|Building|\d+"
    r"|[\u4e00-\u9fff])[^()（）]*[)）])",
)


def standing(line: Line, names: DocumentNames) -> None:
    """Add names that stand alone, or before an address in brackets, below a heading about
    sights.
    """
    at = 0
    for part in line.text.split(" / ") if len(line.text) < 60 else [line.text]:
        match = _STANDING.match(part)
        name = match["n"] if match else ""
        if (
            match
            and len(name.split()) > 1
            and acceptable(name)
            and not en.HEADING_WORDS.search(name)
        ):
            names.hits.append(hit_at(line, at + match.start("n"), at + match.end("n"), "lead"))
        at += len(part) + 3


_LISTS_SIGHTS = re.compile(
    r"\b(?:sections|sites|sights|attractions|parks|temples|museums|neighbou?rhoods|areas|spots"
    r"|stops|places|villages|towns|scenes|must[- ]sees?|combine with|pair with|visit|see|explore"
    r"|highlights|other|including|includes?|such as)\b[^:.]{0,24}(?::|such as|including)\s",
    re.IGNORECASE,
)
_LISTED_NAME = re.compile(
    r"\s*(?:and\s+|the\s+)?(?P<n>[A-ZÀ-Ý][\w’'\-]*(?:\s+(?:of|the|and)\b(?=\s+[A-Z])"
    r"|\s+[A-ZÀ-Ý0-9][\w’'\-]*){0,4})\s*(?:[(（][^()（）]*[)）])?\s*$"
)


def listing(line: Line, names: DocumentNames) -> None:
    """Add a row of names after a label for sights ("Other sights: A, B (far), C")."""
    label = _LISTS_SIGHTS.search(line.text)
    if label is None or en.LOGISTICS.search(line.text[: label.end()]):
        return
    close = re.search(r"[.!?](?=\s|$)", line.text[label.end() :])
    end = label.end() + close.start() if close else len(line.text)
    if end - label.end() > 300:
        return
    blank = re.sub(r"[(（][^()（）]*[)）]", lambda m: "_" * len(m.group()), line.text[:end])
    at, found, total = label.end(), [], 0
    for part in re.split(r"[,;]", blank[label.end() :]):
        total += 1
        match = _LISTED_NAME.match(part.replace("_", " "))
        if match and acceptable(match["n"]) and not set(match["n"].lower().split()) <= en.LEAD:
            found.append((at + match.start("n"), at + match.end("n")))
        at += len(part) + 1
    if total > 1 and 2 * len(found) > total:
        names.hits.extend(hit_at(line, a, b, "suffix") for a, b in found)


_ROW_NAME = re.compile(
    rf"\W*(?:the\s+)?(?P<n>[A-ZÀ-Ý][\w’'\-]*(?:(?:\s+(?:of|the|of the|{PARTICLE})\b\s*(?=[A-Z])"
    rf"|\s+)[A-ZÀ-Ý0-9][\w’'\-]*){{0,4}})"
    r"\s*(?:[(（][^()（）]*[)）]|(?:at|by|in the|for|before|after)\s[\w ]{2,20})?\W*$"
)
_ROW_SIGNS = re.compile(
    r"\s*(?:[,;]\s*(?:and\s+|then\s+)?|→|->|—|–|\s-\s|>|\sand\s(?=[A-ZÀ-Ý]))\s*"
)


def day_row(line: Line, start: int, names: DocumentNames) -> None:
    """Add the stops in "Day 2: A at dawn, B (far), C. D, E" if most parts are plain names."""
    blank = re.sub(
        r"[(（][^()（）]*[)）]", lambda m: "(" + "_" * (len(m.group()) - 2) + ")", line.text
    )
    for sentence in re.finditer(r"(?:[^.!?]|\.(?=\S))+", blank[start:]):
        begin, end = (start + at for at in sentence.span())
        signs = _ROW_SIGNS.finditer(blank, begin, end)
        parts = ranges_between((sign.span() for sign in signs), begin, end)
        found = [stop for part in parts if (stop := _stop(blank, *part))]
        if len(parts) > 2 and 2 * len(found) > len(parts):
            names.hits.extend(hit_at(line, a, b, "chain") for a, b in found)


def _stop(text: str, begin: int, end: int) -> tuple[int, int] | None:
    """Return the range of the name in a part of a row, or None if the part contains anything
    else.
    """
    match = _ROW_NAME.fullmatch(text, begin, end)
    if match is None or not acceptable(match["n"]):
        return None
    return None if set(match["n"].lower().split()) & _ROW_LEADS else match.span("n")


#: A part of a row with one of these words is an activity and not a name.
_ROW_LEADS = en.LEAD - {"old", "great", "golden", "beautiful", "cherry", "frozen", "the"}


_ITEM = re.compile(
    r"^\W*(?P<n>[A-ZÀ-Ý][\w’'\-]*(?:\s+(?:of|the|no)\b(?=\s+[A-Z])|\s+(?:and"
    r"|&)\s+[A-ZÀ-Ý]\w+(?=\s+[A-Z])|\s+[A-ZÀ-Ý0-9][\w’'\-]*){0,4})\s*(?:$|[(（—–]|[.](?:\s|$)| - "
    r"|(?<=\w\w) to (?:check|see|visit|explore|look|browse|walk|climb|watch)\b)"
)


def item(line: Line, names: DocumentNames) -> None:
    """Add the name that fills or begins an item in a day's list ("Mossgate. Crowded")."""
    match = _ITEM.match(line.text)
    if match is None:
        return
    name = match["n"]
    first, last = name.lower().split()[0], name.lower().split()[-1]
    plain = {first, last} & (en.LEAD | en.NOT_NAME) or en.LOGISTICS.search(name)
    told = re.fullmatch(r"[A-Z][a-z]+(?:ed|ing)", name.split()[0]) or name.isupper()
    other = en.MEAL.search(name) or en.HEADING_WORDS.search(name)
    if acceptable(name) and not (plain or told or other):
        names.hits.append(hit_at(line, match.start("n"), match.end("n"), "lead"))


_ITEM_LABEL = re.compile(
    r"\W*(?P<n>[A-ZÀ-Ý][\w’'.\-]*(?:\s+(?:of|the)\b(?=\s+[A-Z])"
    r"|\s+[A-ZÀ-Ý0-9][\w’'\-]*){1,5})\s*(?:[(（][^()（）]*[)）]\s*)?(?::\s|[—–]| - |$)"
)
_STREET = re.compile(r"\b(?:Road|Avenue|Street|Lane)$")


def beside(lines: list[Line], names: DocumentNames) -> None:
    """Add the labels in a list ("Name: remark") if most of its items begin with the name of a
    sight.
    """
    sure = {h.start for h in names.hits if h.source in ("lead", "suffix", "chain", "verb")}
    group: list[tuple[Line, re.Match[str]]] = []
    for line in (*lines, None):
        if line is not None and line.kind == "list_item":
            match = _ITEM_LABEL.match(line.text)
            if match:
                group.append((line, match))
            continue
        known = [line.start + m.start("n") in sure for line, m in group]
        likely = sum(k or bool(head_of(m["n"])) for k, (_, m) in zip(known, group, strict=True))
        if sum(known) > 1 and 2 * likely >= len(group):
            for there, (item_line, match) in zip(known, group, strict=True):
                if not there and _sight_like(match["n"]):
                    names.hits.append(hit_at(item_line, *match.span("n"), "lead"))
        group = []


def _sight_like(name: str) -> bool:
    street = bool(_STREET.search(name))
    if en.LOGISTICS.search(name) or en.HEADING_WORDS.search(name):
        return False
    return street or (acceptable(name) and bool(head_of(name)))


_ROW_GOES_ON = re.compile(
    r"\s*(?:,|;|,?\s+(?:and|&|then|and then))\s+(?:(?:to|on to|at)\s+)?(?:the\s+|around\s+)?"
)
_ROW_ENDS = re.compile(r"\s*(?:[,.;:!)(—–]|$|and\b|before\b|in the\b|at (?:sunset|dusk|night)\b)")


def row_mates(lines: list[Line], names: DocumentNames) -> None:
    """Add names that are listed after the object of a verb such as "visit" ("we visited X Temple, Y
    and the Z").
    """
    held = {(h.start, h.end) for h in names.hits} | {(at, at + len(n)) for at, n in names.decoys}
    ends = {h.end for h in names.hits if h.source in ("verb", "suffix", "chain", "gazetteer")}
    for line in lines:
        if line.kind not in ("paragraph", "list_item", "quote"):
            continue
        last = None
        for a, b in candidates(line.text):
            start, end = line.start + a, line.start + b
            if end in ends:
                goes_on = last is not None and _ROW_GOES_ON.fullmatch(line.text, last, a)
                last = b if goes_on or _is_visited(line.text[:a]) else None
            elif last is not None and _mate(line.text, last, a, b):
                if not any(s < end and start < e for s, e in held):
                    names.hits.append(hit_at(line, a, b, "verb"))
                last = b


def _is_visited(before: str) -> bool:
    return bool(en.VISIT.search(before) or en.SEES.search(before))


def _mate(text: str, last: int, a: int, b: int) -> bool:
    name = text[a:b]
    joined = _ROW_GOES_ON.fullmatch(text, last, a) and _ROW_ENDS.match(text, b)
    return bool(joined) and acceptable(name) and not set(name.lower().split()) & _ROW_LEADS
