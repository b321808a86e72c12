"""Loads what a command of tripbed loads when it builds, and computes nothing.

Polars computes in threads, which a fork does not take along: nothing here may compute with it.
"""

from __future__ import annotations

import gc
import os
from importlib import import_module

from geocoding.dictionary import read_known_names

#: Packages that tripbed imports when it needs them, but Prefect, which reads its settings then.
_LATE = (
    "bm25s", "great_expectations", "h3", "jieba", "openai", "pandera.polars", "pypinyin",
    "sklearn.cluster", "sklearn.neighbors", "flows.pipeline.build", "flows.pipeline.run",
    "flows.publishing.publish", "flows.review.desk", "flows.cli",
)  # fmt: skip

for _name in _LATE:
    import_module(_name)
read_known_names()
# As in the tests: processes are killed, but the machine goes on.
os.fsync = lambda fd: None
# What is here is used by every command, and never garbage.
gc.freeze()
