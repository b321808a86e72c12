"""Manners of the command line: version, help, lists of cities, stores in place of snapshots."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer

from flows.cli.app import app
from flows.cli.options import parse_cities, snapshot_path
from flows.errors import SettingsError
from schemas.cities import UnknownCityError
from tests.support.flows.running import run

#: What a command does; its help begins with one of them.
VERBS = frozenset({
    "Add", "Annotate", "Build", "Check", "Compare", "Convert", "Count", "Explain", "Export",
    "Fetch", "Find", "Finish", "Gather", "Hand", "Import", "Judge", "Let", "List", "Make", "Plan",
    "Publish", "Read", "Remove", "Resolve", "Run", "Score", "Serve", "Show", "Sum", "Type", "Write",
})  # fmt: skip


def _commands(
    group: typer.Typer = app, name: str = "tripbed"
) -> Iterator[tuple[str, Callable[..., object]]]:
    """Every command and what it calls."""
    for command in group.registered_commands:
        assert command.callback is not None
        yield f"{name} {command.name or command.callback.__name__}", command.callback
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        yield from _commands(inner.typer_instance, f"{name} {inner.name}")


COMMANDS = dict(_commands())
WITH_CITIES = {n for n, call in COMMANDS.items() if "city" in inspect.signature(call).parameters}
GROUPS = {
    f"tripbed {group.name}": str(group.typer_instance.info.help)
    for group in app.registered_groups
    if group.typer_instance is not None
}
HELPS = {name: call.__doc__ or "" for name, call in COMMANDS.items()} | GROUPS


class TestFirstSteps:
    """What is typed before anything else."""

    def test_the_version(self) -> None:
        outcome = run("--version")
        assert outcome.code == 0
        assert outcome.out.startswith("tripbed 0.")
        assert "schema" in outcome.out

    @pytest.mark.slow
    @pytest.mark.parametrize("command", sorted(HELPS))
    def test_a_short_option_shows_the_help(self, command: str) -> None:
        outcome = run(*command.split()[1:], "-h")
        assert outcome.code == 0
        assert "Usage: tripbed" in outcome.out

    @pytest.mark.parametrize("command", sorted(HELPS))
    def test_help_begins_with_a_verb(self, command: str) -> None:
        assert HELPS[command].split()[0].strip(",") in VERBS


class TestCities:
    """Several cities in one option, or in several."""

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (["Beijing,Shanghai"], ["Beijing", "Shanghai"]),
            (["Beijing", "Shanghai"], ["Beijing", "Shanghai"]),
            (["北京，上海", "成都"], ["北京", "上海", "成都"]),
            (["Porto, PT"], ["Porto, PT"]),
            (["Porto,PT,Lisbon"], ["Porto, PT", "Lisbon"]),
            (
                ["Springfield, Illinois, Buffalo, New York"],
                ["Springfield, Illinois", "Buffalo, New York"],
            ),
            (["Kyoto,Osaka,"], ["Kyoto", "Osaka"]),
            (["gn1808926,gn1796236"], ["gn1808926", "gn1796236"]),
        ],
    )
    def test_commas_and_repeats(self, given: list[str], expected: list[str]) -> None:
        assert parse_cities(given) == expected

    @pytest.mark.slow
    def test_one_unknown_city_of_a_list_is_named(self) -> None:
        with pytest.raises(UnknownCityError, match="'Qwxzyv'"):
            parse_cities(["Beijing,Qwxzyv"])

    @pytest.mark.parametrize("nothing", ["", " ", ",", " , "])
    def test_a_list_of_nothing_is_refused(self, nothing: str) -> None:
        with pytest.raises(SettingsError, match="names no city"):
            parse_cities([nothing])

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "command",
        [tuple(name.split()[1:]) for name in sorted(WITH_CITIES)],
        ids=" ".join,
    )
    def test_every_command_takes_a_list(self, command: tuple[str, ...]) -> None:
        """The second city of the list is looked up: its name alone is what is wrong."""
        needed = {
            "extract": ["--documents", "x", "--out", "y"],
            "deploy": ["--pool", "x"],
            "audit": ["x"],
            "annotate": ["x"],
        }.get(command[-1], [])
        outcome = run(*command, "--city", "Beijing,Qwxzyv", *needed)
        assert outcome.code == 2
        assert "no city is called 'Qwxzyv'" in outcome.err


class TestStores:
    """The folder that builds write to, where a snapshot is asked for."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        """A store whose latest snapshot is s1."""
        (tmp_path / "s1").mkdir()
        (tmp_path / "s1" / "manifest.json").touch()
        (tmp_path / "latest").symlink_to("s1")
        return tmp_path

    def test_the_latest_of_a_store(self, store: Path) -> None:
        assert snapshot_path(store) == store / "s1"

    def test_a_snapshot_is_itself(self, store: Path) -> None:
        assert snapshot_path(store / "s1") == store / "s1"
        assert snapshot_path(store / "latest") == store / "latest"

    def test_what_is_neither_stays(self, tmp_path: Path) -> None:
        assert snapshot_path(tmp_path) == tmp_path
