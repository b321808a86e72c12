"""Wishes and exclusions of the traveleval family, drawn from what the tables can meet."""

from __future__ import annotations

from collections.abc import Sequence

from queries.drawing import pick, sample
from queries.grounding import Offer, Origin

CATEGORIES = ("transportation", "accommodations", "diet", "attractions", "rhythm")
#: Categories whose tags a hard query may exclude.
EXCLUDABLE = ("accommodations", "diet", "attractions")
#: Tags that fit children, and tags that do not (appendix C: preferences fit the party).
FAMILY = frozenset({
    "亲子友好", "家庭房", "自营亲子房", "亲子主题房", "儿童俱乐部", "儿童乐园", "儿童泳池",
})  # fmt: skip
NOT_FOR_CHILDREN = frozenset({"情侣房", "酒吧/酒馆", "行政酒廊"})

Wanted = dict[str, dict[str, list[str]]]
Party = tuple[int, int, int]


def preferences(seed: str, offer: Offer, origin: Origin, difficulty: str, party: Party) -> Wanted:
    """Wishes and exclusions by category: none, 1 to 2 or 3 to 4 categories."""
    found: Wanted = {category: {} for category in CATEGORIES}
    if difficulty == "easy":
        return found
    tags = usable_tags(offer, origin, party)
    usable = [category for category in CATEGORIES if tags[category]]
    sizes = (1, 2) if difficulty == "medium" else (3, 4)
    count = min(pick(sizes, seed, "categories"), len(usable))
    chosen = sample(usable, count, seed, "which")
    if difficulty == "hard" and not any(len(tags[c]) > 2 for c in chosen if c in EXCLUDABLE):
        chosen = [max(EXCLUDABLE, key=lambda c: len(tags[c])), *chosen[1:]]
    for category in chosen:
        most = 1 if category in ("transportation", "rhythm") else 2
        number = min(pick(range(1, most + 1), seed, "n", category), len(tags[category]))
        wished = sample(tags[category], number, seed, "tags", category)
        found[category] = {
            "preferences": _for_party(seed, wished, tags[category], party),
            "constraints": [],
        }
    if difficulty == "hard":
        _exclude(seed, found, chosen, tags, party)
    return found


def easier(seed: str, hard: Wanted) -> Wanted:
    """The medium query of a group: one or two of the hard one's categories, without exclusions."""
    active = [category for category in CATEGORIES if hard[category].get("preferences")]
    kept = set(sample(active, min(pick((1, 2), seed, "medium"), len(active) - 1), seed, "kept"))
    return {
        category: {"preferences": hard[category]["preferences"], "constraints": []}
        if category in kept
        else {}
        for category in CATEGORIES
    }


def usable_tags(offer: Offer, origin: Origin, party: Party) -> dict[str, tuple[str, ...]]:
    """Tags that the tables can meet and that fit the party."""
    _, children, seniors = party
    journey = [tag for tag, ok in (("高铁", origin.by_train), ("飞机", origin.by_flight)) if ok]
    unfit = NOT_FOR_CHILDREN if children else frozenset()
    return {
        "transportation": tuple(journey),
        "accommodations": tuple(tag for tag in offer.features if tag not in unfit),
        "diet": tuple(tag for tag in offer.cuisines if tag not in unfit),
        "attractions": offer.types,
        "rhythm": ("慢游",) if seniors or children else ("慢游", "特种兵式"),
    }


def _for_party(seed: str, wished: list[str], tags: Sequence[str], party: Party) -> list[str]:
    """With children, one of the wishes is a family tag where the city has one."""
    family = [tag for tag in tags if tag in FAMILY]
    if not party[1] or not family or set(wished) & FAMILY:
        return wished
    return sorted([pick(family, seed, "family"), *wished[1:]], key=tags.index)


def _exclude(
    seed: str, found: Wanted, chosen: Sequence[str], tags: dict[str, tuple[str, ...]], party: Party
) -> None:
    """One exclusion or two, of tags that the query does not wish for and that fit nobody in it."""
    options = [
        (category, tag)
        for category in chosen
        if category in EXCLUDABLE
        for tag in tags[category]
        if tag not in found[category]["preferences"] and not (party[1] and tag in FAMILY)
    ]
    for category, tag in sample(options, pick((1, 2), seed, "exclusions"), seed, "not"):
        found[category]["constraints"].append(tag)
