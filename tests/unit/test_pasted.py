"""Commands in the pages and files to copy: each is one that the command line has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.support.flows.running import run
from tests.unit.flows.test_manners import COMMANDS, GROUPS

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
_COMMAND = re.compile(r"(?:^|`)(?:\.venv/bin/)?tripbed ((?:[a-z]+ ?){1,2})", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_command_of_a_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:sh|text)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for named in _COMMAND.findall("\n".join(blocks)):
        words = named.split()
        known = {" ".join(["tripbed", *words[:n]]) for n in (1, 2)}
        assert known & (set(COMMANDS) | set(GROUPS)), named


def test_the_workflow_installs_from_what_is_named() -> None:
    """No public index has a package of this name."""
    text = (ROOT / "docs" / "ci" / "validate-snapshot.yml").read_text(encoding="utf-8")
    job = yaml.safe_load(text)["jobs"]["validate"]
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert runs[0] == 'pip install "$TRIPBED"'
    assert job["env"]["TRIPBED"].partition(" ")[0]
    for command in runs[1:]:
        assert " ".join(command.split()[:2]) in COMMANDS
        assert run(*command.split()[1:2], "-h").code == 0


def test_the_page_on_ci_links_both_files() -> None:
    page = (ROOT / "docs" / "howto" / "ci.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\((\.\./ci/[^)]*)\)", page):
        assert (ROOT / "docs" / "howto" / link).is_file()
    assert page.count("](../ci/") == 2
