"""Bad input: exit code 2, words that say what to do, nothing half-written, nothing lost."""

from __future__ import annotations

import errno
import json
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from schemas.tables import SCHEMA_VERSION
from tests.counterexamples import good
from tests.support.flows import running
from tests.support.flows.builds import Built
from tests.support.flows.running import build_options, run, tree
from tests.support.warehouse.older import stamp
from tests.support.warehouse.publishing import publish_book
from warehouse.read import Snapshot

pytestmark = pytest.mark.usefixtures("without_extras")

Spoil = Callable[[running.Inputs], None]


@pytest.fixture
def space(tmp_path: Path) -> Path:
    """The workspace of a test."""
    return tmp_path / "work"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The folder of snapshots of a test."""
    return tmp_path / "out"


def refused(outcome: running.Outcome, *words: str) -> None:
    """Exit code 2, one error on standard error with these words, no traceback."""
    assert outcome.code == 2, outcome
    assert "error:" in outcome.err or "Usage:" in outcome.err
    assert "Traceback" not in outcome.err
    for word in words:
        assert word in outcome.err, outcome.err
    assert outcome.out == ""


def remove_documents(inputs: running.Inputs) -> None:
    """No folder of documents."""
    for page in inputs.documents.iterdir():
        page.unlink()
    inputs.documents.rmdir()


def empty_documents(inputs: running.Inputs) -> None:
    """A folder without documents."""
    for page in inputs.documents.iterdir():
        page.rename(page.with_suffix(".jpeg"))


def file_as_documents(inputs: running.Inputs) -> None:
    """A file where a folder is asked for."""
    remove_documents(inputs)
    inputs.documents.write_text("# page", encoding="utf-8")


def remove_tables(inputs: running.Inputs) -> None:
    """No folder of tables."""
    (inputs.tables / "gazetteer.csv").unlink()
    inputs.tables.rmdir()


def empty_tables(inputs: running.Inputs) -> None:
    """A folder of tables without a file of the layout."""
    (inputs.tables / "gazetteer.csv").rename(inputs.tables / "places.csv")


def file_as_tables(inputs: running.Inputs) -> None:
    """A file where the folder of tables is asked for."""
    remove_tables(inputs)
    inputs.tables.write_text(running.GAZETTEER, encoding="utf-8")


def _gazetteer(text: str) -> Spoil:
    return lambda inputs: _write(inputs.tables / "gazetteer.csv", text)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def latin_tables(inputs: running.Inputs) -> None:
    """A gazetteer that is not UTF-8."""
    (inputs.tables / "gazetteer.csv").write_bytes(running.GAZETTEER.encode("gb18030"))


def _profile(text: str) -> Spoil:
    return lambda inputs: _write(inputs.profile, text)


def binary_profile(inputs: running.Inputs) -> None:
    """A profile that is no text."""
    inputs.profile.write_bytes(b"\xff\xfe\x00name")


SPOILED: dict[str, tuple[Spoil, tuple[str, ...]]] = {
    "documents missing": (remove_documents, ("pages", "does not exist", "check")),
    "documents empty": (empty_documents, ("no documents in", "2 files of other types", ".md")),
    "documents a file": (file_as_documents, ("is a file", "give the folder")),
    "tables missing": (remove_tables, ("no folder of tables", "--tables")),
    "tables a file": (file_as_tables, ("no folder of tables", "--tables")),
    "tables empty": (empty_tables, ("no tables", "gazetteer.csv", "needs at least one of")),
    "column missing": (
        _gazetteer(running.GAZETTEER.replace(",lat,", ",latitude,")),
        ("gazetteer.csv:1", "column lat is missing", "latitude"),
    ),
    "semicolons": (
        _gazetteer(running.GAZETTEER.replace(",", ";")),
        ("gazetteer.csv:1", "semicolons", "use commas"),
    ),
    "table empty": (_gazetteer(""), ("gazetteer.csv:1", "empty", "header")),
    "table not UTF-8": (latin_tables, ("gazetteer.csv:2", "UTF-8")),
    "profile key": (
        _profile(running.PROFILE.replace("trajectories:", "trajectory:")),
        ("tiny.yaml", "trajectory", "did you mean trajectories"),
    ),
    "profile value": (
        _profile(running.PROFILE.replace("{per_query: 3}", "{per_query: three}")),
        ("tiny.yaml", "candidates.per_query", "integer"),
    ),
    "profile syntax": (
        _profile(running.PROFILE + "gates: [1\n"),
        ("tiny.yaml", "line", "not YAML"),
    ),
    "profile a list": (_profile("- name: tiny\n"), ("tiny.yaml", "dictionary")),
    "profile binary": (binary_profile, ("tiny.yaml",)),
}


@pytest.mark.parametrize("case", SPOILED)
def test_spoiled_inputs_are_refused(
    case: str, small: running.Inputs, space: Path, store: Path
) -> None:
    spoil, words = SPOILED[case]
    spoil(small)
    refused(run("build", *small.options(), *build_options(space, store)), *words)
    assert tree(store) == {}
    assert not list(space.rglob(".*")), "half-written shards"


@pytest.mark.parametrize(
    ("replaced", "words"),
    [
        (("--city", "Suzhoo"), ("Suzhoo", "Did you mean", "Suzhou")),
        (("--profile", "demoo"), ("no profile 'demoo'", "demo", "folder", "YAML file")),
        (("--engine", "magic"), ("no engine", "magic", "rules")),
        (("--tables-format", "xlsx"), ("no tables format", "tripbed", "traveleval")),
    ],
)
def test_unknown_names_are_answered_with_the_known(
    replaced: tuple[str, str],
    words: tuple[str, ...],
    small: running.Inputs,
    space: Path,
    store: Path,
) -> None:
    options = small.options()
    if replaced[0] in options:
        options[options.index(replaced[0]) + 1] = replaced[1]
    else:
        options += replaced
    refused(run("build", *options, *build_options(space, store)), *words)
    assert not store.exists()
    assert not space.exists()


def test_a_profile_that_needs_documents_says_so(
    small: running.Inputs, space: Path, store: Path
) -> None:
    outcome = run(
        "build", "--city", "suzhou", "--tables", small.tables, *build_options(space, store)
    )
    refused(outcome, "needs documents", "--documents", "--profile tables")


def test_a_build_of_nothing_says_what_is_missing(space: Path, store: Path) -> None:
    outcome = run("build", "--city", "suzhou", "--profile", "tables", *build_options(space, store))
    refused(outcome, "--documents", "--tables")


def test_a_missing_option_is_a_wrong_input() -> None:
    refused(run("build"), "--city")


def test_tables_of_a_city_that_they_do_not_hold(
    small: running.Inputs, space: Path, store: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "layout" / "attractions" / "beijing"
    folder.mkdir(parents=True)
    (folder / "attractions.csv").write_text("name,lat,lon\n", encoding="utf-8")
    options = [*small.options(), "--tables-format", "traveleval"]
    options[options.index("--tables") + 1] = str(tmp_path / "layout")
    refused(run("build", *options, *build_options(space, store)), "no tables for Suzhou", "beijing")
    assert tree(store) == {}


@pytest.mark.parametrize("option", ["--workspace", "--out"])
@pytest.mark.parametrize("below", ["", "further/down"])
def test_a_file_in_the_way(
    option: str, below: str, small: running.Inputs, space: Path, store: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("mine", encoding="utf-8")
    options = build_options(space, store)
    options[options.index(option) + 1] = str(blocked / below)
    refused(run("build", *small.options(), *options), option)
    assert blocked.read_text(encoding="utf-8") == "mine"
    assert tree(store) == {}
    assert set(tree(space)) <= {"workspace.json"}, "shards ran before the refusal"


def test_a_workspace_of_another_schema_version(
    small: running.Inputs, space: Path, store: Path
) -> None:
    space.mkdir()
    marker = json.dumps({"layout": 1, "schema_version": "0.0"})
    (space / "workspace.json").write_text(marker, encoding="utf-8")
    before = tree(space)
    refused(
        run("build", *small.options(), *build_options(space, store)),
        "schema version 0.0", "--workspace",
    )  # fmt: skip
    assert tree(space) == before


def test_a_workspace_is_renewed_without_losing_what_was_paid_for(
    small: running.Inputs, space: Path, store: Path
) -> None:
    """The command of the message takes the shards away, and the build then runs."""
    (space / "shards" / "tables").mkdir(parents=True)
    (space / "workspace.json").write_text('{"layout": 1, "schema_version": "1.5"}')
    (space / "ledger.sqlite").write_text("answers")
    outcome = run("build", *small.options(), *build_options(space, store))
    refused(outcome, "schema version 1.5", "answers of models and geocoders are kept")
    subprocess.run(shlex.split(outcome.err.split("`")[1]), check=True)
    assert set(tree(space)) == {"ledger.sqlite"}
    assert run("build", *small.options(), *build_options(space, store)).code == 0
    assert (space / "ledger.sqlite").read_text() == "answers"


def test_snapshots_of_another_schema_version(
    small: running.Inputs, space: Path, store: Path
) -> None:
    """Amounts before 1.5 name no currency: no step leads from there, nothing is carried over."""
    held = store / "s000000000000"
    held.mkdir(parents=True)
    manifest = {
        "schema_version": "1.4", "cities": [], "settings": {}, "ingredients": {}, "tables": {}
    }  # fmt: skip
    (held / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (store / "latest").symlink_to(held.name)
    before = tree(held)
    refused(
        run("build", *small.options(), *build_options(space, store)),
        "schema version 1.4", "a different folder",
    )  # fmt: skip
    assert tree(held) == before
    assert set(tree(space)) <= {"workspace.json"}, "shards ran before the refusal"


def test_a_store_of_an_older_version_goes_on_after_the_command_that_is_named(
    small: running.Inputs, space: Path, store: Path
) -> None:
    """Refused before any work; the command works as it stands, and then so does the build."""
    old = publish_book(store).path
    stamp(old, "1.5")
    before = tree(store)
    with pytest.MonkeyPatch.context() as patched:
        patched.delattr("flows.pipeline.build._orchestrate")  # nor does Prefect start
        where = [option for option in build_options(space, store) if option != "--direct"]
        refused(run("build", *small.options(), *where), "tripbed schema migrate")
    outcome = run("build", *small.options(), *build_options(space, store))
    refused(
        outcome,
        f"schema version 1.5, but this tripbed has {SCHEMA_VERSION}",
        "tripbed schema migrate",
    )
    assert tree(store) == before
    assert set(tree(space)) <= {"workspace.json"}, "shards ran before the refusal"
    program, *arguments = shlex.split(outcome.err.split("`")[1])
    assert program == "tripbed"
    migrated = run(*arguments)
    assert migrated.code == 0, migrated
    assert (store / "latest").resolve() == Path(migrated.last_line)
    assert run("validate", store / "latest").code == 0
    outcome = run("build", *small.options(), *build_options(space, store))
    assert outcome.code == 0, outcome
    manifest = Snapshot(Path(outcome.last_line)).manifest
    assert set(manifest.cities) == {good.A.slug, good.B.slug, "suzhou"}
    assert {name for name in manifest.ingredients if name.startswith("migrated/")} == {
        f"migrated/{good.A.slug}", f"migrated/{good.B.slug}",
    }  # fmt: skip
    assert {name: hashed for name, hashed in tree(store).items() if name in before} == {
        **before, "latest": f"-> {Path(outcome.last_line).name}",
    }  # fmt: skip


@pytest.mark.parametrize("marker", ["{", "[]", '"text"', "\udcff"])
def test_a_workspace_whose_marker_is_garbled(
    marker: str, small: running.Inputs, space: Path, store: Path
) -> None:
    space.mkdir()
    (space / "workspace.json").write_bytes(marker.encode("utf-8", "surrogateescape"))
    refused(run("build", *small.options(), *build_options(space, store)), "--workspace")


def _full_disk(*_args: object, **_kwargs: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


class TestFullDisk:
    """After a full disk the last snapshot stands and the next build goes on."""

    @pytest.fixture
    def before(
        self, small_build: Built, small: running.Inputs, space: Path, store: Path
    ) -> dict[str, str]:
        """A published snapshot, and then one more page."""
        shutil.copytree(small_build.workspace, space)
        shutil.copytree(small_build.out, store, symlinks=True)
        before = tree(store)
        page = small.documents / "more.md"
        page.write_text(running.PAGES["spring.md"].replace("三月", "四月"), encoding="utf-8")
        return before

    def _resumes(self, small: running.Inputs, space: Path, store: Path, before: object) -> None:
        assert tree(store) == before
        assert not list(store.glob(".candidate-*"))
        assert not list((space / "shards").rglob(".*"))
        outcome = run("build", *small.options(), *build_options(space, store))
        assert outcome.code == 0
        assert Snapshot(Path(outcome.last_line)).table("documents").height == 3

    def test_while_a_shard_is_saved(
        self, small: running.Inputs, space: Path, store: Path, before: object
    ) -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(pl.DataFrame, "write_parquet", _full_disk)
            outcome = run("build", *small.options(), *build_options(space, store))
        refused(outcome, "disk is full", "free space", "finished shards are kept")
        self._resumes(small, space, store, before)

    @pytest.mark.parametrize(
        "part",
        [
            "candidate.write_partition", "candidate.dataset_card", "candidate._write",
            "publish._rename",
        ],
    )  # fmt: skip
    def test_while_publishing(
        self, part: str, small: running.Inputs, space: Path, store: Path, before: object
    ) -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(f"warehouse.{part}", _full_disk)
            outcome = run("build", *small.options(), *build_options(space, store))
        refused(outcome, "disk is full", "free space")
        self._resumes(small, space, store, before)


class TestQuarantine:
    """One bad document or row is set aside with a reason; the rest goes on."""

    def quarantine(self, outcome: running.Outcome) -> dict[str, str]:
        """Checks by row id of a published snapshot."""
        assert outcome.code == 0, outcome
        rows = Snapshot(Path(outcome.last_line)).table("quarantine")
        return dict(rows.select("row_id", "check").iter_rows())

    def test_bad_documents(self, small: running.Inputs, space: Path, store: Path) -> None:
        with (small.documents / "huge.md").open("wb") as page:
            page.truncate(50_000_000)
        (small.documents / "picture.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
        (small.documents / "empty.txt").write_bytes(b"")
        (small.documents / "blank.html").write_text("<html><body> \n</body></html>")
        found = self.quarantine(run("build", *small.options(), *build_options(space, store)))
        assert found["huge.md"] == "too_large"
        assert {"picture.md", "empty.txt", "blank.html"} <= set(found)
        documents = Snapshot(store / "latest").table("documents")
        assert sorted(documents["path"]) == sorted(running.PAGES)

    def test_a_broken_encoding_costs_at_most_the_page(
        self, small: running.Inputs, space: Path, store: Path
    ) -> None:
        text = running.PAGES["spring.md"].encode("gb18030")
        (small.documents / "broken.md").write_bytes(text[:40] + b"\xff\xff\x80" + text[40:])
        outcome = run("build", *small.options(), *build_options(space, store))
        held = set(Snapshot(store / "latest").table("documents")["path"])
        assert "broken.md" in held | set(self.quarantine(outcome))
        assert set(running.PAGES) <= held

    def test_bad_rows(self, small: running.Inputs, space: Path, store: Path) -> None:
        with (small.tables / "gazetteer.csv").open("a", encoding="utf-8") as table:
            table.write("g,南溪亭,South Brook Pavilion,museum,north,120.6\n")  # a cell short
            table.write(",,,museum,31.3,120.6,0\n")  # no name
        outcome = run("build", *small.options(), *build_options(space, store))
        found = self.quarantine(outcome)
        assert sum("gazetteer.csv" in row for row in found) == 2
        assert Snapshot(store / "latest").table("pois").height == 6

    def test_all_documents_bad_is_no_snapshot(
        self, small: running.Inputs, space: Path, store: Path
    ) -> None:
        for page in small.documents.iterdir():
            page.write_bytes(b"\x00\x01" * 500)
        outcome = run("build", *small.options(), *build_options(space, store))
        assert outcome.code == 1
        assert "no snapshot was published" in outcome.out
        assert not (store / "latest").exists()
        assert Path(outcome.last_line).parent == store / "rejected"


@pytest.mark.parametrize("command", ["validate", "inspect", "report"])
class TestLookingAtNoSnapshot:
    """Commands that look at a snapshot, given something else."""

    def test_a_folder_that_is_none(self, command: str, tmp_path: Path) -> None:
        refused(run(command, tmp_path), "not a snapshot", "tripbed build")

    def test_a_garbled_manifest(self, command: str, tmp_path: Path) -> None:
        (tmp_path / "manifest.json").write_text('{"tables": ', encoding="utf-8")
        refused(run(command, tmp_path), "manifest.json")

    def test_a_snapshot_of_another_schema(self, command: str, tmp_path: Path) -> None:
        manifest = {
            "schema_version": "99.0", "cities": [], "settings": {}, "ingredients": {}, "tables": {}
        }  # fmt: skip
        (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        refused(run(command, tmp_path), "99.0")


def test_errors_are_json_where_json_is_asked_for(tmp_path: Path) -> None:
    outcome = run("inspect", tmp_path, "--json")
    assert outcome.code == 2
    assert "not a snapshot" in json.loads(outcome.out)["error"]


class TestExtract:
    """``tripbed extract`` refuses as the build does and leaves no file."""

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--documents", "nowhere"), ("nowhere", "does not exist")),
            (("--engine", "magic"), ("no engine", "rules")),
            (("--city", "Suzhoo"), ("Did you mean", "Suzhou")),
            (("--tables", "nowhere"), ("nowhere", "the folder does not exist")),
            (("--tables-format", "xlsx"), ("no tables format",)),
        ],
    )
    def test_wrong_options(
        self,
        options: tuple[str, str],
        words: tuple[str, ...],
        small: running.Inputs,
        tmp_path: Path,
    ) -> None:
        given = {
            "--documents": str(small.documents), "--tables": str(small.tables), "--city": "suzhou",
            "--out": str(tmp_path / "out.jsonl"), **dict([options]),
        }  # fmt: skip
        refused(run("extract", *(part for pair in given.items() for part in pair)), *words)
        assert not list(tmp_path.glob("*out.jsonl*"))

    def test_a_folder_as_the_file_to_write(self, small: running.Inputs, tmp_path: Path) -> None:
        (tmp_path / "out.jsonl").mkdir()
        outcome = run("extract", "--documents", small.documents, "--out", tmp_path / "out.jsonl")
        refused(outcome, "out.jsonl")
        assert not list(tmp_path.glob(".out.jsonl*"))
