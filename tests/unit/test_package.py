"""What ships: typed packages that are all listed, and a version that stands in one place."""

from __future__ import annotations

import tomllib
from pathlib import Path

import tripbed
from tests.conftest import ROOT
from tripbed.packages import PACKAGES

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SHIPPED = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def test_the_packages_looked_for_are_those_that_ship() -> None:
    assert {*PACKAGES, "tripbed"} == set(SHIPPED)


def test_every_package_that_ships_is_typed() -> None:
    assert [name for name in SHIPPED if not (ROOT / name / "py.typed").is_file()] == []


def test_the_version_is_not_written_elsewhere() -> None:
    version = PROJECT["project"]["version"]
    assert tripbed.__version__ == version
    texts = [path for name in (*SHIPPED, "docs") for path in (ROOT / name).rglob("*")
             if path.suffix in (".py", ".md", ".yml", ".yaml")]  # fmt: skip
    assert [path for path in texts if f"tripbed-{version}" in _text(path)] == []
    assert [path for path in texts if f'"{version}"' in _text(path)] == []


def test_every_name_of_the_library_is_there() -> None:
    assert [name for name in tripbed.__all__ if getattr(tripbed, name).__name__ != name] == []


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
