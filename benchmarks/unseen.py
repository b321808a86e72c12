"""Score the rules on additional documents that were labelled in batches.

    python -m benchmarks.unseen DOCUMENTS [--write]

The run finds the files in DOCUMENTS by the hashes in ``unseen_labels.jsonl``. Each batch was drawn
with a seed from the guides outside the labelled lists (one Chinese page or two English pages per
site). Each batch was labelled with the same guidelines before it was scored. After a batch was
scored, its errors were examined, and the rules were corrected before the next batch was drawn.
``unseen_first.json`` contains the numbers of right, extra and missed items, and of accepted and
labelled decoys: once for the rules as they were ``before`` the first batch, and once for the rules
at their ``first`` contact with each batch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.extraction import Labels, MatchCounts, ReaderScore, rules_reader, score_document
from benchmarks.report import table, write_section
from sources.web.main_text import parse_document

_HERE = Path(__file__).parent
_HEADER = ["rules", "documents", "POI F1", "trajectory F1", "facts F1", "decoys"]
_NOTE = (
    "None of the documents in this section is among the labelled documents in the previous section."
    " The documents were drawn at random in {batches} batches and labelled by one annotator. From"
    " the tenth batch on, English guides, itineraries and diaries were drawn before other pages."
    " Many pages are essays that mention few sights, and some pages are not about travel.\n\n"
    "- *Before* is the score of the rules as they were before the first batch was drawn. *Before*"
    " was measured only for some of the batches.\n"
    "- *First contact* is the score that the rules reached on each batch before anybody had looked"
    " at the errors in the batch. You can expect similar scores for documents that are new to the"
    " rules.\n"
    "- *Now* is the score of the current rules. The current score is too high, because the errors"
    " in the batches were used to correct the rules."
)


def full(row: dict[str, Any]) -> Labels:
    """Return the labels of a document in the form that the scoring code expects."""
    pois = [{**p, "standard": p["name"]} for p in row["pois"]]
    facts = [{"poi": p, "field": f, "value": v} for p, f, v in row["facts"]]
    return {**row, "pois": pois, "facts": facts}


def by_hash(folder: Path) -> dict[str, Path]:
    """Map the first 24 digits of each file's SHA-256 to the file, for all files in a folder."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {hashlib.sha256(path.read_bytes()).hexdigest()[:24]: path for path in found}


def score_batches(documents: Path) -> dict[str, ReaderScore]:
    """Score the current rules for each batch and language (such as "1 zh")."""
    read, scores, files = rules_reader(()), dict[str, ReaderScore](), by_hash(documents)
    for line in (_HERE / "unseen_labels.jsonl").read_text(encoding="utf-8").splitlines():
        labels = full(json.loads(line))
        if labels["sha256"] not in files:
            raise SystemExit(f"{documents} has no file with the hash {labels['sha256']}...")
        path = files[labels["sha256"]]
        document = parse_document(path.read_bytes(), str(path.relative_to(documents)))
        score = scores.setdefault(f"{labels['batch']} {labels['lang']}", ReaderScore())
        score_document(score, read(document), labels)
    return scores


def write_score(counts: list[list[int]]) -> ReaderScore:
    """Compute a score from its counts."""
    pois, pairs, facts, decoys = counts
    return ReaderScore(
        MatchCounts(*pois), list(decoys), MatchCounts(*pairs), facts=MatchCounts(*facts)
    )


def row_of(name: str, scores: list[ReaderScore], documents: int) -> list[str]:
    """Return a table row with the scores of all batches together."""

    def f1(part: str) -> str:
        counts = [getattr(score, part) for score in scores]
        hit, extra, missed = (
            sum(getattr(c, k) for c in counts) for k in ("hit", "extra", "missed")
        )
        return f"{MatchCounts(hit, extra, missed).f1:.2f}"

    accepted, labelled = (sum(score.decoys[i] for score in scores) for i in (0, 1))
    share = f"{100 * accepted / max(1, labelled):.1f} %"
    return [name, str(documents), f1("pois"), f1("pairs"), f1("facts"), share]


def main() -> None:
    """Run the benchmark, print the results and, with ``--write``, write them to the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", type=Path, help="the folder of documents")
    parser.add_argument("--write", action="store_true", help="write the figures to docs/benchmarks")
    options = parser.parse_args()
    now = score_batches(options.documents)
    held = json.loads((_HERE / "unseen_first.json").read_text(encoding="utf-8"))
    stages = {
        name: {k: write_score(v) for k, v in held[name].items()} for name in ("before", "first")
    }
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
