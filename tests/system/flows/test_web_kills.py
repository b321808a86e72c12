"""Builds from our own web killed with -9 while they search, fetch and read with a model."""

from __future__ import annotations

import pytest

from benchmarks.llm_runs import ledger_sent
from tests.support.flows.killing import asked_again, kill
from tests.support.flows.looking import Looking
from tests.support.flows.running import checksums
from tests.support.sources.web.own.engine import said


@pytest.mark.parametrize(
    ("part", "during"), [(0.1, "search"), (0.5, "fetch"), (0.8, "model, document reading")]
)
def test_killed_in_the_middle_it_goes_on_to_the_same_bytes(
    city: Looking, reference: Looking, part: float, during: str
) -> None:
    killed = kill(city, at_request=int(part * reference.n_first))
    assert killed is not None
    assert killed.during == during
    told = city.build("--json")
    assert told.code == 0, told
    assert checksums(city.snapshot()) == checksums(reference.snapshot())
    pages, paid = asked_again(killed, city.web, ledger_sent(city.ledger))
    assert paid == 0, "no committed answer is asked for again"
    assert pages <= len(said()["hosts"]), "only what was in flight is asked again"
