"""Asks an engine to perform one task on many items, several at a time."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from schemas.tasks import Engine, Grounded, In, Out, Task, Unanswered


def ask_all(
    engine: Engine, task: Task[In, Out], items: Iterable[In]
) -> list[Grounded[Out] | Unanswered]:
    """Return one result per item, in order: the answer, or the reason why there is none.

    The engine decides how many items are processed at once. Any error other than ``Unanswered``
    stops the work, and the remaining items are not processed.
    """

    def answer(item: In) -> Grounded[Out] | Unanswered:
        try:
            return engine.run(task, item)
        except Unanswered as failed:
            return failed

    workers = max(1, int(getattr(engine, "concurrency", 1)))
    with ThreadPoolExecutor(workers, thread_name_prefix=task.name) as pool:
        return list(pool.map(answer, items))
