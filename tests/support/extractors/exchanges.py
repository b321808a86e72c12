"""Exchanges with a real model on texts of our own: recorded once, replayed in the tests.

    python -m tests.support.extractors.exchanges --url http://127.0.0.1:8080/v1

asks a model server all questions and writes ``exchanges.jsonl``: each request's hash with the raw
answer, and what came of each question. Record again after raising the version of a task: only
requests that changed are sent.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from extractors.llm import Ledger, LLMSettings, OpenAIEngine, TokenPrices, Unanswered
from extractors.tasks import FactExtraction, PoiExtraction, TrajectoryExtraction
from schemas.ids import canonical_json
from schemas.tasks import DocumentInput, Engine
from sources.web.main_text import parse_document
from tests.conftest import SAMPLE
from tests.support.extractors.contract_cases import BY_NAME, CASES
from tests.support.extractors.llm.server import Endpoint, Step, refused, serving, task_of

RECORDED = Path(__file__).with_name("exchanges.jsonl")
#: The small model of these exchanges reads a document by three requests; the other three came
#: later.
UNRECORDED = (
    "consistency_judgement", "document_reading", "link_review", "pair_judgement", "query_reading",
)  # fmt: skip
#: Pages of the bundled sample that are asked about.
PAGES = ("misc/05-duanwu-qinzi-liangri.txt",)


@dataclass(frozen=True)
class Question:
    """One item of one task."""

    name: str
    task: Any
    item: Any


def questions() -> Iterator[Question]:
    """Every task on its contract case, and the document tasks on pages of the sample."""
    for name, case in sorted(CASES.items()):
        if name in UNRECORDED:
            continue
        yield Question(name, BY_NAME[name], case.item)
    for page in PAGES:
        item = DocumentInput(
            document=parse_document((SAMPLE / "documents" / page).read_bytes(), page)
        )
        for task in (PoiExtraction(), TrajectoryExtraction(), FactExtraction()):
            yield Question(f"{task.name} {page}", task, item)


def engine_of(url: str, ledger: Path) -> OpenAIEngine:
    """The engine that asks, as it was recorded."""
    free = TokenPrices(usd_per_mtok_in=Decimal(0), usd_per_mtok_out=Decimal(0))
    settings = LLMSettings(
        base_url=url, model="local", prices=free, max_tokens=700, concurrency=1, attempts=1,
        read_timeout_s=900,
    )  # fmt: skip
    return OpenAIEngine(settings, Ledger(ledger), sleep=lambda _seconds: None)


def outcome(engine: Engine, question: Question) -> dict[str, Any]:
    """What came of a question, in a form that a file can hold."""
    try:
        found = engine.run(question.task, question.item)
    except Unanswered as failed:
        return {"unanswered": failed.reason}
    return {"output": json.loads(found.output.model_dump_json()),
            "aside": [f"{gap.what}: {gap.why}" for gap in found.ungrounded]}  # fmt: skip


def key_of(body: dict[str, Any]) -> str:
    """The hash of a request as it arrives."""
    return hashlib.sha256(canonical_json(body).encode()).hexdigest()


@dataclass
class Replay(Endpoint):
    """A server that answers what was recorded, and refuses every other request."""

    answers: dict[str, Any] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    def next_step(self, body: dict[str, Any], key: str | None) -> Step:
        """The recorded answer to a request."""
        found = self.answers.get(key_of(body))
        with self.lock:
            self.bodies.append(body)
            if found is None:
                self.unknown.append(task_of(body))
        return Step(body=found) if found else refused(404, "this request was not recorded")


@dataclass
class Recorder(Endpoint):
    """A server that passes requests on to a model and notes what it answers."""

    upstream: str = ""
    before: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)

    def next_step(self, body: dict[str, Any], key: str | None) -> Step:
        """The model's answer, without what only its machine knows."""
        if key_of(body) in self.before:
            self.answers[key_of(body)] = self.before[key_of(body)]
            return Step(body=self.before[key_of(body)])
        request = urllib.request.Request(
            f"{self.upstream}/chat/completions", json.dumps(body).encode(),
            {"content-type": "application/json"},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=900) as answer:
            raw = json.load(answer)
        choice, usage = raw["choices"][0], raw["usage"]
        kept = {
            "choices": [
                {
                    "index": 0,
                    "finish_reason": choice["finish_reason"],
                    "message": {"role": "assistant", "content": choice["message"]["content"]},
                    **(
                        {"logprobs": _without_bytes(choice["logprobs"])}
                        if choice.get("logprobs")
                        else {}
                    ),
                }
            ],
            "usage": {name: usage[name] for name in ("prompt_tokens", "completion_tokens")},
        }
        with self.lock:
            self.answers[key_of(body)] = kept
        return Step(body=kept)


def _without_bytes(logprobs: dict[str, Any]) -> dict[str, Any]:
    """What the first token could have been, of each its text and log-probability."""
    rows = logprobs["content"][0]["top_logprobs"]
    kept = [{"token": row["token"], "logprob": round(row["logprob"], 4)} for row in rows]
    return {"content": [{"top_logprobs": kept}]}


def recorded() -> tuple[dict[str, Any], dict[str, Any]]:
    """Answers by request, and outcomes by question."""
    rows = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    answers = {row["request"]: row["answer"] for row in rows if "request" in row}
    return answers, {row["question"]: row for row in rows if "question" in row}


def main() -> None:
    """Record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--url", required=True)
    options = parser.parse_args()
    before = recorded()[0] if RECORDED.exists() else {}
    asked = []
    server = Recorder(upstream=options.url, before=before)
    with tempfile.TemporaryDirectory() as place, serving(server):
        engine = engine_of(server.base_url, Path(place) / "ledger.sqlite")
        for question in questions():
            found = outcome(engine, question)
            asked.append({"question": question.name, "version": question.task.version, **found})
            print(question.name, found.get("unanswered", "answered"), flush=True)
            _write(server.answers, asked)


def _write(answers: dict[str, Any], asked: list[dict[str, Any]]) -> None:
    rows = [{"request": key, "answer": raw} for key, raw in sorted(answers.items())]
    lines = [json.dumps(row, ensure_ascii=False, sort_keys=True) for row in [*rows, *asked]]
    RECORDED.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
