"""Gates on the whole build: its plan, its cost, its reviewers and the age of its sources."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl

from schemas.seasons import season_of
from validators.gates.base import (
    Failure,
    Gate,
    GateContext,
    failures,
    gathered,
    report,
    together,
    unlike,
)

#: A share of fewer rows than this is meaningless.
_ENOUGH = 10
#: From this share of agreement on, kappa is not checked: if nearly all labels are the same, one
#: difference brings it close to 0 (Feinstein and Cicchetti 1990).
_AGREEING = 0.9
#: Rows that two reviewers must share before their agreement is judged.
_SHARED_ROWS = 10
_RUN_BYTES = 16_000_000


def strata(context: GateContext) -> pl.DataFrame:
    """Queries are planned for every constraint and trip length, and each stratum's name agrees with
    its queries.
    """
    rows = context.table("queries").filter(pl.col("family") == "tprag")
    days = pl.col("n_days").cast(pl.String) + "d"
    told = pl.coalesce("constraint_code", "constraint_kind")
    made = rows.select(pl.format("{}/{}-{}", "constraint_kind", told, days.fill_null("any")))
    found: list[Failure] = []
    for slug in context.manifest.cities:
        wanted = context.find_demands(slug)
        city = context.table("cities").filter(pl.col("slug") == slug)
        if wanted is None or wanted.queries.days is None or "tprag" not in wanted.families:
            continue
        mine = rows.filter(pl.col("city_id").is_in(city["city_id"].implode()))
        lengths = set(wanted.queries.days)
        for (kind, code), part in mine.group_by("constraint_kind", "constraint_code"):
            if missing := lengths - set(part["n_days"].to_list()):
                found.append(
                    (
                        "queries",
                        "stratum",
                        f"{slug}/{kind}/{code}",
                        None,
                        "there are no queries for trips of these lengths (in days): "
                        f"{', '.join(sorted(str(n) for n in missing))}",
                    )
                )
        kinds = set(wanted.queries.constraint_kinds or ()) - set(mine["constraint_kind"].to_list())
        if all(season_of(1, lat) is None for lat in city["lat"]):
            kinds.discard("season")  # a city near the equator has no seasons
        found += [
            (
                "queries",
                "constraint_kind",
                f"{slug}/{kind}",
                None,
                "no query has a constraint of this kind",
            )
            for kind in sorted(kinds)
        ]
    named = unlike(
        "queries",
        rows,
        "stratum",
        made.to_series(),
        "a query with this constraint and number of days belongs to the stratum {}",
    )
    return together([named, failures(sorted(found, key=str))])


def filler(context: GateContext) -> pl.DataFrame:
    """No value for opening hours or duration is shared by nearly all places."""
    shares = (
        context.table("poi_facts")
        .filter(pl.col("fact_field").is_in(["opening_hours", "duration_hours"]))
        .group_by("city_id", "fact_field", "value")
        .agg(places=pl.col("poi_id").n_unique())
        .with_columns(all=pl.col("places").sum().over("city_id", "fact_field"))
        .filter(pl.col("all") >= _ENOUGH)
        .with_columns(share=pl.col("places") / pl.col("all"))
        .join(_thresholds(context, "filler_share"), on="city_id")
        .filter(pl.col("share") > pl.col("threshold"))
        .sort("city_id", "fact_field")
    )
    return failures(
        (
            "poi_facts",
            "value",
            f"{row['city_id']}/{row['fact_field']}",
            row["value"],
            f"{row['share']:.0%} of the places have this value",
        )
        for row in shares.to_dicts()
    )


def _thresholds(context: GateContext, name: str) -> pl.DataFrame:
    """Return the value of the named threshold in each city's profile."""
    rows = [
        (city_id, float(getattr(wanted.gates, name)))
        for city_id, slug in context.table("cities").select("city_id", "slug").iter_rows()
        if (wanted := context.find_demands(slug)) is not None
    ]
    return pl.DataFrame(rows, schema={"city_id": pl.String, "threshold": pl.Float64}, orient="row")


@gathered
def datums(context: GateContext) -> Iterator[pl.DataFrame]:
    """Each file and each provider uses only one coordinate system."""
    for name, source in (
        ("pois", "coordinate_provider"), ("hotels", "source_file"),
        ("restaurants", "source_file"), ("metro_stations", "source_file"),
    ):  # fmt: skip
        mixed = (
            context.table(name)
            .filter(pl.col("lat").is_not_null())
            .with_columns(
                n=pl.col("datum_original").n_unique().over("city_id", source),
                all=pl.len().over("city_id", source, "datum_original"),
                most=pl.len().over("city_id", source),
            )
            .filter((pl.col("n") > 1) & (2 * pl.col("all") <= pl.col("most")))
        )
        yield report(
            name,
            mixed,
            "datum_original",
            "most rows of this source use a different coordinate system",
        )


def document_age(context: GateContext) -> pl.DataFrame:
    """At least half of a city's dated documents are newer than the limit in the profile.

    A document's age is counted in years back from the newest document.
    """
    ages = (
        context.table("documents")
        .drop_nulls("published_on")
        .with_columns(newest=pl.col("published_on").max())
        .with_columns(years=(pl.col("newest") - pl.col("published_on")).dt.total_days() / 365.25)
        .group_by("city_id")
        .agg(pl.len().alias("n"), pl.col("years").median())
        .join(_thresholds(context, "document_age_years"), on="city_id")
        .filter((pl.col("n") >= _ENOUGH) & (pl.col("years") > pl.col("threshold")))
        .sort("city_id")
    )
    return failures(
        (
            "documents",
            "published_on",
            row["city_id"],
            f"{row['years']:.1f}",
            f"half of the documents are more than {row['threshold']:g} years older than the "
            "newest document",
        )
        for row in ages.to_dicts()
    )


def budget(context: GateContext) -> pl.DataFrame:
    """The cost of the build is within the budget in the profile."""
    limits = [
        wanted.gates.budget_usd
        for slug in context.manifest.cities
        if (wanted := context.find_demands(slug)) and wanted.gates.budget_usd is not None
    ]
    if not limits:
        return failures([])
    cost = _run(context).get("cost_usd")
    if not isinstance(cost, int | float):
        return failures([("run", "cost_usd", "run.json", None, "the cost of the build is unknown")])
    over = [limit for limit in limits if cost > limit]
    return failures(
        (
            "run",
            "cost_usd",
            "run.json",
            f"{cost:.4f}",
            f"the cost is above the budget of {limit:g} USD",
        )
        for limit in over[:1]
    )


def _run(context: GateContext) -> dict[str, Any]:
    path = context.path / "run.json"
    if not path.is_file() or path.stat().st_size > _RUN_BYTES:
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def kappa(pairs: list[tuple[str, str]]) -> float:
    """Compute Cohen's kappa for two annotators; it is 1 if both use the same single label."""
    total = len(pairs)
    agreed = sum(one == other for one, other in pairs) / total
    ones, others = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(ones[label] * others[label] for label in ones) / total**2
    return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)


def double_decisions(rows: pl.DataFrame) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Collect, for each pair of reviewers, the decisions on the rows that both reviewed."""
    columns = ["city_id", "table", "row_id", "fact_hash"]
    pairs = (
        rows.join(rows, on=columns, suffix="_b")
        .filter(pl.col("reviewer") < pl.col("reviewer_b"))
        .sort("reviewer", "reviewer_b", *columns)
        .group_by("reviewer", "reviewer_b", maintain_order=True)
        .agg("decision", "decision_b")
    )
    return {
        (a, b): list(zip(ones, others, strict=True)) for a, b, ones, others in pairs.iter_rows()
    }


@gathered
def agreement(context: GateContext) -> Iterator[Failure]:
    """Reviewers of the same rows agree more often than by chance (Cohen's kappa) or on at least
    nine out of ten rows.
    """
    wanted = [context.find_demands(slug) for slug in context.manifest.cities]
    floor = max((w.gates.kappa for w in wanted if w is not None), default=0.6)
    for (a, b), pairs in double_decisions(context.table("review_decisions")).items():
        share, value = sum(one == other for one, other in pairs) / len(pairs), kappa(pairs)
        if len(pairs) >= _SHARED_ROWS and share < _AGREEING and value < floor:
            message = (
                f"the reviewers agree on only {share:.0%} of {len(pairs)} rows, and Cohen's "
                f"kappa is below {floor:g}"
            )
            yield ("review_decisions", "decision", f"{a}/{b}", f"{value:.2f}", message)


GATES = (
    Gate(
        "strata",
        strata,
        "Results are compared by stratum, so no stratum may be empty.",
        "Plan all queries that the profile requires.",
    ),
    Gate(
        "filler",
        filler,
        "A value that nearly all places share is probably a default value.",
        "If no source gives the value, leave the value unknown.",
        "table",
        "warning",
    ),
    Gate(
        "datum_mixture",
        datums,
        "If a source mixes two coordinate systems, the positions of some places are wrong by "
        "about 500 m.",
        "Check the coordinates in the source.",
        severity="warning",
    ),
    Gate(
        "document_age",
        document_age,
        "Hours and prices from old documents may be out of date.",
        "Add newer documents. If older documents are acceptable, raise `gates.document_age_years`.",
        "table",
        "warning",
    ),
    Gate(
        "budget",
        budget,
        "A build that costs more than planned must not go unnoticed.",
        "Make the build smaller. If the higher cost is acceptable, raise `gates.budget_usd`.",
        "snapshot",
    ),
    Gate(
        "reviewer_agreement",
        agreement,
        "Reviewers decide which rows are removed. If they agree no more often than by chance, "
        "their decisions are arbitrary.",
        "Write clearer instructions and have both reviewers decide again; a later decision "
        "replaces an earlier one.",
        "table",
    ),
)
