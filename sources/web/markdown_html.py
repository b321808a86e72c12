"""HTML inside Markdown turned into lines of Markdown, in linear time."""

from __future__ import annotations

import re

from sources.web.html_blocks import read_table
from sources.web.html_source import replace_elements, without_comments
from sources.web.html_tree import hides
from sources.web.lines import words

_DROPPED = words("script style template iframe svg audio video noscript select textarea")
_VOID = words("img br hr input source meta link wbr")
_HEADING = re.compile("h[1-6]$")
_HIDDEN_ATTRIBUTE = re.compile(
    r"(?:^|\s)hidden(?=$|[\s=/])|aria-hidden\s?=\s?[\"']?true", re.IGNORECASE
)
_STYLE = re.compile(r"style\s?=\s?[\"']([^\"']*)", re.IGNORECASE)
_NODE = re.compile(r"<!--\s?(?:node|tab)\s([^<>\n]{1,200}?)\s?-->")
_BREAK = re.compile(
    r"<br\s?/?>|</?(?:p|div|section|article|center|details|summary|ul|ol|li|figure|figcaption|"
    r"blockquote|hr)\b[^<>]*>",
    re.IGNORECASE,
)
_LINE_BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_MULTILINE_TAG = re.compile(r"</?[A-Za-z][\w.:-]*+\s[^<>\n]*+\n[^<>]*+>")
_NODE_LEVEL = 5


def without_html(text: str) -> str:
    """Markdown without block-level HTML: hidden parts and comments go, breaks are lines.

    The nodes of blog timelines (`<!-- node 2024.5.1 … -->`) carry days and become headings.
    """
    if "<" not in text:
        return text
    text = _NODE.sub(lambda m: f"\n{'#' * _NODE_LEVEL} {m[1]}\n", text)
    text = replace_elements(without_comments(text), _concerns, _replacement)
    text = "\n".join(
        _LINE_BREAK.sub(" ", line) if line.count("|") > 1 else line for line in text.split("\n")
    )
    text = _BREAK.sub("\n", _ITEM.sub("\n- ", text))
    return _MULTILINE_TAG.sub("", text)


def _concerns(tag: str, attributes: str) -> bool:
    if tag in _VOID:
        return False
    return (
        tag in _DROPPED or tag == "table" or _HEADING.match(tag) is not None or _hides(attributes)
    )


def _hides(attributes: str) -> bool:
    style = _STYLE.search(attributes)
    return _HIDDEN_ATTRIBUTE.search(attributes) is not None or bool(style and hides(style[1]))


def _replacement(tag: str, element: str) -> str:
    opening, _, rest = element.partition(">")
    if tag in _DROPPED or _hides(opening):
        return ""
    if tag == "table":
        rows = (row.replace("\n", " ") for row in read_table(element))
        return "\n\n" + "\n".join(f"| {row} |" for row in rows) + "\n\n"
    inner = " ".join(rest.rpartition("<")[0].split())
    return f"\n\n{'#' * int(tag[1])} {inner}\n\n"
