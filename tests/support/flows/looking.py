"""Builds of Shaoxing from our own web, as a user runs them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import polars as pl

from extractors.llm import OpenAIEngine
from sources.web.fetch_types import FetchSettings
from sources.web.providers.searxng import SearXNG
from tests.support.flows.running import Outcome, ask_gates_alone, run
from tests.support.sources.web.own.engine import gazetteer, said
from tests.support.sources.web.own.model import OwnModel, own_model
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
    """A folder to build in, the web that is looked at, and the model that reads;
    None: the rules.
    """

    folder: Path
    web: OwnWeb
    model: OwnModel | None = None
    model_name: str = "careful"
    #: How much the first build asked, where one was made.
    n_first: int = 0

    @property
    def environment(self) -> dict[str, str]:
        """The settings of the machine."""
        found = {
            "TRIPBED_SEARXNG_URL": self.web.search_url,
            "TRIPBED_ALLOW_HOSTS": self.web.allow_hosts, "TRIPBED_DELAY_S": "0",
        }  # fmt: skip
        if self.model is not None:
            found |= {
                "OPENAI_BASE_URL": self.model.base_url, "OPENAI_MODEL": self.model_name,
                "OPENAI_API_KEY": "k", "TRIPBED_LLM_ONE_REQUEST": "1",
                "TRIPBED_LEDGER": str(self.ledger),
            }  # fmt: skip
        return found

    @property
    def ledger(self) -> Path:
        """Where the answers of the model are kept."""
        return self.folder / "ledger.sqlite"

    def elsewhere(self, folder: Path, *, built: bool = False) -> Looking:
        """The same web as it was at first, and a folder of its own; ``built``: as this one is."""
        self.web.reset()
        if self.model is not None:
            self.model.reset()
        shutil.copytree(self.folder, folder, symlinks=True, ignore=None if built else _built)
        return Looking(folder, self.web, self.model)

    def forget(self) -> None:
        """Count from here what is asked."""
        self.web.forget()
        if self.model is not None:
            self.model.bodies.clear()

    @property
    def n_asked(self) -> int:
        """How many pages, searches and answers of the model were asked for."""
        return len(self.web.answered) + (self.model.count if self.model else 0)

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """What a command finds on this machine; waits are short, and pages of gates left out."""
        quick = partial(FetchSettings, backoff_s=0.01)
        with (
            patch.dict(os.environ, self.environment),
            patch.object(SearXNG, "min_interval_s", 0.0),
            patch("sources.web.settings.FetchSettings", quick),
            patch("flows.publishing.publish.ask_gates", ask_gates_alone),
            # The pause of a model's engine before it tries again.
            patch.object(OpenAIEngine.__init__, "__defaults__", (lambda seconds: None,)),
        ):
            yield

    def arguments(self, *more: str, name: str = "a", archive: str | None = None) -> list[str]:
        """The command that builds in a workspace and into snapshots of a name."""
        return [
            "build",
            "--city",
            "绍兴",
            "--search",
            "searxng",
            "--tables",
            str(self.folder / "tables"),
            "--profile",
            str(self.folder / "own.yaml"),
            "--workspace",
            str(self.folder / name),
            "--archive",
            str(self.folder / (archive or name) / "archive"),
            "--out",
            str(self.folder / f"{name}-out"),
            "--direct",
            *(("--engine", "openai") if self.model else ()),
            *more,
        ]

    def build(self, *more: str, name: str = "a", archive: str | None = None) -> Outcome:
        """Build, counting what is asked from here."""
        self.forget()
        with self.at_hand():
            return run(*self.arguments(*more, name=name, archive=archive))

    def snapshot(self, name: str = "a") -> Path:
        """The last good snapshot."""
        return (self.folder / f"{name}-out" / "latest").resolve()

    def table(self, table: str, name: str = "a") -> pl.DataFrame:
        """A table of the last good snapshot."""
        return pl.read_parquet(self.snapshot(name) / "data" / table / "**" / "*.parquet")

    def list_given(self, name: str = "a") -> dict[str, dict[str, Any]]:
        """What became of every address, by host and path."""
        rows = pl.read_parquet(self.snapshot(name) / "quality" / "documents.parquet").to_dicts()
        return {self.at(row["path"]): row for row in rows}

    def at(self, url: str) -> str:
        """Host and path of an address of the web."""
        hosts = {address(host): host for host in said()["hosts"]}
        parts = urlsplit(url)
        return f"{hosts[parts.hostname or '']}{parts.path}"


def _built(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in ("a", "a-out") or name.startswith("ledger")]


def stages(outcome: Outcome) -> dict[str, dict[str, Any]]:
    """What each stage came to, of a build that printed JSON."""
    found: dict[str, dict[str, Any]] = json.loads(outcome.out)["stages"]
    return found


@contextmanager
def looking(folder: Path, *, by_model: bool = False) -> Iterator[Looking]:
    """Our own web, and a folder with places and a profile; by a model or by the rules."""
    (folder / "tables").mkdir(parents=True)
    (folder / "tables" / "gazetteer.csv").write_text(gazetteer(), encoding="utf-8")
    (folder / "own.yaml").write_text(PROFILE, encoding="utf-8")
    with ExitStack() as running:
        web = running.enter_context(own_web())
        yield Looking(folder, web, running.enter_context(own_model()) if by_model else None)
