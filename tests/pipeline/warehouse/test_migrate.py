"""Snapshots of older schema versions, judged by their own tables and carried over to this one."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from schemas.arrow import frame
from schemas.read_hash import with_read_hash
from schemas.tables import SCHEMA_VERSION
from schemas.versions import list_released
from tests.counterexamples.good import A, B
from tests.support.flows.running import tree
from tests.support.warehouse.older import made_up, stamp
from tests.support.warehouse.publishing import BAD, GOOD, publish_book
from validators.control import control
from validators.gates import CATALOGUE, context_tags, structure
from validators.validate import validate
from warehouse.carrying import MigrationStep, Tables, route
from warehouse.errors import SnapshotError, WarehouseError
from warehouse.manifest import file_sha256, read_manifest, verify
from warehouse.migrate import Migration
from warehouse.migrate import migrate as carry_over
from warehouse.publish import lock_store
from warehouse.read import Snapshot

CITIES = {town.slug: town.city_id for town in (A, B)}


@pytest.fixture(scope="module")
def released_1_5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The good snapshot as 1.5 wrote it; not to be changed."""
    path = publish_book(tmp_path_factory.mktemp("store")).path
    stamp(path, "1.5")
    return path


@pytest.fixture
def old(released_1_5: Path, tmp_path: Path) -> Path:
    """The same, the latest of a store of its own: replace files, do not write into them."""
    path = tmp_path / "store" / released_1_5.name
    shutil.copytree(released_1_5, path, copy_function=os.link)
    (path.parent / "latest").symlink_to(path.name)
    return path


def migrate(old: Path, new: Path, **options: Any) -> Migration:
    """Migrate with the control of a build, and with gates that find nothing unless named."""
    needed: dict[str, Any] = {"control": control, "check": lambda candidate: [GOOD]}
    return carry_over(old, new, **needed | options)


@pytest.mark.parametrize("version", list_released())
def test_a_way_leads_here_from_every_released_version(version: str) -> None:
    steps = route(version)
    assert version == SCHEMA_VERSION or steps[-1].to == SCHEMA_VERSION


#: What 1.5 did not have.
ADDED = {"links", "unlinked_names", "context_tags", "metro_fares", "conditional_facts"}
ADDED_COLUMNS = {
    ("pois", "location_tier"),
    *(("query_documents", name) for name in ("provider", "sub_query_id", "found_rank")),
    *(
        ("documents", name)
        for name in (
            "final_url",
            "provider",
            "sub_query_id",
            "found_rank",
            "fetched_on",
            "gone_on",
            "published_by",
            "modified_on",
            "modified_by",
            "fetched_for",
        )
    ),
    ("poi_mentions", "list_rank"),
    ("poi_popularity", "source_date"),
    ("query_pois", "reasons"),
    *(("metro_stations", name) for name in ("wait_s", "change_s", "zones")),
    ("metro_edges", "ride_s"),
    *(
        ("queries", name)
        for name in ("given_file", "given_line", "understanding", "not_understood")
    ),
}


class TestFrom15:
    """Real steps: 2.0 has the tables that 1.5 had, 2.1 two more, 2.2 two more and columns,
    and 2.3 one more.
    """

    def test_every_gate_is_asked_of_the_old_one(self, released_1_5: Path) -> None:
        verdict = validate(released_1_5)
        assert [gate.gate_id for gate in verdict.results if not gate.passed] == []
        reasons = {gate.gate_id: gate.reason for gate in verdict.not_asked}
        assert reasons == {
            "location_tier": "schema 1.5 has no column location_tier",
            "link_once": "schema 1.5 has no table links",
            "metro_fares": "schema 1.5 has no table metro_fares",
            "conditions": "schema 1.5 has no table conditional_facts",
            "candidates": "schema 1.5 has no reasons of candidates",
            "witness_plans": "schema 1.5 has no column plan_kind",
            "witness_shape": "schema 1.5 has no column plan_kind",
            **dict.fromkeys(
                (gate.id for gate in context_tags.GATES), "schema 1.5 has no table context_tags"
            ),
        }
        assert len(verdict.results) > 100

    def test_the_new_one_is_what_a_build_writes(
        self, old: Path, published: Path, tmp_path: Path
    ) -> None:
        before = tree(old)
        done = migrate(old, tmp_path / "new")
        assert tree(old) == before, "the old one stays as it is"
        manifest = read_manifest(done.path)
        assert list(verify(done.path, manifest)) == []
        assert validate(done.path).passed
        built = read_manifest(published)
        assert manifest.schema_version == SCHEMA_VERSION
        assert manifest.sources == built.sources
        changed = {n for n, table in manifest.tables.items() if table != built.tables[n]}
        assert changed == {
            *ADDED,
            "evidence",
            "pois",
            "poi_popularity",
            "query_pois",
            "stage_counts",
        }
        told = f"1.5 {read_manifest(old, any_version=True).snapshot_id()}"
        assert manifest.ingredients == {
            **built.ingredients, **{f"migrated/{slug}": told for slug in CITIES},
        }  # fmt: skip
        beside = {"README.md", "croissant.json", "run.json", "geo", "splits"}
        assert beside <= {path.name for path in done.path.iterdir()}
        assert (done.path / "run.json").read_bytes() == (published / "run.json").read_bytes()

    def test_every_row_is_accounted_for(self, old: Path, tmp_path: Path) -> None:
        accounts = migrate(old, tmp_path / "new").accounts
        held = read_manifest(old, any_version=True).tables
        rows = sum(table.rows for name, table in held.items() if name != "gates")
        assert accounts.rows_in.total() == accounts.rows_out.total() == rows
        assert +accounts.quarantined == +accounts.dropped == {}
        tables = {loss.table for loss in accounts.losses if loss.column is None}
        columns = {(loss.table, loss.column) for loss in accounts.losses if loss.column}
        assert (tables, columns) == (ADDED, ADDED_COLUMNS)

    def test_equal_snapshots_give_equal_bytes(self, old: Path, tmp_path: Path) -> None:
        one, two = (migrate(old, tmp_path / name).path for name in ("one", "two"))
        assert tree(one) == tree(two)

    def test_the_latest_of_a_store_is_replaced_there(self, old: Path) -> None:
        store = old.parent
        assert migrate(old, store / "new").is_latest
        assert (store / "latest").readlink() == Path("new")
        assert old.is_dir()

    def test_elsewhere_no_link_is_made(self, old: Path, tmp_path: Path) -> None:
        assert not migrate(store_latest(old), tmp_path / "deep" / "er" / "new").is_latest
        assert [path.name for path in (tmp_path / "deep" / "er").iterdir()] == ["new"]
        assert (old.parent / "latest").resolve() == old

    def test_what_fails_a_gate_is_not_left(self, old: Path) -> None:
        before = tree(old.parent)
        done = migrate(old, old.parent / "new", check=lambda candidate: [BAD])
        assert (done.passed, done.is_latest) == (False, False)
        after = tree(old.parent)
        after.pop(".lock")
        assert after == before

    def test_what_a_killed_migration_left_is_replaced(self, old: Path, tmp_path: Path) -> None:
        left = tmp_path / ".new.migrating" / "data"
        left.mkdir(parents=True)
        (left / "half.parquet").write_bytes(b"PAR1")
        done = migrate(old, tmp_path / "new")
        assert not left.parent.exists()
        assert list(verify(done.path, read_manifest(done.path))) == []

    def test_a_full_disk_leaves_nothing(self, old: Path, tmp_path: Path) -> None:
        def full(candidate: Path) -> None:
            raise OSError(28, "No space left on device")

        with pytest.raises(WarehouseError, match=r"cannot write .*new: No space left.*Free some"):
            migrate(old, tmp_path / "new", extras=full)
        assert [path.name for path in tmp_path.iterdir()] == ["store"]


def store_latest(old: Path) -> Path:
    """The old snapshot by the link that leads to it."""
    return old.parent / "latest"


class TestRefused:
    """Wrong input ends before anything is written, with words that say what to do."""

    def test_no_snapshot(self, tmp_path: Path) -> None:
        with pytest.raises(SnapshotError, match="is not a snapshot: it has no manifest"):
            migrate(tmp_path / "nothing", tmp_path / "new")

    def test_this_version(self, published: Path, tmp_path: Path) -> None:
        with pytest.raises(
            SnapshotError, match=f"already has schema version {re.escape(SCHEMA_VERSION)}"
        ):
            migrate(published, tmp_path / "new")

    @pytest.mark.parametrize(
        ("version", "words"),
        [("9.0", "a newer version of tripbed wrote"), ("1.4", "build again into")],
    )
    def test_a_version_that_is_not_known(
        self, version: str, words: str, old: Path, tmp_path: Path
    ) -> None:
        path = old / "manifest.json"
        text = path.read_text().replace('"schema_version":"1.5"', f'"schema_version":"{version}"')
        path.unlink()
        path.write_text(text)
        with pytest.raises(SnapshotError, match=words):
            migrate(old, tmp_path / "new")

    def test_a_version_without_a_step(self, old: Path, tmp_path: Path) -> None:
        with pytest.raises(
            SnapshotError,
            match=r"1\.5, which this version of tripbed cannot migrate to "
            + re.escape(SCHEMA_VERSION),
        ):
            migrate(old, tmp_path / "new", steps={})

    @pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda path: path.symlink_to("x")])
    def test_a_place_that_is_taken(
        self, make: Callable[[Path], None], old: Path, tmp_path: Path
    ) -> None:
        make(tmp_path / "new")
        with pytest.raises(
            WarehouseError, match=r"new already exists: choose a new folder with --out"
        ):
            migrate(old, tmp_path / "new")

    @pytest.mark.parametrize("inside", ["new", "data/new", "not/yet/there"])
    def test_a_place_in_the_old_one(self, inside: str, old: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(old)
        for start in (old, tmp_path / "link", store_latest(old)):
            with pytest.raises(WarehouseError, match="which must not change"):
                migrate(old, start / inside)

    def test_a_file_in_the_way(self, old: Path, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(WarehouseError, match=r"cannot write .*--out"):
            migrate(old, tmp_path / "file" / "new")

    @pytest.mark.parametrize("content", [None, b"", b"PAR1" * 9])
    def test_a_damaged_file(self, content: bytes | None, old: Path, tmp_path: Path) -> None:
        file = old / f"data/hotels/city={A.slug}/part-0.parquet"
        file.unlink()
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(
            SnapshotError, match=r"hotels/.*part-0\.parquet: the file .*restore the file"
        ):
            migrate(old, tmp_path / "new")
        assert not (tmp_path / "new").exists()

    @pytest.mark.parametrize(
        ("entry", "instead"),
        [
            ('"cities":{', '"leaflets":{"files":[],"rows":0},"cities":{'),
            ('"review_decisions":{', '"decisions":{'),
        ],
    )
    def test_tables_that_its_version_does_not_have(
        self, entry: str, instead: str, old: Path, tmp_path: Path
    ) -> None:
        path = old / "manifest.json"
        tables, found, rest = path.read_text().rpartition(entry)
        assert found
        path.unlink()
        path.write_text(tables + instead + rest)
        with pytest.raises(
            SnapshotError, match=r"belong to schema 1\.5|is not a valid path for a file"
        ):
            migrate(old, tmp_path / "new")

    def test_a_file_of_other_columns(self, old: Path, tmp_path: Path) -> None:
        """Its checksum is true: only who reads it sees that it is none of its version's."""
        stamp_columns(old)
        with pytest.raises(SnapshotError, match=r"does not have the columns of schema 1\.5"):
            migrate(old, tmp_path / "new")
        assert not (tmp_path / "new").exists()

    def test_a_store_in_which_another_publishes(self, old: Path) -> None:
        with lock_store(old.parent), pytest.raises(WarehouseError, match="another build"):
            migrate(old, old.parent / "new")


def stamp_columns(old: Path) -> None:
    """Give a file a further column, and the manifest its checksum."""
    held = read_manifest(old, any_version=True)
    (first, *others) = held.tables["hotels"].files
    path = old / first.path
    rows = pl.read_parquet(path, hive_partitioning=False).with_columns(more=pl.lit(1))
    path.unlink()
    rows.write_parquet(path)
    told = {"sha256": file_sha256(path), "bytes": path.stat().st_size}
    files = (first.model_copy(update=told), *others)
    hotels = held.tables["hotels"].model_copy(update={"files": files})
    made = held.model_copy(update={"tables": {**held.tables, "hotels": hotels}})
    (old / "manifest.json").unlink()
    (old / "manifest.json").write_text(made.text(), encoding="utf-8")


def other_tables(held: Any) -> None:
    """Tables of a version before: a renamed column, others that came and went, a looser limit."""
    fields, tables = held["fields"], held["tables"]
    _columns(tables["hotels"], "feature?", "said_of_it?")
    fields["said_of_it"] = fields["feature"]
    _columns(tables["cities"], "admin1_code?", "")
    _columns(tables["pois"], "anchor", "anchor colour?")
    fields["rating"]["maximum"] = 10
    fields |= {name: {"type": "text", "description": "Of old"} for name in ("colour", "leaflet")}
    tables["leaflets"] = {
        "description": "Leaflets.", "partition": "city", "key": "leaflet",
        "columns": "leaflet city_id", "references": {},
    }  # fmt: skip
    del tables["row_sources"]


def _columns(table: Any, old: str, new: str) -> None:
    columns = table["columns"].split()
    columns[columns.index(old)] = new
    table["columns"] = " ".join(" ".join(columns).split())


def as_before(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of the good snapshot as that version would have had them."""
    if name == "hotels":
        return rows.rename({"feature": "said_of_it"})
    if name == "pois":
        red = pl.when(pl.int_range(pl.len()) < 2).then(pl.lit("red"))
        return rows.with_columns(colour=red)
    if name == "leaflets":
        slug = rows["slug"].item()
        return pl.DataFrame({"leaflet": [f"leaf of {slug}"], "city_id": [CITIES[slug]]})
    if name == "stage_counts":
        counts = rows.filter(pl.col("table") != "row_sources")
        one = counts.filter((pl.col("stage") == "control") & (pl.col("table") == "city_stats"))
        one = one.with_columns(pl.lit("leaflets").alias("table"))
        return pl.concat([counts, one]).sort("city_id", "stage", "table")
    if name == "restaurants":
        first = pl.int_range(pl.len()) == 0
        return rows.with_columns(rating=pl.when(first).then(7.0).otherwise("rating"))
    return rows


def rename_feature(tables: Tables) -> Tables:
    """The step: all else is dropped or unknown."""
    return {
        name: rows.rename({"said_of_it": "feature"}) if name == "hotels" else rows
        for name, rows in tables.items()
    }


class TestLosses:
    """A made-up version 1.9 whose tables are others, and its step to this one."""

    @pytest.fixture(scope="class")
    def old(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
        """The good snapshot as that version would have written it, which is known meanwhile."""
        with made_up("1.9", tmp_path_factory.mktemp("versions"), other_tables):
            path = publish_book(tmp_path_factory.mktemp("store")).path
            stamp(path, "1.9", as_before)
            yield path

    def test_it_is_judged_by_its_own_tables(self, old: Path) -> None:
        """A rating of 7 is good there; gates that look for what came later are not asked."""
        verdict = validate(old)
        assert [gate.gate_id for gate in verdict.results if not gate.passed] == []
        assert {gate.gate_id: gate.reason for gate in verdict.not_asked} == {
            "tags_known": "schema 1.9 has no column feature",
            "source_values": "schema 1.9 has no column feature",
            "source_values_refused": "schema 1.9 has no column feature",
            "witness_plans": "schema 1.9 has no column feature",
            "read_rows": "schema 1.9 has no table row_sources",
        }
        assert len(verdict.results) + len(verdict.not_asked) == len(CATALOGUE)

    @pytest.mark.parametrize(
        ("change", "gate"),
        [({"leaflet": "twice"}, "key_unique"), ({"city_id": "somewhere"}, "patterns")],
    )
    def test_a_table_that_only_it_has_is_judged_too(
        self, change: dict[str, str], gate: str, old: Path, tmp_path: Path
    ) -> None:
        new = [pl.lit(value).alias(column) for column, value in change.items()]
        path = publish_book(tmp_path).path
        stamp(
            path,
            "1.9",
            lambda name, rows: as_before(name, rows).with_columns(
                new if name == "leaflets" else []
            ),
        )
        failures = validate(path, structure.GATES).failures
        found = failures.filter((pl.col("gate_id") == gate) & (pl.col("table") == "leaflets"))
        assert found["column"].unique().to_list() == list(change)

    def test_what_is_lost_is_said_and_what_breaks_a_contract_set_aside(
        self, old: Path, tmp_path: Path
    ) -> None:
        """The accounts of control know the rows set aside, so every gate passes."""
        before = Snapshot(old, any_version=True).table("hotels")
        done = migrate(
            old, tmp_path / "new", steps={"1.9": MigrationStep(SCHEMA_VERSION, rename_feature)}
        )
        verdict = validate(done.path)
        assert [gate.gate_id for gate in verdict.results if not gate.passed] == []
        assert verdict.not_asked == ()
        accounts = done.accounts
        assert [(loss.what, loss.table, loss.column, n) for loss, n in accounts.list_losses()] == [
            ("unknown", "cities", "admin1_code", 2),
            ("dropped", "leaflets", None, 2),
            ("dropped", "pois", "colour", 4),
            ("unknown", "row_sources", None, 0),
        ]
        assert +accounts.dropped == {"leaflets": 2}
        assert accounts.quarantined["restaurants"] == 2
        came, went = accounts.rows_in.total(), accounts.rows_out.total()
        assert came == went + accounts.quarantined.total() + accounts.dropped.total()
        held = Snapshot(done.path)
        assert held.table("hotels")["feature"].to_list() == before["said_of_it"].to_list()
        assert held.table("hotels")["feature"].drop_nulls().len() > 0
        assert held.table("cities")["admin1_code"].null_count() == 2
        aside = held.table("quarantine").filter(pl.col("table") == "restaurants")
        assert aside["check"].to_list() == ["maximum"] * 2
        assert aside["message"].str.contains("rating: 7.0 is above the maximum").all()
        counts = held.table("stage_counts").filter(
            (pl.col("stage") == "control") & (pl.col("table") == "restaurants")
        )
        assert counts["rows_quarantined"].to_list() == [1, 1]
        assert held.table("restaurants").height == accounts.rows_out["restaurants"]

    def test_a_connection_is_set_aside_by_one_of_its_cities(
        self, old: Path, tmp_path: Path
    ) -> None:
        def late(tables: Tables) -> Tables:
            tables = rename_feature(tables)
            if "flights" in tables:
                minute = pl.lit(5000, pl.Int64)
                tables["flights"] = tables["flights"].with_columns(departure_min=minute)
            return tables

        done = migrate(old, tmp_path / "new", steps={"1.9": MigrationStep(SCHEMA_VERSION, late)})
        flights = Snapshot(old, any_version=True).table("flights")
        assert done.accounts.quarantined["flights"] == flights.height > 0
        aside = Snapshot(done.path).table("quarantine").filter(pl.col("table") == "flights")
        assert aside["city_id"].unique().to_list() == [A.city_id]

    @pytest.mark.parametrize(
        "change", [lambda rows: rows.head(1), lambda rows: pl.concat([rows] * 2)]
    )
    def test_a_step_that_loses_or_makes_rows_is_a_defect(
        self, change: Callable[[pl.DataFrame], pl.DataFrame], old: Path, tmp_path: Path
    ) -> None:
        def carry(tables: Tables) -> Tables:
            tables = rename_feature(tables)
            if "contexts" in tables:
                tables["contexts"] = change(tables["contexts"])
            return tables

        with pytest.raises(RuntimeError, match="a migration step turned 4 rows of contexts into"):
            migrate(
                old, tmp_path / "new", steps={"1.9": MigrationStep(SCHEMA_VERSION, carry)},
                control=lambda tables, city_id: (tables, control({}, city_id)[1]),
            )  # fmt: skip
        assert not (tmp_path / "new").exists()

    def test_a_column_of_another_type_is_a_defect_of_the_step(
        self, old: Path, tmp_path: Path
    ) -> None:
        def carry(tables: Tables) -> Tables:
            tables = rename_feature(tables)
            if "hotels" in tables:
                tables["hotels"] = tables["hotels"].with_columns(pl.col("feature").hash())
            return tables

        with pytest.raises(RuntimeError, match=r"hotels\.feature the wrong type, UInt64"):
            migrate(old, tmp_path / "new", steps={"1.9": MigrationStep(SCHEMA_VERSION, carry)})


_DOCUMENT = {
    "doc_id": "d" * 64,
    "city_id": "gn1",
    "path": "a.md",
    "lang": "en",
    "size_bytes": 1,
    "n_chars": 1,
}


def test_a_document_of_no_kind_is_called_other() -> None:
    rows = frame("documents", [{**_DOCUMENT, "document_kind": "none"}])
    hashed = with_read_hash(rows)
    step = route("1.5")[0]
    carried = step.carry({"documents": hashed})["documents"]
    assert carried["document_kind"].to_list() == ["other"]
    assert carried.equals(with_read_hash(carried)), "the hash is of what the row says now"
    damaged = hashed.with_columns(read_hash=pl.lit("0" * 16))
    kept = step.carry({"documents": damaged})["documents"]
    assert kept["read_hash"].to_list() == ["0" * 16], "a hash that was wrong stays wrong"
