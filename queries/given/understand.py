"""Turn an entry in a query file into a row of ``queries``, or return the reason for refusing it.

The fields of an entry are used unchanged, and are compared with the entry's text. If an entry has
only a text, everything is read from that text. Nothing is guessed. ``not_understood`` lists the
parts of the text that were not understood, and ``understanding`` is ``whole`` or ``partly``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from queries.audit import tprag as tprag_audit
from queries.audit.preferences import read_level, read_types
from queries.audit.reading import ReadRequest
from queries.audit.tags import CATEGORIES, read_wishes
from queries.chinatravel_import import import_query
from queries.given.cities import KnownCities
from queries.given.dates import check_dates
from queries.given.forms import QueryEntry, RefusedEntry, as_json
from queries.given.wishes import TextWishes, contradicts
from queries.given.wishes import read_wishes as wishes_of
from queries.given.wording import not_understood, plain
from queries.grounding import Destination
from queries.requests import mask
from queries.rows import query_row
from queries.tprag import Stratum, row_of
from schemas.cities import City
from schemas.ids import digest
from schemas.taxonomy import CONSTRAINTS, QUERY_LEVELS

Row = dict[str, Any]
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_PACES = {"慢游": "relaxed", "特种兵式": "compact"}
_MOST_DAYS = 60
_LITERAL = re.compile(r"'((?:[^'\\]|\\.)+)'")
#: Words of the expression language, which need not occur in the text.
_OWN_WORDS = frozenset({
    "attraction", "breakfast", "lunch", "dinner", "accommodation", "train", "airplane", "metro",
    "taxi",
    "walk",
})  # fmt: skip


@dataclass(frozen=True)
class EntryTexts:
    """The texts in an entry; ``masked`` is the number of pieces of personal data that were
    masked.
    """

    zh: str | None
    en: str | None
    masked: int = 0

    @property
    def first(self) -> str:
        """Return the text from which wishes are read: the Chinese text if there are texts in
        both languages.
        """
        return self.zh or self.en or ""


@dataclass(frozen=True)
class Understood:
    """The row of a query, which has no split yet, with remarks about doubtful values that were
    accepted.
    """

    row: Row
    masked: int = 0
    remarks: tuple[str, ...] = ()


@dataclass
class _Made:
    """The structure of a query, with the parts of the entry that were not understood."""

    family: str
    kind: str
    code: str | None
    structure: Row
    missed: list[str] = field(default_factory=list)


def texts_of(entry: QueryEntry) -> EntryTexts:
    """Return the entry's texts by language.

    Raises RefusedEntry if there is no text, or if a text is neither Chinese nor English.
    """
    is_zh = language_of(entry.text or "") == "zh"
    zh = entry.text_zh or (entry.text if is_zh else None)
    en = entry.text_en or (entry.text if not is_zh else None)
    (zh, zh_masked), (en, en_masked) = (mask(" ".join((t or "").split())) for t in (zh, en))
    texts = EntryTexts(zh or None, en or None, zh_masked + en_masked)
    if not texts.first:
        raise RefusedEntry("empty", "has no text")
    if not _HAN.search(texts.first) and language_of(texts.first) != "en":
        raise RefusedEntry("language", "is neither Chinese nor English")
    return texts


def language_of(text: str) -> str:
    """Return ``zh`` if a text has Chinese characters, and ``en`` if nearly all its letters are
    ASCII.

    Returns ``other`` if neither condition is met.
    """
    letters = _LETTER.findall(text)
    if _HAN.search(text):
        return "zh"
    latin = sum(letter.isascii() for letter in letters)
    return "en" if letters and latin >= 0.9 * len(letters) else "other"


def city_of(entry: QueryEntry, known: KnownCities) -> City:
    """Return the city that an entry is about.

    Raises RefusedEntry if the build does not include this city.
    """
    if entry.fault is not None:
        raise RefusedEntry("form", entry.fault)
    if entry.form == "tripbed":
        return known.of_build(known.find_stated(entry.fields.get("city_id") or ""))
    texts = texts_of(entry)
    published = _parse_text(entry, texts)
    if published is not None and (city := known.find_by_name(published.city)) is not None:
        return known.of_build(city)
    stated = entry.fields.get("target_city") or _list_values(entry.fields.get("destinations"))
    if stated:
        return known.of_build(known.find_stated(stated if isinstance(stated, str) else stated[0]))
    read = known.read(texts.first)
    if not read.targets:
        raise RefusedEntry("no_city", "does not name a known city")
    return known.of_build(known.find_stated(read.targets[0]))


def understand(
    entry: QueryEntry, place: Destination, known: KnownCities, names: Mapping[str, str], year: int
) -> Understood:
    """Return the row for an entry about a city.

    ``names`` maps the names of places in the city's tables to kinds of constraints. Dates before
    ``year`` lead to a remark. Raises RefusedEntry if the entry cannot become a query.
    """
    texts = texts_of(entry)
    published = _publish_row(entry, texts, place, known, year)
    if published is not None:
        return published
    make = _MAKERS.get(entry.form, _free)
    made = make(_Asked(entry, texts, known.read(texts.first), place.city, known, names))
    _check_core(made.structure)
    remarks = check_dates(made.structure, year)
    made.missed += _differing(made.structure, texts, known)
    uid = str(entry.fields.get("uid") or entry.fields.get("id") or "")
    key = digest(made.family, uid, texts.zh or "", texts.en or "", as_json(made.structure))
    made.structure["uid"] = uid or key
    row = query_row(
        f"{made.family}-{place.city.slug}-given-{key}",
        place.city,
        made.family,
        made.kind,
        made.code,
        made.structure.get("days"),
        ("", ""),
        made.structure,
        f"given/{entry.form}",
        place.status(),
        None if place.grounded else "no table is given for the city",
    )
    return _understand_entry(entry, texts, row, made.missed, remarks)


def _understand_entry(
    entry: QueryEntry, texts: EntryTexts, row: Row, missed: list[str], remarks: list[str]
) -> Understood:
    clear = list(dict.fromkeys(missed))
    told = {
        "given_file": entry.file, "given_line": entry.line, "not_understood": clear,
        "understanding": "partly" if clear else "whole",
    }  # fmt: skip
    if texts.masked:
        remarks = [*remarks, f"{texts.masked} pieces of personal data are masked"]
    texted = {"text_zh": texts.zh, "text_en": texts.en}
    return Understood({**row, **texted, **told}, texts.masked, tuple(remarks))


def _publish_row(
    entry: QueryEntry, texts: EntryTexts, place: Destination, known: KnownCities, year: int
) -> Understood | None:
    """Return the row for a text in TP-RAG's form, as in the tprag family."""
    parsed = _parse_text(entry, texts)
    if parsed is None or known.find_by_name(parsed.city) != place.city:
        return None
    terms = CONSTRAINTS.get(parsed.constraint_kind, ())
    term = next((t for t in terms if t.code == parsed.constraint_code), None)
    row = row_of(place.city, Stratum(parsed.constraint_kind, term, parsed.n_days), year)
    both = EntryTexts(texts.zh or row["text_zh"], texts.en or row["text_en"], texts.masked)
    return _understand_entry(entry, both, row, [], [])


def _parse_text(entry: QueryEntry, texts: EntryTexts) -> tprag_audit.ParsedQuery | None:
    """Parse a Chinese text without fields as a TP-RAG query, or return None if it has a
    different form.
    """
    return tprag_audit.parse(texts.zh) if entry.form == "text" and texts.zh else None


# --- forms with fields --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """An entry about a city, with its texts, the values read from them, and the known names."""

    entry: QueryEntry
    texts: EntryTexts
    read: ReadRequest
    city: City
    known: KnownCities
    names: Mapping[str, str]

    def ends(self) -> Row:
        """Return the fields that contain the start and the destination of the trip."""
        return {
            "start_city": self.known.find_stated(self.entry.fields["start_city"]).slug,
            "target_city": self.city.slug,
        }

    def core(self) -> Row:
        """Return the numbers of days and people, from the entry's fields or else from its text."""
        told = {"days": self.read.days, "people_number": self.read.people}
        stated = {name: _whole(self.entry.fields.get(name), name) for name in told}
        return {**told, **{name: value for name, value in stated.items() if value is not None}}


def _whole(value: object, name: str) -> int | None:
    """Read a whole number from a field. Raises RefusedEntry if the value is not a whole number."""
    if value is None:
        return None
    try:
        number = float(str(value).replace(",", ""))
    except ValueError:
        raise RefusedEntry("fields", f"{name} is not a number: {str(value)[:40]}") from None
    if not number.is_integer():
        raise RefusedEntry("fields", f"{name} is not a whole number: {value}")
    return int(number)


def _traveleval(asked: _Asked) -> _Made:
    fields = asked.entry.fields
    structure = {
        "tag": str(fields.get("tag") or "easy"), **asked.ends(), **asked.core(),
        "people_composition": _party(fields.get("people_composition")),
        "budget": _whole(fields["budget"], "budget"), "dates": str(fields["dates"]),
        **{name: _sides(fields.get(name), name) for name in CATEGORIES},
    }  # fmt: skip
    level, levels = structure["tag"], QUERY_LEVELS["difficulty"]
    if level not in levels:
        raise RefusedEntry("fields", f"tag is not one of {', '.join(levels)}: {level[:40]}")
    missed, told = [], read_wishes(plain(asked.texts.first))
    for name in CATEGORIES:
        sides = structure[name]
        wished = {*sides.get("preferences", ())} & {*sides.get("constraints", ())}
        if wished:
            raise RefusedEntry("contradiction", f"{sorted(wished)[0]} is both wanted and refused")
        said = {tag for side in told.get(name, {}).values() for tag in side}
        stated = [tag for side in sides.values() for tag in side]
        missed += [f"{name}: {tag} is not found in the text" for tag in stated if tag not in said]
    return _Made("traveleval", "difficulty", level, structure, missed)


def _party(value: object) -> Row:
    if not isinstance(value, Mapping):
        raise RefusedEntry(
            "fields", "people_composition is not an object with adults, children and seniors"
        )
    return {k: _whole(value.get(k, 0), k) for k in ("adults", "children", "seniors")}


def _sides(value: object, name: str) -> dict[str, list[str]]:
    if not value:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(v, list) for v in value.values()):
        raise RefusedEntry("fields", f"{name} has no lists of preferences and constraints")
    return {
        side: [str(tag) for tag in value.get(side, ())] for side in ("preferences", "constraints")
    }


def _chinatravel(asked: _Asked) -> _Made:
    """Translate the published programs, or read the wishes from the text if there are no
    programs.
    """
    if not (asked.entry.fields.get("hard_logic_py") or asked.entry.fields.get("hard_logic")):
        return _free(asked)
    found = import_query(asked.entry.fields)
    constraints: list[Row] = [
        {"kind": "expression", "mode": "all", "values": [], "amount": None, "expression": text}
        for text in found.constraints
    ]
    missed = [
        f"a program cannot be translated: {' '.join(text.split())}" for text in found.untranslated
    ]
    known = (_OWN_WORDS, asked.texts.first, plain(asked.texts.first))
    missed += [
        f"not found in the text: {word}"
        for text in found.constraints
        for word in _LITERAL.findall(text)
        if not any(word in words for words in known)
    ]
    structure = {
        **asked.ends(),
        **asked.core(),
        "constraints": constraints,
        "objectives": [],
    }
    return _read_level(structure, missed)


def _read_level(structure: Row, missed: list[str]) -> _Made:
    structure["tag"] = "easy" if len(structure["constraints"]) <= 1 else "medium"
    return _Made("chinatravel", "level", structure["tag"], structure, missed)


def _tripscore(asked: _Asked) -> _Made:
    fields = asked.entry.fields
    stated = _list_values(fields.get("destinations"))
    cities = [asked.known.find_stated(name) for name in stated] or [asked.city]
    wanted = plain(asked.texts.first)
    levels = {name: _level(fields.get(name), name, wanted) for name in _LEVELS}
    types = _list_values(fields.get("attraction_types")) or read_types(wanted)
    missed = [
        f"{name}: {fields[name]} is not one of its levels" for name in _LEVELS
        if fields.get(name) and levels[name] is None
    ]  # fmt: skip
    structure = {
        "destinations": [one.slug for one in cities], "days": asked.core()["days"], **levels,
        "attraction_types": [str(one) for one in types],
    }  # fmt: skip
    return _read_pace(structure, missed)


_LEVELS: Mapping[str, tuple[str, ...]] = {
    "budget": ("economy", "moderate", "luxury"), "pacing": ("relaxed", "moderate", "compact"),
    "physical_effort": ("light", "moderate", "strenuous"),
}  # fmt: skip


def _level(stated: object, name: str, text: str) -> str | None:
    """Return the level given in a field (by a code or in words), or in the text if the field is
    missing.
    """
    if stated is None:
        return read_level(text, name)
    said = str(stated).strip().lower()
    cue = {"budget": "消费", "pacing": "节奏", "physical_effort": "体力"}[name]
    return said if said in _LEVELS[name] else read_level(f"{cue}{said}", name)


def _read_pace(structure: Row, missed: list[str]) -> _Made:
    pace = structure["pacing"]
    return _Made("tripscore", "pacing" if pace else "generic", pace, structure, missed)


def _triptailor(asked: _Asked) -> _Made:
    fields = asked.entry.fields
    named = ("departure_day", "departure_part", "return_day", "return_part")
    structure = {
        **asked.ends(), "days": asked.core()["days"],
        **{name: str(fields.get(name) or "") for name in named},
        "budget": _whole(fields.get("budget"), "budget"),
        "interests": [str(v) for v in _list_values(fields.get("interests"))],
        "cuisines": [str(v) for v in _list_values(fields.get("cuisines"))],
        "intensity": str(fields.get("intensity") or ""),
    }  # fmt: skip
    if structure["intensity"] not in ("relaxed", "moderate", "packed"):
        raise RefusedEntry("fields", "intensity is not one of relaxed, moderate, packed")
    return _Made("triptailor", "intensity", structure["intensity"], structure)


def _list_values(value: object) -> list[Any]:
    """Return a value as a list; a string is split at commas."""
    if isinstance(value, str):
        return [part.strip() for part in re.split(r"[,，、;；|]", value) if part.strip()]
    return list(value) if isinstance(value, list | tuple) else []


# --- texts without fields -----------------------------------------------------------------------


def _free(asked: _Asked) -> _Made:
    """Make a query from an entry that has only a text.

    If the start, the days and the number of people are known, the query has constraints; otherwise,
    it has preferences.
    """
    text = plain(asked.texts.first)
    wishes = wishes_of(text, asked.read, asked.names)
    if (value := contradicts(wishes.constraints)) is not None:
        raise RefusedEntry("contradiction", f"{value} is both wanted and refused")
    if asked.read.budget == 0:
        raise RefusedEntry("budget", "a budget of 0 is not enough for any trip")
    missed = not_understood(asked.texts.first, asked.known.names, wishes.names, wishes.made)
    core = asked.core()
    start = asked.entry.fields.get("start_city") or asked.read.start
    if start and core["days"] and core["people_number"]:
        structure = {
            "start_city": asked.known.find_stated(start).slug, "target_city": asked.city.slug,
            **core,
            "constraints": list(wishes.constraints), "objectives": [],
            **({"rhythm": {"preferences": [wishes.pace]}} if wishes.pace else {}),
        }  # fmt: skip
        return _read_level(structure, missed)
    return _read_preferences(asked.texts, asked.read, asked.city, wishes, missed)


def _read_preferences(
    texts: EntryTexts, read: ReadRequest, city: City, wishes: TextWishes, missed: list[str]
) -> _Made:
    text = plain(texts.first)
    levels = {name: read_level(text, name) for name in _LEVELS}
    levels["pacing"] = levels["pacing"] or _PACES.get(wishes.pace or "")
    types = [
        v
        for c in wishes.constraints
        if c["kind"] == "attraction_type" and c["mode"] != "none"
        for v in c["values"]
    ]
    structure = {
        "destinations": list(dict.fromkeys([city.slug, *read.targets])),
        "days": read.days,
        **levels,
        "attraction_types": list(dict.fromkeys(types)),
        "constraints": [
            c for c in wishes.constraints if c["kind"] != "attraction_type" or c["mode"] == "none"
        ],
    }
    return _read_pace(structure, missed)


_MAKERS: Mapping[str, Callable[[_Asked], _Made]] = {
    "traveleval": _traveleval, "chinatravel": _chinatravel, "tripscore": _tripscore,
    "triptailor": _triptailor, "text": _free,
}  # fmt: skip


# --- what must hold -----------------------------------------------------------------------------


def _check_core(structure: Row) -> None:
    days, people = structure.get("days"), structure.get("people_number")
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise RefusedEntry("days", f"{days} days: a trip must have 1 to {_MOST_DAYS} days")
    if people is not None and people < 1:
        raise RefusedEntry("people", f"{people} people: there must be at least one")
    if "start_city" in structure:
        for name in ("days",) if "departure_day" in structure else ("days", "people_number"):
            if structure.get(name) is None:
                raise RefusedEntry("fields", f"neither a field nor the text gives {name}")
        if structure["start_city"] == structure["target_city"]:
            raise RefusedEntry("cities", "the start and the destination are the same city")
    budget = structure.get("budget")
    if isinstance(budget, int) and budget <= 0:
        raise RefusedEntry("budget", f"a budget of {budget} is not enough for any trip")
    party = structure.get("people_composition")
    if party and sum(party.values()) != people:
        raise RefusedEntry(
            "people", f"{people} people, but {sum(party.values())} adults, children and seniors"
        )


def _differing(structure: Row, texts: EntryTexts, known: KnownCities) -> list[str]:
    """Return a message for each difference between the texts and the fields.

    Raises RefusedEntry if a city or the number of days differs, because the texts then belong to a
    different query.
    """
    found = []
    for text in filter(None, (texts.zh, texts.en)):
        read = known.read(text)
        target = structure.get("target_city") or structure["destinations"][0]
        pairs = {
            "target_city": (read.targets[0] if read.targets else None, target),
            "start_city": (read.start, structure.get("start_city")),
            "days": (read.days, structure.get("days")),
            "people_number": (read.people, structure.get("people_number")),
            "budget": (read.budget, structure.get("budget")),
        }
        for name, (said, stated) in pairs.items():
            if (
                said is None
                or stated is None
                or said == stated
                or isinstance(stated, str) is not isinstance(said, str)
            ):
                continue
            message = f"{name}: {said} in the text, {stated} in the fields"
            if name in ("target_city", "start_city", "days"):
                raise RefusedEntry("text_differs", message)
            found.append(message)
    return found
