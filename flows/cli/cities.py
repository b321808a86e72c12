"""The command ``tripbed city``, which shows which city a name means."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.app import app
from flows.cli.options import AsJson


@app.command()
def city(
    name: Annotated[
        str,
        typer.Argument(
            help='Name of a city in any language, such as "Porto, PT", or its GeoNames id.'
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Show which city a name means, with the city's country, time zone, currency and holidays."""
    from flows.places import city as work

    work.show_city(name, as_json)
