"""Commands that build, check and import queries, and print the results."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flows.console import print_json, write_json_lines
from flows.errors import SettingsError
from flows.queries.audit import audit_file
from flows.queries.build import build_queries
from flows.queries.files import read_lines
from flows.settings.environment import Settings
from flows.settings.profile import load_profile
from queries.families import COUNT_IN_YUAN
from queries.requests import import_requests as take
from queries.standard import induce
from queries.tprag import strata
from schemas.cities import find_city
from schemas.money import YUAN
from schemas.nouns import count_noun


def standard_of(path: Path, profile: str) -> dict[str, Any]:
    """Return the elements, words and patterns in seed queries.

    Also returns the elements that occur in a profile's planned queries but in no seed query. Raises
    SettingsError if the file does not exist or contains no query.
    """
    if not path.exists():
        raise SettingsError(f"{path}: no such file or folder")
    seeds = [text for _, text in read_lines(path)]
    if not seeds:
        raise SettingsError(
            f"{path} contains no seed queries: give a text file with one query on each line"
        )
    asked = load_profile(profile).queries
    induced = induce(seeds)
    return {**induced.facts(), "unmet": induced.unmet(strata(asked.days, asked.constraint_kinds))}


_IDS_SHOWN = 5
_WORDS_SHOWN = 6


def build(
    profile: str,
    out: Path | None,
    tables: Path | None,
    layout: str,
    writer: str,
    settings: Settings,
    as_json: bool,
) -> int:
    """Build a profile's queries. Returns 0, or 1 if the result differs from the plan."""
    if out is None:
        raise SettingsError("--out is missing: give the folder to write the queries to")
    report = build_queries(profile, out, tables, layout, writer, settings)
    if as_json:
        print_json(report)
    else:
        for family, facts in report["families"].items():
            print(
                f"{family}: {facts['planned']} planned, {facts['kept']} kept,"
                f" {facts['quarantined']} quarantined"
            )
            for stratum, counts in facts["strata"].items():
                mark = "" if counts["plan"] == counts["result"] else "   differs"
                print(
                    f"  {stratum:<22} plan {counts['plan']:>6}  result {counts['result']:>6}{mark}"
                )
            for rule, count in facts["violations"].items():
                if count:
                    print(f"  violates {rule}: {count}")
        print(str(out))
    return 0 if report["strata_met"] else 1


def say_unplanned(profile: str, cities: Sequence[str]) -> None:
    """Print which families have no queries for a city whose currency is not the yuan."""
    for city in map(find_city, cities):
        for family in sorted(COUNT_IN_YUAN & set(load_profile(profile).families)):
            if city.currency != YUAN:
                money = city.currency or "an unknown currency"
                sys.stderr.write(
                    f"{city.slug}: no {family} queries were planned, because they need prices in"
                    f" yuan. The city uses {money}, and tripbed does not convert prices. Choose"
                    " the families traveleval, tripscore and tprag in the profile: they work in"
                    " any currency\n"
                )


def audit(
    file: Path, layout: str, tables: Path | None, tables_format: str, tagset: str, as_json: bool
) -> int:
    """Check a file of queries, and print the results. Returns 0, or 1 if a rule is broken."""
    found = audit_file(file, layout, tables, tables_format, tagset)
    if as_json:
        print_json(found)
    else:
        print(f"{count_noun(found['queries'], 'query')}, {found['broken']} with violations")
        for rule, facts in found["rules"].items():
            ids = ", ".join(facts["ids"][:_IDS_SHOWN]) + (
                " ..." if facts["violations"] > _IDS_SHOWN else ""
            )
            print(f"  {rule:<28} {facts['violations']:>6}  {ids}")
    return 1 if found["broken"] else 0


def import_requests(file: Path, out: Path, as_json: bool) -> None:
    """Import requests in free form, and print which requests were rejected."""
    kept, rejected = take(_lines(file), load_profile("tripscore").queries.splits)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_json_lines(map(vars, kept), out)
    facts: dict[str, Any] = {
        "kept": len(kept),
        "masked": sum(request.masked for request in kept),
        "rejected": [vars(one) for one in rejected],
    }
    if as_json:
        print_json(facts)
        return
    print(
        f"{facts['kept']} kept, {len(rejected)} rejected; {facts['masked']} pieces of personal data"
        " masked"
    )
    for one in rejected:
        print(f"  line {one.line}: {one.reason}")
    print(str(out))


def standard(file: Path, profile: str, out: Path | None, as_json: bool) -> None:
    """Find what seed queries ask for and how they are worded, and print or write the result."""
    facts = standard_of(file, profile)
    text = json.dumps(facts, ensure_ascii=False, indent=1) + "\n"
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    if as_json:
        print_json(facts)
        return
    print(f"{facts['seeds']} seed queries, {len(facts['unread'])} without a known city")
    for element in facts["elements"]:
        words = [*element["words"]][:_WORDS_SHOWN]
        more = " ..." if len(element["words"]) > len(words) else ""
        print(f"  {element['name']:<14} {element['seeds']:>6}  {', '.join(words)}{more}")
    for pattern, count in facts["patterns"].items():
        print(f"  {pattern:<40} {count:>6}")
    if facts["unmet"]:
        print(
            f"the profile {profile} plans queries with these elements, but no seed query has them:"
            f" {', '.join(facts['unmet'])}"
        )


def _lines(file: Path) -> list[tuple[int, str]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as source:
            if file.suffix != ".csv":
                return [(n, line.rstrip("\n")) for n, line in enumerate(source, 1)]
            rows = csv.DictReader(source)
            if "text" not in (rows.fieldnames or ()):
                raise SettingsError(f"{file}, line 1: the column text is missing")
            return [(n, row["text"] or "") for n, row in enumerate(rows, 2)]
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read as UTF-8 text: {error}") from None
