"""Recorded figures: see sharing and request_costs."""

from __future__ import annotations

from flows.request_costs import Cost
from flows.sharing import Sharing

RECORDED_SHARING = Sharing(1, 1.0, 1.0, 1.0, 0.0, 0.0, "x")
RECORDED_COSTS: tuple[dict[str, Cost], str] = ({}, "")
