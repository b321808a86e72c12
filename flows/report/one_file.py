"""Pages in one file: template, styles, scripts and data, with nothing loaded from outside."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any


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
