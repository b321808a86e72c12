"""The rules on further documents, labelled batch by batch after the rules were written.

    python -m benchmarks.unseen DOCUMENTS [--write]

DOCUMENTS is searched for the files whose hashes ``unseen_labels.jsonl`` names. A batch was drawn by
a seeded shuffle of the guides outside the labelled lists (one page a site and batch in Chinese,
two in English), read and labelled by the same guide, and only then scored; its errors were looked
at and mended before the next. ``unseen_first.json`` keeps the counts (right, extra, missed; decoys
accepted, labelled) of the rules ``before`` any batch and at ``first`` contact with each.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.extraction import Counts, Labels, Score, rules_reader, score_document
from benchmarks.report import table, write_section
from sources.web.main_text import parse_document

_HERE = Path(__file__).parent
_HEADER = ["rules", "documents", "POI F1", "trajectory F1", "facts F1", "decoys"]
_NOTE = (
    "The documents are {batches} "
    "batches that are in none of the labelled lists above. They were drawn by a seeded "
    "shuffle and labelled by one annotator. From the tenth batch on, English guides, "
    "itineraries and diaries were chosen before other pages."
    "\n\n"
    "- *Before* is the score of the rules as they were before the first batch. It covers only "
    "the batches for which it was measured."
    "\n"
    "- *First contact* is the score of each batch when it was first scored, before anyone had "
    "seen the errors in it. It shows how well the rules work on documents that were not used "
    "to develop them."
    "\n-"
    " *Now* is the score after the errors in the batches were fixed, so it is too"
    " favourable.\n\nMany pages are essays with few sights, and some are not travel pages."
)


def full(row: dict[str, Any]) -> Labels:
    """A labelled document in the form that the scores expect."""
    pois = [{**p, "standard": p["name"]} for p in row["pois"]]
    facts = [{"poi": p, "field": f, "value": v} for p, f, v in row["facts"]]
    return {**row, "pois": pois, "facts": facts}


def by_hash(folder: Path) -> dict[str, Path]:
    """Files below a folder by the first 24 digits of their SHA-256."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {hashlib.sha256(path.read_bytes()).hexdigest()[:24]: path for path in found}


def scored(documents: Path) -> dict[str, Score]:
    """The rules as they are now, by batch and language ("1 zh")."""
    read, scores, files = rules_reader(()), dict[str, Score](), by_hash(documents)
    for line in (_HERE / "unseen_labels.jsonl").read_text(encoding="utf-8").splitlines():
        labels = full(json.loads(line))
        if labels["sha256"] not in files:
            raise SystemExit(f"{documents} holds no file with the hash {labels['sha256']}...")
        path = files[labels["sha256"]]
        document = parse_document(path.read_bytes(), str(path.relative_to(documents)))
        score = scores.setdefault(f"{labels['batch']} {labels['lang']}", Score())
        score_document(score, read(document), labels)
    return scores


def kept(counts: list[list[int]]) -> Score:
    """A score from its counts."""
    pois, pairs, facts, decoys = counts
    return Score(Counts(*pois), list(decoys), Counts(*pairs), facts=Counts(*facts))


def row_of(name: str, scores: list[Score], documents: int) -> list[str]:
    """One line: the counts of all batches together."""

    def f1(part: str) -> str:
        counts = [getattr(score, part) for score in scores]
        hit, extra, missed = (
            sum(getattr(c, k) for c in counts) for k in ("hit", "extra", "missed")
        )
        return f"{Counts(hit, extra, missed).f1:.2f}"

    accepted, labelled = (sum(score.decoys[i] for score in scores) for i in (0, 1))
    share = f"{100 * accepted / max(1, labelled):.1f} %"
    return [name, str(documents), f1("pois"), f1("pairs"), f1("facts"), share]


def main() -> None:
    """Measure, print and, if asked, write the section of the page of measurements."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", type=Path)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    options = parser.parse_args()
    now = scored(options.documents)
    held = json.loads((_HERE / "unseen_first.json").read_text(encoding="utf-8"))
    stages = {name: {k: kept(v) for k, v in held[name].items()} for name in ("before", "first")}
    shown = {"before": stages["before"], "first contact": stages["first"], "now": now}
    last = max(int(key.split()[0]) for key in now)
    rows = []
    for lang in ("zh", "en"):
        mine = [key for key in now if key.endswith(lang)]
        for name, stage in shown.items():
            there = [key for key in mine if key in stage]
            size = sum(now[key].documents for key in there)
            rows.append(row_of(f"{lang}, {name}", [stage[key] for key in there], size))
        newest = max(mine, key=lambda key: int(key.split()[0]))
        rows.append(row_of(f"{lang}, last batch", [now[newest]], now[newest].documents))
    printed = Table(*_HEADER)
    for row in rows:
        printed.add_row(*row)
    Console(width=120).print(printed)
    if options.write:
        command = "python -m benchmarks.unseen DOCS --write"
        body = f"{_NOTE.format(batches=last)}\n\n{table(_HEADER, rows)}"
        write_section("Extraction: rules on further documents", command, body)


if __name__ == "__main__":
    main()
