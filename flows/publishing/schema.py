"""``tripbed schema``: exports the definitions of the tables for other programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyarrow import ipc

from flows.console import print_json
from flows.errors import SettingsError
from schemas.export import arrow_schemas, compare, json_schemas
from schemas.nouns import count_noun
from schemas.tables import SCHEMA_VERSION


def export(out: Path, form: str) -> None:
    """Write the schema and print where."""
    if form == "json":
        out.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(json_schemas(), ensure_ascii=False, indent=1)
        out.write_text(f"{text}\n", encoding="utf-8")
    else:
        out.mkdir(parents=True, exist_ok=True)
        for name, made in arrow_schemas().items():
            with ipc.new_file(out / f"{name}.arrow", made):
                pass
    sys.stdout.write(f"{out}\n")


def check(old: Path, as_json: bool) -> int:
    """Compare an earlier export with this version: 1 where a change breaks something."""
    try:
        export = json.loads(old.read_text(encoding="utf-8"))
        changes = compare(export if isinstance(export, dict) else {})
    except (OSError, ValueError) as error:
        raise SettingsError(f"{old}: {error}") from None
    breaking = [change for change in changes if change.breaking]
    if as_json:
        listed = [vars(change) for change in changes]
        versions = {"old": export.get("schema_version"), "new": SCHEMA_VERSION}
        print_json({"compatible": not breaking, "versions": versions, "changes": listed})
    else:
        for change in changes:
            where = f"{change.table}.{change.column}" if change.column else change.table
            sys.stdout.write(f"{'breaks' if change.breaking else 'fits'} {where}: {change.what}\n")
        sys.stdout.write(
            f"{export.get('schema_version')} -> {SCHEMA_VERSION}:"
            f" {count_noun(len(changes), 'change')}, {len(breaking)} of them breaking\n"
        )
    return 1 if breaking else 0
