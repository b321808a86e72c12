"""What becomes of each source row of a table: kept, merged or set aside, and what was noticed.

A builder turns a ``SourceRow`` into a row of the table; it notes what it doubts on the row and
raises ``RowError`` where the row is broken. ``Intake`` does the accounts.
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
#: Rows of one name closer than this are one place: the published hotel rows that repeat a name
#: lie at most 111 m apart, unless they are other branches.
SAME_PLACE_M = 200.0
PAYLOAD_CHARACTERS = 2000
#: No price, duration or stock is larger; a longer number is garbage.
LARGEST_NUMBER = 1e9
_BLANK = frozenset({"", "nan", "null", "none", "n/a"})
_IGNORED = re.compile(r"[\s·•.\-_]")


class TableError(ValueError):
    """A source is wrong as a whole. The message names file, place and what to do."""


class RowError(ValueError):
    """One row is broken; it goes to quarantine under ``check`` and the import goes on."""

    def __init__(self, check: str, message: str):
        self.check = check
        super().__init__(message)


def normalise_name(name: str) -> str:
    """A name without width, case, space and separator differences."""
    return _IGNORED.sub("", unicodedata.normalize("NFKC", name).casefold())


@dataclass(frozen=True)
class Provenance:
    """What a source states of a row: data set, licence, and the day that it speaks for."""

    name: str | None = None
    licence: str | None = None
    date: dt.date | None = None


@dataclass
class SourceRow:
    """One row of a source file. ``line`` is 1-based: physical line, or element of a JSON list."""

    file: str
    line: int
    cells: dict[str, str]
    broken: str | None = None
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    provenance: Provenance | None = None
    datum: Datum = "wgs84"
    #: Whether 0:00-24:00 and price 0 are suspect: not in a layout that has a way to say unknown.
    has_filler: bool = False
    #: Check and reason for which an adapter sets the row aside.
    refused: tuple[str, str] | None = None

    def mark(self, kind: str, message: str) -> None:
        """Note a doubt that is left as it is, or as unknown."""
        self.notes.append(("mark", kind, message))

    def fix(self, kind: str, message: str) -> None:
        """Note something that was mended without loss."""
        self.notes.append(("fix", kind, message))

    def text(self, column: str) -> str | None:
        """The cell without surrounding space; None for a blank, NaN or null.

        An apostrophe that keeps a text from being a formula is no part of it.
        """
        cell = without_apostrophe(self.cells.get(column, "").strip())
        return None if cell.casefold() in _BLANK else cell

    def require(self, column: str) -> str:
        """The cell. Raises RowError when it is empty."""
        cell = self.text(column)
        if cell is None:
            raise RowError("empty", f"{column} is empty")
        return cell

    def number(self, column: str) -> float | None:
        """The cell as a number up to ``LARGEST_NUMBER``. Raises RowError for anything else."""
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
        """The cell as integer cents. Raises RowError for a negative price or no number."""
        if self.number(column) is None:
            return None
        try:
            return cents(self.require(column))
        except ValueError as error:
            raise RowError("price", f"{column}: {error}") from None

    @property
    def origin(self) -> Row:
        """Provenance columns of the row."""
        return {"source_file": self.file, "source_line": self.line}


@dataclass
class Intake:
    """The accounts of one table of one city."""

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
        """The accounts of a table whose rows are built, or set aside with the reason."""
        intake = cls(city, table)
        intake.read(rows, build)
        return intake

    def read(self, rows: Iterable[SourceRow], build: Callable[[SourceRow], Row]) -> None:
        """Build each row, or set it aside with the reason."""
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
        """Record a finding; ``line`` is None where it concerns the whole file.

        Raises RuntimeError for a kind without a recorded rule.
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
        """Merge rows of one key (and the ``same``, where given) into the first of them, in order.

        A finding names the row that stays and a price that differs.
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
        """Rows of ``row_sources``: what the source states of the rows that were kept."""
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
        """The row of ``stage_counts``. Raises RuntimeError when rows were lost."""
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
    """Whether two rows of one name lie within ``SAME_PLACE_M``, or both lack coordinates."""
    if first["lat"] is None or second["lat"] is None:
        return first["lat"] is None and second["lat"] is None
    return bool(
        distance_m(first["lat"], first["lon"], second["lat"], second["lon"]) <= SAME_PLACE_M
    )


def name_key(row: Row) -> str:
    """Normalised name of a row that has a Chinese or an English one."""
    return normalise_name(row["name_zh"] or row["name_en"])
