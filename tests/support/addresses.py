"""Addresses for tests: stores in memory and on a server, and a scratch folder of the test's own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from s3fs import S3FileSystem

from tests.support.servers import object_store


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of this process and of those that it starts."""
    return other_scratch(tmp_path / "scratch", monkeypatch)


def other_scratch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go on with another temporary folder, as another machine would."""
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def memory(scratch: Path) -> str:
    """An address in the memory of this process that no other test has."""
    pytest.importorskip("fsspec", reason="the extra cluster is not installed")
    return f"memory://{scratch.parent.name}-{os.getpid()}"


@contextmanager
def reaching(environment: dict[str, str]) -> Iterator[None]:
    """Settings of S3 in the environment; fsspec keeps a connection, which is let go of."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        S3FileSystem.clear_instance_cache()
        yield
    S3FileSystem.clear_instance_cache()


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket on an S3-compatible server of its own on 127.0.0.1."""
    pytest.importorskip("moto", reason="no local S3-compatible server is installed")
    with object_store(tmp_path_factory.mktemp("s3")) as environment, reaching(environment):
        yield "s3://tripbed"
