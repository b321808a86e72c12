"""What the head of an HTML page states: character set, title, date, language, licence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sources.web.lines import clean

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE)
_SITE_SUFFIX = re.compile(r" [|·–—_-] [^|·–—_]{1,40}$| ?[|_][^|_]{1,30}$")
_HEAD_END = re.compile(r"</head\b|<body\b", re.IGNORECASE)
_MARKED_TAG = re.compile(r"<(time|a|link|meta)\b([^<>]*)>", re.IGNORECASE)
_JSON_LD = re.compile(r"<script\b[^<>]*application/ld\+json[^<>]*>", re.IGNORECASE)
_MARKS = ("license", "datepublished", "pubdate")
_DATE_META = (
    "article:published_time", "og:published_time", "datepublished", "pubdate", "publishdate",
    "publish_date", "publication_date", "dc.date", "dc.date.issued", "dcterms.issued", "date",
)  # fmt: skip
_JSON_LD_DATES = ("datePublished", "dateCreated")
_HEAD_CHARS = 50_000
_MAX_MARKED = 50
_TITLE_CHARS = 300


class HtmlHead(NamedTuple):
    """Statements of a page about itself; None or "" where it makes none."""

    title: str = ""
    published: str | None = None
    licence: str | None = None


def declared_charset(raw: bytes) -> str | None:
    """Character set that a page declares in its first bytes."""
    start = raw[:4096]
    match = _XML_ENCODING.search(start) or _CHARSET.search(start)
    return match[1].decode("ascii") if match else None


def read_head(page: str) -> HtmlHead:
    """What a page states about itself, in its head and in the few marked tags of its body."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(_statements(page), "lxml")
    metas: dict[str, str] = {}
    for meta in soup.find_all("meta", content=True):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
        metas.setdefault(str(name).lower(), str(meta["content"]))
    return HtmlHead(_title(soup, metas), _published(soup, metas), _licence(soup, metas))


def _statements(page: str) -> str:
    """The head of a page, its JSON-LD, and the tags of its body that carry date or licence."""
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


def _title(soup: BeautifulSoup, metas: dict[str, str]) -> str:
    own = " ".join(soup.title.get_text().split()) if soup.title else ""
    title = " ".join(metas.get("og:title", "").split()) or _SITE_SUFFIX.sub("", own) or own
    # A title that was never closed holds the page.
    return clean(title) if len(own) <= _TITLE_CHARS >= len(title) else ""


def _published(soup: BeautifulSoup, metas: dict[str, str]) -> str | None:
    for name in _DATE_META:
        if name in metas:
            return metas[name]
    for script in soup.find_all("script", type="application/ld+json"):
        for date in _json_ld_dates(script.get_text()):
            return date
    for time in soup.find_all("time", datetime=True):
        if time.get("itemprop") == "datePublished" or time.has_attr("pubdate"):
            return str(time["datetime"])
    return None


def _licence(soup: BeautifulSoup, metas: dict[str, str]) -> str | None:
    for element in soup.find_all(["link", "a"], rel="license", href=True):
        return str(element["href"])
    return metas.get("dc.rights") or metas.get("dcterms.license") or metas.get("license")


def _json_ld_dates(text: str) -> Iterator[str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    items = value if isinstance(value, list) else [value]
    for item in items:
        if isinstance(item, dict):
            graph = item.get("@graph")
            for node in [item, *(graph if isinstance(graph, list) else [])]:
                if isinstance(node, dict):
                    yield from (node[k] for k in _JSON_LD_DATES if isinstance(node.get(k), str))
