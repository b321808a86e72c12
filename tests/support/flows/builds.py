"""Builds that several tests look at, each made once a run: the sample, a small invented city."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import pytest

from flows.pipeline.request import make_inputs
from flows.pipeline.run import build_directly
from flows.pipeline.shards import Workspace
from tests.support.flows import running
from tests.support.once import make_once

Shared = TypeVar("Shared")


@dataclass(frozen=True)
class Built:
    """A finished build below a folder: its inputs, its workspace and its store."""

    folder: Path

    @property
    def inputs(self) -> running.Inputs:
        """What it was built from."""
        return running.inputs_below(self.folder)

    @property
    def workspace(self) -> Path:
        """Where its shards lie."""
        return self.folder / "work"

    @property
    def out(self) -> Path:
        """The folder of snapshots."""
        return self.folder / "out"

    @property
    def path(self) -> Path:
        """The snapshot."""
        return (self.out / "latest").resolve()

    @property
    def stages(self) -> dict[str, dict[str, Any]]:
        """What each stage came to, by its name."""
        told: dict[str, Any] = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        stages: dict[str, dict[str, Any]] = told["stages"]
        return stages


def _build_sample(folder: Path, sample: Path) -> None:
    inputs = make_inputs(["hangzhou"], [sample / "documents"], sample / "tables", profile="demo")
    with _without_data_docs():
        build_directly(inputs, Workspace(folder / "work"), folder / "out")


def _without_data_docs() -> AbstractContextManager[object]:
    return patch("flows.publishing.publish.ask_gates", running.ask_gates_alone)


def _build_small(folder: Path) -> None:
    files = running.write_inputs(folder)
    inputs = make_inputs(["suzhou"], [files.documents], files.tables, profile=str(files.profile))
    built = Built(folder)
    build_directly(inputs, Workspace(built.workspace), built.out)


@pytest.fixture(scope="session")
def built_sample(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sample city's snapshot, by the profile of ``make demo``, without Data Docs. Read only."""
    folder = make_once("sample", tmp_path_factory, lambda folder: _build_sample(folder, sample))
    yield from unchanged(Built(folder).path, Built(folder).path)


@pytest.fixture(scope="session")
def small_build(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """The small city built, with its report. Read only: a test that changes it takes a copy."""
    built = Built(make_once("small", tmp_path_factory, _build_small))
    yield from unchanged(built, built.folder)


def unchanged(shared: Shared, folder: Path) -> Iterator[Shared]:
    """Lend what lies in a folder, and fail where tests changed it."""
    before = running.tree(folder)
    yield shared
    assert running.tree(folder) == before, "tests changed a build that they share"


@pytest.fixture
def small_copy(small_build: Built, tmp_path: Path) -> Built:
    """The small city built, to be changed."""
    return Built(Path(shutil.copytree(small_build.folder, tmp_path / "built", symlinks=True)))


@pytest.fixture
def small(tmp_path: Path) -> running.Inputs:
    """Inputs of the small city that a test may change."""
    return running.write_inputs(tmp_path / "in")


@pytest.fixture(scope="module")
def without_data_docs() -> Iterator[None]:
    """Snapshots without Data Docs, in a module that is about something else."""
    with _without_data_docs():
        yield


@pytest.fixture
def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots without report and Data Docs, where a test is about something else."""
    running.leave_out_extras(monkeypatch)
