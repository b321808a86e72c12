"""Express tags in people's own words, in both languages, using phrases from ``queries/lists``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from queries.drawing import pick
from schemas.word_lists import Lists

_LISTS = Lists("queries")
#: Nouns that a list of foods has only at its end, as in "Sichuan and Hunan food".
_ENDS = (" food", " cuisine", " dishes")
_WHOLE = frozenset({"fast food", "simple fast food"})
_HEADS = ("a hotel with ", "hotels with ", "a hotel in a ")
_ZH_HEADS = ("有", "带", "能看到", "可以")
_ZH_END = "的酒店"
_VERBS = ("尝尝", "吃", "逛", "看")
_VERBS_EN = ("visit ", "see ", "go to ")
#: Words that begin an explanation of the noun before them.
_SAID_OF = (" known for ", " that ", " where ")


@dataclass(frozen=True)
class Phrase:
    """The wordings for a tag: on its own, as a refusal, as an activity, and in an English list."""

    alone: tuple[str, ...]
    avoided: tuple[str, ...]
    done: tuple[str, ...]
    listed: tuple[str, ...] = ()


def _phrases(name: str) -> dict[tuple[str, str], Phrase]:
    found = {}
    for category, tag, avoided, *listed, done, alone in _LISTS.table(name):
        cells = [tuple(cell.split("|")) if cell else () for cell in (alone, avoided, done, *listed)]
        found[category, tag] = Phrase(*cells)
    return found


_EN = _phrases("phrases_en")
_ZH = _phrases("phrases_zh")


def tags_en(category: str, tags: Sequence[str], seed: str, *, avoided: bool) -> dict[str, str]:
    """Return the tags as two English lists, one with ``and`` and one with ``or``, and as
    activities.
    """
    said, deeds = [], []
    for tag in tags:
        phrase = _EN[category, tag]
        forms: Sequence[str] = phrase.alone
        if avoided:
            forms = phrase.avoided or phrase.listed or phrase.alone
        elif len(tags) > 1:
            forms = phrase.listed or phrase.alone
        said.append(pick(forms, seed, tag, "en"))
        forms = phrase.done or phrase.alone
        if len(tags) > 1:
            forms = [form for form in forms if not _ends_in_explanation(form)] or forms
        deeds.append(pick(forms, seed, tag, "do"))
    return {"and": list_en(said, "and"), "or": list_en(said, "or"), "do": _deeds_en(deeds)}


def _ends_in_explanation(said: str) -> bool:
    """Check whether a phrase ends in words that seem to refer to whatever follows the phrase."""
    return said.startswith(_HEADS) or any(words in said for words in _SAID_OF)


def _deeds_en(deeds: Sequence[str]) -> str:
    """Join activities into an English list; a verb shared by several activities is written only
    once.
    """
    verbs = [next((v for v in _VERBS_EN if deed.startswith(v)), "") for deed in deeds]
    by_verb: dict[str, list[str]] = {}
    for number, (verb, deed) in enumerate(zip(verbs, deeds, strict=True)):
        by_verb.setdefault(verb or str(number), []).append(deed.removeprefix(verb))
    return list_en(
        [(v if v in _VERBS_EN else "") + list_en(said, "and") for v, said in by_verb.items()],
        "and",
    )


def list_en(said: Sequence[str], word: str) -> str:
    """Join phrases into an English list; a shared beginning or end of the phrases is written
    only once.
    """
    if len(said) < 2:
        return "".join(said)
    said = sorted(said, key=_ends_in_explanation)
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
    """Return the tags as a Chinese list with "and", as a Chinese list with "or", and as
    activities.
    """
    phrases = [_ZH[category, tag] for tag in tags]
    listed = len(tags) > 1
    said, deeds = [], []
    forms: Sequence[str]
    for tag, phrase in zip(tags, phrases, strict=True):
        forms = (avoided and phrase.avoided) or phrase.alone
        said.append(pick(_plain(forms, "和") if listed else forms, seed, tag, "zh"))
        forms = phrase.done or phrase.alone
        if listed:
            # All foods in a list share one verb.
            plain = _plain(forms, "、和顿晚")
            forms = [form for form in plain if form.startswith("吃")] or plain
        deeds.append(pick(forms, seed, tag, "do"))
    return {"and": list_zh(said), "or": either_zh(said), "do": _deeds(deeds)}


def _plain(forms: Sequence[str], marks: str) -> Sequence[str]:
    """Return the forms that contain none of the marks, which would be confusing in a list.

    If every form contains at least one of the marks, all forms are returned.
    """
    return [form for form in forms if not set(form) & set(marks)] or forms


def list_zh(said: Sequence[str]) -> str:
    """Join phrases into a Chinese list."""
    if len(said) < 2:
        return "".join(said)
    return "、".join(said[:-1]) + "和" + said[-1]


def either_zh(said: Sequence[str]) -> str:
    """Join phrases into a list of Chinese alternatives; an ending shared by all phrases is
    written once.
    """
    if len(said) > 1 and all(one.endswith(_ZH_END) for one in said):
        said = [*(one.removesuffix(_ZH_END) for one in said[:-1]), said[-1]]
        head = next((h for h in _ZH_HEADS if all(one.startswith(h) for one in said)), "")
        said = [said[0], *(one.removeprefix(head) for one in said[1:])]
    return "或者".join(said)


def _deeds(deeds: Sequence[str]) -> str:
    """Join Chinese activities; a verb shared by all of them is written only once, as in
    吃川菜和湘菜.
    """
    verb = next((v for v in _VERBS if all(deed.startswith(v) for deed in deeds)), "")
    if not verb:
        return "、".join(deeds)
    return verb + list_zh([deed.removeprefix(verb) for deed in deeds])
