"""Draw pseudorandom options, samples and shares by hash, with the same results on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from schemas.ids import digest

T = TypeVar("T")


def pick(options: Sequence[T], *seed: str) -> T:
    """Draw one option. Raises ZeroDivisionError if there are no options."""
    return options[int(digest(*seed, length=12), 16) % len(options)]


def shuffle(options: Sequence[T], *seed: str) -> list[T]:
    """Return all options in an order that depends on the seed."""
    ranked = sorted(range(len(options)), key=lambda i: digest(*seed, str(i)))
    return [options[i] for i in ranked]


def sample(options: Sequence[T], count: int, *seed: str) -> list[T]:
    """Draw ``count`` different options, and return them in their original order."""
    ranked = sorted(range(len(options)), key=lambda i: digest(*seed, str(i)))
    return [options[i] for i in sorted(ranked[:count])]


def deal(options: Sequence[T], count: int, *seed: str) -> list[T]:
    """Draw ``count`` options so that the frequencies of the options differ by at most one."""
    dealt: list[T] = []
    while len(dealt) < count:
        dealt += shuffle(options, *seed, str(len(dealt)))
    return dealt[:count]


def draw_share(count: int, share: float, *seed: str) -> list[bool]:
    """Decide for each of ``count`` items whether it is drawn, so that exactly the given share is
    drawn.
    """
    few = largest_remainder(count, (share, 1 - share))[0] if count else 0
    return shuffle([index < few for index in range(count)], *seed)


def largest_remainder(total: int, weights: Sequence[float]) -> list[int]:
    """Divide ``total`` into whole numbers in proportion to the weights, using the
    largest-remainder method.
    """
    whole = sum(weights)
    exact = [total * weight / whole for weight in weights]
    shares = [int(value) for value in exact]
    order = sorted(range(len(weights)), key=lambda i: (shares[i] - exact[i], i))
    for i in order[: total - sum(shares)]:
        shares[i] += 1
    return shares
