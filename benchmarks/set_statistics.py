"""Compare the statistics of a snapshot with those that five papers report for their data sets.

python -m benchmarks.set_statistics SNAPSHOT [--write]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.report import write_section
from warehouse.read import Snapshot
from warehouse.statistics import markdown, statistics_of

_SECTION = "Statistics of the set"
_COMMAND = "python -m benchmarks.set_statistics SNAPSHOT --write"


def main() -> None:
    """Print the five tables, or write them to the page with ``--write``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    snapshot = Snapshot(asked.snapshot)
    cities = len(snapshot.manifest.cities)
    head = (
        f"The snapshot covers {cities} cities and was built with the profile `full`, from tables"
        " only. The counts for TP-RAG are zero, because TP-RAG queries need documents. The tables"
        " below count only queries that the build kept.\n\n"
    )
    text = head + markdown(statistics_of(snapshot))
    if asked.write:
        write_section(_SECTION, _COMMAND, text)
    else:
        sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
