"""Pages in one file: template, styles, scripts and data, with nothing loaded from outside."""

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
    """A page that a server gives, and the content security policy that it is sent with."""

    html: str
    policy: str


def asset(package: str, name: str) -> str:
    """The text of a file in a package's folder ``assets``."""
    return (resources.files(package) / "assets" / name).read_text(encoding="utf-8")


def join_scripts(scripts: Iterable[str]) -> str:
    """Scripts as one, whose names nothing outside sees."""
    return "'use strict';\n(() => {\n" + "\n".join(scripts) + "\n})();\n"


def embed_json(data: Mapping[str, Any]) -> str:
    """Compact JSON that cannot end the script element or open another one."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def source_hash(text: str) -> str:
    """A style or script as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def fill_template(template: str, parts: Mapping[str, str]) -> str:
    """A template with its ``{{NAME}}`` replaced; what a part holds is never replaced again."""
    before, *pieces = template.split("{{")
    found = [before]
    for piece in pieces:
        name, _, after = piece.partition("}}")
        found += [parts[name], after]
    return "".join(found)


def served_page(
    package: str, shared: Iterable[str], own: Iterable[str], parts: Mapping[str, str]
) -> ServedPage:
    """The page of a package: the report's styles and shared scripts, its own ones, and parts."""
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
    """The report's styles and those of a package's page."""
    return asset("flows.report", "style.css") + asset(package, "page.css")
