"""The house is in order: our folders are the modules imported, and nothing local is committed."""

from __future__ import annotations

import ast
import importlib
import re
import sysconfig
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import ROOT

OURS = (
    "schemas", "storage", "queries", "sources", "extractors", "geocoding", "warehouse",
    "validators", "flows", "tripbed", "benchmarks", "tests",
)  # fmt: skip
ADDRESS = re.compile(r"https?:/" + "/")


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


def test_the_page_names_every_room_of_flows() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("## Rooms of flows")[1].split("\n## ")[0]
    named = set(re.findall(r"^\| `([\w/]+)` \|", table, re.MULTILINE))
    flows = ROOT / "flows"
    rooms = {path.parent.name for kind in ("py", "yaml") for path in flows.glob(f"*/*.{kind}")}
    assert named == rooms | {"pipeline/stages"}
    beside = {path.stem for path in flows.glob("*.py")} - {"__init__"}
    assert [name for name in beside if f"`{name}`" not in table] == []


def test_every_room_says_what_it_is_for() -> None:
    for path in (ROOT / "flows").rglob("__init__.py"):
        if path.parent != ROOT / "flows":
            assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path


def test_no_two_modules_of_flows_differ_by_grammar_alone() -> None:
    """No two names of one room, or a room and its module, share their stem: plan and planning."""
    stem = re.compile(r"(?:ing|ings|ed|er|s|es|ion|ions)$")
    for room in {path.parent for path in (ROOT / "flows").rglob("*.py")}:
        names = [path.stem for path in room.glob("*.py") if path.stem != "__init__"]
        stems = [stem.sub("", name) for name in names]
        assert len(set(stems)) == len(stems), sorted(names)


@pytest.mark.slow
def test_an_import_inside_a_function_says_why() -> None:
    """Commands import their work when they run; elsewhere a comment says what it saves."""
    silent = []
    for room in OURS[:-2]:
        for path in (ROOT / room).rglob("*.py"):
            if path.parent.name == "cli":
                continue
            lines = path.read_text("utf-8").splitlines()
            silent += [
                f"{path.relative_to(ROOT)}:{number}"
                for number in _late_imports(ast.parse("\n".join(lines)))
                if not lines[number - 2].lstrip().startswith("#") and "#" not in lines[number - 1]
            ]
    assert silent == []


def _late_imports(tree: ast.AST) -> list[int]:
    """Line of the first import of each run of them inside a function."""
    found = set()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            for _, block in ast.iter_fields(node):
                if isinstance(block, list):
                    late = [isinstance(part, ast.Import | ast.ImportFrom) for part in block]
                    found |= {
                        part.lineno
                        for position, part in enumerate(block)
                        if late[position] and not (position and late[position - 1])
                    }
    return sorted(found)


def test_a_row_of_a_table_is_one_line() -> None:
    """A wrapped row ends its table: what follows is shown as text."""
    pages = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
    broken = []
    for page in pages:
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        rows = [line.strip() for line in text.splitlines() if line.lstrip().startswith("|")]
        wrapped = [row for row in rows if not row.endswith("|") or row == "|"]
        broken += [f"{page.name}: {row[:60]}" for row in wrapped]
    assert broken == []
