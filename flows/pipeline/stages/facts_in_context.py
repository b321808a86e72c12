"""Selects the facts about places that apply in a context, such as a season or a holiday.

Facts that are always true apply in every context. Other facts apply in seasons and holidays that
are entirely within the facts' period.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from extractors.descriptions import tells
from flows.pipeline.stages.base import Row
from flows.pipeline.stages.sentences import sentence_of
from flows.pipeline.stages.tellings import ANY
from queries.contexts import contexts_of
from schemas.cities import City

#: A context and a place.
Key = tuple[str, str]

#: The columns that one kind of fact fills, and the column for its evidence.
FILLS = {
    "opening_hours": (("hours_osm", "hours_weekly"), "hours_evidence_id"),
    "arrival_time": (("arrive",), "arrive_evidence_id"),
    "duration_hours": (("duration_min_min", "duration_max_min"), "duration_evidence_id"),
}
_ALWAYS = "always"
#: Words for an upper limit of a visit, and the characters before the time in which they may stand.
_LESS, _BEFORE_IT = re.compile(r"不到|不足|至多|\b(?:less than|under)\b", re.IGNORECASE), 12
#: The most characters between a name and its time, and the number of places that make a row.
_BESIDE, _IN_A_ROW = 4, 3
_BEFORE = re.compile(
    r"^\s*(?:之?以?前|or earlier|at the latest)|\b(?:before|by)\W*$", re.IGNORECASE
)
_CLOCK = re.compile(r"\d{2}:\d{2}")
#: Days off beside hours, and hours of sessions: these hours do not apply on every day.
_DAYS_OFF = re.compile(
    r"[日夜早晚午]场|场次|(?:周|星期)[一二三四五六日天][^。\n]{0,4}(?:休|闭|不开)|\bclosed\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Stated:
    """The parts of documents that state facts.

    ``spans`` contains the spans by evidence id, and ``texts`` contains the texts by document.
    ``named`` contains, for each document, the start, end and poi_id of every place named in the
    document.
    """

    spans: Mapping[str, Row]
    texts: Mapping[str, str]
    named: Mapping[str, Sequence[Row]]

    def sentence(self, span: Row) -> tuple[int, int]:
        """Return the start and the end of the sentence that contains a span."""
        return sentence_of(self.texts[span["doc_id"]], span["start"], span["end"])

    def read_sentence(self, span: Row) -> str:
        """Return the text of the sentence that contains a span."""
        return self.texts[span["doc_id"]][slice(*self.sentence(span))]

    def places(self, span: Row) -> list[Row]:
        """Return the places that are named in the sentence that contains a span."""
        first, last = self.sentence(span)
        return [row for row in self.named.get(span["doc_id"], ()) if first <= row["start"] < last]


def facts_by_context(
    facts: Iterable[Row], stated: Stated, city: City, wanted: frozenset[Key]
) -> dict[Key, dict[str, Row]]:
    """Return the newest fact of each kind, by context and place; undated facts count as the oldest.

    A fact that a text leaves in doubt is not used (see ``_is_clear``).
    """
    rows = [row for row in facts if row["fact_field"] in FILLS]
    rows.sort(key=lambda r: (r["source_date"] is not None, r["source_date"] or 0, r["fact_id"]))
    told: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for row in rows:
        if span := stated.spans.get(row["evidence_id"]):
            said = (span["doc_id"], row["valid_when"], row["value"])
            told[row["poi_id"], row["fact_field"]].add(said)
    found: dict[Key, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        always, span = row["valid_when"] == _ALWAYS, stated.spans.get(row["evidence_id"])
        arrive = _arrival(row, span, stated) if span else None
        if row["fact_field"] == "arrival_time" and arrive is None:
            continue
        if span and not _is_clear(row, span, stated, told[row["poi_id"], row["fact_field"]]):
            continue
        for context_id in (ANY,) if always else contexts_of(row["valid_when"], city):
            if (context_id, row["poi_id"]) in wanted:
                found[context_id, row["poi_id"]][row["fact_field"]] = {**row, "arrive": arrive}
    return found


def _is_clear(row: Row, span: Row, stated: Stated, told: Set[tuple[str, ...]]) -> bool:
    """Check whether a text is clear about hours that always apply and about the length of a visit.

    A text is unclear if it also gives other hours or closing days for the place, or if any text
    gives hours for a season. A text is also unclear if a duration follows the names of several
    places and is not close to the name of this place. ``told`` contains the document, the validity
    and the value of each fact that texts state about the place.
    """
    if row["fact_field"] == "opening_hours" and row["valid_when"] == _ALWAYS:
        others = [said for said in told if said[0] == span["doc_id"] or said[1] != _ALWAYS]
        return len(others) == 1 and not _DAYS_OFF.search(stated.read_sentence(span))
    if row["fact_field"] == "duration_hours":
        if _LESS.search(
            stated.texts[span["doc_id"]][max(0, span["start"] - _BEFORE_IT) : span["end"]]
        ):
            return False
        places = stated.places(span)
        own = [place["end"] for place in places if place["poi_id"] == row["poi_id"]]
        beside = any(0 <= span["start"] - end <= _BESIDE for end in own)
        return beside or len({place["poi_id"] for place in places}) < _IN_A_ROW
    return True


def _arrival(row: Row, span: Row, stated: Stated) -> str | None:
    """Return the arrival time recommended in a sentence about the place or a line about the best
    time.

    Returns None if the sentence reports when somebody visited, or is about something else.
    """
    text, start, end = stated.texts[span["doc_id"]], span["start"], span["end"]
    sentence = stated.read_sentence(span)
    is_named = any(place["poi_id"] == row["poi_id"] for place in stated.places(span))
    if not (is_named or tells(sentence, "best time")):
        return None
    if tells(sentence, "own story") or not tells(sentence, "advice to arrive"):
        return None
    around = text[end : end + 6], text[max(0, start - 12) : start]
    value = str(row["value"])
    is_latest = any(_BEFORE.search(part) for part in around)
    return f"before {value}" if is_latest and _CLOCK.fullmatch(value) else value
