"""Write ``report.html``, a page about a snapshot that needs no other file and no network."""

from __future__ import annotations

from flows.report.render import render_report, write_report

__all__ = ["render_report", "write_report"]
