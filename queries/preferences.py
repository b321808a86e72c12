"""Draw the wishes and exclusions for traveleval queries from the tags that occur in a city."""

from __future__ import annotations

from collections.abc import Sequence

from queries.drawing import pick, sample
from queries.grounding import Offer
from queries.plausible import Traveller, apart, avoidable, likely, unlike

CATEGORIES = ("transportation", "accommodations", "diet", "attractions", "rhythm")
#: Categories from which a hard query may exclude tags.
EXCLUDABLE = ("accommodations", "diet", "attractions")
#: Tags that suit children, and tags that do not; appendix C wants preferences to suit the party.
FAMILY = frozenset({
    "亲子友好", "家庭房", "自营亲子房", "亲子主题房", "儿童俱乐部", "儿童乐园", "儿童泳池",
})  # fmt: skip
NOT_FOR_CHILDREN = frozenset({"情侣房", "酒吧/酒馆", "行政酒廊"})

Wanted = dict[str, dict[str, list[str]]]
Party = tuple[int, int, int]


def preferences(
    seed: str, offer: Offer, ways: Sequence[str], difficulty: str, traveller: Traveller
) -> Wanted:
    """Draw wishes and exclusions by category.

    An easy query has no wishes. A medium query has wishes in 1 or 2 categories, and a hard query
    has wishes in 3 or 4.
    """
    found: Wanted = {category: {} for category in CATEGORIES}
    if difficulty == "easy":
        return found
    tags = usable_tags(offer, ways, traveller)
    usable = [category for category in CATEGORIES if tags[category]]
    sizes = (1, 2) if difficulty == "medium" else (3, 4)
    count = min(pick(sizes, seed, "categories"), len(usable))
    chosen = sample(usable, count, seed, "which")
    refused: list[tuple[str, str]] = []
    if difficulty == "hard":
        chosen = _with_exclusion(chosen, tags)
        refused = _exclusions(seed, chosen, tags, traveller.party)
    for category in chosen:
        against = [tag for of, tag in refused if of == category]
        options = unlike(tags[category], against) or tuple(
            tag for tag in tags[category] if tag not in against
        )
        most = 2 if category in ("diet", "attractions") else 1
        number = pick(range(1, most + 1), seed, "n", category)
        wished = apart(options, number, seed, "tags", category)
        found[category] = {
            "preferences": _for_party(seed, wished, options, traveller.party),
            "constraints": against,
        }
    return found


def easier(seed: str, hard: Wanted) -> Wanted:
    """Return the wishes for a group's medium query, which are some of the hard query's wishes.

    Only the wishes in one or two categories remain, and there are no exclusions.
    """
    active = [category for category in CATEGORIES if hard[category].get("preferences")]
    kept = set(sample(active, min(pick((1, 2), seed, "medium"), len(active) - 1), seed, "kept"))
    return {
        category: {"preferences": hard[category]["preferences"], "constraints": []}
        if category in kept
        else {}
        for category in CATEGORIES
    }


def usable_tags(
    offer: Offer, ways: Sequence[str], traveller: Traveller
) -> dict[str, tuple[str, ...]]:
    """Return the tags that occur in the city and that the traveller might wish for, by category."""
    _, children, seniors = traveller.party
    unfit = NOT_FOR_CHILDREN if children else frozenset()
    held = {
        "accommodations": tuple(tag for tag in offer.features if tag not in unfit),
        "diet": tuple(tag for tag in offer.cuisines if tag not in unfit),
        "attractions": offer.types,
    }
    return {
        "transportation": tuple(ways),
        # If no tag of a category is likely, all are used so that the quota can be met.
        **{category: likely(tags, traveller) or tags for category, tags in held.items()},
        "rhythm": ("慢游",) if seniors or children else ("慢游", "特种兵式"),
    }


def _for_party(seed: str, wished: list[str], tags: Sequence[str], party: Party) -> list[str]:
    """Make sure that the wishes include a tag for families if the party has children and the city
    has such tags.
    """
    family = [tag for tag in tags if tag in FAMILY]
    if not party[1] or not family or set(wished) & FAMILY:
        return wished
    first = pick(family, seed, "family")
    others = apart(unlike(tags, [first]), len(wished) - 1, seed, "beside")
    return sorted([first, *others], key=tags.index)


def excludable(tags: dict[str, tuple[str, ...]], category: str) -> tuple[str, ...]:
    """Return the tags in a category that may be excluded, or none if the category has only one
    tag.
    """
    return avoidable(tags[category]) if len(tags[category]) > 1 else ()


def _with_exclusion(chosen: list[str], tags: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the categories; if none of them has a tag that may be excluded, replace one."""
    if any(excludable(tags, category) for category in chosen if category in EXCLUDABLE):
        return chosen
    most = max(EXCLUDABLE, key=lambda category: len(excludable(tags, category)))
    return sorted({most, *[c for c in chosen if c != most][1:]}, key=CATEGORIES.index)


def _exclusions(
    seed: str, chosen: Sequence[str], tags: dict[str, tuple[str, ...]], party: Party
) -> list[tuple[str, str]]:
    """Draw one or two tags to exclude; if the party has children, tags for families are not
    excluded.
    """
    options = [
        (category, tag)
        for category in chosen
        if category in EXCLUDABLE
        for tag in excludable(tags, category)
        if not (party[1] and tag in FAMILY)
    ]
    count = pick((1, 2), seed, "exclusions")
    drawn = sample(options, count, seed, "not")
    if len(drawn) == 2 and drawn[0][0] == drawn[1][0] and len(tags[drawn[0][0]]) == 2:
        return drawn[:1]
    return drawn
