"""Running the command line in this process, and the small invented inputs of the tests."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer.main

import flows.publishing.publish
from flows.cli import main
from validators.validate import validate
from warehouse.verdicts import GateResult

GAZETTEER = """\
id,name_zh,name_en,category,lat,lon,price_cny
a,青石园,Bluestone Garden,natural_landscape,31.3240,120.6250,70
b,双桥古街,Twin Bridge Street,shopping_district,31.3170,120.6350,0
c,云岩塔,Cloudrock Pagoda,historical_cultural,31.3360,120.5770,80
d,湖东博物馆,East Lake Museum,museum,31.3200,120.6900,0
e,听枫书院,Maple Academy,historical_cultural,31.3100,120.6200,20
f,柳浜码头,Willow Creek Wharf,natural_landscape,31.3000,120.6100,0
"""
#: Two routes of invented places; one told in spring, one in autumn.
PAGES = {
    "spring.md": (
        "# 苏州两日游\n\n春天去的,三月花开得正好。\n\n## 第一天\n\n"
        "我们上午游览了青石园,门票70元。下午逛双桥古街,傍晚游览云岩塔。\n\n"
        "## 第二天\n\n上午参观湖东博物馆,下午游览听枫书院,最后逛柳浜码头。\n"
    ),
    "autumn.md": (
        "# Two days in Suzhou in autumn\n\n## Day 1\n\nWe visited Cloudrock Pagoda in the morning"
        " and then walked along Twin Bridge Street.\n\n## Day 2\n\nWe visited Bluestone Garden,"
        " then East Lake Museum, and ended the day at Willow Creek Wharf.\n"
    ),
}
PROFILE = """\
name: tiny
families: [tprag]
queries: {days: [null, 2], constraint_kinds: [generic, season]}
trajectories: {per_query: 1, maximum_per_query: 2}
candidates: {per_query: 3}
"""


@dataclass(frozen=True)
class Outcome:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        """The last line of standard output."""
        return self.out.rstrip("\n").rsplit("\n", 1)[-1]


@dataclass(frozen=True)
class Inputs:
    """Folders and the profile of a small city."""

    documents: Path
    tables: Path
    profile: Path

    def options(self, city: str = "suzhou") -> list[str]:
        """The options of a building command."""
        return [
            "--city", city, "--documents", str(self.documents), "--tables", str(self.tables),
            "--profile", str(self.profile),
        ]  # fmt: skip


#: The commands, which are the same at every call: to put them together takes 50 ms.
_get_command = cache(typer.main.get_command)


def run(*arguments: object) -> Outcome:
    """Run ``tripbed`` in this process, as its entry point does."""
    out, err = io.StringIO(), io.StringIO()
    argv = ["tripbed", *map(str, arguments)]
    code: Any = 0
    with (
        patch.object(sys, "argv", argv),
        patch("typer.main.get_command", _get_command),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as left:
            code = left.code
    return Outcome(int(code or 0), out.getvalue(), err.getvalue())


def ask_gates_alone(candidate: Path, before: Path | None = None) -> Sequence[GateResult]:
    """The verdicts of all gates without Great Expectations, which takes most of a small build.

    ``test_expectations`` shows that both give the same verdicts.
    """
    return validate(candidate, before=before).results


def leave_out_extras(patch: pytest.MonkeyPatch | None = None) -> None:
    """Publish snapshots without report and Data Docs; without ``patch``, in all of this process."""
    found = patch or pytest.MonkeyPatch()
    found.setattr(flows.publishing.publish, "write_pages", lambda candidate: None)
    found.setattr(flows.publishing.publish, "ask_gates", ask_gates_alone)


def inputs_below(folder: Path) -> Inputs:
    """Where the small city's pages, gazetteer and profile lie below a folder."""
    return Inputs(folder / "pages", folder / "tables", folder / "tiny.yaml")


def write_inputs(folder: Path) -> Inputs:
    """The small city's pages, gazetteer and profile, written below a folder."""
    inputs = inputs_below(folder)
    for part in (inputs.documents, inputs.tables):
        part.mkdir(parents=True)
    for name, text in PAGES.items():
        (inputs.documents / name).write_text(text, encoding="utf-8")
    (inputs.tables / "gazetteer.csv").write_text(GAZETTEER, encoding="utf-8")
    inputs.profile.write_text(PROFILE, encoding="utf-8")
    return inputs


def build_options(workspace: Path, out: Path) -> list[str]:
    """Where a build works and publishes, in this process."""
    return ["--workspace", str(workspace), "--out", str(out), "--direct"]


def checksums(snapshot: Path) -> dict[str, str]:
    """SHA-256 of the manifest and of every file of the data, by path in the snapshot."""
    files = [snapshot / "manifest.json", *(snapshot / "data").rglob("*")]
    return {
        str(path.relative_to(snapshot)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.is_file()
    }


def tree(folder: Path) -> dict[str, str]:
    """Every path below a folder with its content's hash, links with their target."""
    if not folder.exists():
        return {}
    return {
        str(path.relative_to(folder)): (
            f"-> {path.readlink()}"
            if path.is_symlink()
            else hashlib.sha256(path.read_bytes()).hexdigest()
        )
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def shards(space: Path) -> Sequence[Path]:
    """Finished shards of a workspace."""
    return sorted(space.glob("shards/*/*/*/meta.json"))
