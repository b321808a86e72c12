"""Convert HTML to blocks in reading order: headings, paragraphs, list items, table rows and
quotes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement

from schemas.documents import BlockKind
from sources.web.html_tree import main_element, parse_tree, strip_boilerplate
from sources.web.lines import (
    RawBlock,
    clean,
    ends_with_cjk,
    has_words,
    opens_with_cjk,
    words,
)

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCK_TAGS = words(
    "address article blockquote body caption center dd details div dl dt fieldset figcaption "
    "figure header hgroup hr html li main ol p pre section summary table tbody td tfoot th thead "
    "tr ul"
) | frozenset(_HEADINGS)
_BOLD_TAGS = ("b", "strong")
_PARAGRAPH_TAGS = ("p", "figcaption", "div", "center", "dd")
_BLANKS = re.compile(r"[ \t\r\n\f\v]+")
_SOURCE_BREAK = re.compile(r"(?<=(\S))[ \t\r\f\v]*\n\s*(?=(\S))")
_TITLE_CLASS = re.compile(r"\b(?:custom-block|admonition|callout|alert)-title\b")
_LAYOUT_CELL_CHARS = 400
_LINK_RUN = 3  # at least this many items with only links at the edge of a page are a menu


@dataclass
class _WalkState:
    """The state while walking through a page: the text of the open block, and its context."""

    text: list[str] = field(default_factory=list)
    bold_chars: int = 0
    link_chars: int = 0
    bold: int = 0
    link: int = 0
    pre: int = 0
    kinds: list[tuple[BlockKind, int]] = field(default_factory=lambda: [("paragraph", 0)])
    titled: int = 0
    row: int = 0
    cells: int = 0
    numbers: list[int | None] = field(default_factory=list)
    number: int = 0
    blocks: list[RawBlock] = field(default_factory=list)
    linked: list[bool] = field(default_factory=list)

    def add(self, text: str | None) -> None:
        if not text:
            return
        self.text.append(text)
        visible = len("".join(text.split()))
        self.bold_chars += visible if self.bold else 0
        self.link_chars += visible if self.link else 0

    def flush(self) -> None:
        if not self.text:
            return
        raw = "".join(self.text)
        visible = len("".join(raw.split()))
        strong = self.titled > 0 or (visible > 0 and self.bold_chars >= visible)
        only_links = visible > 0 and self.link_chars >= visible
        kind, level = self.kinds[-1]
        for line in raw.split("\n") if self.pre else [_one_line(raw)]:
            text = clean(line)
            if has_words(text):
                is_strong = strong and kind not in ("heading", "table_row")
                number = self.number if kind == "list_item" else 0
                self.blocks.append(RawBlock(kind, level, text, is_strong, number))
                self.number = 0
                self.linked.append(only_links)
        self.text.clear()
        self.bold_chars = self.link_chars = 0


def read_html(page: str) -> list[RawBlock]:
    """Return the blocks in the main content of a page."""
    tree = parse_tree(page)
    strip_boilerplate(tree)
    state = _walk(main_element(tree))
    return _without_menus(state.blocks, state.linked)


def read_table(fragment: str) -> list[str]:
    """Return the rows of an HTML table, with cells joined by ` | `."""
    tree = parse_tree(fragment)
    strip_boilerplate(tree)
    return [block.text for block in _walk(tree).blocks]


def _walk(root: HtmlElement) -> _WalkState:
    state = _WalkState()
    layout = _layout_tables(root)
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            if _is_contents(element):
                walk.skip_subtree()  # its end event still comes
                continue
            _enter(state, element, layout)
            state.add(element.text)
        else:
            if not _is_contents(element):
                _leave(state, element, layout)
            if element is not root:
                state.add(element.tail)
    state.flush()
    return state


def _enter(state: _WalkState, element: HtmlElement, layout: set[HtmlElement]) -> None:
    tag = element.tag
    if tag == "br":
        state.add(" ") if state.row else state.flush()
    elif state.row and tag in _BLOCK_TAGS and tag != "tr":
        is_cell = tag in ("td", "th")
        state.text.append(" | " if is_cell and state.cells else " ")
        state.cells += is_cell
    elif tag in _BLOCK_TAGS:
        state.flush()
        state.kinds.append(_kind(state, tag, element in layout))
        _count(state, element)
        if tag == "tr" and element not in layout:
            state.row, state.cells = state.row + 1, 0
        state.titled += bool(_TITLE_CLASS.search(element.get("class", "")))
    state.bold += tag in _BOLD_TAGS
    state.link += tag == "a"
    state.pre += tag == "pre"


def _leave(state: _WalkState, element: HtmlElement, layout: set[HtmlElement]) -> None:
    tag = element.tag
    closes_row = tag == "tr" and element not in layout
    if tag in _BLOCK_TAGS and (not state.row or closes_row):
        state.flush()
        state.kinds.pop()
        if tag in ("ol", "ul") and state.numbers:
            state.numbers.pop()
        state.row -= closes_row
        state.titled -= bool(_TITLE_CLASS.search(element.get("class", "")))
    state.bold -= tag in _BOLD_TAGS
    state.link -= tag == "a"
    state.pre -= tag == "pre"


def _count(state: _WalkState, element: HtmlElement) -> None:
    """Number the items in numbered lists, using the numbers that the list or its items give, if
    any.
    """
    if element.tag in ("ol", "ul"):
        is_numbered = element.tag == "ol"
        state.numbers.append(_whole(element.get("start"), 1) - 1 if is_numbered else None)
    elif element.tag == "li":
        last = state.numbers[-1] if state.numbers else None
        state.number = 0
        if last is not None:
            state.number = state.numbers[-1] = _whole(element.get("value"), last + 1)


def _whole(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else default


def _kind(state: _WalkState, tag: str, is_layout: bool) -> tuple[BlockKind, int]:
    """Return the kind of block that an element forms, which may be the same as that of its
    parent.
    """
    match tag:
        case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
            return "heading", _HEADINGS[tag]
        case "li" | "dt":
            return "list_item", 0
        case "blockquote":
            return "quote", 0
        case "tr" if not is_layout:
            return "table_row", 0
    around = state.kinds[-1]
    is_kept = tag in _PARAGRAPH_TAGS and around[0] != "heading"
    return around if is_kept or around[0] in ("list_item", "quote") else ("paragraph", 0)


def _layout_tables(root: HtmlElement) -> set[HtmlElement]:
    """Return the rows in tables that are used for layout rather than data."""
    return {
        row
        for table in root.iter("table")
        if table.find(".//table") is not None or _places_content(table)
        for row in table.iter("tr")
    }


def _places_content(table: HtmlElement) -> bool:
    has_heading = any(table.find(f".//{tag}") is not None for tag in ("h1", "h2", "h3"))
    is_narrow = max((len(row) for row in table.iter("tr")), default=0) <= 1
    lengths = (len("".join(cell.itertext())) for cell in table.iter("td"))
    return has_heading or is_narrow or any(length > _LAYOUT_CELL_CHARS for length in lengths)


def _is_contents(element: HtmlElement) -> bool:
    """Check whether a list is a table of contents, that is, whether its links lead to parts of
    the same page.
    """
    if element.tag not in ("ul", "ol"):
        return False
    links = list(element.iter("a"))
    if len(links) < _LINK_RUN or not all(link.get("href", "").startswith("#") for link in links):
        return False
    linked = sum(len("".join("".join(link.itertext()).split())) for link in links)
    return linked >= 0.8 * len("".join("".join(element.itertext()).split()))


def _without_menus(blocks: list[RawBlock], linked: list[bool]) -> list[RawBlock]:
    """Remove menus, which are series of blocks that contain only links at the start or end of a
    page.
    """
    first, last = 0, len(blocks)
    while first < last and linked[first] and blocks[first].kind != "heading":
        first += 1
    while last > first and linked[last - 1] and blocks[last - 1].kind != "heading":
        last -= 1
    start = first if first >= _LINK_RUN else 0
    end = last if len(blocks) - last >= _LINK_RUN else len(blocks)
    return blocks[start:end] or blocks


def _one_line(raw: str) -> str:
    """Return the text of a block on one line; except in Chinese, a line break becomes a space."""
    text = raw.strip()
    if "\n" in text:
        text = _SOURCE_BREAK.sub(
            lambda m: "" if ends_with_cjk(m[1]) and opens_with_cjk(m[2]) else " ", text
        )
    return _BLANKS.sub(" ", text)
