"""Asks an engine many items of one task, as many at once as it says it can carry."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from schemas.tasks import Engine, Grounded, In, Out, Task, Unanswered


def ask_all(
    engine: Engine, task: Task[In, Out], items: Iterable[In]
) -> list[Grounded[Out] | Unanswered]:
    """The answer to each item, in their order; for an item without a usable one, the reason.

    Any other error ends the work: items that nobody has begun with are not asked about.
    """

    def answer(item: In) -> Grounded[Out] | Unanswered:
        try:
            return engine.run(task, item)
        except Unanswered as failed:
            return failed

    workers = max(1, int(getattr(engine, "concurrency", 1)))
    with ThreadPoolExecutor(workers, thread_name_prefix=task.name) as pool:
        return list(pool.map(answer, items))
