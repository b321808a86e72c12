"""The command ``tripbed review score``, which counts the verdicts of reviewers on a sample.

The command leaves out careless reviewers, and shows how well the others agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from extractors.agreement import fleiss_kappa
from flows.console import print_json
from flows.errors import SettingsError
from flows.review.samples.files import JudgedRow, ReaderVerdicts, read_reading
from validators.gates.control import kappa as cohen_kappa


@dataclass(frozen=True)
class Share:
    """Counts of verdicts. ``share`` is right / (right + wrong), or None if both are 0.

    ``low`` and ``high`` are the ends of the share's 95 % confidence interval (Wilson 1927). Unsure
    verdicts do not affect the share.
    """

    right: int
    wrong: int
    unsure: int
    share: float | None
    low: float | None
    high: float | None


def share_of(verdicts: Iterable[str]) -> Share:
    """Return the share of verdicts that are ``right``."""
    counted = Counter(verdicts)
    right, wrong, unsure = (counted[verdict] for verdict in ("right", "wrong", "unsure"))
    if not right + wrong:
        return Share(right, wrong, unsure, None, None, None)
    # SciPy takes half a second to import.
    from scipy.stats import binomtest

    within = binomtest(right, right + wrong).proportion_ci(0.95, method="wilson")
    share = right / (right + wrong)
    return Share(right, wrong, unsure, share, float(within.low), float(within.high))


@dataclass(frozen=True)
class Agreement:
    """How well reviewers agree about rows.

    ``observed`` is the share of reviewer pairs that agree about a row. ``kappa`` is the
    agreement beyond chance; it is None if all verdicts are the same.
    """

    method: str
    readers: int
    rows: int
    observed: float
    kappa: float | None


def agreement(rows: Sequence[Sequence[str]]) -> Agreement | None:
    """Compute Cohen's kappa (1960) for two reviewers, or Fleiss' kappa (1971) for more.

    ``rows`` contains the verdicts on each row, with the reviewers always in the same order. Returns
    None if there are no rows or fewer than two reviewers.
    """
    readers = len(rows[0]) if rows else 0
    if readers < 2:
        return None
    several = fleiss_kappa(rows)
    assert several is not None
    if readers > 2 or several.kappa is None:
        method = "fleiss" if readers > 2 else "cohen"
        return Agreement(method, readers, len(rows), several.observed, several.kappa)
    value = cohen_kappa([(row[0], row[1]) for row in rows])
    return Agreement("cohen", readers, len(rows), several.observed, value)


#: A reviewer who calls more than one in this number of planted rows right is left out.
MOST_MISSED = 3


def score(paths: Sequence[Path], as_json: bool) -> int:
    """Print the score for a sample. Returns 0, or 1 if no reviewer was careful.

    Raises SettingsError if a file cannot be read or the files do not belong together.
    """
    found = score_of([read_reading(path) for path in paths])
    if as_json:
        print_json(found)
    else:
        print("\n".join(_lines(found)))
    return 0 if found["together"] is not None else 1


def score_of(readings: Sequence[ReaderVerdicts]) -> dict[str, Any]:
    """Compute the shares of correct rows by reviewer and city, and the agreement between reviewers.

    Also lists the rows that the reviewers disagree about. Raises SettingsError if the files belong
    to different samples, or if a reviewer has two files.
    """
    _check_together(readings)
    careful = [reading for reading in readings if not _is_void(reading)]
    by_row = _by_row(careful)
    verdicts = [[row.verdict for row in rows] for rows in by_row]
    settled = [(rows[0], _settle(said)) for rows, said in zip(by_row, verdicts, strict=True)]
    agreed = agreement(verdicts)
    names = [reading.reader for reading in careful]
    return {
        "sample": readings[0].sample,
        "readers": [_reader(reading) for reading in readings],
        "together": _together(settled) if careful else None,
        "agreement": asdict(agreed) if agreed else None,
        "differing": [
            _show_rows(rows, names) for rows, said in zip(by_row, verdicts, strict=True)
            if len(set(said)) > 1
        ],
        "wrong": [
            _show_rows(rows, names) for rows, (_, verdict) in zip(by_row, settled, strict=True)
            if verdict == "wrong"
        ],
    }  # fmt: skip


def _check_together(readings: Sequence[ReaderVerdicts]) -> None:
    for other in readings[1:]:
        if other.sample != readings[0].sample:
            raise SettingsError(
                f"{readings[0].file} and {other.file} belong to different samples"
                f" ({readings[0].sample}, {other.sample}): score them separately"
            )
    if twice := [
        name for name, count in Counter(reading.reader for reading in readings).items() if count > 1
    ]:
        raise SettingsError(
            f"two files name the same reviewer, {twice[0]!r}: give each reviewer a different "
            "name, in the column 'reader' or in the file name"
        )


def _is_void(reading: ReaderVerdicts) -> bool:
    planted = [row for row in reading.rows if row.planted]
    return MOST_MISSED * sum(row.verdict == "right" for row in planted) > len(planted)


def _reader(reading: ReaderVerdicts) -> dict[str, Any]:
    planted = [row for row in reading.rows if row.planted]
    return {
        "reader": reading.reader, "file": str(reading.file), "void": _is_void(reading),
        "planted": len(planted),
        "planted_called_right": sum(row.verdict == "right" for row in planted),
        **_shares((row.city, row.verdict) for row in reading.rows if not row.planted),
    }  # fmt: skip


def _shares(verdicts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the shares of ``right`` verdicts, over all rows and by city."""
    told = list(verdicts)
    return {
        "all": asdict(share_of(verdict for _, verdict in told)),
        "cities": {
            name: asdict(share_of(verdict for city, verdict in told if city == name))
            for name in sorted({city for city, _ in told})
        },
    }


def _by_row(readings: Sequence[ReaderVerdicts]) -> list[tuple[JudgedRow, ...]]:
    """Return the verdicts of all reviewers on each row that is not planted."""
    lists = ([row for row in reading.rows if not row.planted] for reading in readings)
    return list(zip(*lists, strict=True))


def _settle(verdicts: Sequence[str]) -> str:
    """Return ``right`` or ``wrong``, whichever more reviewers chose.

    The verdict is ``disputed`` if equal numbers of reviewers chose ``right`` and ``wrong``, and
    ``unsure`` if nobody chose either.
    """
    right, wrong = verdicts.count("right"), verdicts.count("wrong")
    if right == wrong:
        return "disputed" if right else "unsure"
    return "right" if right > wrong else "wrong"


def _together(settled: Sequence[tuple[JudgedRow, str]]) -> dict[str, Any]:
    """Return the shares of ``right`` verdicts for all reviewers together.

    Disputed rows count as wrong.
    """
    cautious = (
        (row.city, "wrong" if verdict == "disputed" else verdict) for row, verdict in settled
    )
    return {"disputed": sum(verdict == "disputed" for _, verdict in settled), **_shares(cautious)}


def _show_rows(rows: Sequence[JudgedRow], readers: Sequence[str]) -> dict[str, Any]:
    first = rows[0]
    return {
        "number": first.number, "city": first.city, "row_id": first.row_id, "claim": first.claim,
        "verdicts": {name: row.verdict for name, row in zip(readers, rows, strict=True)},
        "remarks": {n: row.remark for n, row in zip(readers, rows, strict=True) if row.remark},
    }  # fmt: skip


def _lines(found: dict[str, Any]) -> Iterable[str]:
    yield f"sample {found['sample']}"
    for reader in found["readers"]:
        missed = (
            f"marked {reader['planted_called_right']} of {reader['planted']} planted rows as right"
        )
        if reader["void"]:
            why = f"the reviewer {missed} (more than one in three)"
            yield f"{reader['reader']}: left out, because {why}"
            continue
        yield f"{reader['reader']}: {_words(Share(**reader['all']))}; {missed}"
    together = found["together"]
    if together is None:
        yield "the verdicts of all reviewers were left out: ask other people to review the sample"
        return
    disputed = (
        f" ({together['disputed']} disputed, counted as wrong)" if together["disputed"] else ""
    )
    yield f"together: {_words(Share(**together['all']))}{disputed}"
    for city, share in together["cities"].items():
        yield f"  {city}: {_words(Share(**share))}"
    if found["agreement"]:
        agreed = found["agreement"]
        value = (
            "undefined, because all verdicts are the same"
            if agreed["kappa"] is None
            else f"{agreed['kappa']:.2f}"
        )
        method = "Cohen's" if agreed["method"] == "cohen" else "Fleiss'"
        yield (
            f"agreement between {agreed['readers']} reviewers on {agreed['rows']} rows: "
            f"{agreed['observed']:.0%} of the pairs of verdicts agree, {method} kappa {value}"
        )
    for title in ("differing", "wrong"):
        if found[title]:
            yield f"{title} ({len(found[title])} rows):"
        yield from (_row_line(row) for row in found[title])


def _words(share: Share) -> str:
    counts = f"{share.right} right, {share.wrong} wrong, {share.unsure} unsure"
    if share.share is None:
        return counts
    return f"{share.share:.1%} right ({share.low:.1%} to {share.high:.1%}): {counts}"


def _row_line(row: dict[str, Any]) -> str:
    said = ", ".join(f"{name} {verdict}" for name, verdict in row["verdicts"].items())
    told = "".join(f" | {name}: {text}" for name, text in row["remarks"].items())
    return f"  {row['number']} {row['row_id']} [{said}] {row['claim']}{told}"
