"""The pages: a site without dead links, and how-to pages whose commands run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.support.flows.shell import run_script

HOWTO = sorted((ROOT / "docs" / "howto").glob("*.md"))


def test_the_site_builds_without_a_dead_link(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path / "site")],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page)
    assert loaded == [], "the site loads nothing from elsewhere"


@pytest.mark.usefixtures("without_data_docs")
@pytest.mark.parametrize("page", HOWTO, ids=lambda path: path.stem)
def test_a_newcomer_can_follow_the_page(page: Path, tmp_path: Path) -> None:
    """Every block of a page that is marked as ``sh``, one after the other, in an empty folder."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    if not blocks:
        pytest.skip("the page has no commands")
    done = run_script("\n".join(blocks), tmp_path)
    assert done.code == 0, done.out + done.err


def test_prefect_yaml_says_what_serve_deploys() -> None:
    """The file and ``tripbed deploy`` make the same deployments of flows that exist."""
    from flows.serving.deployments import all_deployments

    stated = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    made = {d.name: d for d in all_deployments({}, {})}
    assert {d["name"] for d in stated} == set(made)
    for said in stated:
        deployment = made[said["name"]]
        assert said["entrypoint"] == deployment.entrypoint
        assert said["tags"] == deployment.tags
        assert said["description"] == deployment.description
        schema = deployment._parameter_openapi_schema.properties
        assert set(said["parameters"]) <= set(schema)
        crons = [schedule["cron"] for schedule in said.get("schedules", [])]
        assert crons == [
            getattr(schedule.schedule, "cron", None) for schedule in deployment.schedules or []
        ]
