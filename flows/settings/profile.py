"""Profiles: what a build asks for. A profile is a YAML file that a user copies and edits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from flows.errors import SettingsError
from queries.settings import (
    ChinaTravelSettings,
    PlanningError,
    SplitSettings,
    TravelEvalSettings,
    TripScoreSettings,
    TripTailorSettings,
    Ungrounded,
)
from schemas.taxonomy import CONSTRAINTS, FAMILIES, HOTEL_CLASSES, ROOM_TYPES, codes
from validators.drift.bounds import DriftSettings

Family = Literal["tprag", "traveleval", "chinatravel", "tripscore", "triptailor"]


assert set(get_args(Family)) == set(FAMILIES)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class QuerySettings(_Section):
    """Which queries are planned."""

    days: tuple[int | None, ...] = Field(
        default=(None, 3, 4, 5), description="days of a trip; null if the query names none"
    )
    constraint_kinds: tuple[str, ...] = Field(
        default=("generic", *CONSTRAINTS), description="kinds of constraints that queries have"
    )
    cities: tuple[str, ...] = Field(
        default=(), description="destinations of `queries build`, in any language"
    )
    most_populous: int = Field(
        default=0,
        ge=0,
        le=5_000,
        description=(
            "number of destinations that `queries build` adds to `cities`: the most "
            "populous cities of the world with a unique name"
        ),
    )
    year: int | None = Field(
        default=None, ge=1950, le=2099, description="year used for seasons and holidays"
    )
    ungrounded: Ungrounded = Field(
        default="without_tables",
        description=(
            "whether queries may ask for things that no table shows: `never`, "
            "`always`, or `without_tables` (only in cities without tables)"
        ),
    )
    splits: SplitSettings = SplitSettings()
    traveleval: TravelEvalSettings = TravelEvalSettings()
    chinatravel: ChinaTravelSettings = ChinaTravelSettings()
    tripscore: TripScoreSettings = TripScoreSettings()
    triptailor: TripTailorSettings = TripTailorSettings()


class DocumentSettings(_Section):
    """How documents are read and found. Three of the counts are TP-RAG's (appendix A.2)."""

    maximum_bytes: int = Field(
        default=10_000_000, gt=0, description="largest file, in bytes; larger files are set aside"
    )
    per_poi_search: int = Field(
        default=10, gt=0, description="documents found for the places of a query"
    )
    per_inquiry: int = Field(
        default=5,
        ge=0,
        description="documents found for a question about one place's current state",
    )
    per_route_search: int = Field(
        default=20, gt=0, description="documents found for the routes of a query"
    )
    inquiries_per_query: int = Field(
        default=3, ge=0, description="number of places per query about whose current state is asked"
    )
    minimum_context_score: int = Field(
        default=2, gt=0, description="number of words that must name the context"
    )
    allow_empty: bool = Field(default=False, description="build the tables without documents")
    newest_after: date | None = Field(
        default=None, description="date; documents known to be older are not used"
    )
    refresh_after_days: int | None = Field(
        default=None,
        ge=0,
        description=(
            "days after which a build repeats its searches and requests its pages "
            "again; without a value, only `--refresh` does this"
        ),
    )


class TrajectorySettings(_Section):
    """What a valid trajectory is and how many a query needs."""

    per_query: int = Field(
        default=8, ge=0, description="number of trajectories that a query needs to be kept"
    )
    maximum_per_query: int = Field(
        default=8, gt=0, description="largest number of trajectories per query"
    )
    minimum_days: int = Field(
        default=1, ge=1, description="smallest number of days in a valid trajectory"
    )
    minimum_visits: int = Field(
        default=3, ge=1, description="smallest number of linked visits in a valid trajectory"
    )
    minimum_located_share: float = Field(
        default=0.6,
        ge=0,
        le=1,
        description="smallest share of a trajectory's stops that must lie in the city",
    )


class CandidateSettings(_Section):
    """How many candidate places a query needs and may have."""

    per_query: int = Field(
        default=30, ge=0, description="number of candidate places that a query needs to be kept"
    )
    maximum_per_query: int = Field(
        default=60, gt=0, description="largest number of candidate places per query"
    )


class GeocodingSettings(_Section):
    """Which geocoders give the coordinates of places that no table locates. Nothing is guessed."""

    providers: tuple[Literal["gazetteer", "amap", "baidu", "nominatim"], ...] = Field(
        default=("gazetteer",),
        description=(
            "geocoders in the order in which they are asked; the gazetteer works offline, "
            "the others need their key in the environment"
        ),
    )
    gazetteers: tuple[str, ...] = Field(
        default=(),
        description=(
            "files of places that the gazetteer reads besides the tables of the build: "
            "Parquet, CSV or GeoJSON"
        ),
    )
    datum: Literal["wgs84", "gcj02", "bd09"] = Field(
        default="wgs84", description="coordinate system of the files in `gazetteers`"
    )


class RoomSettings(_Section):
    """Made-up rooms for hotels whose source has none. Off by default; such hotels are marked
    `is_simulated`.

    The defaults are medians of TravelEval's published tables (ten cities, prices above 0) and of
    the rule of hotel classes. A city that is not named has the coefficient 1.
    """

    simulate: bool = Field(default=False, description="make up rooms for hotels that have none")
    base_price_cny: dict[str, int] = Field(
        default={"single": 336, "king": 376, "double": 395, "family": 533},
        description="yuan per night by room type; room types that are left out are not made",
    )
    class_factor: dict[str, float] = Field(
        default={"luxury": 3.0, "upscale": 1.8, "midscale": 1.0, "economy": 0.5},
        description="price factor by hotel class; 1 if the class is unknown",
    )
    city_coefficient: dict[str, float] = Field(
        default={
            "beijing": 1.46, "chengdu": 0.88, "chongqing": 0.59, "guangzhou": 1.08,
            "hangzhou": 1.05, "nanjing": 0.92, "shanghai": 1.38, "shenzhen": 1.19,
            "suzhou": 1.04, "wuhan": 0.66,
        },
        description="price factor by city",
    )  # fmt: skip
    price_spread: float = Field(
        default=0.2,
        ge=0,
        lt=1,
        description="share by which the prices of a hotel may be higher or lower",
    )
    most_rooms: int = Field(
        default=8, ge=0, description="highest number of free rooms per room type; the lowest is 0"
    )

    @model_validator(mode="after")
    def _check_codes(self) -> RoomSettings:
        for name, given, known in (
            ("base_price_cny", self.base_price_cny, codes(ROOM_TYPES)),
            ("class_factor", self.class_factor, HOTEL_CLASSES),
        ):
            if unknown := sorted(set(given) - set(known)):
                raise ValueError(f"{name}: {unknown[0]} is none of {', '.join(known)}")
        return self


class GateSettings(_Section):
    """Thresholds of gates."""

    quarantine_share: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="share of rows of a table that may be set aside before a gate warns",
    )
    known_share: dict[str, float] = Field(
        default_factory=dict, description="smallest share of known values, by `table.column`"
    )
    drift_rows: float = Field(
        default=0.3, ge=0, description="largest share of rows that may be lost or added"
    )
    drift_known: float = Field(
        default=0.1, ge=0, le=1, description="largest decrease in a share of known values"
    )
    drift_shares: float = Field(
        default=0.25, ge=0, description="largest population stability index"
    )
    document_age_years: float = Field(
        default=10.0, gt=0, description="highest median age of the dated documents, in years"
    )
    filler_share: float = Field(
        default=0.8, gt=0, le=1, description="largest share of places with the same value"
    )
    kappa: float = Field(
        default=0.6,
        ge=-1,
        le=1,
        description=(
            "smallest agreement of two reviewers (Cohen's kappa): below it, nothing is "
            "published; -1 never blocks"
        ),
    )
    plans_decided: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description=(
            "share of queries with hard constraints that must be solved or proven unsolvable"
        ),
    )
    budget_usd: float | None = Field(
        default=None, ge=0, description="US dollars that a build may cost"
    )
    city_offset_m: float = Field(
        default=5_000.0,
        ge=0,
        description=(
            "largest distance, in metres, between a city's centre and the gazetteer's; beyond it "
            "nothing is published. A city that the gazetteer does not hold is not compared"
        ),
    )


class AttractionSettings(_Section):
    """Attraction types in addition to the tags of the tables."""

    types: tuple[str, ...] = Field(
        default=(),
        description=(
            "files from `tripbed tables annotate` with types that annotators agreed on or a"
            " reviewer decided; a later file takes precedence over an earlier one, see"
            " docs/tables.md"
        ),
    )


class PlanSettings(_Section):
    """Witness plans for queries with hard constraints, and reference plans."""

    solve: bool = Field(
        default=True,
        description=(
            "whether each query with hard constraints gets a witness plan, or a proof "
            "that there is none (a tenth of a second per query; other families take no time)"
        ),
    )
    references: tuple[Literal["balanced", "experience", "budget"], ...] = Field(
        default=(),
        description=(
            "kinds of reference plans in addition to witness plans: `balanced` for every query of"
            " every family (about four tenths of a second each), TravelEval's `experience` and"
            " `budget` for its queries"
        ),
    )


class Profile(_Section):
    """Everything that a build asks for."""

    name: str = Field(description="name of the profile in the snapshot")
    description: str = Field(default="", description="what the profile is for")
    families: tuple[Family, ...] = Field(default=("tprag",), description="families of queries")
    queries: QuerySettings = QuerySettings()
    documents: DocumentSettings = DocumentSettings()
    trajectories: TrajectorySettings = TrajectorySettings()
    candidates: CandidateSettings = CandidateSettings()
    geocoding: GeocodingSettings = GeocodingSettings()
    attractions: AttractionSettings = AttractionSettings()
    rooms: RoomSettings = RoomSettings()
    plans: PlanSettings = PlanSettings()
    gates: GateSettings = GateSettings()
    drift: DriftSettings = DriftSettings()

    @property
    def needs_documents(self) -> bool:
        """Whether a build without documents would be refused."""
        return "tprag" in self.families and not self.documents.allow_empty


def profile_names() -> tuple[str, ...]:
    """Names of the bundled profiles."""
    folder = resources.files("flows") / "profiles"
    return tuple(
        sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if p.name.endswith(".yaml"))
    )


def load_profile(name_or_file: str) -> Profile:
    """A bundled profile by name, or a file. Raises SettingsError with the line that is wrong."""
    text, where = _source(name_or_file)
    try:
        return Profile.model_validate(yaml.safe_load(text) or {})
    except yaml.YAMLError as error:
        raise SettingsError(f"{where} is not YAML: {error}") from None
    except ValidationError as error:
        raise SettingsError(_explain(where, text, error)) from None


def explain_plan_error(name_or_file: str, error: PlanningError) -> SettingsError:
    """What is wrong with a profile's plan, with the line of the setting that says so."""
    text, where = _source(name_or_file)
    key = ".".join(error.path)
    return SettingsError(f"{where}, line {line_of(text, error.path)}: {key}: {error.message}")


def line_of(text: str, path: Sequence[Any]) -> int:
    """The line of a setting in YAML, counted from 1; of the nearest one above where it is unset."""
    node = yaml.compose(text)
    line = 1
    for part in path:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(part):
                    line, node = key.start_mark.line + 1, value
                    break
            else:
                return line
        elif isinstance(node, yaml.SequenceNode) and str(part).isdigit():
            if int(part) >= len(node.value):
                return line
            node = node.value[int(part)]
            line = node.start_mark.line + 1
        else:
            return line
    return line


def _source(name_or_file: str) -> tuple[str, str]:
    """Text of a profile and how to call it in messages."""
    bundled = resources.files("flows") / "profiles" / f"{name_or_file}.yaml"
    path = Path(name_or_file)
    if bundled.is_file():
        return bundled.read_text(encoding="utf-8"), f"profile {name_or_file}"
    if path.is_file():
        return _read(path), str(path)
    names = ", ".join(profile_names())
    raise SettingsError(f"no profile {name_or_file!r}: give a YAML file or one of {names}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read as YAML in UTF-8: {error}") from None


def _explain(where: str, text: str, error: ValidationError) -> str:
    # Only for a key that is not known.
    from rapidfuzz import process

    models: tuple[type[BaseModel], ...] = (
        Profile, TravelEvalSettings, ChinaTravelSettings, TripScoreSettings, TripTailorSettings,
        SplitSettings, DriftSettings, *_Section.__subclasses__(),
    )  # fmt: skip
    known = sorted({key for model in models for key in model.model_fields})
    lines = []
    for problem in error.errors():
        key = ".".join(str(part) for part in problem["loc"])
        line = f"{where}, line {line_of(text, problem['loc'])}: {key}: {problem['msg']}"
        if problem["type"] == "extra_forbidden":
            near = process.extractOne(str(problem["loc"][-1]), known)
            line += f" (did you mean {near[0]}?)" if near else ""
        lines.append(line)
    return "\n".join(lines)
