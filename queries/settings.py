"""Settings of the query families: quotas and shares, with the published figures as defaults."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Quotas = Annotated[tuple[int, ...], Field(min_length=6, max_length=6)]


class PlanError(ValueError):
    """A profile that cannot be planned; ``path`` names the setting, ``message`` what to do."""

    def __init__(self, path: tuple[str, ...], message: str):
        self.path, self.message = path, message
        super().__init__(f"{'.'.join(path)}: {message}")


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TravelEvalSettings(_Settings):
    """Queries by days 2 to 7 (TravelEval, table A1) and its group B."""

    easy: Quotas = (20, 30, 40, 40, 30, 40)
    medium: Quotas = (40, 60, 80, 80, 60, 80)
    hard: Quotas = (40, 60, 80, 80, 60, 80)
    groups: Quotas = (5, 8, 10, 10, 8, 9)
    economy_share: float = Field(default=0.5, ge=0, le=1)
    first_year: int = Field(default=2026, ge=1950, le=2099)


class ChinaTravelSettings(_Settings):
    """Queries by difficulty; constraints of a medium one (appendix D.3: 2-5, D.4: 3-5)."""

    easy: int = Field(default=300, ge=0)
    medium: int = Field(default=150, ge=0)
    preference: int = Field(default=50, ge=0)
    medium_constraints: tuple[int, int] = (2, 5)
    days: tuple[int, ...] = Field(default=(2, 3, 4, 5), min_length=1)
    infeasible_share: float = Field(default=0.0, ge=0, le=1)


class TripScoreSettings(_Settings):
    """Destinations by the durations asked for most often (TripScore, section 3.3)."""

    queries: int = Field(default=500, ge=0)
    destinations: tuple[str, ...] = ()
    destinations_csv: str | None = None
    durations: tuple[int, ...] = Field(default=(1, 2, 3, 4, 5), min_length=1)
    several_share: float = Field(default=0.1, ge=0, le=1, description="two or three destinations")
    requests_csv: str | None = None


class TripTailorSettings(_Settings):
    """Queries of the TripTailor form (TourPlanner, appendix D.1)."""

    queries: int = Field(default=500, ge=0)
    days: tuple[int, ...] = Field(default=(2, 3, 4, 5, 6, 7), min_length=1)


class SplitSettings(_Settings):
    """Shares of the splits, and destinations that only the test split may hold."""

    train: float = Field(default=0.7, ge=0, le=1)
    validation: float = Field(default=0.1, ge=0, le=1)
    test_cities: tuple[str, ...] = ()


Ungrounded = Literal["never", "without_tables", "always"]
