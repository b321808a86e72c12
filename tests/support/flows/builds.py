"""Snapshots that several tests look at: the bundled sample and a small invented city."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import flows.publishing.publish
from flows.pipeline.request import make_inputs
from flows.pipeline.run import BuildResult, build_directly
from flows.pipeline.shards import Workspace
from tests.support.flows import running
from validators.validate import validate


@dataclass(frozen=True)
class Built:
    """A finished build: its inputs, folders and result."""

    inputs: running.Inputs
    workspace: Path
    out: Path
    result: BuildResult

    @property
    def path(self) -> Path:
        """The snapshot."""
        return self.result.published.path


@pytest.fixture(scope="session")
def built_sample(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample city's snapshot, by the profile of ``make demo``. Read only."""
    folder = tmp_path_factory.mktemp("sample")
    inputs = make_inputs(["hangzhou"], [sample / "documents"], sample / "tables", profile="demo")
    return build_directly(inputs, Workspace(folder / "work"), folder / "out").published.path


@pytest.fixture(scope="session")
def small_build(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The small city built, with its report. Read only: copy what a test changes."""
    folder = tmp_path_factory.mktemp("small")
    files = running.write_inputs(folder)
    inputs = make_inputs(["suzhou"], [files.documents], files.tables, profile=str(files.profile))
    workspace, out = folder / "work", folder / "out"
    return Built(files, workspace, out, build_directly(inputs, Workspace(workspace), out))


@pytest.fixture
def small(tmp_path: Path) -> running.Inputs:
    """Inputs of the small city that a test may change."""
    return running.write_inputs(tmp_path / "in")


@pytest.fixture
def without_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots without report and Data Docs, where a test is about something else."""
    monkeypatch.setattr(flows.publishing.publish, "write_pages", lambda candidate: None)
    monkeypatch.setattr(
        flows.publishing.publish,
        "ask_gates",
        lambda candidate, before=None: validate(candidate, before=before).results,
    )
