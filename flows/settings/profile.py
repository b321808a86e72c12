"""Defines profiles, the YAML files that specify what is built. Users copy and edit profiles."""

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
    QuerySettings,
    SplitSettings,
    TravelEvalSettings,
    TripScoreSettings,
    TripTailorSettings,
)
from schemas.taxonomy import FAMILIES, HOTEL_CLASSES, ROOM_TYPES, codes
from validators.drift.bounds import DriftSettings

Family = Literal["tprag", "traveleval", "chinatravel", "tripscore", "triptailor"]


assert set(get_args(Family)) == set(FAMILIES)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DocumentSettings(_Section):
    """How documents are found and read; three default values come from TP-RAG (appendix A.2)."""

    maximum_bytes: int = Field(
        default=10_000_000,
        gt=0,
        description=("maximum size of a document file in bytes; larger files are set aside"),
    )
    per_poi_search: int = Field(
        default=10,
        gt=0,
        description="number of documents that are chosen for each query as sources of places",
    )
    per_inquiry: int = Field(
        default=5,
        ge=0,
        description=(
            "number of documents that are chosen when a build searches for the current state of "
            "one place"
        ),
    )
    per_route_search: int = Field(
        default=20,
        gt=0,
        description="number of documents that are chosen for each query as sources of routes",
    )
    inquiries_per_query: int = Field(
        default=3,
        ge=0,
        description="maximum number of places per query whose current state a build looks up",
    )
    minimum_context_score: int = Field(
        default=2,
        gt=0,
        description=(
            "minimum number of words about a context that a document must contain in order to "
            "match this context"
        ),
    )
    allow_empty: bool = Field(
        default=False,
        description=("whether a city can be built from its tables alone, without any documents"),
    )
    newest_after: date | None = Field(
        default=None,
        description=("documents that are known to be older than this date are not used"),
    )
    refresh_after_days: int | None = Field(
        default=None,
        ge=0,
        description=(
            "number of days after which a build repeats its searches and fetches its "
            "pages again; if no number is given, a build does so only with `--refresh`"
        ),
    )


class TrajectorySettings(_Section):
    """What makes a trajectory valid, and how many trajectories a query needs."""

    per_query: int = Field(
        default=8,
        ge=0,
        description=("minimum number of trajectories that a query needs in order to be kept"),
    )
    maximum_per_query: int = Field(
        default=8, gt=0, description="maximum number of trajectories per query"
    )
    minimum_days: int = Field(
        default=1, ge=1, description="minimum number of days in a valid trajectory"
    )
    minimum_visits: int = Field(
        default=3, ge=1, description="minimum number of linked visits in a valid trajectory"
    )
    minimum_located_share: float = Field(
        default=0.6,
        ge=0,
        le=1,
        description=("minimum share of a trajectory's stops that must lie in the city"),
    )


class CandidateSettings(_Section):
    """How many candidate places a query needs and how many it can have."""

    per_query: int = Field(
        default=30,
        ge=0,
        description=("minimum number of candidate places that a query needs in order to be kept"),
    )
    maximum_per_query: int = Field(
        default=60, gt=0, description="maximum number of candidate places per query"
    )


class GeocodingSettings(_Section):
    """The geocoders that look up coordinates for places that have none in the tables.

    Coordinates are never guessed.
    """

    providers: tuple[Literal["gazetteer", "amap", "baidu", "nominatim"], ...] = Field(
        default=("gazetteer",),
        description=(
            "geocoders in the order in which they are used; the gazetteer works offline, and each "
            "of the others requires an environment variable"
        ),
    )
    gazetteers: tuple[str, ...] = Field(
        default=(),
        description=(
            "files of places (Parquet, CSV or GeoJSON) that the gazetteer reads in "
            "addition to the tables of the build"
        ),
    )
    datum: Literal["wgs84", "gcj02", "bd09"] = Field(
        default="wgs84", description=("coordinate system of the files listed in `gazetteers`")
    )


class RoomSettings(_Section):
    """Simulated rooms for hotels whose source has none. Rooms are not simulated by default; hotels
    with simulated rooms are marked `is_simulated`.

    The defaults are based on the medians of the prices above 0 in TravelEval's published tables of
    ten cities. The defaults also take into account the rule that assigns hotel classes. The
    coefficient of a city that is not listed is 1.
    """

    simulate: bool = Field(
        default=False,
        description=("whether rooms are simulated for hotels whose source gives none"),
    )
    base_price_cny: dict[str, int] = Field(
        default={"single": 336, "king": 376, "double": 395, "family": 533},
        description=(
            "price per night in yuan for each room type; a room type that is not listed "
            "is not simulated"
        ),
    )
    class_factor: dict[str, float] = Field(
        default={"luxury": 3.0, "upscale": 1.8, "midscale": 1.0, "economy": 0.5},
        description=(
            "for each hotel class, the factor by which the price is multiplied; the factor is 1 if "
            "the class is unknown"
        ),
    )
    city_coefficient: dict[str, float] = Field(
        default={
            "beijing": 1.46, "chengdu": 0.88, "chongqing": 0.59, "guangzhou": 1.08,
            "hangzhou": 1.05, "nanjing": 0.92, "shanghai": 1.38, "shenzhen": 1.19,
            "suzhou": 1.04, "wuhan": 0.66,
        },
        description=(
                "for each city, the factor by which the price is multiplied; the factor is 1 for "
                "a city that is not listed"
),
    )  # fmt: skip
    price_spread: float = Field(
        default=0.2,
        ge=0,
        lt=1,
        description=(
            "maximum difference between the price of a simulated room and the calculated price, as "
            "a share of the calculated price"
        ),
    )
    most_rooms: int = Field(
        default=8,
        ge=0,
        description=("maximum number of free rooms of each room type; the minimum is 0"),
    )

    @model_validator(mode="after")
    def _check_codes(self) -> RoomSettings:
        for name, given, known in (
            ("base_price_cny", self.base_price_cny, codes(ROOM_TYPES)),
            ("class_factor", self.class_factor, HOTEL_CLASSES),
        ):
            if unknown := sorted(set(given) - set(known)):
                raise ValueError(f"{name}: {unknown[0]} is not one of {', '.join(known)}")
        return self


class GateSettings(_Section):
    """Thresholds that the gates use."""

    quarantine_share: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description=("maximum share of a table's rows that can be set aside without a warning"),
    )
    known_share: dict[str, float] = Field(
        default_factory=dict,
        description=(
            "for each listed column, the minimum share of values that are known; columns are "
            "written as `table.column`"
        ),
    )
    drift_rows: float = Field(
        default=0.3,
        ge=0,
        description=(
            "maximum change in a table's number of rows since the last good snapshot, as a share "
            "of the earlier number"
        ),
    )
    drift_known: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description=(
            "maximum decrease in a column's share of known values since the last good snapshot"
        ),
    )
    drift_shares: float = Field(
        default=0.25, ge=0, description="maximum population stability index of a column"
    )
    document_age_years: float = Field(
        default=10.0,
        gt=0,
        description=("maximum median age, in years, of the documents that have a date"),
    )
    filler_share: float = Field(
        default=0.8,
        gt=0,
        le=1,
        description=(
            "maximum share of places that may have the same opening hours or the same visit "
            "duration"
        ),
    )
    kappa: float = Field(
        default=0.6,
        ge=-1,
        le=1,
        description=(
            "minimum agreement between two reviewers (Cohen's kappa); below this value, nothing "
            "is published; with -1, the gate never fails"
        ),
    )
    plans_decided: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description=(
            "of the queries with hard constraints, the minimum share that must be solved or proven "
            "unsolvable"
        ),
    )
    budget_usd: float | None = Field(
        default=None, ge=0, description=("maximum cost of a build in US dollars")
    )
    city_offset_m: float = Field(
        default=5_000.0,
        ge=0,
        description=(
            "maximum distance, in metres, between a city's centre and the centre given in "
            "the gazetteer; if the distance is larger, nothing is published. A city that "
            "is not in the gazetteer is not checked"
        ),
    )


class AttractionSettings(_Section):
    """Types that annotators or reviewers assigned to the attractions in the tables."""

    types: tuple[str, ...] = Field(
        default=(),
        description=(
            "files, written by `tripbed tables annotate`, with types that the annotators agreed "
            "on or that a reviewer chose; a later file takes precedence over an earlier one "
            "(see docs/tables.md)"
        ),
    )


class PlanSettings(_Section):
    """Witness plans for queries with hard constraints, and reference plans."""

    solve: bool = Field(
        default=True,
        description=(
            "whether tripbed looks for a witness plan, or a proof that no plan exists, for each "
            "query with hard constraints (about a tenth of a second per query)"
        ),
    )
    references: tuple[Literal["balanced", "experience", "budget"], ...] = Field(
        default=(),
        description=(
            "kinds of reference plans to make in addition to witness plans: `balanced` "
            "for every query of every family (about four tenths of a second each), and "
            "`experience` and `budget` for TravelEval queries"
        ),
    )


class Profile(_Section):
    """Everything that a profile can specify."""

    name: str = Field(description=("name under which the profile is recorded in the snapshot"))
    description: str = Field(default="", description="what the profile is for")
    families: tuple[Family, ...] = Field(
        default=("tprag",), description=("families of queries to plan")
    )
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
        """Check whether a build without documents would be refused."""
        return "tprag" in self.families and not self.documents.allow_empty


def profile_names() -> tuple[str, ...]:
    """Return the names of the bundled profiles."""
    folder = resources.files("flows") / "profiles"
    return tuple(
        sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if p.name.endswith(".yaml"))
    )


def load_profile(name_or_file: str) -> Profile:
    """Load a bundled profile by name, or a file.

    Raises SettingsError, which names the line with the error.
    """
    text, where = _source(name_or_file)
    try:
        return Profile.model_validate(yaml.safe_load(text) or {})
    except yaml.YAMLError as error:
        raise SettingsError(f"{where} is not YAML: {error}") from None
    except ValidationError as error:
        raise SettingsError(_explain(where, text, error)) from None


def explain_plan_error(name_or_file: str, error: PlanningError) -> SettingsError:
    """Describe a planning error, and give the line of the setting in the profile that causes it."""
    text, where = _source(name_or_file)
    key = ".".join(error.path)
    return SettingsError(f"{where}, line {line_of(text, error.path)}: {key}: {error.message}")


def line_of(text: str, path: Sequence[Any]) -> int:
    """Return the line number of a setting in YAML, counted from 1.

    For a missing setting, return the line of the nearest setting above it.
    """
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
    """Return the text of a profile, and the name that messages use for this profile."""
    bundled = resources.files("flows") / "profiles" / f"{name_or_file}.yaml"
    path = Path(name_or_file)
    if bundled.is_file():
        return bundled.read_text(encoding="utf-8"), f"profile {name_or_file}"
    if path.is_file():
        return _read(path), str(path)
    names = ", ".join(profile_names())
    raise SettingsError(
        f"there is no profile {name_or_file!r}: give a YAML file, or one of {names}"
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read as YAML in UTF-8: {error}") from None


def _explain(where: str, text: str, error: ValidationError) -> str:
    # Imported only if a key is unknown.
    from rapidfuzz import process

    models: tuple[type[BaseModel], ...] = (
        Profile, TravelEvalSettings, ChinaTravelSettings, TripScoreSettings, TripTailorSettings,
        SplitSettings, QuerySettings, DriftSettings, *_Section.__subclasses__(),
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
