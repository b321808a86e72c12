"""docs/metrics.md, derived from the metrics: ``python -m validators.metrics.doc``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from validators.metrics import chinatravel
from validators.metrics.catalogue import Metric, of_paper
from validators.metrics.judged import JUDGED
from validators.metrics.tprag_ranks import RANKS

TARGET = Path("docs/metrics.md")

_HEAD = """# Metrics of five papers

```sh
tripbed plans score snapshots/latest plans.jsonl --metrics all --out scores.parquet
tripbed plans score snapshots/latest mine/ theirs.jsonl --metrics chinatravel,traveleval --json
```

Plans of every [form](plans.md#forms), including TripTailor's, are read into one model and scored by the
metrics of the named papers: `tprag`, `traveleval`, `chinatravel`, `tripscore`, `triptailor`, or `all`.
The Parquet file has one row per plan and one column `PAPER_METRIC` per metric. The command prints the
figures of the papers' own tables over all plans (`--json`: under `tables`). If a plan cannot be read, its
row holds the `problem`, it counts as not delivered, and the exit code is 1.

- **Unknown is null, never zero.** Values that neither the form nor the snapshot gives, and rates with
  nothing to count, are null and left out of means. Only pass rates count "not known to hold" as
  failed.
- `method` is the name of the file, or the envelope's `method`. With several methods, `methods` has the
  tables of each, and `ranks` has ChinaTravel's preference ranks.
- Money is yuan as the plan states it, distances are straight lines in metres, and times are hours.
- Queues follow the snapshot's [model](sandbox.md#queues); a plan without a date has the queues of a
  weekday.
- `--judged` adds the metrics that a model judges, and they are [kept apart](#judged-by-a-model).
- `bench report` shows the same figures [for runs](agents.md#leaderboard), with intervals.

The last column says how the paper's public evaluator scores the same plans, both intact and with one
thing spoilt in each. *Equal* means equal to 1e-6. The figures, and the command that produces them, are in
[benchmarks](benchmarks.md). No public evaluator was found for TP-RAG and TripScore. This page is generated
by `python -m validators.metrics.doc`, and a test fails if it is out of date.
"""
_TPRAG = """## TP-RAG

Table 1: FR, RR, DMR, DUR, TBR and PP, as `plans score` [counts them](plans.md#scores) without `--metrics`.
With several methods, `tprag_ranks` compares them: it ranks them by the means of table 1, and equal means
share the better rank. A metric that is unknown for any method is not used for ranks. So without a judge,
R_T uses DUR and TBR, R_R is unknown, and R_C is the mean of the others. From the figures of the paper's
table 1 (GPT-4o), they give the paper's ranks.
"""
_JUDGED = """## Judged by a model

```sh
tripbed plans score snapshots/latest bench/*/results.jsonl --metrics tprag,tripscore --judged --samples 3
```

With `--judged`, a model judges the metrics of the named papers that no rule can count. It is the engine of
[extraction](extraction.md) (`OPENAI_BASE_URL`, `OPENAI_MODEL`, `OPENAI_API_KEY`), and it judges each item
`--samples` times (3). The first sample uses the temperature from the settings, further samples use 0.4.
Each sample is a separate request, kept in the ledger and never paid for twice. `--budget-usd` and
`--budget-tokens` apply to this call. If a budget ends it, finished answers count and the exit code is 1; run
the same command again to continue.

The figures are columns `judged_PAPER_METRIC` of the Parquet file. The printed output has them apart, under
`judged`, with their `agreement` over all visits, or plans, that every sample judged. It gives the share of
pairs of samples with the same verdict, and Fleiss' kappa (1971; null if every sample gives the same verdict
on everything). `judged_tripscore_reward` is TripScore's reward with the judged scores among the soft ones;
`tprag_ranks` uses all nine metrics. Plans of more than 60 visits or 8,000 characters are not judged. The
judge sees what the snapshot knows about places. The questions are in our own words, based on the papers'
appendices. How well the judge agrees with people was not measured.
"""
_TRAVELEVAL = """## TravelEval

Appendix A.1; tables B1 (overall) and B4 (`easy`, `medium`, `hard`). Its 22 metrics give 30 figures: there
are three kinds of PAS, two percentiles of CSM and six costs. Dates and wishes are those of the plan's query.
Its evaluator has its own list of golden weeks and holidays. For the comparison, its list replaced ours, and
our straight lines replaced its map service.
"""
_CHINATRAVEL = """## ChinaTravel

Appendix G; table 2. Only plans in its own form are checked, by `plans check`. Columns say what each plan
passes: `delivered`, `environment` (of {count}), `logic` (of `asked`).
"""
_RANKS = """
Preference ranks (table 7) compare methods by these values, for the preference in the query and over plans
that pass everything. Equal values share the better rank.
"""
_WHY = """
ChinaTravel's evaluator differs on spoilt plans:

- EPR micro: it counts the columns of its own tables, and counts what an error keeps it from checking as
  passed.
- If a plan lacks a field of the form, it fails DR but is still checked further. Here it passes nothing.
- It does not require a ticket for everybody.
- For "there by" and "back by" a time, it uses the first and the last activity. Here the journeys count.
"""
_TRIPSCORE = """## TripScore

Sections 3.2 and 3.4, appendices F and G, tables 2 and 5. The ten format and commonsense constraints are those
of [plans check](plans.md#constraints), as 1 and 0; `format` and `commonsense` are 1 if all are met.
`reward` is formula 2 with the weights of table 5 over the rule parts that have a value. Thresholds that the
paper leaves open are our own and are given below.
"""
_TRIPTAILOR = """## TripTailor

The metrics are those that TourPlanner describes (appendices C.2 and C.5). The tables have micro and macro
rates of feasibility and rationality, for `easy` (2 and 3 days) and `hard`. The reference of `Average Route
Distance Ratio`, `Final Pass Rate` (at most 1.5 times its route) and `S Route` is the query's witness plan;
without one they are null.
"""


def metrics_page() -> str:
    """The page as Markdown."""
    parts = [
        _HEAD, _TPRAG, _functions("rank", RANKS.items()), _TRAVELEVAL, _table(of_paper("traveleval")),
        _CHINATRAVEL.format(count=chinatravel.CONSTRAINTS), _functions("rate", chinatravel.RATES.items()), _RANKS,
        _functions("preference", [(n, f) for n, (f, _) in chinatravel.PREFERENCES.items()]), _WHY,
        _TRIPSCORE, _table(of_paper("tripscore")), _TRIPTAILOR, _table(of_paper("triptailor")),
        _JUDGED, _tell_judged(),
    ]  # fmt: skip
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _table(metrics: Iterable[Metric]) -> str:
    lines = ["| metric | counts | better | public evaluator |", "|---|---|---|---|"]
    lines += [
        f"| {m.label} | {_cell(_whole(m.count))} | {m.better} | {m.agreement} |" for m in metrics
    ]
    return "\n".join(lines)


def _tell_judged() -> str:
    lines = ["| paper | metric | counts |", "|---|---|---|"]
    lines += [f"| {m.paper} | {m.label} | {_cell(_whole(m.count))} |" for m in JUDGED]
    return "\n".join(lines)


def _functions(name: str, functions: Iterable[tuple[str, Callable[..., Any]]]) -> str:
    lines = [f"| {name} | counts |", "|---|---|"]
    lines += [f"| {label} | {_cell(_whole(function))} |" for label, function in functions]
    return "\n".join(lines)


def _whole(function: Callable[..., Any]) -> str:
    return inspect.getdoc(function) or ""


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("``", "`").split())


if __name__ == "__main__":
    TARGET.write_text(metrics_page(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
