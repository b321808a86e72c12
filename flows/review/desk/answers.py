"""Which answers a person may give on the page, and how the store keeps them.

The store knows accept, reject and unsure. That a name is another place, or lies elsewhere, is a
rejection that says what should stand there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows.review.forms import ELSEWHERE

ANSWERS = ("right", "wrong", "same_as", "not_here", "unsure")
#: Characters of a reader's name and of a remark.
_MOST_NAME, _MOST_REASON = 40, 1000


class RefusedAnswer(ValueError):
    """An answer that cannot be taken; the message says why."""


@dataclass(frozen=True)
class ReviewAnswer:
    """One answer. ``poi_id`` is the place that a row should name, of ``same_as`` alone."""

    kind: str
    poi_id: str = ""
    reason: str = ""

    @property
    def decision(self) -> str:
        """The store's word."""
        return {"right": "accept", "unsure": "unsure"}.get(self.kind, "reject")

    @property
    def instead(self) -> str:
        """What the row should say."""
        return {"same_as": self.poi_id, "not_here": ELSEWHERE}.get(self.kind, "")


def answer_of(decision: Mapping[str, Any]) -> ReviewAnswer:
    """The answer that a decision keeps."""
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
    """The answer that a page sent. Raises Refused."""
    kind, poi_id, reason = (value.get(name) or "" for name in ("answer", "poi_id", "reason"))
    if kind not in ANSWERS:
        raise RefusedAnswer(f"the answer must be one of {', '.join(ANSWERS)}")
    if not isinstance(poi_id, str) or not isinstance(reason, str):
        raise RefusedAnswer("poi_id and reason must be text")
    if bool(poi_id) != (kind == "same_as"):
        raise RefusedAnswer("same_as needs a poi_id, and no other answer can have one")
    reason = " ".join(reason.split())
    if len(reason) > _MOST_REASON or not _is_plain(reason):
        raise RefusedAnswer(
            f"a remark can have at most {_MOST_REASON} characters, none of them invisible"
        )
    return ReviewAnswer(kind, poi_id, reason)


def reader_name(name: Any) -> str:
    """A reader's name, as the store keeps it. Raises Refused."""
    told = " ".join(name.split()) if isinstance(name, str) else ""
    if not 0 < len(told) <= _MOST_NAME or not _is_plain(told):
        raise RefusedAnswer(
            f"a reader's name must have 1 to {_MOST_NAME} characters, none of them invisible"
        )
    return told


def _is_plain(text: str) -> bool:
    """Whether no character is a control, a direction mark, half of one or unassigned."""
    return not any(
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn") for character in text
    )
