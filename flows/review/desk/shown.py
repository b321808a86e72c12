"""What the page shows of a row: its sentence, passages, place, rivals, map."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

from flows.review.desk.around import Around
from flows.review.desk.excerpts import Excerpts
from flows.review.desk.queue import QueueRow
from flows.review.desk.words import RowWords
from flows.review.samples.passages import DocumentTexts
from flows.review.samples.places import SnapshotPlaces
from warehouse.read import Snapshot

Row = dict[str, Any]
#: Tables of which another place may be meant.
_OF_PLACES = ("pois", "links", "unlinked_names", "query_pois", "poi_facts", "poi_tags")
#: Rows that are kept as they are shown: a page asks for the next one before it is needed.
_KEPT = 256


class ShownQueue:
    """The rows of a queue as a page shows them.
    ``texts`` are the documents, where there are any.
    """

    def __init__(self, snapshot: Snapshot, texts: DocumentTexts | None):
        places = SnapshotPlaces(snapshot)
        self._places, self._words = places, RowWords(snapshot, places)
        self._excerpts, self._around = Excerpts(snapshot, texts), Around(snapshot, places)
        self.row = lru_cache(_KEPT)(self._row)

    def _row(self, item: QueueRow) -> Row:
        around = self._around.of(item)
        shown: Row = visible({
            "table": item.table, "row_id": item.row_id, "why": item.why,
            "city": self._places.city(item.city_id), "sentence": self._words.sentence(item),
            "beside": self._words.beside(item),
            "passages": self._excerpts.of(item), **around,
            "can_be_other": item.table in _OF_PLACES,
        })  # fmt: skip
        return shown

    def find(self, item: QueueRow, name: str) -> list[Row]:
        """Places of the row's city by a part of their name."""
        found: list[Row] = visible(self._around.find(item.city_id, name))
        return found

    def knows(self, item: QueueRow, poi_id: str) -> bool:
        """Whether a place may be named instead: another one of the row's city, or a rival."""
        if item.table not in _OF_PLACES or poi_id == item.row.get("poi_id"):
            return False
        return poi_id in (item.row.get("rivals") or ()) or self._around.knows(item.city_id, poi_id)

    def name(self, poi_id: str) -> str:
        """The name of a place that was named instead; its id where it is gone."""
        return str(visible(self._around.name(poi_id)))


def visible(value: Any) -> Any:
    """A value whose texts hold no character that acts unseen: it is written out instead.

    Directions of text, control characters and spaces without width would let a name look like
    another one.
    """
    if isinstance(value, str):
        return "".join(_write_character(character) for character in value)
    if isinstance(value, dict):
        return {name: visible(one) for name, one in value.items()}
    if isinstance(value, list):
        return [visible(one) for one in value]
    return value


def _write_character(character: str) -> str:
    if character in "\n\t\u200d":  # the last one joins letters of some scripts, and emoji
        return character
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs")
    return f"⟨{ord(character):04X}⟩" if hidden else character
