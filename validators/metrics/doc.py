"""Writes docs/metrics.md from the metrics: ``python -m validators.metrics.doc``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from validators.metrics import chinatravel
from validators.metrics.catalogue import of_paper
from validators.metrics.judged import JUDGED
from validators.metrics.tprag_ranks import RANKS

TARGET = Path("docs/metrics.md")

_HEAD = """# Metrics of five papers

```sh
tripbed plans score snapshots/latest plans.jsonl --metrics all --out scores.parquet
tripbed plans score snapshots/latest mine/ theirs.jsonl --metrics chinatravel,traveleval --json
```

`plans score` computes metrics for plans in every [form](plans.md#forms), including TripTailor's own
form. The option `--metrics` determines which papers' metrics the command computes: `tprag`,
`traveleval`, `chinatravel`, `tripscore`, `triptailor`, or `all`. The Parquet file has one row for
each plan, and one column, named `PAPER_METRIC`, for each metric. The command also calculates and
prints the figures that the papers report in their tables. Each figure in these tables covers all
plans. With `--json`, the figures are under `tables`. If the command cannot read a plan, the column
`problem` gives the reason, the plan counts as not delivered, and the exit code is 1.

- **Unknown values are null, never zero.** A value is null if neither the plan's form nor the
  snapshot contains the data for it. A rate is also null if there are no cases to compute it from.
  Means ignore null values. Only pass rates count unknown constraints as failed.
- The column `method` contains the method that the plan's envelope names or, if the envelope names
  none, the file name without its extension. If you score several methods, `methods` contains the
  tables for each method, and `ranks` contains ChinaTravel's preference ranks.
- Amounts of money are in yuan, as in the plan. Distances are straight-line distances in metres.
  Times are in hours.
- Queueing times come from the snapshot's [model of queues](sandbox.md#queues). For plans without a
  date, tripbed uses the queueing times on a weekday.
- `--judged` adds metrics for which a model acts as the judge, in [separate
  columns](#judged-by-a-model).
- `bench report` shows these metrics, with confidence intervals, [for each run of a
  planner](agents.md#leaderboard).

The column "public evaluator" shows whether the paper's public evaluator ("the evaluator") and
tripbed compute the same scores for the same plans. We compared tripbed with each evaluator on plans
without errors and on plans with one error each. In the column "public evaluator", *equal* means
that the scores agree to within 1e-6. The page [Exports and peers](benchmarks/peers.md) contains the
results of the comparison and the command that produces them. We found no public evaluator for
TP-RAG or TripScore. `python -m validators.metrics.doc` generates this page, and a test fails if the
page is out of date.
"""
_TPRAG = """## TP-RAG

TP-RAG's metrics are FR, RR, DMR, DUR, TBR and PP from the paper's table 1. `plans score` computes
these metrics [even without `--metrics`](plans.md#scores). If you score several methods,
`tprag_ranks` ranks the methods by the mean of each metric in the formulas below. Methods with the
same mean share the better rank. If a metric is unknown for any method, the ranking ignores the
metric. Without a judge, R_T therefore uses only DUR and TBR, R_R is unknown, and R_C is the mean of
the other ranks. When applied to the GPT-4o figures in the paper's table 1, the following formulas
reproduce the ranks printed in the paper.
"""
_JUDGED = """## Judged by a model

```sh
tripbed plans score snapshots/latest bench/*/results.jsonl \\
  --metrics tprag,tripscore --judged --samples 3
```

With `--judged`, a model supplies the metrics that cannot be computed by rules. The command uses the
same model as [extraction](extraction.md) (`OPENAI_BASE_URL`, `OPENAI_MODEL`, `OPENAI_API_KEY`). The
model judges each item `--samples` times (3 by default). The first sample uses the temperature from
the settings, and all later samples use a temperature of 0.4. Each sample is a separate request. The
ledger keeps every answer, so you never pay for the same answer twice. The limits `--budget-usd` and
`--budget-tokens` apply to each run of the command. When the command reaches a limit, it computes
the metrics from the answers obtained so far and ends with exit code 1. To continue, run the same
command again.

The judged figures are in the columns `judged_PAPER_METRIC` of the Parquet file. The printed output
shows the judged figures separately, under `judged`. Under `judged`, `agreement` shows how well the
samples agree on the visits (or plans) that the model judged in every sample. `agreement` consists
of two figures: the share of pairs of samples with the same verdict, and Fleiss' kappa (1971).
Fleiss' kappa is null if all verdicts are the same. `judged_tripscore_reward` is TripScore's reward,
computed with soft scores that include the judged scores. With `--judged`, `tprag_ranks` also uses
the judged metrics STR, PR and TSR. The model does not judge plans with more than 60 visits or more
than 8,000 characters. The prompts contain the snapshot's information about the places. We wrote
these prompts ourselves, based on the papers' appendices. We have not measured how well the model
agrees with human judges.
"""
_TRAVELEVAL = """## TravelEval

TravelEval's metrics come from appendix A.1 of the paper. The command prints tables in the form of
the paper's tables B1 (overall) and B4 (`easy`, `medium`, `hard`). TravelEval's 22 metrics have 30
values, because PAS has three values, CSM has two percentiles, and the costs have six parts. The
dates and wishes come from the query that the plan answers. When we compared our figures with those
of TravelEval's evaluator, we used the evaluator's list of holidays instead of ours. For the same
comparison, the evaluator used our straight-line distances instead of its map service.
"""
_CHINATRAVEL = """## ChinaTravel

ChinaTravel's rates come from the paper's appendix G and table 2. tripbed checks only plans in
ChinaTravel's own form, and applies the rules of `plans check`. The column `delivered` shows whether
a plan is in ChinaTravel's form. `environment` is the number of environment constraints (out of
{count}) that the plan passes. `logic` is the number of logical constraints that the plan passes,
and `asked` is the number of logical constraints in the query.
"""
_RANKS = """
Preference ranks (table 7) compare methods by how well their plans satisfy the preference in the
query. Only plans that pass all constraints are compared. Methods with equal values share the better
rank.
"""
_WHY = """
ChinaTravel's evaluator and tripbed treat plans with errors differently:

- To calculate EPR micro, the evaluator counts the columns of its own tables rather than the
  constraints in the paper's table 5. If an error prevents the evaluator from checking a constraint,
  the evaluator counts the constraint as passed.
- If a plan lacks a required field, the evaluator counts DR as failed, but the plan can still pass
  other constraints. In tripbed, a plan that lacks a required field passes no constraints at all.
- The evaluator does not require a ticket for every traveller.
- If the travellers must arrive or be back by a given time, the evaluator checks the first and the
  last activity, whereas tripbed checks the journeys.
"""
_TRIPSCORE = """## TripScore

TripScore's metrics follow sections 3.2 and 3.4, appendices F and G, and tables 2 and 5 of the
paper. The ten format and commonsense constraints are the same as in [plans
check](plans.md#constraints). The value of each constraint is 1 or 0. `format` is 1 if a plan meets
all format constraints, and `commonsense` is 1 if a plan meets all commonsense constraints. `reward`
combines the rule-based parts that have a value, using formula 2 and the weights from table 5. If
the paper does not specify a threshold, the table below gives the threshold that we chose.
"""
_TRIPTAILOR = """## TripTailor

The TourPlanner paper describes TripTailor's metrics in appendices C.2 and C.5. TripTailor's tables
show micro and macro rates of feasibility and rationality, separately for `easy` (2 and 3 days) and
`hard` queries. `Average Route Distance Ratio`, `Final Pass Rate` and `S Route` compare a plan with
the query's witness plan, and are null if the query has no witness plan. For `Final Pass Rate`, a
plan's route must be at most 1.5 times as long as the witness plan's route.
"""


def metrics_page() -> str:
    """Return the page as Markdown."""
    parts = [
        _HEAD,
        _TPRAG,
        _functions("rank", RANKS.items()),
        _TRAVELEVAL,
        _metrics("traveleval"),
        _CHINATRAVEL.format(count=chinatravel.CONSTRAINTS),
        _functions("rate", chinatravel.RATES.items()),
        _RANKS,
        _functions("preference", [(n, f) for n, (f, _) in chinatravel.PREFERENCES.items()]),
        _WHY,
        _TRIPSCORE,
        _metrics("tripscore"),
        _TRIPTAILOR,
        _metrics("triptailor"),
        _JUDGED,
        _table("paper | metric | counts", [(m.paper, m.label, _cell(m.count)) for m in JUDGED]),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _table(heads: str, rows: Sequence[tuple[str, ...]]) -> str:
    line = "---|" * len(rows[0])
    return "\n".join([f"| {heads} |", f"|{line}", *(f"| {' | '.join(row)} |" for row in rows)])


def _metrics(paper: str) -> str:
    rows = [(m.label, _cell(m.count), m.better, m.agreement) for m in of_paper(paper)]
    return _table("metric | counts | better | public evaluator", rows)


def _functions(name: str, functions: Iterable[tuple[str, Callable[..., Any]]]) -> str:
    return _table(f"{name} | counts", [(label, _cell(counts)) for label, counts in functions])


def _cell(function: Callable[..., Any]) -> str:
    """Return the docstring of a function in a form suitable for a table cell."""
    text = inspect.getdoc(function) or ""
    return " ".join(text.replace("|", "\\|").replace("``", "`").split())


if __name__ == "__main__":
    TARGET.write_text(metrics_page(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
