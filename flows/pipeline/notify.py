"""Posts a notification as JSON to ``TRIPBED_WEBHOOK_URL`` when a flow run ends.

The body has the facts and a field ``text``, which chat services display. A notification that cannot
be sent only causes a warning: it never changes how a run ends.
"""

from __future__ import annotations

import logging
from typing import Any

import httpx

from flows.settings.environment import load_settings

_TIMEOUT_SECONDS = 10


def notify(flow: Any, flow_run: Any, state: Any) -> None:
    """A Prefect state-change hook: tells how the run ended."""
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
        # The address may hold a key: only the kind of the error is told.
        logging.getLogger("tripbed").warning("no notification was sent: %s", type(error).__name__)
