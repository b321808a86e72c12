"""Commands that find, check and score plans."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.cli.app import fail, group
from flows.cli.options import AsJson, BudgetTokens, BudgetUsd, SnapshotPath, read_settings

plans = group("plans", "Check, score and find plans.")

_FILES = "Files of plans (.json, .jsonl or .parquet), or folders of such files."
QueryId = Annotated[
    str | None,
    typer.Option(
        "--query", help="Id of the query that all plans answer (default: each plan's query_id)."
    ),
]


@plans.command()
def check(
    snapshot: SnapshotPath,
    files: Annotated[list[Path], typer.Argument(help=_FILES)],
    query: QueryId = None,
    as_json: AsJson = False,
) -> None:
    """Check plans, and give a verdict and a reason for every constraint.

    Exits with code 1 unless all constraints are met.
    """
    from flows.plans import check as work

    raise typer.Exit(work.check(snapshot, files, query, as_json))


@plans.command()
def score(
    snapshot: SnapshotPath,
    files: Annotated[list[Path] | None, typer.Argument(help=_FILES)] = None,
    out: Annotated[Path, typer.Option("--out", help="Parquet file to write.")] = Path(
        "scores.parquet"
    ),
    query: QueryId = None,
    trajectories: Annotated[
        bool,
        typer.Option(
            "--trajectories", help="Score the snapshot's reference trajectories instead of plans."
        ),
    ] = False,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            help=(
                "Use the metrics of these papers: tprag, traveleval, chinatravel, tripscore or "
                "triptailor, separated by commas; or all."
            ),
        ),
    ] = None,
    judged: Annotated[
        bool,
        typer.Option(
            "--judged",
            help="Also let a model judge the plans; the model's scores are listed separately.",
        ),
    ] = False,
    samples: Annotated[
        int,
        typer.Option("--samples", min=1, max=20, help="How many times the model judges each item."),
    ] = 3,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    as_json: AsJson = False,
) -> None:
    """Score plans by TP-RAG's rule metrics, or by the metrics chosen with --metrics. Write one row
    per plan.
    """
    from flows.plans import check as work

    if trajectories == bool(files):
        fail("pass plan files to score, or use --trajectories")
    if judged and metrics is None:
        fail("--judged needs --metrics: name the papers whose metrics you want")
    if metrics is None:
        if trajectories:
            raise typer.Exit(work.score_trajectories(snapshot, out, as_json))
        raise typer.Exit(work.score(snapshot, files or [], out, query, as_json))
    if trajectories:
        fail("trajectories can be scored only with TP-RAG's metrics: leave out --metrics")
    from flows.plans import metrics as by_paper

    papers = by_paper.papers_of(metrics)
    if not judged:
        raise typer.Exit(by_paper.score(snapshot, files or [], out, query, papers, as_json))
    from flows.judging import score as by_model

    settings = read_settings(budget_usd, budget_tokens)
    raise typer.Exit(
        by_model.score(snapshot, files or [], out, query, papers, samples, settings, as_json)
    )


@plans.command()
def solve(
    snapshot: SnapshotPath,
    query: Annotated[str | None, typer.Option("--query", help="Solve only this query.")] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Maximum number of seconds per query.")
    ] = 10.0,
    reference: Annotated[
        Literal["balanced", "experience", "budget"] | None,
        typer.Option(
            "--reference",
            help=(
                "Find reference plans instead of proofs; this works for queries of every family. "
                "Plans can be balanced, or follow TravelEval's rules for experience or budget."
            ),
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="JSONL file to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find a plan for each query with hard constraints, or prove that there is none.

    With --reference, find plans that a traveller would want to follow, or say why there are none.
    """
    from flows.plans import check as work

    raise typer.Exit(work.solve(snapshot, query, time_limit, reference, out, as_json))


@plans.command()
def show(
    what: Annotated[
        str, typer.Argument(metavar="QUERY|PLAN", help="Id of a query, or a file with one plan.")
    ],
    snapshot: Annotated[
        Path, typer.Option("--snapshot", help="Snapshot to which the query or plan belongs.")
    ],
    kind: Annotated[
        Literal["balanced", "proof", "experience", "budget"] | None,
        typer.Option(
            "--kind",
            help=(
                "Which of the query's plans to show (default: the first stored plan or, if none "
                "is stored, a new plan)."
            ),
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="HTML file to write.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a plan as a page (map, timeline, costs and verdicts), and print the page's path."""
    from flows.plans import show as work

    raise typer.Exit(work.show(snapshot, what, kind, out, as_json))
