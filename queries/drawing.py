"""Draws by hash: quotas, samples and balanced deals that are the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from schemas.ids import digest

T = TypeVar("T")


def pick(options: Sequence[T], *seed: str) -> T:
    """One option. Raises ZeroDivisionError where there is none."""
    return options[int(digest(*seed, length=12), 16) % len(options)]


def shuffle(options: Sequence[T], *seed: str) -> list[T]:
    """All options in the order of their hash."""
    ranked = sorted(range(len(options)), key=lambda i: digest(*seed, str(i)))
    return [options[i] for i in ranked]


def sample(options: Sequence[T], count: int, *seed: str) -> list[T]:
    """``count`` different options in their own order, chosen by hash."""
    ranked = sorted(range(len(options)), key=lambda i: digest(*seed, str(i)))
    return [options[i] for i in sorted(ranked[:count])]


def deal(options: Sequence[T], count: int, *seed: str) -> list[T]:
    """``count`` options of which each comes as often as any other, give or take one."""
    dealt: list[T] = []
    while len(dealt) < count:
        dealt += shuffle(options, *seed, str(len(dealt)))
    return dealt[:count]


def draw_share(count: int, share: float, *seed: str) -> list[bool]:
    """Which of ``count`` are among a share of them: exactly so many, spread by hash."""
    few = largest_remainder(count, (share, 1 - share))[0] if count else 0
    return shuffle([index < few for index in range(count)], *seed)


def largest_remainder(total: int, weights: Sequence[float]) -> list[int]:
    """Whole shares of ``total`` in proportion to the weights; they sum to it exactly."""
    whole = sum(weights)
    exact = [total * weight / whole for weight in weights]
    shares = [int(value) for value in exact]
    order = sorted(range(len(weights)), key=lambda i: (shares[i] - exact[i], i))
    for i in order[: total - sum(shares)]:
        shares[i] += 1
    return shares
