"""Find duplicate ids, texts and structures, and units whose queries are in more than one split."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

_MARKS = re.compile(r"\W+")
#: Fields of a query that do not change what it asks for.
_NAMES = frozenset({"uid", "nature_language", "nature_language_en"})


def normalise_text(text: str) -> str:
    """Return a text in lower case without spaces or punctuation."""
    return _MARKS.sub("", text).lower()


def structure_of(plan: Mapping[str, Any]) -> str:
    """Return everything that a query asks for, as a string that can be compared."""
    asked = {name: value for name, value in plan.items() if name not in _NAMES}
    return json.dumps(asked, ensure_ascii=False, sort_keys=True, default=str)


class Repeats:
    """Remembers all earlier queries in order to show whether a new query repeats one of them."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

    def of(self, plan: Mapping[str, Any], text: str) -> list[str]:
        """Return the rules that a query breaks by repeating an earlier query."""
        keys = (
            ("duplicate_uid", str(plan.get("uid"))), ("duplicate_text", normalise_text(text)),
            ("duplicate_structure", structure_of(plan)),
        )  # fmt: skip
        repeated = [rule for rule, key in keys if (rule, key) in self._seen]
        self._seen.update(keys)
        return repeated


def find_leaks(rows: Iterable[tuple[str, Hashable, str | None]]) -> list[str]:
    """Return the ids of rows whose unit occurs in more than one split; ``rows`` are (id, unit,
    split).
    """
    placed = [row for row in rows if row[2]]
    splits: dict[Hashable, set[str | None]] = defaultdict(set)
    for _, unit, split in placed:
        splits[unit].add(split)
    return [uid for uid, unit, _ in placed if len(splits[unit]) > 1]
