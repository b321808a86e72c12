"""The age of a document's statements: one rule for the stages that date them and for the gates."""

from __future__ import annotations

import polars as pl


def date_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """The day (``stated_on``) of each ``doc_id``: the later of published and modified.

    The server's word on when a file changed counts for nothing: servers say it of each copy. Where
    neither is known the day is unknown. Snapshots before schema 2.2 know no day of change.
    """
    days = [pl.col("published_on")]
    if "modified_on" in documents.columns:
        days.append(pl.when(pl.col("modified_by") != "server").then("modified_on"))
    return documents.select("city_id", "doc_id", stated_on=pl.max_horizontal(days))
