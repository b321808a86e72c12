"""What the head of an HTML page states: character set, title, date, language, licence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree

from sources.web.lines import clean

_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(
    rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE
)
_SITE_SUFFIX = re.compile(r"\s+[|·–—_-]\s+[^|·–—_]{1,40}$|\s*[|_][^|_]{1,30}$")
_DATE_META = (
    "article:published_time", "og:published_time", "datepublished", "pubdate", "publishdate",
    "publish_date", "publication_date", "dc.date", "dc.date.issued", "dcterms.issued", "date",
)  # fmt: skip
_JSON_LD_DATES = ("datePublished", "dateCreated")
_HEAD_CHARS = 500_000
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
    """Head of a page. A page without one, or with a broken one, states nothing."""
    page = re.sub(r"^\s*<\?xml[^>]*\?>", "", page)[:_HEAD_CHARS]
    try:
        tree = etree.fromstring(page, etree.HTMLParser(no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return HtmlHead()
    if tree is None:
        return HtmlHead()
    metas = {
        (
            meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
        ).lower(): content
        for meta in reversed(list(tree.iter("meta")))
        if (content := meta.get("content"))
    }
    own_title = clean(" ".join((tree.findtext(".//title") or "").split()))
    title = metas.get("og:title") or _SITE_SUFFIX.sub("", own_title) or own_title
    return HtmlHead(
        clean(title.replace("\n", " ")), _published(tree, metas), _licence(tree, metas)
    )


def _published(tree: Any, metas: dict[str, str]) -> str | None:
    for name in _DATE_META:
        if name in metas:
            return metas[name]
    for script in tree.iter("script"):
        if script.get("type", "").lower() == "application/ld+json":
            for date in _json_ld_dates(script.text or ""):
                return date
    for time in tree.iter("time"):
        names = f"{time.get('itemprop', '')} {time.get('pubdate', '')}".lower()
        if time.get("datetime") and (
            "datepublished" in names or time.get("pubdate") is not None
        ):
            return str(time.get("datetime"))
    return None


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
                    yield from (
                        node[k] for k in _JSON_LD_DATES if isinstance(node.get(k), str)
                    )


def _licence(tree: Any, metas: dict[str, str]) -> str | None:
    for tag in ("link", "a"):
        for element in tree.iter(tag):
            if "license" in (element.get("rel") or "").lower().split() and element.get(
                "href"
            ):
                return str(element.get("href"))
    return (
        metas.get("dc.rights") or metas.get("dcterms.license") or metas.get("license")
    )
