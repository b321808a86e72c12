"""Language of a text by its script: zh, en or other."""

from __future__ import annotations

import re
from typing import Literal

from schemas.word_lists import Lists
from sources.web.lines import words

_LISTS = Lists("sources.web")

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile("[a-z\u00df-\u024f]+")
_ENGLISH = words("the of and to in is for you with from are this that it was at by on")
_OTHER_LATIN = frozenset(_LISTS.words("other_latin_words"))
_HAN_SHARE = 0.25  # a Chinese character says about as much as four Latin letters


def detect_language(text: str) -> Literal["zh", "en", "other"]:
    """zh where Chinese characters carry the text, en where English words do, else other."""
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    foreign = len(_KANA_OR_HANGUL.findall(text))
    letters = len(_LETTER.findall(text))
    if letters == 0 or foreign > 0.1 * (han + foreign + latin):
        return "other"
    if han >= _HAN_SHARE * latin and han + latin > 0.5 * letters:
        return "zh"
    if latin <= 0.5 * letters:
        return "other"
    found = _WORD.findall(text.lower())
    english = sum(word in _ENGLISH for word in found)
    return "en" if english >= sum(word in _OTHER_LATIN for word in found) else "other"
