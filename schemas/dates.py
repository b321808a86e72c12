"""The date of a document's statements: one rule for the stages that need it and for the gates."""

from __future__ import annotations

import polars as pl


def date_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """Find the date (``stated_on``) of each ``doc_id``: the later of published and modified.

    The date that a server gives for a file is ignored, because servers give it for every copy.
    If neither date is known, the result is unknown. Snapshots before schema 2.2 have no date of
    change.
    """
    days = [pl.col("published_on")]
    if "modified_on" in documents.columns:
        days.append(pl.when(pl.col("modified_by") != "server").then("modified_on"))
    return documents.select("city_id", "doc_id", stated_on=pl.max_horizontal(days))
