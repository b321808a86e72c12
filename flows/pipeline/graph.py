"""Defines the graph of the stages and runs single shards, without using Prefect.

``pages``, ``corpus``, ``read`` and ``link`` have one shard for each bucket of documents. All cities
share the buckets: each document is read only once, on its own, and its names are linked to places
in all tables. ``search`` and ``fetch`` have a single shard for all cities, so that one process
controls how often each host receives a request. ``copies`` has one shard for all documents. All
stages that are not named here have one shard for each city. The edges of the graph affect the data,
because a shard's key contains the hashes of the results that the shard reads.

Once the places are found, the stages ``ask_search`` to ``ask_link`` repeat ``search`` to ``link``
with questions about these places. Only ``answers`` reads the results of the repeated stages, and
turns them into facts and tags.

The stages in ``WEB`` run only in builds that search the web.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from flows.pipeline.jobs import corpus_jobs, read_jobs, read_licences
from flows.pipeline.shards import Ref, Stored, Workspace, shard_key
from flows.pipeline.stages import (
    answers,
    ask,
    candidates,
    corpus,
    documents,
    fetch,
    link,
    mentions,
    queries,
    read,
    retrieve,
    search,
    tagging,
    tags,
    trajectories,
)
from flows.pipeline.stages.base import Inputs, Job, Stage, Upstream
from flows.pipeline.stages.boundary import check_frames
from flows.pipeline.stages.control import CONTROL_STAGE, SOURCES, SPACE_STAGE
from flows.pipeline.stages.places import INDEX_STAGE, PLACES_STAGE, TABLES_STAGE
from flows.pipeline.stages.plans import OFFERS_STAGE, PLANS_STAGE
from flows.pipeline.stages.pois import FEEDBACK_STAGE, POIS_STAGE
from schemas.cities import City
from schemas.ids import canonical_json
from sources.web.corpus import Corpus


@dataclass(frozen=True)
class Node:
    """A stage, with the stages whose results it reads.

    In the second round of searches, a stage finds its inputs under the same names as in the first
    round.
    """

    stage: Stage
    after: tuple[str, ...] = ()


#: Prefix of the stages that run a second time, on other documents.
AGAIN = "ask_"


def _again(stage: Stage, *after: str) -> Node:
    return Node(replace(stage, name=f"{AGAIN}{stage.name}"), after)


#: Every stage of a city, ordered so that each stage follows the stages that it reads.
GRAPH: tuple[Node, ...] = (
    Node(TABLES_STAGE),
    Node(queries.STAGE, ("tables",)),
    Node(queries.SUB_QUERIES_STAGE, ("queries",)),
    Node(search.STAGE, ("sub_queries",)),
    Node(fetch.STAGE, ("search",)),
    Node(corpus.PAGES_STAGE, ("fetch",)),
    Node(corpus.STAGE, ("pages",)),
    Node(PLACES_STAGE, ("tables",)),
    Node(INDEX_STAGE, ("places",)),
    Node(read.STAGE, ("corpus", "places")),
    Node(link.STAGE, ("corpus", "read", "index")),
    Node(mentions.STAGE, ("read", "link")),
    Node(documents.COPIES_STAGE, ("corpus", "read")),
    Node(documents.STAGE, ("search", "fetch", "corpus", "mentions", "copies")),
    Node(POIS_STAGE, ("places", "documents", "mentions")),
    Node(FEEDBACK_STAGE, ("pois", "mentions")),
    Node(trajectories.STAGE, ("mentions", "feedback")),
    Node(
        retrieve.STAGE,
        ("queries", "sub_queries", "search", "fetch", "documents", "mentions", "feedback"),
    ),
    Node(tags.STAGE, ("documents", "mentions", "feedback")),
    Node(
        candidates.STAGE,
        ("queries", "retrieve", "documents", "mentions", "feedback", "trajectories", "tags"),
    ),
    Node(ask.STAGE, ("candidates", "feedback", "tags")),
    _again(search.ASKING, "ask"),
    _again(fetch.STAGE, "ask_search"),
    _again(corpus.PAGES_STAGE, "ask_fetch"),
    _again(corpus.STAGE, "ask_pages"),
    _again(read.STAGE, "ask_corpus", "places"),
    _again(link.STAGE, "ask_corpus", "ask_read", "index"),
    Node(
        answers.STAGE,
        (
            "ask",
            "documents",
            "feedback",
            "ask_search",
            "ask_fetch",
            "ask_corpus",
            "ask_read",
            "ask_link",
        ),
    ),
    Node(
        tagging.STAGE,
        ("candidates", "documents", "mentions", "feedback", "tags", "answers"),
    ),
    Node(SPACE_STAGE, ("tables", "feedback")),
    Node(CONTROL_STAGE, tuple(dict.fromkeys(s for stages in SOURCES.values() for s in stages))),
    Node(OFFERS_STAGE, ("control",)),
    Node(PLANS_STAGE, ("offers",)),
)
#: The stage that ends a build; its rows and those of ``control`` are published.
LAST = "plans"
#: Stages that have one shard per bucket of documents, and stages that have one shard for all
#: documents.
_BUCKETED = frozenset({"pages", "corpus", "read", "link"})
_OF_ALL = frozenset({"search", "fetch"})
#: The same stages in the round of questions about places.
_ASKED = frozenset(f"{AGAIN}{name}" for name in _BUCKETED | _OF_ALL)
#: Stages of a build that searches the web for documents.
WEB = frozenset({"search", "fetch", "pages"}) | _ASKED
#: Stages that linking waits for, in every city that the tables contain.
_BEFORE_READING = frozenset({"tables", "places", "index"})
NODES: dict[str, Node] = {node.stage.name: node for node in GRAPH}

Handle = Any


class Executor(Protocol):
    """Runs shards, either at once or as tasks of an orchestrator."""

    def submit(self, stage: str, job: Job, upstream: Mapping[str, list[Handle]]) -> Handle:
        """Start a shard after the shards that it reads; return a handle that ``result`` accepts."""

    def result(self, handle: Handle) -> Ref:
        """Wait for a shard and return its reference."""

    def finish(self) -> list[Ref]:
        """Wait for every shard that was submitted and return all references."""


class DirectExecutor:
    """Runs each shard in the caller's process, in order."""

    def __init__(self, workspace: Workspace, done: Callable[[Ref], None] = lambda ref: None):
        self.workspace, self.done = workspace, done
        self._refs: list[Ref] = []

    def submit(self, stage: str, job: Job, upstream: Mapping[str, list[Handle]]) -> Handle:
        """Run the shard now."""
        ref = run_shard(self.workspace, NODES[stage].stage, job, upstream)
        self._refs.append(ref)
        self.done(ref)
        return ref

    def finish(self) -> list[Ref]:
        """Return the references to all shards, each of which ran when it was submitted."""
        return self._refs

    def result(self, handle: Handle) -> Ref:
        """Return the reference; the shard has already run."""
        assert isinstance(handle, Ref)
        return handle


def ingredients(stage: Stage, job: Job, upstream: Mapping[str, list[Ref]]) -> dict[str, str]:
    """Return the hashes of everything that a shard's result depends on, by name."""
    if stage.parts is not None:
        found = dict(stage.parts(job, upstream))
    else:
        found = {
            f"{name}/{ref.shard}": ref.digest if stage.accounts else ref.data_digest
            for name, refs in sorted(upstream.items())
            for ref in refs
        }
    found["task"] = f"{stage.name} v{stage.version}"
    found["settings"] = canonical_json(dict(stage.settings(job)))
    found.update({f"input {name}": value for name, value in stage.ingredients(job).items()})
    return found


def run_shard(
    workspace: Workspace, stage: Stage, job: Job, upstream: Mapping[str, list[Ref]]
) -> Ref:
    """Find a shard in the workspace, or compute and save it; return the shard's reference."""
    started = time.perf_counter()
    parts = ingredients(stage, job, upstream)
    key = shard_key(parts)
    found = _find_ref(workspace, stage, job, key)
    if found is None:
        made = stage.compute(job, _load_upstream(workspace, stage, upstream))
        found = workspace.save(stage.name, job.shard, key, check_frames(stage, job, made), parts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return replace(found, seconds=time.perf_counter() - started, peak_bytes=peak)


def find_shard(
    workspace: Workspace, stage: Stage, job: Job, upstream: Mapping[str, list[Ref]]
) -> Ref | None:
    """Return the reference of a finished shard, or None if the shard must be computed."""
    return _find_ref(workspace, stage, job, shard_key(ingredients(stage, job, upstream)))


def _find_ref(workspace: Workspace, stage: Stage, job: Job, key: str) -> Ref | None:
    found = workspace.find(stage.name, job.shard, key)
    return found if found is not None and stage.is_finished(found.rows) else None


def _load_upstream(
    workspace: Workspace, stage: Stage, upstream: Mapping[str, list[Ref]]
) -> Upstream:
    """Load the shards that a stage reads, except those that it reads frame by frame."""
    whole: Callable[[Ref], Any] = partial(workspace.load, accounts=stage.accounts)
    part: Callable[[Ref], Any] = partial(Stored, workspace=workspace)
    return {
        name: list(map(part if name in stage.stored else whole, refs))
        for name, refs in upstream.items()
    }


def submit_all(
    executor: Executor, inputs: Inputs, listed: Corpus | None, last: str = LAST
) -> dict[str, Handle]:
    """Submit all shards up to a given stage; return that stage's handles by city slug.

    If the stage has shards that cover all cities together, every city gets the first shard's
    handle.
    """
    wanted = list_needed(inputs, last)
    jobs = _list_jobs(inputs, listed, wanted)
    made: dict[str, dict[str, Handle]] = {}
    for node in GRAPH:
        name = node.stage.name
        if name not in wanted:
            continue
        before = [stage for stage in node.after if stage in wanted]
        made[name] = {}
        for job in jobs[name]:
            upstream = {
                one.removeprefix(AGAIN): _read_by(name, job, one, made[one]) for one in before
            }
            made[name][job.shard] = executor.submit(name, job, upstream)
    ends = made[last]
    first = next(iter(ends.values()))
    return {city.slug: ends.get(city.slug, first) for city in inputs.cities}


def _read_by(name: str, job: Job, before: str, made: Mapping[str, Handle]) -> list[Handle]:
    """Return the shards of a stage that another shard reads: those of the same bucket or city, or
    all shards.
    """
    if is_bucketed(before):
        return [made[job.shard]] if is_bucketed(name) else list(made.values())
    if job.city is not None and job.shard in made:
        return [made[job.shard]]
    return [handle for _, handle in sorted(made.items())]


def is_bucketed(name: str) -> bool:
    """Check whether a stage has one shard for each bucket of documents."""
    return name.removeprefix(AGAIN) in _BUCKETED


def _is_of_all(name: str) -> bool:
    return name == "copies" or name.removeprefix(AGAIN) in _OF_ALL


def _list_jobs(inputs: Inputs, listed: Corpus | None, wanted: Set[str]) -> dict[str, list[Job]]:
    """Return the jobs for each stage in a build, in order."""
    found: dict[str, list[Job]] = {}
    for again, given in (("", listed), (AGAIN, None)):
        files = corpus_jobs(inputs, given)
        found |= {f"{again}{name}": files for name in _BUCKETED}
        found[f"{again}read"] = read_jobs(inputs, given, files)
    licences = {"licences": read_licences(listed)}
    for name in wanted - found.keys():
        extra = licences if name == "documents" else _fetching(name, wanted)
        if _is_of_all(name):
            found[name] = [Job(inputs, None, "all", extra)]
        else:
            cities = cities_of(inputs, name, wanted)
            found[name] = [Job(inputs, city, city.slug, extra) for city in cities]
    if inputs.queries is not None and "queries" in found:
        found["queries"] = [
            replace(job, extra={"given": inputs.queries.of(job.own_city)})
            for job in found["queries"]
        ]
    return found


def _fetching(name: str, wanted: Set[str]) -> Mapping[str, Any]:
    """Return a setting that shows whether the stage is the last to fetch pages in this round; the
    setting is empty for stages that fetch no pages.
    """
    if name.removeprefix(AGAIN) != "fetch":
        return {}
    return {"ends_round": name != "fetch" or f"{AGAIN}fetch" not in wanted}


def cities_of(inputs: Inputs, name: str, wanted: Set[str]) -> Sequence[City]:
    """Return the cities that have shards for a stage.

    Names in documents are linked to places in all cities of the tables.
    """
    are_linked = bool(wanted & {"read", "link"})
    others = inputs.other_cities if are_linked and name in _BEFORE_READING else ()
    return (*inputs.cities, *others)


def shard_total(inputs: Inputs, last: str = LAST) -> int:
    """Count the shards in a build up to a given stage."""
    wanted = list_needed(inputs, last)
    total = 0
    for name in wanted:
        if is_bucketed(name):
            total += corpus.BUCKETS
        else:
            total += 1 if _is_of_all(name) else len(cities_of(inputs, name, wanted))
    return total


def list_needed(inputs: Inputs, last: str) -> set[str]:
    """Return a stage and all the stages that it needs in this build."""
    none: Set[str] = WEB if inputs.web is None else frozenset()
    found, rest = {last}, [last]
    while rest:
        for before in NODES[rest.pop()].after:
            if before not in found | none:
                found.add(before)
                rest.append(before)
    return found
