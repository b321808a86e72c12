"""Writes the messages about facts that were set aside.

A gate checks that the published messages are exactly those that this module writes.
"""

from __future__ import annotations

#: The check for facts that apply only to some travellers or on a condition and were read by rules.
CONDITION_BY_RULES = "condition_by_rules"
_WHY = {
    CONDITION_BY_RULES: (
        "the rules too often misread for whom or on what condition a fact holds; to publish it,"
        " read the document with a model (--engine openai), or bring its reading (--readings)"
    )
}


def describe_fact(field: str, poi: str, check: str) -> str:
    """Describe a fact that failed a check; add the reason if the name of the check does not show
    it.
    """
    fact = f"{field} of {poi!r}"
    return f"{fact}: {_WHY[check]}" if check in _WHY else fact
