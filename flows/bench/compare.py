"""Compares runs side by side for ``tripbed bench report``, as a table and as a page."""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from flows.bench.leaderboard import (
    EVERY,
    GROUPS,
    SAMPLES,
    TITLES,
    RunFigure,
    RunLine,
    count_figures,
    lines_of,
    notes,
    number,
    plain,
    sections,
    show_figure,
    with_ranks,
)
from flows.bench.run import ABOUT, SCORES, read_results
from flows.errors import SettingsError
from flows.plans.metrics import papers_of
from flows.report.one_file import asset
from validators.metrics.figures import MetricFigure, ranks


def report(
    folders: Sequence[Path], out: Path | None, as_json: bool, metrics: str | None = None
) -> int:
    """Print the leaderboard, write the page to ``out`` if a path is given, and return 0.

    ``metrics`` names the checks and papers whose figures are shown; by default, the main figures
    of all checks and papers are shown. Raises SettingsError if a folder contains no finished run,
    or if no run has scores for these metrics.
    """
    chosen = None if metrics is None else papers_of(metrics, EVERY)
    runs = [_read(folder) for folder in folders]
    names = [about["name"] for about, _ in runs]
    if len(set(names)) < len(names):
        raise SettingsError(
            f"several runs share a name: {', '.join(sorted(names))}; give each run its "
            "own name with bench run --name"
        )
    wanted: dict[str, MetricFigure] = {}
    lines: list[RunLine] = []
    for about, rows in runs:
        own = count_figures(rows, chosen)
        wanted |= {one.key: one for one in own}
        lines += lines_of(about, rows, own)
    if not wanted:
        raise SettingsError(
            "no run has these metrics: run `tripbed bench run` again to rescore a finished run"
        )
    lines = with_ranks(lines)
    shown_columns = sections(lines, wanted.values())
    preferences = _rank_preferences(runs) if chosen is None or "chinatravel" in chosen else []
    abouts = [about for about, _ in runs]
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(abouts, lines, shown_columns, preferences), encoding="utf-8")
    if as_json:
        sys.stdout.write(json.dumps({
            "runs": abouts, "lines": [plain(line) for line in lines], "preferences": preferences,
        }, ensure_ascii=False) + "\n")  # fmt: skip
        return 0
    _print(lines, shown_columns)
    for row in preferences:
        sys.stdout.write(
            f"rank of {row['method']} by {row['preference']}: {row['rank']:.2f} ({row['queries']}"
            " queries)\n"
        )
    for about in abouts:
        sys.stdout.write(
            f"{about['name']}: {about['planner']}; snapshot {about['snapshot']}, split "
            f"{about['split']}, {about['planned']} of {about['queries']} queries\n"
        )
    sys.stdout.writelines(f"{note}\n" for note in notes(abouts))
    if out is not None:
        sys.stdout.write(f"{out}\n")
    return 0


def _read(folder: Path) -> tuple[dict[str, Any], pl.DataFrame]:
    """Return a run's description and scores; raise SettingsError if the run is not finished."""
    if not (folder / ABOUT).is_file() or not (folder / SCORES).is_file():
        raise SettingsError(
            f"{folder} contains no finished run: finish one with `tripbed bench run … --out "
            f"{folder}`"
        )
    about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    told = pl.DataFrame(
        [(q, row["split"], row["family"], row["days"]) for q, row in read_results(folder).items()],
        {"query_id": pl.String, "split": pl.String, "family": pl.String, "days": pl.Int64},
        orient="row",
    )
    rows = told.join(pl.read_parquet(folder / SCORES), on="query_id", how="left")
    return {**about, "planned": rows.height}, rows.sort("query_id")


def _rank_preferences(runs: Sequence[tuple[dict[str, Any], pl.DataFrame]]) -> list[dict[str, Any]]:
    """Return ChinaTravel's preference ranks for the runs that have scores for the preferences."""
    rows = [
        rows.with_columns(method=pl.lit(about["name"]))
        for about, rows in runs
        if "goals" in rows.columns
    ]
    return ranks(pl.concat(rows, how="diagonal")) if rows else []


def _print(lines: Sequence[RunLine], shown_columns: dict[str, list[MetricFigure]]) -> None:
    whole = [line for line in lines if line.group == "all"]
    table = Table("metric", *(line.run for line in whole), title="all queries")
    table.add_row("queries", *(str(line.queries) for line in whole))
    for paper, columns in shown_columns.items():
        table.add_section()
        table.add_row(f"[bold]{TITLES[paper]}")
        for one in columns:
            table.add_row(one.label, *(show_figure(line.figures.get(one.key)) for line in whole))
    Console().print(table)


_ARROWS = {"high": "↑", "low": "↓"}
#: The figures that the tables show, by source.
Columns = Mapping[str, Sequence[MetricFigure]]
_GROUPS = {"all": "All queries", "split": "By split", "family": "By family", "days": "By days"}


def page(
    abouts: Sequence[dict[str, Any]], lines: Sequence[RunLine], columns: Columns,
    preferences: Sequence[Mapping[str, Any]] = (),
) -> str:  # fmt: skip
    """Return a complete HTML document.

    ``preferences`` contains ChinaTravel's ranks, as one mapping for each run and preference.
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
            "<p class='lead'>Each figure covers only the queries that have a value. The range below"
            f" a figure contains the middle 95 % of its values in {SAMPLES:,} samples of the same"
            " queries. ↑ means that more is better, and ↓ means that less is better. A bold figure"
            " is the best in its row. Shares are between 0 and 1.</p>"
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
        "<section id='preferences'><h2>Preference ranks</h2><p>ChinaTravel's ranks, which"
        " compare only plans that pass all their constraints.</p><div class='scroll'><table "
        "class='board'>"
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


def _row(column: MetricFigure, lines: Sequence[RunLine]) -> str:
    figures = [line.figures.get(column.key) for line in lines]
    best = _best(column.better, figures)
    cells = "".join(_cell(figure, best) for figure in figures)
    label = column.label.replace("_", " ")
    return f"<tr><th scope='row'>{_text(label)} {_ARROWS.get(column.better, '')}</th>{cells}</tr>"


def _best(better: str, figures: Sequence[RunFigure | None]) -> float | None:
    """Return the best mean of several runs, or None if all the means are equal."""
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
