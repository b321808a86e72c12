"""Recognise the form of each entry in a query file, and read its fields and texts.

The form depends on the fields in an entry rather than on the name of the file. An entry in an
unknown form does not raise an error. Instead, the entry is returned with the reason, so that it can
be set aside later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Fields that contain the text, in Chinese, in English, or in a language that is detected.
_ZH = ("text_zh", "nature_language_zh", "query_zh")
_EN = ("text_en", "nature_language_en", "query_en")
_TEXT = ("nature_language", "text", "query", "question", "request", "user_request", "查询", "文本",
    "问题")  # fmt: skip
TEXT_FIELDS = (*_ZH, *_EN, *_TEXT)
_OURS = frozenset({"query_id", "family", "structure"})
_ENDS = frozenset({"start_city", "target_city"})
_CATEGORIES = ("transportation", "accommodations", "diet", "attractions", "rhythm")
#: The names of our fields by the other names that they have in files.
_CALLED = {
    "destination": "destinations", "city": "destinations", "cities": "destinations",
    "duration": "days", "day": "days", "pace": "pacing", "attraction_type": "attraction_types",
    "attraction_preference": "attraction_types", "effort": "physical_effort",
    "origin": "start_city", "org": "start_city", "dest": "target_city", "people": "people_number",
}  # fmt: skip
#: The fields of each form; any other field of an entry is not read.
_FIELDS: Mapping[str, frozenset[str]] = {
    "tripbed": (
        _OURS
        | {
            "city_id",
            "constraint_kind",
            "constraint_code",
            "n_days",
            "text_zh",
            "text_en",
            "stratum",
            "split",
            "status",
            "reason",
            "n_trajectories",
            "n_candidates",
            "given_file",
            "given_line",
            "understanding",
            "not_understood",
        }
    ),
    "traveleval": (
        _ENDS
        | {
            "uid",
            "tag",
            "days",
            "people_number",
            "people_composition",
            "budget",
            "dates",
            *_CATEGORIES,
        }
    ),
    "chinatravel": (
        _ENDS
        | {
            "uid",
            "tag",
            "days",
            "people_number",
            "people_composition",
            "hard_logic",
            "hard_logic_py",
            "hard_logic_nl",
            "constraints",
            "objectives",
        }
    ),
    "tripscore": frozenset(
        {
            "uid",
            "destinations",
            "days",
            "budget",
            "pacing",
            "attraction_types",
            "physical_effort",
        }
    ),
    "triptailor": (
        _ENDS
        | {
            "uid",
            "days",
            "departure_day",
            "departure_part",
            "return_day",
            "return_part",
            "budget",
            "interests",
            "cuisines",
            "intensity",
        }
    ),
    "text": frozenset({"uid", "id"}),
}
FORMS = {
    "tripbed": "tripbed: queries.jsonl or queries.parquet, or a folder that contains either file",
    "traveleval": "TravelEval: JSON with the key queries or query_groups",
    "chinatravel": "ChinaTravel: JSON with the keys start_city, target_city and nature_language",
    "tripscore": "TripScore: destinations, days, budget, pacing, attraction_types, physical_effort",
    "triptailor": "TripTailor: start_city, target_city, departure_day, return_day",
    "text": (
        "plain texts: CSV or JSON lines with a column 'text' or 'query', or a file with one text"
        " per line (such as TP-RAG's queries)"
    ),
}


class RefusedEntry(ValueError):
    """Raised if an entry cannot become a query; ``check`` is the code for the reason."""

    def __init__(self, check: str, message: str):
        self.check = check
        super().__init__(message)


@dataclass(frozen=True)
class QueryEntry:
    """An entry in a query file; ``unread`` contains the names of the fields that are not used."""

    file: str
    line: int
    form: str
    text_zh: str | None = None
    text_en: str | None = None
    text: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    fault: str | None = None

    @property
    def row_id(self) -> str:
        """Return the name of an entry as used in reports: its file and line."""
        return f"{self.file}:{self.line}"


def form_of(given: Mapping[str, Any]) -> str | None:
    """Return the form of an entry with these fields, or None if the form is unknown."""
    keys = {_CALLED.get(key, key) for key in given}
    if given.keys() >= _OURS:
        return "tripbed"
    if keys >= _ENDS:
        if "departure_day" in keys:
            return "triptailor"
        return "traveleval" if keys >= {"budget", "dates", *_CATEGORIES} else "chinatravel"
    if "destinations" in keys and keys & {"days", "pacing", "budget", "physical_effort"}:
        return "tripscore"
    return "text" if keys & {*TEXT_FIELDS} else None


def entry_of(file: str, line: int, given: Any) -> QueryEntry:
    """Read an object or a row as an entry; if it is not a query, ``fault`` contains the reason."""
    if not isinstance(given, Mapping):
        return QueryEntry(file, line, "none", fault="is not an object with fields")
    form = form_of(given)
    if form is None:
        return QueryEntry(file, line, "none", fault=f"has no text field: {_name_form(given)}")
    if form == "tripbed":
        return _entry(file, line, form, given, dict(given))
    fields = {
        _CALLED.get(key, key): value for key, value in given.items() if value not in ("", None)
    }
    return _entry(file, line, form, given, {k: v for k, v in fields.items() if k in _FIELDS[form]})


def _entry(
    file: str, line: int, form: str, given: Mapping[str, Any], fields: dict[str, Any]
) -> QueryEntry:
    known = _FIELDS[form] | {*TEXT_FIELDS}
    unread = sorted(str(k) for k in given if _CALLED.get(k, k) not in known)
    zh, en, text = (
        next((str(given[k]) for k in names if given.get(k)), None) for names in (_ZH, _EN, _TEXT)
    )
    return QueryEntry(file, line, form, zh, en, text, fields, tuple(unread))


def _name_form(given: Mapping[str, Any]) -> str:
    return ", ".join(sorted(map(str, given))[:8]) or "no fields"


def text_entry(file: str, line: int, text: str) -> QueryEntry:
    """Return the entry for a line of text."""
    return QueryEntry(file, line, "text", text=text)


def objects_of(data: Any) -> Iterator[Any]:
    """Yield the queries of a JSON file.

    The file contains a list, an object, or an object with ``queries`` and ``query_groups``.
    """
    if isinstance(data, Mapping) and {"queries", "query_groups"} & set(data):
        yield from _list_items(data.get("queries"))
        for group in _list_items(data.get("query_groups")):
            yield from group if isinstance(group, list) else [group]
    elif isinstance(data, Mapping) and data and form_of(data) is None and all(
        isinstance(value, Mapping) for value in data.values()
    ):  # fmt: skip
        yield from ({"uid": key, **value} for key, value in data.items())
    else:
        for one in data if isinstance(data, list) else [data]:
            yield from one if isinstance(one, list) else [one]


def _list_items(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def as_json(fields: Mapping[str, Any]) -> str:
    """Return the fields as JSON; equal fields always give equal strings."""
    return json.dumps(fields, ensure_ascii=False, sort_keys=True, default=str)
