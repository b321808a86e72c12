"""Find providers of open data by name."""

from __future__ import annotations

from dataclasses import dataclass

from sources.open import gtfs, osm, overture
from sources.open.errors import OpenDataError
from sources.open.provider import OpenProvider

PROVIDERS: dict[str, OpenProvider] = {
    one.name: one for one in (overture.PROVIDER, osm.PROVIDER, gtfs.PROVIDER)
}


@dataclass(frozen=True)
class ProviderChoice:
    """A provider, with the file or address that the user may have specified for it."""

    provider: OpenProvider
    given: str | None


def parse_providers(text: str) -> list[ProviderChoice]:
    """Read a list of providers such as ``overture,osm=lisbon.osm.pbf``, with the most trusted
    provider first.

    Raises OpenDataError if a name is not the name of a provider.
    """
    found: list[ProviderChoice] = []
    for part in text.split(","):
        name, is_given, given = part.strip().partition("=")
        if name not in PROVIDERS:
            known = ", ".join(PROVIDERS)
            raise OpenDataError(
                f"--from {text}: no provider is called {name!r}: choose one of {known}"
            )
        if is_given and not given:
            raise OpenDataError(f"--from {text}: add a file or an address after {name}=")
        found.append(ProviderChoice(PROVIDERS[name], given or None))
    return found
