"""Detect a text's language by its script and, for Latin script, by common short words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from schemas.documents import DocumentLanguage
from schemas.word_lists import Lists
from sources.web.lines import words

_LISTS = Lists("sources.web")

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc]")
#: Hiragana without の, which also occurs on shop signs and in brand names in Chinese texts.
_HIRAGANA = re.compile("[\u3041-\u306d\u306f-\u3096]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile("[a-z\u00df-\u024f]+")
_ENGLISH = words("the of and to in is for you with from are this that it was at by on")
_HAN_SHARE = 0.25  # a Chinese character says about as much as four Latin letters
#: A line is Japanese if more than this share of its Chinese characters and kana is hiragana. A line
#: in Chinese has less, even if it contains many Japanese names.
_HIRAGANA_SHARE = 0.15
#: A language needs at least this many different short words; names may contain one or two.
_MINIMUM_WORDS = 3
#: Other scripts: their letters, letters that only other languages use, and the language.
_SCRIPTS: tuple[tuple[re.Pattern[str], re.Pattern[str] | None, DocumentLanguage], ...] = (
    (re.compile("[\u0400-\u04ff]"), re.compile("[іїєґўјљњћђќѓѕџ]"), "ru"),
    (re.compile("[\u0600-\u06ff]"), re.compile("[\u067e\u0686\u0698\u06af\u06d2]"), "ar"),
    (re.compile("[\u0e00-\u0e7f]"), None, "th"),
    (re.compile("[\u0370-\u03ff]"), None, "el"),
    (re.compile("[\u0590-\u05ff]"), None, "he"),
)


def detect_language(text: str) -> DocumentLanguage:
    """Detect the main language of a text; return ``other`` if the language is unknown.

    Foreign names do not change the result: a Chinese text about places in Japan is Chinese, and an
    English text about places in China is English.
    """
    han, kana, hangul = (len(p.findall(text)) for p in (_HAN, _KANA, _HANGUL))
    latin, letters = len(_LATIN.findall(text)), len(_LETTER.findall(text))
    east = han + kana + hangul
    if letters == 0:
        return "other"
    if east >= _HAN_SHARE * latin and east + latin > 0.5 * letters:
        return _eastern(text.splitlines(), hangul > han + kana)
    if latin > 0.5 * letters:
        return _latin(_WORD.findall(text.lower()))
    return _other_script(text.lower(), letters)


def _eastern(lines: Iterable[str], is_hangul: bool) -> DocumentLanguage:
    """Decide between Chinese and Japanese by counting the lines in each language, or return
    Korean.
    """
    if is_hangul:
        return "ko"
    chinese = japanese = 0
    for line in lines:
        n = len(_HAN.findall(line)) + len(_KANA.findall(line))
        if len(_HIRAGANA.findall(line)) > _HIRAGANA_SHARE * n:
            japanese += n
        else:
            chinese += n
    return "ja" if japanese > chinese else "zh"


def _latin(found: list[str]) -> DocumentLanguage:
    """Return English, unless the short words of a different language are more frequent."""
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for word, times in Counter(found).items():
        for language in _SMALL_WORDS.get(word, ()):
            counts[language] += times
            kinds[language] += 1
    english = sum(word in _ENGLISH for word in found)
    told = [c for c in _LATIN_LANGUAGES if kinds[c] >= _MINIMUM_WORDS and counts[c] > english]
    return max(told, key=lambda code: counts[code], default="en")


def _other_script(text: str, letters: int) -> DocumentLanguage:
    for script, foreign, code in _SCRIPTS:
        if len(script.findall(text)) > 0.5 * letters:
            return "other" if foreign and foreign.search(text) else code
    return "other"


_LATIN_LANGUAGES: tuple[DocumentLanguage, ...] = ("fr", "de", "es", "it", "pt", "nl")
_SMALL_WORDS = {word: tuple(codes.split()) for word, codes in _LISTS.table("latin_words")}
