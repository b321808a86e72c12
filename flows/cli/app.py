"""The Typer application, with the behaviour that all commands share."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console
from typer.core import TyperCommand, TyperGroup

from flows.garbage import collect_garbage_rarely

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
#: Matches an address that was turned into a path, which removes one of its two slashes.
_WAS_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/[^/]")
#: The words with which pydantic begins a message about an invalid choice.
_PREFIX = "Value error, "


class _Commands(TyperGroup):
    """The group of all commands.

    The group removes pydantic's prefix from messages about invalid choices.
    """

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # the base names its own copy of the context
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix(_PREFIX)
            raise


class _Command(TyperCommand):
    """A command that, before it does anything else, refuses addresses for options that need a local
    path."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # the base names its own copy of the context
        for option in self.params:
            given = ctx.params.get(str(option.name))
            for path in given if isinstance(given, list | tuple) else [given]:
                if isinstance(path, Path) and _WAS_ADDRESS.match(str(path)):
                    told = str(path).replace(":/", "://", 1)
                    fail(f"{option.opts[0]} needs a folder or file on this machine, not {told}")
        return super().invoke(ctx)


class _CommandGroup(typer.Typer):
    """A group of commands, all of which refuse addresses for options that need a local path."""

    def command(self, *given: Any, **named: Any) -> Callable[[Decorated], Decorated]:
        return super().command(*given, **{"cls": _Command, **named})


app = _CommandGroup(
    name="tripbed",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GOOD, WRONG_INPUT = 0, 2
err = Console(stderr=True)


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    # Imported only here, because the module of the tables loads slowly.
    from importlib.metadata import version

    from schemas.tables import SCHEMA_VERSION

    print(f"tripbed {version('tripbed')} (schema {SCHEMA_VERSION})")
    raise typer.Exit(GOOD)


@app.callback()
def tripbed(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Build travel-planning sandboxes: validated, reproducible Parquet snapshots of cities."""


def group(name: str, text: str) -> typer.Typer:
    """Add a group of commands, which are called as ``tripbed NAME ...``."""
    made = _CommandGroup(help=text, no_args_is_help=True)
    app.add_typer(made, name=name)
    return made


def fail(message: str) -> NoReturn:
    """Print what is wrong and how to fix it, and exit with code 2."""
    err.print(f"[bold red]error:[/] {message}", highlight=False, markup=True, soft_wrap=True)
    raise typer.Exit(WRONG_INPUT)


def main() -> None:
    """Run the command line. If the input is wrong, print one line and exit with code 2."""
    from flows.errors import explain_error

    collect_garbage_rarely()
    try:
        app(prog_name="tripbed")
    except Exception as error:
        message = explain_error(error)
        if message is None:
            raise
        if "--json" in sys.argv:
            print(json.dumps({"error": message}, ensure_ascii=False))
        err.print("[bold red]error:[/]", end=" ")
        err.print(message, highlight=False, markup=False, soft_wrap=True)
        sys.exit(WRONG_INPUT)
