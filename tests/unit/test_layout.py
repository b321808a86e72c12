"""The house is in order: our folders are the modules imported, and nothing local is committed."""

from __future__ import annotations

import importlib
import re
import subprocess
import sysconfig
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import ROOT

OURS = (
    "schemas", "queries", "sources", "extractors", "geocoding", "warehouse", "validators",
    "flows", "benchmarks", "tests",
)  # fmt: skip
#: Written in parts, so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile("|".join(rf"(?<![\w.])/{name}/" for name in ("work", "root")))
ADDRESS = re.compile(r"https?:/" + "/")


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Files under version control; the test is skipped in an unpacked archive."""
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("name", OURS)
def test_our_folder_is_the_module(name: str) -> None:
    found = importlib.import_module(name).__file__
    assert found is not None
    assert Path(found) == ROOT / name / "__init__.py"


def test_no_dependency_provides_a_module_of_our_name() -> None:
    providers = packages_distributions()
    assert {
        name: providers[name] for name in OURS if set(providers.get(name, ())) - {"tripbed"}
    } == {}
    folders = {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}
    assert [path for folder in folders for name in OURS for path in folder.glob(f"{name}*")
            if path.stem == name] == []  # fmt: skip


def test_every_pinned_package_has_hashes_and_no_address() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert not ADDRESS.search(text)
    entries = [entry for entry in re.split(r"\n(?=\S)", text.replace("\\\n", " ").strip()) if entry]
    assert len(entries) > 100
    assert [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)] == []
    assert [entry for entry in entries if not re.match(r"[\w.\-\[\]]+==\S+", entry)] == []


def test_every_dependency_is_pinned() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").lower()
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = project.split("\ndependencies = [")[1].split("\n]\n")[0]
    names = re.findall(r'^\s+"([\w.-]+)', wanted, re.MULTILINE)
    assert "prefect" in names
    assert [name for name in names if f"\n{name.lower()}==" not in f"\n{lock}"] == []


def test_no_file_holds_paths_of_a_machine(tracked: list[Path]) -> None:
    found = []
    for path in tracked:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [(path.name, hit.group()) for hit in MACHINE_PATHS.finditer(text)]
    assert found == []


def test_nothing_that_a_build_leaves_is_tracked(tracked: list[Path]) -> None:
    left = {".tripbed", "snapshots", ".venv", "__pycache__", "mutants"}
    assert [path for path in tracked if left & set(path.relative_to(ROOT).parts)] == []
