"""Stage index: the names of a city's places, under every key by which a text may look them up."""

from __future__ import annotations

from flows.pipeline.links import LINKS_VERSION
from flows.pipeline.shards import Frames
from flows.pipeline.stages.base import Job, Output, Stage, Upstream, only
from flows.pipeline.stages.places import places_of
from geocoding.name_index import index_rows
from schemas import frames as inner

#: The frames of an index, under the names that linking has for them.
INDEX_FRAMES = {"names": "place_names", "keys": "place_keys", "spots": "place_spots"}


def compute(job: Job, upstream: Upstream) -> Frames:
    """The index of the city's places."""
    assert job.city is not None
    rows = index_rows(places_of(only(upstream, "places")), job.city)
    return {frame: getattr(rows, name) for name, frame in INDEX_FRAMES.items()}


STAGE = Stage(
    "index",
    LINKS_VERSION,
    compute,
    {
        "place_names": Output(inner.PLACE_NAMES),
        "place_keys": Output(inner.PLACE_KEYS),
        "place_spots": Output(inner.PLACE_SPOTS),
    },
)
