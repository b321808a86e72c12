"""Write a plan as an HTML page without scripts, with a map, a timeline, costs and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from math import cos, radians
from typing import Any

from flows.plans.story import PARTS, PlanLine, PlanStory, minutes_of, spare_words
from flows.report.one_file import asset, fill_template, source_hash
from schemas.plans import JOURNEYS, MEALS

#: The number of colours for days; they are repeated if a trip has more days.
_COLOURS = 7
_WIDTH, _HEIGHT, _MARGIN = 720, 460, 36
_LABELS = {"accommodation": "Night", "airplane": "Flight"}
_WORDS = {True: "holds", False: "fails", None: "unknown"}


def page_of(told: PlanStory, query: Mapping[str, Any] | None, style: str, city: str) -> str:
    """Return the HTML page for a plan. All texts from tables are escaped."""
    report = asset("flows.report", "style.css")
    css = report[: report.index("}") + 1] + "\n" + asset("flows.plans", "plan.css")
    title = str(query["query_id"]) if query else city
    parts = {
        "TITLE": escape(title),
        "POLICY": (
            f"default-src 'none'; style-src '{source_hash(css)}'; base-uri 'none'; form-action"
            " 'none'"
        ),
        "STYLE": css,
        "LEAD": _lead(query, style),
        "MAP": _map(told),
        "DAYS": "".join(_day(number, day) for number, day in enumerate(told.days)),
        "COSTS": _costs(told),
        "VERDICTS": _verdicts(told),
        "NOTES": _notes(told),
    }
    return fill_template(asset("flows.plans", "plan.html"), parts)


def _lead(query: Mapping[str, Any] | None, style: str) -> str:
    texts = [query["text_zh"], query["text_en"]] if query else []
    told = "".join(f"<p>{escape(text)}</p>" for text in texts if text)
    return told + (f'<p class="muted">Plan: {escape(style)}</p>' if style else "")


def _map(told: PlanStory) -> str:
    """Draw a map as SVG: the stops of each day in one colour, with straight lines between them.

    The map shows only the area around the stops, so distant stations are cut off.
    """
    places = [
        i.point for _, items in told.days for i in items if i.point and i.kind not in JOURNEYS
    ]
    if not places:
        return '<p class="muted">No stop has known coordinates.</p>'
    lats, lons = [p[0] for p in places], [p[1] for p in places]
    middle = (min(lats) + max(lats)) / 2, (min(lons) + max(lons)) / 2
    wide = max((max(lons) - min(lons)) * cos(radians(middle[0])), 0.01)
    scale = min(
        (_WIDTH - 2 * _MARGIN) / wide, (_HEIGHT - 2 * _MARGIN) / max(max(lats) - min(lats), 0.01)
    )

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x = _WIDTH / 2 + (point[1] - middle[1]) * cos(radians(middle[0])) * scale
        return round(x, 1), round(_HEIGHT / 2 - (point[0] - middle[0]) * scale, 1)

    drawn = []
    for day, (_, items) in enumerate(told.days):
        stops = [(item, at(item.point)) for item in items if item.point]
        line = " ".join(f"{x},{y}" for _, (x, y) in stops)
        drawn.append(f'<polyline class="d{day % _COLOURS}" points="{line}"/>')
        number = 0
        for item, (x, y) in stops:
            if item.kind == "attraction":
                number += 1
                drawn.append(
                    f'<g class="d{day % _COLOURS}"><circle cx="{x}" cy="{y}" r="9"/><text x="{x}"'
                    f' y="{y + 4}">{number}</text><title>{escape(item.name)}</title></g>'
                )
            elif item.kind not in JOURNEYS and item.kind != "breakfast":
                drawn.append(
                    f'<circle class="{"meal" if item.kind in MEALS else "bed"}" cx="{x}" cy="{y}"'
                    f' r="4.5"><title>{escape(item.name)}</title></circle>'
                )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Stops by'
        f' day">{"".join(drawn)}</svg>'
    )


def _day(number: int, day: tuple[str, tuple[PlanLine, ...]]) -> str:
    title, items = day
    rows = "".join(_rows(items))
    return (
        '<section class="day'
        f' d{number % _COLOURS}"><h3>{escape(title)}</h3><ol>{rows}</ol></section>'
    )


def _rows(items: tuple[PlanLine, ...]) -> Iterator[str]:
    sights = 0
    for before, item in zip((None, *items), items, strict=False):
        if before is not None and (spare := spare_words(item, before)):
            yield (
                f'<li class="way"><time>{before.end}</time><span>{escape(spare)} until'
                f" {item.leaves or item.start}</span></li>"
            )
        if item.way:
            yield f'<li class="way"><time>{item.leaves}</time><span>{escape(item.way)}</span></li>'
        if before is not None and item.kind in JOURNEYS:
            arrives = item.arrives or before.end
            ahead = minutes_of(item.start) - minutes_of(arrives)
            yield (
                f'<li class="way"><time>{arrives}</time><span>{ahead} min before'
                " departure</span></li>"
            )
        sights += item.kind == "attraction"
        label = _LABELS.get(item.kind, item.kind.capitalize())
        mark = (
            f'<b class="number">{sights}</b> ' if item.kind == "attraction" else f"<b>{label}</b> "
        )
        until = "" if item.kind == "accommodation" else f"–{item.end}"
        details = " · ".join(item.details)
        cost = f"{item.cost_cents / 100:,.0f} yuan" if item.cost_cents else ""
        yield (
            f'<li class="{item.kind}"><time>{item.start}{until}</time>'
            f"<span>{mark}{escape(item.name)}"
            f"<small>{escape(details)}</small></span><em>{cost}</em></li>"
        )


def _costs(told: PlanStory) -> str:
    whole = max(told.budget_cents or 0, told.total_cents, 1)
    rows = "".join(
        f"<tr><th>{part}</th><td>{told.costs[part] / 100:,.2f}</td>"
        f'<td class="bar"><meter min="0" max="{whole}"'
        f' value="{told.costs[part]}"></meter></td></tr>'
        for part in PARTS
    )
    budget = "none given" if told.budget_cents is None else f"{told.budget_cents / 100:,.2f}"
    people = "1 person" if told.people == 1 else f"{told.people} people"
    return (
        f"<table>{rows}<tr><th>all, for"
        f" {people}</th><td>{told.total_cents / 100:,.2f}</td><td></td></tr>"
        f"<tr><th>budget</th><td>{budget}</td><td></td></tr></table>"
    )


def _verdicts(told: PlanStory) -> str:
    if not told.verdicts:
        return ""
    good = sum(passed is True for _, passed, _ in told.verdicts)
    rest = "".join(
        f'<li class="{_WORDS[passed]}"><b>{escape(name)}</b> {_WORDS[passed]}: {escape(why)}</li>'
        for name, passed, why in told.verdicts
        if passed is not True
    )
    return f"<p>{good} of {len(told.verdicts)} constraints and wishes are met.</p><ul>{rest}</ul>"


def _notes(told: PlanStory) -> str:
    parts = (("Notes", told.notes), ("Assumed", told.assumed), ("Not known", told.unknown))
    return "".join(
        f"<h3>{head}</h3><ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"
        for head, texts in parts
        if texts
    )
