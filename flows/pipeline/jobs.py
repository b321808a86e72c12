"""The jobs of the stages that have one shard for each bucket of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from extractors.own_readings.file import ReadingLine
from flows.pipeline.assumed import assume_cities
from flows.pipeline.stages import corpus
from flows.pipeline.stages.base import Inputs, Job
from sources.web.corpus import Corpus, CorpusFile


def read_jobs(inputs: Inputs, listed: Corpus | None, jobs: Sequence[Job]) -> list[Job]:
    """One job a bucket, each with the lines of the user's readings that are of its documents.

    ``own_pages`` are the lines that may be of pages: which, is known when these are fetched.
    """
    own: Mapping[str, ReadingLine] = {}
    if inputs.own_readings is not None and listed is not None:
        own = inputs.own_readings.assign(listed.list_names()).lines
    rest = other_lines(inputs, own)
    return [
        Job(
            inputs, None, job.shard,
            {
                "own": {f.doc_id: own[f.doc_id] for f in job.extra["files"] if f.doc_id in own},
                "own_pages": rest,
            },
        )
        for job in jobs
    ]  # fmt: skip


def other_lines(inputs: Inputs, own: Mapping[str, ReadingLine]) -> tuple[ReadingLine, ...]:
    """The lines of the user's readings that are of no listed document, where there are pages."""
    if inputs.own_readings is None or inputs.web is None:
        return ()
    taken = set(own.values())
    return tuple(line for line in inputs.own_readings.lines if line not in taken)


def corpus_jobs(inputs: Inputs, listed: Corpus | None) -> list[Job]:
    """One job a bucket; files that are not read (rejected, repeated) go with the first.

    ``assumed`` is the city that the user states for documents of the bucket, by ``doc_id``: for
    the stage that decides where names are.
    """
    assumed = assume_cities(listed, inputs.cities) if listed and inputs.assume_city else {}
    files: list[list[CorpusFile]] = [[] for _ in range(corpus.BUCKETS)]
    for file in listed.files if listed else ():
        files[corpus.bucket_of(file.sha256)].append(file)
    # Each job is handed to a process: of the list it has the folders, and the files of its bucket.
    folders = replace(listed, files=(), rejected=(), duplicates=(), licences=()) if listed else None
    jobs = []
    for bucket, part in enumerate(files):
        first = listed if bucket == 0 else None
        extra = {
            "corpus": folders,
            "files": tuple(part),
            "rejected": first.rejected if first else (),
            "duplicates": first.duplicates if first else (),
            "assumed": {f.doc_id: assumed[f.doc_id] for f in part if f.doc_id in assumed},
        }
        jobs.append(Job(inputs, None, f"{bucket:02d}", extra))
    return jobs


def read_licences(listed: Corpus | None) -> dict[str, str]:
    """The licence of each document of which a list or a licence's file beside it says one."""
    files = listed.files if listed else ()
    found = ((file.doc_id, listed.licence_of(file)) for file in files if listed)
    return {doc_id: licence.licence for doc_id, licence in found if licence is not None}
