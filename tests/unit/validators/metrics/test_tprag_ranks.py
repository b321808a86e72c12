"""TP-RAG's rank metrics: the paper's own table, by hand, and at the edge."""

from __future__ import annotations

import pytest

from validators.metrics.tprag_ranks import rank_metrics

METRICS = ("DMR", "DUR", "TBR", "STR", "PP", "PR", "TSR")
RANKS = ("R_S", "R_T", "R_P", "R_R", "R_C")
#: TP-RAG, table 1, GPT-4o: seven metrics and the five ranks of each method.
TABLE = {
    "Direct": (67.92, 3.03, 22.01, 77.22, 50.82, 80.51, 92.52, 6.00, 7.67, 7.00, 3.00, 5.92),
    "CoT": (69.4, 2.78, 22.13, 76.96, 50.09, 79.92, 91.99, 8.00, 8.00, 10.00, 6.50, 8.12),
    "Reflection": (73.35, 3.84, 21.46, 77.3, 50.52, 80.34, 92.71, 10.00, 8.67, 8.00, 3.50, 7.54),
    "MAC": (66.11, 3.67, 24.07, 75.41, 46.38, 81.76, 89.04, 3.00, 7.00, 11.00, 6.00, 6.75),
    "MAD": (74.95, 3.68, 20.67, 77.14, 50.52, 79.53, 92.4, 11.00, 9.67, 8.00, 6.50, 8.79),
    "RAG 8": (68.37, 2.57, 23.82, 77.19, 58.00, 80.55, 91.58, 7.00, 4.67, 2.00, 5.00, 4.67),
    "RAG 4": (67.75, 2.55, 23.71, 77.35, 56.11, 80.53, 91.67, 5.00, 3.67, 4.00, 4.50, 4.29),
    "RAG 1": (66.05, 2.47, 22.59, 77.44, 53.38, 80.1, 91.5, 2.00, 4.00, 6.00, 8.50, 5.12),
    "Extr. 4": (66.99, 2.41, 23.5, 77.87, 56.82, 80.31, 91.69, 4.00, 2.00, 3.00, 6.00, 3.75),
    "Extr. 1": (65.76, 2.42, 22.95, 77.79, 53.85, 80.39, 91.64, 1.00, 3.00, 5.00, 6.00, 3.75),
    "Abst.": (69.49, 2.64, 22.23, 76.66, 59.15, 79.36, 90.67, 9.00, 7.67, 1.00, 10.50, 7.04),
}


def test_they_are_those_of_the_paper_s_table() -> None:
    found = rank_metrics(
        {name: dict(zip(METRICS, row, strict=False)) for name, row in TABLE.items()}
    )
    for name, row in TABLE.items():
        assert [found[name][rank] for rank in RANKS] == pytest.approx(row[7:], abs=0.006), name


def test_equal_means_share_the_better_rank() -> None:
    found = rank_metrics(
        {name: {"PP": value} for name, value in (("a", 0.5), ("b", 0.5), ("c", 0.4))}
    )
    assert [found[name]["R_P"] for name in "abc"] == [1.0, 1.0, 3.0]
    assert found["a"]["R_C"] == 1.0
    assert found["a"]["R_S"] is None


def test_what_one_method_lacks_ranks_nobody() -> None:
    two = {"a": {"DUR": 0.1, "TBR": 0.2, "STR": 0.9}, "b": {"DUR": 0.2, "TBR": 0.1, "STR": None}}
    found = rank_metrics(two)
    assert (found["a"]["R_T"], found["b"]["R_T"]) == (1.0, 2.0), "by DUR and TBR alone"
    assert found["a"]["R_R"] is None


def test_a_method_alone_has_no_rank() -> None:
    assert rank_metrics({"a": {"DMR": 0.3}}) == {}
    assert rank_metrics({}) == {}
