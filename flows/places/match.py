"""The command ``tripbed match``, which labels a pair of places as same, different or parent-of.

If the rules cannot decide a pair, a model or a person can decide it.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from extractors.judge_pairs import judge_pairs
from extractors.tasks.pair_judgement import RULES, NamedPair, PairAnswer, read_answer
from flows.console import print_json
from flows.csv_files import read_csv, write_csv
from flows.errors import SettingsError
from geocoding.match import (
    Label,
    PairLabel,
    distance_of,
    is_doubtful,
    match_pairs,
    plain_name,
    points_of,
    take_answer,
)
from schemas.nouns import count_noun
from schemas.tasks import Engine

#: The number of pairs in one file of questions.
_PAIRS_A_FILE = 40
_FORM = (
    'Answer with one JSON object per line, one for every pair: {"n": its number, "answer": "same", '
    '"part", "different" or "unknown", "why": the reason}'
)
_REQUEST = re.compile(r"req_\d+\.txt")

Cells = Mapping[str, str]
#: Doubtful pairs by their number in the list, which starts at 1.
Doubtful = dict[int, NamedPair]


@dataclass(frozen=True)
class PairHelp:
    """The sources of answers about pairs that the rules cannot decide.

    ``answers`` are files with a person's answers. ``engine`` decides the pairs that have no answer
    in ``answers``. ``requests`` is the folder that the questions are written to.
    """

    engine: Engine | None = None
    answers: tuple[Path, ...] = ()
    requests: Path | None = None


class DecidedPair(TypedDict):
    """The verdict on a pair, and what decided it: rules, model or answers."""

    label: Label
    score: float
    why: str
    decided_by: str


def find_doubtful(rows: Sequence[Cells], labels: Sequence[PairLabel]) -> Doubtful:
    """Return the pairs that the rules cannot decide, each under its number."""
    return {
        number: _describe(row)
        for number, (row, label) in enumerate(zip(rows, labels, strict=True), 1)
        if is_doubtful(label)
    }


def _describe(row: Cells) -> NamedPair:
    distance = distance_of(row)
    return NamedPair(
        city=(row.get("city") or "").strip(), name_a=plain_name(row["name_a"]),
        name_b=plain_name(row["name_b"]), distance_m=None if distance is None else round(distance),
    )  # fmt: skip


def decide_pairs(
    rows: Sequence[Cells], labels: Sequence[PairLabel], helped: PairHelp
) -> tuple[list[DecidedPair], dict[str, Any]]:
    """Decide every pair, and return the verdicts with counts of questions and answers.

    Raises SettingsError if the answers cannot be read or the questions cannot be written.
    """
    doubtful = find_doubtful(rows, labels)
    written = read_answers(helped.answers, len(rows))
    if helped.requests is not None:
        write_requests(helped.requests, doubtful)
    said: dict[int, tuple[PairAnswer | str, str]] = {
        number: (written[number], "answers") for number in doubtful if number in written
    }
    figures: dict[str, Any] = {
        "doubtful": len(doubtful), "answers_not_needed": len(written) - len(said)
    }  # fmt: skip
    if helped.engine is not None:
        left = {number: pair for number, pair in doubtful.items() if number not in said}
        found = judge_pairs(helped.engine, left.values())
        for number, pair in left.items():
            said[number] = found.known.get(pair) or found.unanswered[pair], "model"
        unanswered = sum(pair in found.unanswered for pair in left.values())
        figures |= {"asked": len(left), "requests": found.requests, "unanswered": unanswered}
    decided = [
        settle(row, label, *said[number]) if number in said else _by_rules(label)
        for number, (row, label) in enumerate(zip(rows, labels, strict=True), 1)
    ]
    by = Counter(one["decided_by"] for one in decided)
    return decided, {**figures, "decided_by": dict(sorted(by.items()))}


def settle(row: Cells, label: PairLabel, said: PairAnswer | str, by: str) -> DecidedPair:
    """Decide a doubtful pair based on an answer. If there is no answer, ``said`` gives the reason.

    The verdict of the rules applies if there is no answer or if the coordinates contradict the
    answer.
    """
    if isinstance(said, str):
        return _by_rules(label, f"no answer from the {by}: {said}")
    if said.answer == "unknown":
        return _by_rules(label, f"unknown to the {by}")
    taken = take_answer(row, said.answer, said.why)
    if taken is None:
        return _by_rules(label, f"too far apart for the answer {said.answer} from the {by}")
    return {**taken, "decided_by": by}


def _by_rules(label: PairLabel, also: str = "") -> DecidedPair:
    why = f"{label['why']}; {also}" if also else label["why"]
    return {"label": label["label"], "score": label["score"], "why": why, "decided_by": "rules"}


def write_requests(folder: Path, doubtful: Doubtful) -> list[Path]:
    """Write the questions to text files, each with the instructions, and return the files' paths.

    Question files from an earlier run are removed. Raises SettingsError if the folder cannot be
    written to.
    """
    lines = [f"{number}. {pair.show()}" for number, pair in sorted(doubtful.items())]
    starts = range(0, len(lines), _PAIRS_A_FILE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            if _REQUEST.fullmatch(old.name):
                old.unlink()
        paths = [folder / f"req_{number}.txt" for number, _ in enumerate(starts, 1)]
        for path, start in zip(paths, starts, strict=True):
            shown = "\n".join(lines[start : start + _PAIRS_A_FILE])
            path.write_text(f"{RULES}\n{_FORM}\n\n{shown}\n", encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{folder} cannot be written: {error.strerror}") from None
    return paths


def read_answers(files: Sequence[Path], pairs: int) -> dict[int, PairAnswer]:
    """Read a person's answers from files, and return each answer under the number of its pair.

    ``pairs`` is the number of pairs. Raises SettingsError if a line is not a valid answer, or if a
    pair has two answers.
    """
    found: dict[int, PairAnswer] = {}
    for path in files:
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except OSError as error:
            raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise SettingsError(f"{path} is not UTF-8") from None
        for at, line in enumerate(lines, 1):
            try:
                answer = _read_line(line, pairs) if line.strip() else None
            except ValueError as error:
                raise SettingsError(f"{path}, line {at}: {error}") from None
            if answer is not None and found.setdefault(answer.number, answer) is not answer:
                raise SettingsError(f"{path}, line {at}: pair {answer.number} has two answers")
    return found


def _read_line(line: str, pairs: int) -> PairAnswer:
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("is not a JSON object")
    answer = read_answer(row, "n")
    if not 1 <= answer.number <= pairs:
        raise ValueError(f"there is no pair {answer.number}: the list has only {pairs} pairs")
    return answer


COLUMNS = ("city", "name_a", "name_b", "lat_a", "lon_a", "lat_b", "lon_b")
ADDED = ("label", "score", "why", "decided_by")
_NO_HELP = PairHelp()
#: After this number of pairs, a line is written to standard error.
_TOLD_EVERY = 20_000

Row = dict[str, str]


def match(pairs: Path, out: Path, alone: bool, as_json: bool, helped: PairHelp = _NO_HELP) -> None:
    """Label the pairs in a CSV file, and write each pair with its label, score and reason.

    Raises SettingsError if a file cannot be read or written, if a column or a name is missing, or
    if a coordinate is invalid. Raises EngineStopped if the model cannot answer any request.
    """
    columns, rows = read_csv(pairs)
    missing = [column for column in COLUMNS if column not in columns]
    if missing:
        raise SettingsError(
            f"{pairs} has no column {missing[0]}: the file needs the columns {', '.join(COLUMNS)}"
            f" (coordinates may be left empty), but has only {', '.join(columns)}"
        )
    _check(pairs, rows)
    turned = sum(point.turned for row in rows for point in points_of(row) if point)
    if turned:
        sys.stderr.write(f"corrected swapped latitude and longitude in {turned} points\n")
    decided, figures = decide_pairs(rows, match_pairs(_report_rows(rows), alone=alone), helped)
    _write(out, [name for name in columns if name not in ADDED], rows, decided)
    counts = dict(sorted(Counter(pair["label"] for pair in decided).items()))
    figures = {} if helped == _NO_HELP else {**figures, **_sum_spending(helped)}
    if as_json:
        print_json({"pairs": len(rows), **counts, **figures})
    else:
        counted = ", ".join(f"{n} {k}" for k, n in counts.items())
        lines = [f"{len(rows)} pairs: {counted or 'none'}"]
        print("\n".join([*lines, *(_lines(figures, len(rows)) if figures else ()), str(out)]))


def _sum_spending(helped: PairHelp) -> dict[str, float]:
    """Return the tokens and US dollars that the engine has spent, if the engine counts them."""
    spent = getattr(helped.engine, "spent", None)
    return {} if spent is None else {"tokens": spent[0], "usd": spent[1] / 1e6}


def _lines(figures: Mapping[str, Any], pairs: int) -> Iterator[str]:
    """Format the counts of questions and answers as lines of text."""
    asked = ""
    if "asked" in figures:
        asked = (
            f"; {count_noun(figures['asked'], 'pair')} sent to the model in"
            f" {count_noun(figures['requests'], 'request')},"
            f" {count_noun(figures['unanswered'], 'pair')} left unanswered"
        )
    yield f"{figures['doubtful']} doubtful ({figures['doubtful'] / max(1, pairs):.0%}){asked}"
    if figures["answers_not_needed"]:
        unused = count_noun(figures["answers_not_needed"], "answer")
        yield f"{unused} not used, because the rules had already decided the pairs"
    yield "decided by " + ", ".join(f"{k}: {n}" for k, n in figures["decided_by"].items())
    if "tokens" in figures:
        yield f"{figures['tokens']:,} tokens, {figures['usd']:.4f} USD"


def _check(pairs: Path, rows: Sequence[Row]) -> None:
    """Raise SettingsError if a pair cannot be compared; the message shows the first line with such
    a pair."""
    wrong = [(line, what) for line, row in enumerate(rows, 2) for what in _problems(row)]
    if wrong:
        (line, what), lines = wrong[0], len({line for line, _ in wrong})
        more = f"; {lines - 1} other lines also contain errors" if lines > 1 else ""
        raise SettingsError(f"{pairs}, line {line}: {what}{more}")


def _problems(row: Row) -> Iterator[str]:
    if None in row.values() or None in row:
        yield "the number of cells differs from the number of columns in the header"
        return
    for column in ("name_a", "name_b"):
        if not row[column].strip():
            yield f"{column} is empty: a pair needs two names"
    try:
        points_of(row)
    except ValueError as error:
        yield str(error)


def _report_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows, and report the progress on standard error."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % _TOLD_EVERY == 0:
            sys.stderr.write(f"{number} of {len(rows)} pairs\n")


def _write(out: Path, kept: list[str], rows: Sequence[Row], decided: Sequence[DecidedPair]) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        labelled = ({**row, **pair} for row, pair in zip(rows, decided, strict=True))
        write_csv(out, [*kept, *ADDED], labelled)
    except OSError as error:
        raise SettingsError(f"{out} cannot be written: {error.strerror}") from None
