"""Markdown, as blogs write it, to blocks: front matter, headings, lists, tables, containers.

A reader of lines rather than a full CommonMark parser: travel notes are sloppy (`##Day1`,
one statement a line, plug-in tags, HTML in between), and offsets need nothing but text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.documents import BlockKind
from sources.web.lines import RawBlock, clean, has_words, join_wrapped, opens_with_cjk
from sources.web.markdown_html import without_html
from sources.web.markdown_inline import is_strong, plain

_FENCE = re.compile(r"^\s{0,12}(`{3,}|~{3,})\s*([^`]*)$")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})[ \t\u3000]+(.*)$")
_TIGHT_HEADING = re.compile(r"^\s{0,3}(#{2,6})([^\s#].*)$")
_SETEXT = re.compile(r"^\s{0,3}(=+|-{2,})\s*$")
_RULE = re.compile(r"^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•·▪●○◦]|\d{1,3}[.)])(?:[ \t\u3000]+|$)(.*)$")
_TIGHT_ITEM = re.compile(
    r"^(\s*)(?:\d{1,2}[.、．)）]|[（(]\d{1,2}[)）])(?=\S)([^\d\s].*)$"
)
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


def read_markdown(body: str, *, mdx: bool = False) -> list[RawBlock]:
    """Blocks of a Markdown body (front matter already taken off)."""
    blocks: list[RawBlock] = []
    lines: list[str] = []
    body = _LONG_BLANKS.sub(" " * 8, body)
    for info, segment in _segments(body):
        if info is None:
            lines += without_html(segment).split("\n")
        elif _is_prose(info, segment):
            lines += ["", *(f"{line}  " for line in segment.split("\n")), ""]
    if mdx:
        lines = [line for line in lines if not _MDX.match(line)]
    _read_lines(lines, blocks, quoted=False)
    return [block for block in blocks if has_words(block.text)]


def _segments(body: str) -> Iterator[tuple[str | None, str]]:
    """The body cut into (None, Markdown) and (info string, fenced text)."""
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
    # A fence that never closes is a slip of its author: its text is read as Markdown.
    yield None, "\n".join(held)


def _is_prose(info: str, segment: str) -> bool:
    """Whether a fence holds a plain timeline or note rather than code."""
    if info.split(" ")[0].lower() not in _PROSE_FENCES:
        return False
    symbols = sum(segment.count(symbol) for symbol in "{};=$\\")
    return has_words(segment) and symbols * 50 < len(segment)


def _read_lines(lines: list[str], blocks: list[RawBlock], *, quoted: bool) -> None:
    """Append the blocks of some lines; ``quoted`` lines stand in a block quote."""
    paragraph: list[str] = []
    kind: BlockKind = "quote" if quoted else "paragraph"

    def flush() -> None:
        nonlocal kind
        blocks.extend(_paragraph(kind, paragraph))
        paragraph.clear()
        kind = "quote" if quoted else "paragraph"

    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        heading = _HEADING.match(line) or _TIGHT_HEADING.match(line)
        if not line.strip() or _DEFINITION.match(line):
            flush()
        elif heading:
            flush()
            blocks.append(
                RawBlock("heading", len(heading[1]), plain(heading[2].rstrip("# ")))
            )
        elif match := _SETEXT.match(line):
            if (
                len(paragraph) == 1
                and len(paragraph[0]) <= _SETEXT_WIDTH
                and kind == "paragraph"
            ):
                level = 1 if match[1][0] == "=" else 2
                blocks.append(RawBlock("heading", level, plain(paragraph[0])))
                paragraph.clear()
            flush()
        elif _RULE.match(line):
            flush()
        elif _QUOTE.match(line):
            flush()
            inner = [line]
            while at < len(lines) and _QUOTE.match(lines[at]):
                inner.append(lines[at])
                at += 1
            _read_lines(_unquoted(inner), blocks, quoted=True)
        elif _is_table_row(line) or (
            at < len(lines) and "|" in line and _rules(lines[at])
        ):
            flush()
            at -= 1
            while at < len(lines) and "|" in lines[at]:
                if not _TABLE_RULE.match(lines[at]):
                    blocks.append(RawBlock("table_row", 0, _row(lines[at])))
                at += 1
        elif (title := _container_title(line)) is not None:
            flush()
            blocks.append(RawBlock(kind, 0, plain(title), strong=True))
        elif match := _ITEM.match(line) or _tight_item(line):
            flush()
            kind = "list_item"
            paragraph.append(_CHECKBOX.sub("", match[2]))
        else:
            paragraph.append(line)
    flush()


def _tight_item(line: str) -> re.Match[str] | None:
    """`1.武侯祠` or `2、锦里`: numbered lines of authors who know no list marks."""
    match = _TIGHT_ITEM.match(line)
    return match if match and opens_with_cjk(match[2]) else None


def _unquoted(lines: list[str]) -> list[str]:
    """Lines of a block quote without their marks; the title of a callout becomes bold."""
    inner: list[str] = []
    for line in lines:
        match = _QUOTE.match(line)
        text = match[1] if match else line
        if callout := _CALLOUT.match(text):
            text = f"**{callout[1]}**" if callout[1] else ""
        inner.append(text)
    return inner


def _paragraph(kind: BlockKind, lines: list[str]) -> list[RawBlock]:
    """A paragraph's lines as blocks; hard breaks and Chinese line ends separate them."""
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


def _rules(line: str) -> bool:
    return "|" in line and bool(_TABLE_RULE.match(line))


def _row(line: str) -> str:
    cells = _CELL_BREAK.split(line.strip().removeprefix("|").removesuffix("|"))
    return " | ".join(plain(cell) for cell in cells).strip()


def _container_title(line: str) -> str | None:
    """Title of a container or admonition line, "" when it has none, None for other lines."""
    if match := _CONTAINER.match(line):
        return "" if match[3].startswith("{") or match[2] == "" else match[3]
    if match := _TITLED_SHORTCODE.match(line):
        quoted = _QUOTED.search(match["rest"])
        return clean(quoted[1]) if quoted else ""
    return None
