"""Check whether the terminal output names the file, the fault and an example for a bad source.

Only warnings and errors in the terminal output count. Summaries of rows and lists of quarantined
rows do not count. A warning or error names the fault if it contains three things: the name of the
file (or ``documents``), one of the words given for the case (as a whole word), and a sign of the
change itself. A sign is a row (``FILE:LINE``) or page that was changed, added or removed, or the
number of such rows or pages. A sign that also appears in the output of the good build does not
count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bad_source import BadSource

_COMPLAINT = re.compile(r"^(?:gate \S+ failed \((?:error|warning)\)|error|warning): ")
#: In "in 3 of 35 rows", the word "rows" does not name the fault.
_COUNTED = re.compile(r"\b(?:of|in|the) [\d,]+ rows\b")
#: Many lines contain smaller numbers by chance.
_LEAST_FIGURE = 10


class Signs:
    """The signs that inputs were changed, except signs that the output of the good build also
    contains.
    """

    def __init__(self, good: Path, bad: Path, source: str, shown: str):
        read, other = (_pages, _other_pages) if source == "documents" else (_lines, _other_lines)
        then, now = (read(_path(folder, source)) for folder in (good, bad))
        came, went = other(then, now), other(now, then)
        things = came | went
        if source != "documents":
            things = _of_one_thing(now, came) | _of_one_thing(then, went)
        self.examples = {sign for sign in things if not _stands(sign, shown)}
        counts = {len(came), len(went), len(now)} if came | went else set()
        figures = {text for n in counts if n >= _LEAST_FIGURE for text in (str(n), f"{n:,}")}
        self.figures = {figure for figure in figures if not _stands(figure, shown)}

    def stand_in(self, part: str) -> bool:
        """Check whether a text contains an example of the change or the number of changes."""
        return any(_stands(sign, part) for sign in (*self.figures, *self.examples))


def find_naming(shown: str, good: str, case: BadSource, signs: Signs) -> str | None:
    """Find the first warning or error, or part of one, that names the fault; return None if none
    does.
    """
    known = set(_complaints(good))
    for part in _complaints(shown):
        said = part not in known and case.source in part and _says_word(part, case.words)
        if said and signs.stand_in(part):
            return part
    return None


def _complaints(shown: str) -> Iterator[str]:
    """Yield each failed gate, each warning and each error in a build's output."""
    for line in shown.splitlines():
        if _COMPLAINT.match(line):
            yield from line.split("; ")


def _says_word(part: str, words: tuple[str, ...]) -> bool:
    """Check whether a text contains one of the words as a whole word, or its plural with "s"."""
    text = _COUNTED.sub("", part)
    return any(re.search(rf"(?<![A-Za-z]){re.escape(word)}s?(?![A-Za-z])", text) for word in words)


def _stands(sign: str, text: str) -> bool:
    """Check whether a text contains a sign that is not part of a longer word or number."""
    return re.search(rf"(?<![\w.,]){re.escape(sign)}(?![\w/]|[.,]\d)", text) is not None


def _path(folder: Path, source: str) -> Path:
    return folder / source if source == "documents" else folder / "tables" / source


def _pages(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each page, by path."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _other_pages(then: dict[str, bytes], now: dict[str, bytes]) -> set[str]:
    """Return the paths of pages in ``now`` that are new or differ from those in ``then``."""
    return {path for path, body in now.items() if then.get(path) != body}


def _lines(path: Path) -> dict[str, bytes]:
    """Return the bytes of each row, by ``FILE:LINE``; the header is line 1."""
    lines = path.read_bytes().splitlines() if path.is_file() else []
    head = lines[:1]
    return {f"{path.name}:{n}": b"\n".join([*head, line]) for n, line in enumerate(lines, 1)}


def _of_one_thing(lines: dict[str, bytes], changed: set[str]) -> set[str]:
    """Add all rows that share an id with a changed row, because messages quote only a hotel's first
    row.
    """
    ids = {place: line.splitlines()[-1].split(b",")[0] for place, line in lines.items()}
    things = {ids[place] for place in changed}
    return {place for place, thing in ids.items() if thing in things}


def _other_lines(then: dict[str, bytes], now: dict[str, bytes]) -> set[str]:
    """Return the positions of rows in ``now`` that occur less often, or not at all, in ``then``."""
    left = Counter(then.values())
    other = set()
    for place, line in now.items():
        if left[line]:
            left[line] -= 1
        else:
            other.add(place)
    return other
