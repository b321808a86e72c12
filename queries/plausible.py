"""Choose wishes that a traveller might plausibly have.

Three lists show which wishes are plausible. ``unlikely`` lists wishes that certain travellers do
not have, and the reasons. ``avoidable`` lists things that people might refuse. ``kin`` lists groups
of similar tags: a wish for one tag in a group repeats or contradicts a wish for another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from queries.drawing import shuffle
from schemas.word_lists import Lists

_LISTS = Lists("queries")
_UNLIKELY = _LISTS.table("unlikely")
_AVOIDABLE = frozenset(_LISTS.words("avoidable"))
#: The topics of each tag, and for each whether a query may wish for two tags of this topic.
_KIN: dict[str, dict[str, bool]] = {}
for _tag, _near, _both in _LISTS.table("kin"):
    _KIN.setdefault(_tag, {})[_near] = _both == "yes"
#: A budget is tight if it is less than this per person and day in yuan, with the journey included.
#: In appendix C of TravelEval, the economy class has up to 500 a day and 500 for the journey.
ECONOMY_YUAN = 600


@dataclass(frozen=True)
class Traveller:
    """The travellers for whom a query is made.

    ``party`` counts adults, children and seniors. ``daily_yuan`` is the budget per person and day,
    if it is known. ``also`` contains further properties of the trip, named as in ``unlikely``.
    """

    party: tuple[int, int, int]
    daily_yuan: int | None = None
    also: frozenset[str] = frozenset()

    @property
    def kinds(self) -> frozenset[str]:
        """Return the travellers' properties, named as in the list ``unlikely``."""
        _adults, children, seniors = self.party
        told = (
            ("all", True),
            ("children", children > 0),
            ("no_children", not children),
            ("seniors", seniors > 0),
            ("one", sum(self.party) == 1),
            ("not_couple", self.party != (2, 0, 0)),
            ("economy", self.daily_yuan is not None and self.daily_yuan < ECONOMY_YUAN),
        )
        return self.also | {kind for kind, holds in told if holds}


def unseen() -> frozenset[str]:
    """Return the tags that a table must contain before queries may ask for them."""
    return frozenset(tag for who, tag, _ in _UNLIKELY if who in ("unseen", "all"))


def likely(tags: Iterable[str], traveller: Traveller) -> tuple[str, ...]:
    """Return those tags that the traveller might wish for."""
    kinds = traveller.kinds
    unfit = {tag for who, tag, _ in _UNLIKELY if who in kinds}
    return tuple(tag for tag in tags if tag not in unfit)


def avoidable(tags: Iterable[str], party: tuple[int, int, int] = (1, 0, 0)) -> tuple[str, ...]:
    """Return those tags that the party might refuse."""
    return tuple(
        tag
        for tag in tags
        if tag in _AVOIDABLE and not (party[1] and "children" in _KIN.get(tag, ()))
    )


def apart(tags: Sequence[str], count: int, *seed: str) -> list[str]:
    """Draw up to ``count`` tags that do not repeat one another, and return them in their
    original order.
    """
    taken: list[str] = []
    for tag in shuffle(tags, *seed):
        if len(taken) < count and not any(_repeats(tag, other) for other in taken):
            taken.append(tag)
    return sorted(taken, key=tags.index)


def unlike(tags: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Return the tags that are neither in ``others`` nor similar to a tag in ``others``."""
    held = set(others)
    near = {kin for tag in held for kin in _KIN.get(tag, ())}
    return tuple(t for t in tags if t not in held and near.isdisjoint(_KIN.get(t, ())))


def not_drawn() -> list[Mapping[str, object]]:
    """Return, for the report, the wishes and refusals that are not drawn, with the reasons."""
    wishes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for who, tag, why in _UNLIKELY:
        wishes[who, why].append(tag)
    groups: dict[str, list[str]] = defaultdict(list)
    for tag, kins in _KIN.items():
        for kin in kins:
            groups[kin].append(tag)
    refusals = {
        "side": "refusal",
        "who": "all",
        "why": "nobody refuses other tags than these",
        "only": sorted(_AVOIDABLE),
    }
    return [
        *({"side": "wish", "who": w, "why": why, "tags": t} for (w, why), t in wishes.items()),
        refusals,
        *(
            {"side": "both", "who": "all", "why": f"near to each other: {kin}", "tags": tags}
            for kin, tags in groups.items()
        ),
    ]


def _repeats(tag: str, other: str) -> bool:
    others = _KIN.get(other, {})
    return any(kin in others and not both for kin, both in _KIN.get(tag, {}).items())
