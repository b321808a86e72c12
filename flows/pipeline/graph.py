"""The graph of the stages, and how one shard of it is run. Works without Prefect.

``pages``, ``corpus``, ``read`` and ``link`` have one shard a bucket of documents, for all cities
together: a document is read once, for itself, and its names are linked among the places of all
tables. ``search`` and ``fetch`` have one shard for all cities, so that one place keeps the pace at
every host, and ``copies`` one for all documents. Every other stage has one shard a city. Edges are
data: a shard's key holds the hashes of the results that it reads.

A build that looks for nothing on the web has no stages of ``WEB``.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from flows.pipeline.jobs import corpus_jobs, read_jobs, stated_licences
from flows.pipeline.shards import Ref, Stored, Workspace, shard_key
from flows.pipeline.stages import (
    candidates,
    copies,
    corpus,
    documents,
    fetch,
    index,
    link,
    mentions,
    pages,
    queries,
    read,
    retrieve,
    search,
    sub_queries,
    tags,
    trajectories,
)
from flows.pipeline.stages.base import Inputs, Job, Stage, Upstream
from flows.pipeline.stages.boundary import checked
from flows.pipeline.stages.control import CONTROL_STAGE, SOURCES, SPACE_STAGE
from flows.pipeline.stages.places import PLACES_STAGE, TABLES_STAGE
from flows.pipeline.stages.plans import OFFERS_STAGE, PLANS_STAGE
from flows.pipeline.stages.pois import FEEDBACK_STAGE, POIS_STAGE
from schemas.cities import City
from schemas.ids import canonical_json
from sources.web.corpus import Corpus


@dataclass(frozen=True)
class Node:
    """A stage with the stages whose results it reads."""

    stage: Stage
    after: tuple[str, ...] = ()


#: Every stage of a city, in an order in which each comes after what it reads.
GRAPH: tuple[Node, ...] = (
    Node(TABLES_STAGE),
    Node(queries.STAGE, ("tables",)),
    Node(sub_queries.STAGE, ("queries",)),
    Node(search.STAGE, ("sub_queries",)),
    Node(fetch.STAGE, ("search",)),
    Node(pages.STAGE, ("fetch",)),
    Node(corpus.STAGE, ("pages",)),
    Node(PLACES_STAGE, ("tables",)),
    Node(index.STAGE, ("places",)),
    Node(read.STAGE, ("corpus", "places")),
    Node(link.STAGE, ("corpus", "read", "index")),
    Node(mentions.STAGE, ("read", "link")),
    Node(copies.STAGE, ("corpus", "read")),
    Node(documents.STAGE, ("search", "fetch", "corpus", "mentions", "copies")),
    Node(POIS_STAGE, ("places", "documents", "mentions")),
    Node(FEEDBACK_STAGE, ("pois", "mentions")),
    Node(trajectories.STAGE, ("mentions", "feedback")),
    Node(
        retrieve.STAGE,
        ("queries", "sub_queries", "search", "fetch", "documents", "mentions", "feedback"),
    ),
    Node(
        candidates.STAGE,
        ("queries", "retrieve", "documents", "mentions", "feedback", "trajectories"),
    ),
    Node(tags.STAGE, ("documents", "mentions", "feedback", "candidates")),
    Node(SPACE_STAGE, ("tables", "feedback")),
    Node(CONTROL_STAGE, tuple(dict.fromkeys(s for stages in SOURCES.values() for s in stages))),
    Node(OFFERS_STAGE, ("control",)),
    Node(PLANS_STAGE, ("offers",)),
)
#: The stage that ends a build; control's rows and its own are published.
LAST = "plans"
#: Stages of a build that looks for documents on the web.
WEB = frozenset({"search", "fetch", "pages"})
#: Stages whose shards are buckets of documents.
_BUCKETED = frozenset({"pages", "corpus", "read", "link"})
#: Those of all documents together: one shard.
_OF_ALL = frozenset({"search", "fetch", "copies"})
SHARED = _BUCKETED | _OF_ALL
#: Stages of a city that searching waits for, and stages that reading and linking wait for.
_BEFORE_SEARCHING = frozenset({"tables", "queries", "sub_queries"})
_BEFORE_READING = frozenset({"tables", "places", "index"})
NODES: dict[str, Node] = {node.stage.name: node for node in GRAPH}

Handle = Any


class Executor(Protocol):
    """Runs shards: at once, or as tasks of an orchestrator."""

    def submit(self, stage: str, job: Job, upstream: Mapping[str, list[Handle]]) -> Handle:
        """Start one shard after its upstream; the handle stands for its reference."""
        ...

    def result(self, handle: Handle) -> Ref:
        """Wait for a shard."""
        ...

    def finished(self) -> list[Ref]:
        """Every shard that was submitted, waiting for those that still run."""
        ...


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

    def finished(self) -> list[Ref]:
        """All shards: each ran when it was submitted."""
        return self._refs

    def result(self, handle: Handle) -> Ref:
        """The shard has run already."""
        assert isinstance(handle, Ref)
        return handle


def ingredients(stage: Stage, job: Job, upstream: Mapping[str, list[Ref]]) -> dict[str, str]:
    """All that a shard's result depends on, by name."""
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
    """The reference of a finished shard: found in the workspace, or computed and saved."""
    started = time.perf_counter()
    parts = ingredients(stage, job, upstream)
    key = shard_key(parts)
    found = _found(workspace, stage, job, key)
    if found is None:
        made = stage.compute(job, _loaded(workspace, stage, upstream))
        found = workspace.save(stage.name, job.shard, key, checked(stage, job, made), parts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return replace(found, seconds=time.perf_counter() - started, peak_bytes=peak)


def find_shard(
    workspace: Workspace, stage: Stage, job: Job, upstream: Mapping[str, list[Ref]]
) -> Ref | None:
    """The reference of a finished shard that the workspace holds, or None: it is to be computed."""
    return _found(workspace, stage, job, shard_key(ingredients(stage, job, upstream)))


def _found(workspace: Workspace, stage: Stage, job: Job, key: str) -> Ref | None:
    found = workspace.find(stage.name, job.shard, key)
    return found if found is not None and stage.is_finished(found.rows) else None


def _loaded(workspace: Workspace, stage: Stage, upstream: Mapping[str, list[Ref]]) -> Upstream:
    """What a stage reads: whole shards, but those stored that it reads frame by frame."""
    whole: Callable[[Ref], Any] = partial(workspace.load, accounts=stage.accounts)
    part: Callable[[Ref], Any] = partial(Stored, workspace=workspace)
    return {
        name: list(map(part if name in stage.stored else whole, refs))
        for name, refs in upstream.items()
    }


def submit_all(
    executor: Executor, inputs: Inputs, listed: Corpus | None, last: str = LAST
) -> dict[str, Handle]:
    """Submit every shard up to a stage; gives the last stage's handle by city slug."""
    wanted = needed(inputs, last)
    early = wanted & (_BEFORE_SEARCHING | _BEFORE_READING)
    cities = {
        city.slug: _submit_city(executor, inputs, city, early, {}) for city in inputs.cities
    } | {
        city.slug: _submit_city(executor, inputs, city, _BEFORE_READING & wanted, {})
        for city in _others_before_reading(inputs, wanted)
    }
    shared = _submit_shared(executor, inputs, listed, wanted, cities)
    later = wanted - early - SHARED
    stated = {"licences": stated_licences(listed)}
    ends: dict[str, Handle] = {}
    for city in inputs.cities:
        held = {**shared, **cities[city.slug]}
        handles = _submit_city(executor, inputs, city, later, held, {"documents": stated})
        ends[city.slug] = (handles.get(last) or held[last])[0]
    return ends


def _submit_shared(
    executor: Executor,
    inputs: Inputs,
    listed: Corpus | None,
    wanted: Set[str],
    cities: Mapping[str, Mapping[str, list[Handle]]],
) -> dict[str, list[Handle]]:
    """Submit what all cities share, on what each city has; gives the handles by stage."""
    jobs = corpus_jobs(inputs, listed)
    by_bucket = {"corpus": jobs, "link": jobs, "pages": jobs}
    by_bucket["read"] = read_jobs(inputs, listed, jobs)
    shared = {
        name: [found[name][0] for _, found in sorted(cities.items()) if name in found]
        for name in ("sub_queries", "places", "index")
    }
    for node in GRAPH:
        name = node.stage.name
        if name not in wanted & SHARED:
            continue
        before = [stage for stage in node.after if stage in wanted]
        if name in _OF_ALL:
            upstream = {stage: shared[stage] for stage in before}
            shared[name] = [executor.submit(name, Job(inputs, None, "all"), upstream)]
            continue
        shared[name] = []
        for bucket, job in enumerate(by_bucket[name]):
            upstream = {
                stage: [shared[stage][bucket]] if stage in _BUCKETED else shared[stage]
                for stage in before
            }
            shared[name].append(executor.submit(name, job, upstream))
    return shared


def _submit_city(
    executor: Executor,
    inputs: Inputs,
    city: City,
    stages: Collection[str],
    held: Mapping[str, list[Handle]],
    extra: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> dict[str, list[Handle]]:
    """Submit stages of one city, ``extra`` for some; gives all that the city holds, by stage."""
    handles = dict(held)
    for node in GRAPH:
        name = node.stage.name
        if name not in stages:
            continue
        upstream = {before: handles[before] for before in node.after if before in handles}
        job = Job(inputs, city, city.slug, extra.get(name, {}))
        handles[name] = [executor.submit(name, job, upstream)]
    return handles


def shard_total(inputs: Inputs, last: str = LAST) -> int:
    """How many shards a build up to a stage has."""
    wanted = needed(inputs, last)
    others = len(_others_before_reading(inputs, wanted))
    by_city = len(inputs.cities) * len(wanted - SHARED) + others * len(wanted & _BEFORE_READING)
    return by_city + corpus.BUCKETS * len(wanted & _BUCKETED) + len(wanted & _OF_ALL)


def _others_before_reading(inputs: Inputs, wanted: Set[str]) -> Sequence[City]:
    """The cities whose tables are read beside the build's: names of documents are linked there too."""
    return inputs.other_cities if wanted & {"read", "link"} else ()


def needed(inputs: Inputs, last: str) -> set[str]:
    """A stage and all that it stands on in this build."""
    none: Set[str] = WEB if inputs.web is None else frozenset()
    found, rest = {last}, [last]
    while rest:
        for before in NODES[rest.pop()].after:
            if before not in found | none:
                found.add(before)
                rest.append(before)
    return found
