"""Review tasks as spreadsheets and Label Studio hold them: written for reviewers, read back."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from flows.errors import SettingsError
from schemas.cells import harmless, without_apostrophe
from schemas.ids import digest
from schemas.tables import TABLES

Row = dict[str, Any]
COLUMNS = (
    "city_id", "table", "row_id", "fact_hash", "why", "name", "claim", "document", "start", "end",
    "reviewer", "decision", "reason", "decided_on",
)  # fmt: skip
_DECISIONS = ("accept", "reject", "unsure")


def write_csv(rows: list[Row], target: Path) -> None:
    """The tasks as CSV; the last four columns are the reviewer's."""
    with target.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS)
        writer.writeheader()
        # A cell that begins like a formula would be run by a spreadsheet.
        writer.writerows({k: harmless(v) for k, v in row.items()} for row in rows)


def write_labelstudio(rows: list[Row], target: Path) -> None:
    """The tasks as Label Studio imports them, and the labelling interface beside them."""
    tasks = [{"data": {k: row[k] for k in COLUMNS[:10]}} for row in rows]
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
    """Decisions of a CSV that was filled in, or of a Label Studio export (JSON).

    Raises SettingsError with the line that is wrong. Rows without a decision are left out.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    rows = list(_from_labelstudio(text, path) if text.lstrip()[:1] == "[" else _from_csv(text, path))  # fmt: skip
    return [_checked(row, path, number) for number, row in enumerate(rows, 1) if row["decision"]]


def _from_csv(text: str, path: Path) -> Iterator[Row]:
    reader = csv.DictReader(text.splitlines())
    missing = {*COLUMNS[:4], *COLUMNS[-4:]} - set(reader.fieldnames or ())
    if missing:
        raise SettingsError(f"{path} is no review: the column {sorted(missing)[0]} is missing")
    for row in reader:
        cells = {k: (v or "").strip() for k, v in row.items() if k}
        yield {k: without_apostrophe(v) for k, v in cells.items()}


def _from_labelstudio(text: str, path: Path) -> Iterator[Row]:
    try:
        tasks = json.loads(text)
        for task in tasks:
            for done in task.get("annotations") or [{}]:
                results = {r["from_name"]: r["value"] for r in done.get("result", [])}
                choice = (results.get("decision", {}).get("choices") or [""])[0]
                reason = " ".join(results.get("reason", {}).get("text") or [])
                by = done.get("completed_by", "")
                by = by.get("id", "") if isinstance(by, dict) else by
                yield {
                    **{k: str(task["data"][k]) for k in COLUMNS[:4]}, "decision": choice,
                    "reason": reason, "reviewer": f"labelstudio-{by}",
                    "decided_on": str(done.get("created_at", ""))[:10],
                }  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"{path} is no export of Label Studio: {error!r}") from None


def _checked(row: Row, path: Path, number: int) -> Row:
    where = f"{path}, row {number}"
    if row["table"] not in TABLES:
        raise SettingsError(f"{where}: no table {row['table']!r}")
    if row["decision"] not in _DECISIONS:
        raise SettingsError(f"{where}: {row['decision']!r} is none of {', '.join(_DECISIONS)}")
    if not row.get("reviewer"):
        raise SettingsError(f"{where}: no reviewer: any name that tells reviewers apart will do")
    try:
        day = dt.date.fromisoformat(row.get("decided_on") or "")
    except ValueError:
        raise SettingsError(f"{where}: decided_on is no day like 2026-03-01") from None
    kept = {k: row[k] for k in ("city_id", "table", "row_id", "fact_hash", "reviewer", "decision")}
    made = {**kept, "reason": row.get("reason") or "", "decided_on": day.isoformat()}
    parts = [kept[k] for k in ("city_id", "table", "row_id", "fact_hash", "reviewer")]
    return {**made, "decision_id": f"r_{digest(*parts)}"}


def dated(decisions: Iterable[Row]) -> list[Row]:
    """Decisions as rows of ``review_decisions``: their days as dates."""
    return [{**row, "decided_on": dt.date.fromisoformat(row["decided_on"])} for row in decisions]
