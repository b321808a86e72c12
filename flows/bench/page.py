"""The leaderboard as a page: one file, no script, nothing loaded."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib import resources
from typing import Any

from flows.bench.leaderboard import GROUPS, SAMPLES, Figure, Line, columns, notes
from flows.bench.scores import BETTER

_ARROWS = {"high": "↑", "low": "↓"}
_TITLES = {"all": "All queries", "split": "By split", "family": "By family", "days": "By days"}


def page(abouts: Sequence[dict[str, Any]], lines: Sequence[Line]) -> str:
    """A complete HTML document."""
    style = (resources.files("flows.report") / "assets" / "style.css").read_text(encoding="utf-8")
    own = (resources.files("flows.bench") / "assets" / "page.css").read_text(encoding="utf-8")
    body = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>Leaderboard · tripbed</title><style>{style}{own}</style></head><body><main>",
        "<h1>Leaderboard</h1>",
        "<p class='lead'>Means over the queries that have the figure; below them the middle 95 % of "
        f"the means of {SAMPLES:,} samples of the same queries. ↑ more is better, ↓ less is better; a "
        "bold figure is the best of its row. Shares are between 0 and 1.</p>",
        _runs(abouts),
        *(f"<p><strong>{_text(note)}</strong></p>" for note in notes(abouts)),
        *(_section(group, lines) for group in ("all", *GROUPS)),
        "</main></body></html>",
    ]
    return "".join(body)


def _runs(abouts: Sequence[dict[str, Any]]) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{_text(a['name'])}</th><td>{_text(a['planner'])}</td>"
        f"<td><code>{_text(a['snapshot'])}</code></td><td>{_text(a['split'])}</td>"
        f"<td class='num'>{a['planned']} of {a['queries']}</td></tr>"
        for a in abouts
    )
    head = "<tr><th>run</th><th>planner</th><th>snapshot</th><th>split</th><th class='num'>queries</th></tr>"  # fmt: skip
    return f"<section id='runs'><h2>Runs</h2><div class='scroll'><table><thead>{head}</thead><tbody>{rows}</tbody></table></div></section>"  # fmt: skip


def _section(group: str, lines: Sequence[Line]) -> str:
    chosen = [line for line in lines if line.group == group]
    values = sorted({line.value for line in chosen}, key=lambda v: (len(v), v))
    tables = []
    for value in values:
        heading = "" if group == "all" else f"<h3>{_text(value)}{' days' if group == 'days' else ''}</h3>"  # fmt: skip
        tables.append(heading + _table([line for line in chosen if line.value == value]))
    return f"<section id='{group}'><h2>{_TITLES[group]}</h2>{''.join(tables)}</section>"


def _table(lines: Sequence[Line]) -> str:
    head = "".join(f"<th class='num'>{_text(line.run)}</th>" for line in lines)
    counts = "".join(f"<td class='num'>{line.queries}</td>" for line in lines)
    rows = [f"<tr><th scope='row'>queries</th>{counts}</tr>"]
    for metric in columns(lines):
        figures = [line.figures.get(metric) for line in lines]
        best = _best(metric, figures)
        cells = "".join(_cell(figure, best) for figure in figures)
        arrow = _ARROWS.get(BETTER.get(metric, ""), "")
        rows.append(f"<tr><th scope='row'>{_text(metric)} {arrow}</th>{cells}</tr>")
    return f"<div class='scroll'><table class='board'><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"  # fmt: skip


def _best(metric: str, figures: Sequence[Figure | None]) -> float | None:
    """The best mean of several runs; None where no direction is better, or all are equal."""
    means = [round(figure.mean, 3) for figure in figures if figure is not None]
    if metric not in BETTER or len(set(means)) < 2:
        return None
    return max(means) if BETTER[metric] == "high" else min(means)


def _cell(figure: Figure | None, best: float | None) -> str:
    if figure is None:
        return "<td class='num muted'>–</td>"
    mean = f"{figure.mean:.3f}"
    strong = f"<strong>{mean}</strong>" if round(figure.mean, 3) == best else mean
    return f"<td class='num' title='{figure.n} queries'>{strong}<br><small>{figure.low:.3f}–{figure.high:.3f}</small></td>"  # fmt: skip


def _text(value: Any) -> str:
    return html.escape(str(value))
