"""Finds the city of each block in a document as the best path through the cities that the text
names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: The cost of a change of city, and of one at a heading that names the new city.
CHANGE, CHANGE_AT_HEAD = 40, 15
#: The cost of leaving the state in which no city is known.
BEGIN = 15
#: The state of a block without a city.
NOWHERE = ""

Evidence = Mapping[str, int]


def best_path(blocks: Sequence[Evidence], heads: Sequence[frozenset[str]]) -> list[str]:
    """Return the state of each block: a city or region for which there is evidence, or NOWHERE.

    ``blocks`` contains the evidence in each block by state, in hundredths. ``heads`` contains, for
    each block, the states that its heading names. Among equally good states, the one that comes
    first alphabetically is chosen.
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
