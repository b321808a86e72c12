"""``report.html``: one self-contained page about a snapshot that works offline."""

from __future__ import annotations

from flows.report.render import render_report, write_report

__all__ = ["render_report", "write_report"]
