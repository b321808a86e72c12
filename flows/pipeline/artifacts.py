"""What Prefect shows of a flow run: the summary, the gates, the costs and how it ended."""

from __future__ import annotations

from typing import Any

from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.pipeline.run import BuildResult
from flows.report.given import documents_line
from schemas.nouns import count_noun


def write_artifacts(result: BuildResult) -> None:
    """The summary, the gates and the seconds by stage, for the flow run's page."""
    published = result.published
    verdict = "unchanged" if result.unchanged else ("published" if published.passed else "rejected")
    failed = [gate for gate in published.gates if not gate.passed]
    lines = [
        f"Snapshot `{published.path.name}`: **{verdict}**.",
        f"{count_noun(len(published.gates), 'gate')}, {len(failed)} failed.",
        f"Run `{result.costs['run_id']}`,"
        f" {result.costs['seconds_to_publish']} s until the gates ran.",
    ]
    if result.given.documents.height:
        lines.append(f"{documents_line(result.given.documents)}.")
    create_markdown_artifact(key="summary", markdown="\n\n".join(lines))
    gates: list[dict[str, Any]] = [
        {"gate": gate.gate_id, "passed": gate.passed, "message": gate.message}
        for gate in published.gates
    ]
    create_table_artifact(key="gates", table=gates)
    stages: list[dict[str, Any]] = [
        {"stage": name, **figures} for name, figures in result.costs["stages"].items()
    ]
    create_table_artifact(key="costs", table=stages)


def final_state(result: BuildResult) -> State[Any]:
    """Completed where a snapshot was published or nothing had changed; else failed, with gates."""
    published = result.published
    if published.passed:
        return Completed(message=f"snapshot {published.path.name}")
    errors = [gate for gate in published.gates if not gate.passed and gate.severity == "error"]
    reasons = "; ".join(f"{gate.gate_id}: {gate.message}" for gate in errors[:5])
    return Failed(message=f"rejected; the last good snapshot stays. {reasons}"[:1000])
