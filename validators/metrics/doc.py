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

Plans of every [form](plans.md#forms), TripTailor's as well, are read into one model and counted by
the metrics of the papers named: `tprag`, `traveleval`, `chinatravel`, `tripscore`, `triptailor`, or
`all`. The Parquet file has a row a plan, with a column `PAPER_METRIC` each; what is printed
(`--json`: under `tables`) are the figures of the papers' own tables over all plans. A plan that
cannot be read has its `problem` and counts as not delivered; the exit code is then 1.

- **Unknown is null, never zero.** What a form or the snapshot does not tell, and rates without
  anything to count, are null and left out of means. Only pass rates count "not known to hold" as
  failed.
- `method` is the name of the file, or the envelope's `method`. With several, `methods` has the
  tables of each, and `ranks` ChinaTravel's preference ranks.
- Money is yuan as the plan states it, distances are metres of straight lines, times hours.
- Queues follow the snapshot's [model](sandbox.md#queues); a plan without a date has those of a
  weekday.
- Metrics that a model judges are asked for with `--judged` and [told apart](#judged-by-a-model).
- `bench report` shows the same figures [for runs](agents.md#leaderboard), with intervals.

The last column says what the paper's public evaluator answers on the same plans, whole and with one
thing spoilt each: *equal* is to 1e-6. Figures, and the command that runs it, are in
[benchmarks](benchmarks.md). For TP-RAG and TripScore no public evaluator was found. Written by
`python -m validators.metrics.doc`; a test fails when it is stale.
"""
_TPRAG = """## TP-RAG

Table 1: FR, RR, DMR, DUR, TBR and PP, as `plans score` has [counted them](plans.md#scores) before.
With several methods, `tprag_ranks` says how they stand beside each other: ranks by the means of
table 1, equal means sharing the better one. A metric that is not known of every method ranks
nobody: without a judge R_T goes by DUR and TBR, R_R is unknown, and R_C is the mean of the others.
From the figures of the paper's table 1 (GPT-4o) they give its ranks.
"""
_JUDGED = """## Judged by a model

```sh
tripbed plans score snapshots/latest bench/*/results.jsonl \\
  --metrics tprag,tripscore --judged --samples 3
```

`--judged` asks a model for what no rule counts, of the papers named: the engine of
[extraction](extraction.md) (`OPENAI_BASE_URL`, `OPENAI_MODEL`, `OPENAI_API_KEY`), `--samples` times
each (3). The first sample has the settings' temperature, further ones 0.4; each is a request of its
own, kept in the ledger and never paid for twice. `--budget-usd` and `--budget-tokens` hold for this
call: when they end it, the answers so far count, the exit code is 1, and the same call goes on.

The figures are columns `judged_PAPER_METRIC` of the Parquet file, and stand apart under `judged` in
what is printed, with their `agreement`: over all visits, or plans, that every sample judged, the
share of pairs of samples that say the same, and Fleiss' kappa (1971; null where every sample says
the same of everything). `judged_tripscore_reward` is TripScore's reward with the judged scores
among the soft ones; `tprag_ranks` goes by all nine metrics. A plan of more than 60 visits or 8,000
characters is not judged by them. The judge is shown what the snapshot knows about places, and the
prompts are our own words after the papers' appendices. How well it agrees with people was not
measured.
"""
_TRAVELEVAL = """## TravelEval

Appendix A.1; tables B1 (overall) and B4 (`easy`, `medium`, `hard`). Its 22 metrics are 30 figures:
three kinds of PAS, two percentiles of CSM, six costs. Dates and wishes are those of the plan's
query. Its evaluator has its own list of golden weeks and holidays; the figures were compared with
that list in the place of ours, and with our straight lines in the place of its map service.
"""
_CHINATRAVEL = """## ChinaTravel

Appendix G; table 2. Only plans in its own form are judged, by `plans check`. A column has what each
plan passes: `delivered`, `environment` (of {count}), `logic` (of `asked`).
"""
_RANKS = """
Preference ranks (table 7) compare methods by these values, over plans that pass everything, for the
preference that a query asks for; equal values share the better rank.
"""
_WHY = """
Where ChinaTravel's evaluator differs on spoilt plans:

- EPR micro: it counts the columns of its own tables, and what it cannot check after an error as
  passed.
- A plan that lacks a field of the form fails its DR but is still judged; here it passes nothing.
- It does not ask for a ticket for everybody.
- "There by", "back by" a time: it takes the first and the last activity, here it is the journeys.
"""
_TRIPSCORE = """## TripScore

Sections 3.2 and 3.4, appendices F and G, tables 2 and 5. The ten format and commonsense constraints
are those of [plans check](plans.md#constraints), as 1 and 0; `format` and `commonsense` are 1 where
all are met. `reward` is formula 2 with the weights of table 5 over the rule parts that have a
value. Thresholds that the paper leaves open are ours and named below.
"""
_TRIPTAILOR = """## TripTailor

As TourPlanner describes them (appendices C.2 and C.5). Tables have micro and macro of
feasibility and rationality, and `easy` (2 and 3 days) and `hard`. The reference of
`Average Route Distance Ratio`, `Final Pass Rate` (at most 1.5 times its route) and `S Route` is
the query's witness plan; without one they are null.
"""


def metrics_page() -> str:
    """The page as Markdown."""
    parts = [
        _HEAD,
        _TPRAG,
        _functions("rank", RANKS.items()),
        _TRAVELEVAL,
        _table(of_paper("traveleval")),
        _CHINATRAVEL.format(count=chinatravel.CONSTRAINTS),
        _functions("rate", chinatravel.RATES.items()),
        _RANKS,
        _functions("preference", [(n, f) for n, (f, _) in chinatravel.PREFERENCES.items()]),
        _WHY,
        _TRIPSCORE,
        _table(of_paper("tripscore")),
        _TRIPTAILOR,
        _table(of_paper("triptailor")),
        _JUDGED,
        _tell_judged(),
    ]
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
