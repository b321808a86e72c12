"""How files are written, and what a build of either city keeps of the other."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from schemas.cities import City
from tests.counterexamples import good
from tests.counterexamples.good import A, B
from tests.support.warehouse.publishing import of_cities, publish_book
from warehouse.candidate import table_entries
from warehouse.manifest import FileEntry, read_manifest
from warehouse.read import Snapshot


def test_files_are_compressed_and_carry_statistics(tmp_path: Path) -> None:
    made = publish_book(tmp_path / "store")
    entry = read_manifest(made.path).tables["pois"].files[0]
    held = pq.ParquetFile(made.path / entry.path).metadata
    assert held.format_version == "2.6"
    column = held.row_group(0).column(0)
    assert (column.compression, column.is_stats_set) == ("ZSTD", True)


@pytest.mark.parametrize(("built", "kept"), [(A, B), (B, A)], ids=["first", "last"])
def test_the_other_city_is_kept_whichever_is_built(tmp_path: Path, built: City, kept: City) -> None:
    """The files of the city that is built stand before or behind those that are kept."""
    slugs = {city.slug for city in (built, kept)}
    before = publish_book(tmp_path / "store")
    only = of_cities(good.book(), built.slug)
    after = publish_book(tmp_path / "store", only, keep_from=before.path)
    assert set(read_manifest(after.path).cities) == slugs
    for name in Snapshot(before.path).tables():
        old, new = (Snapshot(made.path).table(name) for made in (before, after))
        assert new.equals(old), name


def test_entries_count_the_rows_of_their_files_in_order_of_path() -> None:
    a, b = (FileEntry(path=f"data/pois/city={c}/part-0.parquet", sha256="0" * 64, bytes=1, rows=n)
            for c, n in (("a", 2), ("b", 3)))  # fmt: skip
    entries = table_entries({"trains": [], "pois": [b, a]})
    assert list(entries) == ["pois", "trains"]
    assert (entries["pois"].rows, entries["pois"].files) == (5, (a, b))
    assert (entries["trains"].rows, entries["trains"].files) == (0, ())
