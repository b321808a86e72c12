"""Shards at an address that were made long ago go, those of today stay."""

from __future__ import annotations

import time

from flows.pipeline.storage import open_workspace
from flows.serving.upkeep import prune_workspace
from storage.places import find_folder
from storage.remote import Remote
from tests.support.addresses import memory, scratch

__all__ = ["memory", "scratch"]


def test_old_shards_at_an_address_go(memory: str) -> None:
    root = find_folder(memory)
    space = open_workspace(root, None)
    space.prepare()
    space.save("places", "suzhou", "k1", {}, {"task": "places v1"})
    assert space.find("places", "suzhou", "k1") is not None
    assert prune_workspace(root, keep_days=1)["shards"] == 0
    found = prune_workspace(root, keep_days=1, now=time.time() + 2 * 86_400)
    assert found["shards"] == 1
    assert found["bytes"] > 0
    assert space.find("places", "suzhou", "k1") is None
    assert sorted(Remote(memory).stamps()) == [
        "shards/places/suzhou/last.json", "workspace.json",
    ]  # fmt: skip
