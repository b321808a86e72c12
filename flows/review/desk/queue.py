"""Choose the rows that people review: the least certain rows first, or a random sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from flows.errors import SettingsError
from flows.review.forms import Row
from flows.review.samples.draw import in_turn
from flows.review.tasks import uncertain
from schemas.ids import digest
from schemas.ranking import in_words
from schemas.review import fact_hash, row_id
from warehouse.read import Snapshot

#: The smallest margin and the smallest score of links that are reviewed last.
_SURE_MARGIN = 100


@dataclass(frozen=True, eq=False)
class QueueRow:
    """A row to review. A row with a smaller ``doubt`` is less certain; ``why`` gives the reason."""

    table: str
    row: Row
    doubt: tuple[float, ...]
    why: str = ""

    @property
    def city_id(self) -> str:
        """The id of the row's city."""
        return str(self.row["city_id"])

    @cached_property
    def row_id(self) -> str:
        """The row's key as text."""
        return row_id(self.table, self.row)

    @cached_property
    def fact_hash(self) -> str:
        """The hash of the row's content, for use in decisions."""
        return fact_hash(self.row)

    @property
    def about(self) -> dict[str, str]:
        """The columns that a decision copies from the row."""
        return {
            "city_id": self.city_id, "table": self.table, "row_id": self.row_id,
            "fact_hash": self.fact_hash,
        }  # fmt: skip


def queue(snapshot: Snapshot, kind: str, sample: int | None, seed: str | None) -> list[QueueRow]:
    """Return all rows of a kind, with the least certain rows first, or a random sample of
    ``sample`` rows.

    Raises SettingsError if the kind is unknown or the snapshot has no rows of this kind.
    """
    tables = tables_of(kind)
    if missing := [table for table in tables if table not in snapshot.tables()]:
        raise SettingsError(
            f"{snapshot.path.name} has no table {missing[0]}: rebuild the snapshot, or convert it"
            " with `tripbed schema migrate`"
        )
    items = list(KINDS[kind][1](snapshot))
    if not items:
        raise SettingsError(
            f"{snapshot.path.name} has no {kind} (no rows in {' and '.join(tables)}): choose a"
            " different --table"
        )
    if sample is not None:
        return in_turn(items, seed if seed is not None else snapshot.manifest.snapshot_id())[
            :sample
        ]
    return sorted(items, key=lambda item: (item.doubt, digest(item.table, item.row_id)))


def tables_of(kind: str) -> tuple[str, ...]:
    """Return the tables that contain rows of this kind.

    Raises SettingsError if the kind is unknown.
    """
    if kind not in KINDS:
        raise SettingsError(
            f"{kind!r} cannot be reviewed: --table must be one of {', '.join(KINDS)}"
        )
    return KINDS[kind][0]


def _places(snapshot: Snapshot) -> Iterator[QueueRow]:
    """Yield places: doubtful places and those without coordinates are the least certain.

    The certainty of all other places depends on the number of documents that name them.
    """
    doubted = _list_doubted(snapshot, "pois")
    for row in snapshot.table("pois").to_dicts():
        if row["superseded_by"] is not None:
            continue
        why = doubted.get(row_id("pois", row), "")
        if not why and row["lat"] is None:
            why = "its coordinates are unknown"
        yield QueueRow("pois", row, (not why, row["n_documents"]), why or _find_name_column(row))


def _find_name_column(row: Row) -> str:
    n = row["n_documents"]
    return "one document names it" if n == 1 else f"{n} documents name it"


def _links(snapshot: Snapshot) -> Iterator[QueueRow]:
    """Yield names that need a decision, then links sorted by margin, then names without a link."""
    for row in snapshot.table("unlinked_names").to_dicts():
        waits = row["unlinked_as"] == "review"
        told = f"needs a person's decision: {row['why']}" if waits else row["why"]
        yield QueueRow("unlinked_names", row, (0 if waits else 2, 0, 0), told)
    for row in snapshot.table("links").to_dicts():
        margin, score = row["margin"], row["link_score"]
        if margin is None:
            yield QueueRow("links", row, (1, 0, 0), f"only documents name this place: {row['why']}")
            continue
        sure = margin >= _SURE_MARGIN and score >= _SURE_MARGIN
        told = "" if sure else f"score {score} of 100, margin {margin}: "
        yield QueueRow("links", row, (3 if sure else 1, margin, score), told + row["why"])


def _facts(snapshot: Snapshot) -> Iterator[QueueRow]:
    """Yield facts that contradict each other, then facts from documents, then facts from tables."""
    doubted = _list_doubted(snapshot, "poi_facts")
    of_documents = set(
        snapshot.table("evidence").filter(evidence_kind="document")["evidence_id"].to_list()
    )
    for row in snapshot.table("poi_facts").to_dicts():
        why = doubted.get(row["fact_id"], "")
        read = row["evidence_id"] in of_documents
        yield QueueRow(
            "poi_facts",
            row,
            (not why, not read),
            why or ("read from a text" if read else "from a table"),
        )


def _tags(snapshot: Snapshot) -> Iterator[QueueRow]:
    """Yield tags. The fewer passages support a tag, the less certain the tag is."""
    rows = snapshot.table("poi_tags").to_dicts()
    said = Counter((row["poi_id"], row["context_id"], row["tag"]) for row in rows)
    for row in rows:
        n = said[row["poi_id"], row["context_id"], row["tag"]]
        yield QueueRow(
            "poi_tags", row, (n,), "one passage says so" if n == 1 else f"{n} passages say so"
        )


def _queries(snapshot: Snapshot) -> Iterator[QueueRow]:
    """Yield queries. Queries that were not kept or have few results are the least certain."""
    for row in snapshot.table("queries").to_dicts():
        found = f"{row['n_trajectories']} trajectories and {row['n_candidates']} places found"
        doubt = (row["status"] == "kept", row["n_trajectories"], row["n_candidates"])
        yield QueueRow("queries", row, doubt, "; ".join(filter(None, (row["reason"], found))))


def _candidates(snapshot: Snapshot) -> Iterator[QueueRow]:
    """Yield candidates; the lower the score for the query, the less certain a candidate is."""
    for row in snapshot.table("query_pois").to_dicts():
        because = in_words(row["reasons"])
        source = f": {because}" if because else f", from a {row['candidate_source']}"
        why = f"rank {row['rank']}, score {row['score']:g}{source}"
        yield QueueRow("query_pois", row, (row["score"], -row["rank"]), why)


def _trajectories(snapshot: Snapshot) -> Iterator[QueueRow]:
    """Yield trajectories; the smaller the share of stops that are known places, the less certain a
    trajectory is.
    """
    for row in snapshot.table("trajectories").to_dicts():
        told, kept = len(row["noisy_visits"]), len(row["clean_visits"])
        yield QueueRow(
            "trajectories",
            row,
            (kept / max(told, 1), kept),
            f"{kept} of {told} stops are known places",
        )


def _plans(snapshot: Snapshot) -> Iterator[QueueRow]:
    """Yield queries without a plan, then plans that leave a wish unmet, then other plans."""
    order = {"unknown": 0, "infeasible": 1, "solved": 2}
    for row in snapshot.table("witness_plans").to_dicts():
        why = row["reason"] or ("" if row["wishes_met"] is not False else "a wish is not met")
        yield QueueRow(
            "witness_plans", row, (order[row["solvability"]], row["wishes_met"] is not False), why
        )


def _list_doubted(snapshot: Snapshot, table: str) -> dict[str, str]:
    """Return the uncertain rows of a table, as in ``review export``, with the reason for each."""
    return {
        row_id(table, task.row): task.why
        for task in uncertain(snapshot, 0, 0)
        if task.table == table
    }


#: The kinds of rows that can be reviewed, with their tables and the function that yields them.
KINDS: dict[str, tuple[tuple[str, ...], Callable[[Snapshot], Iterable[QueueRow]]]] = {
    "places": (("pois",), _places),
    "links": (("links", "unlinked_names"), _links),
    "queries": (("queries",), _queries),
    "candidates": (("query_pois",), _candidates),
    "trajectories": (("trajectories",), _trajectories),
    "facts": (("poi_facts",), _facts),
    "tags": (("poi_tags",), _tags),
    "plans": (("witness_plans",), _plans),
}
