"""Front matter of Markdown files (YAML or TOML) and the few values that are read from it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any, NamedTuple

import yaml

_YAML = re.compile(r"\A\s*---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\s*\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^([A-Za-z_][\w-]*)\s?[:=]\s?(.+)$")
_CAPTION_KEYS = ("alt", "caption")
_MAX_DEPTH = 6
_MAX_CHARS = 200_000


class FrontMatter(NamedTuple):
    """Values of a file's front matter and the text below it."""

    values: dict[str, Any]
    body: str


def split_front_matter(text: str) -> FrontMatter:
    """Front matter and body. Front matter that doesn't parse is read line by line."""
    if match := _YAML.match(text):
        values = _parse(match[1], _load_yaml)
    elif match := _TOML.match(text):
        values = _parse(match[1], tomllib.loads)
    if not match or not values:  # two rules with prose between them are no front matter
        return FrontMatter({}, text)
    return FrontMatter({str(key): value for key, value in values.items()}, text[match.end() :])


def _parse(block: str, load: Callable[[str], Any]) -> dict[Any, Any]:
    values = None
    if len(block) <= _MAX_CHARS:
        try:
            values = load(block)
        except (yaml.YAMLError, ValueError, RecursionError):
            values = None
    return values if isinstance(values, dict) else _pairs(block)


def _load_yaml(block: str) -> Any:
    return yaml.load(block, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def captions(values: dict[str, Any]) -> list[str]:
    """Captions of the photos that front matter lists, in order: some notes are nothing else."""
    found: list[str] = []
    seen: set[int] = set()  # YAML may name one list a thousand times
    _collect_captions(values, found, seen, 0)
    return found


def _collect_captions(value: Any, found: list[str], seen: set[int], depth: int) -> None:
    if depth > _MAX_DEPTH or id(value) in seen or not isinstance(value, (list, dict)):
        return
    seen.add(id(value))
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        if key in _CAPTION_KEYS and isinstance(item, str):
            found.append(item)
        else:
            _collect_captions(item, found, seen, depth + 1)


def _pairs(block: str) -> dict[str, Any]:
    matches = (_PAIR.match(line) for line in block.split("\n"))
    return {match[1]: match[2].strip().strip("\"'") for match in matches if match}
