"""Keep the decisions of reviewers who do not see each other's answers.

A decision is saved before the request is answered. Every request reads the store again, so that
several pages, several servers and an import can use the same store.
"""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

from pydantic import SecretStr

from flows.review.desk.queue import QueueRow
from flows.review.forms import ELSEWHERE, Row, decision_row, label_of
from flows.review.samples.score import agreement
from flows.review.store import (
    decisions_file,
    list_decisions,
    put_decision,
)

ANSWERS = ("right", "wrong", "same_as", "not_here", "unsure")
#: The maximum numbers of characters in a reviewer's name and in a remark.
_MOST_NAME, _MOST_REASON = 40, 1000


class RefusedAnswer(ValueError):
    """The error for an answer that cannot be accepted. The message gives the reason."""


@dataclass(frozen=True)
class ReviewAnswer:
    """An answer about a row.

    Only the answer ``same_as`` has a ``poi_id``, which is the id of the correct place.
    """

    kind: str
    poi_id: str = ""
    reason: str = ""

    @property
    def decision(self) -> str:
        """The decision that is stored: accept, reject or unsure."""
        return {"right": "accept", "unsure": "unsure"}.get(self.kind, "reject")

    @property
    def instead(self) -> str:
        """The place that the row should name instead: a place's id, ``elsewhere`` or nothing."""
        return {"same_as": self.poi_id, "not_here": ELSEWHERE}.get(self.kind, "")


def answer_of(decision: Mapping[str, Any]) -> ReviewAnswer:
    """Return the answer that a stored decision contains."""
    instead, reason = decision.get("instead") or "", decision["reason"]
    if instead:
        return ReviewAnswer(
            "not_here" if instead == ELSEWHERE else "same_as",
            instead.removeprefix(ELSEWHERE),
            reason,
        )
    return ReviewAnswer(
        {"accept": "right", "reject": "wrong"}.get(decision["decision"], "unsure"), "", reason
    )


def parse_answer(value: Mapping[str, Any]) -> ReviewAnswer:
    """Read the answer that a page sent. Raises RefusedAnswer if the page sent no valid answer."""
    kind, poi_id, reason = (value.get(name) or "" for name in ("answer", "poi_id", "reason"))
    if kind not in ANSWERS:
        raise RefusedAnswer(f"the answer must be one of {', '.join(ANSWERS)}")
    if not isinstance(poi_id, str) or not isinstance(reason, str):
        raise RefusedAnswer("poi_id and reason must be text")
    if bool(poi_id) != (kind == "same_as"):
        raise RefusedAnswer(
            "the answer same_as needs a poi_id, and no other answer may have a poi_id"
        )
    reason = " ".join(reason.split())
    if len(reason) > _MOST_REASON or not _is_plain(reason):
        raise RefusedAnswer(
            f"a remark must have at most {_MOST_REASON} characters, none of them invisible"
        )
    return ReviewAnswer(kind, poi_id, reason)


def reader_name(name: Any) -> str:
    """Return a reviewer's name in the form in which it is stored.

    Raises RefusedAnswer if the name is empty, too long or has invisible characters.
    """
    told = " ".join(name.split()) if isinstance(name, str) else ""
    if not 0 < len(told) <= _MOST_NAME or not _is_plain(told):
        raise RefusedAnswer(
            f"a reviewer's name must have 1 to {_MOST_NAME} characters, none of them invisible"
        )
    return told


def _is_plain(text: str) -> bool:
    """Check that a text has no control characters, direction marks or unassigned characters."""
    return not any(
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn") for character in text
    )


Key = tuple[str, str, str]
#: The letters for a reviewer's answers in a list of all rows; a dot means that a row is open.
_MARKS = {"right": "r", "wrong": "w", "same_as": "s", "not_here": "h", "unsure": "u"}


class Changed(Exception):
    """The error for an answer about a row that has been answered on another page in the
    meantime."""


@dataclass(frozen=True)
class _Done:
    """A reviewer's change to a row: the decisions before and after the change."""

    number: int
    decision_id: str
    before: Row | None
    after: Row | None


class ReviewDesk:
    """A queue of rows, and the store for decisions on them. Several threads can use one desk."""

    def __init__(self, items: Sequence[QueueRow], store: Path, address: SecretStr | None):
        self.items = tuple(items)
        self._store, self._address = store, address
        self._numbers: dict[Key, int] = {
            (item.city_id, item.table, item.row_id): n for n, item in enumerate(self.items)
        }
        self._done: dict[str, list[_Done]] = defaultdict(list)
        self._lock = RLock()
        self._read: tuple[Any, dict[str, dict[int, Row]]] | None = None

    def answers(self, reader: str) -> dict[int, Row]:
        """Return a reviewer's decisions on unchanged rows, keyed by row number.

        Raises SettingsError if the store cannot be read.
        """
        return self._read_held().get(reader, {})

    def marks(self, reader: str) -> str:
        """Return one character per row: a letter for the reviewer's answer, or a dot if there is no
        answer.
        """
        mine = self.answers(reader)
        return "".join(
            _MARKS[answer_of(mine[n]).kind] if n in mine else "." for n in range(len(self.items))
        )

    def decide(self, reader: str, number: int, answer: ReviewAnswer, was: str | None) -> None:
        """Store an answer. ``was`` is the label of the answer on the page, or None.

        Raises Changed if a decision on another page has changed the answer in the meantime.
        """
        item = self.items[number]
        made = decision_row(
            item.about, reader, answer.decision, answer.reason, dt.date.today(), answer.instead
        )  # fmt: skip
        with self._lock:
            before = self.answers(reader).get(number)
            if (label_of(before) if before else None) != was:
                raise Changed(
                    "a decision on this row was made on a different page in the meantime: check"
                    " the row again"
                )
            self._store_decision(made["decision_id"], made)
            self._done[reader].append(_Done(number, made["decision_id"], before, made))

    def undo(self, reader: str) -> int:
        """Take back the reviewer's last answer, and return the number of the row.

        Raises RefusedAnswer if there is nothing to take back, and Changed if the row has been
        decided again in the meantime.
        """
        with self._lock:
            if not self._done[reader]:
                raise RefusedAnswer("there is nothing left to undo")
            last = self._done[reader].pop()
            if self.answers(reader).get(last.number) != last.after:
                raise Changed(
                    "your last answer was not undone, because the decision on this row was changed"
                    " elsewhere in the meantime"
                )
            self._store_decision(last.decision_id, last.before)
            return last.number

    def agreement(self, reader: str) -> list[Row]:
        """Compare a reviewer with every other reviewer, on the rows that both decided.

        Returns the number of rows that both reviewers decided, the share of these rows on which
        they agree, and Cohen's kappa. Kappa is None if all answers are the same.
        """
        held = self._read_held()
        mine = held.get(reader, {})
        found = []
        for other in sorted(held.keys() - {reader}):
            both = [
                (label_of(mine[n]), label_of(row)) for n, row in held[other].items() if n in mine
            ]
            told = agreement(both)
            found.append({
                "reader": other, "rows": len(both), "decided": len(held[other]),
                "share": told.observed if told else None, "kappa": told.kappa if told else None,
            })  # fmt: skip
        return found

    def _read_held(self) -> dict[str, dict[int, Row]]:
        """Return the decisions on unchanged rows in the queue, by reviewer and row number."""
        with self._lock:
            stamp = self._stamp()
            if self._read is None or stamp is None or self._read[0] != stamp:
                self._read = (stamp, self._by_reader(list_decisions(self._store, self._address)))
            return self._read[1]

    def _store_decision(self, decision_id: str, row: Row | None) -> None:
        """Store or remove a decision, and keep the store's decisions in memory."""
        self._read = None
        held = put_decision(self._store, self._address, decision_id, row)
        self._read = (self._stamp(), self._by_reader(held))

    def _stamp(self) -> Any:
        """Return a value that changes whenever the file changes, or None for a database, which is
        read every time.
        """
        if self._address:
            return None
        try:
            told = decisions_file(self._store).stat()
        except FileNotFoundError:
            return 0
        return told.st_ino, told.st_mtime_ns, told.st_size

    def _by_reader(self, held: list[Row]) -> dict[str, dict[int, Row]]:
        found: dict[str, dict[int, Row]] = defaultdict(dict)
        for row in held:
            number = self._numbers.get((row["city_id"], row["table"], row["row_id"]))
            if number is not None and self.items[number].fact_hash == row["fact_hash"]:
                found[row["reviewer"]][number] = row
        return dict(found)
