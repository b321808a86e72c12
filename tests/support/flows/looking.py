"""Builds of Shaoxing from our own web, as a user runs them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl
import pytest

from sources.web.fetch_types import FetchSettings
from sources.web.providers.searxng import SearXNG
from tests.support.flows.running import Outcome, run
from tests.support.sources.web.own.engine import gazetteer, said
from tests.support.sources.web.own.server import OwnWeb, address, own_web

#: One query whose six searches find every page of the web.
PROFILE = """\
name: own web
families: [tprag]
queries: {days: [2], constraint_kinds: [generic]}
documents: {per_poi_search: 60, per_route_search: 60, inquiries_per_query: 0}
trajectories: {per_query: 2, maximum_per_query: 8}
candidates: {per_query: 5}
"""


@dataclass(frozen=True)
class Looking:
    """A folder to build in, and the web that is looked at."""

    folder: Path
    web: OwnWeb

    @property
    def environment(self) -> dict[str, str]:
        """The settings of the machine."""
        return {
            "TRIPBED_SEARXNG_URL": self.web.search_url,
            "TRIPBED_ALLOW_HOSTS": self.web.allow_hosts, "TRIPBED_DELAY_S": "0",
        }  # fmt: skip

    def elsewhere(self, folder: Path, *, built: bool = False) -> Looking:
        """The same web as it was at first, and a folder of its own; ``built``: as this one is."""
        self.web.reset()
        shutil.copytree(self.folder, folder, symlinks=True, ignore=None if built else _built)
        return Looking(folder, self.web)

    def arguments(self, *more: str, name: str = "a", archive: str | None = None) -> list[str]:
        """The command that builds in a workspace and into snapshots of a name."""
        return [
            "build", "--city", "绍兴", "--search", "searxng", "--tables", str(self.folder / "tables"),
            "--profile", str(self.folder / "own.yaml"), "--workspace", str(self.folder / name),
            "--archive", str(self.folder / (archive or name) / "archive"),
            "--out", str(self.folder / f"{name}-out"), "--direct", *more,
        ]  # fmt: skip

    def build(self, *more: str, name: str = "a", archive: str | None = None) -> Outcome:
        """Build, counting what is asked from here."""
        self.web.forget()
        return run(*self.arguments(*more, name=name, archive=archive))

    def snapshot(self, name: str = "a") -> Path:
        """The last good snapshot."""
        return (self.folder / f"{name}-out" / "latest").resolve()

    def table(self, table: str, name: str = "a") -> pl.DataFrame:
        """A table of the last good snapshot."""
        return pl.read_parquet(self.snapshot(name) / "data" / table / "**" / "*.parquet")

    def given(self, name: str = "a") -> dict[str, dict[str, Any]]:
        """What became of every address, by host and path."""
        rows = pl.read_parquet(self.snapshot(name) / "quality" / "documents.parquet").to_dicts()
        return {self.at(row["path"]): row for row in rows}

    def at(self, url: str) -> str:
        """Host and path of an address of the web."""
        hosts = {address(host): host for host in said()["hosts"]}
        parts = urlsplit(url)
        return f"{hosts[parts.hostname or '']}{parts.path}"


def _built(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in ("a", "a-out")]


def stages(outcome: Outcome) -> dict[str, dict[str, Any]]:
    """What each stage came to, of a build that printed JSON."""
    found: dict[str, dict[str, Any]] = json.loads(outcome.out)["stages"]
    return found


@contextmanager
def looking(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Looking]:
    """Our own web, and a folder with places and a profile; waits are short."""
    (folder / "tables").mkdir(parents=True)
    (folder / "tables" / "gazetteer.csv").write_text(gazetteer(), encoding="utf-8")
    (folder / "own.yaml").write_text(PROFILE, encoding="utf-8")
    patch.setattr(SearXNG, "min_interval_s", 0.0)
    quick = partial(FetchSettings, backoff_s=0.01)
    patch.setattr("sources.web.settings.FetchSettings", quick)
    with own_web() as web:
        made = Looking(folder, web)
        for name, value in made.environment.items():
            patch.setenv(name, value)
        yield made
