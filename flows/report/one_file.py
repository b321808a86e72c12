"""Build single-file HTML pages that contain their styles, scripts and data, and load nothing
else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class ServedPage:
    """A page that a server sends, with the page's content security policy."""

    html: str
    policy: str


def asset(package: str, name: str) -> str:
    """Read a text file in a package's folder ``assets``."""
    return (resources.files(package) / "assets" / name).read_text(encoding="utf-8")


def join_scripts(scripts: Iterable[str]) -> str:
    """Join scripts into one script that defines no global names."""
    return "'use strict';\n(() => {\n" + "\n".join(scripts) + "\n})();\n"


def embed_json(data: Mapping[str, Any]) -> str:
    """Return a value as compact JSON that is safe inside a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def source_hash(text: str) -> str:
    """Return the hash of a style or script, in the form used by a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def fill_template(template: str, parts: Mapping[str, str]) -> str:
    """Replace each ``{{NAME}}`` in a template with the part that has this name.

    Text like ``{{NAME}}`` inside a part is not replaced.
    """
    before, *pieces = template.split("{{")
    found = [before]
    for piece in pieces:
        name, _, after = piece.partition("}}")
        found += [parts[name], after]
    return "".join(found)


def served_page(
    package: str, shared: Iterable[str], own: Iterable[str], parts: Mapping[str, str]
) -> ServedPage:
    """Build a page from a package's template, styles and scripts, and from scripts of the report.

    ``shared`` names the scripts of the report, ``own`` names the scripts of the package, and
    ``parts`` contains the text for the other names in the template.
    """
    script = join_scripts(
        [*(asset("flows.report", name) for name in shared), *(asset(package, name) for name in own)]
    )
    style = page_style(package)
    given = {"STYLE": style, "SCRIPT": script, **parts}
    policy = (
        f"default-src 'none'; script-src '{source_hash(script)}';"
        f" style-src '{source_hash(style)}'; connect-src 'self';"
        " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return ServedPage(fill_template(asset(package, "page.html"), given), policy)


def page_style(package: str) -> str:
    """Return the styles of the report, followed by the styles of a package's page."""
    return asset("flows.report", "style.css") + asset(package, "page.css")
