"""Organise a crawl in rounds, which determine whether an answer or a page is recent enough.

The first round requests only answers and pages that are not stored yet. A later round also repeats
the requests for everything that was last fetched before the round began. A round that was
interrupted continues where it stopped. The archive records the rounds so that a run with
``--offline`` uses the same round.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from storage.shelf import shelf

FILE = "rounds.json"


@dataclass(frozen=True)
class Round:
    """A round of a crawl, numbered from 1; its times are in ISO format and UTC."""

    number: int
    began: str
    ended: str | None = None

    @property
    def since(self) -> datetime | None:
        """Return the time before which an answer counts as too old, or None in the first round."""
        return datetime.fromisoformat(self.began) if self.number > 1 else None

    @property
    def name(self) -> str:
        """Return a unique name for the round, which becomes part of the keys of its results."""
        return f"{self.number} {self.began}"


def enter_round(
    folder: Path, what: str, *, refresh: bool = False, days: int | None = None, new: bool = True
) -> Round:
    """Return the current round of a crawl, and begin a new one if necessary.

    Args:
        folder: The folder of the archive.
        what: A name for the subject of the search, such as the cities.
        refresh: Begin a new round if the last round has ended.
        days: Begin a new round if the last round has ended and began at least this many days ago.
        new: Whether a round may begin. If False, a crawl without rounds has round 1, which is not
            recorded.
    """
    now = datetime.now(UTC)
    held = _read(folder).get(what)
    if held is None:
        held = Round(1, now.isoformat(timespec="microseconds"))
    elif new and held.ended is not None and (refresh or _is_old(held, days, now)):
        held = Round(held.number + 1, now.isoformat(timespec="microseconds"))
    else:
        return held
    if new:
        _write(folder, what, held)
    return held


def end_round(folder: Path, what: str, held: Round) -> None:
    """Record that everything in a round was requested; pending requests remain part of the
    round.
    """
    if held.ended is None:
        ended = datetime.now(UTC).isoformat(timespec="microseconds")
        _write(folder, what, replace(held, ended=ended))


def _is_old(held: Round, days: int | None, now: datetime) -> bool:
    return days is not None and now - datetime.fromisoformat(held.began) >= timedelta(days=days)


def _read(folder: Path) -> dict[str, Round]:
    data = shelf(folder).read(FILE)
    if data is None:
        return {}
    return {what: Round(**said) for what, said in json.loads(data).items()}


def _write(folder: Path, what: str, held: Round) -> None:
    rounds = {name: asdict(one) for name, one in _read(folder).items()} | {what: asdict(held)}
    shelf(folder).write(FILE, json.dumps(rounds, sort_keys=True, indent=1).encode())
