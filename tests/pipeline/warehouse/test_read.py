"""Reading a snapshot: manifests that lie, files that are none, tables on demand."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.arrow import arrow_schema, polars_schema
from schemas.tables import SCHEMA_VERSION, TABLES
from tests.counterexamples.good import A, B, book
from warehouse.errors import SnapshotError
from warehouse.manifest import Manifest, read_manifest, verify
from warehouse.read import Snapshot
from warehouse.sandbox import Sandbox

HOTELS = f"data/hotels/city={A.slug}/part-0.parquet"


def _as_1_5(manifest: dict[str, Any]) -> None:
    """Make a manifest one of 1.5, which did not have five tables."""
    manifest.update(schema_version="1.5")
    for name in ("links", "unlinked_names", "context_tags", "metro_fares", "conditional_facts"):
        del manifest["tables"][name]


def edit(snapshot: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest of a copy."""
    path = snapshot / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    replace(path, json.dumps(manifest).encode())


def replace(path: Path, content: bytes) -> None:
    """Other content in the place of a file, which may be linked from elsewhere."""
    path.unlink()
    path.write_bytes(content)


class TestManifest:
    """A manifest comes from anywhere: it leads nowhere and breaks nothing."""

    @pytest.mark.parametrize(
        "path",
        [
            "../../etc/passwd",
            "data/hotels/../../../secret.parquet",
            "/etc/passwd",
            "data/hotels/city=../part-0.parquet",
            "data/hotels/city=a/b/part-0.parquet",
            "data/hotels/part-0.parquet",
            f"data/pois/city={A.slug}/part-0.parquet",
            f"data/hotels/city={A.slug}/part-0.parquet\n",
            f"data/hotels/city={A.slug}/part-0.csv",
            "data\\hotels\\part-0.parquet",
            "",
        ],
    )
    def test_a_path_that_leads_elsewhere(self, copy: Path, path: str) -> None:
        edit(copy, lambda m: m["tables"]["hotels"]["files"][0].update(path=path))
        with pytest.raises(
            SnapshotError, match=r"manifest.json is not a manifest.*not a valid path for"
        ):
            read_manifest(copy)

    def test_a_file_twice(self, copy: Path) -> None:
        edit(copy, lambda m: m["tables"]["hotels"].update(files=m["tables"]["hotels"]["files"] * 2))
        with pytest.raises(SnapshotError, match="appears twice"):
            read_manifest(copy)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "cannot be read"),
            (b"not JSON", "cannot be read"),
            (b"\xff\xfe\x00", "cannot be read"),
            (b"PK\x03\x04\x00\x00", "(cannot be read|not a manifest)"),
            (b"[]", "is not a manifest"),
            (b"null", "is not a manifest"),
            (b"{}", "schema_version: Field required"),
            (b"[" * 100_000, "cannot be read"),
            (b'{"schema_version": ' + b"9" * 5000 + b"}", "cannot be read"),
        ],
    )
    def test_text_that_is_none(self, copy: Path, content: bytes, message: str) -> None:
        replace(copy / "manifest.json", content)
        with pytest.raises(SnapshotError, match=message):
            read_manifest(copy)

    def test_a_huge_file_is_not_read(self, copy: Path) -> None:
        (copy / "manifest.json").unlink()
        with (copy / "manifest.json").open("wb") as handle:
            handle.truncate(64_000_001)
        with pytest.raises(SnapshotError, match="larger than 64,000,000 bytes"):
            read_manifest(copy)

    @pytest.mark.parametrize("change", [{"rows": -1}, {"bytes": 10**30}, {"sha256": "x"}, {"a": 1}])
    def test_numbers_and_names_out_of_bounds(self, copy: Path, change: dict[str, Any]) -> None:
        edit(copy, lambda m: m["tables"]["hotels"]["files"][0].update(change))
        with pytest.raises(SnapshotError, match=r"is not a manifest: tables.hotels.files.0"):
            read_manifest(copy)

    @pytest.mark.parametrize("version", ["3.0", "99.0", "2" + "0" * 5000])
    def test_a_newer_schema_version(self, copy: Path, version: str) -> None:
        edit(copy, lambda m: m.update(schema_version=version, tables="of another form"))
        for any_version in (False, True):
            with pytest.raises(
                SnapshotError, match=r"schema version (3|99|20).*(newer tripbed|build again)"
            ):
                read_manifest(copy, any_version=any_version)

    def test_an_older_version_that_is_known(self, copy: Path) -> None:
        """Who works with rows needs them as they are today; who only judges them does not."""
        edit(copy, _as_1_5)
        taken = copy.with_name(f"{copy.name}-{SCHEMA_VERSION}")
        taken.mkdir()
        versions = rf"schema version 1\.5, but this tripbed has {re.escape(SCHEMA_VERSION)}"
        with pytest.raises(SnapshotError, match=versions) as found:
            read_manifest(copy)
        command = str(found.value).split("`")[1]
        assert shlex.split(command) == [
            "tripbed", "schema", "migrate", str(copy), "--out", f"{taken}-1",
        ]  # fmt: skip
        assert read_manifest(copy, any_version=True).schema_version == "1.5"
        with pytest.raises(SnapshotError, match="tripbed schema migrate"):
            Sandbox(copy)

    def test_amounts_that_name_no_currency(self, copy: Path) -> None:
        """Before 1.5 an amount was of yuan, and no column said so."""
        edit(copy, lambda m: m.update(schema_version="1.4"))
        with pytest.raises(SnapshotError, match=r"schema version 1\.4.*build again"):
            read_manifest(copy)

    def test_a_later_minor_version_is_read(self, copy: Path) -> None:
        edit(copy, lambda m: m.update(schema_version="2.9"))
        assert read_manifest(copy).schema_version == "2.9"

    def test_no_snapshot(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "nothing", tmp_path / "file"):
            (tmp_path / "file").write_text("a file")
            with pytest.raises(SnapshotError, match=r"is not a snapshot: it has no manifest\.json"):
                read_manifest(path)

    def test_a_folder_in_its_place(self, copy: Path) -> None:
        (copy / "manifest.json").unlink()
        (copy / "manifest.json").mkdir()
        with pytest.raises(SnapshotError, match="cannot be read"):
            read_manifest(copy)

    def test_it_holds_no_time_and_no_path_outside(self, published: Path) -> None:
        text = (published / "manifest.json").read_text()
        assert str(published.parent) not in text
        assert Manifest.model_validate_json(text).text() == text


class TestVerify:
    def faults(self, snapshot: Path) -> list[tuple[str, str]]:
        return list(verify(snapshot, read_manifest(snapshot)))

    def test_a_good_one(self, published: Path) -> None:
        assert self.faults(published) == []

    def test_a_missing_file(self, copy: Path) -> None:
        (copy / HOTELS).unlink()
        assert self.faults(copy) == [(HOTELS, "the file is missing")]

    def test_a_changed_file(self, copy: Path) -> None:
        content = (copy / HOTELS).read_bytes()
        replace(copy / HOTELS, content[:-1] + bytes([content[-1] ^ 1]))
        assert self.faults(copy) == [(HOTELS, "the file's checksum differs")]

    def test_a_longer_file(self, copy: Path) -> None:
        content = (copy / HOTELS).read_bytes()
        replace(copy / HOTELS, content + b"\0")
        fault = f"the file has {len(content) + 1} bytes, not {len(content)}"
        assert self.faults(copy) == [(HOTELS, fault)]

    def test_an_extra_file(self, copy: Path) -> None:
        extra = "data/hotels/city=elsewhere/part-0.parquet"
        (copy / extra).parent.mkdir()
        (copy / extra).write_bytes(b"")
        assert self.faults(copy) == [(extra, "the file is not in the manifest")]

    def test_a_link_in_place_of_a_file(self, copy: Path, published: Path) -> None:
        (copy / HOTELS).unlink()
        (copy / HOTELS).symlink_to(published / HOTELS)
        assert self.faults(copy) == [(HOTELS, "the path of the file contains a symbolic link")]

    def test_a_folder_in_place_of_a_file(self, copy: Path) -> None:
        (copy / HOTELS).unlink()
        (copy / HOTELS).mkdir()
        assert self.faults(copy) == [(HOTELS, "the file is missing")]


class TestTables:
    def test_all_cities_in_key_order(self, published: Path) -> None:
        rows = Snapshot(published).table("pois")
        assert rows.height == sum(len(part) for part in book()["pois"].values())
        assert rows["poi_id"].is_sorted()
        assert rows.schema == polars_schema("pois")

    def test_one_city(self, published: Path) -> None:
        rows = Snapshot(published).table("pois", B.slug)
        assert set(rows["city_id"]) == {B.city_id}
        assert rows.height == len(book()["pois"][B.slug])

    def test_one_pair(self, published: Path) -> None:
        rows = Snapshot(published).table("trains", f"{B.slug}--{A.slug}")
        assert rows.height == len(book()["trains"][f"{B.slug}--{A.slug}"])
        assert set(rows["origin_city_id"]) == {B.city_id}

    def test_a_city_that_is_not_there_and_an_empty_table(self, published: Path) -> None:
        for rows in (
            Snapshot(published).table("pois", "elsewhere"),
            Snapshot(published).table("gates", "elsewhere"),
        ):
            assert rows.is_empty()
        assert Snapshot(published).table("pois", "elsewhere").schema == polars_schema("pois")

    def test_names_of_tables(self, published: Path) -> None:
        held = Snapshot(published)
        assert held.tables() == tuple(TABLES)
        with pytest.raises(SnapshotError, match="has no table 'poi'; it has cities, queries"):
            held.table("poi")

    @pytest.mark.parametrize(
        "content",
        [b"", b"PK\x03\x04" + b"\0" * 400, b"name,price\n" * 40, b"PAR1" + b"\xff" * 90 + b"PAR1"],
    )
    def test_a_file_that_is_no_parquet(self, copy: Path, content: bytes) -> None:
        replace(copy / HOTELS, content)
        with pytest.raises(SnapshotError, match=r"table hotels: .*part-0.parquet"):
            Snapshot(copy).table("hotels")
        assert Snapshot(copy).table("hotels", B.slug).height

    def test_a_file_that_is_gone(self, copy: Path) -> None:
        (copy / HOTELS).unlink()
        with pytest.raises(SnapshotError, match="table hotels"):
            Snapshot(copy).table("hotels")

    def test_more_rows_than_the_manifest_says(self, copy: Path) -> None:
        edit(copy, lambda m: m["tables"]["hotels"]["files"][0].update(rows=1))
        with pytest.raises(SnapshotError, match="contains 2 rows, but the manifest says 1"):
            Snapshot(copy).table("hotels")

    def test_a_file_that_unpacks_to_much_more(self, copy: Path) -> None:
        schema = arrow_schema("hotels")
        rows = pq.read_table(copy / HOTELS)
        names = pa.array(["x" * 1000] * rows.num_rows * 60_000)
        many = rows.take([0, 1] * 60_000).set_column(
            schema.get_field_index("source_file"), schema.field("source_file"), names
        )
        (copy / HOTELS).unlink()
        pq.write_table(many, copy / HOTELS, compression="zstd", use_dictionary=False)
        edit(copy, lambda m: m["tables"]["hotels"]["files"][0].update(rows=many.num_rows))
        with pytest.raises(SnapshotError, match="claims to unpack to"):
            Snapshot(copy).table("hotels")
