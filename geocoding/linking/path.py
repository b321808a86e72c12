"""The city of each block of a document: a best path over the cities that the text speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: What a change of city costs, and what one costs where a heading names the new city.
CHANGE, CHANGE_AT_HEAD = 40, 15
#: What it costs to leave the state in which the text tells nothing.
BEGIN = 15
#: The state of a block that tells no city.
NOWHERE = ""

Evidence = Mapping[str, int]


def best_path(blocks: Sequence[Evidence], heads: Sequence[frozenset[str]]) -> list[str]:
    """The state of each block: a city or region that has evidence, or NOWHERE.

    ``blocks`` holds the evidence of each block by state, in hundredths; ``heads`` the states that
    a block's heading names. Ties fall to the state that comes first by name.
    """
    states = [NOWHERE, *sorted({state for evidence in blocks for state in evidence})]
    scores = {state: 0 if state == NOWHERE else -BEGIN for state in states}
    back: list[dict[str, str]] = []
    for evidence, head in zip(blocks, heads, strict=True):
        top = min(states, key=lambda state: (-scores[state], state))
        step: dict[str, str] = {}
        found: dict[str, int] = {}
        for state in states:
            cost = CHANGE_AT_HEAD if state in head else CHANGE
            changed = scores[top] - cost
            stays = scores[state] >= changed
            step[state] = state if stays else top
            found[state] = max(scores[state], changed) + evidence.get(state, 0)
        back.append(step)
        scores = found
    path: list[str] = []
    state = min(states, key=lambda state: (-scores[state], state))
    for step in reversed(back):
        path.append(state)
        state = step[state]
    return path[::-1]
