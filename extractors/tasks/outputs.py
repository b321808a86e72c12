"""The outputs of the document tasks."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from schemas.reading import DocumentKind, Fact, Mention, Route


class PoiReading(BaseModel):
    """Every mention of an attraction in a document, and what its document is."""

    model_config = ConfigDict(frozen=True)

    kind: DocumentKind
    cities: tuple[str, ...] = ()
    days_stated: int | None = None
    mentions: tuple[Mention, ...] = ()
    decoys: tuple[str, ...] = ()


class RouteReading(BaseModel):
    """The single route of a document; None where it has no clear one, with the reason."""

    model_config = ConfigDict(frozen=True)

    route: Route | None = None
    reason: str = ""


class FactReading(BaseModel):
    """What a document states about its POIs."""

    model_config = ConfigDict(frozen=True)

    facts: tuple[Fact, ...] = ()
