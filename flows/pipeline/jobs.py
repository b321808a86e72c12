"""Creates the jobs for the stages that have one shard for each bucket of documents.

With ``--assume-city``, a document is about the city that its folder is named after.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from extractors.own_readings.file import ReadingLine
from flows.pipeline.stages import corpus
from flows.pipeline.stages.base import Inputs, Job
from schemas.cities import City
from sources.web.corpus import Corpus, CorpusFile, DuplicateFile


def assume_cities(corpus: Corpus, cities: Sequence[City]) -> dict[str, str]:
    """Map ``doc_id`` to ``city_id`` for each document whose city is stated.

    If the build has one city, every document is about that city. If the build has several cities, a
    document belongs to the city that its nearest folder is named after. The folder's name can be
    the city's slug, English name or Chinese name. A folder that is given with ``--documents`` can
    itself be the nearest folder. A document in the folders of two cities has no stated city.
    """
    entries: tuple[CorpusFile | DuplicateFile, ...] = (*corpus.files, *corpus.duplicates)
    if len(cities) == 1:
        return {entry.doc_id: cities[0].city_id for entry in entries}
    named = _names(cities)
    roots = [root.resolve().name for root in corpus.roots]
    stated: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        folders = [roots[entry.root_index], *entry.path_rel.split("/")[:-1]]
        city_id = next((named[f] for f in map(_fold, reversed(folders)) if f in named), None)
        if city_id is not None:
            stated[entry.doc_id].add(city_id)
    return {doc_id: ids.pop() for doc_id, ids in sorted(stated.items()) if len(ids) == 1}


def _names(cities: Sequence[City]) -> Mapping[str, str]:
    """Map normalised names to cities; a name that two of the cities share is left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for city in cities:
        for name in (city.slug, city.name_en, city.name_zh):
            if name:
                found[_fold(name)].add(city.city_id)
    return {name: ids.pop() for name, ids in found.items() if len(ids) == 1}


def _fold(name: str) -> str:
    """Normalise a name: remove differences in case and width, accents, spaces, punctuation and a
    final 市."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = re.sub(r"[\W_]+", "", "".join(c for c in plain if not unicodedata.combining(c)))
    return letters.removesuffix("市") or letters


def read_jobs(inputs: Inputs, listed: Corpus | None, jobs: Sequence[Job]) -> list[Job]:
    """Return one job per bucket, with the user's readings of the documents in the bucket.

    ``own_pages`` contains readings that match no listed document. The readings in ``own_pages`` may
    be about web pages that are fetched later.
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
    """Return the user's readings that match no listed document, if the build has web pages."""
    if inputs.own_readings is None or inputs.web is None:
        return ()
    taken = set(own.values())
    return tuple(line for line in inputs.own_readings.lines if line not in taken)


def corpus_jobs(inputs: Inputs, listed: Corpus | None) -> list[Job]:
    """Return one job per bucket; the first job also gets the files that are rejected or repeated.

    ``assumed`` maps ``doc_id`` to the city that the user states for a document in the bucket. The
    stage that decides the city of each name uses ``assumed``.
    """
    assumed = assume_cities(listed, inputs.cities) if listed and inputs.assume_city else {}
    files: list[list[CorpusFile]] = [[] for _ in range(corpus.BUCKETS)]
    for file in listed.files if listed else ():
        files[corpus.bucket_of(file.sha256)].append(file)
    # Each job is sent to a process, so it contains only the folders and the files of its bucket.
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
    """Return the licence of each document whose licence is stated in a list or a licence file."""
    files = listed.files if listed else ()
    found = ((file.doc_id, listed.licence_of(file)) for file in files if listed)
    return {doc_id: licence.licence for doc_id, licence in found if licence is not None}
