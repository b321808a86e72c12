"""The pages of our own web as they are in an edition, and a small search engine over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import yaml

Row = dict[str, Any]
_DAY_ZH = ("一", "二", "三")
_WALKS = {
    "zh": ("上午游览{0}，下午游览{1}，傍晚游览{2}。", "早上参观{0}，午后逛{1}，最后到{2}。",
           "先去{0}，再去{1}，晚饭前游览{2}。"),
    "en": ("We visited {0} in the morning, then {1}, and ended the day at {2}.",
           "In the morning we went to {0}. After lunch we visited {1}, then {2}.",
           "First we visited {0}, next {1}, and in the evening we walked to {2}."),
}  # fmt: skip
_SHORT = {"zh": "上午游览{0}，下午游览{1}。", "en": "We visited {0} in the morning and {1} later."}


@dataclass(frozen=True)
class Page:
    """A page: ``at`` is host and path, ``text`` what a search reads of it."""

    at: str
    lang: str = "zh"
    title: str = ""
    text: str = ""
    on: str | None = None
    changed: str | None = None
    trait: str = ""
    to: str | None = None

    @property
    def html(self) -> bytes:
        """The page's bytes."""
        head = [f'<meta property="article:published_time" content="{self.on}">'] if self.on else []
        if self.changed:
            head.append(f'<meta property="article:modified_time" content="{self.changed}">')
        body = "".join(_block(line) for line in self.text.splitlines())
        return (
            f'<!doctype html><html lang="{self.lang}"><head><meta charset="utf-8">'
            f"<title>{escape(self.title)}</title>{''.join(head)}</head>"
            f"<body><article><h1>{escape(self.title)}</h1>{body}</article></body></html>"
        ).encode()


def _block(line: str) -> str:
    tag = "h2" if line.startswith("# ") else "p"
    return f"<{tag}>{escape(line.removeprefix('# '))}</{tag}>"


@cache
def said() -> Row:
    """What ``pages.yaml`` says."""
    found: Row = yaml.load(
        (Path(__file__).parent / "pages.yaml").read_text("utf-8"), Loader=yaml.BaseLoader
    )
    return found


def gazetteer() -> str:
    """The places of the web as a table to build from."""
    rows = [",".join([key, *values]) for key, values in said()["places"].items()]
    return "\n".join(["id,name_zh,name_en,lat,lon", *rows, ""])


@cache
def pages(edition: int) -> dict[str, Page]:
    """Every page of an edition, 1 or 2, by host and path."""
    found: dict[str, Page] = {}
    writers = {"journeys": _journey, "sights": _sight, "rankings": _ranking}
    for kind, write in writers.items():
        for number, row in enumerate(said()[kind]):
            then = row.get("then", {}) if edition == 2 else {}
            if then != "gone":
                found[row["at"]] = write({**row, **then}, number)
    for row in said()["odd"]:
        found[row["at"]] = Page(**row)
    for row in said()["copies"]:
        found[row["at"]] = Page(**{**vars(found[row["of"]]), "at": row["at"]})
    for row in said()["redirects"]:
        found[row["at"]] = Page(**{**vars(found[row["to"]]), "at": row["at"], "to": row["to"]})
    return found


def changed() -> set[str]:
    """Pages whose bytes differ in the second edition."""
    first, second = pages(1), pages(2)
    both = [at for at in first.keys() & second.keys() if first[at].to is None]
    return {at for at in both if first[at].html != second[at].html}


def gone() -> set[str]:
    """Pages that the second edition does not have."""
    return pages(1).keys() - pages(2).keys()


def results(query: str, edition: int) -> list[Page]:
    """Pages that hold words of a query, the most of them first; forbidden and gone pages too.

    An engine's index is behind the web: it still lists what is gone.
    """
    words = query.lower().split()
    listed = pages(1) | pages(edition)
    scores = {
        at: sum(word in f"{page.title} {page.text}".lower() for word in words)
        for at, page in listed.items()
    }
    best = sorted((-score, at) for at, score in scores.items() if score)
    return [listed[at] for _, at in best]


def _name(key: str, lang: str) -> str:
    return str(said()["places"][key][0 if lang == "zh" else 1])


def _journey(row: Row, number: int) -> Page:
    lang = row.get("lang", "zh")
    lines = [row["note"]]
    for day, stops in enumerate(row["days"]):
        names = [_name(key, lang) for key in stops]
        form = _WALKS[lang][(number + day) % 3] if len(names) == 3 else _SHORT[lang]
        lines += [
            f"# 第{_DAY_ZH[day]}天" if lang == "zh" else f"# Day {day + 1}",
            form.format(*names),
        ]
    lead = "绍兴旅游攻略，行程安排与路线。" if lang == "zh" else "An itinerary for Shaoxing."
    return Page(
        row["at"], lang, row["title"], "\n".join([lead, *lines]), row.get("on"), row.get("changed")
    )


def _sight(row: Row, number: int) -> Page:
    lang, name = row.get("lang", "zh"), _name(row["place"], row.get("lang", "zh"))
    keys = [key for key in said()["places"] if key != row["place"]]
    near = [_name(keys[(number + step) % len(keys)], lang) for step in (0, 3)]
    free = row["price"] == "0"
    if lang == "zh":
        title = f"绍兴{name}门票与开放时间"
        ticket = "免费开放" if free else f"门票{row['price']}元"
        text = (
            f"绍兴景点推荐：{name}。\n{name}开放时间{row['hours']}，{ticket}。\n"
            f"游览{name}之后，可以再去{near[0]}和{near[1]}。"
        )
    else:
        title = f"Visiting {name} in Shaoxing"
        ticket = "is free" if free else f"costs {row['price']} yuan"
        text = (
            f"One of the attractions of Shaoxing.\n{name} is open daily {row['hours']}. The ticket "
            f"of {name} {ticket}.\nAfter {name} we visited {near[0]} and {near[1]}."
        )
    return Page(row["at"], lang, title, text, row.get("on"), row.get("changed"))


def _ranking(row: Row, number: int) -> Page:
    lang = row.get("lang", "zh")
    lines = [f"{rank}. {_name(key, lang)}" for rank, key in enumerate(row["best"], 1)]
    lead = "绍兴必去景点推荐。" if lang == "zh" else "Attractions and things to see in Shaoxing."
    return Page(
        row["at"], lang, row["title"], "\n".join([lead, *lines]), row.get("on"), row.get("changed")
    )
