"""A model that gives no usable answer: said with the ledger's count, nothing lost, asked again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from extractors.llm import Ledger
from tests.support.extractors.llm.server import Endpoint, completion, serving
from tests.support.flows import running
from warehouse.given import read_given

pytestmark = pytest.mark.slow

PAGE = completion("<html><body>502 Bad Gateway</body></html>")
CUT = completion('{"days": [', finish="length")
REFUSED = completion(None, refusal="I can't help with that.")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    with serving() as found:
        for name, value in {
            "OPENAI_BASE_URL": found.base_url, "OPENAI_MODEL": "absent", "OPENAI_API_KEY": "sk-x",
            "TRIPBED_LEDGER": str(tmp_path / "ledger.sqlite"), "TRIPBED_LLM_CONCURRENCY": "1",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield found


def test_answers_of_no_use(
    small: running.Inputs, endpoint: Endpoint, tmp_path: Path, without_extras: None
) -> None:
    own = tmp_path / "own.jsonl"
    stops = ["青石园", "双桥古街", "云岩塔"]
    line = {
        "doc": "spring.md",
        "kind": "diary",
        "pois": [{"name": n, "role": "visited"} for n in stops],
        "trajectory": [{"day": 1, "visits": stops}],
    }
    own.write_text(json.dumps(line), encoding="utf-8")
    command = [
        "build", *small.options(), *running.build_options(tmp_path / "work", tmp_path / "out"),
        "--engine", "openai", "--readings", own,
    ]  # fmt: skip
    endpoint.script = [PAGE, REFUSED, CUT]
    endpoint.otherwise = PAGE
    outcome = running.run(*command)
    failed = sum(total.failed for total in Ledger(tmp_path / "ledger.sqlite").summary())
    assert failed == endpoint.count > 0
    told = re.search(r"warning: .* because the model gave no usable answer.*", outcome.out)
    assert told is not None, outcome.out
    counted = (
        "1 of 2 documents could not be read completely, because the model gave no usable answer."
        " The ledger contains {} failed answers, {} of them from this run"
    )
    assert counted.format(failed, failed) in told[0]
    snapshot = Path(outcome.last_line)
    rows = {row["path"]: row for row in read_given(snapshot)["documents"].to_dicts()}
    assert (rows["autumn.md"]["status"], rows["autumn.md"]["reason"]) == ("waiting", "unanswered")
    assert rows["autumn.md"]["why"].startswith("the model gave no usable answer (")
    assert rows["spring.md"]["reader"] == "own"
    assert counted.format(failed, 0) in running.run(*command).out
    assert endpoint.count == failed, "nothing is paid twice"
    Ledger(tmp_path / "ledger.sqlite").prune(status="failed")
    assert counted.format(failed, failed) in running.run(*command).out
    assert endpoint.count == 2 * failed, "what was pruned is asked again, though the shard was made"


def test_a_model_that_answers_nothing_is_the_first_error(
    small: running.Inputs, endpoint: Endpoint, tmp_path: Path
) -> None:
    """The build ends at the second document, and says what to look at; nothing is published."""
    for number in range(6):
        page = small.documents / f"more-{number}.md"
        page.write_text(f"{running.PAGES['spring.md']}\n{number}", encoding="utf-8")
    endpoint.otherwise = PAGE
    outcome = running.run(
        "build", *small.options(), *running.build_options(tmp_path / "work", tmp_path / "out"),
        "--engine", "openai",
    )  # fmt: skip
    assert outcome.code == 2
    assert "the model returned no answer in the requested format" in outcome.err
    assert "OPENAI_BASE_URL" in outcome.err
    assert "Traceback" not in outcome.err
    assert endpoint.count == 12, "three samples of two questions on each of two documents"
    assert not (tmp_path / "out").exists()
