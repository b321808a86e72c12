"""A build with everything at addresses: commands read from there, and errors are one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import fsspec
import pytest

from storage.places import find_folder
from storage.remote import Remote
from tests.conftest import ROOT
from tests.support.addresses import other_scratch, reaching, s3, scratch
from tests.support.flows.builds import Built
from tests.support.flows.running import Outcome, checksums, run
from tests.support.servers import free_port, object_store
from warehouse.addresses import open_snapshot
from warehouse.sandbox import Sandbox

__all__ = ["s3", "scratch"]


@pytest.fixture
def sent(s3: str, small_build: Built, scratch: Path) -> str:
    """The folder of an address with the small city's documents and tables."""
    files = fsspec.filesystem("s3", use_listings_cache=False)
    for part in (small_build.inputs.documents, small_build.inputs.tables):
        for path in part.iterdir():
            files.put_file(str(path), f"{s3}/in/{part.name}/{path.name}")
    return f"{s3}/in"


def _options(sent: str, at: str, built: Built) -> list[str]:
    return [
        "--city", "suzhou", "--documents", f"{sent}/pages", "--tables", f"{sent}/tables",
        "--profile", str(built.inputs.profile), "--workspace", f"{at}/work", "--out", f"{at}/out",
    ]  # fmt: skip


def test_a_build_at_addresses_is_read_on_another_machine(
    s3: str, sent: str, small_build: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    without_extras: None,
) -> None:  # fmt: skip
    options = _options(sent, f"{s3}/one", small_build)
    outcome = run("build", *options, "--direct")
    assert outcome.code == 0, outcome.err
    assert outcome.last_line == f"{s3}/one/out/{small_build.path.name}"
    assert checksums(open_snapshot(outcome.last_line)) == checksums(small_build.path)
    keys = {key.split("/")[0] for key in Remote(f"{s3}/one").stamps()}
    assert keys == {"work", "out"}

    other_scratch(tmp_path / "other", monkeypatch)
    again = run("build", *options, "--explain").out.splitlines()
    assert again[-1].startswith("0 of ")
    unchanged = run("build", *options, "--direct", "--json")
    assert json.loads(unchanged.out)["snapshot"] == outcome.last_line
    store, name = f"{s3}/one/out", small_build.path.name
    validated = run("validate", f"{store}/latest", "--format", "json")
    assert (validated.code, json.loads(validated.out)["passed"]) == (0, True)
    assert run("verify", store).out.endswith("0 faults\n")
    assert run("diff", store, str(small_build.path)).out == f"{name} -> {name}: no difference\n"
    assert "suzhou" in run("inspect", f"{store}/{name}").out
    assert run("status", "--out", store, "--workspace", f"{s3}/one/work").out.endswith(
        f"last good snapshot {name}: suzhou\n"
    )
    assert run("prune", "--out", store, "--keep", "1").out.startswith("removed 0, kept 1")
    assert Sandbox(f"{store}/latest").cities == ("suzhou",)


_LOAD = """
import datasets, sys
from warehouse.sandbox import Sandbox
box = Sandbox(sys.argv[1])
print(len(datasets.load_dataset(str(box.path), "pois", split="train")))
"""


def test_datasets_loads_from_an_address(s3: str, small_build: Built, scratch: Path) -> None:
    files = fsspec.filesystem("s3", use_listings_cache=False)
    address = f"{s3}/hf/{small_build.path.name}"
    files.put(f"{small_build.path}/", f"{address}/", recursive=True)
    quiet = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(scratch / "hf"), "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _LOAD, address],
        env={**os.environ, **quiet, "PYTHONPATH": str(ROOT)}, cwd=scratch, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    rows = Sandbox(small_build.path).hold().table("pois").height
    assert done.stdout.split() == [str(rows)]


def _is_one_line(outcome: Outcome, *words: str) -> None:
    assert outcome.code == 2
    assert outcome.out == ""
    *before, line = outcome.err.splitlines()
    assert line.startswith("error: ")
    assert [said for said in before if " starting " not in said] == []  # the progress of a build
    for word in words:
        assert word in line
    for secret in (os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]):
        assert secret not in outcome.err


def test_a_bucket_that_is_not_there(
    s3: str, small_build: Built, tmp_path: Path, scratch: Path
) -> None:
    given = small_build.inputs.options()
    for name in ("--out", "--workspace", "--archive", "--tables"):
        options = [*given, "--out", str(tmp_path / "o"), "--workspace", str(tmp_path / "w")]
        more = ["--search", "corpus"] if name == "--archive" else []
        outcome = run("build", *options, *more, "--direct", name, "s3://nobody-has-this/x")
        _is_one_line(outcome, "s3://nobody-has-this/x", "no such bucket")
    _is_one_line(run("inspect", "s3://nobody-has-this/x"), "no such bucket")
    _is_one_line(run("prune", "--out", "s3://nobody-has-this/x"), "no such bucket")
    _is_one_line(run("validate", f"{s3}/nothing"), f"{s3}/nothing is not a snapshot")


def test_a_key_that_nobody_knows(tmp_path: Path, small_build: Built, scratch: Path) -> None:
    with object_store(tmp_path, denies=True) as environment, reaching(environment):
        options = [*small_build.inputs.options(), "--workspace", str(tmp_path / "w"), "--direct"]
        _is_one_line(run("build", *options, "--out", "s3://tripbed/out"), "access is denied")
        _is_one_line(run("diff", "s3://tripbed/a", "s3://tripbed/b"), "access is denied")


def test_nobody_answers(scratch: Path) -> None:
    with reaching({
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}", "AWS_ACCESS_KEY_ID": "AKIDOFATEST",
        "AWS_SECRET_ACCESS_KEY": "secret-of-a-test", "AWS_MAX_ATTEMPTS": "2",
    }):  # fmt: skip
        _is_one_line(
            run("inspect", "s3://tripbed/out"), "the server did not answer", "AWS_ENDPOINT_URL"
        )


@pytest.mark.parametrize(
    "command",
    [
        ["export", "SNAPSHOT", "--format", "csv", "--out", "s3://bucket/x"],
        ["build", "--city", "suzhou", "--readings", "s3://bucket/x.jsonl"],
        ["resolve", "--city", "suzhou", "--out", "s3://bucket/x"],
        ["review", "import", "s3://bucket/x.csv"],
    ],
)
def test_an_address_where_only_a_folder_can_be(
    command: list[str], small_build: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDOFATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-a-test")
    given = [str(small_build.path) if part == "SNAPSHOT" else part for part in command]
    _is_one_line(run(*given), "needs a folder or file on this machine, not s3://bucket/x")
    assert not list(tmp_path.iterdir())


def test_decisions_of_reviewers_need_a_folder_or_a_database(tmp_path: Path, scratch: Path) -> None:
    given = tmp_path / "decisions.csv"
    given.write_text("decision_id\n")
    outcome = run("review", "import", str(given), "--out", "s3://tripbed/out")
    assert outcome.code == 2
    assert "TRIPBED_REVIEWS" in outcome.err
    assert not find_folder("s3://tripbed/out").exists()
