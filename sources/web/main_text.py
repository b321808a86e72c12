"""Read a document's main text as blocks, from Markdown, HTML or plain text.

Increase ``MAIN_TEXT_VERSION`` whenever the same bytes result in different blocks, because the
offsets of evidence and the keys of stages depend on the blocks.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

import yaml

from schemas.documents import Document
from schemas.ids import doc_id
from sources.web.decoding import decode
from sources.web.errors import UnreadableDocument
from sources.web.html_blocks import read_html
from sources.web.html_head import HtmlHead, find_charset, read_head
from sources.web.language import detect_language
from sources.web.lines import RawBlock, clean, has_day_marker, read_plain
from sources.web.markdown_blocks import read_markdown
from sources.web.markdown_inline import plain
from sources.web.schema_org import schema_org_blocks

_YAML = re.compile(r"\A\s*---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\s*\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^([A-Za-z_][\w-]*)\s?[:=]\s?(.+)$")
_CAPTION_KEYS = ("alt", "caption")
_MAX_DEPTH = 6
_MAX_CHARS = 200_000
__all__ = [
    "MAIN_TEXT_VERSION",
    "MAX_BYTES",
    "ParsedDocument",
    "UnreadableDocument",
    "as_markdown",
    "parse_document",
]
MAIN_TEXT_VERSION = 3
MAX_BYTES = 10_000_000
Format = Literal["markdown", "html", "plain"]
_FORMATS: dict[str, Format] = {
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html",
}  # fmt: skip
_LOOKS_LIKE_HTML = re.compile(
    r"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+html|<html\b)", re.IGNORECASE
)
_LOOKS_LIKE_HTML_BYTES = re.compile(rb"<(?:!doctype\s+html|html|head|meta|body)\b", re.IGNORECASE)
_LARGEST_NUMBER = 10**12
_TITLE_POSITION = 5  # a heading this early may repeat the title


class FrontMatter(NamedTuple):
    """The values in the front matter of a file, and the text below the front matter."""

    values: dict[str, Any]
    body: str


def split_front_matter(text: str) -> FrontMatter:
    """Split a text into front matter and body; invalid front matter is read line by line."""
    if match := _YAML.match(text):
        values = _parse(match[1], _load_yaml)
    elif match := _TOML.match(text):
        values = _parse(match[1], tomllib.loads)
    if not match or not values:  # prose between two lines of dashes is not front matter
        return FrontMatter({}, text)
    return FrontMatter({str(key): value for key, value in values.items()}, text[match.end() :])


def _parse(block: str, load: Callable[[str], Any]) -> dict[Any, Any]:
    try:
        values = load(block) if len(block) <= _MAX_CHARS else None
    except (yaml.YAMLError, ValueError, RecursionError):
        values = None
    return values if isinstance(values, dict) else _pairs(block)


def _load_yaml(block: str) -> Any:
    return yaml.load(block, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def captions(values: dict[str, Any]) -> list[str]:
    """Return the photo captions from the front matter; some posts contain no other text."""
    found: list[str] = []
    seen: set[int] = set()  # YAML can refer to one list a thousand times
    _collect_captions(values, found, seen, 0)
    return found


def _collect_captions(value: Any, found: list[str], seen: set[int], depth: int) -> None:
    if depth > _MAX_DEPTH or id(value) in seen or not isinstance(value, (list, dict)):
        return
    seen.add(id(value))
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        if key in _CAPTION_KEYS and isinstance(item, str):
            found.append(item)
        else:
            _collect_captions(item, found, seen, depth + 1)


def _pairs(block: str) -> dict[str, Any]:
    matches = (_PAIR.match(line) for line in block.split("\n"))
    return {match[1]: match[2].strip().strip("\"'") for match in matches if match}


class ParsedDocument(NamedTuple):
    """A document, the values in its front matter, and the information in its page head."""

    document: Document
    front_matter: dict[str, Any]
    head: HtmlHead


def parse_document(
    raw: bytes, path: str, *, max_bytes: int = MAX_BYTES, charset: str | None = None
) -> Document:
    """Read a document's main text; ``path`` and the content determine the format.

    Raises UnreadableDocument if the document is too large, binary, empty or in an unknown encoding.
    """
    return parse(raw, path, max_bytes=max_bytes, charset=charset).document


def parse(
    raw: bytes, path: str, *, max_bytes: int = MAX_BYTES, charset: str | None = None
) -> ParsedDocument:
    """Read a document's main text, front matter and page head.

    ``charset`` is the character set that the server stated.
    """
    title, blocks, values, head, stated = _read(raw, path, max_bytes, charset)
    if not blocks and not stated:
        raise UnreadableDocument("empty", "the document contains no text")
    document = Document.from_texts(
        doc_id(hashlib.sha256(raw).hexdigest()),
        path,
        [block[:4] for block in (*blocks, *stated)],
        lang=detect_language("\n".join(block.text for block in blocks or stated)),
        title=title,
    )
    return ParsedDocument(document, values, head)


def as_markdown(raw: bytes, path: str) -> str:
    """Return the main text as Markdown, with heading levels and item numbers."""
    _, blocks, _, _, stated = _read(raw, path, MAX_BYTES, None)
    return "\n\n".join(_mark_block(block) for block in (*blocks, *stated))


def _mark_block(block: RawBlock) -> str:
    match block.kind:
        case "title" | "heading":
            return f"{'#' * max(1, block.level)} {block.text}"
        case "list_item":
            return f"{block.number}. {block.text}" if block.number else f"- {block.text}"
        case "table_row":
            return f"| {block.text} |"
        case "quote":
            return f"> {block.text}"
        case _:
            return block.text


def _read(
    raw: bytes, path: str, max_bytes: int, charset: str | None
) -> tuple[str, list[RawBlock], dict[str, Any], HtmlHead, list[RawBlock]]:
    """Read a document's title, blocks, front matter, page head and schema.org data.

    Raises UnreadableDocument if the document is too large or cannot be decoded.
    """
    if len(raw) > max_bytes:
        raise UnreadableDocument("too_large", too_large_message(len(raw), max_bytes))
    is_html = _LOOKS_LIKE_HTML_BYTES.search(raw[:4096])
    text = (
        decode(raw, (find_charset(raw) if is_html else None) or charset)
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )
    values: dict[str, Any] = {}
    head, stated = HtmlHead(), list[RawBlock]()
    form = _format(path, text)
    if form == "html":
        head, blocks, stated = read_head(text), read_html(text), schema_org_blocks(text)
    elif form == "markdown":
        values, body = split_front_matter(text)
        blocks = read_markdown(body, mdx=path.lower().endswith(".mdx"))
        blocks += _captions_instead_of_text(values, blocks)
    else:
        blocks = read_plain(text)
    title, blocks = _place_title(blocks, _find_title(values), head.title)
    return title, blocks, values, head, stated


def too_large_message(size_bytes: int, max_bytes: int) -> str:
    """Return the error message for a document that exceeds the size limit."""
    return (
        f"the document has {size_bytes / 1e6:.1f} MB, more than the limit of "
        f"{max_bytes / 1e6:.1f} MB; split it or raise the limit"
    )


def _format(path: str, text: str) -> Format:
    if _LOOKS_LIKE_HTML.match(text):
        return "html"
    return _FORMATS.get(PurePosixPath(path).suffix.lower(), "plain")


def _find_title(values: dict[str, Any]) -> str:
    title = values.get("title")
    if isinstance(title, int) and abs(title) < _LARGEST_NUMBER:
        title = str(title)
    return plain(title.replace("\n", " ")) if isinstance(title, str) else ""


def _captions_instead_of_text(values: dict[str, Any], blocks: list[RawBlock]) -> list[RawBlock]:
    """Return the photo captions as blocks if they are longer than the body; otherwise, return
    nothing.
    """
    found = [clean(caption) for caption in captions(values)]
    if sum(map(len, found)) <= sum(len(block.text) for block in blocks):
        return []
    return [RawBlock("paragraph", 0, caption) for caption in found if caption]


def _place_title(
    blocks: list[RawBlock], stated: str, page_title: str
) -> tuple[str, list[RawBlock]]:
    """Return the title and the blocks; if the title is known, it is the first block.

    The title comes from the front matter, from the only level-1 heading, or from the page's head.
    The title from the page's head is the last choice, because it is often the title of the whole
    site.
    """
    tops = [block for block in blocks if block.kind == "heading" and block.level == 1]
    is_told = len(tops) == 1 and not has_day_marker(tops[0].text)
    title = stated or (tops[0].text if is_told else "") or (page_title if blocks else "")
    if not title:
        return "", blocks
    heads = (b for b in blocks[:_TITLE_POSITION] if b.kind == "heading" and b.text == title)
    repeated = next(heads, None)
    return title, [RawBlock("title", 0, title), *(b for b in blocks if b is not repeated)]
