"""Rounds of a crawl: from which day on answers and pages are new enough.

The first round asks only for what is unknown. A later one asks once more for everything that was
last fetched before it began; a round that was killed continues where it stopped. The archive
records the rounds, so that a run that only reads it (``--offline``) is in the same one.
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
    """A round: its number from 1, when it began and when it ended, in ISO format and UTC."""

    number: int
    began: str
    ended: str | None = None

    @property
    def since(self) -> datetime | None:
        """What was last looked at before is asked again; None where nothing is."""
        return datetime.fromisoformat(self.began) if self.number > 1 else None

    @property
    def name(self) -> str:
        """Stands for the round among the ingredients of what is made of it."""
        return f"{self.number} {self.began}"


def enter_round(
    folder: Path, what: str, *, refresh: bool = False, days: int | None = None, new: bool = True
) -> Round:
    """The round in which something is looked for; the next one where the last is to be followed.

    Args:
        folder: The archive's folder.
        what: What is looked for, such as the cities.
        refresh: Follow a round that has ended.
        days: Follow one that ended and began so many days ago.
        new: Whether a round may begin at all; without, one that never began has number 1 and is
            not written.
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
    """Note that everything was asked in a round; what is pending is asked again in the same."""
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
