"""The graph of the stages, and how one shard of it is run. Works without Prefect.

``corpus``, ``read`` and ``link`` have one shard a bucket of documents, for all cities together: a
document is read once, for itself, and its names are linked among the places of all tables.
``copies`` has one shard for all documents. Every other stage has one shard a city. Edges are data: a
shard's key holds the
hashes of the results that it reads.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from extractors.own_readings.file import Line
from flows.pipeline.assumed import assumed_cities
from flows.pipeline.shards import Ref, Stored, Workspace, shard_key
from flows.pipeline.stages import (
    candidates,
    copies,
    corpus,
    documents,
    index,
    link,
    mentions,
    queries,
    read,
    retrieve,
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
from sources.web.corpus import Corpus, CorpusFile


@dataclass(frozen=True)
class Node:
    """A stage with the stages whose results it reads."""

    stage: Stage
    after: tuple[str, ...] = ()


#: Every stage of a city, in an order in which each comes after what it reads.
GRAPH: tuple[Node, ...] = (
    Node(corpus.STAGE),
    Node(TABLES_STAGE),
    Node(PLACES_STAGE, ("tables",)),
    Node(index.STAGE, ("places",)),
    Node(read.STAGE, ("corpus", "places")),
    Node(link.STAGE, ("corpus", "read", "index")),
    Node(mentions.STAGE, ("read", "link")),
    Node(copies.STAGE, ("corpus", "read")),
    Node(documents.STAGE, ("corpus", "mentions", "copies")),
    Node(POIS_STAGE, ("places", "documents", "mentions")),
    Node(FEEDBACK_STAGE, ("pois", "mentions")),
    Node(trajectories.STAGE, ("mentions", "feedback")),
    Node(queries.STAGE, ("tables",)),
    Node(retrieve.STAGE, ("queries", "documents", "mentions", "feedback")),
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
#: Stages whose shards are buckets of documents.
_BUCKETED = frozenset({"corpus", "read", "link"})
#: Those of all documents together: one shard.
SHARED = _BUCKETED | {"copies"}
#: Stages of a city that reading and linking wait for.
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
    found = workspace.find(stage.name, job.shard, key)
    if found is None or not stage.is_finished(found.rows):
        made = stage.compute(job, _loaded(workspace, stage, upstream))
        found = workspace.save(stage.name, job.shard, key, checked(stage, job, made), parts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return replace(found, seconds=time.perf_counter() - started, peak_bytes=peak)


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
    jobs = _corpus_jobs(inputs, listed)
    wanted = _needed(last)
    shared: dict[str, list[Handle]] = {"corpus": [], "read": [], "link": []}
    if "corpus" in wanted:
        shared["corpus"] = [executor.submit("corpus", job, {}) for job in jobs]
    cities = {
        city.slug: _submit_city(executor, inputs, city, _BEFORE_READING & wanted, {})
        for city in (*inputs.cities, *_others_before_reading(inputs, wanted))
    }
    for name in ("places", "index"):
        shared[name] = [held[name][0] for _, held in sorted(cities.items()) if name in held]
    if "read" in wanted:
        shared["read"] = [
            executor.submit("read", job, {"corpus": [corpus], "places": shared["places"]})
            for job, corpus in zip(_read_jobs(inputs, listed, jobs), shared["corpus"], strict=True)
        ]
    if "copies" in wanted:
        upstream = {name: shared[name] for name in NODES["copies"].after}
        shared["copies"] = [executor.submit("copies", Job(inputs, None, "all"), upstream)]
    if "link" in wanted:
        shared["link"] = [
            executor.submit(
                "link", job, {"corpus": [corpus], "read": [read], "index": shared["index"]}
            )
            for job, corpus, read in zip(jobs, shared["corpus"], shared["read"], strict=True)
        ]
    later = wanted - _BEFORE_READING - SHARED
    stated = {"licences": _stated_licences(listed)}
    ends: dict[str, Handle] = {}
    for city in inputs.cities:
        held = {**shared, **cities[city.slug]}
        handles = _submit_city(executor, inputs, city, later, held, {"documents": stated})
        ends[city.slug] = (handles.get(last) or held[last])[0]
    return ends


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
        upstream = {before: handles[before] for before in node.after}
        job = Job(inputs, city, city.slug, extra.get(name, {}))
        handles[name] = [executor.submit(name, job, upstream)]
    return handles


def _stated_licences(listed: Corpus | None) -> dict[str, str]:
    """The licence of each document of which a list or a licence's file beside it says one."""
    files = listed.files if listed else ()
    found = ((file.doc_id, listed.licence_of(file)) for file in files if listed)
    return {doc_id: licence.licence for doc_id, licence in found if licence is not None}


def _read_jobs(inputs: Inputs, listed: Corpus | None, jobs: Sequence[Job]) -> list[Job]:
    """One job a bucket, each with the lines of the user's readings that are of its documents."""
    own: Mapping[str, Line] = {}
    if inputs.own_readings is not None and listed is not None:
        own = inputs.own_readings.assign(listed.named()).lines
    return [
        Job(
            inputs, None, job.shard,
            {"own": {f.doc_id: own[f.doc_id] for f in job.extra["files"] if f.doc_id in own}},
        )
        for job in jobs
    ]  # fmt: skip


def shard_total(inputs: Inputs, last: str = LAST) -> int:
    """How many shards a build up to a stage has."""
    wanted = _needed(last)
    by_bucket = wanted & _BUCKETED
    of_all = (wanted & SHARED) - by_bucket
    others = len(_others_before_reading(inputs, wanted))
    by_city = len(inputs.cities) * len(wanted - SHARED) + others * len(wanted & _BEFORE_READING)
    return by_city + corpus.BUCKETS * len(by_bucket) + len(of_all)


def _others_before_reading(inputs: Inputs, wanted: Set[str]) -> Sequence[City]:
    """The cities whose tables are read beside the build's: names of documents are linked there too."""
    return inputs.other_cities if wanted & {"read", "link"} else ()


def _needed(last: str) -> set[str]:
    """A stage and all that it stands on."""
    found, rest = {last}, [last]
    while rest:
        for before in NODES[rest.pop()].after:
            if before not in found:
                found.add(before)
                rest.append(before)
    return found


def _corpus_jobs(inputs: Inputs, listed: Corpus | None) -> list[Job]:
    """One job a bucket; files that are not read (rejected, repeated) go with the first.

    ``assumed`` is the city that the user states for documents of the bucket, by ``doc_id``: for
    the stage that decides where names are.
    """
    assumed = assumed_cities(listed, inputs.cities) if listed and inputs.assume_city else {}
    files: list[list[CorpusFile]] = [[] for _ in range(corpus.BUCKETS)]
    for file in listed.files if listed else ():
        files[corpus.bucket_of(file.sha256)].append(file)
    jobs = []
    for bucket, part in enumerate(files):
        first = listed if bucket == 0 else None
        extra = {
            "corpus": listed,
            "files": tuple(part),
            "rejected": first.rejected if first else (),
            "duplicates": first.duplicates if first else (),
            "assumed": {f.doc_id: assumed[f.doc_id] for f in part if f.doc_id in assumed},
        }
        jobs.append(Job(inputs, None, f"{bucket:02d}", extra))
    return jobs
