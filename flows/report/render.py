"""The page itself: template, styles, scripts and data in one file, nothing loaded from outside."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from flows.report.data import collect
from flows.report.one_file import asset, embed_json, fill_template, join_scripts, source_hash

#: Joined in this order into one script.
_SCRIPTS = (
    "dom.js",
    "charts.js",
    "projection.js",
    "map.js",
    "paint.js",
    "places.js",
    "sections.js",
    "main.js",
)


def render_report(snapshot: Path) -> str:
    """The report of the snapshot at this path, a complete HTML document.

    Raises what ``warehouse.read.Snapshot`` raises for a folder that is no snapshot.
    """
    return _page(collect(snapshot))


def write_report(snapshot: Path) -> Path:
    """Write ``report.html`` into the snapshot's folder and give its path."""
    target = snapshot / "report.html"
    target.write_text(render_report(snapshot), encoding="utf-8")
    return target


def _page(data: dict[str, Any]) -> str:
    style = _asset("style.css")
    script = join_scripts(map(_asset, _SCRIPTS))
    data = {**data, "strings": json.loads(_asset("strings.json"))}
    parts = {
        "TITLE": html.escape(", ".join(city["en"] for city in data["cities"])),
        "POLICY": html.escape(_policy(style, script)),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": embed_json(data),
    }
    return fill_template(_asset("template.html"), parts)


def _policy(style: str, script: str) -> str:
    """Content security policy: our own style and script by hash, and nothing else at all."""
    return (
        f"default-src 'none'; style-src '{source_hash(style)}'; script-src '{source_hash(script)}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _asset(name: str) -> str:
    return asset("flows.report", name)
