"""The interface of a provider of open data, and the inputs it works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from schemas.cities import City
from sources.open.area import Area, Boundary
from sources.open.kept import Store
from sources.open.rows import RowAccount
from sources.open.settings import OpenSettings


@dataclass(frozen=True)
class SourceOrigin:
    """A source as ``sources.yaml`` names it, and what was asked of it."""

    name: str
    licence: str | None
    date: str | None
    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ProviderRows:
    """What a provider has of an area: rows by table, who they come from, and their account."""

    tables: Mapping[str, pl.DataFrame]
    origins: tuple[SourceOrigin, ...]
    account: RowAccount


@dataclass(frozen=True)
class ProviderContext:
    """What providers share: settings, the answers that are kept, and who is told of progress."""

    settings: OpenSettings
    store: Store
    tell: Callable[[str], None] = lambda _step: None


@dataclass(frozen=True)
class OpenProvider:
    """A provider by name.

    ``find`` gives what it has of an area, ``boundary`` the shape of a city (None: it knows none);
    both take the file or address that the user named for it, else its own. ``connect`` gives what
    joins several areas.
    """

    name: str
    find: Callable[[ProviderContext, Area, str | None], ProviderRows]
    boundary: Callable[[ProviderContext, City, str | None], Boundary | None] | None
    url: Callable[[OpenSettings], str | None]
    connect: Callable[[ProviderContext, Sequence[Area], str | None], ProviderRows] | None = None
