"""Draw a sample of pairs for two readers, and compare the matcher with the readers' labels.

    python -m benchmarks.pair_sample draw FOLDER [--seed N] [--number N] [--new]
    python -m benchmarks.pair_sample score [SHEET SHEET] [--new] [--answers FILE ...] [--keep]
        [--write]
    python -m benchmarks.pair_sample ask FOLDER [SHEET]

``draw`` uses shared data (``TRIPBED_SHARED``): names from careful readings of documents
(``readings/careful.jsonl``), names in independent lists, and the attractions, hotels and
restaurants in the tables. ``draw`` pairs names by the characters that they share and by distance,
and uses neither the matcher nor its blocking. A name in a document gets a partner that is similar
to the usual name that the document's reader gave, so that English names also get partners. ``draw``
leaves out equal names, and the pairs in the development list and in earlier samples. ``--new`` also
leaves out the pairs in the first sample. The seed determines the pairs and their order.
``sheet_A.csv`` and ``sheet_B.csv`` contain the same pairs in different orders. The sheets do not
show labels or how a pair was drawn.

``score`` joins the sheets of both readers, keeps the pairs to which both readers gave the same
label (except ``unsure``), and runs the matcher. In the question *same or not*, ``part`` counts as
different. To decide between all three labels, the matcher gets each pair in both orders, because
readers do not mark which place contains the other. If no sheets are given, ``score`` uses
``pair_sample_labels.csv``, which ``--keep`` writes. The label file contains numbers and labels but
no names, because the pairs can be drawn again with the same seed. With ``--new``, ``score`` uses
``pair_sample_new_labels.csv``. The errors in the new sample were not used to correct any rule. The
questions about doubtful pairs were answered by people who saw only the questions
(``pair_sample_new_answers.jsonl``). The results are given with and without the answers to these
questions.

Like ``tripbed match --requests``, ``ask`` writes questions without labels about the pairs that the
matcher considers doubtful. Each question has the same number as its pair. ``score --answers`` reads
answers from readers or a model, and gives the results with and without them.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.pair_draw import COLUMNS, cells_of, draw, draw_new, write_rows, write_sheets
from benchmarks.pairs import answer_pairs, score_answers
from benchmarks.report import shared_folder, table, write_section
from flows.places.match import PairHelp, decide_pairs, find_doubtful, read_answers, write_requests
from geocoding.match import match_pairs
from schemas.ids import digest

#: The labels of both samples: each row has a pair, the hash of its names, and two labels.
LABELS = Path(__file__).with_name("pair_sample_labels.csv")
NEW_LABELS = LABELS.with_name("pair_sample_new_labels.csv")
#: People's answers to the questions about doubtful pairs in the new sample.
NEW_ANSWERS = LABELS.with_name("pair_sample_new_answers.jsonl")
SEED, NEW_SEED, NUMBER = 22, 2611, 300
ANSWERS = ("same", "part", "different", "unsure")

Sheet = dict[str, dict[str, str]]


def read_sheet(path: Path) -> Sheet:
    """Read a labelled sheet, and return its rows by number.

    Raises SystemExit if a label is not one of the possible labels.
    """
    rows = _read_rows(path)
    wrong = [key for key, row in rows.items() if row["label"] not in ANSWERS]
    if wrong:
        raise SystemExit(f"{path}: the label of pair {wrong[0]} is not one of {', '.join(ANSWERS)}")
    return rows


def _read_rows(path: Path) -> Sheet:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return {row["pair"]: row for row in csv.DictReader(lines)}


def keep(first: Sheet, second: Sheet, path: Path) -> None:
    """Write the labels, but not the names, to a file."""
    rows = [(key, _key(row), row["label"], second[key]["label"]) for key, row in first.items()]
    write_rows(path, ("pair", "key", "A", "B"), rows)


def read_sheets(shared: Path, *, new: bool = False) -> list[Sheet]:
    """Return the sheets of both readers for the first or the new sample.

    Raises SystemExit if the pairs drawn from the shared data differ from the labelled pairs.
    """
    first = draw(shared, SEED, NUMBER)
    sample = draw_new(shared, NEW_SEED, NUMBER, first) if new else first
    pairs = [pair for _, pair in sample]
    drawn = [
        dict(zip(COLUMNS, cells_of(number, *pair), strict=True))
        for number, pair in enumerate(pairs, 1)
    ]
    with (NEW_LABELS if new else LABELS).open(encoding="utf-8", newline="") as lines:
        labels = {row["pair"]: row for row in csv.DictReader(lines)}
    if [_key(row) for row in drawn] != [row["key"] for row in labels.values()]:
        raise SystemExit(
            "the shared data have changed, so the drawn pairs differ from the labelled pairs"
        )
    return [
        {row["pair"]: {**row, "label": labels[row["pair"]][reader]} for row in drawn}
        for reader in "AB"
    ]


def _key(row: dict[str, str]) -> str:
    return digest(*(row[column] for column in COLUMNS[:8]))


def cohen(pairs: Sequence[tuple[str, str]]) -> float:
    """Return Cohen's kappa, the agreement of two readers beyond chance (Cohen 1960)."""
    n = len(pairs)
    first, second = (Counter(labels) for labels in zip(*pairs, strict=True))
    by_chance = sum(first[label] * second[label] for label in first) / n**2
    agreed = sum(one == two for one, two in pairs) / n
    return 1.0 if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def answers_to(rows: Sequence[dict[str, str]]) -> list[str]:
    """Return the matcher's label for each pair: same, part or different."""
    turned = [
        {**row, **{f"{key}_{side}": row[f"{key}_{other}"] for key in ("name", "lat", "lon")
                   for side, other in ("ab", "ba")}, "city": ";".join(row["city"].split(";")[::-1])}
        for row in rows
    ]  # fmt: skip
    both = zip(answer_pairs(rows), answer_pairs(turned), strict=True)
    return ["part" if "parent-of" in (one, two) and one != "same" else one for one, two in both]


def _in_order(sheet: Sheet) -> list[dict[str, str]]:
    """Return the rows, sorted by the numbers of their pairs."""
    return [sheet[f"p{number:03}"] for number in range(1, len(sheet) + 1)]


def with_answers(rows: Sequence[dict[str, str]], files: Sequence[Path]) -> list[str]:
    """Return the matcher's label for each pair, but use the given answers for doubtful pairs."""
    labels = match_pairs(rows)
    decided, figures = decide_pairs(rows, labels, PairHelp(answers=tuple(files)))
    told = read_answers(files, len(rows))
    sys.stderr.write(f"{len(told)} answers, {figures}\n")
    return [
        str(told[number].answer) if one["decided_by"] == "answers" else by_rules
        for number, (one, by_rules) in enumerate(zip(decided, answers_to(rows), strict=True), 1)
    ]


def score(first: Sheet, second: Sheet, files: Sequence[Path] = ()) -> str:
    """Compare the matcher with the readers' labels, and return the results as Markdown.

    The matcher gets all pairs at once, in the order in which they were drawn. If there are files
    with answers, the matcher runs a second time with them.
    """
    rows = _in_order(first)
    answers = {"": answers_to(rows)}
    if files:
        answers = {", rules": answers[""], ", with answers": with_answers(rows, files)}
    labels = {key: (row["label"], second[key]["label"]) for key, row in first.items()}
    plain = {key: (_plainly(one), _plainly(two)) for key, (one, two) in labels.items()}
    lines = []
    for question, told, read in (
        ("same or not", plain, _plainly),
        ("same, part or different", labels, str),
    ):
        agreed = [key for key, (one, two) in told.items() if one == two != "unsure"]
        right = [{"label": told[key][0]} for key in agreed]
        for how, said in answers.items():
            by_pair = {row["pair"]: read(one) for row, one in zip(rows, said, strict=True)}
            found = score_answers(right, [by_pair[key] for key in agreed])
            lines.append((question + how, *found))
    header = ("question", "pairs", "accuracy", "precision", "recall", "F1 of same")
    return (
        f"{table(header, lines)}\n"
        f"Two readers labelled {len(first)} pairs, which were drawn at random. The table covers the"
        " pairs on which both readers agree and are sure. The agreement between the readers"
        f" (Cohen's kappa) is {cohen(list(plain.values())):.3f} for the question *same or not*,"
        f" and {cohen(list(labels.values())):.3f} for the choice between all labels.\n"
    )


def _plainly(label: str) -> str:
    """Return the label for the question *same or not*, where ``part`` becomes ``different``."""
    return "different" if label == "part" else label


def ask(folder: Path, sheet: Path | None) -> None:
    """Write a question about each doubtful pair in a sheet or, by default, in the first sample."""
    rows = _in_order(_read_rows(sheet) if sheet else read_sheets(shared_folder("data/readings"))[0])
    doubtful = find_doubtful(rows, match_pairs(rows))
    paths = write_requests(folder, doubtful)
    sys.stdout.write(f"wrote {len(doubtful)} of {len(rows)} pairs to {len(paths)} files\n")


def main() -> int:
    """Draw a sample, compare the matcher with its labels, or write questions about it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw pairs and write sheets for two readers")
    drawing.add_argument("folder", type=Path)
    drawing.add_argument("--seed", type=int, default=SEED)
    drawing.add_argument("--number", type=int, default=NUMBER)
    drawing.add_argument(
        "--new", action="store_true", help="leave out the pairs of the first sample"
    )
    scoring = commands.add_parser("score", help="compare the matcher's results with the labels")
    scoring.add_argument(
        "sheets", type=Path, nargs="*", help="the two readers' sheets (default: the stored labels)"
    )
    scoring.add_argument("--new", action="store_true", help="use the newer of the two samples")
    scoring.add_argument("--keep", action="store_true", help="store the labels from the sheets")
    scoring.add_argument(
        "--write", action="store_true", help="write the figures to docs/benchmarks"
    )
    scoring.add_argument("--answers", type=Path, nargs="+", default=[], help="files of JSON lines")
    asking = commands.add_parser("ask", help="write questions for a model about doubtful pairs")
    asking.add_argument("folder", type=Path)
    asking.add_argument(
        "sheet", type=Path, nargs="?", help="the sheet with the pairs (default: the stored pairs)"
    )
    options = parser.parse_args()
    if options.command == "ask":
        ask(options.folder, options.sheet)
        return 0
    if options.command == "draw":
        shared = shared_folder("data/readings")
        asked = (shared, options.seed, options.number)
        pairs = draw_new(*asked, draw(shared, SEED, NUMBER)) if options.new else draw(*asked)
        write_sheets(options.folder, pairs, options.seed)
        return 0
    if options.sheets:
        first, second = map(read_sheet, options.sheets)
    else:
        first, second = read_sheets(shared_folder("data/readings"), new=options.new)
    if options.keep:
        keep(first, second, NEW_LABELS if options.new else LABELS)
    own = [NEW_ANSWERS] if options.new and NEW_ANSWERS.is_file() else []
    body = score(first, second, options.answers or own)
    sys.stdout.write(body)
    if options.write:
        what, new = (
            ("Pairs with answers", " --new") if options.new else ("A fresh sample of pairs", "")
        )
        write_section(what, f"python -m benchmarks.pair_sample score{new} --write", body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
