"""Parse HTML, remove boilerplate, and find the element with the main content.

lxml parses nearly every page. BeautifulSoup's tolerant parser is used if lxml fails or loses text,
for example on pages that contain a second document.
"""

from __future__ import annotations

import re

from lxml import etree
from lxml.html import HtmlElement

from schemas.word_lists import Lists
from sources.web.errors import UnreadableDocument
from sources.web.lines import replace_elements, without_comments, words

_LISTS = Lists("sources.web")

DROPPED_TAGS = words(
    "script style noscript template nav footer aside form button select option textarea input "
    "iframe frame svg canvas object embed audio video map head dialog menu math"
)
#: Tags for text that its author has crossed out. Long text is kept, because a tag that is not
#: closed would contain the rest of the page.
_STRUCK_TAGS = words("del s strike")
_LONGEST_STRUCK = 400
_BOILERPLATE = frozenset(_LISTS.words("boilerplate_classes"))
_HIDDEN_CLASSES = words("hidden hide sr-only visually-hidden screen-reader-text d-none")
_ANCHOR_CLASSES = words("anchor headerlink header-anchor heading-anchor permalink")
_META_CLASSES = words("post-meta entry-meta article-meta post-tags entry-tags tags")
_BOILERPLATE_ROLES = words("navigation banner contentinfo complementary search dialog")
#: Tags that always count as content, whatever classes they have.
_CONTENT_ALWAYS = words("h1 h2 h3 h4 h5 h6 p li td tr table")
_WRAPPER_WORDS = words("has with no without")
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[-_\s]+|(?<=[a-z])(?=[A-Z])")
_CONTENT_TAGS = ("article", "main")
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_OPEN_ANGLE = re.compile(r"<(?!/?[A-Za-z!][^<>]*>)")
_FRAME = re.compile(r"</?(?:html|body|head)\b[^<>]*>|<!doctype\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z]\w*)[^<>]*>")
_ANY_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>")
_UNSHOWN = words("script style noscript svg template head title")
#: Tags whose closing tag is optional or does not exist.
_UNCOUNTED = words(
    "p li td tr th dt dd thead tbody tfoot option img br hr input source meta link wbr area base "
    "col embed param track colgroup"
)
_OPAQUE = words("script style head title noscript svg textarea template")
_CONTENT_CLASS = re.compile(
    r"\b(?:post|entry|article|page|blog|note|markdown)[-_]?(?:body|content|text|main)\b|"
    r"\bmarkdown-body\b|\brich[-_]?text\b",
    re.IGNORECASE,
)
#: The main element contains at least this share of the page's text outside links.
_MAIN_SHARE = 0.6
#: If one child of an element contains this share of its text, the search continues in the child.
_DESCENT_SHARE = 0.85
_MAX_DEPTH = 200
#: lxml's result is used if it contains at least this share of the text that the page seems to have.
_KEPT_SHARE = 0.7
_MAX_TOLERANT_TAGS = 100_000  # BeautifulSoup needs a kilobyte and 30 µs per tag


def parse_tree(page: str) -> HtmlElement:
    """Parse a page. Raises UnreadableDocument if there is nothing to parse."""
    tree = _parse(page)
    expected = _visible_chars(page)
    lost = tree is None or _text_chars(tree) < _KEPT_SHARE * expected
    if expected and lost and page.count("<") <= _MAX_TOLERANT_TAGS:
        tree = _parse(_repair(page))
    if tree is None:
        raise UnreadableDocument("empty", "the page contains no text")
    return tree


def _parse(page: str) -> HtmlElement | None:
    parser = etree.HTMLParser(remove_pis=True, no_network=True)
    try:
        return etree.fromstring(_XML_DECLARATION.sub("", page), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _visible_chars(page: str) -> int:
    """Estimate, without using a parser, how many visible characters a page has."""
    shown = replace_elements(without_comments(page), lambda tag, _: tag in _OPAQUE, _nothing)
    return _length(_ANY_TAG.sub("", shown))


def _text_chars(tree: HtmlElement) -> int:
    """Count the visible characters in a tree, without the contents of scripts and styles."""
    shown = _length(etree.tostring(tree, method="text", encoding="unicode", with_tail=False))
    hidden = sum(
        _length("".join(element.itertext()))
        for element in tree.iter(*_OPAQUE)
        if not any(above.tag in _OPAQUE for above in element.iterancestors())
    )
    return shown - hidden


def _length(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


def _repair(page: str) -> str:
    """Return a page as read by BeautifulSoup's tolerant parser, with limited nesting.

    Unclosed comments and tags become text, and text after the end of the document is kept. The page
    is cleaned first, because otherwise parsing could take quadratic time.
    """
    # Imported here because only pages that lxml cannot parse need it.
    from bs4 import BeautifulSoup

    page = replace_elements(without_comments(page), lambda tag, _: tag in _UNSHOWN, _nothing)
    page = _flatten(_FRAME.sub("", _OPEN_ANGLE.sub("&lt;", page)))
    return f"<html><body>{BeautifulSoup(page, 'html.parser')}</body></html>"


def _nothing(_tag: str, _element: str) -> str:
    return ""


def _flatten(page: str) -> str:
    """Remove tags that are nested too deeply for a parser."""
    kept: list[bool] = []

    def keep(match: re.Match[str]) -> str:
        if match[2].lower() in _UNCOUNTED:
            return match[0]
        if match[1]:
            return match[0] if not kept or kept.pop() else ""
        kept.append(len(kept) < _MAX_DEPTH)
        return match[0] if kept[-1] else ""

    return _TAG.sub(keep, page)


def strip_boilerplate(tree: HtmlElement) -> None:
    """Remove navigation, scripts, comments, hidden parts and other boilerplate from a tree."""
    doomed: list[HtmlElement] = []
    for event, element in (walk := etree.iterwalk(tree, events=("start", "comment", "pi"))):
        if event != "start":
            doomed.append(element)
        elif not isinstance(element.tag, str) or _is_boilerplate(element):
            doomed.append(element)
            walk.skip_subtree()
    for element in doomed:
        _remove(element)


def _is_boilerplate(element: HtmlElement) -> bool:
    tag = element.tag
    if tag in ("html", "body", "main", "article"):
        return False
    is_struck = tag in _STRUCK_TAGS and sum(map(len, element.itertext())) <= _LONGEST_STRUCK
    is_dropped = tag in DROPPED_TAGS or is_struck or is_hidden(element)
    if is_dropped or element.get("role", "") in _BOILERPLATE_ROLES:
        return True
    names = f"{element.get('class', '')} {element.get('id', '')}".split()
    if tag in _CONTENT_ALWAYS:
        return False
    if tag == "a":
        return any(name in _ANCHOR_CLASSES for name in names)
    is_named = any(name in _META_CLASSES or _names_boilerplate(name) for name in names)
    return is_named and not _wraps_content(element)


def _names_boilerplate(name: str) -> bool:
    parts = {part.lower() for part in _PARTS.split(name)}
    return bool(_BOILERPLATE & parts) and not _WRAPPER_WORDS & parts


def _wraps_content(element: HtmlElement) -> bool:
    """Check whether an element contains the main content even though its name suggests
    otherwise.
    """
    return any(element.find(f".//{tag}") is not None for tag in ("main", "article", "h1"))


def is_hidden(element: HtmlElement) -> bool:
    """Check whether an element is invisible to the page's readers."""
    says_so = element.get("hidden") is not None or element.get("aria-hidden", "").lower() == "true"
    is_classed = not _HIDDEN_CLASSES.isdisjoint(element.get("class", "").split())
    return says_so or is_classed or hides(element.get("style", ""))


def hides(style: str) -> bool:
    """Check whether an inline style hides the element to which it belongs."""
    return bool(style) and _HIDDEN_STYLE.search(style) is not None


def _remove(element: HtmlElement) -> None:
    """Remove an element, but keep the text that follows it."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def main_element(tree: HtmlElement) -> HtmlElement:
    """Find the element with the main content, by tag and class or by the amount of text."""
    body = tree.find("body")
    root = body if body is not None else tree
    weights = _weights(root)
    total = weights.get(root, 0)
    marked = [element for element in weights if _is_marked(element)]
    best = [element for element in marked if weights[element] >= _MAIN_SHARE * total]
    if total and best:
        root = best[-1]  # document order: the innermost of nested candidates comes last
    return _descend(root, weights)


def _is_marked(element: HtmlElement) -> bool:
    is_main = element.tag in _CONTENT_TAGS or element.get("role") == "main"
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return is_main or element.get("itemprop") == "articleBody" or bool(_CONTENT_CLASS.search(names))


def _descend(root: HtmlElement, weights: dict[HtmlElement, int]) -> HtmlElement:
    for _ in range(_MAX_DEPTH):
        inner = [child for child in root if child.tag in ("div", "section", "article", "main")]
        heaviest = max(inner, key=lambda child: weights.get(child, 0), default=None)
        is_light = weights.get(heaviest, 0) < _DESCENT_SHARE * weights.get(root, 0)
        if heaviest is None or is_light or _has_own_text(root, heaviest):
            break
        root = heaviest
    return root


def _has_own_text(root: HtmlElement, inner: HtmlElement) -> bool:
    """Check whether there are headings or paragraphs outside the child element with the most
    text.
    """
    return any(
        child is not inner and child.tag in ("h1", "h2", "h3", "p", "ul", "ol", "table")
        for child in root
    )


def _weights(root: HtmlElement) -> dict[HtmlElement, int]:
    """Count the characters outside links in each element, in document order."""
    weights: dict[HtmlElement, int] = {}
    depth_in_link = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            depth_in_link += element.tag == "a"
            weights[element] = 0 if depth_in_link else _length(element.text)
            continue
        depth_in_link -= element.tag == "a"
        parent = element.getparent()
        if element is not root and parent is not None:
            tail = 0 if depth_in_link else _length(element.tail)
            weights[parent] += weights[element] + tail
    return weights
