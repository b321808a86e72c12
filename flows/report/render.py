"""The page itself: template, styles, scripts and data in one file, nothing loaded from outside."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib import resources
from pathlib import Path
from typing import Any

from flows.report.data import collect

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
    script = "'use strict';\n(() => {\n" + "\n".join(map(_asset, _SCRIPTS)) + "\n})();\n"
    data = {**data, "strings": json.loads(_asset("strings.json"))}
    parts = {
        "TITLE": html.escape(", ".join(city["en"] for city in data["cities"])),
        "POLICY": html.escape(_policy(style, script)),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": _embed(data),
    }
    before, *pieces = _asset("template.html").split("{{")
    filled = [before]
    for piece in pieces:
        name, _, after = piece.partition("}}")
        filled += [parts[name], after]
    return "".join(filled)


def _policy(style: str, script: str) -> str:
    """Content security policy: our own style and script by hash, and nothing else at all."""
    return (
        f"default-src 'none'; style-src '{_sha256(style)}'; script-src '{_sha256(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embed(data: dict[str, Any]) -> str:
    """Compact JSON that cannot end the script element or open another one."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _asset(name: str) -> str:
    return (resources.files("flows.report") / "assets" / name).read_text(encoding="utf-8")
