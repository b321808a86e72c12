"""Write rows to review as spreadsheets or for Label Studio, and read the decisions back."""

from __future__ import annotations

import csv
import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from flows.csv_files import write_csv as write_table
from flows.errors import SettingsError
from schemas.cells import without_apostrophe
from schemas.ids import digest
from schemas.tables import TABLES

Row = dict[str, Any]
_KEY = ("city_id", "table", "row_id", "fact_hash")
_TOLD = (*_KEY, "why", "name", "claim", "document", "start", "end")
_ASKED = ("reviewer", "decision", "reason", "decided_on")
COLUMNS = (*_TOLD, *_ASKED, "instead")
_DECISIONS = ("accept", "reject", "unsure")
#: The value of ``instead`` for a row that is not in this city; otherwise it is a place's id.
ELSEWHERE = "elsewhere"
_INSTEAD = re.compile(rf"{ELSEWHERE}|poi_[0-9a-f]{{16}}")


def write_csv(rows: list[Row], target: Path) -> None:
    """Write the rows to review as CSV. The reviewer fills in the last five columns."""
    write_table(target, COLUMNS, rows, to_edit=True)


def write_labelstudio(rows: list[Row], target: Path) -> None:
    """Write the rows to review for Label Studio, and write the labelling interface to another
    file."""
    tasks = [{"data": {k: row[k] for k in _TOLD}} for row in rows]
    target.write_text(json.dumps(tasks, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    choices = "".join(f'<Choice value="{decision}"/>' for decision in _DECISIONS)
    view = (
        '<View><Header value="$name"/><Text name="why" value="$why"/>'
        '<Text name="claim" value="$claim"/><Text name="document" value="$document"/>'
        f'<Choices name="decision" toName="claim" required="true">{choices}</Choices>'
        '<TextArea name="reason" toName="claim"/></View>\n'
    )
    target.with_suffix(".xml").write_text(view, encoding="utf-8")


def read_decisions(path: Path) -> list[Row]:
    """Read decisions from a completed CSV file, a Label Studio export or a file of stored
    decisions.

    Rows without a decision are left out. Raises SettingsError if the file cannot be read or a row
    is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    if path.suffix == ".jsonl":
        rows = list(_from_store(text, path))
    else:
        rows = list(
            _from_labelstudio(text, path) if text.lstrip()[:1] == "[" else _from_csv(text, path)
        )
    return [_check_row(row, path, number) for number, row in enumerate(rows, 1) if row["decision"]]


def _from_csv(text: str, path: Path) -> Iterator[Row]:
    reader = csv.DictReader(text.splitlines())
    missing = {*_KEY, *_ASKED} - set(reader.fieldnames or ())
    if missing:
        raise SettingsError(
            f"{path} is not a review file: the column {sorted(missing)[0]} is missing"
        )
    for row in reader:
        cells = {k: (v or "").strip() for k, v in row.items() if k}
        yield {k: without_apostrophe(v) for k, v in cells.items()}


def _from_store(text: str, path: Path) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        try:
            row = json.loads(line) if line else None
        except ValueError:
            row = {}
        if row is not None:
            missing = {*_KEY, *_ASKED} - set(row) if isinstance(row, dict) else {*_KEY}
            if missing:
                raise SettingsError(
                    f"{path}, line {number} is not a decision: {sorted(missing)[0]} is missing"
                )
            yield {name: str(row.get(name) or "") for name in (*_KEY, *_ASKED, "instead")}


def _from_labelstudio(text: str, path: Path) -> Iterator[Row]:
    try:
        for task in json.loads(text):
            for done in task.get("annotations") or [{}]:
                results = {r["from_name"]: r["value"] for r in done.get("result", [])}
                choice = (results.get("decision", {}).get("choices") or [""])[0]
                reason = " ".join(results.get("reason", {}).get("text") or [])
                by = done.get("completed_by", "")
                by = by.get("id", "") if isinstance(by, dict) else by
                yield {
                    **{k: str(task["data"][k]) for k in _KEY}, "decision": choice,
                    "reason": reason, "reviewer": f"labelstudio-{by}",
                    "decided_on": str(done.get("created_at", ""))[:10],
                }  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"{path} is not an export of Label Studio: {error!r}") from None


def _check_row(row: Row, path: Path, number: int) -> Row:
    where = f"{path}, row {number}"
    if row["table"] not in TABLES:
        raise SettingsError(f"{where}: no table {row['table']!r}")
    if row["decision"] not in _DECISIONS:
        raise SettingsError(
            f"{where}: the decision {row['decision']!r} is not one of {', '.join(_DECISIONS)}"
        )
    if not row.get("reviewer"):
        raise SettingsError(
            f"{where}: the reviewer's name is missing; use any name that identifies the reviewer"
        )
    instead = row.get("instead") or ""
    if instead and (row["decision"] != "reject" or not _INSTEAD.fullmatch(instead)):
        raise SettingsError(
            f"{where}: `instead` is {instead!r}: only a rejected row may have a value in the column"
            f" `instead`, and the value must be the id of a place or {ELSEWHERE}"
        )
    try:
        day = dt.date.fromisoformat(row.get("decided_on") or "")
    except ValueError:
        raise SettingsError(f"{where}: decided_on is not a date like 2026-03-01") from None
    return decision_row(
        row, row["reviewer"], row["decision"], row.get("reason") or "", day, instead
    )


def decision_row(
    about: Row, reviewer: str, decision: str, reason: str, day: dt.date, instead: str = ""
) -> Row:
    """Return a decision in the form in which it is stored.

    ``about`` contains the row's city, table, id and hash.
    """
    key = {column: about[column] for column in _KEY}
    made = {
        **key, "reviewer": reviewer, "decision": decision, "reason": reason,
        "decided_on": day.isoformat(), "decision_id": f"r_{digest(*key.values(), reviewer)}",
    }  # fmt: skip
    return {**made, "instead": instead} if instead else made


def date_decisions(decisions: Iterable[Row]) -> list[Row]:
    """Return decisions as rows of the table ``review_decisions``.

    In the returned rows, dates are date values instead of texts, and the reason includes
    ``instead``.
    """
    return [
        {
            **{name: value for name, value in row.items() if name != "instead"},
            "reason": reason_of(row), "decided_on": dt.date.fromisoformat(row["decided_on"]),
        }
        for row in decisions
    ]  # fmt: skip


def reason_of(row: Row) -> str:
    """Return the reason for a decision, together with the replacement that the reviewer gave."""
    instead = row.get("instead")
    told = f"same as {instead}" if instead and instead != ELSEWHERE else instead and "not here"
    return "; ".join(part for part in (told, row["reason"]) if part)


def label_of(decision: Row) -> str:
    """Return the label that is used to compare reviewers: the decision and ``instead``."""
    return "/".join(filter(None, (decision["decision"], decision.get("instead"))))
