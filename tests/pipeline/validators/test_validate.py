"""Validating what others made: any snapshot ends in a verdict or in words, fast."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import ROOT
from tests.counterexamples import good
from tests.counterexamples.breaking import Case, put, seal, write_case
from tests.counterexamples.good import A
from validators import catalogue_doc
from validators.gates import CATALOGUE, THEMES
from validators.validate import validate
from warehouse.errors import SnapshotError

POIS = f"data/pois/city={A.slug}/part-0.parquet"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("good")
    good.write(path, good.book())
    return path


@pytest.fixture
def copy(base: Path, tmp_path: Path) -> Path:
    """The good snapshot, to be changed: replace files, do not write into them."""
    shutil.copytree(base, tmp_path / "copy", copy_function=os.link)
    return tmp_path / "copy"


def failed(snapshot: Path) -> list[str]:
    return [result.gate_id for result in validate(snapshot).results if not result.passed]


class TestHostileFiles:
    """A manifest may be true of a file that is no table: checksums alone prove nothing."""

    @pytest.mark.parametrize(
        "content",
        [b"", b"PK\x03\x04" + b"\0" * 300, b"id,name\n" * 50, b"PAR1" + b"\xff" * 64 + b"PAR1"],
        ids=["empty", "zip", "text", "garbage between the marks"],
    )
    @pytest.mark.parametrize("listed", [False, True])
    def test_no_parquet(
        self, copy: Path, content: bytes, listed: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (copy / POIS).unlink()
        (copy / POIS).write_bytes(content)
        if listed:
            read = pq.read_metadata
            true = read(copy / f"data/pois/city={good.B.slug}/part-0.parquet")
            monkeypatch.setattr(
                pq, "read_metadata", lambda p: true if p == copy / POIS else read(p)
            )
            seal(copy)
            monkeypatch.undo()
        verdict = validate(copy)
        assert not verdict.passed
        assert failed(copy) == (["schema"] if listed else ["files"])
        assert verdict.failures["row"].to_list() == [POIS]

    @pytest.mark.parametrize("keep", [0.1, 0.5, 0.99])
    def test_a_truncated_file(self, copy: Path, keep: float) -> None:
        content = (copy / POIS).read_bytes()
        (copy / POIS).unlink()
        (copy / POIS).write_bytes(content[: int(len(content) * keep)])
        assert failed(copy) == ["files"]

    def test_pages_that_do_not_unpack(self, copy: Path) -> None:
        """The footer is sound, the data is not; the manifest says so."""
        content = bytearray((copy / POIS).read_bytes())
        footer = int.from_bytes(content[-8:-4], "little")
        content[4 : len(content) - footer - 8] = b"\xff" * (len(content) - footer - 12)
        (copy / POIS).unlink()
        (copy / POIS).write_bytes(content)
        seal(copy)
        verdict = validate(copy)
        assert not verdict.passed
        assert verdict.failures["message"].str.contains("cannot be (?:read|checked)").any()

    def test_a_foreign_table(self, copy: Path) -> None:
        (copy / POIS).unlink()
        pq.write_table(pa.table({"anything": [1, 2, 3]}), copy / POIS)
        seal(copy)
        assert failed(copy) == ["schema"]

    def test_a_table_that_is_missing(self, copy: Path) -> None:
        shutil.rmtree(copy / "data" / "queue_parameters")
        seal(copy)
        manifest = (copy / "manifest.json").read_text()
        entry = '"queue_parameters":{"files":[],"rows":0},'
        assert entry in manifest
        (copy / "manifest.json").write_text(manifest.replace(entry, ""))
        verdict = validate(copy)
        assert failed(copy) == ["schema"]
        assert verdict.failures["row"].to_list() == ["queue_parameters"]

    @pytest.mark.parametrize("settings", [{"cities": []}, {"cities": {A.slug: {"profile": 3}}}])
    def test_settings_that_are_none(self, copy: Path, settings: dict[str, object]) -> None:
        seal(copy, settings)
        with pytest.raises(SnapshotError, match=r"settings.cities"):
            validate(copy)

    def test_no_snapshot(self, tmp_path: Path) -> None:
        with pytest.raises(SnapshotError, match="is not a snapshot"):
            validate(tmp_path)


def test_a_verdict_quotes_what_is_wrong(base: Path, tmp_path: Path) -> None:
    case = Case("ten", put("pois", {"poi_id": A.poi("lake")}, rating=9.6))
    verdict = validate(write_case(case, base, tmp_path / "broken"))
    (result,) = [result for result in verdict.results if not result.passed]
    assert (result.gate_id, result.table, result.n_failed) == ("limits", "pois", 1)
    assert result.message == f"pois.rating row {A.poi('lake')}: the value is above 5"
    assert verdict.failures["value"].to_list() == ["9.6"]


def test_a_candidate_gets_every_verdict(base: Path) -> None:
    ids = [result.gate_id for result in validate(base).results]
    assert sorted(ids) == sorted(gate.id for gate in CATALOGUE)
    assert ids[:3] == ["files", "schema", "row_counts"]


def test_two_validations_say_the_same(base: Path) -> None:
    assert validate(base).results == validate(base).results


class TestCatalogue:
    def test_ids_are_unique_and_each_gate_explains_itself(self) -> None:
        ids = [gate.id for gate in CATALOGUE]
        assert len(ids) == len(set(ids))
        for gate in CATALOGUE:
            assert gate.check.__doc__
            assert gate.why.endswith("."), gate.id
            assert gate.mend.endswith((".", "?")), gate.id

    def test_the_page_is_fresh(self) -> None:
        page = (ROOT / catalogue_doc.TARGET).read_text(encoding="utf-8")
        assert page == catalogue_doc.gates_page(), "run python -m validators.catalogue_doc"
        assert all(f"## {theme}" in page for theme in THEMES)
