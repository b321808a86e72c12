"""Writes ``croissant.json``, which describes a snapshot for programs (MLCommons Croissant 1.0).

Each file is listed with its checksum and described as a record set. Each column is described as a
field, with its unit. The description depends only on the manifest, not on the time or the machine.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from schemas.fields import Field
from schemas.licences import NONE_STATED, licence_address
from schemas.nouns import count_noun
from schemas.tables import TABLES, Table
from schemas.word_lists import Lists
from warehouse.manifest import FileEntry, Manifest

FILE_NAME = "croissant.json"

_CONTEXT = {
    term: {"@id": meaning, "@type": kind} if kind else meaning
    for term, kind, meaning in Lists("warehouse").table("croissant_context")
}
_PARQUET = "application/x-parquet"


def croissant(manifest: Manifest) -> str:
    """Return the description as JSON text. Tables without rows are left out."""
    tables = [name for name in TABLES if name in manifest.tables and manifest.tables[name].rows]
    stated = manifest.sources.stated_licences if manifest.sources else ()
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": f"tripbed-{'-'.join(manifest.cities)}"[:100],
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "description": (
            "A sandbox for travel planning: queries with candidate places and reference "
            "trajectories, and tables of everything that a planner can book. Cities: "
            f"{', '.join(manifest.cities)}."
        ),
        "license": [licence_address(name) for name in stated] or "No source states a licence.",
        "usageInfo": _tell_unstated(manifest),
        "url": f"urn:tripbed:{manifest.snapshot_id()}",
        "version": f"{manifest.schema_version}.0",
        "citeAs": f"tripbed snapshot {manifest.snapshot_id()}",
        "datePublished": _newest(manifest),
        "temporalCoverage": _find_coverage(manifest),
        "personalSensitiveInformation": (
            "Phone numbers, e-mail addresses, identity numbers, handles and the names of "
            "authors (if stated as such) are masked before a document is read. The snapshot "
            "does not contain the texts of documents."
        ),
        "distribution": [entry for name in tables for entry in _files(manifest, name)],
        "recordSet": [made for name in tables for made in _records(manifest, TABLES[name])],
    }
    described = {key: value for key, value in described.items() if value is not None}
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def _newest(manifest: Manifest) -> str | None:
    """Return the newest date that a document or a source row states.

    The date of the build is not used, because equal inputs must give an equal snapshot.
    """
    told = manifest.sources
    days = [told.newest_document, told.newest_row] if told else []
    return max((day for day in days if day), default=None)


def _find_coverage(manifest: Manifest) -> str | None:
    """Return the dates of the oldest and the newest document, as a span in schema.org's form."""
    told = manifest.sources
    if told is None or not told.oldest_document or not told.newest_document:
        return None
    return f"{told.oldest_document}/{told.newest_document}"


def _tell_unstated(manifest: Manifest) -> str | None:
    told = manifest.sources
    documents = told.documents_by_licence.get(NONE_STATED, 0) if told else 0
    rows = (told.rows_by_licence or {}).get(NONE_STATED, 0) if told else 0
    if not documents and not rows:
        return None
    return (
        f"No licence is stated for {count_noun(documents, 'document')} and "
        f"{count_noun(rows, 'row')} of sources: ask for permission before you pass on data from "
        "these documents and rows."
    )


def _file_id(path: str) -> str:
    return path.removeprefix("data/")


def _files(manifest: Manifest, name: str) -> list[dict[str, Any]]:
    return [
        {
            "@type": "cr:FileObject",
            "@id": _file_id(entry.path),
            "name": _file_id(entry.path),
            "contentUrl": entry.path,
            "contentSize": f"{entry.bytes} B",
            "encodingFormat": _PARQUET,
            "sha256": entry.sha256,
        }
        for entry in _list_files(manifest, name)
    ]


def _list_files(manifest: Manifest, name: str) -> list[FileEntry]:
    return [entry for entry in manifest.tables[name].files if entry.rows]


def _records(manifest: Manifest, table: Table) -> list[dict[str, Any]]:
    """Describe each file as a record set, because Croissant's readers do not combine files."""
    entries = _list_files(manifest, table.name)
    made = []
    for entry in entries:
        part = entry.path.partition("=")[2].split("/")[0]
        name = table.name if len(entries) == 1 else f"{table.name}-{part}"
        where = f" ({part})" if len(entries) > 1 else ""
        made.append(
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "description": f"{table.description}{where}",
                "key": [{"@id": f"{name}/{column}"} for column in table.key],
                "field": [_field(name, field, entry) for field in table.fields],
            }
        )
    return made


def _field(records: str, field: Field, entry: FileEntry) -> dict[str, Any]:
    made: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"{records}/{field.name}",
        "name": field.name,
        "description": _describe_field(field),
        "source": {"fileObject": {"@id": _file_id(entry.path)}, "extract": {"column": field.name}},
    }
    kind = field.type
    if pa.types.is_list(kind):
        made["repeated"] = True
        kind = kind.value_type
    made["dataType"] = _data_type(kind)
    return made


def _describe_field(field: Field) -> str:
    text = field.description
    if pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type):
        text += f" (objects with {', '.join(part.name for part in field.type.value_type)})"
    if field.unit:
        text += f" [unit: {field.unit}]"
    return f"{text} [source: {field.source}]" if field.source else text


def _data_type(kind: pa.DataType) -> str:
    names = {
        "sc:Boolean": pa.types.is_boolean, "sc:Integer": pa.types.is_integer,
        "sc:Float": pa.types.is_floating, "sc:Date": pa.types.is_date,
    }  # fmt: skip
    return next((name for name, is_one in names.items() if is_one(kind)), "sc:Text")
