"""Read and write CSV files for commands."""

from __future__ import annotations

import csv
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from flows.errors import SettingsError
from schemas.cells import harmless


def read_csv(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Read the column names and rows of a CSV file.

    The file is in UTF-8, or in UTF-16 with a byte order mark. Raises SettingsError if the file
    cannot be read; the message explains what to do.
    """
    try:
        with path.open("rb") as raw:
            is_utf16 = raw.read(2) in (BOM_UTF16_BE, BOM_UTF16_LE)
        with path.open(encoding="utf-16" if is_utf16 else "utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            rows = list(reader)
            columns = list(reader.fieldnames or ())
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeError as error:
        where = f" (byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
        raise SettingsError(
            f"{path} is not in UTF-8{where}: save it as CSV UTF-8, or convert it (for a file in "
            "GBK, with iconv -f gb18030 -t utf-8)"
        ) from None
    except csv.Error as error:
        raise SettingsError(f"{path} cannot be read as CSV: {error}") from None
    if not columns:
        raise SettingsError(f"{path} is empty: its first line must name the columns")
    return columns, rows


def write_csv(
    target: Path,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
    *,
    to_edit: bool = False,
) -> None:
    """Write the given columns of rows to a CSV file.

    With ``to_edit``, spreadsheet programs recognise the file's encoding and run none of its cells
    as a formula.
    """
    encoding, end = ("utf-8-sig", "\r\n") if to_edit else ("utf-8", "\n")
    with target.open("w", encoding=encoding, newline="") as handle:
        writer = csv.DictWriter(handle, columns, extrasaction="ignore", lineterminator=end)
        writer.writeheader()
        for row in rows:
            writer.writerow({k: harmless(v) for k, v in row.items()} if to_edit else row)
