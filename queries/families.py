"""Plan the queries of a family, given its name, and compute quotas for strata and cities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from queries import chinatravel, tprag, traveleval, tripscore, triptailor
from queries.drawing import largest_remainder
from queries.grounding import Destination
from queries.home import terms_of
from queries.rows import Row, assign_splits
from queries.settings import PlanningError, QuerySettings
from schemas.money import YUAN
from schemas.taxonomy import CONSTRAINTS

#: Families whose budgets are in yuan, as in the published benchmarks.
COUNT_IN_YUAN = frozenset({"chinatravel", "triptailor"})
#: The column that names the stratum of a query; the other families have a single stratum.
_STRATUM_COLUMNS = {
    "tprag": "constraint_kind", "traveleval": "stratum", "chinatravel": "constraint_code",
}  # fmt: skip


def plan_family(
    family: str,
    places: Sequence[Destination],
    settings: QuerySettings,
    prefix: str,
    durations: Mapping[str, Sequence[int]] | None = None,
) -> list[Row]:
    """Plan all queries in a family. Raises PlanningError if the settings cannot be satisfied."""
    if family in COUNT_IN_YUAN:
        _check_money(family, places)
    match family:
        case "tprag":
            return _plan_tprag(places, settings)
        case "traveleval":
            return traveleval.plan(places, settings.traveleval, settings.splits, prefix)
        case "chinatravel":
            return chinatravel.plan(places, settings.chinatravel, settings.splits, prefix)
        case "tripscore":
            return tripscore.plan(places, settings.tripscore, settings.splits, prefix, durations)
        case _:
            return triptailor.plan(places, settings.triptailor, settings.splits, prefix)


def _check_money(family: str, places: Sequence[Destination]) -> None:
    """Raise PlanningError if a destination does not use yuan, which is the currency of the
    family.
    """
    for place in places:
        if place.offer.currency != YUAN:
            raise PlanningError(
                ("queries", "cities"),
                f"{place.city.name_en} uses {place.offer.currency}, but {family} needs yuan:"
                " leave the city out, or choose traveleval, which uses the city's own currency",
            )


def _plan_tprag(places: Sequence[Destination], settings: QuerySettings) -> list[Row]:
    if len(set(settings.days)) < len(settings.days):
        raise PlanningError(
            ("queries", "days"), "a trip length is listed twice: list each length only once"
        )
    known = ("generic", *CONSTRAINTS)
    unknown = [kind for kind in settings.constraint_kinds if kind not in known]
    if unknown or not settings.constraint_kinds:
        raise PlanningError(
            ("queries", "constraint_kinds"),
            f"unknown kind of constraint: {unknown[0]}; choose from {', '.join(known)}"
            if unknown
            else "give at least one kind of constraint",
        )
    if not places:
        raise PlanningError(("queries", "cities"), "no destination is set: give at least one city")
    rows: list[Row] = []
    for place in places:
        try:
            planned = tprag.plan_queries(
                place.city, settings.days, settings.constraint_kinds, settings.year
            )
        except ValueError as error:
            raise PlanningError(("queries", "days"), str(error)) from None
        rows += tprag.mark_unmet(planned.to_dicts(), place.tables)
    assign_splits(
        rows,
        lambda row: (row["city_id"], row["constraint_code"] or ""),
        settings.splits,
        [place.city for place in places],
    )
    return rows


def stratum_of(family: str, row: Row) -> str:
    """Return the name of a query's stratum, as used in ``quotas``."""
    column = _STRATUM_COLUMNS.get(family)
    return str(row[column]) if column else "all"


def quotas(family: str, places: Sequence[Destination], settings: QuerySettings) -> dict[str, int]:
    """Return the number of queries that the settings request in each stratum, without drawing
    any queries.
    """
    if family == "tprag":
        return Counter(
            stratum.kind
            for place in places
            for stratum in tprag.strata(
                settings.days, settings.constraint_kinds, terms_of(place.city)
            )
        )
    if family == "traveleval":
        asked = settings.traveleval
        alone = {name: getattr(asked, name) for name in traveleval.DIFFICULTIES}
        groups = {f"group/{name}": asked.groups for name in traveleval.DIFFICULTIES}
        return {
            f"{name}/{days}d": quota
            for name, by_days in (alone | groups).items()
            for days, quota in zip(traveleval.DAYS, by_days, strict=True)
        }
    if family == "chinatravel":
        return {n: getattr(settings.chinatravel, n) for n in ("easy", "medium", "preference")}
    return {"all": (settings.tripscore if family == "tripscore" else settings.triptailor).queries}


def share(settings: QuerySettings, cities: int) -> QuerySettings:
    """Return the settings with one city's share of the quotas, which are divided among
    ``cities`` cities.
    """

    def part(total: int) -> int:
        return largest_remainder(total, [1.0] * cities)[0]

    asked, score, tailor = settings.chinatravel, settings.tripscore, settings.triptailor
    levels = {n: part(getattr(asked, n)) for n in ("easy", "medium", "preference")}
    shares = {
        "splits": settings.splits.model_copy(update={"test_cities": ()}),
        "chinatravel": asked.model_copy(update=levels),
        "tripscore": score.model_copy(update={"queries": part(score.queries)}),
        "triptailor": tailor.model_copy(update={"queries": part(tailor.queries)}),
    }
    return settings.model_copy(update=shares)
