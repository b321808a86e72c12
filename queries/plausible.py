"""Which wishes fit a traveller: a wish that nobody would voice is not drawn.

Three tables say what is not drawn and why: ``unlikely`` for wishes, ``avoidable`` for what people
may refuse, and ``kin`` for tags so close that a wish for one contradicts or repeats the other.
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
#: By tag: what it is near to, and whether two tags of that may be wished for together.
_KIN: dict[str, dict[str, bool]] = {}
for _tag, _near, _both in _LISTS.table("kin"):
    _KIN.setdefault(_tag, {})[_near] = _both == "yes"
#: Below this many yuan a person and day, journey and all, a traveller is on a tight budget
#: (TravelEval, appendix C: the economy class has up to 500 a day and 500 for the journey).
ECONOMY_YUAN = 600


@dataclass(frozen=True)
class Traveller:
    """Who travels: adults, children and seniors; yuan a person and day, where a budget is known;
    what else is true of the trip, as the table ``unlikely`` names it."""

    party: tuple[int, int, int]
    daily_yuan: int | None = None
    also: frozenset[str] = frozenset()

    @property
    def kinds(self) -> frozenset[str]:
        """What the traveller is, as the table ``unlikely`` names it."""
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
    """Tags that are asked for only where a table shows them."""
    return frozenset(tag for who, tag, _ in _UNLIKELY if who in ("unseen", "all"))


def likely(tags: Iterable[str], traveller: Traveller) -> tuple[str, ...]:
    """Those of the tags that the traveller might wish for."""
    kinds = traveller.kinds
    unfit = {tag for who, tag, _ in _UNLIKELY if who in kinds}
    return tuple(tag for tag in tags if tag not in unfit)


def avoidable(tags: Iterable[str], party: tuple[int, int, int] = (1, 0, 0)) -> tuple[str, ...]:
    """Those of the tags that the party may want none of."""
    return tuple(
        tag
        for tag in tags
        if tag in _AVOIDABLE and not (party[1] and "children" in _KIN.get(tag, ()))
    )


def apart(tags: Sequence[str], count: int, *seed: str) -> list[str]:
    """``count`` of the tags, or fewer, no two of which nearly say the same, in their own order."""
    taken: list[str] = []
    for tag in shuffle(tags, *seed):
        if len(taken) < count and not any(_repeats(tag, other) for other in taken):
            taken.append(tag)
    return sorted(taken, key=tags.index)


def unlike(tags: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Those of the tags that are neither among the others nor near to one of them."""
    held = set(others)
    near = {kin for tag in held for kin in _KIN.get(tag, ())}
    return tuple(t for t in tags if t not in held and near.isdisjoint(_KIN.get(t, ())))


def not_drawn() -> list[Mapping[str, object]]:
    """What is not drawn and why, for the report: wishes by whose they would be, and refusals."""
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
