"""List the gates by topic, as the catalogue from which docs/gates.md is generated."""

from __future__ import annotations

from validators.gates import (
    card,
    context_tags,
    control,
    decisions,
    drift,
    evidence,
    facts,
    links,
    money,
    places,
    plans,
    queries,
    rankings,
    recomputed,
    scores,
    sources,
    space,
    structure,
    tables,
    trajectories,
)
from validators.gates.base import Gate

THEMES: dict[str, tuple[Gate, ...]] = {
    "Structure": structure.GATES,
    "Places": places.GATES,
    "Evidence and mentions": evidence.GATES,
    "Links": links.GATES,
    "Facts, documents and time": (*facts.GATES, *context_tags.GATES),
    "Trajectories": trajectories.GATES,
    "Queries": queries.GATES,
    "Witness plans": plans.GATES,
    "Tables and row counts": tables.GATES,
    "Money": money.GATES,
    "Recomputed values": (*recomputed.GATES, *space.GATES, *rankings.GATES, *scores.GATES),
    "Decisions and sources": (*decisions.GATES, *sources.GATES),
    "The build as a whole": (*control.GATES, *card.GATES),
    "Drift": drift.GATES,
}
CATALOGUE: tuple[Gate, ...] = tuple(gate for gates in THEMES.values() for gate in gates)
