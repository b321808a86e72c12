"""Prices and budgets: nothing is sent that could break them, by any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import Decimal

import pytest

from extractors.llm import BudgetSpent, EngineStopped, Ledger, OpenAIEngine, TokenPrices
from extractors.llm.money import Budget, TokenAmount
from extractors.llm.pace import Pace
from extractors.llm.purse import Purse
from extractors.tasks import TrajectoryExtraction
from tests.support.extractors.llm.fixtures import document, good
from tests.support.extractors.llm.server import Endpoint, Step, refused

Make = Callable[..., OpenAIEngine]
TASK = TrajectoryExtraction()
FREE = TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))


def test_cost_is_rounded_up_and_cached_tokens_have_their_own_price() -> None:
    prices = TokenPrices(
        usd_per_mtok_in=Decimal("0.15"), usd_per_mtok_out=Decimal("0.6"),
        usd_per_mtok_cached=Decimal("0.075"),
    )  # fmt: skip
    assert prices.cost_micro_usd(1, 0) == 1
    assert prices.cost_micro_usd(1_000_000, 1_000_000) == 750_000
    assert prices.cost_micro_usd(1_000_000, 0, 1_000_000) == 75_000


def test_a_bound_holds_whether_or_not_input_is_cached() -> None:
    dear = TokenPrices(
        usd_per_mtok_in=Decimal(1), usd_per_mtok_out=Decimal(2), usd_per_mtok_cached=Decimal(3)
    )
    assert FREE.price_at_most(10, 5) == TokenAmount(15, 0)
    assert dear.price_at_most(10, 5) == TokenAmount(15, 40)
    cheap = dear.model_copy(update={"usd_per_mtok_cached": Decimal("0.1")})
    assert cheap.price_at_most(10, 5) == TokenAmount(15, 20)


def test_an_unknown_price_is_refused(engine_of: Make, endpoint: Endpoint) -> None:
    with pytest.raises(EngineStopped, match="price of 'small' is unknown"):
        engine_of(prices=None)
    assert endpoint.count == 0


def test_a_stated_price_of_zero_cannot_stand_against_dollars_elsewhere(engine_of: Make) -> None:
    engine_of(prices=FREE, budget_usd=1).close()
    engine_of(prices=FREE, base_url="https://llm.example/v1", budget_tokens=1).close()
    with pytest.raises(EngineStopped, match="set budget_tokens"):
        engine_of(prices=FREE, base_url="https://llm.example/v1", budget_usd=1)


@pytest.mark.parametrize("budget", [{"budget_tokens": 9000}, {"budget_usd": Decimal("0.0090")}])
def test_a_budget_stops_before_the_request_and_the_run_goes_on_with_more(
    budget: dict[str, object], endpoint: Endpoint, engine_of: Make
) -> None:
    endpoint.otherwise = good()
    engine = engine_of(**budget)
    done = 0

    def run_until_stopped() -> None:
        nonlocal done
        for done in range(100):
            engine.run(TASK, document(done))

    with pytest.raises(BudgetSpent, match="would be exceeded"):
        run_until_stopped()
    assert 0 < done == endpoint.count
    tokens, micro_usd = engine.spent
    assert tokens <= 9000
    assert micro_usd <= 9000
    more = engine_of()
    for number in range(done + 1):
        more.run(TASK, document(number))
    assert endpoint.count == done + 1


def test_a_budget_of_nothing_sends_nothing_but_serves_what_is_recorded(
    endpoint: Endpoint, engine_of: Make
) -> None:
    endpoint.otherwise = good()
    engine_of().run(TASK, document())
    poor = engine_of(budget_tokens=0)
    poor.run(TASK, document())
    with pytest.raises(BudgetSpent):
        poor.run(TASK, document(1))
    assert endpoint.count == 1


def test_a_lost_answer_counts_at_its_bound(endpoint: Endpoint, engine_of: Make) -> None:
    endpoint.script = [Step(reset=True), good()]
    engine = engine_of()
    engine.run(TASK, document())
    assert engine.spent[0] > 3000 + 120


def test_a_request_that_never_left_costs_nothing(engine_of: Make) -> None:
    engine = engine_of(base_url="http://127.0.0.1:1/v1", budget_tokens=9000)
    with pytest.raises(EngineStopped, match="cannot be reached"):
        engine.run(TASK, document())
    assert engine.spent == (0, 0)


def test_an_error_without_an_answer_costs_nothing(endpoint: Endpoint, engine_of: Make) -> None:
    endpoint.script = [refused(500, "oops"), good()]
    engine = engine_of()
    engine.run(TASK, document())
    assert engine.spent == (120, 90)


def test_threads_wait_for_those_in_flight_and_never_break_the_budget(ledger: Ledger) -> None:
    purse = Purse(FREE, Budget(tokens=1000), ledger.account("r"), 60)
    entered, inside, most, refused = [0], [0], [0], [0]
    lock = threading.Lock()
    first_two = threading.Barrier(2)

    def work() -> None:
        try:
            with purse.reserve(100, 300) as held:
                with lock:
                    entered[0] += 1
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    is_early = entered[0] <= 2
                if is_early:  # there is room for two: neither goes on before both are inside
                    first_two.wait(30)
                threading.Event().wait(0.01)
                with lock:
                    inside[0] -= 1
                held.settle(TokenAmount(50))
        except BudgetSpent:
            refused[0] += 1

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 2
    # 50 tokens each, and room for a bound of 400 before every one: (1000 - 400) / 50 + 1
    assert (20 - refused[0], purse.spent.tokens) == (13, 650)


class _Clock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def __call__(self) -> float:
        return self.now


def test_pace_keeps_requests_and_tokens_a_minute() -> None:
    clock = _Clock()
    pace = Pace(60, None, clock, clock.sleep)
    for _ in range(180):
        pace.take(1)
    assert clock.now == pytest.approx(120)  # the first minute's allowance is there at once
    clock = _Clock()
    pace = Pace(None, 6000, clock, clock.sleep)
    for _ in range(20):
        pace.take(1000)
        pace.settle(1000, 500)
    assert clock.now == pytest.approx((20 * 500 + 500 - 6000) / 100)


def test_a_request_above_a_minutes_allowance_is_let_through_and_a_pause_holds_all() -> None:
    clock = _Clock()
    pace = Pace(None, 100, clock, clock.sleep)
    pace.take(1000)
    assert clock.now == 0
    pace.settle(1000, 100)
    pace.take(50)
    assert clock.now == pytest.approx(30)
    pace.pause(45)
    pace.take(1)
    assert clock.now == pytest.approx(75)
