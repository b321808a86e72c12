"""The page itself: one file that fetches its data here and loads nothing from outside."""

from __future__ import annotations

from dataclasses import dataclass

from flows.loopback import page_policy
from flows.report.one_file import asset, embed_json, fill_template, join_scripts, source_hash

_PACKAGE = "flows.review.desk"
#: Parts of the report that the page uses, and its own.
_REPORT, _OWN = ("dom.js", "projection.js"), ("map.js", "show.js", "choose.js", "page.js")


@dataclass(frozen=True)
class DeskPage:
    """The page, and the content security policy that it is sent with."""

    html: str
    policy: str


def make() -> DeskPage:
    """The page."""
    script = join_scripts(
        [
            *(asset("flows.report", name) for name in _REPORT),
            *(asset(_PACKAGE, name) for name in _OWN),
        ]
    )
    style = asset("flows.report", "style.css") + asset(_PACKAGE, "page.css")
    parts = {
        "STYLE": style,
        "SCRIPT": script,
        "DATA": embed_json({"cities": [], "strings": {}, "terms": {}}),
    }
    text = fill_template(asset(_PACKAGE, "page.html"), parts)
    return DeskPage(text, page_policy(source_hash(script), source_hash(style)))
