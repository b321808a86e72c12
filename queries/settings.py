"""Define the settings for the query families; the default values are the published figures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.taxonomy import CONSTRAINTS

Quotas = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=6, max_length=6)]
#: Trip lengths in days.
Lengths = tuple[Annotated[int, Field(ge=1, le=60)], ...]


class PlanningError(ValueError):
    """Raised if the settings cannot be satisfied; ``path`` is the setting, and ``message`` says
    what to do.
    """

    def __init__(self, path: tuple[str, ...], message: str):
        self.path, self.message = path, message
        super().__init__(f"{'.'.join(path)}: {message}")


class _ProfilePart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TravelEvalSettings(_ProfilePart):
    """Quotas for the traveleval family, for trips of 2 to 7 days (TravelEval, table A1)."""

    easy: Quotas = Field(
        default=(20, 30, 40, 40, 30, 40),
        description="number of easy queries for each trip length from 2 to 7 days",
    )
    medium: Quotas = Field(
        default=(40, 60, 80, 80, 60, 80),
        description="number of medium queries for each trip length from 2 to 7 days",
    )
    hard: Quotas = Field(
        default=(40, 60, 80, 80, 60, 80),
        description="number of hard queries for each trip length from 2 to 7 days",
    )
    groups: Quotas = Field(
        default=(5, 8, 10, 10, 8, 9),
        description=(
            "number of groups for each trip length from 2 to 7 days; a group contains three queries"
            " for the same trip, and each query has more preferences than the one before"
        ),
    )
    economy_share: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="share of the hard queries and groups that have an economy budget",
    )
    first_year: int = Field(
        default=2026, ge=1950, le=2099, description="year in which the trips take place"
    )


class ChinaTravelSettings(_ProfilePart):
    """Quotas for the chinatravel family by difficulty.

    A medium query has 2-5 constraints according to appendix D.3 of ChinaTravel, and 3-5 according
    to D.4.
    """

    easy: int = Field(default=300, ge=0, description="number of queries with one constraint")
    medium: int = Field(default=150, ge=0, description="number of queries with several constraints")
    preference: int = Field(
        default=50, ge=0, description="number of queries with several constraints and an objective"
    )
    medium_constraints: tuple[int, int] = Field(
        default=(2, 5),
        description="minimum and maximum number of constraints in a query that has more than one",
    )
    days: Lengths = Field(
        default=(2, 3, 4, 5), min_length=1, description="possible lengths of a trip in days"
    )
    infeasible_share: float = Field(
        default=0.0, ge=0, le=1, description="share of queries whose budget is too low for any trip"
    )


class TripScoreSettings(_ProfilePart):
    """Settings for the tripscore family; its trips have the lengths that are most frequent."""

    queries: int = Field(default=500, ge=0, description="total number of queries")
    destinations_csv: str | None = Field(
        default=None,
        description=(
            "CSV file with the columns city, days and count; count gives the number of times that "
            "people asked for a trip of this length"
        ),
    )
    durations: Lengths = Field(
        default=(1, 2, 3, 4, 5),
        min_length=1,
        description=(
            "trip lengths in days, most frequent first, for cities that are not in destinations_csv"
        ),
    )
    several_share: float = Field(
        default=0.1, ge=0, le=1, description="share of queries with two or three destinations"
    )


class TripTailorSettings(_ProfilePart):
    """Settings for the triptailor family (TourPlanner, appendix D.1)."""

    queries: int = Field(default=500, ge=0, description="total number of queries")
    days: Lengths = Field(
        default=(2, 3, 4, 5, 6, 7), min_length=1, description="possible lengths of a trip in days"
    )


class SplitSettings(_ProfilePart):
    """The shares of the splits, and the destinations that only the test split may contain."""

    train: float = Field(
        default=0.7, ge=0, le=1, description="share of the queries that belong to the train split"
    )
    validation: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description=(
            "share of the queries that belong to the validation split; the rest is the test split"
        ),
    )
    test_cities: tuple[str, ...] = Field(
        default=(), description="destinations that only the test split may contain"
    )

    @model_validator(mode="after")
    def _whole(self) -> SplitSettings:
        if self.train + self.validation > 1:
            raise ValueError(
                "the shares of train and validation add up to more than 1: lower one of them"
            )
        return self

    def split_at(self, share: float) -> str:
        """Return the split of a row, given what share of all rows comes before this row."""
        if share < self.train:
            return "train"
        return "validation" if share < self.train + self.validation else "test"


class QuerySettings(_ProfilePart):
    """Settings for queries: which queries to plan, for which cities, and how to split the
    queries.
    """

    days: tuple[int | None, ...] = Field(
        default=(None, 3, 4, 5),
        description=("trip lengths in days; null means that the query gives no length"),
    )
    constraint_kinds: tuple[str, ...] = Field(
        default=("generic", *CONSTRAINTS),
        description=("kinds of constraints that queries can have"),
    )
    cities: tuple[str, ...] = Field(
        default=(),
        description=("destinations for `queries build`; the names can be in any language"),
    )
    most_populous: int = Field(
        default=0,
        ge=0,
        le=5_000,
        description=(
            "number of cities that `queries build` adds to `cities` as destinations: the "
            "most populous cities of the world whose names are unique"
        ),
    )
    year: int | None = Field(
        default=None,
        ge=1950,
        le=2099,
        description=("year for which the dates of seasons and holidays are computed"),
    )
    ungrounded: Literal["never", "without_tables", "always"] = Field(
        default="without_tables",
        description=(
            "whether queries may ask for things that the tables do not contain: `never`, "
            "`always`, or `without_tables` (only in cities without tables)"
        ),
    )
    splits: SplitSettings = SplitSettings()
    traveleval: TravelEvalSettings = TravelEvalSettings()
    chinatravel: ChinaTravelSettings = ChinaTravelSettings()
    tripscore: TripScoreSettings = TripScoreSettings()
    triptailor: TripTailorSettings = TripTailorSettings()
