"""Move sights between the days of a trip as long as the days improve.

Each sight is first inserted where it fits best at that time. After more sights have been inserted,
a sight may fit better on a different day. Moves are compared by how they change the burden of the
days.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

#: The burden of a day with its sights in a given order; None if this order is impossible.
Burden = Callable[[int, Sequence[int]], int | None]
#: The smallest gain for which a move is made, and the most moves.
_LEAST_GAIN, _MOST_MOVES = 8, 40
Move = tuple[tuple[int, list[int]], tuple[int, list[int]]]


def move_visits(
    days: Sequence[Sequence[int]], burden: Burden, hopeless: Callable[[int, int], bool]
) -> list[list[int]]:
    """Return the days after all moves that reduce the burden.

    At each step, the first move that reduces the burden is made. ``hopeless`` returns True if there
    is no point in trying to place a sight on a day.
    """
    found = [list(day) for day in days]
    known: dict[tuple[int, tuple[int, ...]], int | None] = {}

    def of(day: int, order: Sequence[int]) -> int | None:
        key = day, tuple(order)
        if key not in known:
            known[key] = burden(day, order)
        return known[key]

    for _ in range(_MOST_MOVES):
        better = _first_better(found, of, hopeless)
        if better is None:
            break
        for day, order in better:
            found[day] = order
    return found


def _first_better(
    days: Sequence[list[int]], burden: Burden, hopeless: Callable[[int, int], bool]
) -> Move | None:
    for move in _moves(days, hopeless):
        (a, first), (b, second) = move
        before = [burden(day, days[day]) for day in {a, b}]
        after = [burden(a, first)]
        if a != b and after[0] is not None:
            after.append(burden(b, second))
        if None in before or None in after:
            continue
        if sum(filter(None, before)) - sum(filter(None, after)) >= _LEAST_GAIN:
            return move
    return None


def _moves(days: Sequence[list[int]], hopeless: Callable[[int, int], bool]) -> Iterator[Move]:
    """Yield every move of a sight within its day or to a different day, then every exchange of two
    sights.
    """
    for a, day in enumerate(days):
        for node in day:
            rest = [n for n in day if n != node]
            for at in range(len(rest) + 1):
                order = [*rest[:at], node, *rest[at:]]
                if order != day:
                    yield (a, order), (a, order)
            for b, other in enumerate(days):
                if b != a and not hopeless(node, b):
                    for at in range(len(other) + 1):
                        yield (a, rest), (b, [*other[:at], node, *other[at:]])
    for a, day in enumerate(days):
        for b in range(a + 1, len(days)):
            for m in day:
                for n in days[b]:
                    if not hopeless(m, b) and not hopeless(n, a):
                        yield (
                            (a, [n if x == m else x for x in day]),
                            (b, [m if x == n else x for x in days[b]]),
                        )
