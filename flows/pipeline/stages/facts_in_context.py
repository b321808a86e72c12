"""Facts of places by context: those that always hold in any, others in the seasons and holidays of
which every day lies within their time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extractors.descriptions import is_advice_to_arrive, is_headed_best_time, is_own_story
from flows.pipeline.stages.sentences import sentence_of
from flows.pipeline.stages.tellings import ANY
from queries.contexts import contexts_of

Row = dict[str, Any]
#: A context and a place.
Key = tuple[str, str]

#: What one kind of fact fills: its columns, and the column of its evidence.
FILLS = {
    "opening_hours": (("hours_osm", "hours_weekly"), "hours_evidence_id"),
    "arrival_time": (("arrive",), "arrive_evidence_id"),
    "duration_hours": (("duration_min_min", "duration_max_min"), "duration_evidence_id"),
}
_ALWAYS = "always"
_BEFORE = re.compile(
    r"^\s*(?:之?以?前|or earlier|at the latest)|\b(?:before|by)\W*$", re.IGNORECASE
)
_CLOCK = re.compile(r"\d{2}:\d{2}")
#: Days off beside hours: these hold on the other days only.
_DAYS_OFF = re.compile(
    r"(?:周|星期)[一二三四五六日天][^。\n]{0,4}(?:休|闭|不开)|\bclosed\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Stated:
    """Where facts of documents stand: ``spans`` by evidence id, ``texts`` by document, ``named`` the
    offsets at which a document names a place."""

    spans: Mapping[str, Row]
    texts: Mapping[str, str]
    named: Mapping[tuple[str, str], Sequence[int]]


def facts_by_context(
    facts: Iterable[Row], stated: Stated, lat: float, wanted: frozenset[Key]
) -> dict[Key, dict[str, Row]]:
    """The newest fact of each kind by context and place; undated ones give way.

    A text's hours are not those of any context where it gives the place others for a season, or
    days off beside them.
    """
    rows = [row for row in facts if row["fact_field"] in FILLS]
    rows.sort(key=lambda r: (r["source_date"] is not None, r["source_date"] or 0, r["fact_id"]))
    seasonal = {
        row["poi_id"] for row in rows
        if row["fact_field"] == "opening_hours" and row["valid_when"] != _ALWAYS
    }  # fmt: skip
    found: dict[Key, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        always, span = row["valid_when"] == _ALWAYS, stated.spans.get(row["evidence_id"])
        arrive = _arrival(row, span, stated) if span else None
        if row["fact_field"] == "arrival_time" and arrive is None:
            continue
        if row["fact_field"] == "opening_hours" and always and span:
            sentence = _sentence(span, stated)
            if row["poi_id"] in seasonal or _DAYS_OFF.search(stated.texts[span["doc_id"]][slice(*sentence)]):  # fmt: skip
                continue
        for context_id in (ANY,) if always else contexts_of(row["valid_when"], lat):
            if (context_id, row["poi_id"]) in wanted:
                found[context_id, row["poi_id"]][row["fact_field"]] = {**row, "arrive": arrive}
    return found


def _sentence(span: Row, stated: Stated) -> tuple[int, int]:
    return sentence_of(stated.texts[span["doc_id"]], span["start"], span["end"])


def _arrival(row: Row, span: Row, stated: Stated) -> str | None:
    """When to arrive, where a sentence that names the place advises it, or a line headed so.

    None where it tells when somebody came, or speaks of something else.
    """
    text, start, end = stated.texts[span["doc_id"]], span["start"], span["end"]
    first, last = _sentence(span, stated)
    sentence = text[first:last]
    is_named = any(
        first <= at < last for at in stated.named.get((span["doc_id"], row["poi_id"]), ())
    )
    if not (is_named or is_headed_best_time(sentence)):
        return None
    if is_own_story(sentence) or not is_advice_to_arrive(sentence):
        return None
    around = text[end : end + 6], text[max(0, start - 12) : start]
    value = str(row["value"])
    is_latest = any(_BEFORE.search(part) for part in around)
    return f"before {value}" if is_latest and _CLOCK.fullmatch(value) else value
