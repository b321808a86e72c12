"""Hugging Face datasets reads what is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from schemas.tables import TABLES
from warehouse.read import Snapshot

_LOAD = """
import json, sys
import datasets
rows = {name: datasets.load_dataset(sys.argv[1], name, split="train") for name in sys.argv[3:]}
default = datasets.load_dataset(sys.argv[1], split="train")
json.dump({
    "rows": {name: len(part) for name, part in rows.items()},
    "columns": rows["pois"].column_names,
    "default": default.column_names[0],
    "splits": {
        name: sorted(part["query_id"])
        for name, part in datasets.load_dataset(sys.argv[1], "queries_by_split").items()
    },
    "configs": datasets.get_dataset_config_names(sys.argv[1]),
}, open(sys.argv[2], "w"))
"""


def test_datasets_loads_every_table_with_rows(published: Path, tmp_path: Path) -> None:
    import json

    held = Snapshot(published)
    names = ("pois", "trains", "trajectories", "queue_parameters")
    quiet = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf"), "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _LOAD, str(published), str(tmp_path / "out.json"), *names],
        env={**os.environ, **quiet}, cwd=tmp_path, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    loaded = json.loads((tmp_path / "out.json").read_text())
    assert loaded["rows"] == {name: held.manifest.tables[name].rows for name in names}
    assert set(TABLES["pois"].column_names) <= set(loaded["columns"])
    assert loaded["default"] == "query_id"
    tables = {n for n, t in held.manifest.tables.items() if t.rows}
    assert set(loaded["configs"]) == {*tables, "queries_by_split"}
    queries = held.table("queries")
    for split in ("train", "validation"):
        wanted = queries.filter(queries["split"] == split)["query_id"]
        assert loaded["splits"].pop(split) == sorted(wanted)
    assert loaded["splits"] == {}
