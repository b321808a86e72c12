"""Write a claim as one sentence that a careful reader can judge without knowing the tables."""

from __future__ import annotations

from collections.abc import Callable

from flows.review.samples.claims import Claim
from flows.review.samples.places import SnapshotPlaces
from schemas.taxonomy import CONSTRAINTS, Term

_ROLES = {
    "visited": "somebody went there",
    "planned": "somebody plans to go there",
    "recommended": "the text recommends it",
    "mentioned": "the text names it there; no visit and no advice is claimed",
    "rejected": "the text advises against it, or somebody did not go",
}
_FACTS = {
    "opening_hours": "is open {value}",
    "last_admission": "lets visitors in until {value}",
    "closed_days": "is closed on {value}",
    "ticket_price": "costs an adult {value} {currency}",
    "duration_hours": "takes {value} h to visit",
    "arrival_time": "is a place to arrive at at this time: {value}",
    "season": "is best visited in this season: {value}",
}
_CONTEXTS = {
    "season": "in {}", "holiday": "at {}", "traveller": "by or for {} travellers",
    "compactness": "on a {} trip", "any": "",
}  # fmt: skip


def say(claim: Claim, places: SnapshotPlaces) -> str:
    """The sentence of a claim."""
    return _SAY.get(claim.table, _any_row)(claim, places)


def term_of(context_id: str) -> Term:
    """The taxonomy's term of a context; one that says nothing for any context."""
    kind, _, code = context_id.partition(":")
    nothing = Term(code, "", code.replace("_", " "))
    return next((term for term in CONSTRAINTS.get(kind, ()) if term.code == code), nothing)


def context_of(context_id: str) -> str:
    """A context as it stands in a sentence; nothing for any context."""
    kind, _, _ = context_id.partition(":")
    return _CONTEXTS.get(kind, "{}").format(term_of(context_id).en)


def _mention(claim: Claim, places: SnapshotPlaces) -> str:
    role, day = _ROLES[claim.said["role"]], claim.said["day"]
    when = "" if day is None else f", on day {day} of the journey"
    return f"The marked name stands for {places.tell_place(claim.said['poi_id'])}; {role}{when}."


def _fact(claim: Claim, places: SnapshotPlaces) -> str:
    return f"The document says that {fact_of(claim, places)}."


def fact_of(claim: Claim, places: SnapshotPlaces) -> str:
    """What a fact says, without who says it."""
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
    what = f"{places.tell_place(said['poi_id'])} was {said['tag']} {context_of(said['context_id'])}"
    return f"The marked name is a place of which the document says: {what.rstrip()}."


def _context_tag(claim: Claim, places: SnapshotPlaces) -> str:
    said = claim.said
    told = [f"“{said['description']}”"] if said.get("description") else []
    told += [f"it is open {said['hours_osm']}"] if said.get("hours_osm") else []
    told += [f"arrive: {said['arrive']}"] if said.get("arrive") else []
    if said.get("duration_max_min"):
        ends = [said["duration_min_min"], said["duration_max_min"]]
        told.append(f"a visit takes {'-'.join(dict.fromkeys(map(str, ends)))} minutes")
    when = context_of(said["context_id"]) or "at any time"
    return (
        f"The passages say this of {places.tell_place(said['poi_id'])}, {when}: {'; '.join(told)}. "
        "(Is every value said by the passage, of this place, in this context?)"
    )


def _popular(claim: Claim, places: SnapshotPlaces) -> str:
    context = context_of(claim.said["context_id"])
    also = f", and speaks of travelling {context}" if context else ""
    return (
        "At least one document shown visits or recommends"
        f" {places.tell_place(claim.said['poi_id'])} (and does not merely list it){also}."
    )


def _part(claim: Claim, places: SnapshotPlaces) -> str:
    part, whole = claim.said["poi_id"], claim.said["parent_poi_id"]
    return (
        f"{places.tell_place(part)} is a part of {places.tell_place(whole)}: it lies inside, or"
        " belongs to it."
    )


def _alias(claim: Claim, places: SnapshotPlaces) -> str:
    return f"“{claim.said['alias']}” is another name of {places.tell_place(claim.said['poi_id'])}."


def _place(claim: Claim, places: SnapshotPlaces) -> str:
    return (
        "The marked name is the whole and proper name of"
        f" {places.tell_place(claim.said['poi_id'])}, a sight that a traveller could visit there."
    )


def _stop(claim: Claim, places: SnapshotPlaces) -> str:
    return (
        f"On day {claim.said['day']} of the journey that the document tells or plans, somebody "
        f"goes to {places.tell_place(claim.said['poi_id'])}; the marked name is that place."
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
    "poi_hierarchy": _part,
    "poi_aliases": _alias,
    "pois": _place,
    "trajectories": _stop,
}
