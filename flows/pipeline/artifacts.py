"""Reports the result of a flow run on its page in Prefect, in its final state and to the webhook at
``TRIPBED_WEBHOOK_URL``.
"""

from __future__ import annotations

import logging
from typing import Any

import httpx
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from flows.pipeline.run import BuildResult
from flows.report.given import documents_line
from flows.settings.environment import load_settings
from schemas.nouns import count_noun


def write_artifacts(result: BuildResult) -> None:
    """Write the summary, the gates and the duration of each stage to the flow run's page."""
    published = result.published
    verdict = "unchanged" if result.unchanged else ("published" if published.passed else "rejected")
    failed = [gate for gate in published.gates if not gate.passed]
    lines = [
        f"Snapshot `{published.path.name}`: **{verdict}**.",
        f"{count_noun(len(published.gates), 'gate')}, {len(failed)} failed.",
        f"Run `{result.costs['run_id']}`: all gates had finished after"
        f" {result.costs['seconds_to_publish']} s.",
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
    """Return the final state of a flow run.

    The state is Completed if a snapshot was published or if nothing had changed. Otherwise, the
    state is Failed, and its message lists the gates that failed.
    """
    published = result.published
    if published.passed:
        return Completed(message=f"snapshot {published.path.name}")
    errors = [gate for gate in published.gates if not gate.passed and gate.severity == "error"]
    reasons = "; ".join(f"{gate.gate_id}: {gate.message}" for gate in errors[:5])
    message = f"the build was rejected, so the last good snapshot remains the latest. {reasons}"
    return Failed(message=message[:1000])


_TIMEOUT_SECONDS = 10


def notify(flow: Any, flow_run: Any, state: Any) -> None:
    """Report the end of a run to the webhook; Prefect calls this function when a state changes."""
    address = load_settings().webhook_url
    if address is None:
        return
    ended = str(state.name)
    body = {
        "text": f"tripbed {flow.name} ({flow_run.name}): {ended}. {state.message or ''}".strip(),
        "flow": flow.name,
        "run": flow_run.name,
        "run_id": str(flow_run.id),
        "state": ended,
        "message": state.message,
        "cities": (flow_run.parameters or {}).get("cities"),
    }
    try:
        httpx.post(
            address.get_secret_value(), json=body, timeout=_TIMEOUT_SECONDS
        ).raise_for_status()
    except httpx.HTTPError as error:
        # The address may contain a key, so only the kind of error is logged.
        logging.getLogger("tripbed").warning("no notification was sent: %s", type(error).__name__)
