"""Cuts a sorted list into batches so that a new item affects only its own batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from schemas.ids import digest

Item = TypeVar("Item")


def cut_batches(
    items: Iterable[Item], key: Callable[[Item], str], most: int, mean: int
) -> Iterator[tuple[Item, ...]]:
    """Return batches of at most ``most`` items, and of about ``mean`` items on average.

    Whether an item ends a batch depends only on a digest of the item's own key.
    """
    batch: list[Item] = []
    for item in items:
        batch.append(item)
        if len(batch) == most or int(digest(key(item)), 16) % mean == 0:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)
