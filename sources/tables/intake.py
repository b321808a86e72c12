"""Record for each source row whether it is kept, merged or set aside, and record all findings.

A builder turns a ``SourceRow`` into a row of the table. The builder notes doubtful values on the
source row, and raises ``RowError`` if the row is broken. An ``Intake`` counts the rows and how each
is handled.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from schemas.cells import without_apostrophe
from schemas.cities import City
from schemas.geo import Datum, distance_m
from schemas.ids import canonical_json, quarantine_id
from schemas.values import cents
from sources.tables.rules import RULES

Row = dict[str, Any]
STAGE = "tables"
#: Rows with the same name that are closer than this are one place. In the published hotel tables,
#: such rows lie at most 111 m apart, unless they are different branches.
SAME_PLACE_M = 200.0
PAYLOAD_CHARACTERS = 2000
#: No price, duration or stock is larger than this; a larger number is an error.
LARGEST_NUMBER = 1e9
_BLANK = frozenset({"", "nan", "null", "none", "n/a"})
#: A Chinese character.
HAN = re.compile("[\u4e00-\u9fff]")
_IGNORED = re.compile(r"[\s·•.\-_]")


class TableError(ValueError):
    """Raised if a whole file cannot be used; the message names the line and explains what to do."""


class RowError(ValueError):
    """Raised if a row is broken; the row is set aside under the failed check ``check``, and the
    import continues.
    """

    def __init__(self, check: str, message: str):
        self.check = check
        super().__init__(message)


def normalise_name(name: str) -> str:
    """Return a name without spaces or separators, in lower case and with standard characters."""
    return _IGNORED.sub("", unicodedata.normalize("NFKC", name).casefold())


@dataclass(frozen=True)
class Provenance:
    """The data set, the licence and the date that a source states for a row."""

    name: str | None = None
    licence: str | None = None
    date: dt.date | None = None


@dataclass
class SourceRow:
    """A row in a source file; ``line`` is the line of the row, or its position in a JSON list,
    counted from 1.
    """

    file: str
    line: int
    cells: dict[str, str]
    broken: str | None = None
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    provenance: Provenance | None = None
    datum: Datum = "wgs84"
    #: Whether 0:00-24:00 and a price of 0 may be filler because the layout has no unknown values.
    has_filler: bool = False
    #: The check and the reason, if an adapter wants the row to be set aside.
    refused: tuple[str, str] | None = None

    def mark(self, kind: str, message: str) -> None:
        """Add a finding about a doubtful value, which is either kept or set to unknown."""
        self.notes.append(("mark", kind, message))

    def fix(self, kind: str, message: str) -> None:
        """Add a finding about a value that was corrected without loss of information."""
        self.notes.append(("fix", kind, message))

    def text(self, column: str) -> str | None:
        """Return the text of a cell without surrounding spaces, or None if the cell is empty, NaN
        or null.

        An apostrophe that prevents a spreadsheet from reading the text as a formula is removed.
        """
        cell = without_apostrophe(self.cells.get(column, "").strip())
        return None if cell.casefold() in _BLANK else cell

    def require(self, column: str) -> str:
        """Return a cell's text. Raises RowError if the cell is empty."""
        cell = self.text(column)
        if cell is None:
            raise RowError("empty", f"{column} is empty")
        return cell

    def number(self, column: str) -> float | None:
        """Return a cell as a number, or None if the cell is empty.

        Raises RowError if the text is not a number, or the number is larger than
        ``LARGEST_NUMBER``.
        """
        cell = self.text(column)
        if cell is None:
            return None
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not abs(value) <= LARGEST_NUMBER:
            raise RowError("number", f"{column} is not a number: {cell!r}")
        return value

    def cents(self, column: str) -> int | None:
        """Return a price in hundredths.

        Raises RowError if the price is negative or is not a number.
        """
        if self.number(column) is None:
            return None
        try:
            return cents(self.require(column))
        except ValueError as error:
            raise RowError("price", f"{column}: {error}") from None

    @property
    def origin(self) -> Row:
        """Return the columns that give the file and the line of the row."""
        return {"source_file": self.file, "source_line": self.line}


@dataclass
class Intake:
    """The rows that were read, kept, merged and set aside for one of a city's tables, with
    findings.
    """

    city: City
    table: str
    rows_in: int = 0
    merged: int = 0
    kept: list[Row] = field(default_factory=list)
    quarantined: list[Row] = field(default_factory=list)
    findings: list[Row] = field(default_factory=list)
    stated: dict[tuple[str, int], Provenance] = field(default_factory=dict)

    @classmethod
    def of(
        cls, city: City, table: str, rows: Iterable[SourceRow], build: Callable[[SourceRow], Row]
    ) -> Intake:
        """Return the intake of a table after building each row or setting it aside."""
        intake = cls(city, table)
        intake.read(rows, build)
        return intake

    def read(self, rows: Iterable[SourceRow], build: Callable[[SourceRow], Row]) -> None:
        """Build each row; if a row is broken, set it aside with the reason."""
        for row in rows:
            self.rows_in += 1
            try:
                if row.broken is not None:
                    raise RowError("shape", row.broken)
                if row.refused is not None:
                    raise RowError(*row.refused)
                self.kept.append(build(row))
                if row.provenance is not None:
                    self.stated[row.file, row.line] = row.provenance
            except RowError as error:
                self._quarantine(row, error)
            for severity, kind, message in row.notes:
                self.note(severity, kind, row.file, row.line, message)

    def note(self, severity: str, kind: str, file: str, line: int | None, message: str) -> None:
        """Record a finding; ``line`` is None if the finding concerns the whole file.

        Raises RuntimeError if ``RULES`` has no rule with this kind and this severity.
        """
        if kind not in RULES or RULES[kind].action != severity:
            raise RuntimeError(f"there is no rule for the finding {kind} ({severity})")
        self.findings.append(
            {
                "kind": kind,
                "table": self.table,
                "source_file": file,
                "source_line": line,
                "severity": severity,
                "message": message,
            }
        )

    def _quarantine(self, row: SourceRow, error: RowError) -> None:
        row_id = f"{row.file}:{row.line}"
        payload = canonical_json(row.cells)[:PAYLOAD_CHARACTERS]
        self.quarantined.append(
            {
                "quarantine_id": quarantine_id(
                    self.city.city_id, STAGE, self.table, row_id, error.check, str(error), payload
                ),
                "city_id": self.city.city_id,
                "stage": STAGE,
                "table": self.table,
                "row_id": row_id,
                "check": error.check,
                "message": str(error),
                "payload": payload,
                **row.origin,
            }
        )
        self.note("quarantine", error.check, row.file, row.line, str(error))

    def merge(
        self,
        key: Callable[[Row], Any],
        kind: str,
        same: Callable[[Row, Row], bool] | None = None,
        price: Callable[[Row], Any] = lambda row: (row.get("price_cents"), row.get("currency")),
    ) -> None:
        """Merge rows with the same key into the first of them, and record each merge as a finding.

        If ``same`` is given, two rows are merged only if ``same`` returns True for them. The
        finding names the row that is kept and says whether the prices differ.
        """
        kept: list[Row] = []
        by_key: dict[Any, list[Row]] = {}
        for row in self.kept:
            others = by_key.setdefault(key(row), [])
            first = next((other for other in others if same is None or same(other, row)), None)
            if first is None:
                others.append(row)
                kept.append(row)
                continue
            self.merged += 1
            differs = "" if price(first) == price(row) else "; its price differs"
            message = f"repeats {first['source_file']}:{first['source_line']}{differs}"
            self.note("fix", kind, row["source_file"], row["source_line"], message)
        self.kept = kept

    def row_sources(self) -> list[Row]:
        """Return rows for ``row_sources``, which contain what the source states about each kept
        row.
        """
        kept = {(row["source_file"], row["source_line"]) for row in self.kept}
        return [
            {
                "city_id": self.city.city_id,
                "table": "pois" if self.table == "attractions" else self.table,
                "source_file": file,
                "source_line": line,
                "source_name": said.name,
                "licence": said.licence,
                "source_date": said.date,
            }
            for (file, line), said in self.stated.items()
            if (file, line) in kept and said != Provenance()
        ]

    def counts(self) -> Row:
        """Return the row for ``stage_counts``. Raises RuntimeError if rows were lost."""
        kept, quarantined = len(self.kept), len(self.quarantined)
        if self.rows_in != kept + self.merged + quarantined:
            raise RuntimeError(
                f"{self.city.slug}, {self.table}: {self.rows_in} rows in, but {kept} kept + "
                f"{self.merged} merged + {quarantined} quarantined"
            )
        return {
            "city_id": self.city.city_id,
            "stage": STAGE,
            "table": self.table,
            "rows_in": self.rows_in,
            "rows_kept": kept,
            "rows_merged": self.merged,
            "rows_quarantined": quarantined,
            "rows_pending": 0,
        }


def same_place(first: Row, second: Row) -> bool:
    """Check whether two places are within ``SAME_PLACE_M``, or both have no coordinates."""
    if first["lat"] is None or second["lat"] is None:
        return first["lat"] is None and second["lat"] is None
    return bool(
        distance_m(first["lat"], first["lon"], second["lat"], second["lon"]) <= SAME_PLACE_M
    )


def name_key(row: Row) -> str:
    """Return the normalised Chinese name of a row, or its English name if there is no Chinese
    name.
    """
    return normalise_name(row["name_zh"] or row["name_en"])
