"""All engines carry out all tasks under one contract: form, evidence, order, repetition."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from extractors.cascade import CascadeEngine
from extractors.llm import Ledger, LLMSettings, OpenAIEngine, TokenPrices, Unanswered
from extractors.llm.answers import answer_schema
from extractors.rules import RulesEngine
from extractors.tasks import ONE_WORD, TASKS
from schemas.tasks import Engine, Grounded
from tests.support.extractors.contract_cases import BY_NAME, CASES, FOR_MODELS
from tests.support.extractors.llm.server import Endpoint, said, serving, task_of

#: Each engine with each task that it carries out.
CARRIED_OUT = [
    (name, engine) for name in sorted(CASES) for engine in ("rules", "openai", "cascade")
    if engine == "openai" or name not in FOR_MODELS
]  # fmt: skip
FREE = TokenPrices.model_validate({"usd_per_mtok_in": 0, "usd_per_mtok_out": 0})


class ByTask(Endpoint):
    """An endpoint that answers each task with the answer of its case."""

    lying = False

    def next_step(self, body: dict[str, Any], key: str | None) -> Any:
        """The answer to the task that the request names."""
        with self.lock:
            self.bodies.append(body)
        case = CASES[task_of(body)]
        answer = case.wrong if self.lying else case.right
        return said(answer)


@pytest.fixture
def endpoint() -> Iterator[ByTask]:
    """The endpoint, running."""
    found = ByTask()
    with serving(found):
        yield found


@pytest.fixture
def engines(endpoint: ByTask, tmp_path: Path) -> dict[str, Engine]:
    """All engines by name."""
    settings = LLMSettings(base_url=endpoint.base_url, model="m", prices=FREE)
    model = OpenAIEngine(settings, Ledger(tmp_path / "ledger.sqlite"), sleep=lambda _s: None)
    rules = RulesEngine()
    return {"rules": rules, "openai": model, "cascade": CascadeEngine(rules, model)}


def test_every_task_has_a_case() -> None:
    assert sorted(CASES) == sorted(task.name for task in TASKS)
    assert len({task.name for task in TASKS}) == len(TASKS) == 14


@pytest.mark.parametrize("name", sorted(CASES))
def test_prompt_and_schema_belong_to_the_task(name: str) -> None:
    task, case = BY_NAME[name], CASES[name]
    assert isinstance(case.item, task.input_model)
    messages = task.prompt(case.item)
    roles = [m["role"] for m in messages]
    assert roles == ["system"] + ["user", "assistant"] * (len(roles) // 2 - 1) + ["user"]
    assert messages[:-1] == BY_NAME[name].prompt(case.item)[:-1], "the static part comes first"
    assert len(roles) == 2 or name in ONE_WORD, "examples only where one word answers"
    assert messages[-1]["content"].count("<document>") == 1
    assert messages[-1]["content"].rstrip().endswith("</document>")
    schema = answer_schema(task, case.item)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(case.right, schema)


@pytest.mark.parametrize(("name", "engine"), CARRIED_OUT)
def test_an_engine_answers_in_the_output_model_with_evidence(
    name: str, engine: str, engines: dict[str, Engine]
) -> None:
    task, case = BY_NAME[name], CASES[name]
    answer = engines[engine].run(task, case.item)
    assert isinstance(answer, Grounded)
    assert isinstance(answer.output, task.output_model)
    checked = task.check(case.item, answer.output)
    assert checked.output == answer.output, "what is handed out passes the check again"
    assert checked.ungrounded == ()
    assert engines[engine].run(task, case.item) == answer, "the same question, the same answer"
    text = answer.output.model_dump_json()
    assert not any(lie in text for lie in case.lies)


@pytest.mark.parametrize(("name", "engine"), [p for p in CARRIED_OUT if p[1] != "rules"])
def test_what_a_model_claims_without_evidence_is_set_aside(
    name: str, engine: str, engines: dict[str, Engine], endpoint: ByTask
) -> None:
    endpoint.lying = True
    task, case = BY_NAME[name], CASES[name]
    try:
        answer = engines[engine].run(task, case.item)
    except Unanswered:
        return  # nothing of it had evidence
    text = answer.output.model_dump_json()
    assert not any(lie in text for lie in case.lies)
    if engine == "openai" and name != "translation":
        assert answer.ungrounded


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_wrong_form_is_named_and_never_an_exception_of_another_kind(name: str) -> None:
    task, case = BY_NAME[name], CASES[name]
    first = next(iter(case.right))
    wrong: list[dict[str, Any]] = [{}, {"days": 1}, {first: "text"}, {first: [1]}, {first: [{}]}]
    for raw in wrong:
        with pytest.raises(ValueError, match=r"."):
            task.parse(raw, case.item)


def test_the_rules_answer_every_task_with_something(engines: dict[str, Engine]) -> None:
    empty = {"poi_review"}
    for name, case in CASES.items():
        if name in FOR_MODELS:
            with pytest.raises(LookupError, match=name):
                engines["rules"].run(BY_NAME[name], case.item)
            continue
        output = engines["rules"].run(BY_NAME[name], case.item).output
        values = [v for _k, v in output if isinstance(v, tuple) or hasattr(v, "visits")]
        assert name in empty or any(values), name


def test_the_cascade_asks_only_what_the_rules_are_unsure_of(
    engines: dict[str, Engine], endpoint: ByTask
) -> None:
    sure = [
        "query_rewording",
        "sub_query_rewriting",
        "context_tagging",
        "attraction_classification",
    ]
    for name in sure:
        engines["cascade"].run(BY_NAME[name], CASES[name].item)
    assert endpoint.count == 0
    engines["cascade"].run(BY_NAME["translation"], CASES["translation"].item)
    assert endpoint.count == 1
