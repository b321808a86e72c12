"""Rank runs against each other as TP-RAG does, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from flows.bench.leaderboard import RunFigure, RunLine, middle
from validators.metrics.figures import figures_of
from validators.metrics.tprag_ranks import RANKED, RANKS, ranks_of


def with_ranks(lines: Sequence[RunLine]) -> list[RunLine]:
    """Add TP-RAG's ranks to the lines of each group with two or more runs.

    Each sample of the ranks uses one sample of each run's queries; runs with the same queries are
    compared on the same samples.
    """
    groups: dict[tuple[str, str], list[RunLine]] = {}
    for line in lines:
        groups.setdefault((line.group, line.value), []).append(line)
    made = {id(line): ranks for beside in groups.values() for line, ranks in _ranks(beside)}
    return [replace(line, figures=line.figures | made.get(id(line), {})) for line in lines]


def _ranks(beside: Sequence[RunLine]) -> Iterator[tuple[RunLine, dict[str, RunFigure]]]:
    if len(beside) < 2:
        return
    keys = {one.short: one.key for one in figures_of("tprag")}
    shared = [
        name for name in RANKED
        if name in keys and all(keys[name] in line.figures for line in beside)
    ]  # fmt: skip
    means, samples = {}, {}
    for name in shared:
        held = [line.figures[keys[name]] for line in beside]
        means[name] = np.array([[figure.mean] for figure in held])
        samples[name] = np.array([figure.samples for figure in held])
    now, drawn = ranks_of(means), ranks_of(samples)
    for at, line in enumerate(beside):
        found = {}
        for name, rank in RANKS.items():
            whole, each = rank(now), rank(drawn)
            if whole is not None and each is not None:
                low, high = middle(each[at])
                found[rank_key(name)] = RunFigure(
                    float(whole[at, 0]), float(low), float(high), line.queries
                )
        yield line, found


def rank_key(name: str) -> str:
    """Return the key of a rank among a line's figures."""
    return f"tprag_{name.lower()}"
