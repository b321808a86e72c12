"""Names the readers of a build's sources. Drift is only measured between equal readers."""

from __future__ import annotations

from extractors.read import reading_version
from flows.pipeline.stages import copies, corpus, documents, link, mentions, read
from flows.pipeline.stages.base import Inputs, Stage
from flows.pipeline.stages.places import PLACES_STAGE, TABLES_STAGE
from validators.drift.find import MENTIONS, TABLES

_PAGES = (corpus.STAGE, copies.STAGE, documents.STAGE)
_NAMES = (read.STAGE, link.STAGE, mentions.STAGE)


def readers_of(inputs: Inputs) -> dict[str, str]:
    """The reader of each source table that the build is given, and of the names in documents."""
    found: dict[str, str] = {}
    if inputs.tables is not None:
        layout = f"{_versions(TABLES_STAGE)}, layout {inputs.tables_format}"
        found = dict.fromkeys((table for table in TABLES if table != "documents"), layout)
        if inputs.profile.rooms.simulate:
            found["hotels"] = f"{layout}, rooms simulated"
        found["attractions"] = f"{_versions(PLACES_STAGE)}, {layout}"
    if inputs.document_roots or inputs.web is not None:
        own = " and own readings" if inputs.own_readings is not None else ""
        found["documents"] = _versions(*_PAGES)
        found[MENTIONS] = f"{inputs.engine}{own}, {reading_version()}, {_versions(*_NAMES)}"
    return found


def _versions(*stages: Stage) -> str:
    return ", ".join(f"{stage.name} {stage.version}" for stage in stages)
