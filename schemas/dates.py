"""Finds the date to which the statements in a document refer."""

from __future__ import annotations

import polars as pl


def date_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """Add the column ``stated_on``: the publication date or, if later, the date of the last change.

    If the date of the last change comes from the server, it is ignored, because it may be the date
    of a copy. If neither date is known, the result is null. Snapshots with a schema version below
    2.2 have no date of the last change.
    """
    days = [pl.col("published_on")]
    if "modified_on" in documents.columns:
        days.append(pl.when(pl.col("modified_by") != "server").then("modified_on"))
    return documents.select("city_id", "doc_id", stated_on=pl.max_horizontal(days))
