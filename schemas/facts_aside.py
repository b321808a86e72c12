"""What is recorded of facts that were set aside, as stages write it and gates expect it."""

from __future__ import annotations

#: A fact that holds only for somebody or on a condition, in a document that rules read.
CONDITION_BY_RULES = "condition_by_rules"
_WHY = {
    CONDITION_BY_RULES: (
        "the rules too often misread for whom or on what condition a fact holds; to publish it,"
        " read the document with a model (--engine openai), or bring its reading (--readings)"
    )
}


def describe_fact(field: str, poi: str, check: str) -> str:
    """The message about a fact that failed a check: which fact, and why unless the check says it
    all."""
    fact = f"{field} of {poi!r}"
    return f"{fact}: {_WHY[check]}" if check in _WHY else fact
