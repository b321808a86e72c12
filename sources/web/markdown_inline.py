"""Convert inline Markdown to plain text by removing the markup."""

from __future__ import annotations

import html
import re

from schemas.word_lists import Lists
from sources.web.lines import clean

_LISTS = Lists("sources.web")

# The patterns have limited lengths, so that malicious lines do not take quadratic time.
_CODE = re.compile(r"(`{1,3})(.{1,400}?)\1")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~>$])")
_DESTINATION = r"\((?:[^()\n]|\([^()\n]{0,500}\)){0,1500}\)"
_BRACKETED = r"(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,500}"
_IMAGE = re.compile(
    rf"!\[{_BRACKETED}\](?:{_DESTINATION}|\[[^\[\]]{{0,100}}\])?(?:\{{[^{{}}]{{0,200}}\}})?"
)
_LINK = re.compile(rf"\[({_BRACKETED})\]{_DESTINATION}(?:\{{:[^{{}}]{{0,200}}\}})?")
_REFERENCE_LINK = re.compile(rf"\[({_BRACKETED})\]\[[^\[\]]{{0,100}}\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,50}\]")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]{0,300}\|)?([^\[\]|]{1,300})\]\]")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]+)>")
_BOLD = re.compile(r"(\*\*\*|\*\*|___|__)(?=\S)(.{1,400}?)(?<=\S)\1")
_LOOSE_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_STAR = re.compile(r"(?<![0-9A-Za-z*])\*(?=[^\s*])([^*]+)(?<=[^\s*])\*(?![0-9A-Za-z*])")
_UNDERSCORE = re.compile(r"(?<!\w)_(?=\S)([^_]+)(?<=\S)_(?!\w)")
_STRIKE = re.compile(r"~~(?=\S)(.{1,400}?)(?<=\S)~~")
#: Crossed-out words, which are removed. In Chinese text, "~~" stands for a long sound instead.
_STRUCK_OUT = re.compile(r"(?: |(?<!\S))~~(?=[^\s~])[^~\u2e80-\u9fff]{1,400}(?<=\S)~~(?!\w)")
_STRUCK_TAGS = re.compile(r" ?<(del|s|strike)>[^<>]{1,400}</\1>", re.IGNORECASE)
_MARK = re.compile(r"==(?=\S)([^=]+)(?<=\S)==")
_EMOJI_CODE = re.compile(r":[a-z][a-z0-9_+-]{1,30}:(?!\d)")
_SHORTCODE = re.compile(r"\{\{[<%].{0,500}?[%>]\}\}|\{%.{0,500}?%\}|\{\{.{0,500}?\}\}")
_ATTRIBUTES = re.compile(r"\{:?\s?[.#][^{}\n]*\}|\{:[^{}\n]*\}")
_TAG = re.compile(
    r"</?(?:"
    + _LISTS.either("inline_tags")
    + r")(?:\s[^<>]*+)?/?>|</?[A-Za-z][\w.:-]*+(?:\s[^<>=]*+=[^<>]*+|\s*+/)>|</[A-Za-z][\w-]*+>",
    re.IGNORECASE,
)
_ANY_MARK = re.compile(r"[\\`\[\]<>*_~={}&:]")
_LONGEST_LINE = 20_000  # in a longer line, which is not prose, only tags are removed
_PRIVATE = 0xE000  # escaped characters are moved to this private area while marks are removed
_HELD = re.compile("[\ue000-\ue07f]")


def plain(text: str) -> str:
    """Return a line of Markdown without inline markup, images, tags and shortcodes."""
    if not _ANY_MARK.search(text):
        return clean(text)
    if len(text) > _LONGEST_LINE:
        return clean(html.unescape(_TAG.sub("", text)))
    text = _ESCAPE.sub(lambda m: chr(_PRIVATE + ord(m[1])), text)
    text = _CODE.sub(lambda m: _hold_marks(m[2]), text)
    text = _IMAGE.sub("", text)
    text = _AUTOLINK.sub(r"\1", text)
    text = _SHORTCODE.sub("", _TAG.sub("", _STRUCK_TAGS.sub("", text)))
    text = _WIKI_LINK.sub(r"\1", _FOOTNOTE.sub("", text))
    for pattern in (_LINK, _REFERENCE_LINK, _LINK):
        text = pattern.sub(r"\1", text)
    text = _ATTRIBUTES.sub("", text)
    text = _emphasis(text)
    text = _EMOJI_CODE.sub("", text)
    text = _HELD.sub(lambda m: chr(ord(m[0]) - _PRIVATE), html.unescape(text))
    return clean(text)


def is_strong(text: str) -> bool:
    """Check whether a whole line of Markdown is bold."""
    text = text.strip().rstrip(":： ")
    for mark in ("**", "__"):
        if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
            return mark not in text[len(mark) : -len(mark)].strip("*_")
    lowered = text.lower()
    for tag in ("b", "strong"):
        if lowered.startswith(f"<{tag}>") and lowered.endswith(f"</{tag}>"):
            return lowered.count(f"<{tag}>") == 1
    return False


def _emphasis(text: str) -> str:
    for _ in range(2):  # marks can be nested
        text = _BOLD.sub(r"\2", text)
    text = _LOOSE_BOLD.sub(r"\1", text)
    text = _STRUCK_OUT.sub("", text)
    for pattern in (_STAR, _UNDERSCORE, _STRIKE, _MARK):
        text = pattern.sub(r"\1", text)
    return text


def _hold_marks(code: str) -> str:
    """Protect the characters in inline code so that they are not read as markup."""
    return "".join(chr(_PRIVATE + ord(c)) if c in "*_[]<>{}~=:!" else c for c in code.strip())
