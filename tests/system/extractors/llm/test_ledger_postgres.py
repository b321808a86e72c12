"""The same ledger in PostgreSQL, shared by processes; skipped where there is no server to start."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
import sqlalchemy as sa

from extractors.llm import Ledger
from tests.system.extractors.llm.test_ledger import ENTRY


@pytest.fixture
def shared(postgres: str) -> Iterator[tuple[Ledger, Ledger]]:
    """Two ledgers of two machines on one database, emptied afterwards."""
    ours, theirs = Ledger(postgres), Ledger(postgres)
    yield ours, theirs
    for status in ("good", "failed"):
        ours.prune(status=status)
    ours.close()
    theirs.close()


def test_an_answer_of_one_machine_is_served_to_another(shared: tuple[Ledger, Ledger]) -> None:
    ours, theirs = shared
    ours.record(ENTRY)
    assert theirs.find_recorded(ENTRY.key) == ENTRY
    assert theirs.record(replace(ENTRY, raw='{"later": 1}')) == ENTRY
    (total,) = theirs.summary()
    assert (total.requests, total.tokens_in, total.cost_micro_usd) == (1, 10, 7)
    assert [entry.key for entry in theirs.entries(task="t")] == [ENTRY.key]


def test_machines_that_record_at_once_agree_on_one_answer(shared: tuple[Ledger, Ledger]) -> None:
    kept: list[str] = []

    def record(ledger: Ledger, number: int) -> None:
        for at in range(20):
            ledger.sending(f"{at:064d}")
            time.sleep(0.001)
            entry = replace(ENTRY, key=f"{at:064d}", raw=f'{{"by": {number}}}')
            kept.append(f"{at} {ledger.record(entry).raw}")

    threads = [threading.Thread(target=record, args=(shared[n % 2], n)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 80
    assert len(set(kept)) == 20
    assert shared[0].count_lost() == (60, 0)


def test_pruning_removes_only_what_was_named(shared: tuple[Ledger, Ledger]) -> None:
    ours, theirs = shared
    ours.record(ENTRY)
    ours.record(replace(ENTRY, key="b" * 64, status="failed", reason="empty"))
    assert theirs.prune(status="failed", dry=True) == 1
    assert theirs.prune(status="failed") == 1
    assert ours.find_recorded(ENTRY.key) == ENTRY
    assert ours.find_recorded("b" * 64) is None
    with pytest.raises(ValueError, match="choose what to prune"):
        ours.prune()


def test_a_lost_connection_loses_no_answer(shared: tuple[Ledger, Ledger], postgres: str) -> None:
    """The server ends every connection between two uses, and once within a transaction."""
    ours, theirs = shared

    def cut() -> None:
        engine = sa.create_engine(postgres)
        with engine.begin() as connection:
            connection.execute(
                sa.text(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where pid <> pg_backend_pid() and backend_type = 'client backend'"
                )
            )
        engine.dispose()

    ours.sending(ENTRY.key)
    cut()
    ours.record(ENTRY)
    cut()
    assert theirs.find_recorded(ENTRY.key) == ENTRY
    cuts = iter([cut])

    def while_writing(*_: object) -> None:
        for once in cuts:
            once()

    sa.event.listen(ours._engine, "before_cursor_execute", while_writing)
    ours.record(replace(ENTRY, key="b" * 64))
    assert next(cuts, None) is None
    assert theirs.find_recorded("b" * 64) is not None


def test_a_database_that_is_not_there_is_an_error() -> None:
    """Whoever opens a ledger at an address where nothing listens is told at once."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra: postgres)")
    with pytest.raises(sa.exc.OperationalError):
        Ledger("postgresql+psycopg://tripbed@127.0.0.1:1/postgres")
