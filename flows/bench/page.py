"""Writes the leaderboard as one HTML file, without scripts or external resources."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from flows.bench.leaderboard import (
    GROUPS,
    SAMPLES,
    TITLES,
    FigureColumn,
    RunFigure,
    RunLine,
    notes,
    number,
)
from flows.report.one_file import asset

_ARROWS = {"high": "↑", "low": "↓"}
#: The figures that the tables show, by source.
Columns = Mapping[str, Sequence[FigureColumn]]
_GROUPS = {"all": "All queries", "split": "By split", "family": "By family", "days": "By days"}


def page(
    abouts: Sequence[dict[str, Any]], lines: Sequence[RunLine], columns: Columns,
    preferences: Sequence[Mapping[str, Any]] = (),
) -> str:  # fmt: skip
    """Return a complete HTML document.

    ``preferences`` are ChinaTravel's ranks, with one mapping for each run and preference.
    """
    style = asset("flows.report", "style.css")
    own = asset("flows.bench", "page.css")
    body = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        (
            "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src"
            " 'unsafe-inline'\">"
        ),
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>Leaderboard · tripbed</title><style>{style}{own}</style></head><body><main>",
        "<h1>Leaderboard</h1>",
        (
            "<p class='lead'>Each figure covers the queries that have it. Below it stand the bounds"
            f" of its middle 95 % in {SAMPLES:,} samples of the same queries. ↑ more is better, ↓"
            " less is better; a bold figure is the best of its row. Shares are between 0 and 1.</p>"
        ),
        _runs(abouts),
        *(f"<p><strong>{_text(note)}</strong></p>" for note in notes(abouts)),
        _section("all", lines, columns),
        _preferences(preferences),
        *(_section(group, lines, columns) for group in GROUPS),
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
    head = (
        "<tr><th>run</th><th>planner</th><th>snapshot</th><th>split</th><th"
        " class='num'>queries</th></tr>"
    )
    return (
        "<section id='runs'><h2>Runs</h2><div"
        f" class='scroll'><table><thead>{head}</thead><tbody>{rows}</tbody></table></div></section>"
    )


def _preferences(ranks: Sequence[Mapping[str, Any]]) -> str:
    """Return ChinaTravel's preference ranks as a table, or "" if no query has a preference."""
    if not ranks:
        return ""
    rows = "".join(
        f"<tr><th scope='row'>{_text(r['preference'])}</th><td>{_text(r['method'])}</td>"
        f"<td class='num'>{r['rank']:.2f}</td><td class='num'>{r['queries']}</td></tr>"
        for r in ranks
    )
    head = (
        "<tr><th>preference</th><th>run</th><th class='num'>rank ↓</th><th"
        " class='num'>queries</th></tr>"
    )
    return (
        "<section id='preferences'><h2>Preference ranks</h2><p>ChinaTravel's ranks, over"
        " plans that pass all their constraints.</p><div class='scroll'><table class='board'>"
        f"<thead>{head}</thead><tbody>{rows}</tbody></table></div></section>"
    )


def _section(group: str, lines: Sequence[RunLine], columns: Columns) -> str:
    chosen = [line for line in lines if line.group == group]
    values = sorted({line.value for line in chosen}, key=lambda v: (len(v), v))
    tables = []
    for value in values:
        heading = (
            "" if group == "all" else f"<h3>{_text(value)}{' days' if group == 'days' else ''}</h3>"
        )
        tables.append(heading + _table([line for line in chosen if line.value == value], columns))
    return f"<section id='{group}'><h2>{_GROUPS[group]}</h2>{''.join(tables)}</section>"


def _table(lines: Sequence[RunLine], columns: Columns) -> str:
    head = "".join(f"<th class='num'>{_text(line.run)}</th>" for line in lines)
    counts = "".join(f"<td class='num'>{line.queries}</td>" for line in lines)
    bodies = [f"<tbody><tr><th scope='row'>queries</th>{counts}</tr></tbody>"]
    for paper, shown in columns.items():
        rows = "".join(_row(column, lines) for column in shown)
        title = (
            "<th scope='colgroup'"
            f" colspan='{len(lines) + 1}'><span>{_text(TITLES[paper])}</span></th>"
        )
        bodies.append(f"<tbody><tr class='paper'>{title}</tr>{rows}</tbody>")
    return (
        "<div class='scroll'><table"
        f" class='board'><thead><tr><th></th>{head}</tr></thead>{''.join(bodies)}</table></div>"
    )


def _row(column: FigureColumn, lines: Sequence[RunLine]) -> str:
    figures = [line.figures.get(column.key) for line in lines]
    best = _best(column.better, figures)
    cells = "".join(_cell(figure, best) for figure in figures)
    label = column.label.replace("_", " ")
    return f"<tr><th scope='row'>{_text(label)} {_ARROWS.get(column.better, '')}</th>{cells}</tr>"


def _best(better: str, figures: Sequence[RunFigure | None]) -> float | None:
    """Return the best mean of several runs, or None if no run is better than another."""
    means = [round(figure.mean, 3) for figure in figures if figure is not None]
    if better not in _ARROWS or len(set(means)) < 2:
        return None
    return max(means) if better == "high" else min(means)


def _cell(figure: RunFigure | None, best: float | None) -> str:
    if figure is None:
        return "<td class='num muted'>–</td>"
    mean = number(figure.mean)
    strong = f"<strong>{mean}</strong>" if round(figure.mean, 3) == best else mean
    return (
        f"<td class='num' title='{figure.n}"
        f" queries'>{strong}<br><small>{number(figure.low)}–{number(figure.high)}</small></td>"
    )


def _text(value: Any) -> str:
    return html.escape(str(value))
