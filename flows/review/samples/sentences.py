"""Express a claim as one sentence that people can check without knowing the tables."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from flows.review.samples.claims import Claim, Row
from schemas.place_names import fold
from schemas.taxonomy import BASE_TYPES, CONSTRAINTS, POI_CATEGORIES, Term
from warehouse.read import Snapshot

_TYPES = {term.code: term.en for term in (*BASE_TYPES, *POI_CATEGORIES)}
_SHORTEST_NAME = 2


class SnapshotPlaces:
    """The places and cities in a snapshot, with descriptions for reviewers."""

    def __init__(self, snapshot: Snapshot):
        self._rows: dict[str, Row] = {r["poi_id"]: r for r in snapshot.table("pois").to_dicts()}
        cities = snapshot.table("cities").to_dicts()
        self._cities = {r["city_id"]: r["name_en"] or r["name_zh"] for r in cities}
        self._aliases = _lists(snapshot, "poi_aliases", "alias")
        self._parents = _lists(snapshot, "poi_hierarchy", "parent_poi_id")
        self._lines = {
            r["evidence_id"]: f"{r['source_file']}, line {r['source_line']}"
            for r in snapshot.table("evidence").filter(evidence_kind="table").to_dicts()
        }

    def city(self, city_id: str) -> str:
        """Return a city's name."""
        return str(self._cities.get(city_id, city_id))

    def name(self, poi_id: str) -> str:
        """Return a place's Chinese and English names, joined by a slash."""
        row = self._rows[poi_id]
        return " / ".join(dict.fromkeys(n for n in (row["name_zh"], row["name_en"]) if n))

    def tell_place(self, poi_id: str) -> str:
        """Return a place's names and its city."""
        return f"{self.name(poi_id)} in {self.city(self._rows[poi_id]['city_id'])}"

    def list_names(self, poi_id: str) -> frozenset[str]:
        """Return all normalised names of a place, except names that have only one character."""
        row = self._rows[poi_id]
        names = (
            fold(n) for n in (row["name_zh"], row["name_en"], *self._aliases.get(poi_id, ())) if n
        )
        return frozenset(name for name in names if len(name) >= _SHORTEST_NAME)

    def type(self, poi_id: str) -> str | None:
        """Return the code of a place's type or category, or None if both are unknown."""
        row = self._rows[poi_id]
        code: str | None = row["base_type"] or row["category"]
        return code

    def in_documents(self, city_id: str) -> list[str]:
        """Return the ids of the places in a city that are named in documents."""
        return [
            poi for poi, row in self._rows.items()
            if row["city_id"] == city_id and row["n_mentions"] and row["superseded_by"] is None
        ]  # fmt: skip

    def are_apart(self, one: str, other: str) -> bool:
        """Check that two places are different, and that neither is a part of the other."""
        if other in self._above(one) or one in self._above(other):
            return False
        return not any(
            a in b or b in a for a in self.list_names(one) for b in self.list_names(other)
        )

    def _above(self, poi_id: str) -> set[str]:
        """Return the ids of a place and of all places that contain it."""
        found, asked = {poi_id}, [poi_id]
        while asked:
            new = set(self._parents.get(asked.pop(), ())) - found
            found |= new
            asked += sorted(new)
        return found

    def describe(self, poi_id: str, *, hide: str = "") -> str:
        """Describe a place: its names, type, city, parents, aliases, coordinates and source.

        ``hide`` names the table that is being reviewed, whose rows the description leaves out.
        """
        row = self._rows[poi_id]
        type_code = self.type(poi_id)
        kind = _TYPES[type_code] if type_code else "type unknown"
        parents = self._parents.get(poi_id, ()) if hide != "poi_hierarchy" else ()
        aliases = self._aliases.get(poi_id) if hide != "poi_aliases" else None
        return "; ".join([
            f"{self.name(poi_id)}: {kind}, {self.city(row['city_id'])}",
            *(f"part of {self.name(parent)}" for parent in parents),
            *([f"also called {', '.join(aliases)}"] if aliases else ()),
            "no point" if row["lat"] is None else f"at {row['lat']:.4f}, {row['lon']:.4f}",
            f"from {self._lines.get(row['evidence_id'], 'documents')}",
        ])  # fmt: skip

    def line(self, evidence_id: str) -> str | None:
        """Return the file and line of a source row, or None if the evidence is a document."""
        return self._lines.get(evidence_id)


def _lists(snapshot: Snapshot, table: str, column: str) -> dict[str, list[str]]:
    """Return the sorted values of a column for each place."""
    rows = snapshot.table(table).group_by("poi_id").agg(pl.col(column).sort())
    return dict(rows.select("poi_id", column).iter_rows())


_ROLES = {
    "visited": "somebody went there",
    "planned": "somebody plans to go there",
    "recommended": "the text recommends it",
    "mentioned": "the text only names it, without recommending it or describing a visit",
    "rejected": "the text advises against going there, or says that somebody did not go there",
}
_FACTS = {
    "opening_hours": "is open {value}",
    "last_admission": "lets visitors in until {value}",
    "closed_days": "is closed on {value}",
    "ticket_price": "costs {value} {currency} for an adult",
    "duration_hours": "takes {value} hours to visit",
    "arrival_time": "is best reached at this time: {value}",
    "season": "is best visited in this season: {value}",
}
_CONTEXTS = {
    "season": "in {}", "holiday": "at {}", "traveller": "by or for {} travellers",
    "compactness": "on a {} trip", "any": "",
}  # fmt: skip


#: Sentences of tables by their parts, in which ids of places are replaced by names and cities.
_SENTENCES = {
    "poi_hierarchy": (
        "{poi_id} is part of {parent_poi_id}: it lies inside that place or belongs to it."
    ),
    "poi_aliases": "“{alias}” is another name for {poi_id}.",
    "pois": (
        "The marked name is the complete and correct name of {poi_id}, a sight that a traveller"
        " could visit."
    ),
    "trajectories": (
        "On day {day} of the journey (made or only planned) that the document describes, somebody"
        " goes to {poi_id}; the marked name refers to that place."
    ),
}


def say(claim: Claim, places: SnapshotPlaces) -> str:
    """Express a claim as a sentence."""
    if claim.table not in _SENTENCES:
        return _SAY.get(claim.table, _any_row)(claim, places)
    return _SENTENCES[claim.table].format(**{
        part: places.tell_place(value) if part.endswith("poi_id") else value
        for part, value in claim.said.items()
    })  # fmt: skip


def term_of(context_id: str) -> Term:
    """Return the taxonomy's term for a context; if there is none, return a term with only the
    code."""
    kind, _, code = context_id.partition(":")
    nothing = Term(code, "", code.replace("_", " "))
    return next((term for term in CONSTRAINTS.get(kind, ()) if term.code == code), nothing)


def context_of(context_id: str) -> str:
    """Return the words for a context in a sentence, or an empty string for the context ``any``."""
    kind, _, _ = context_id.partition(":")
    return _CONTEXTS.get(kind, "{}").format(term_of(context_id).en)


def _mention(claim: Claim, places: SnapshotPlaces) -> str:
    role, day = _ROLES[claim.said["role"]], claim.said["day"]
    when = "" if day is None else f", on day {day} of the journey"
    return f"The marked name refers to {places.tell_place(claim.said['poi_id'])}; {role}{when}."


def _fact(claim: Claim, places: SnapshotPlaces) -> str:
    return f"The document says that {fact_of(claim, places)}."


def fact_of(claim: Claim, places: SnapshotPlaces) -> str:
    """Express a fact as a clause, without its source."""
    said = claim.said
    free = said["fact_field"] == "ticket_price" and said["value"] == "0"
    told = "is free of charge" if free else _FACTS[said["fact_field"]].format(**said)
    limits = [
        f"for a {said['audience']}" if said.get("audience") else "",
        said.get("condition") or "",
        "" if said["valid_when"] == "always" else said["valid_when"],
    ]
    when = "; ".join(filter(None, limits))
    return f"{places.tell_place(said['poi_id'])} itself {told}{when and f' ({when})'}"


def _tag(claim: Claim, places: SnapshotPlaces) -> str:
    said = claim.said
    what = f"was {said['tag']} {context_of(said['context_id'])}".rstrip()
    name = places.tell_place(said["poi_id"])
    return f"The marked name refers to {name}, and the document says that this place {what}."


def _context_tag(claim: Claim, places: SnapshotPlaces) -> str:
    said = claim.said
    ends = dict.fromkeys((str(said.get("duration_min_min")), str(said.get("duration_max_min"))))
    values = {
        "description": f"“{said.get('description')}”",
        "hours_osm": f"it is open {said.get('hours_osm')}",
        "arrive": f"arrive: {said.get('arrive')}",
        "duration_max_min": f"a visit takes {'-'.join(ends)} minutes",
    }
    told = [words for part, words in values.items() if said.get(part)]
    when = context_of(said["context_id"]) or "at any time"
    return (
        f"The passages say this about {places.tell_place(said['poi_id'])}, {when}:"
        f" {'; '.join(told)}. (Do the passages state every value for this place in this context?)"
    )


def _popular(claim: Claim, places: SnapshotPlaces) -> str:
    context = context_of(claim.said["context_id"])
    also = f", and mentions travelling {context}" if context else ""
    return (
        "At least one of the documents shown recommends"
        f" {places.tell_place(claim.said['poi_id'])} or describes a visit there{also}. Merely"
        " listing the place is not enough."
    )


def _any_row(claim: Claim, places: SnapshotPlaces) -> str:
    told = "; ".join(f"{k} = {v}" for k, v in claim.said.items() if v not in (None, []))
    return f"The passage supports this row of {claim.table} ({places.city(claim.city_id)}): {told}."


_SAY: dict[str, Callable[[Claim, SnapshotPlaces], str]] = {
    "poi_mentions": _mention,
    "poi_facts": _fact,
    "conditional_facts": _fact,
    "poi_tags": _tag,
    "context_tags": _context_tag,
    "poi_popularity": _popular,
}
