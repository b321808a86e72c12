"""The command line: every command explains itself."""

from __future__ import annotations

import pytest

from tests.support.flows.running import run

COMMANDS = (
    ("build",), ("extract",), ("validate",), ("inspect",), ("report",), ("match",), ("publish",),
    ("queries", "build"), ("retrieve",), ("doctor",), ("resolve",), ("trajectories",), ("tag",),
    ("tables", "import"), ("city",), ("sandbox", "serve"), ("bench", "run"), ("bench", "report"),
    ("sources", "fetch"),
)  # fmt: skip


class TestHelp:
    """A newcomer's first command."""

    @pytest.mark.parametrize("command", [(), *COMMANDS], ids=" ".join)
    def test_every_command_explains_itself(self, command: tuple[str, ...]) -> None:
        outcome = run(*command, "--help")
        assert outcome.code == 0
        assert "Usage: tripbed" in outcome.out
        assert outcome.err == ""

    def test_the_first_page_names_every_command(self) -> None:
        page = run("--help").out
        assert [command[0] for command in COMMANDS if f" {command[0]} " not in page] == []

    def test_every_option_of_a_build_is_explained(self) -> None:
        page = run("build", "--help").out
        options = (
            "--city", "--documents", "--tables", "--tables-format", "--profile", "--engine",
            "--workspace", "--out", "--explain", "--json",
        )  # fmt: skip
        assert [option for option in options if option not in page] == []
