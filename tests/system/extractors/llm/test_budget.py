"""One budget for a run: threads, processes and machines reserve in the ledger before they ask."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
import sqlalchemy as sa

from benchmarks.budget import one_run
from extractors.llm import BudgetSpent, Ledger, OpenAIEngine, TokenPrices, accounts
from extractors.llm.money import Budget, Spending, TokenAmount
from extractors.llm.purse import Purse
from extractors.tasks import TrajectoryExtraction
from tests.support.extractors.llm.fixtures import document, good
from tests.support.extractors.llm.server import Endpoint

pytestmark = pytest.mark.usefixtures("all_cores")

TASK = TrajectoryExtraction()
FREE = TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
SPENT = Budget(tokens=1000)
Make = Callable[..., OpenAIEngine]


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the ledger is: a file, or a server where one can be started."""
    if request.param == "SQLite":
        return str(tmp_path / "ledger.sqlite")
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
def purse_of(place: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., Purse]]:
    """Make purses as different processes have them: each with its own connections."""
    opened: list[Ledger] = []

    def make(run_id: str = "", budget: Budget = SPENT, patience_s: float = 60) -> Purse:
        opened.append(Ledger(place))
        account = opened[-1].account(f"{request.node.name} {run_id}")
        account.spending()
        return Purse(FREE, budget, account, patience_s)

    yield make
    for ledger in opened:
        ledger.close()


def now(purse: Purse) -> Spending:
    """What the ledger holds about the purse's run."""
    return purse._account.spending()


def test_processes_of_a_run_share_its_budget_and_other_runs_have_their_own(
    purse_of: Callable[..., Purse],
) -> None:
    ours, theirs, other = purse_of(), purse_of(), purse_of("another")
    with ours.reserve(300, 300) as held:
        held.settle(TokenAmount(550))
    with pytest.raises(BudgetSpent, match="of 1000 tokens would be exceeded: 550 are spent, the"):
        theirs.reserve(300, 300).__enter__()
    with theirs.reserve(300, 150) as held:
        assert now(ours) == Spending(TokenAmount(550), TokenAmount(450), TokenAmount())
        held.settle(TokenAmount(10))
    with other.reserve(300, 700):
        pass
    assert (ours.spent, theirs.spent, other.spent) == (
        TokenAmount(550),
        TokenAmount(10),
        TokenAmount(1000),
    )
    assert now(ours) == now(theirs) == Spending(TokenAmount(560), TokenAmount(), TokenAmount())
    with purse_of(budget=Budget(tokens=2000)).reserve(1440, 0) as held:
        held.settle(TokenAmount())  # a higher budget lets the same run go on


def test_room_that_a_living_process_holds_is_waited_for(
    purse_of: Callable[..., Purse], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder takes longer than its lease: it says that it lives."""
    monkeypatch.setattr(accounts, "LEASE_SECONDS", 1)
    ours, theirs = purse_of(), purse_of()
    inside, room = threading.Event(), []

    def work() -> None:
        with theirs.reserve(500, 400) as held:
            inside.set()
            time.sleep(1.8)
            room.append("left")
            held.settle(TokenAmount(100))

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait(20)
    with ours.reserve(500, 400):
        assert room == ["left"]
    thread.join()
    assert now(ours).spent == TokenAmount(1000)


def test_nothing_is_waited_for_that_could_not_leave_enough_room(
    purse_of: Callable[..., Purse],
) -> None:
    ours, theirs = purse_of(), purse_of()
    with ours.reserve(500, 0), theirs.reserve(100, 0):
        began = time.monotonic()
        with pytest.raises(BudgetSpent, match=r"0 are spent, 600 are in flight, the next .* 1001"):
            theirs.reserve(1001, 0).__enter__()
        assert time.monotonic() - began < 5


def test_a_wait_without_any_change_ends(purse_of: Callable[..., Purse]) -> None:
    ours, theirs = purse_of(), purse_of(patience_s=0.3)
    with ours.reserve(900, 0), pytest.raises(BudgetSpent, match="900 are in flight"):
        theirs.reserve(200, 0).__enter__()


def test_what_a_dead_process_had_in_flight_stays_counted_and_holds_nobody_up(
    purse_of: Callable[..., Purse], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "LEASE_SECONDS", 1)
    dead, living = purse_of(), purse_of()
    assert dead._account.hold("lost" + "0" * 28, TokenAmount(800), SPENT)
    with pytest.raises(BudgetSpent, match="800 are spent, up to 800 of them on lost answers, the"):
        living.reserve(100, 200).__enter__()
    assert now(living) == Spending(TokenAmount(800), TokenAmount(), TokenAmount(800))
    with living.reserve(100, 100):
        pass
    assert now(living).spent == TokenAmount(1000)


def test_a_reservation_is_settled_once_whoever_settles_it(purse_of: Callable[..., Purse]) -> None:
    ours, other = purse_of(), purse_of("another")
    with ours.reserve_first([(100, 100), (100, 300), (400, 500)]) as (number, held):
        held.left_open = True
    assert number == 2
    assert now(ours).in_flight == TokenAmount(600)
    for cost in (150, 999):
        other.settle(held.id, TokenAmount(cost))
    assert now(ours) == Spending(TokenAmount(150), TokenAmount(), TokenAmount())
    assert now(other) == Spending(TokenAmount(), TokenAmount(), TokenAmount())


def test_a_reservation_whose_commit_was_not_heard_of_counts_once(
    purse_of: Callable[..., Purse],
) -> None:
    purse = purse_of()
    assert all(purse._account.hold("a" * 32, TokenAmount(300), SPENT) for _ in range(3))
    assert now(purse).in_flight == TokenAmount(300)


def test_processes_that_are_killed_never_pass_the_budget(place: str) -> None:
    outcome = one_run(place, random.Random(3), 1, 120_000, None)
    assert outcome.kills == 1
    assert not outcome.broken
    assert not outcome.hidden
    assert outcome.requests > 20
    assert outcome.share(outcome.counted) > 0.9


def test_engines_of_a_run_stop_together(
    endpoint: Endpoint, ledger: Ledger, engine_of: Make
) -> None:
    endpoint.otherwise = good()
    first, second = (engine_of(budget_tokens=7000, run_id="r") for _ in range(2))

    def until_stopped() -> None:
        for number in range(100):
            (first, second)[number % 2].run(TASK, document(number))

    with pytest.raises(BudgetSpent, match="of 7000 tokens"):
        until_stopped()
    alone = engine_of(budget_tokens=7000)
    alone.run(TASK, document(1000))
    assert first.spent[0] + second.spent[0] == ledger.account("r").spending().spent.tokens
    assert alone.spent[0] == 120


def test_requests_that_can_break_no_budget_leave_no_trace(
    endpoint: Endpoint, ledger: Ledger, engine_of: Make
) -> None:
    endpoint.otherwise = good()
    engine_of(run_id="r").run(TASK, document())
    engine_of(prices=FREE, budget_usd=1, run_id="r").run(TASK, document(1))
    assert endpoint.count == 2
    with ledger._engine.connect() as connection:
        for table in ("runs", "reservations"):
            assert not connection.execute(sa.text(f"select * from {table}")).all()


def test_a_ledger_of_before_is_given_the_new_tables(
    endpoint: Endpoint, engine_of: Make, ledger: Ledger, tmp_path: Path
) -> None:
    endpoint.otherwise = good()
    engine_of().run(TASK, document())
    ledger.close()
    with sqlite3.connect(tmp_path / "ledger.sqlite") as old:
        for table in ("runs", "reservations"):
            old.execute(f"drop table {table}")
    again = Ledger(tmp_path / "ledger.sqlite")
    assert again.account("r").spending() == Spending(TokenAmount(), TokenAmount(), TokenAmount())
    (total,) = again.summary()
    assert total.requests == 1
    again.close()


def test_ledgers_opened_at_once_make_their_tables_once(postgres: str) -> None:
    """PostgreSQL refuses one of two that make a table at the same moment."""
    engine = sa.create_engine(postgres, isolation_level="AUTOCOMMIT")
    for _ in range(4):
        name = f"fresh_{uuid.uuid4().hex}"
        with engine.connect() as connection:
            connection.execute(sa.text(f"create database {name}"))
        url = sa.make_url(postgres).set(database=name).render_as_string(hide_password=False)
        problems: list[Exception] = []

        def opened(url: str = url, problems: list[Exception] = problems) -> None:
            try:
                ledger = Ledger(url)
                ledger.account("r").spending()
                ledger.close()
            except Exception as error:
                problems.append(error)

        threads = [threading.Thread(target=opened) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with engine.connect() as connection:
            connection.execute(sa.text(f"drop database {name} with (force)"))
        assert problems == []
    engine.dispose()
