"""What ``tripbed sources fetch`` prints: progress and counts on standard error, the folder last."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from flows.console import print_json
from flows.open.fetch import FetchedPlaces, FetchRequest, fetch
from schemas.nouns import count_noun

#: So many reasons for which rows were left out are shown; all stand in ``accounts.json``.
_SHOWN = 5


def fetch_quietly(asked: FetchRequest, out: Path, *, quiet: bool) -> FetchedPlaces:
    """Fetch with a line of progress on standard error, and the account there."""
    console = Console(stderr=True, quiet=quiet, highlight=False)
    with console.status("open data") as status:
        found = fetch(asked, out, status.update)
    for line in lines(found):
        console.print(line, markup=False, soft_wrap=True)
    return found


def run(asked: FetchRequest, out: Path, *, as_json: bool) -> None:
    """Fetch, and print what came of it."""
    found = fetch_quietly(asked, out, quiet=as_json)
    if as_json:
        print_json({"path": str(found.folder), "cities": found.cities})
    else:
        sys.stdout.write(f"{found.folder}\n")


def lines(found: FetchedPlaces) -> list[str]:
    """The account in words, a line a provider and a line a city."""
    told = []
    for slug, city in found.cities.items():
        boundary = city["area"]["boundary"]
        where = (
            f"within {boundary['name']} ({boundary['source']})" if boundary else "within the box"
        )
        told.append(f"{slug}, {where}")
        for one in city["providers"]:
            told += [
                f"  {_provider(one)}",
                *(f"  {one['provider']}: {note}" for note in one["notes"]),
            ]
        tables = ", ".join(
            f"{counts['places']:,} {table}" for table, counts in city["tables"].items()
        )
        merged = sum(counts["merged"] for counts in city["tables"].values())
        told.append(f"  {tables}; {count_noun(merged, 'row')} merged into others")
    for one in found.between:
        trains, hubs = one["tables"].get("trains", 0), one["tables"].get("hubs", 0)
        told.append(
            f"between the cities: {count_noun(trains, 'train')}, {count_noun(hubs, 'station')}"
        )
    return told


def _provider(one: dict[str, Any]) -> str:
    left = list(one["left_out"].items())
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in left[:_SHOWN])
    rest = sum(n for _, n in left[_SHOWN:])
    more = f" and {rest:,} of other kinds" if rest else ""
    dates = ", ".join(sorted({str(source["date"]) for source in one["sources"] if source["date"]}))
    return (
        f"{one['provider']}{f' of {dates}' if dates else ''}: {count_noun(one['rows'], 'row')}, "
        f"{one['kept']:,} kept, {one['set_aside']:,} set aside"
        + (f"; left out: {reasons}{more}" if left else "")
    )
