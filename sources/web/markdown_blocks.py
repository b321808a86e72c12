"""Convert Markdown from blogs to blocks: headings, lists, tables, containers and HTML.

Lines are read one by one rather than by a full CommonMark parser. Travel blogs often do not follow
the standard (`##Day1`, one statement per line, plug-in tags, HTML), and only their text is needed.
HTML is first converted to lines of Markdown, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.documents import BlockKind
from sources.web.html_blocks import read_table
from sources.web.html_tree import hides
from sources.web.lines import (
    RawBlock,
    clean,
    has_words,
    join_wrapped,
    opens_with_cjk,
    replace_elements,
    without_comments,
    words,
)
from sources.web.markdown_inline import is_strong, plain

_FENCE = re.compile(r"^\s{0,12}(`{3,}|~{3,})\s*([^`]*)$")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})[ \t\u3000]+(.*)$")
_TIGHT_HEADING = re.compile(r"^\s{0,3}(#{2,6})([^\s#].*)$")
_SETEXT = re.compile(r"^\s{0,3}(=+|-{2,})\s*$")
_RULE = re.compile(r"^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•·▪●○◦]|\d{1,3}[.)])(?:[ \t\u3000]+|$)(.*)$")
_NUMBER = re.compile(r"^\s*[（(]?(\d{1,3})")
_TIGHT_ITEM = re.compile(r"^(\s*)(?:\d{1,2}[.、．)）]|[（(]\d{1,2}[)）])(?=\S)([^\d\s].*)$")
_CHECKBOX = re.compile(r"^\[[ xX]\]\s+")
_QUOTE = re.compile(r"^\s{0,3}(?:>\s{0,8})+(.*)$")
_CALLOUT = re.compile(r"^\[!\w+\][+-]?\s*(.*)$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_CELL_BREAK = re.compile(r"(?<!\\)\|")
_CONTAINER = re.compile(r"^\s*(:{2,})\s*([\w-]*)\s*(.*)$")
_TITLED_SHORTCODE = re.compile(
    r"^\s*\{[{%][<%]?\s*(?:admonition|note|details?|notice|alert|callout|tip|info|fold(?:ing|ed)?|"
    r"box|tab)\b(?P<rest>.*?)[%>]?[}%]\}\s*$"
)
_QUOTED = re.compile(r'"([^"]+)"')
_DEFINITION = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*\S+")
_MDX = re.compile(r"^(?:import\s.+\sfrom\s|import\s*['\"]|export\s)")
_LONG_BLANKS = re.compile("[ \t\u00a0\u3000]{9,}")
_PROSE_FENCES = {"", "text", "txt", "plain", "plaintext", "md", "markdown", "timeline"}
_SETEXT_WIDTH = 60
_DROPPED = words("script style template iframe svg audio video noscript select textarea")
_VOID = words("img br hr input source meta link wbr")
_HEADING_TAG = re.compile("h[1-6]$")
_HIDDEN_ATTRIBUTE = re.compile(
    r"(?:^|\s)hidden(?=$|[\s=/])|aria-hidden\s?=\s?[\"']?true", re.IGNORECASE
)
_STYLE = re.compile(r"style\s?=\s?[\"']([^\"']*)", re.IGNORECASE)
_TIMELINE_NODE = re.compile(r"<!--\s?(?:node|tab)\s([^<>\n]{1,200}?)\s?-->")
_BREAK = re.compile(
    r"<br\s?/?>|</?(?:p|div|section|article|center|details|summary|ul|ol|li|figure|figcaption|"
    r"blockquote|hr)\b[^<>]*>",
    re.IGNORECASE,
)
_LINE_BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)
_ITEM_TAG = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_MULTILINE_TAG = re.compile(r"</?[A-Za-z][\w.:-]*+\s[^<>\n]*+\n[^<>]*+>")
_NODE_LEVEL = 5


def read_markdown(body: str, *, mdx: bool = False) -> list[RawBlock]:
    """Return the blocks in a Markdown text without front matter."""
    lines: list[str] = []
    body = _LONG_BLANKS.sub(" " * 8, body)
    for info, segment in _segments(body):
        if info is None:
            lines += without_html(segment).split("\n")
        elif _is_prose(info, segment):
            lines += ["", *(f"{line}  " for line in segment.split("\n")), ""]
    if mdx:
        lines = [line for line in lines if not _MDX.match(line)]
    blocks = _MarkdownReader(lines).read()
    return [block for block in blocks if has_words(block.text)]


def _segments(body: str) -> Iterator[tuple[str | None, str]]:
    """Yield the parts of a text: Markdown paired with None, and fenced text paired with its info
    string.
    """
    held: list[str] = []
    fence, info = "", ""
    for line in body.split("\n"):
        match = _FENCE.match(line)
        if not fence and match:
            yield None, "\n".join(held)
            held, fence, info = [], match[1], match[2].strip()
        elif fence and match and match[1].startswith(fence) and not match[2].strip():
            yield info, "\n".join(held)
            held, fence = [], ""
        else:
            held.append(line)
    # If a fence is not closed, that is probably a mistake, so its text is read as Markdown.
    yield None, "\n".join(held)


def _is_prose(info: str, segment: str) -> bool:
    """Check whether a fenced block contains prose, such as a timeline, rather than code."""
    if info.partition(" ")[0].lower() not in _PROSE_FENCES:
        return False
    symbols = sum(segment.count(symbol) for symbol in "{};=$\\")
    return has_words(segment) and symbols * 50 < len(segment)


class _MarkdownReader:
    """Collects blocks from lines; ``quoted`` lines are in a block quote."""

    def __init__(self, lines: list[str], *, quoted: bool = False) -> None:
        self._lines = lines
        self._at = 0
        self._own_kind: BlockKind = "quote" if quoted else "paragraph"
        self._kind: BlockKind = self._own_kind
        self._number = 0
        self._paragraph: list[str] = []
        self._blocks: list[RawBlock] = []

    def read(self) -> list[RawBlock]:
        """Return all blocks in order."""
        readers = (self._heading, self._rule, self._quote, self._table, self._container, self._item)
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if not line.strip() or _DEFINITION.match(line):
                self._flush()
            elif not any(reader(line) for reader in readers):
                self._paragraph.append(line)
        self._flush()
        return self._blocks

    def _flush(self) -> None:
        found = _paragraph_blocks(self._kind, self._paragraph)
        if found and self._kind == "list_item":
            found[0] = found[0]._replace(number=self._number)
        self._blocks += found
        self._paragraph = []
        self._kind = self._own_kind

    def _heading(self, line: str) -> bool:
        match = _HEADING.match(line) or _TIGHT_HEADING.match(line)
        if match:
            self._flush()
            self._blocks.append(RawBlock("heading", len(match[1]), plain(match[2].rstrip("# "))))
        return match is not None

    def _rule(self, line: str) -> bool:
        """Read a thematic break, or an underline that turns the preceding line into a heading."""
        underline = _SETEXT.match(line)
        short = len(self._paragraph) == 1 and len(self._paragraph[0]) <= _SETEXT_WIDTH
        if underline and short and self._kind == "paragraph":
            level = 1 if underline[1][0] == "=" else 2
            self._blocks.append(RawBlock("heading", level, plain(self._paragraph.pop())))
        if underline or _RULE.match(line):
            self._flush()
            return True
        return False

    def _quote(self, line: str) -> bool:
        if not _QUOTE.match(line):
            return False
        self._flush()
        start = self._at - 1
        while self._at < len(self._lines) and _QUOTE.match(self._lines[self._at]):
            self._at += 1
        inner = [_unquote(quoted) for quoted in self._lines[start : self._at]]
        self._blocks += _MarkdownReader(inner, quoted=True).read()
        return True

    def _table(self, line: str) -> bool:
        follows = self._lines[self._at] if self._at < len(self._lines) else ""
        is_head = "|" in line and "|" in follows and _TABLE_RULE.match(follows)
        if not _is_table_row(line) and not is_head:
            return False
        self._flush()
        self._at -= 1
        while self._at < len(self._lines) and "|" in self._lines[self._at]:
            if not _TABLE_RULE.match(self._lines[self._at]):
                self._blocks.append(RawBlock("table_row", 0, _row(self._lines[self._at])))
            self._at += 1
        return True

    def _container(self, line: str) -> bool:
        title = _container_title(line)
        if title is not None:
            self._flush()
            self._blocks.append(RawBlock(self._own_kind, 0, plain(title), strong=True))
        return title is not None

    def _item(self, line: str) -> bool:
        match = _ITEM.match(line) or _tight_item(line)
        if match:
            self._flush()
            self._kind = "list_item"
            number = _NUMBER.match(line)
            self._number = int(number[1]) if number else 0
            self._paragraph.append(_CHECKBOX.sub("", match[2]))
        return match is not None


def _tight_item(line: str) -> re.Match[str] | None:
    """Match numbered lines without a space after the number, such as `1.武侯祠` or `2、锦里`."""
    match = _TIGHT_ITEM.match(line)
    return match if match and opens_with_cjk(match[2]) else None


def _unquote(line: str) -> str:
    """Remove the quote mark from a line, and make the title of a callout bold."""
    match = _QUOTE.match(line)
    text = match[1] if match else line
    if callout := _CALLOUT.match(text):
        return f"**{callout[1]}**" if callout[1] else ""
    return text


def _paragraph_blocks(kind: BlockKind, lines: list[str]) -> list[RawBlock]:
    """Convert the lines of a paragraph to blocks; a block ends at a hard break or at the end of a
    line in Chinese.
    """
    runs: list[list[str]] = [[]]
    for line in lines:
        runs[-1].append(line.strip().removesuffix("\\"))
        if line.endswith(("  ", "\\")):
            runs.append([])
    return [
        RawBlock(kind, 0, text, is_strong(line))
        for run in runs
        for line in join_wrapped(run)
        if (text := plain(line))
    ]


def _is_table_row(line: str) -> bool:
    stripped = line.strip()
    return len(stripped) > 2 and stripped.startswith("|") and stripped.endswith("|")


def _row(line: str) -> str:
    cells = _CELL_BREAK.split(line.strip().removeprefix("|").removesuffix("|"))
    return " | ".join(plain(cell) for cell in cells).strip()


def _container_title(line: str) -> str | None:
    """Return the title in a line that opens a container (possibly ""), or None for any other
    line.
    """
    if match := _CONTAINER.match(line):
        return "" if match[3].startswith("{") or match[2] == "" else match[3]
    if match := _TITLED_SHORTCODE.match(line):
        quoted = _QUOTED.search(match["rest"])
        return clean(quoted[1]) if quoted else ""
    return None


def without_html(text: str) -> str:
    """Convert block-level HTML in Markdown to lines, removing hidden parts and comments.

    The nodes of timelines (`<!-- node 2024.5.1 … -->`) contain days and become headings.
    """
    if "<" not in text:
        return text
    text = _TIMELINE_NODE.sub(lambda m: f"\n{'#' * _NODE_LEVEL} {m[1]}\n", text)
    text = replace_elements(without_comments(text), _concerns, _replacement)
    text = "\n".join(
        _LINE_BREAK.sub(" ", line) if line.count("|") > 1 else line for line in text.split("\n")
    )
    text = _BREAK.sub("\n", _ITEM_TAG.sub("\n- ", text))
    return _MULTILINE_TAG.sub("", text)


def _concerns(tag: str, attributes: str) -> bool:
    if tag in _VOID:
        return False
    return (
        tag in _DROPPED
        or tag == "table"
        or _HEADING_TAG.match(tag) is not None
        or _hides(attributes)
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
