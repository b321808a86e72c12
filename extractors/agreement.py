"""Measures how well annotators agree, and settles their disagreements. See docs/tables.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["agreed", "adjudicated", "review"]


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa for two annotators who decided for each item whether it has a certain type.

    If both annotators always said yes, or both always said no, chance agreement is certain and
    ``kappa`` is None.
    """

    n_items: int
    first_yes: int
    second_yes: int
    both_yes: int
    observed: float
    kappa: float | None


def cohen_kappa(first: Sequence[bool], second: Sequence[bool]) -> Kappa:
    """Return Cohen's kappa (1960): (observed - chance) / (1 - chance).

    Raises ValueError if the two lists differ in length or are empty.
    """
    if len(first) != len(second) or not first:
        raise ValueError(
            "both annotations must cover the same items, and there must be at least one item"
        )
    n, one, two = len(first), sum(first), sum(second)
    both = sum(a and b for a, b in zip(first, second, strict=True))
    neither = sum(not a and not b for a, b in zip(first, second, strict=True))
    observed = (both + neither) / n
    chance = (one * two + (n - one) * (n - two)) / (n * n)
    kappa = None if chance == 1 else (observed - chance) / (1 - chance)
    return Kappa(n, one, two, both, observed, kappa)


@dataclass(frozen=True)
class Types:
    """The types that an annotator assigns to an item; ``base`` is None if the annotator is
    unsure.
    """

    base: str | None = None
    trends: frozenset[str] = frozenset()


def per_type(
    first: Mapping[str, Types], second: Mapping[str, Types], bases: Sequence[str],
    trends: Sequence[str],
) -> dict[str, Kappa]:  # fmt: skip
    """Return the kappa for each type over the items that both annotators labelled, or {} if there
    are no such items.
    """
    items = sorted(first.keys() & second.keys())
    if not items:
        return {}
    of_bases = {
        code: cohen_kappa(
            [first[i].base == code for i in items], [second[i].base == code for i in items]
        )
        for code in bases
    }
    return of_bases | {
        code: cohen_kappa(
            [code in first[i].trends for i in items], [code in second[i].trends for i in items]
        )
        for code in trends
    }


def adjudicate(
    first: Types | None, second: Types | None, third: Types | None
) -> tuple[Types, Status]:
    """Return the types that two of three annotators assign, and how the decision was made.

    If the first two annotators disagree, the third decides: a type is kept if two of the three
    assign it. The item is left for review if there is no third annotator, or if one of the first
    two gave no answer. An item left for review keeps only the types that both available annotators
    assign.
    """
    said = [types for types in (first, second) if types is not None]
    if len(said) == 2 and said[0] == said[1]:
        return said[0], "agreed"
    voices = [*said, *([third] if third is not None else [])]
    bases = [types.base for types in voices if types.base is not None]
    base = next((b for b in bases if bases.count(b) > 1), None)
    trends = {code for types in voices for code in types.trends}
    kept = frozenset(c for c in trends if sum(c in types.trends for types in voices) > 1)
    settled = len(voices) == 3 and (base is not None or not bases)
    return Types(base, kept), "adjudicated" if settled else "review"


@dataclass(frozen=True)
class Fleiss:
    """Agreement among several raters who each gave a code to every item.

    ``observed`` is the mean share of pairs of raters that agree on an item. If all raters gave
    every item the same code, chance agreement is certain and ``kappa`` is None.
    """

    n_items: int
    raters: int
    observed: float
    kappa: float | None


def fleiss_kappa(items: Sequence[Sequence[Hashable]]) -> Fleiss | None:
    """Return Fleiss' kappa (1971): (observed - chance) / (1 - chance).

    Returns None if there are no items or only one rater. Raises ValueError if the items have
    different numbers of raters.
    """
    raters = {len(item) for item in items}
    if len(raters) > 1:
        raise ValueError("every item must have the same number of raters")
    n = raters.pop() if raters else 0
    if n < 2:
        return None
    counts = [Counter(item) for item in items]
    pairs = [sum(k * (k - 1) for k in count.values()) / (n * (n - 1)) for count in counts]
    observed = sum(pairs) / len(items)
    total = sum(counts, Counter[Hashable]())
    chance = sum((k / (n * len(items))) ** 2 for k in total.values())
    kappa = None if chance == 1 else (observed - chance) / (1 - chance)
    return Fleiss(len(items), n, observed, kappa)
