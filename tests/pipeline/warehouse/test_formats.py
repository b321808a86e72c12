"""What stands beside the data: card, croissant.json, GeoParquet; each read by another's reader."""

from __future__ import annotations

import datetime as dt
import json
import struct
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from schemas.arrow import frame
from schemas.cells import cell_text
from schemas.fields import FIELDS
from schemas.tables import TABLES
from tests.counterexamples import good
from tests.counterexamples.good import A
from warehouse.manifest import read_manifest
from warehouse.read import Snapshot, count_sources


def test_the_card_counts_sources_and_licences(published: Path) -> None:
    card = (published / "README.md").read_text(encoding="utf-8")
    assert "| documents, licence: CC-BY-4.0 | 2 |" in card
    assert "| documents, licence: none stated | 4 |" in card
    assert "| documents, language: en | 2 |" in card
    assert f"| rows of `places.csv` | {len(good.PLACES)} |" in card
    assert "the newest dated document is of 2024-05-02" in card
    for title in ("Intended use and limits", "Personal data", "Licence", "made and checked"):
        assert title in card
    sources = read_manifest(published).sources
    assert sources is not None
    assert sources.documents_by_language == {"en": 2, "zh": 4}
    assert "| distinct documents | 6 |" in card
    assert "nobody states one for 4 documents and" in card
    assert "license: other" in card


def test_a_document_of_two_cities_is_one() -> None:
    """Counted once for the card, with the licence that a file beside it states."""
    rows = {
        "doc_id": ["d1", "d1", "d2"], "licence_hint": ["CC BY-NC 4.0", "CC BY-NC 4.0", None],
        "lang": ["en", "en", "zh"], "published_on": [None, None, dt.date(2024, 5, 2)],
    }  # fmt: skip
    tables = {"documents": pl.DataFrame(rows)}
    given = pl.DataFrame({"doc_id": ["d2"], "licence": ["MIT"], "licence_by": ["LICENSES.csv"]})
    told = count_sources(lambda name: tables.get(name, frame(name, [])), given)
    assert told.documents == 2
    assert told.documents_by_licence == {"CC-BY-NC-4.0": 1, "MIT": 1}
    assert told.licences_said_by == {"LICENSES.csv": 1, "the document": 1}
    assert told.documents_by_language == {"en": 1, "zh": 1}
    assert (told.oldest_document, told.newest_document) == ("2024-05-02", "2024-05-02")


def test_croissant_has_the_licences_and_days_of_the_sources(published: Path) -> None:
    described = json.loads((published / "croissant.json").read_text(encoding="utf-8"))
    assert described["license"] == [
        f"https://spdx.org/licenses/{name}" for name in ("CC-BY-4.0", "CC0-1.0")
    ]
    assert "No licence is stated for 4 documents" in described["usageInfo"]
    assert described["datePublished"] == "2024-05-02"
    oldest, newest = described["temporalCoverage"].split("/")
    assert oldest <= newest == "2024-05-02"


def test_the_card_quotes_nothing_that_acts() -> None:
    """Words of a source end no cell, start no tag and no link."""
    hostile = "x | 9 |\n# <script>alert(1)</script> [a](javascript:b) `c`"
    told = cell_text(hostile)
    assert not set("|<>[]`\n") & set(told)


def test_croissant_is_valid_and_gives_the_rows(published: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=published / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    held = Snapshot(published)
    tables = {record.name.partition("-")[0] for record in dataset.metadata.record_sets}
    assert tables == {name for name in TABLES if held.manifest.tables[name].rows}
    rows = list(dataset.records(f"pois-{A.slug}"))
    wanted = held.table("pois", A.slug)
    assert [row[f"pois-{A.slug}/poi_id"].decode() for row in rows] == wanted["poi_id"].to_list()
    assert next(row[f"pois-{A.slug}/rating"] for row in rows) == wanted["rating"][0]


def test_croissant_describes_every_field(published: Path) -> None:
    described = json.loads((published / "croissant.json").read_text(encoding="utf-8"))
    fields = {f["@id"]: f for r in described["recordSet"] for f in r["field"]}
    first = {
        r["name"].partition("-")[0]: r["name"].partition("-")[2] for r in described["recordSet"]
    }
    for table in TABLES.values():
        if Snapshot(published).manifest.tables[table.name].rows:
            for name in table.column_names:
                entry = (
                    fields.get(f"{table.name}/{name}")
                    or fields[f"{table.name}-{first[table.name]}/{name}"]
                )
                assert entry["description"].startswith(FIELDS[name].description)
    assert "[unit: metre]" in fields[f"distances-{A.slug}/distance_m"]["description"]
    assert fields[f"pois-{A.slug}/trend_types"]["repeated"] is True


def test_places_are_geoparquet(published: Path) -> None:
    file = pq.ParquetFile(published / "geo" / "places.parquet")
    geo = json.loads(file.schema_arrow.metadata[b"geo"])
    assert (geo["version"], geo["primary_column"]) == ("1.1.0", "geometry")
    assert geo["columns"]["geometry"]["encoding"] == "WKB"
    rows = file.read().to_pylist()
    assert len(rows) == Snapshot(published).table("pois")["lat"].count()
    for row in rows:
        assert struct.unpack("<BIdd", row["geometry"]) == (1, 1, row["lon"], row["lat"])
    west, south, east, north = geo["columns"]["geometry"]["bbox"]
    assert west == min(row["lon"] for row in rows)
    assert (south, east, north) == (
        min(row["lat"] for row in rows),
        max(row["lon"] for row in rows),
        max(row["lat"] for row in rows),
    )


def test_duckdb_reads_the_geometry_as_bytes(published: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = published / "geo" / "places.parquet"
    query = f"select count(*), min(octet_length(geometry)) from '{path}'"
    try:
        found = duckdb.sql(query).fetchone()
    except duckdb.Error:
        pytest.skip("this DuckDB wants its spatial extension for GeoParquet")
    assert found == (Snapshot(published).table("pois")["lat"].count(), 21)
