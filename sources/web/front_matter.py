"""Front matter of Markdown files (YAML or TOML) and the few values that are read from it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

_YAML = re.compile(r"\A\s*---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\s*\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^([A-Za-z_][\w-]*)\s*:\s*(.+?)\s*$")
_CAPTION_KEYS = ("alt", "caption")
_MAX_DEPTH = 6


class FrontMatter(NamedTuple):
    """Values of a file's front matter and the text below it."""

    values: dict[str, Any]
    body: str


def split_front_matter(text: str) -> FrontMatter:
    """Front matter and body. Front matter that doesn't parse is read line by line."""
    if match := _YAML.match(text):
        try:
            values = yaml.safe_load(match[1])
        except (yaml.YAMLError, ValueError):
            values = None
        if not isinstance(values, dict):
            values = _pairs(match[1])
        if not values:  # two rules with prose between them are no front matter
            return FrontMatter({}, text)
        return FrontMatter(
            {str(key): value for key, value in values.items()}, text[match.end() :]
        )
    if match := _TOML.match(text):
        try:
            return FrontMatter(tomllib.loads(match[1]), text[match.end() :])
        except tomllib.TOMLDecodeError:
            return FrontMatter(
                _pairs(match[1].replace(" = ", ": ")), text[match.end() :]
            )
    return FrontMatter({}, text)


def captions(values: dict[str, Any]) -> list[str]:
    """Captions of the photos that front matter lists, in order: some notes are nothing else."""
    return list(_captions(values, 0))


def _captions(value: Any, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _captions(item, depth + 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in _CAPTION_KEYS and isinstance(item, str):
                yield item
            else:
                yield from _captions(item, depth + 1)


def _pairs(block: str) -> dict[str, Any]:
    matches = (_PAIR.match(line) for line in block.split("\n"))
    return {match[1]: match[2].strip("\"'") for match in matches if match}
