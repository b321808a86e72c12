"""Tags as people say them, in both languages, from the tables ``phrases_en`` and ``phrases_zh``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from queries.drawing import pick
from schemas.word_lists import Lists

_LISTS = Lists("queries")
#: Nouns that a list of foods says once, at its end: Sichuan and Hunan food.
_ENDS = (" food", " cuisine", " dishes")
_WHOLE = frozenset({"fast food", "simple fast food"})
_HEADS = ("a hotel with ", "hotels with ", "a hotel in a ")
_ZH_HEADS = ("有", "带", "能看到", "可以")
_ZH_END = "的酒店"
_VERBS = ("尝尝", "吃", "逛", "看")


@dataclass(frozen=True)
class Phrase:
    """Wordings of a tag: alone, where it is refused, and in a list (English) or as a deed (Chinese)."""

    alone: tuple[str, ...]
    avoided: tuple[str, ...]
    other: tuple[str, ...]


def _phrases(name: str) -> dict[tuple[str, str], Phrase]:
    found = {}
    for category, tag, avoided, other, alone in _LISTS.table(name):
        cells = [tuple(cell.split("|")) if cell else () for cell in (alone, avoided, other)]
        found[category, tag] = Phrase(*cells)
    return found


_EN = _phrases("phrases_en")
_ZH = _phrases("phrases_zh")


def known(category: str) -> tuple[str, ...]:
    """Tags of a category that have phrases."""
    return tuple(tag for name, tag in _EN if name == category)


def tags_en(category: str, tags: Sequence[str], seed: str, *, avoided: bool) -> dict[str, str]:
    """The tags as English lists, joined by ``and`` and by ``or``."""
    said = []
    for tag in tags:
        phrase = _EN[category, tag]
        forms = phrase.alone
        if avoided:
            forms = phrase.avoided or phrase.other or phrase.alone
        elif len(tags) > 1:
            forms = phrase.other or phrase.alone
        said.append(pick(forms, seed, tag, "en"))
    return {"and": list_en(said, "and"), "or": list_en(said, "or")}


def list_en(said: Sequence[str], word: str) -> str:
    """Phrases as an English list; what all begin or end with is said once."""
    if len(said) < 2:
        return "".join(said)
    # What is said of a hotel stands last, or it would seem to hold for what follows.
    said = sorted(said, key=lambda one: one.startswith(_HEADS))
    head = next((h for h in _HEADS if all(one.startswith(h) for one in said)), "")
    if "with" in head:
        said = [said[0], *(one.removeprefix(head) for one in said[1:])]
    end = next((e for e in _ENDS if all(o.endswith(e) and o not in _WHOLE for o in said)), "")
    if end:
        said = [*(one.removesuffix(end) for one in said[:-1]), said[-1]]
    if any(f" {word} " in one for one in said):
        return f", {word} ".join((", ".join(said[:-1]), said[-1]))
    return f" {word} ".join((", ".join(said[:-1]), said[-1]))


def tags_zh(category: str, tags: Sequence[str], seed: str, *, avoided: bool) -> dict[str, str]:
    """The tags as Chinese lists: joined, as alternatives, and as deeds."""
    phrases = [_ZH[category, tag] for tag in tags]
    listed = len(tags) > 1
    said, deeds = [], []
    forms: Sequence[str]
    for tag, phrase in zip(tags, phrases, strict=True):
        forms = (avoided and phrase.avoided) or phrase.alone
        said.append(pick(_plain(forms, "和") if listed else forms, seed, tag, "zh"))
        forms = phrase.other or phrase.alone
        if listed:
            # Foods of a list share their verb.
            forms = [f for f in _plain(forms, "、和顿") if f.startswith("吃")] or _plain(
                forms, "、和顿"
            )
        deeds.append(pick(forms, seed, tag, "do"))
    return {"and": list_zh(said), "or": either_zh(said), "do": _deeds(deeds)}


def _plain(forms: Sequence[str], marks: str) -> Sequence[str]:
    """Forms without marks that would not stand well within a list, if there are any."""
    return [form for form in forms if not set(form) & set(marks)] or forms


def list_zh(said: Sequence[str]) -> str:
    """Phrases as a Chinese list."""
    if len(said) < 2:
        return "".join(said)
    return "、".join(said[:-1]) + "和" + said[-1]


def either_zh(said: Sequence[str]) -> str:
    """Phrases as Chinese alternatives; what all end with is said once."""
    if len(said) > 1 and all(one.endswith(_ZH_END) for one in said):
        said = [*(one.removesuffix(_ZH_END) for one in said[:-1]), said[-1]]
        head = next((h for h in _ZH_HEADS if all(one.startswith(h) for one in said)), "")
        said = [said[0], *(one.removeprefix(head) for one in said[1:])]
    return "或者".join(said)


def _deeds(deeds: Sequence[str]) -> str:
    """Deeds in a row; a verb that all share is said once: 吃川菜、湘菜."""
    verb = next((v for v in _VERBS if all(deed.startswith(v) for deed in deeds)), "")
    return "、".join([*deeds[:1], *(deed.removeprefix(verb) for deed in deeds[1:])])
