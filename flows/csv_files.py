"""CSV files that a command reads."""

from __future__ import annotations

import csv
from pathlib import Path

from flows.settings import SettingsError


def read_csv(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Column names and rows of a CSV in UTF-8. Raises SettingsError, which says what is wrong."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            rows = list(reader)
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise SettingsError(f"{path} cannot be read as CSV in UTF-8: {error}") from None
    return list(reader.fieldnames or ()), rows
