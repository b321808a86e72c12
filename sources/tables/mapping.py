"""Read ``mapping.yaml``, which maps the columns of files to tripbed's own columns.

docs/tables.md describes the format. The file is read node by node so that each error message can
name the line. If a key is unknown, the message suggests the most similar known key.
"""

from __future__ import annotations

import codecs
import datetime as dt
import difflib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml

from schemas.geo import Datum
from schemas.money import currencies
from sources.tables.intake import Provenance, TableError

T = TypeVar("T")
MAPPING_FILE = "mapping.yaml"
#: Columns for a price: an amount and its ISO 4217 code, or an amount in yuan.
_PRICE = ("price", "currency", "price_cny")
_NAMES = ("name_zh", "name_en", "lat", "lon", "id", "city")
_HOURS = ("opening_hours", "opens", "closes")
_CONNECTION = ("from_city", "to_city", "departure", "arrival", "duration_min", *_PRICE)
#: tripbed's own columns that a mapping can fill, by table.
COLUMNS: dict[str, tuple[str, ...]] = {
    "attractions": (
        *_NAMES,
        *_HOURS,
        "aliases",
        "category",
        "types",
        "parent_id",
        *_PRICE,
        "min_duration_min",
        "max_duration_min",
        "rating",
        "grade",
        "wikidata",
    ),
    "hotels": (*_NAMES, "feature", "room_type", *_PRICE, "stock", "stars", "rating"),
    "restaurants": (*_NAMES, *_HOURS, "cuisine", *_PRICE, "rating", "recommended_dishes"),
    "trains": ("train_id", "train_type", "from_station", "to_station", *_CONNECTION),
    "flights": ("flight_id", "from_airport", "to_airport", *_CONNECTION),
    "hubs": ("name", "lat", "lon", "city"),
    "metro_stations": (
        "line",
        "name",
        "lat",
        "lon",
        "city",
        "ride_s",
        "wait_s",
        "change_s",
        "zones",
    ),
    "metro_fares": (*_PRICE, "line", "from_zone", "to_zone", "transfers", "city"),
}
_SPANS = {"minute": 1, "hour": 60, "day": 1440, "second": 1 / 60}
#: Units that a mapping can state for a column, with the factors that convert to tripbed's unit.
UNITS: dict[str, dict[str, float]] = {
    "price": {"unit": 1, "cent": 0.01},
    "price_cny": {"yuan": 1, "fen": 0.01, "cent": 0.01, "jiao": 0.1},
    "min_duration_min": _SPANS,
    "max_duration_min": _SPANS,
    "duration_min": _SPANS,
    "rating": {"of_5": 1, "of_10": 0.5, "of_100": 0.05},
}
FORMATS = ("csv", "tsv", "jsonl", "json", "parquet")
_FILE_KEYS = (
    "file", "format", "encoding", "delimiter", "datum", "city", "source", "licence", "date",
    "currency", "filler", "columns",
)  # fmt: skip
_COLUMN_KEYS = ("column", "value", "unit", "codes", "separator")


@dataclass(frozen=True)
class MappedColumn:
    """The source of one of tripbed's columns: a column in the file, or one value for all rows."""

    column: str | None = None
    value: str | None = None
    factor: float = 1
    codes: dict[str, str] = field(default_factory=dict)
    separator: str | None = None


@dataclass(frozen=True)
class MappedFile:
    """A file named in a mapping, with its table, format, columns and other settings."""

    table: str
    file: str
    format: str
    encoding: str | None
    delimiter: str
    datum: Datum
    city: str | None
    provenance: Provenance
    has_filler: bool
    columns: dict[str, MappedColumn]
    currency: str | None = None


def read_mapping(directory: Path) -> list[MappedFile]:
    """Read a folder's mapping. Raises TableError, with the line, if the mapping has an error."""
    path = directory / MAPPING_FILE
    try:
        root = yaml.compose(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise TableError(f"{path}: the file does not exist; create it to map the columns") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise TableError(f"{path}: not YAML: {error}") from None
    reader = _MappingReader(path)
    if root is None:
        raise TableError(f"{path}:1: the file is empty; it needs the key 'tables'")
    top = reader.entries(root, ("tables",))
    tables = reader.entries(reader.require(root, top, "tables"), tuple(COLUMNS))
    found = [
        reader.file(table, node)
        for table, value in tables.items()
        for node in (value.value if isinstance(value, yaml.SequenceNode) else [value])
    ]
    if not found:
        raise TableError(f"{path}:1: no table is mapped; map at least one of {', '.join(COLUMNS)}")
    return found


def _encoding_name(text: str) -> str:
    return codecs.lookup(text).name


@dataclass(frozen=True)
class _MappingReader:
    path: Path

    def wrong(self, node: yaml.Node, message: str) -> TableError:
        return TableError(f"{self.path}:{node.start_mark.line + 1}: {message}")

    def entries(self, node: yaml.Node, known: Collection[str]) -> dict[str, yaml.Node]:
        """Return the values of a YAML mapping by key. Raises TableError if a key is unknown."""
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(node, f"expected keys: {', '.join(known)}")
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if key.value not in known:
                near = difflib.get_close_matches(str(key.value), list(known), 1, 0.5)
                hint = f"; did you mean {near[0]}?" if near else f"; use one of {', '.join(known)}"
                raise self.wrong(key, f"unknown key {key.value!r}{hint}")
            if key.value in found:
                raise self.wrong(key, f"key {key.value} appears twice")
            found[key.value] = value
        return found

    def require(self, node: yaml.Node, found: dict[str, yaml.Node], key: str) -> yaml.Node:
        if key not in found:
            raise self.wrong(node, f"key {key} is missing")
        return found[key]

    def text(self, node: yaml.Node | None) -> str | None:
        if node is None:
            return None
        if not isinstance(node, yaml.ScalarNode):
            raise self.wrong(node, "a single value is expected here")
        return str(node.value) if node.tag != "tag:yaml.org,2002:null" else None

    def choice(self, node: yaml.Node | None, known: Collection[str], default: str) -> str:
        text = self.text(node)
        if node is None or text is None:
            return default
        if text not in known:
            raise self.wrong(node, f"{text!r} is not one of {', '.join(known)}")
        return text

    def file(self, table: str, node: yaml.Node) -> MappedFile:
        keys = self.entries(node, _FILE_KEYS)
        name = self.text(self.require(node, keys, "file")) or ""
        if not self._is_inside(name):
            raise self.wrong(
                keys["file"],
                f"{name!r} is outside the folder of mapping.yaml: move the file into this folder",
            )
        suffix = Path(name).suffix.lstrip(".").lower()
        kind = self.choice(keys.get("format"), FORMATS, suffix)
        if kind not in FORMATS:
            raise self.wrong(keys["file"], f"the format of {name} is unclear: add the key 'format'")
        mapped = self.entries(self.require(node, keys, "columns"), COLUMNS[table])
        delimiter = self.text(keys.get("delimiter")) or ("\t" if kind == "tsv" else ",")
        if len(delimiter) != 1:
            raise self.wrong(
                keys["delimiter"], f"a single character is expected, not {delimiter!r}"
            )
        datum: Any = self.choice(keys.get("datum"), get_args(Datum), "wgs84")
        return MappedFile(
            table, name, kind,
            self._value(keys.get("encoding"), _encoding_name, "there is no encoding called {}"),
            delimiter, datum, self.text(keys.get("city")),
            Provenance(
                self.text(keys.get("source")), self.text(keys.get("licence")),
                self._value(
                    keys.get("date"), dt.date.fromisoformat, "not a date (YYYY-MM-DD): {}"
                ),
            ),
            self.choice(keys.get("filler"), ("true", "false"), "true") == "true",
            {column: self._column(column, value) for column, value in mapped.items()},
            self._currency(keys.get("currency")),
        )  # fmt: skip

    def _is_inside(self, name: str) -> bool:
        """Check whether a file is inside the mapping's folder once symbolic links are resolved."""
        folder = self.path.parent.resolve()
        try:
            return (folder / name).resolve().is_relative_to(folder)
        except (OSError, ValueError):  # a name that no file can have
            return False

    def _value(self, node: yaml.Node | None, read: Callable[[str], T], wrong: str) -> T | None:
        """Read a value with ``read``; if this fails, raise an error with the message ``wrong``."""
        text = self.text(node)
        if node is None or text is None:
            return None
        try:
            return read(text)
        except (LookupError, ValueError):
            raise self.wrong(node, wrong.format(repr(text))) from None

    def _currency(self, node: yaml.Node | None) -> str | None:
        code = self.text(node)
        if node is not None and code is not None and code not in currencies():
            raise self.wrong(node, f"{code!r} is not an ISO 4217 currency, such as EUR or JPY")
        return code

    def _column(self, column: str, node: yaml.Node) -> MappedColumn:
        if isinstance(node, yaml.ScalarNode):
            return MappedColumn(self.text(node))
        keys = self.entries(node, _COLUMN_KEYS)
        if ("column" in keys) == ("value" in keys):
            raise self.wrong(node, f"{column} needs exactly one of the keys 'column' and 'value'")
        factor = 1.0
        if "unit" in keys:
            units = UNITS.get(column)
            if units is None:
                raise self.wrong(
                    keys["unit"], f"{column} cannot have a unit; only {', '.join(UNITS)} can"
                )
            factor = units[self.choice(keys["unit"], units, "")]
        codes = {}
        if "codes" in keys:
            if not isinstance(keys["codes"], yaml.MappingNode):
                raise self.wrong(
                    keys["codes"], "the key 'codes' must map the file's codes to tripbed's codes"
                )
            codes = {str(key.value): self.text(value) or "" for key, value in keys["codes"].value}
        return MappedColumn(
            self.text(keys.get("column")), self.text(keys.get("value")), factor, codes,
            self.text(keys.get("separator")),
        )  # fmt: skip
