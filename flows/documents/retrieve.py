"""The command ``tripbed retrieve --search``, which finds and fetches documents on the web.

The command runs the stages of a build up to the stage that extracts the main text from pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from flows.console import build_progress, print_json
from flows.pipeline.folders import no_empty_folders
from flows.pipeline.graph import DirectExecutor, shard_total, submit_all
from flows.pipeline.request import BuildRequest, begin_round
from flows.pipeline.run import list_documents
from flows.pipeline.shards import Ref, Workspace
from flows.pipeline.storage import open_workspace
from schemas.cities import City
from schemas.ids import doc_id
from schemas.nouns import count_noun

#: The stage at which a retrieval stops.
LAST = "corpus"
_STATED = ("lang", "title", "published_on", "published_by", "modified_on", "modified_by", "doubt",
           "licence_hint", "n_chars")  # fmt: skip


def retrieve(request: BuildRequest, workspace: Path, out: Path, as_json: bool) -> None:
    """Find, fetch and archive each city's documents, and write tables about them to ``out``.

    For each city, prints the counts and then the folder of its tables. Raises SettingsError if the
    settings for the build are wrong, CorpusError if a folder of documents cannot be read, and
    ProviderError if a search provider refuses to answer.
    """
    inputs = begin_round(request.inputs())
    shards = open_workspace(workspace, request.settings.storage)
    with (
        no_empty_folders(workspace, out),
        build_progress(shard_total(inputs, LAST), quiet=as_json) as done,
    ):
        shards.prepare()
        executor = DirectExecutor(shards, done)
        submit_all(executor, inputs, list_documents(inputs), last=LAST)
    tables = _Tables(shards, executor.finish())
    found = [_write_tables(tables.of_city(city), out / city.slug) for city in inputs.cities]
    if as_json:
        print_json(found)
        return
    for row in found:
        print(
            f"{count_noun(row['queries'], 'query')}, {count_noun(row['sub_queries'], 'sub-query')} "
            f"({count_noun(row['waiting_searches'], 'search')} got no new answer), "
            f"{count_noun(row['documents'], 'document')}: {row['stored']} stored, "
            f"{row['quarantined']} quarantined, {row['pending']} pending\n{row['path']}"
        )


class _Tables:
    """The rows of the finished shards, by city."""

    def __init__(self, workspace: Workspace, refs: Sequence[Ref]) -> None:
        self._workspace, self._refs = workspace, refs
        meta = self._frame("corpus", "meta").select("doc_id", *_STATED)
        addresses = self._frame("fetch", "addresses").with_columns(
            pl.col("content_sha256").map_elements(doc_id, pl.String).alias("doc_id")
        )
        unread = self._frame("corpus", "rejected").select(
            url="path", unread="check", unread_why="message"
        )
        self._documents = (
            addresses.join(unread, on="url", how="left")
            .with_columns(
                outcome=pl.when(pl.col("unread").is_null())
                .then("outcome")
                .otherwise(pl.lit("quarantined")),
                reason=pl.coalesce("unread", "reason"),
                message=pl.coalesce("unread_why", "message"),
            )
            .drop("unread", "unread_why")
            .join(meta, on="doc_id", how="left")
            .sort("url")
        )

    def of_city(self, city: City) -> dict[str, pl.DataFrame]:
        """Return a city's searches, the chosen documents, and what happened to each document."""
        asked = self._frame("sub_queries", "sub_queries", city.slug)
        chosen = self._frame("search", "chosen").filter(pl.col("city_id") == city.city_id)
        searches = self._frame("search", "hits"), self._frame("search", "waiting")
        found, waiting = (rows.join(asked, on="sub_query_id", how="semi") for rows in searches)
        return {
            "sub_queries": asked,
            "searches": found,
            "waiting_searches": waiting,
            "query_documents": chosen,
            "documents": self._documents.join(chosen, on="url", how="semi"),
        }

    def _frame(self, stage: str, name: str, shard: str | None = None) -> pl.DataFrame:
        mine = [r for r in self._refs if r.stage == stage and shard in (None, r.shard)]
        return pl.concat([self._workspace.load(ref)[name] for ref in mine])


def _write_tables(tables: Mapping[str, pl.DataFrame], folder: Path) -> dict[str, Any]:
    """Write a city's tables, and return the path of the folder and counts of what they contain."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        rows.write_parquet(folder / f"{name}.parquet", compression="zstd", statistics=False)
    documents, asked = tables["documents"], tables["sub_queries"]
    outcomes = dict(documents.group_by("outcome").len().iter_rows())
    return {
        "path": str(folder),
        "queries": asked["query_id"].n_unique(),
        "sub_queries": asked["sub_query_id"].n_unique(),
        "waiting_searches": tables["waiting_searches"].height,
        "documents": documents.height,
        **{name: outcomes.get(name, 0) for name in ("stored", "quarantined", "pending")},
    }
