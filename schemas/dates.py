"""Finds the date to which the statements in a document refer, for both stages and gates."""

from __future__ import annotations

import polars as pl


def date_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """Add the date ``stated_on``, the later of the dates of publication and of the last change.

    A date of change that the server gives is ignored, because it may be the date of a copy. If
    neither date is known, the result is null. Snapshots before schema 2.2 have no date of change.
    """
    days = [pl.col("published_on")]
    if "modified_on" in documents.columns:
        days.append(pl.when(pl.col("modified_by") != "server").then("modified_on"))
    return documents.select("city_id", "doc_id", stated_on=pl.max_horizontal(days))
