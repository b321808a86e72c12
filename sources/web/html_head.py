"""Read the character set, title, dates, licence and authors that an HTML page states."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from sources.web.lines import clean

_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE)
_SITE_SUFFIX = re.compile(r" [|·–—_-] [^|·–—_]{1,40}$| ?[|_][^|_]{1,30}$")
_HEAD_END = re.compile(r"</head\b|<body\b", re.IGNORECASE)
_MARKED_TAG = re.compile(r"<(time|a|link|meta)\b([^<>]*)>", re.IGNORECASE)
_JSON_LD = re.compile(r"<script\b[^<>]*application/ld\+json[^<>]*>", re.IGNORECASE)
_MARKS = ("license", "datepublished", "pubdate", "datemodified")
_DATE_META = (
    "article:published_time", "og:published_time", "datepublished", "pubdate", "publishdate",
    "publish_date", "publication_date", "dc.date", "dc.date.issued", "dcterms.issued", "date",
)  # fmt: skip
_MODIFIED_META = (
    "article:modified_time", "og:updated_time", "datemodified", "last-modified", "lastmod",
    "dcterms.modified", "dc.date.modified",
)  # fmt: skip
_AUTHOR_META = ("author", "article:author", "byl", "dc.creator", "parsely-author")
_JSON_LD_DATES = ("datePublished", "dateCreated")
_JSON_LD_MODIFIED = ("dateModified",)
_HEAD_CHARS = 50_000
_MAX_MARKED = 50
_TITLE_CHARS = 300


class HtmlHead(NamedTuple):
    """The title, dates, licence and authors that a page states; missing values are None or ""."""

    title: str = ""
    published: str | None = None
    licence: str | None = None
    modified: str | None = None
    authors: tuple[str, ...] = ()


def find_charset(raw: bytes) -> str | None:
    """Return the character set declared in a page's first bytes, or None if there is no
    declaration.
    """
    start = raw[:4096]
    match = _XML_ENCODING.search(start) or _CHARSET.search(start)
    return match[1].decode("ascii") if match else None


def read_head(page: str) -> HtmlHead:
    """Read what a page states about itself in its head and in a few special tags in the body."""
    try:
        tree = etree.fromstring(_statements(page), etree.HTMLParser(no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return HtmlHead()
    if tree is None:
        return HtmlHead()
    metas: dict[str, str] = {}
    for meta in tree.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
        if meta.get("content") is not None:
            metas.setdefault(name.lower(), meta.get("content"))
    scripts = [
        "".join(script.itertext())
        for script in tree.iter("script")
        if script.get("type") == "application/ld+json"
    ]
    return HtmlHead(
        title=_title(tree, metas),
        published=_find_date(metas, _DATE_META, scripts, _JSON_LD_DATES)
        or _find_marked(tree, "datePublished"),
        licence=_licence(tree, metas),
        modified=_find_date(metas, _MODIFIED_META, scripts, _JSON_LD_MODIFIED)
        or _find_marked(tree, "dateModified"),
        authors=tuple(
            metas[key][:_TITLE_CHARS] for key in _AUTHOR_META if metas.get(key, "").strip()
        ),
    )


def _statements(page: str) -> str:
    """Return a page's head, its JSON-LD, and the tags in its body that give a date or a licence."""
    end = _HEAD_END.search(page)
    head = page[: min(end.start() if end else _HEAD_CHARS, _HEAD_CHARS)]
    body = page[len(head) :]
    found = [
        match[0]
        for match in _MARKED_TAG.finditer(body)
        if any(word in match[2].lower() for word in _MARKS)
    ]
    for match in _JSON_LD.finditer(body):
        close = body.find("</", match.end())
        found.append(f"{match[0]}{body[match.end() : close]}</script>")
    return head + "".join(found[:_MAX_MARKED])


def _title(tree: HtmlElement, metas: dict[str, str]) -> str:
    element = next(tree.iter("title"), None)
    own = " ".join("".join(element.itertext()).split()) if element is not None else ""
    title = " ".join(metas.get("og:title", "").split()) or _SITE_SUFFIX.sub("", own) or own
    # A title whose tag is not closed would contain the whole page.
    return clean(title) if len(own) <= _TITLE_CHARS >= len(title) else ""


def _find_date(
    metas: dict[str, str], names: Iterable[str], scripts: list[str], keys: tuple[str, ...]
) -> str | None:
    """Return a date from the meta tags of a page or, if they give no date, from the JSON-LD."""
    stated = [metas[name] for name in names if name in metas]
    return next(
        chain(stated, (d for script in scripts for d in _json_ld_dates(script, keys))), None
    )


def _find_marked(tree: HtmlElement, itemprop: str) -> str | None:
    marked = (
        time.get("datetime")
        for time in tree.iter("time")
        if time.get("itemprop") == itemprop
        or (itemprop == "datePublished" and time.get("pubdate") is not None)
    )
    return next((str(date) for date in marked if date is not None), None)


def _licence(tree: HtmlElement, metas: dict[str, str]) -> str | None:
    for element in tree.iter("link", "a"):
        if "license" in element.get("rel", "").split() and element.get("href") is not None:
            return str(element.get("href"))
    return metas.get("dc.rights") or metas.get("dcterms.license") or metas.get("license")


def _json_ld_dates(text: str, keys: tuple[str, ...]) -> Iterator[str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    for item in value if isinstance(value, list) else [value]:
        graph = item.get("@graph") if isinstance(item, dict) else None
        for node in [item, *(graph if isinstance(graph, list) else [])]:
            if isinstance(node, dict):
                yield from (node[k] for k in keys if isinstance(node.get(k), str))
